"""What is known of a number: its mean and its quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.models.mixed.scale import Scale

    Vector = NDArray[np.float64]

LEVELS = (0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975)
"""Quantiles that are answered: the median, quartiles, and ends of 90 and 95 % intervals."""

CHUNK = 2**12
"""Normal distributions of a mixture that are looked at together."""

HALVINGS = 60
"""By which a quantile of a mixture is found: all digits."""


@dataclass(frozen=True, eq=False)
class NumberAnswer:
    """The distribution of a number on its own scale."""

    mean: float
    quantiles: dict[float, float]
    """By level; the largest value with no more than that share of the distribution below it."""
    standard_error: float = 0.0
    """Of the mean; zero where it is exact."""
    quantile_errors: dict[float, float] | None = None
    """Standard errors of the quantiles; None where they are exact."""

    def __repr__(self) -> str:
        error = f" ± {self.standard_error:.2g}" if self.standard_error else ""
        low, middle, high = (self.quantiles[level] for level in (0.05, 0.5, 0.95))
        return (
            f"<NumberAnswer: mean {self.mean:.4g}{error}, median {middle:.4g}, "
            f"90 % from {low:.4g} to {high:.4g}>"
        )


@dataclass(frozen=True, eq=False)
class NormalMixture:
    """A score's distribution: normal ones of one variance, each with its probability."""

    probabilities: Vector
    means: Vector
    deviation: float

    def cumulative(self, at: Vector) -> Vector:
        """Return the probability of what is at most each of some numbers."""
        from scipy.special import ndtr

        total = np.zeros(len(at))
        for first in range(0, len(self.means), CHUNK):
            part = slice(first, first + CHUNK)
            total += self.probabilities[part] @ ndtr((at - self.means[part, None]) / self.deviation)
        return total

    def quantiles(self, levels: Vector) -> Vector:
        """Return the numbers below which given shares lie."""
        reach = 9 * self.deviation  # no double tells what lies beyond from nothing
        low = np.full(len(levels), self.means.min() - reach)
        high = np.full(len(levels), self.means.max() + reach)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = self.cumulative(middle) < levels
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray((low + high) / 2)

    def answer(self, scale: Scale) -> NumberAnswer:
        r"""Return the distribution on the scale of the values.

        Notes
        -----
        The mean of a piecewise linear function :math:`g` of a score with distribution function :math:`G` is
        :math:`g(\infty) - \int g'(t) G(t) dt`; counts are not rounded for it.
        """
        from scipy.special import ndtr

        knots, values = scale.knots
        area = np.zeros(len(knots))
        for first in range(0, len(self.means), CHUNK):
            part = slice(first, first + CHUNK)
            z = (knots - self.means[part, None]) / self.deviation
            density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
            area += self.probabilities[part] @ (z * ndtr(z) + density) * self.deviation
        widths = np.diff(knots)
        steps = np.divide(np.diff(values), widths, out=np.zeros_like(widths), where=widths > 0)
        mean = float(values[-1] - steps @ np.diff(area))
        found = scale.decode(self.quantiles(np.array(LEVELS)))
        return NumberAnswer(mean, dict(zip(LEVELS, found.tolist(), strict=True)))


def known_number(value: float) -> NumberAnswer:
    """Return the answer for a number that was observed."""
    return NumberAnswer(value, dict.fromkeys(LEVELS, value))
