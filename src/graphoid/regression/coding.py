"""Numbers for states, and for values by their ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.table import Weights

    Matrix = NDArray[np.float64]


def contrasts(r: int) -> Matrix:
    """Return orthonormal contrasts of r states, one line a state: all columns have length 1 and sum 0.

    >>> contrasts(2).round(3).tolist()
    [[0.707], [-0.707]]
    """
    c = np.zeros((r, r - 1))
    for a in range(r - 1):
        c[: a + 1, a] = 1.0
        c[a + 1, a] = -(a + 1.0)
        c[:, a] /= math.sqrt((a + 1) * (a + 2))
    return c


def ordered_code(margin: Matrix) -> Matrix:
    """Return codes of ordered states, a line each, from how many rows each of them has.

    First the score of a state, its position, with mean 0 and variance one half, as the contrast of two states
    that are as frequent has it; then orthonormal contrasts that say the rest.

    >>> ordered_code(np.array([1.0, 2.0, 1.0])).round(3).tolist()
    [[-1.0, -0.408], [0.0, 0.816], [1.0, -0.408]]
    """
    positions = np.arange(len(margin))
    c = contrasts(len(margin))
    line = positions - positions.mean()
    w = -(line / np.linalg.norm(line)) @ c
    w[0] += 1.0  # the reflection along w takes the first contrast to the straight line
    if (squared := float(w @ w)) > 0:
        c -= 2 * np.outer(c @ w, w) / squared
    mean = float(margin @ positions) / margin.sum()
    variance = float(margin @ (positions - mean) ** 2) / margin.sum()
    c[:, 0] = (positions - mean) * math.sqrt(0.5 / variance) if variance > 0 else 0.0
    return c


def normal_scores(values: Matrix, weights: Weights | None = None) -> Matrix:
    r"""Return the normal scores of values by their ranks ([VanDerWaerden1952]_).

    .. math:: \Phi^{-1}\left(\frac{R_i}{N + 1}\right)

    with :math:`R_i` the rank of row i, the average one where values are the same, among N rows. A weight of k
    is as good as k rows; ranks are added up in whole numbers, so that the order of the rows changes nothing.

    >>> normal_scores(np.array([7.0, 1.0, 7.0, 100.0])).round(3).tolist()
    [0.0, -0.842, 0.0, 0.842]
    """
    _, group, rows = levels(values, weights)
    return _scores_of(rows)[group]


def standard_scores(values: Matrix, weights: Weights | None = None, *, ranks: bool = True) -> Matrix:
    """Return the scores of a column of numbers, with mean 0 and variance one half as those of states have it.

    Its :func:`normal_scores`, or, without ``ranks``, the values as they are; zeros where all are the same.
    """
    values, group, rows = levels(values, weights)
    scores = _scores_of(rows) if ranks else values
    if len(scores) < 2 or not rows.any():
        return np.zeros(len(group))
    # sums over values in their order: that of the rows has no say
    scores = scores / np.abs(scores).max()
    for _ in range(2):  # then what rounding left of the mean
        scores = scores - rows @ scores / rows.sum()
    variance = float(rows @ scores**2) / rows.sum()
    scaled = scores * (math.sqrt(0.5 / variance) if variance > 0 else 0.0)
    found: Matrix = scaled[group]
    return found


def levels(values: Matrix, weights: Weights | None = None) -> tuple[Matrix, NDArray[np.intp], Matrix]:
    """Return the values that occur in ascending order, which of them each row has, and their weights."""
    found, group, rows = np.unique(values, return_inverse=True, return_counts=True)
    if weights is None:
        return found, group, rows.astype(np.float64)
    units = np.zeros(len(found), dtype=np.int64)
    np.add.at(units, group, weights.units)
    return found, group, units * np.float64(weights.unit)


def _scores_of(rows: Matrix) -> Matrix:
    """Return the normal scores of ascending values from how many rows each of them has."""
    from scipy.special import ndtri  # not at the top: `import graphoid` stays light

    ends = np.cumsum(rows)
    scores: Matrix = ndtri((ends - rows / 2 + 0.5) / (ends[-1:] + 1))
    return scores
