"""Pearson's statistic, and what it does by chance in tables of few rows: its exact mean and variance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAME = 1e-9
"""Variance, as a share of the squared mean, below which every table with these margins has one statistic."""

OFF = 0.1
"""How far a distribution may be from chi-square: its mean in standard deviations, its variance relatively."""


class Null(NamedTuple):
    """What statistics do by chance, given the margins of all slices."""

    mean: float
    """Of Pearson's statistic, as is the variance."""
    variance: float
    bias: float
    """By how much the mean of G exceeds its degrees of freedom."""
    dof: float
    """Of the states that occur in each slice."""

    def scale(self, statistic: float) -> tuple[float, float]:
        """Return Pearson's statistic and degrees of freedom that agree with it in mean and variance."""
        if self.variance <= SAME * self.mean**2:
            return 0.0, 0.0
        return statistic * (2 * self.mean / self.variance), 2 * self.mean**2 / self.variance


def pearson(observed: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]) -> float:
    """Return Pearson's statistic, summed over slices (first axis), given cells and margins."""
    n = rows.sum(axis=1)[:, None, None]
    product = rows[:, :, None] * columns[:, None, :]
    # (N n - r k)^2 / (n r k): the differences are whole numbers and cancel without loss
    difference = observed * n - product
    terms = np.divide(difference**2, n * product, out=np.zeros_like(product), where=product > 0)
    return float(terms.sum())


def null_moments(rows: NDArray[np.float64], columns: NDArray[np.float64]) -> Null:
    r"""Return what happens by chance, summed over slices, given the margins of each.

    Of N rows in a slice with r states of X and c of Y that occur, :math:`n_i` and :math:`m_j` times:

    .. math:: E = \frac{N}{N-1} (r-1)(c-1), \qquad
       V = \frac{2N}{N-3} (v_1 - w_1)(v_2 - w_2) + \frac{N^2}{N-1} w_1 w_2

    with :math:`v_1 = (r-1)(N-r)/(N-1)`, :math:`w_1 = (\sum_i N/n_i - r^2)/(N-2)`, and the same for Y
    ([Haldane1940]_). G exceeds its degrees of freedom by about
    :math:`(\sum_i N/n_i - 1)(\sum_j N/m_j - 1) / 6N` ([Williams1976]_).
    """
    n = rows.sum(axis=1)
    rows, columns, n = rows[n >= 2], columns[n >= 2], n[n >= 2]
    r, c = (rows > 0).sum(axis=1), (columns > 0).sum(axis=1)
    mean = n / (n - 1) * (r - 1) * (c - 1)
    inverse_x, inverse_y = _inverse(rows, n), _inverse(columns, n)
    w, u = ((i - k**2) / np.where(n >= 3, n - 2, np.inf) for i, k in ((inverse_x, r), (inverse_y, c)))
    v, t = ((k - 1) * (n - k) / (n - 1) for k in (r, c))
    more = np.where(n >= 4, n - 3, np.inf)  # with three rows v is w; weights may lie in between
    variance = 2 * n / more * (v - w) * (t - u) + n**2 / (n - 1) * w * u
    some = (r > 1) & (c > 1)
    bias = (inverse_x - 1) * (inverse_y - 1) / (6 * n)
    dof = ((r - 1) * (c - 1)).sum()
    return Null(float(mean.sum()), float(variance[some].sum()), float(bias[some].sum()), float(dof))


def _inverse(margin: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of n divided by the margin of every state that occurs."""
    each = np.divide(n[:, None], margin, out=np.zeros_like(margin), where=margin > 0)
    total: NDArray[np.float64] = each.sum(axis=1)
    return total
