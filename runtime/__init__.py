"""In which place: one Arrow-in, Arrow-out operator and its adapters."""
