"""Windows: frames, slides and extents; from a specification to bounds."""
