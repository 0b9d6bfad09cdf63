"""All pairs of many thousand columns on a GPU, by products of matrices of zeros and ones."""
