r"""The conditional likelihood of classes whose scores are sums of potentials, and where it is highest.

The score of class :math:`y` in a row is

.. math:: \lambda_\emptyset \varphi_\emptyset(y) + \sum_F r_F [\lambda_F \varphi_F(x_F, y) + w_F(x_F, y)]

with fixed potentials :math:`\varphi` and relevances :math:`r` (:class:`Potentials`). At the row's own class,
:math:`\varphi` is taken without what counting this row added to it, :math:`\varphi - o`. Scales
:math:`\lambda` and weights :math:`w` have Gaussian priors: :math:`w` around 0, :math:`\lambda_F` around 0 and
:math:`\lambda_\emptyset` around 1. They are one vector here: :math:`\lambda_\emptyset`, the other scales, the
weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.native import kernels
from graphoid.models.quasi_newton import MEMORY, minimize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid._native import Kernels

    Floats = NDArray[np.float64]

SCALE_PRECISION = 10.0
"""Precision of the prior of the scales."""

WEIGHT_PRECISION = 2.0
"""Precision of the prior of the weights: that of scikit-learn's logistic regression."""

MOST_ITERATIONS = 500
"""Of L-BFGS; it takes 20 to 100."""

TOLERANCE = 1e-8
"""L-BFGS ends when a step gains less than this share of the loss."""

SLOPE = 1e-5
"""Or where no derivative is larger: of a sum over rows, so hardly ever."""


class Potentials(NamedTuple):
    """What is fixed. The tables of all faces are one below the other, a line of classes for every cell."""

    at: NDArray[np.int32]
    """For every row, its line in the table of every face."""
    classes: NDArray[np.integer]
    row_weights: Floats | None
    """A weight a row; None for one each."""
    start: Floats
    """Potentials of the class alone."""
    start_own: Floats
    """What a row adds to that of its own class."""
    counted: Floats
    own: Floats
    """The same for every cell."""
    face: NDArray[np.int32]
    """Which face a cell belongs to."""
    relevance: Floats
    """Of every face."""


def conditional(of: Potentials) -> Conditional | NativeConditional:
    """Return the fastest way to evaluate."""
    native = kernels()
    return Conditional(of) if native is None else NativeConditional(of, native)


class Conditional:
    """The negative log posterior of scales and weights, in NumPy and SciPy."""

    def __init__(self, of: Potentials) -> None:
        from scipy.sparse import csr_array

        n_rows, n_faces = of.at.shape
        self._of = of
        self._own = np.arange(n_rows), of.classes
        self._weights = np.ones(n_rows) if of.row_weights is None else of.row_weights
        starts = np.arange(n_rows + 1) * n_faces
        self._lines = csr_array((np.ones(of.at.size), of.at.ravel(), starts), (n_rows, len(of.counted)))
        self._prior = np.append(1.0, np.zeros(n_faces))

    def loss(self, at: Floats) -> tuple[float, Floats]:
        """Return its value and its derivatives."""
        of = self._of
        scales, weights = split_scales(of, at)
        relevance = of.relevance[of.face, None]
        scale = relevance * scales[1:][of.face, None]
        scores = scales[0] * of.start + self._lines @ (scale * of.counted + relevance * weights)
        scores[self._own] -= (scales[0] * of.start_own + self._lines @ (scale * of.own))[self._own]
        scores -= scores.max(axis=1, keepdims=True)
        total = np.exp(scores).sum(axis=1)
        loss = float(self._weights @ (np.log(total) - scores[self._own]))
        residual = np.exp(scores) / total[:, None]
        residual[self._own] -= 1.0
        residual *= self._weights[:, None]
        of_own = np.zeros_like(residual)
        of_own[self._own] = residual[self._own]

        off = scales - self._prior
        loss += 0.5 * float(SCALE_PRECISION * off @ off + WEIGHT_PRECISION * np.vdot(weights, weights))
        by_table, by_own = relevance * (self._lines.T @ residual), relevance * (self._lines.T @ of_own)
        by_scale = SCALE_PRECISION * off
        by_scale[0] += (residual @ of.start - of_own @ of.start_own).sum()
        by_cell = (by_table * of.counted - by_own * of.own).sum(axis=1)
        by_scale[1:] += np.bincount(of.face, by_cell, len(of.relevance))
        return loss, np.append(by_scale, by_table + WEIGHT_PRECISION * weights)

    def minimum(self) -> Floats:
        """Return the scales and weights with the highest posterior."""
        begin = np.append(self._prior, np.zeros(self._of.counted.size))
        return minimize(self.loss, begin, most_iterations=MOST_ITERATIONS, slope=SLOPE, gain=TOLERANCE).at


class NativeConditional:
    """The same by the compiled kernel."""

    def __init__(self, of: Potentials, native: Kernels) -> None:
        self._native = native.Potentials(
            np.ascontiguousarray(of.at),
            np.ascontiguousarray(of.classes, dtype=np.uint16),
            of.row_weights,
            of.start,
            of.start_own,
            of.counted,
            of.own,
            of.face,
            of.relevance,
            SCALE_PRECISION,
            WEIGHT_PRECISION,
        )

    def loss(self, at: Floats) -> tuple[float, Floats]:
        """Return its value and its derivatives."""
        return self._native.loss(at)

    def minimum(self) -> Floats:
        """Return the scales and weights with the highest posterior."""
        return self._native.minimum(MEMORY, MOST_ITERATIONS, SLOPE, TOLERANCE)


def split_scales(of: Potentials, at: Floats) -> tuple[Floats, Floats]:
    """Return scales, and weights as lines of classes."""
    n = len(of.relevance) + 1
    return at[:n], at[n:].reshape(of.counted.shape)
