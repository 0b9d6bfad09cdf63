"""What rows can show of a pair: absence is said only where an edge that matters would have shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import chdtri, chndtrix

from graphoid.regression.coding import contrasts
from graphoid.structure.effect import MATTERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.variables import Variable

    Vector = NDArray[np.float64]

MISSED = 0.05
"""How often an edge of a size that matters may be called absent."""


class Column(NamedTuple):
    """What a variable brings to a pair, by how its states are spread."""

    variances: Vector
    """Of the columns that the score codes it by: contrasts of its states, or scores of spread one half."""
    evenness: float
    """How much less than even states its own tell of an effect of the same size."""
    left: float = 1.0
    """The share of its variance that its blanket leaves."""


def column_of(variable: Variable, counts: Vector | None) -> Column:
    """Return what a variable brings, from how many rows are in each of its states."""
    if counts is None or counts.sum() <= 0:
        return Column(np.array([0.5]), 1.0)
    p, r = counts / counts.sum(), len(counts)
    if variable.ordered and r > 2:
        steps = np.arange(r) - (r - 1) / 2
        return Column(np.array([0.5]), float(p @ steps**2 - (p @ steps) ** 2) / float((steps**2).mean()))
    code = contrasts(r)
    variances = np.linalg.eigvalsh(code.T @ (np.diag(p) - np.outer(p, p)) @ code)
    return Column(np.maximum(variances, 0.0), r * float(1 - p @ p) / max(1, r - 1))


def hidden_edges(statistic: Vector, dof: Vector, information: Vector) -> NDArray[np.bool_]:
    """Say of pairs whether an edge of a size that matters could look as they do.

    Its statistic may well be as small as what was seen (:data:`MISSED`), or would hardly ever be told from
    none. ``information`` is what an edge of size one would add to the statistic.
    """
    shift = information * MATTERS**2
    least = chndtrix(MISSED, np.maximum(dof, 1.0), shift)
    hidden: NDArray[np.bool_] = (shift <= chdtri(1, MISSED)) | (statistic > least)
    return hidden
