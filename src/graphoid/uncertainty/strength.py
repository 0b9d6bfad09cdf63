"""How strong each edge is, on scales that a reader knows, and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.engine import CountEngine, CountRequest
from graphoid.counts.native import engine_for
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Table
from graphoid.errors import DataError
from graphoid.independence.partial_correlation import Correlated, PartialCorrelation
from graphoid.structure.explain import listing
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.uncertainty.association import log_odds
from graphoid.uncertainty.effects import (
    NORMAL_95,
    Effects,
    Meeting,
    count_sample,
    sample_of,
    signed_effect,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import State, Variable
    from graphoid.structure.compare import HasGraph
    from graphoid.structure.effect import Effect

Crossing = tuple[int, int, tuple[int, ...]]
"""Two variables, and what they are looked at given."""

MOST_CELLS = 4
"""Cells named for an edge: with more, none of them drives it."""

NOTABLE = 2.0
"""Standard deviations from which a cell is named; one in twenty is as far off by chance."""


class Measure(NamedTuple):
    """A scale of strength."""

    name: str
    unit: str
    says: str


MEASURES = {
    "weight": Measure(
        "edge weight",
        "log odds ratio for a standard deviation of each; for two continuous columns, partial correlation",
        "How much more of one goes with more of the other, all else in their blankets being equal; of two "
        "states, the second counts as more. 0 is no effect.",
    ),
    "size": Measure(
        "effect size",
        "as the edge weight",
        "The amount of the edge weight; where states have no order, the root mean square of all log odds "
        "ratios of the pair. What chance alone would add has been subtracted there.",
    ),
    "bits": Measure(
        "information",
        "bits",
        "How much knowing one of the two tells about the other among rows alike in all that is given, or "
        "beyond the rest of the blankets where such rows are too few; 0 is nothing. What chance alone would "
        "give has been subtracted.",
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
    """Two states that meet more or less often than they would if the pair had no term."""

    x_state: State
    y_state: State
    rows: float
    expected: float
    residual: float
    """In standard deviations."""


@dataclass(frozen=True, kw_only=True)
class EdgeStrength:
    """How strong one edge is. :data:`MEASURES` says what each number is and in which unit.

    All of them are None where the rows are too few for the models of both variables; the sentence says so.
    """

    x: str
    y: str
    given: tuple[str, ...]
    """The rest of the smaller of the two blankets."""
    size: float | None = None
    """Effect size, comparable over kinds of discrete columns."""
    low: float | None = None
    high: float | None = None
    """Its interval of 95 %."""
    weight: float | None = None
    """Signed edge weight; None where states of one have no order and are more than two."""
    weight_low: float | None = None
    weight_high: float | None = None
    """Its interval of 95 %."""
    bits: float | None = None
    """Information; None where one column is continuous and the other is not."""
    log_odds: float | None = None
    """Of the last states, for two variables of two states; None where it is undefined."""
    log_odds_error: float | None = None
    """Its standard error."""
    cells: tuple[Cell, ...] = ()
    """The cells that drive it, the farthest from what is expected first."""
    partial_correlation: float | None = None
    sign: int | None = None
    """1 or -1, that of the weight: more of one goes with more, or with less, of the other."""
    unit: str = "bits"
    sentence: str = ""
    meeting: Meeting | None = field(default=None, compare=False, repr=False)
    """How often all states meet, and would if the pair had no term."""


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
    sex = 'male' (95 % interval 8.23 to 14.2); ...
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
    rows = _rows(data)
    states = {
        pair: _of_states(pair, given[pair], effects, variables)
        for pair, effects in _estimators(graph, pairs, variables, rows or engine).items()
    }
    correlations = {} if rows is None else _correlations(given, rows)
    return [
        states[pair]
        if pair in states
        else _of_numbers(pair, given[pair], correlations[pair], variables)
        if pair in correlations
        else _of_neither(pair, given[pair], variables)
        for pair in pairs
    ]


def effects_of(graph: UndirectedGraph, table: object) -> dict[Edge, Effect]:
    """Return the effect of every edge in a table whose rows are at hand; of others nothing."""
    rows = _rows(table)
    if rows is None or rows.names != graph.names:
        return {}
    given = dict(zip(graph.edges, conditioning_sets(graph, graph.edges, rows.variables), strict=True))
    found = {
        pair: estimate.effect
        for pair, effects in _estimators(graph, graph.edges, rows.variables, rows).items()
        if (estimate := effects.estimate(pair)) is not None
    }
    correlations = _correlations(given, rows).items()
    return found | {pair: signed_effect(*known) for pair, known in correlations if known is not None}


def _rows(data: object) -> Table | None:
    """Return a table whose rows are in memory."""
    return data if isinstance(data, Table) and not isinstance(data, RemoteTable) else None


def _estimators(
    graph: UndirectedGraph, pairs: Sequence[Edge], variables: Sequence[Variable], data: Table | CountEngine
) -> dict[Edge, Effects]:
    """Return what estimates the effect of each pair of variables with states."""
    discrete = [pair for pair in pairs if not any(variables[v].continuous for v in pair)]
    if isinstance(data, Table):
        return dict.fromkeys(discrete, Effects(graph, variables, sample_of(data)))
    families = {pair: _family(graph, pair, variables) for pair in discrete}
    different = list(dict.fromkeys(families.values()))
    counted = data.counts([CountRequest(family) for family in different])
    of = {f: Effects(graph, variables, count_sample(c)) for f, c in zip(different, counted, strict=True)}
    return {pair: of[family] for pair, family in families.items()}


def _correlations(given: Mapping[Edge, tuple[int, ...]], table: Table) -> dict[Edge, Correlation | None]:
    """Return the partial correlation of all pairs of continuous columns."""
    numbers = [pair for pair in given if all(table.variables[v].continuous for v in pair)]
    crossings = [(*pair, given[pair]) for pair in numbers]
    return dict(zip(numbers, partial_correlations(crossings, table), strict=True)) if numbers else {}


def _family(graph: UndirectedGraph, pair: Edge, variables: Sequence[Variable]) -> tuple[int, ...]:
    """Return a pair and both of its blankets, as far as they have states."""
    together = {*pair, *graph.blanket(pair[0]), *graph.blanket(pair[1])}
    return tuple(v for v in sorted(together) if not variables[v].continuous)


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


def _of_states(
    pair: Edge, given: tuple[int, ...], effects: Effects, variables: Sequence[Variable]
) -> EdgeStrength:
    x, y = (variables[v] for v in pair)
    names = tuple(variables[z].name for z in given)
    odds = error = None
    if x.arity == y.arity == 2:
        ratio = log_odds(effects.slices(pair, given))
        if not np.isnan(ratio.value):
            odds, error = float(ratio.value), float(ratio.error)
    estimate, contribution = effects.estimate(pair), effects.contribution(pair)
    known = EdgeStrength(x=x.name, y=y.name, given=names, log_odds=odds, log_odds_error=error)
    if estimate is None or contribution is None:
        why = effects.why_not(pair)
        return replace(known, sentence=f"The strength of {x.name} and {y.name} cannot be estimated: {why}.")
    effect, cells = estimate.effect, _driving(contribution.meeting, x, y)
    sliced = effects.bits_of_slices(pair, given)
    bits = contribution.bits if sliced is None else sliced
    if odds is not None and error is not None:
        where = f"among rows alike in {_list(names)}, " if names else "in all rows together, "
        said = where + _odds_in_words(x, y, odds, error)
    else:
        said = _cells_in_words(x, y, cells)
    sentence = f"{said}; {_effect_in_words(effect)}, {bits:.3g} bits."
    return replace(
        known,
        **effect._asdict(),
        bits=bits,
        cells=cells,
        sign=None if effect.weight is None else _sign(effect.weight),
        sentence=sentence[0].upper() + sentence[1:],
        meeting=contribution.meeting,
    )


def _effect_in_words(effect: Effect) -> str:
    if effect.weight is None:
        return f"effect size {effect.size:.3g} (95 % interval {effect.low:.3g} to {effect.high:.3g})"
    ends = f"{effect.weight_low:.3g} to {effect.weight_high:.3g}"
    return f"edge weight {effect.weight:.3g} (95 % interval {ends})"


def _driving(meeting: Meeting, x: Variable, y: Variable) -> tuple[Cell, ...]:
    flat = meeting.residual.ravel()
    farthest = np.argsort(-np.abs(flat), kind="stable")[:MOST_CELLS]
    at = [divmod(int(i), y.arity) for i in farthest if abs(flat[i]) >= NOTABLE]
    return tuple(Cell(x.states[i], y.states[j], *(float(part[i, j]) for part in meeting)) for i, j in at)


def _of_neither(pair: Edge, given: tuple[int, ...], variables: Sequence[Variable]) -> EdgeStrength:
    x, y = (variables[v] for v in pair)
    mixed = x.continuous != y.continuous
    why = "one column is continuous and the other is not" if mixed else "the numbers stay at their source"
    names = tuple(variables[z].name for z in given)
    return EdgeStrength(
        x=x.name, y=y.name, given=names, sentence=f"No strength for {x.name} and {y.name}: {why}."
    )


def _of_numbers(
    pair: Edge, given: tuple[int, ...], found: Correlation | None, variables: Sequence[Variable]
) -> EdgeStrength:
    x, y = (variables[v].name for v in pair)
    names = tuple(variables[z].name for z in given)
    if found is None:
        sentence = f"No strength for {x} and {y}: a column does not vary enough."
        return EdgeStrength(x=x, y=y, given=names, sentence=sentence)
    r, low, high = found
    bits = gaussian_bits(r)
    held = f"With {_list(names)} held fixed, " if names else "With nothing held fixed, "
    way = "rises" if r > 0 else "falls"
    ends = f"(95 % interval {low:.3g} to {high:.3g})"
    return EdgeStrength(
        x=x,
        y=y,
        given=names,
        **signed_effect(r, low, high)._asdict(),
        bits=bits,
        partial_correlation=r,
        sign=_sign(r),
        sentence=f"{held}{y} {way} as {x} rises: partial correlation {r:.3g} {ends}, {bits:.3g} bits.",
    )


def gaussian_bits(r: float) -> float:
    r"""Return the mutual information of Gaussian columns, :math:`-\frac12 \log_2(1 - r^2)`.

    >>> round(gaussian_bits(0.866025403784), 6)
    1.0
    """
    return -0.5 * math.log2(max(1.0 - r * r, np.finfo(float).tiny))


class Correlation(NamedTuple):
    """A partial correlation with its interval of 95 %."""

    r: float
    low: float
    high: float


def partial_correlations(crossings: Sequence[Crossing], table: Table) -> list[Correlation | None]:
    """Return the partial correlation of each two columns given others; None where there is none."""
    n_rows = table.n_rows if table.weights is None else table.weights.total
    found: list[Correlation | None] = []
    for verdict in Correlated(PartialCorrelation(), table).ask(crossings):
        if verdict.thin or verdict.statistic is None:
            found.append(None)
            continue
        error = 1 / math.sqrt(n_rows - len(verdict.given) - 3)  # of Fisher's z, which the statistic is in
        ends = (verdict.statistic + k * NORMAL_95 for k in (0.0, -1.0, 1.0))
        found.append(Correlation(*(math.tanh(z * error) for z in ends)))
    return found


def signs_of(pairs: Sequence[Edge], variables: Sequence[Variable]) -> NDArray[np.bool_]:
    """Return for which pairs more of one may go with more of the other: both are numbers, or in order."""
    directed = [v.continuous or v.ordered or (v.arity == 2 and has_direction(v)) for v in variables]
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
        f"{x.name} = {with_state!r} as with {x.name} = {against!r} (95 % interval {low:.3g} to {high:.3g})"
    )


def _cells_in_words(x: Variable, y: Variable, cells: tuple[Cell, ...]) -> str:
    if not cells:
        return f"{x.name} and {y.name} meet about as often as if they were independent"
    cell = cells[0]
    more = "more" if cell.residual > 0 else "less"
    return (
        f"{x.name} = {cell.x_state!r} meets {y.name} = {cell.y_state!r} {more} often than if the two were "
        f"independent ({cell.rows:,.0f} rows, {cell.expected:,.0f} expected)"
    )


def _list(names: tuple[str, ...]) -> str:
    return listing(names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"])
