"""Searches for the graph of the highest score, and the posterior over graphs."""
