"""Means and covariances of columns that are numbers: the counterpart of counts for continuous data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.table import Table


def correlations(table: Table) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    r"""Return the (weighted) correlation matrix of all columns, and which columns vary at all.

    Columns are centred and scaled before they are multiplied, so that large means and unlike units cost no
    digits. A column that does not vary has correlation 0 with every other.
    """
    n = len(table.variables)
    scaled = np.empty((table.n_rows, n), order="F")
    varies = np.zeros(n, dtype=bool)
    weights = None if table.weights is None else table.weights.values
    if table.n_rows == 0 or (weights is not None and not weights.any()):
        return np.zeros((n, n)), varies
    for i in range(n):
        column = table.numbers(i)
        largest = np.abs(column).max(initial=0.0)
        # to the unit scale first: squares of very large or small numbers would leave the range of doubles
        column = column / largest if largest > 0 else column
        centred = column - np.average(column, weights=weights)
        centred -= np.average(centred, weights=weights)  # what rounding left of the mean
        square = centred**2 if weights is None else weights * centred**2
        spread = float(np.sqrt(square.sum()))
        # rounding alone makes a constant column vary by about this much
        varies[i] = spread > 1e-13 * np.sqrt(max(table.n_rows, 1))
        scaled[:, i] = centred / spread if varies[i] else 0.0
    if weights is not None:
        scaled *= np.sqrt(weights)[:, None]
    matrix = scaled.T @ scaled
    np.fill_diagonal(matrix, np.where(varies, 1.0, 0.0))
    return np.clip(matrix, -1.0, 1.0), varies
