"""Search: algorithms that see something that answers questions, and never rows, files or engines."""
