r"""How strongly two variables go together within slices: pure functions of counts.

Counts are arrays of shape (..., slices, ``|X|``, ``|Y|``): whatever stands before the slices, such as the
replicates of a bootstrap, is worked out at once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BIT = math.log(2)


class Information(NamedTuple):
    """Conditional mutual information in bits."""

    plain: NDArray[np.float64]
    """As the observed frequencies have it."""
    bias: NDArray[np.float64]
    """What it would be in the mean if there were none; to be subtracted."""

    @property
    def corrected(self) -> NDArray[np.float64]:
        """The estimate less its bias; below zero where there is less than chance alone would give."""
        return self.plain - self.bias


def information(cells: NDArray[np.float64]) -> Information:
    r"""Return the conditional mutual information of X and Y given the slice, in bits.

    .. math:: \hat I = \frac1N \sum_{xyz} N_{xyz} \log_2 \frac{N_{xyz} N_z}{N_{xz} N_{yz}}, \qquad
       \text{bias} = \frac{\sum_z (r_z - 1)(c_z - 1)}{2 N \ln 2}

    with :math:`r_z` and :math:`c_z` the states of X and Y that occur in slice z: the first term of the bias
    of plug-in entropies ([Miller1955]_), which for slices with rows enough is all of it.
    """
    rows, columns = cells.sum(axis=-1), cells.sum(axis=-2)
    sizes = rows.sum(axis=-1)
    total = sizes.sum(axis=-1)
    nats = _x_log_x(cells).sum(axis=(-3, -2, -1)) + _x_log_x(sizes).sum(axis=-1)
    nats -= _x_log_x(rows).sum(axis=(-2, -1)) + _x_log_x(columns).sum(axis=(-2, -1))
    free = (np.maximum((rows > 0).sum(axis=-1), 1) - 1) * (np.maximum((columns > 0).sum(axis=-1), 1) - 1)
    per_bit = np.where(total > 0, total, 1.0) * BIT
    return Information(nats / per_bit, free.sum(axis=-1) / (2 * per_bit))


def _x_log_x(x: NDArray[np.float64]) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = x * np.log(np.where(x > 0, x, 1.0))
    return logs


class LogOdds(NamedTuple):
    """A logarithm of an odds ratio; not a number where it is undefined."""

    value: NDArray[np.float64]
    error: NDArray[np.float64]
    """Standard error."""


def log_odds(cells: NDArray[np.float64]) -> LogOdds:
    r"""Return the log odds ratio of two variables of two states, pooled over slices.

    .. math:: \log \frac{R}{S}, \quad R = \sum_z \frac{N_{00z} N_{11z}}{N_z}, \quad
       S = \sum_z \frac{N_{01z} N_{10z}}{N_z}

    the estimate of [Mantel1959]_, which needs no slice to have many rows; its standard error is that of
    [Robins1986]_. Undefined where R or S is zero: one never goes with the other, or always.
    """
    a, b, c, d = cells[..., 0, 0], cells[..., 0, 1], cells[..., 1, 0], cells[..., 1, 1]
    sizes = np.where(a + b + c + d > 0, a + b + c + d, 1.0)
    same, other = a * d / sizes, b * c / sizes
    agree, differ = (a + d) / sizes, (b + c) / sizes
    r, s = same.sum(axis=-1), other.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.log(r) - np.log(s)
        variance = (
            (agree * same).sum(axis=-1) / (2 * r * r)
            + (agree * other + differ * same).sum(axis=-1) / (2 * r * s)
            + (differ * other).sum(axis=-1) / (2 * s * s)
        )
    undefined = (r <= 0) | (s <= 0)
    return LogOdds(np.where(undefined, np.nan, value), np.sqrt(np.where(undefined, np.nan, variance)))


class Residuals(NamedTuple):
    """What every cell (x, y) has, summed over the slices, beside what independence expects."""

    observed: NDArray[np.float64]
    expected: NDArray[np.float64]
    standardized: NDArray[np.float64]
    """The difference in standard deviations: about normal where X and Y are independent in every slice."""


def residuals(cells: NDArray[np.float64]) -> Residuals:
    r"""Return the standardized residual of every cell, pooled over slices.

    .. math:: \frac{\sum_z (N_{xyz} - E_{xyz})}{\sqrt{\sum_z V_{xyz}}}, \quad
       E_{xyz} = \frac{N_{xz} N_{yz}}{N_z}, \quad
       V_{xyz} = \frac{N_{xz} (N_z - N_{xz}) N_{yz} (N_z - N_{yz})}{N_z^2 (N_z - 1)}

    the adjusted residual of [Agresti2013]_, section 3.3.1, with the variance of the hypergeometric
    distribution.
    """
    rows, columns = cells.sum(axis=-1, keepdims=True), cells.sum(axis=-2, keepdims=True)
    sizes = rows.sum(axis=-2, keepdims=True)
    some = np.where(sizes > 0, sizes, 1.0)
    expected = rows * columns / some
    more_than_one = np.where(sizes > 1, sizes - 1, 1.0)  # a slice of one row has no variance either way
    variance = rows * (sizes - rows) * columns * (sizes - columns) / (some**2 * more_than_one)
    observed, mean = cells.sum(axis=-3), expected.sum(axis=-3)
    spread = np.sqrt(variance.sum(axis=-3))
    standardized = np.where(spread > 0, (observed - mean) / np.where(spread > 0, spread, 1.0), 0.0)
    return Residuals(observed, mean, standardized)
