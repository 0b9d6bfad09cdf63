"""Learners of others beside ours, each run in a process of its own: `make bench-peers`."""
