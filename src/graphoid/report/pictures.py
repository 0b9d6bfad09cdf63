"""Pictures of an edge with a number: a scatter of two, or boxes of one by the states of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.remote.table import RemoteTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.structure.graph import Edge

    Vector = NDArray[np.float64]

MOST_POINTS = 200
"""Rows that a scatter shows: no page holds more of the data than that, for an edge."""

ALL_POINTS = 100_000
"""Rows that all scatters of a page show together; where there are many edges, each has fewer."""

LEAST_POINTS = 25
"""That a scatter has at least."""

MOST_BOXES = 24
"""States that have a box; a page has no place for more."""

LEAST_ROWS = 5
"""Of a state, for it to have a box: quantiles of fewer would be the rows themselves."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Ends of the whiskers, of the box, and the line in it."""

DIGITS = 4
"""Of a number on a page: more are not seen."""


class Scatter(NamedTuple):
    """Some rows of two numbers, and the line of least squares through all of them."""

    x: list[float]
    y: list[float]
    line: list[list[float]] | None
    """Its two ends; None where a column is constant."""
    rows: int
    """Of which these are some."""


class Boxes(NamedTuple):
    """Quantiles of a number by the states of the other variable."""

    number: int
    """Position of the variable that is a number."""
    states: list[str]
    boxes: list[list[float] | None]
    """For each state; None where it has too few rows."""
    rows: list[int]
    more: int
    """States that are not shown."""


def pictures_of(table: Table | None, edges: tuple[Edge, ...]) -> Mapping[Edge, Scatter | Boxes]:
    """Return the pictures of edges with a number; none where rows are elsewhere."""
    if table is None or isinstance(table, RemoteTable) or not table.n_rows:
        return {}
    points = int(np.clip(ALL_POINTS // max(1, len(edges)), LEAST_POINTS, MOST_POINTS))
    found: dict[Edge, Scatter | Boxes] = {}
    for x, y in edges:
        numbers = [v for v in (x, y) if table.variables[v].continuous]
        if len(numbers) == 2:
            found[x, y] = scatter(table.values[x], table.values[y], points)
        elif numbers:
            found[x, y] = boxes(table, numbers[0], x + y - numbers[0])
    return found


def scatter(x: Vector, y: Vector, points: int = MOST_POINTS) -> Scatter:
    """Return at most so many rows, evenly spaced by their values, so that the order of rows has no say.

    >>> scatter(np.array([3.0, 1.0, 2.0]), np.array([6.0, 2.0, 4.0]))
    Scatter(x=[1.0, 2.0, 3.0], y=[2.0, 4.0, 6.0], line=[[1.0, 2.0], [3.0, 6.0]], rows=3)
    """
    there = ~(np.isnan(x) | np.isnan(y))
    order = np.lexsort((y[there], x[there]))
    x, y = x[there][order], y[there][order]
    shown = np.unique(np.linspace(0, len(x) - 1, min(points, len(x))).round().astype(np.intp))
    line = None
    if len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0:
        middle, spread = x.mean(), x.std()
        slope = float(((x - middle) / spread) @ (y - y.mean())) / len(x) / spread
        line = [[_round(end), _round(y.mean() + slope * (end - middle))] for end in (x[0], x[-1])]
    return Scatter([_round(v) for v in x[shown]], [_round(v) for v in y[shown]], line, len(x))


def boxes(table: Table, number: int, other: int) -> Boxes:
    """Return the quantiles of a number by the states of another variable, in rows where both are known."""
    complete, variable = table.take([number, other]).complete_rows(), table.variables[other]
    values, codes = complete.values[0], complete.column(1)
    found: list[list[float] | None] = []
    rows = []
    for state in range(min(variable.arity, MOST_BOXES)):
        mine = values[(codes == state) & ~np.isnan(values)]
        rows.append(len(mine))
        enough = len(mine) >= LEAST_ROWS
        found.append([_round(q) for q in np.quantile(mine, QUANTILES)] if enough else None)
    states = [str(state) for state in variable.states[:MOST_BOXES]]
    return Boxes(number, states, found, rows, max(0, variable.arity - MOST_BOXES))


def _round(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
