"""What can be said about independence, and what follows from it. No data, no graphs, no NumPy."""
