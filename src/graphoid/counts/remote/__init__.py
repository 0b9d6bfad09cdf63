"""Counting data that stay where they are: cache, prefetch, local rows, and what access costs."""
