r"""The conditional likelihood of classes whose scores are sums of table lines.

The score of class :math:`y` in row :math:`i`, whose own class is :math:`y_i`, is

.. math:: s_y + \sum_f T_{a_{if}, y} + [y = y_i] \sum_k o_{ik} \lambda_k

with :math:`s` the ``start``, :math:`T` the ``tables``, :math:`\lambda` the ``scales``, and the lines
:math:`a` looked up and what goes to the own class :math:`o` fixed for every row (:class:`LookUps`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from graphoid.counts.native import kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class LookUps(NamedTuple):
    """What is fixed for every row."""

    at: NDArray[np.int32]
    """Lines of the tables, one for every face."""
    own: Floats
    """What each scale adds to the score of the row's own class."""
    classes: NDArray[Any]
    weights: Floats | None
    """A weight a row; None for one each."""
    n_cells: int
    """Lines of the tables."""
    n_classes: int


class Loss(NamedTuple):
    """The sum over rows of -log P(class), and its derivatives."""

    value: float
    by_start: Floats
    by_table: Floats
    by_scale: Floats


class Conditional(Protocol):
    """The loss of some rows as a function of all that is not fixed."""

    def loss(self, start: Floats, tables: Floats, scales: Floats) -> Loss:
        """Return the loss and its derivatives; ``tables`` has a line of classes for every cell."""
        ...


def conditional(rows: LookUps) -> Conditional:
    """Return the fastest way to evaluate."""
    native = kernels()
    return PlainConditional(rows) if native is None else NativeConditional(rows, native)


class PlainConditional:
    """In NumPy: the specification of the kernel."""

    def __init__(self, rows: LookUps) -> None:
        from scipy.sparse import csr_array

        n_rows, n_faces = rows.at.shape
        self._rows = rows
        self._each = np.arange(n_rows)
        self._weights = np.ones(n_rows) if rows.weights is None else rows.weights
        starts = np.arange(n_rows + 1) * n_faces
        self._lines = csr_array((np.ones(rows.at.size), rows.at.ravel(), starts), (n_rows, rows.n_cells))

    def loss(self, start: Floats, tables: Floats, scales: Floats) -> Loss:
        """Return the loss and its derivatives."""
        own = self._each, self._rows.classes
        scores = start + self._lines @ tables
        scores[own] += self._rows.own @ scales
        scores -= scores.max(axis=1, keepdims=True)
        total = np.exp(scores).sum(axis=1)
        value = float(self._weights @ (np.log(total) - scores[own]))
        residual = np.exp(scores) / total[:, None]
        residual[own] -= 1.0
        residual *= self._weights[:, None]
        return Loss(value, residual.sum(axis=0), self._lines.T @ residual, self._rows.own.T @ residual[own])


class NativeConditional:
    """By the compiled kernel."""

    def __init__(self, rows: LookUps, native: Any) -> None:
        self._native = native.LookUps(
            np.ascontiguousarray(rows.at, dtype=np.int32),
            np.ascontiguousarray(rows.own),
            np.ascontiguousarray(rows.classes, dtype=np.uint16),
            rows.n_cells,
            rows.n_classes,
            rows.weights,
        )

    def loss(self, start: Floats, tables: Floats, scales: Floats) -> Loss:
        """Return the loss and its derivatives."""
        value, by_start, by_table, by_scale = self._native.loss(start, tables.ravel(), scales)
        return Loss(value, by_start, by_table.reshape(tables.shape), by_scale)
