"""Models of one variable given others: numbers for every kind of column, responses, and their fits."""
