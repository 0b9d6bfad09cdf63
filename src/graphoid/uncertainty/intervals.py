r"""Intervals of strength from resamples, and what may be concluded from them.

Which interval covers was tried out on simulated networks (``benchmarks/certainty.py``). The log odds ratio
takes plain percentiles. Mutual information does not: its sampling distribution is skewed, and a resample adds
to the bias of the sample its own. So each resample is freed of both biases, the root is taken, on which the
spread hardly depends on the value, and the interval is the reflected one on that scale:

.. math:: \Bigl[ (2 \sqrt{\hat I} - q_{.975})_+^2,\; (2 \sqrt{\hat I} - q_{.025})_+^2 \Bigr], \qquad
   q \text{ quantiles of } \sqrt{(I^* - \text{bias}^* - \text{bias})_+}

with :math:`\hat I` the corrected estimate and :math:`I^*` the plain one of a resample. Near zero, where the
root has nothing to be reflected at, the upper end is at least :math:`q_{.975}^2`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.uncertainty.association import BIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.uncertainty.replicates import Measured

ENDS = ((1 - 0.95) / 2, (1 + 0.95) / 2)
"""Quantiles at the ends of every interval, which is one of 95 %."""

NEGLIGIBLE_LOG_ODDS = 0.5
"""An odds ratio within a factor of 1.65 either way is called negligible."""

NEGLIGIBLE_CORRELATION = 0.1
"""A partial correlation that explains one percent of a variance."""

NEGLIGIBLE_BITS = 0.01
"""About what a log odds ratio of .5 comes to between two variables that are even."""

OFTEN = 0.5
"""Share of the resamples in which an edge has to be found to be called present, and may not to be absent."""

DISCOVERY = 0.05
"""Rate of false discoveries among the edges called present."""

RULE = (
    f"present: found in at least {OFTEN:.0%} of the resamples, and different from zero with the rate of "
    f"false discoveries over all pairs controlled at {DISCOVERY:.0%}; absent: found in fewer, not different "
    f"from zero at {DISCOVERY:.0%}, and the whole 95 % interval of strength is negligible (log odds ratio "
    f"within ±{NEGLIGIBLE_LOG_ODDS}, partial correlation within ±{NEGLIGIBLE_CORRELATION}, else below "
    f"{NEGLIGIBLE_BITS} bits); undecided: neither."
)
"""How verdicts come about."""


class Interval(NamedTuple):
    """Lower and upper ends, one for each pair; not a number where there is none."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def subtract_bias(estimate: Measured, replicates: Measured) -> NDArray[np.float64]:
    """Return the bits of every resample, freed of its own bias and of that of the sample."""
    bits: NDArray[np.float64] = replicates.bits - replicates.bias - estimate.bias
    return bits


def bits_interval(estimate: Measured, replicates: Measured) -> Interval:
    """Return the interval of the mutual information of every pair."""
    middle = np.sqrt(np.maximum(estimate.bits - estimate.bias, 0.0))[0]
    low, high = percentile_interval(np.sqrt(np.maximum(subtract_bias(estimate, replicates), 0.0)))
    return Interval(np.maximum(2 * middle - high, 0.0) ** 2, np.maximum(2 * middle - low, high) ** 2)


def percentile_interval(values: NDArray[np.float64]) -> Interval:
    """Return the interval of every column, from its values that are numbers; half of them have to be."""
    out = np.full((2, values.shape[1]), np.nan)
    enough = np.isfinite(values).sum(axis=0) * 2 > len(values)
    if enough.any():
        out[:, enough] = np.nanquantile(values[:, enough], ENDS, axis=0)
    return Interval(*out)


def p_values(estimate: Measured, replicates: Measured, n_rows: float) -> NDArray[np.float64]:
    r"""Return for every pair how probable such a strength, or more, would be by chance.

    By :math:`G^2 = 2 N \ln 2 \hat I` with as many degrees of freedom as the bias has. Where there is a log
    odds ratio or a partial correlation, also by that over its standard deviation among the resamples, and
    twice the smaller of both counts: the one sees weak associations, the other those that change from
    slice to slice.
    """
    from scipy.special import chdtrc, ndtr

    free = np.rint(2 * n_rows * BIT * estimate.bias[0])
    g = np.maximum(2 * n_rows * BIT * estimate.bits[0], 0.0)
    out: NDArray[np.float64] = np.where(free > 0, chdtrc(np.maximum(free, 1), np.nan_to_num(g)), 1.0)
    values = replicates.signed
    numbers = np.isfinite(values).sum(axis=0)
    usable = (numbers * 2 > len(values)) & (numbers > 1) & np.isfinite(estimate.signed[0])
    if usable.any():
        spread = np.nanstd(values[:, usable], axis=0, ddof=1)
        z = np.abs(estimate.signed[0][usable]) / np.where(spread > 0, spread, np.inf)
        smaller = np.where(free[usable] > 0, np.minimum(out[usable], 2 * ndtr(-z)), ndtr(-z))
        out[usable] = np.minimum(1.0, 2 * smaller)
    out[~np.isfinite(estimate.bits[0])] = 1.0
    return out


def discoveries(p: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which hypotheses are rejected at the rate :data:`DISCOVERY` ([Benjamini1995]_)."""
    order = np.argsort(p, kind="stable")
    passed = np.flatnonzero(p[order] <= DISCOVERY * np.arange(1, len(p) + 1) / max(1, len(p)))
    out = np.zeros(len(p), dtype=bool)
    if passed.size:
        out[order[: passed[-1] + 1]] = True
    return out


def largest_bits(estimate: Measured, n_rows: float) -> NDArray[np.float64]:
    """Return an upper limit of the bits of every pair without resamples, from how G² is distributed."""
    from scipy.special import chndtrinc

    free = np.maximum(np.rint(2 * n_rows * BIT * estimate.bias[0]), 1.0)
    g = np.maximum(2 * n_rows * BIT * np.nan_to_num(estimate.bits[0]), 0.0)
    limit: NDArray[np.float64] = np.nan_to_num(chndtrinc(g, free, ENDS[0])) / (2 * n_rows * BIT)
    return limit


def negligible(
    signed: Interval, bits: Interval, limit: NDArray[np.float64], continuous: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return for which pairs all that the interval allows is negligible."""
    bound = np.where(continuous, NEGLIGIBLE_CORRELATION, NEGLIGIBLE_LOG_ODDS)
    largest = np.maximum(np.abs(signed.low), np.abs(signed.high))
    largest_of_bits = np.where(np.isfinite(bits.high), bits.high, limit)
    small: NDArray[np.bool_] = np.where(
        np.isfinite(largest), largest < bound, largest_of_bits < NEGLIGIBLE_BITS
    )
    return small
