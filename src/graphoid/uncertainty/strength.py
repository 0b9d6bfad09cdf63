"""How strong each edge is, on scales that a reader knows, and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.engine import CountEngine, CountRequest
from graphoid.counts.native import engine_for
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Table
from graphoid.errors import DataError
from graphoid.models.quasi_newton import one_thread
from graphoid.structure.compare import graph_in
from graphoid.structure.contexts import CanonicalContext
from graphoid.structure.effect import Effect
from graphoid.structure.explain import listing
from graphoid.structure.learned import LearnedStructure
from graphoid.structure.safe_text import printable
from graphoid.uncertainty.context_rows import ContextRows
from graphoid.uncertainty.effects import (
    NORMAL_95,
    Effects,
    Meeting,
    count_sample,
    sample_of,
    smaller_blanket,
)
from graphoid.uncertainty.moment_effects import MomentEffects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import State, Variable
    from graphoid.structure.compare import HasGraph
    from graphoid.structure.graph import Edge, UndirectedGraph

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
        "log odds ratio for a standard deviation of each; for two columns of numbers, partial correlation",
        "How the two variables change together when the rest of their Markov blankets is held constant; of "
        "two states, the second counts as the higher one. 0 is no effect.",
    ),
    "size": Measure(
        "effect size",
        "on the scale of the edge weight",
        "The absolute value of the edge weight; where states have no order, the root mean square of all log "
        "odds ratios of the pair, corrected for what chance alone would add.",
    ),
    "bits": Measure(
        "information",
        "bits",
        "Conditional mutual information: what one of the two tells about the other among rows that agree in "
        "all conditioning variables, or beyond the rest of the blankets where such rows are too few; "
        "corrected for what chance alone would give.",
    ),
    "log_odds": Measure(
        "conditional log odds ratio",
        "natural logarithm",
        "How much higher the log odds of the last state of one variable are with the last state of the other "
        "than with its first, among rows that agree in all conditioning variables; 0 is no difference.",
    ),
    "partial_correlation": Measure(
        "partial correlation",
        "-1 to 1",
        "The correlation of what the conditioning variables leave unexplained of both; computed from normal "
        "scores, so that neither units nor skewness matter.",
    ),
    "residual": Measure(
        "standardized residual",
        "standard deviations",
        "How much more often two states occur together than they would if the variables were independent "
        "given the rest; values beyond ±2 are notable.",
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
    """Effect size, comparable over kinds of columns."""
    low: float | None = None
    high: float | None = None
    """Its interval of 95 %."""
    weight: float | None = None
    """Signed edge weight; None where states of one have no order and are more than two."""
    weight_low: float | None = None
    weight_high: float | None = None
    """Its interval of 95 %."""
    bits: float | None = None
    """Information."""
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

    @property
    def effect(self) -> Effect | None:
        """Size and weight with their intervals; None where there are none."""
        if self.size is None or self.low is None or self.high is None:
            return None
        return Effect(self.size, self.low, self.high, self.weight, self.weight_low, self.weight_high)


def strengths(
    graph: UndirectedGraph | HasGraph | CanonicalContext, table: Table | CountEngine
) -> list[EdgeStrength]:
    """Return how strong each edge of a graph is in a table, in the order of the edges.

    Parameters
    ----------
    graph
        A graph, or anything with one, such as a learned structure. Of one that was learned from completed
        tables (``missing="impute"``) effects are those that were pooled over them. Edges of a context, one
        of ``model.contexts`` of a canonical model, are measured in the rows that agree with one of its
        assignments in all variables but the two, given their blankets in its graph.
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
    if isinstance(graph, CanonicalContext):
        return strengths_in(graph, context_rows(table))
    same = isinstance(graph, LearnedStructure) and isinstance(table, Table) and table.data_id == graph.data_id
    pooled = graph.pooled if isinstance(graph, LearnedStructure) and same else None
    graph = graph_in(graph)
    return strengths_of(graph, graph.edges, table, pooled)


def strengths_of(
    graph: UndirectedGraph,
    pairs: Sequence[Edge],
    data: Table | CountEngine,
    pooled: Mapping[Edge, Effect] | None = None,
) -> list[EdgeStrength]:
    """Return how strongly each of some pairs is joined, whether or not the graph has an edge there.

    Effects are those ``pooled`` over completed tables, where there are some.
    """
    engine = engine_for(data) if isinstance(data, Table) else data
    variables = engine.variables
    _refuse_others(graph, variables)
    if (sums := _sums(graph, data)) is not None:
        return [_by_sums(pair, smaller_blanket(graph, pair, variables), sums, variables) for pair in pairs]
    estimators = _estimators(graph, pairs, variables, _rows(data) or engine)
    return [
        _strength(pair, smaller_blanket(graph, pair, variables), estimators.get(pair), variables, pooled)
        for pair in pairs
    ]


def context_rows(data: Table | CountEngine) -> ContextRows:
    """Return the rows of which contexts are made: numbers are in bins there."""
    return ContextRows(engine_for(data.discretized) if isinstance(data, Table) else data)


def strengths_in(context: CanonicalContext, rows: ContextRows) -> list[EdgeStrength]:
    """Return how strong each edge of a context is there, in the order of the edges."""
    graph, variables = context.graph, rows.variables
    _refuse_others(graph, variables)
    estimators = rows.effects(context)
    found = []
    for pair in graph.edges:
        given = smaller_blanket(graph, pair, variables)
        if pair in estimators:
            found.append(_strength(pair, given, estimators[pair], variables))
        else:
            x, y = (variables[v].name for v in pair)
            known = _Known(x, y, tuple(variables[z].name for z in given))
            found.append(known.nothing("no two rows of the context agree in all others"))
    return found


def _refuse_others(graph: UndirectedGraph, variables: Sequence[Variable]) -> None:
    if tuple(v.name for v in variables) != graph.names:
        raise DataError(
            f"the graph joins {graph.n:,} variables that are not the {len(variables):,} columns of the "
            f"table; give the table that it was learned from."
        )


def effects_of(graph: UndirectedGraph, table: object) -> dict[Edge, Effect]:
    """Return the effect of every edge in a table whose rows, or whose sums, are at hand; else nothing."""
    if isinstance(table, Table) and table.names == graph.names and (sums := _sums(graph, table)) is not None:
        return {pair: known[0] for pair in graph.edges if (known := sums.estimate(pair)) is not None}
    rows = _rows(table)
    if rows is None or rows.names != graph.names:
        return {}
    with one_thread():
        return {
            pair: estimate.effect
            for pair, effects in _estimators(graph, graph.edges, rows.variables, rows).items()
            if (estimate := effects.estimate(pair)) is not None
        }


def _rows(data: object) -> Table | None:
    """Return a table whose rows are in memory."""
    return data if isinstance(data, Table) and not isinstance(data, RemoteTable) else None


def _sums(graph: UndirectedGraph, data: object) -> MomentEffects | None:
    """Return what estimates effects where numbers stay at their source."""
    if isinstance(data, RemoteTable) and any(v.continuous for v in data.variables):
        return MomentEffects(graph, data)
    return None


def _by_sums(
    pair: Edge, given: tuple[int, ...], sums: MomentEffects, variables: Sequence[Variable]
) -> EdgeStrength:
    """Return how strong a pair is by second moments."""
    x, y = (variables[v] for v in pair)
    known = _Known(x.name, y.name, tuple(variables[z].name for z in given))
    if (found := sums.estimate(pair)) is None:
        return known.nothing("others of the blankets say the same as one of the two")
    effect, bits = found
    if x.continuous and y.continuous:
        return _of_numbers(known, effect)
    said = f"{y.name} differs by {x.name}"
    if effect.weight is not None:
        more, other = (
            v.name if v.continuous or v.arity > 2 else f"{v.name} = {v.states[1]!r}" for v in (x, y)
        )
        said = f"more of {other} goes with {'more' if effect.weight > 0 else 'less'} of {more}"
    return known.strength(
        effect, f"{known.fixed}{said}; {_effect_in_words(effect)}, {bits:.3g} bits.", bits=bits
    )


def _estimators(
    graph: UndirectedGraph, pairs: Sequence[Edge], variables: Sequence[Variable], data: Table | CountEngine
) -> dict[Edge, Effects]:
    """Return what estimates the effect of each pair; from counts alone, of those among states only.

    Where cells are missing, by the rows that are complete for the pair and its blankets.
    """
    if isinstance(data, Table) and data.holes:
        complete = {f: sample_of(data.rows_for(f), f) for f in {_family(graph, pair) for pair in pairs}}
        return {pair: Effects(graph, variables, complete[_family(graph, pair)]) for pair in pairs}
    if isinstance(data, Table):
        return dict.fromkeys(pairs, Effects(graph, variables, sample_of(data)))
    discrete = [pair for pair in pairs if not any(variables[v].continuous for v in _family(graph, pair))]
    families = {pair: _family(graph, pair) for pair in discrete}
    different = list(dict.fromkeys(families.values()))
    counted = data.counts([CountRequest(family) for family in different])
    of = {f: Effects(graph, variables, count_sample(c)) for f, c in zip(different, counted, strict=True)}
    return {pair: of[family] for pair, family in families.items()}


def _family(graph: UndirectedGraph, pair: Edge) -> tuple[int, ...]:
    """Return a pair and both of its blankets."""
    return tuple(sorted({*pair, *graph.blanket(pair[0]), *graph.blanket(pair[1])}))


def crossings_of(graph: UndirectedGraph, variables: Sequence[Variable]) -> list[Crossing]:
    """Return all pairs x < y by position, each with what it is looked at given."""
    return [(x, y, smaller_blanket(graph, (x, y), variables)) for x, y in combinations(range(graph.n), 2)]


def _strength(
    pair: Edge,
    given: tuple[int, ...],
    effects: Effects | None,
    variables: Sequence[Variable],
    pooled: Mapping[Edge, Effect] | None = None,
) -> EdgeStrength:
    """Return how strong a pair is, by the kinds of its variables."""
    x, y = (variables[v] for v in pair)
    known = _Known(x.name, y.name, tuple(variables[z].name for z in given))
    if effects is None:
        return known.nothing("the numbers stay at their source")
    if (estimate := effects.estimate(pair)) is None:
        return known.nothing(effects.why_not(pair), odds=effects.log_odds(pair, given))
    if (effect := estimate.effect if pooled is None else pooled.get(pair)) is None:
        return known.nothing("not every completed table has an estimate")
    if x.continuous and y.continuous:
        return _of_numbers(known, effect)
    contribution = effects.contribution(pair)
    bits = 0.0 if contribution is None else contribution.bits
    if contribution is None or contribution.meeting is None:
        return _of_mixed(known, effect, bits, _differences(effects, pair, variables))
    odds, sliced = effects.log_odds(pair, given), effects.bits_of_slices(pair, given)
    cells = _driving(contribution.meeting, x, y)
    said = _cells_in_words(x, y, cells) if odds is None else known.alike + _odds_in_words(x, y, *odds)
    bits = bits if sliced is None else sliced
    return known.strength(
        effect,
        f"{said}; {_effect_in_words(effect)}, {bits:.3g} bits.",
        bits=bits,
        odds=odds,
        cells=cells,
        meeting=contribution.meeting,
    )


class _Known(NamedTuple):
    """A pair, and what it is looked at given, by name."""

    x: str
    y: str
    given: tuple[str, ...]

    @property
    def alike(self) -> str:
        return f"among rows alike in {_list(self.given)}, " if self.given else "in all rows together, "

    @property
    def fixed(self) -> str:
        return f"with {_list(self.given)} held fixed, " if self.given else "with nothing held fixed, "

    def nothing(self, why: str, odds: tuple[float, float] | None = None) -> EdgeStrength:
        """Return that the pair has no effect that could be estimated."""
        value, error = odds or (None, None)
        sentence = f"The strength of {self.x} and {self.y} cannot be estimated: {why}."
        return EdgeStrength(
            **self._asdict(), log_odds=value, log_odds_error=error, sentence=printable(sentence)
        )

    def strength(
        self,
        effect: Effect,
        sentence: str,
        *,
        bits: float,
        odds: tuple[float, float] | None = None,
        cells: tuple[Cell, ...] = (),
        partial_correlation: float | None = None,
        meeting: Meeting | None = None,
    ) -> EdgeStrength:
        """Return the strength of the pair."""
        value, error = odds or (None, None)
        return EdgeStrength(
            **self._asdict(),
            **effect._asdict(),
            bits=bits,
            log_odds=value,
            log_odds_error=error,
            cells=cells,
            partial_correlation=partial_correlation,
            sign=None if effect.weight is None else _sign(effect.weight),
            sentence=printable(sentence[0].upper() + sentence[1:]),
            meeting=meeting,
        )


def _of_numbers(known: _Known, effect: Effect) -> EdgeStrength:
    r = effect.weight or 0.0
    bits, way = gaussian_bits(r), "rises" if r > 0 else "falls"
    ends = f"(95 % interval {effect.weight_low:.3g} to {effect.weight_high:.3g})"
    said = f"{known.fixed}{known.y} {way} as {known.x} rises: partial correlation {r:.3g} {ends}"
    return known.strength(
        effect,
        f"{said}, {bits:.3g} bits.",
        bits=bits,
        partial_correlation=r,
    )


class _Differences(NamedTuple):
    """How a column of numbers differs by the states of another."""

    number: str
    states: Variable
    by_state: NDArray[np.float64] | None
    """How much higher it is with each state, in standard deviations."""


def _differences(effects: Effects, pair: Edge, variables: Sequence[Variable]) -> _Differences:
    discrete, number = pair if variables[pair[1]].continuous else pair[::-1]
    return _Differences(
        variables[number].name, variables[discrete], effects.state_effects((discrete, number))
    )


def _of_mixed(known: _Known, effect: Effect, bits: float, found: _Differences) -> EdgeStrength:
    """Return the strength of a column of numbers and one of states."""
    number, states, by_state = found
    if effect.weight is not None and states.ordered and states.arity > 2:
        said = f"{number} {'rises' if effect.weight > 0 else 'falls'} as {states.name} rises"
    elif by_state is None:
        said = f"{number} differs by {states.name}"
    else:
        top, bottom = (states.states[int(i)] for i in (np.argmax(by_state), np.argmin(by_state)))
        said = f"{number} is highest with {states.name} = {top!r} and lowest with {states.name} = {bottom!r}"
    return known.strength(
        effect, f"{known.fixed}{said}; {_effect_in_words(effect)}, {bits:.3g} bits.", bits=bits
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


def gaussian_bits(r: float) -> float:
    r"""Return the mutual information of Gaussian columns, :math:`-\frac12 \log_2(1 - r^2)`.

    >>> round(gaussian_bits(0.866025403784), 6)
    1.0
    """
    return -0.5 * math.log2(max(1.0 - r * r, np.finfo(float).tiny))


def signs_of(pairs: Sequence[Edge], variables: Sequence[Variable]) -> NDArray[np.bool_]:
    """Return for which pairs an edge has a sign: both are numbers, in order, or of two states."""
    directed = [v.continuous or v.ordered or v.arity == 2 for v in variables]
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
