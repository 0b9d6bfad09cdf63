"""Correlations of columns that are numbers: the counterpart of counts for continuous data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.table import Table
from graphoid.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Correlations:
    """The (weighted) correlation matrix of the columns of a table that are numbers.

    Columns are centred and scaled before they are multiplied, so that large means and unlike units cost no
    digits. A column that does not vary has correlation 0 with every other.

    Parameters
    ----------
    table
        Whose columns.
    numbers
        Returns a column as numbers, or raises a :class:`~graphoid.errors.DataError`: that is said when the
        column is asked for.
    """

    def __init__(
        self, table: Table, numbers: Callable[[Table, int], NDArray[np.float64]] = Table.numbers
    ) -> None:
        n = len(table.variables)
        self._table, self._numbers = table, numbers
        self.n_rows: float = table.n_rows if table.weights is None else table.weights.total
        self.varies = np.zeros(n, dtype=bool)
        self._refused: set[int] = set()
        scaled = np.zeros((table.n_rows, n), order="F")
        for i in range(n):
            try:
                column = numbers(table, i)
            except DataError:
                self._refused.add(i)  # said when it is asked for
            else:
                self.varies[i] = self._scale(column, scaled[:, i])
        if table.weights is not None:
            scaled *= np.sqrt(table.weights.values)[:, None]
        matrix = scaled.T @ scaled
        np.fill_diagonal(matrix, np.where(self.varies, 1.0, 0.0))
        self._matrix: NDArray[np.float64] = np.clip(matrix, -1.0, 1.0)

    def between(self, rows: list[int], columns: list[int]) -> NDArray[np.float64]:
        """Return the part of the matrix between some columns and others."""
        for v in sorted(self._refused.intersection(rows + columns)):
            self._numbers(self._table, v)  # raises, and says why
        part: NDArray[np.float64] = self._matrix[np.ix_(rows, columns)]
        return part

    def _scale(self, column: NDArray[np.float64], out: NDArray[np.float64]) -> bool:
        """Write the column centred and scaled to unit length; return whether it varies."""
        weights = None if self._table.weights is None else self._table.weights.values
        if not self.n_rows:
            return False
        largest = np.abs(column).max(initial=0.0)
        # to the unit scale first: squares of very large or small numbers would leave the range of doubles
        column = column / largest if largest > 0 else column
        centred = column - np.average(column, weights=weights)
        centred -= np.average(centred, weights=weights)  # what rounding left of the mean
        square = centred**2 if weights is None else weights * centred**2
        spread = float(np.sqrt(square.sum()))
        # rounding alone makes a constant column vary by about this much
        if spread <= 1e-13 * np.sqrt(self._table.n_rows):
            return False
        out[:] = centred / spread
        return True


EXPLAINED = 1e-10
"""Share of variance left below which a column counts as determined by others: rounding of sums."""


def whiten(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what turns columns with a covariance into uncorrelated ones of unit variance.

    Eigenvalues near zero are linear dependences: such directions say nothing new, and are left out.
    """
    if len(covariance) == 1:  # by far the most frequent: two states
        return covariance**-0.5 if covariance[0, 0] > EXPLAINED else covariance[:0]
    values, vectors = np.linalg.eigh(covariance)
    keep = values > EXPLAINED * max(1.0, float(values[-1]) if len(values) else 0.0)
    white: NDArray[np.float64] = (vectors[:, keep] / np.sqrt(values[keep])).T
    return white
