"""Choosing strategies: figure 2 of the ESL paper as a table of rules; plans and explain."""
