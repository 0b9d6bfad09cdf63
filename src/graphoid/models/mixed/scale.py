"""Numbers of a column become standard normal scores by their ranks, and go back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from graphoid.regression.coding import levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.table import Weights

    Vector = NDArray[np.float64]

KNOTS = 500
"""Values that a model keeps of a column, evenly spaced by their scores; beside them those that more than one
in so many rows have, and their neighbors. Between two of them, scores are linear."""


@dataclass(frozen=True, eq=False)
class Scale:
    r"""The distribution of a column as a table of its quantiles.

    A value that fills ranks :math:`a` to :math:`b` of :math:`N` rows has the score
    :math:`\Phi^{-1}(\frac{(a + b)/2}{N + 1})` ([VanDerWaerden1952]_), made to have mean 0 and variance 1 over
    the rows. A standard normal number between :math:`\Phi^{-1}(\frac{a}{N + 1})` and
    :math:`\Phi^{-1}(\frac{b}{N + 1})` goes back to it, so that what goes back has the distribution of the
    column, values that many rows share included.

    Parameters
    ----------
    values
        In ascending order; all that occur, or some of them where there are very many.
    low, high
        :math:`\Phi^{-1}` at the first and the last rank of each value.
    center, spread
        Mean and standard deviation of the scores over the rows.
    whole
        Whether all values are whole numbers, as counts are; then all that come back are.

    Notes
    -----
    A value outside the range has the score of the nearest one in it, and nothing outside it ever comes back.
    """

    values: Vector
    low: Vector
    high: Vector
    center: float
    spread: float
    whole: bool = False

    @classmethod
    def of(cls, values: Vector, weights: Weights | None = None) -> Self:
        """Return the scale of a column.

        >>> scale = Scale.of(np.array([3.0, 1.0, 4.0, 1.0, 5.0]))
        >>> scale.encode(np.array([1.0, 3.0, 4.5, 9.0])).round(3).tolist()
        [-1.074, -0.015, 1.081, 1.503]
        >>> scale.decode(np.array([-9.0, -0.6, 0.0, 9.0])).tolist()
        [1.0, 1.0, 3.0, 5.0]
        """
        from scipy.special import ndtri  # not at the top: `import graphoid` stays light

        found, _, rows = levels(values, weights)
        found, rows = found[rows > 0], rows[rows > 0]
        ends, total = np.cumsum(rows), rows.sum()
        half = np.minimum(rows, 1.0) / 2  # a value of weight one or less fills one rank
        low = ndtri((ends - rows + 0.5 + half) / (total + 1))
        high = ndtri((ends + 0.5 - half) / (total + 1))
        scores = ndtri((ends - rows / 2 + 0.5) / (total + 1))
        center = float(rows @ scores / total)
        spread = math.sqrt(float(rows @ (scores - center) ** 2) / total)
        kept = _knots(scores, rows / total)
        whole = bool(np.array_equal(found, np.rint(found)))
        return cls(found[kept], low[kept], high[kept], center, spread, whole)

    @cached_property
    def scores(self) -> Vector:
        """The standardized score of each value; zero where there is one value only."""
        from scipy.special import ndtr, ndtri

        if self.spread <= 0:
            return np.zeros(len(self.values))
        scores: Vector = (ndtri((ndtr(self.low) + ndtr(self.high)) / 2) - self.center) / self.spread
        return scores

    @cached_property
    def knots(self) -> tuple[Vector, Vector]:
        """The two ends of every value: standard normal numbers, and what they go back to."""
        return np.column_stack([self.low, self.high]).ravel(), np.repeat(self.values, 2)

    def encode(self, values: Vector) -> Vector:
        """Return the scores of values."""
        return np.interp(values, self.values, self.scores)

    def decode(self, numbers: Vector) -> Vector:
        """Return the values that standard normal numbers go back to."""
        found = np.interp(numbers, *self.knots)
        return np.rint(found) if self.whole else found


def _knots(scores: Vector, shares: Vector) -> NDArray[np.intp]:
    """Return which values to keep: all where they are few."""
    if len(scores) <= KNOTS:
        return np.arange(len(scores))
    even = np.searchsorted(scores, np.linspace(scores[0], scores[-1], KNOTS))
    shared = np.flatnonzero(shares > 1 / KNOTS)
    around = np.concatenate([even, shared - 1, shared, shared + 1])  # scores jump beside a shared value
    return np.unique(around.clip(0, len(scores) - 1))
