"""CSPC and CSGS: a graph for every context."""
