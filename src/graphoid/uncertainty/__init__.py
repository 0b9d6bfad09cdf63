"""How sure: the strength of every edge, its uncertainty under resampling, and how stable conclusions are."""
