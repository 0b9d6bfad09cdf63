"""Whether conclusions would come out again: centrality, its case-drop curve, differences of edges, bridges.

The strength centrality of a variable is the sum of the effect sizes of its edges; its expected influence the
sum of their weights, which have a sign, over the edges where both variables have an order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.uncertainty.intervals import ENDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.structure.graph import Edge

ENOUGH = 0.7
"""Correlation with the centrality of all rows that a resample should reach ([Epskamp2018]_)."""

SURE = 0.95
"""Share of the resamples that should reach it."""


class CentralityRow(NamedTuple):
    """How central one variable is."""

    variable: str
    measure: str
    """"strength", "expected_influence" or "bridge_strength"."""
    value: float
    low: float | None
    high: float | None
    community: int | None = None


class CurveRow(NamedTuple):
    """What is left of a centrality when only a share of the rows is kept."""

    measure: str
    share: float
    """Of the rows kept."""
    n: int
    """Resamples of that share."""
    correlation: float
    """Mean, over the resamples, of the correlation with the centrality of all rows."""
    low: float
    high: float
    reached: float
    """Share of the resamples whose correlation is at least :data:`ENOUGH`."""


class DifferenceRow(NamedTuple):
    """Whether one edge is stronger than another."""

    x: str
    y: str
    x2: str
    y2: str
    difference: float
    """In bits."""
    low: float
    high: float
    different: bool
    """Whether the interval leaves out zero."""


class SelectionRow(NamedTuple):
    """How often an edge is found when a share of the rows is kept."""

    x: str
    y: str
    share: float
    n: int
    frequency: float


def node_sums(n: int, pairs: Sequence[Edge], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over the pairs of each variable; values have a column a pair."""
    ends = np.zeros((len(pairs), n))
    for i, (x, y) in enumerate(pairs):
        ends[i, x] = ends[i, y] = 1.0
    sums: NDArray[np.float64] = values @ ends
    return sums


def correlations(replicates: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation over the variables of every line with one; zero where either is constant."""
    a = replicates - replicates.mean(axis=1, keepdims=True)
    b = whole - whole.mean()
    norm = np.sqrt((a**2).sum(axis=1) * (b**2).sum())
    out: NDArray[np.float64] = np.where(norm > 1e-300, a @ b / np.where(norm > 1e-300, norm, 1.0), 0.0)
    return out


def curve(measure: str, shares: NDArray[np.float64], correlation: NDArray[np.float64]) -> list[CurveRow]:
    """Return a row for every share, the largest first."""
    rows = []
    for share in sorted(set(shares.tolist()), reverse=True):
        here = correlation[shares == share]
        low, high = np.quantile(here, ENDS)
        reached = float(np.mean(here >= ENOUGH))
        rows.append(CurveRow(measure, share, len(here), float(here.mean()), float(low), float(high), reached))
    return rows


def cs_coefficient(rows: Sequence[CurveRow]) -> float:
    """Return the largest share of the rows that can be dropped: enough of the resamples still agree.

    The correlation-stability coefficient of [Epskamp2018]_, over the shares that were tried; 0 if none will
    do. At least .25 is asked for there, .5 wished for.
    """
    return max((round(1.0 - row.share, 12) for row in rows if row.reached >= SURE), default=0.0)
