"""Directed graphs by their score: the search, and what graphs say the same."""
