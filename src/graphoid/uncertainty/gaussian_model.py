r"""A column of numbers given its blanket: a linear model with Gaussian errors, and partial correlations.

A number y with standard deviation one has, given the codes u of its blanket,

.. math:: y \sim \mathcal N\Bigl(a + \sum_j \beta_j^\top u_j, \sigma^2\Bigr)

so that its term with a variable j in the joint density is :math:`W_j = \beta_j / \sigma^2`: the same as that
of y in the logistic model of variable j, if both models are right. Two numbers are compared by their partial
correlation instead, which everyone knows.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphoid.uncertainty.blanket_model import ALIASED, Term
from graphoid.uncertainty.pair_terms import invert

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


class GaussianModel:
    """A column of numbers given its blanket, fitted by least squares.

    Parameters
    ----------
    numbers
        The response, a number a row.
    blanket
        Numbers for each row, by variable.
    weights
        How often each row counts.
    """

    def __init__(self, numbers: Matrix, blanket: Mapping[int, Matrix], weights: Matrix) -> None:
        self._numbers, self._blanket, self._weights = numbers, blanket, weights
        self._design = np.hstack([np.ones((len(numbers), 1)), *blanket.values()])
        at, self._places = 1, {}
        for z, columns in blanket.items():
            self._places[z] = np.arange(at, at := at + columns.shape[1])
        self.n_weights = at
        weighted = weights[:, None] * self._design
        self._information = weighted.T @ self._design
        self._inverse = invert(self._information)
        self._slopes = self._inverse @ (weighted.T @ numbers)
        self._left = numbers - self._design @ self._slopes
        self._free = float(weights.sum()) - at
        self._squares = float(weights @ self._left**2)

    @property
    def weights(self) -> Matrix:
        """The constant, then what each variable of the blanket adds."""
        return self._slopes

    @property
    def log_likelihood(self) -> float:
        """At the best slopes and variance, but for a constant."""
        total = float(self._weights.sum())
        return -0.5 * total * float(np.log(max(self._squares, np.finfo(float).tiny) / total))

    def without(self, z: int) -> GaussianModel:
        """Return the model without a variable of the blanket."""
        rest = {other: columns for other, columns in self._blanket.items() if other != z}
        return GaussianModel(self._numbers, rest, self._weights)

    def term(self, z: int) -> Term | None:
        """Return the term of a variable of the blanket; None where the others leave nothing of it, or of y.

        Rows move slopes and variance: a row far off makes the variance larger and the term smaller.
        """
        own, total = self._places[z], float(self._weights.sum())
        if self._free <= 2 or self._squares <= ALIASED * total or self._is_aliased(own):
            return None
        precision = (self._free - 2) / self._squares  # without the bias of few rows
        value = self._slopes[own] * precision
        along = self._design @ self._inverse[:, own]
        excess = self._left**2 * precision - 1.0
        influence = along * (self._left * precision)[:, None] - np.outer(excess, value) / total
        covariance = self._inverse[np.ix_(own, own)] * precision + 2 / self._free * np.outer(value, value)
        return Term(value, covariance, influence)

    def _is_aliased(self, own: NDArray[np.integer]) -> bool:
        return bool(np.abs(self._blind[own]).max(initial=0.0) > ALIASED**0.5)

    @cached_property
    def _blind(self) -> Matrix:
        """Directions, a column each, of which the rows tell nothing."""
        sizes, axes = np.linalg.eigh(self._information)
        found: Matrix = axes[:, sizes <= ALIASED * sizes.max(initial=0.0)]
        return found


def correlate(x: Matrix, y: Matrix, given: Matrix, weights: Matrix) -> tuple[float, float, Matrix] | None:
    """Return Fisher's z of the partial correlation of two columns, its standard error, and what rows add.

    None where the others leave nothing of one of the two, or rows are too few.
    """
    total = float(weights.sum())
    design, both = np.column_stack([np.ones(len(x)), given]), np.column_stack([x, y])
    root = np.sqrt(weights)[:, None]
    slopes, _, rank, _ = np.linalg.lstsq(root * design, root * both, rcond=ALIASED)
    left = both - design @ slopes
    sizes = np.sqrt(weights @ left**2 / total)
    free = total - (int(rank) - 1) - 3.0
    if free <= 0 or not (sizes > ALIASED**0.5).all():
        return None
    a, b = (left / sizes).T
    limit = 1 - np.finfo(float).eps
    r = float(np.clip(weights @ (a * b) / total, -limit, limit))
    influence = (a * b - r * (a * a + b * b) / 2) / ((1 - r * r) * total)
    return float(np.arctanh(r)), free**-0.5, influence
