"""Numbers for a whole graph, from counts: how well it explains the data."""
