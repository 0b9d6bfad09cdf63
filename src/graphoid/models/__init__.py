"""Weights on a structure: factors, their joint distribution, and sampling from it."""
