"""Graphs, separation in them, comparing them, and the graph that was learned with its evidence."""
