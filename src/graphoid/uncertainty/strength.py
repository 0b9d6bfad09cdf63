"""How strong each edge is, on scales that a reader knows, and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.engine import CountEngine, CountRequest
from graphoid.counts.native import engine_for
from graphoid.data.table import Table
from graphoid.errors import DataError
from graphoid.independence.base import slices_of
from graphoid.independence.partial_correlation import Correlated, PartialCorrelation
from graphoid.structure.explain import listing
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.uncertainty.association import information, log_odds, residuals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import State, Variable
    from graphoid.structure.compare import HasGraph

Crossing = tuple[int, int, tuple[int, ...]]
"""Two variables, and what they are looked at given."""

MOST_CELLS = 4
"""Cells named for an edge: with more, none of them drives it."""

NOTABLE = 2.0
"""Standard deviations from which a cell is named; one in twenty is as far off by chance."""

NORMAL_95 = 1.959964
"""Standard errors either side of an estimate that make an interval of 95 %."""


class Measure(NamedTuple):
    """A scale of strength."""

    name: str
    unit: str
    says: str


MEASURES = {
    "bits": Measure(
        "conditional mutual information",
        "bits",
        "How much knowing one of the two tells about the other among rows alike in all that is given; 0 is "
        "nothing. What chance alone would give has been subtracted.",
    ),
    "log_odds": Measure(
        "conditional log odds ratio",
        "natural logarithm",
        "By how much the log odds of the last state of one variable are higher with the last state of the "
        "other than with its first, among rows alike in all that is given; 0 is no difference.",
    ),
    "partial_correlation": Measure(
        "partial correlation",
        "-1 to 1",
        "The correlation that is left when what the given columns explain is taken out of both.",
    ),
    "residual": Measure(
        "standardized residual",
        "standard deviations",
        "How much more often two states meet than they would if the variables were independent given the "
        "rest; beyond 2 either way is notable.",
    ),
}
"""Every number that an edge may have: its name, its unit, and what it says."""


class Cell(NamedTuple):
    """Two states that meet more or less often than independence expects, all slices together."""

    x_state: State
    y_state: State
    rows: float
    expected: float
    residual: float
    """In standard deviations; see :func:`graphoid.uncertainty.association.residuals`."""


@dataclass(frozen=True, kw_only=True)
class EdgeStrength:
    """How strong one edge is. :data:`MEASURES` says what each number is and in which unit."""

    x: str
    y: str
    given: tuple[str, ...]
    """The rest of the smaller of the two blankets."""
    bits: float | None
    """None where one column is continuous and the other is not."""
    log_odds: float | None = None
    """Of the last states, for two variables of two states; None where it is undefined."""
    log_odds_error: float | None = None
    """Its standard error."""
    cells: tuple[Cell, ...] = ()
    """The cells that drive it, the farthest from what is expected first."""
    partial_correlation: float | None = None
    sign: int | None = None
    """1 or -1 where more of one goes with more, or with less, of the other; None where the states have no
    order, so that there is no more or less."""
    unit: str = "bits"
    sentence: str = ""


def strengths(graph: UndirectedGraph | HasGraph, table: Table | CountEngine) -> list[EdgeStrength]:
    """Return how strong each edge of a graph is in a table, in the order of the edges.

    Parameters
    ----------
    graph
        A graph, or anything with one, such as a learned structure.
    table
        A table, or any engine that counts. All edges are asked for in one batch.

    Examples
    --------
    >>> import graphoid as gd
    >>> table = gd.datasets.load("titanic")
    >>> edges = [("class", "sex"), ("class", "survived"), ("sex", "survived")]
    >>> print(strengths(gd.UndirectedGraph(table.names, edges), table)[2].sentence)
    Among rows alike in class, the odds of survived = 'yes' are 10.8 times as high with sex = 'female' as with
    sex = 'male' (95 % interval 8.23 to 14.2); knowing one tells 0.138 bits about the other.
    """
    graph = graph if isinstance(graph, UndirectedGraph) else graph.graph
    return strengths_of(graph, graph.edges, table)


def strengths_of(
    graph: UndirectedGraph, pairs: Sequence[Edge], data: Table | CountEngine
) -> list[EdgeStrength]:
    """Return how strongly each of some pairs is joined, whether or not the graph has an edge there."""
    engine = engine_for(data) if isinstance(data, Table) else data
    variables = engine.variables
    if tuple(v.name for v in variables) != graph.names:
        raise DataError(
            f"the graph joins {graph.n:,} variables that are not the {len(variables):,} columns of the "
            f"table; give the table that it was learned from."
        )
    given = dict(zip(pairs, conditioning_sets(graph, pairs, variables), strict=True))
    discrete = [p for p in pairs if not any(variables[v].continuous for v in (*p, *given[p]))]
    counted = engine.counts([CountRequest((*given[p], *p)) for p in discrete])
    slices = {p: slices_of(counts) for p, counts in zip(discrete, counted, strict=True)}
    numbers = [p for p in pairs if variables[p[0]].continuous and variables[p[1]].continuous]
    correlations = {}
    if numbers and isinstance(data, Table):
        found = partial_correlations([(*p, given[p]) for p in numbers], data)
        correlations = dict(zip(numbers, found, strict=True))
    return [
        _of_counts(p, given[p], slices[p], variables)
        if p in slices
        else _of_numbers(p, given[p], correlations.get(p), variables)
        for p in pairs
    ]


def conditioning_sets(
    graph: UndirectedGraph, pairs: Sequence[Edge], variables: Sequence[Variable]
) -> list[tuple[int, ...]]:
    """Return what each pair is looked at given: the rest of the smaller of the two blankets, by position.

    Given either, all other variables tell nothing more if the graph is right; the smaller leaves more rows to
    a slice. Ties go to fewer slices, then to the first of the pair. Two continuous columns are looked at
    given the continuous ones, and two that are not given those that are not.
    """
    numbers = [v.continuous for v in variables]
    arities = [v.arity for v in variables]
    blankets = [graph.blanket(v) for v in range(graph.n)]

    def rest(x: int, y: int) -> tuple[int, ...]:
        continuous = numbers[x] and numbers[y]
        return tuple(z for z in blankets[x] if z != y and numbers[z] == continuous)

    def slices(given: tuple[int, ...]) -> int:
        return math.prod([arities[z] for z in given])

    def smaller(x: int, y: int) -> tuple[int, ...]:
        a, b = rest(x, y), rest(y, x)
        return a if (len(a), slices(a)) <= (len(b), slices(b)) else b

    return [smaller(x, y) for x, y in pairs]


def crossings_of(graph: UndirectedGraph, variables: Sequence[Variable]) -> list[Crossing]:
    """Return all pairs x < y by position, each with what it is looked at given."""
    pairs = list(combinations(range(graph.n), 2))
    return [(x, y, z) for (x, y), z in zip(pairs, conditioning_sets(graph, pairs, variables), strict=True)]


def _of_counts(
    pair: Edge, given: tuple[int, ...], slices: NDArray[np.float64], variables: Sequence[Variable]
) -> EdgeStrength:
    x, y = (variables[v] for v in pair)
    names = tuple(variables[z].name for z in given)
    bits = max(0.0, float(information(slices).corrected))
    odds = error = sign = None
    if x.arity == y.arity == 2:
        ratio = log_odds(slices)
        if not np.isnan(ratio.value):
            odds, error = float(ratio.value), float(ratio.error)
            sign = _sign(odds) if has_direction(x) and has_direction(y) else None
    cells = _driving(slices, x, y)
    if odds is not None and error is not None:
        said = _odds_in_words(x, y, odds, error)
    else:
        said = _cells_in_words(x, y, cells)
    where = f"among rows alike in {_list(names)}, " if names else "in all rows together, "
    sentence = f"{where}{said}knowing one tells {bits:.3g} bits about the other."
    return EdgeStrength(
        x=x.name,
        y=y.name,
        given=names,
        bits=bits,
        log_odds=odds,
        log_odds_error=error,
        cells=cells,
        sign=sign,
        sentence=sentence[0].upper() + sentence[1:],
    )


def _driving(slices: NDArray[np.float64], x: Variable, y: Variable) -> tuple[Cell, ...]:
    pooled = residuals(slices)
    flat = pooled.standardized.ravel()
    farthest = np.argsort(-np.abs(flat), kind="stable")[:MOST_CELLS]
    at = [divmod(int(i), y.arity) for i in farthest if abs(flat[i]) >= NOTABLE]
    return tuple(
        Cell(
            x.states[i],
            y.states[j],
            float(pooled.observed[i, j]),
            float(pooled.expected[i, j]),
            float(pooled.standardized[i, j]),
        )
        for i, j in at
    )


def _of_numbers(
    pair: Edge, given: tuple[int, ...], r: float | None, variables: Sequence[Variable]
) -> EdgeStrength:
    x, y = (variables[v].name for v in pair)
    names = tuple(variables[z].name for z in given)
    if r is None:
        mixed = variables[pair[0]].continuous != variables[pair[1]].continuous
        why = "one column is continuous and the other is not" if mixed else "a column does not vary enough"
        sentence = f"No strength for {x} and {y}: {why}."
        return EdgeStrength(x=x, y=y, given=names, bits=None, sentence=sentence)
    bits = gaussian_bits(r)
    held = f"With {_list(names)} held fixed, " if names else "With nothing held fixed, "
    way = "rises" if r > 0 else "falls"
    return EdgeStrength(
        x=x,
        y=y,
        given=names,
        bits=bits,
        partial_correlation=r,
        sign=_sign(r),
        sentence=f"{held}{y} {way} as {x} rises: partial correlation {r:.3g}, {bits:.3g} bits.",
    )


def gaussian_bits(r: float) -> float:
    r"""Return the mutual information of Gaussian columns, :math:`-\frac12 \log_2(1 - r^2)`.

    >>> round(gaussian_bits(0.866025403784), 6)
    1.0
    """
    return -0.5 * math.log2(max(1.0 - r * r, np.finfo(float).tiny))


def partial_correlations(crossings: Sequence[Crossing], table: Table) -> list[float | None]:
    """Return the partial correlation of each two columns given others; None where there is none."""
    n_rows = table.n_rows if table.weights is None else table.weights.total
    return [
        # the statistic is Fisher's z in standard errors
        None
        if verdict.thin or verdict.statistic is None
        else math.tanh(verdict.statistic / math.sqrt(n_rows - len(verdict.given) - 3))
        for verdict in Correlated(PartialCorrelation(), table).ask(crossings)
    ]


def signs_of(pairs: Sequence[Edge], variables: Sequence[Variable]) -> NDArray[np.bool_]:
    """Return for which pairs a sign is defined: both are numbers, or have two states in order."""
    directed = [v.continuous or (v.arity == 2 and has_direction(v)) for v in variables]
    return np.array([directed[x] and directed[y] for x, y in pairs], dtype=bool)


def has_direction(v: Variable) -> bool:
    """Return whether the second state is more of something than the first."""
    return v.ordered or all(isinstance(state, (bool, int, float)) for state in v.states)


def _sign(number: float) -> int | None:
    return None if number == 0 else 1 if number > 0 else -1


def _odds_in_words(x: Variable, y: Variable, odds: float, error: float) -> str:
    """Return the odds ratio the way round in which it is above one."""
    with_state, against = (x.states[1], x.states[0]) if odds >= 0 else (x.states[0], x.states[1])
    low, middle, high = (math.exp(abs(odds) + k * error) for k in (-NORMAL_95, 0.0, NORMAL_95))
    return (
        f"the odds of {y.name} = {y.states[1]!r} are {middle:.3g} times as high with "
        f"{x.name} = {with_state!r} as with {x.name} = {against!r} (95 % interval {low:.3g} to {high:.3g}); "
    )


def _cells_in_words(x: Variable, y: Variable, cells: tuple[Cell, ...]) -> str:
    if not cells:
        return f"{x.name} and {y.name} meet about as often as if they were independent; "
    cell = cells[0]
    more = "more" if cell.residual > 0 else "less"
    return (
        f"{x.name} = {cell.x_state!r} meets {y.name} = {cell.y_state!r} {more} often than if the two were "
        f"independent ({cell.rows:,.0f} rows, {cell.expected:,.0f} expected); "
    )


def _list(names: tuple[str, ...]) -> str:
    return listing(names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"])
