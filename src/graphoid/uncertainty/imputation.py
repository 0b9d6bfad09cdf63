"""Multiple imputation: missing cells drawn from learned models, and results pooled over the draws."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from graphoid.data.table import Table, Weights
from graphoid.errors import SettingsError, setting
from graphoid.learners.grow_shrink.robust import RobustGSMN
from graphoid.limits import MOMENT, OutOfTime, check_time, time_limit
from graphoid.models.mixed.fitting import fit_network
from graphoid.structure.effect import Effect
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.learned import Cost, LearnedStructure
from graphoid.uncertainty.strength import effects_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Codes
    from graphoid.settings import RandomState
    from graphoid.structure.graph import Edge

DRAWS = 5
"""Completed tables, each the end of a chain of its own: the usual number; pooled intervals know how few."""

ROUNDS = 4
"""Times that a model is learned and the missing cells are drawn from it. The first learns from values drawn
regardless of all others, which weaken every edge."""

SWEEPS = 20
"""Gibbs sweeps a round."""

DRAWING = 0.5
"""Of the time that there is, what drawing may take; the rest is for learning from each table."""

MOST_CELLS = 1 << 20
"""Of exact answers, which are not asked for."""


def impute(
    table: object, n: int = DRAWS, *, rounds: int = ROUNDS, random_state: RandomState = 0
) -> list[Table]:
    """Return tables with all missing cells drawn from models learned from the table itself.

    Each is the end of a chain of its own: missing cells begin at values of other rows; then a graph is
    learned, a pairwise model is fitted to rows that are weighted at random (a Bayesian bootstrap, so that the
    draws differ by what the rows leave open about the model, too), and the cells are drawn from it by Gibbs
    sweeps, again and again.

    Parameters
    ----------
    table
        A table with missing cells (``missing="impute"`` or ``"available"``), or anything that
        :func:`graphoid.read` takes.
    n
        How many.
    rounds
        How often each chain learns and draws.
    random_state
        Seed; the same seed gives the same tables.

    Examples
    --------
    >>> import graphoid as gd
    >>> first, second = gd.impute({"a": [0, 1, None, 1] * 9, "b": ["x", "y", "x", None] * 9}, n=2)
    >>> first.n_rows, first.n_missing
    (36, 0)
    """
    if n < 1 or rounds < 1:
        raise SettingsError(f"n is {n} and rounds is {rounds}; expected numbers of at least 1.")
    if not isinstance(table, Table):
        from graphoid.data.read import read

        table = read(table, missing="impute")
    if not table.n_missing:
        return [replace(table, holes=frozenset())] * n
    return list(_chains(table, n, rounds, random_state))


def _chains(table: Table, n: int, rounds: int, random_state: RandomState) -> Iterator[Table]:
    """Yield the tables at the ends of so many chains."""
    for rng in np.random.default_rng(random_state).spawn(n):
        yield _chain(table, rounds, rng)


def _draw_in_time(table: Table, random_state: RandomState, seconds: float) -> list[Table]:
    """Return the tables that can be drawn in so many seconds; with fewer than two nothing is pooled."""
    tables: list[Table] = []
    until = time.monotonic() + seconds
    try:
        with time_limit(seconds):
            tables.extend(_chains(table, DRAWS, ROUNDS, random_state))
    except OutOfTime:
        if time.monotonic() < until:  # the time of somebody outside
            raise
    if len(tables) < 2:
        raise SettingsError(
            f"the {seconds:.3g} s for it were over before missing cells were drawn twice, as pooling needs; "
            f"raise seconds, or read the table with {setting('missing', 'available')}, which needs no draws."
        )
    return tables


def _chain(table: Table, rounds: int, rng: np.random.Generator) -> Table:
    """Return the table at the end of a chain."""
    current = _first_fill(table, rng)
    for _ in range(rounds):
        check_time()
        graph = RobustGSMN().fit(current.discretized).structure_.graph
        noise = rng.exponential(size=table.n_rows)
        weights = noise if table.weights is None else noise * table.weights.values
        model = fit_network(graph, replace(current, weights=Weights.of(weights)), None, "pseudo", MOST_CELLS)
        drawn = model.impute(table, sweeps=SWEEPS, random_state=rng)
        current = _complete(table, drawn.columns, {**table.values, **drawn.values})
    return current


def _first_fill(table: Table, rng: np.random.Generator) -> Table:
    """Return the table with every missing cell as in some other row."""
    columns, values = list(table.columns), dict(table.values)
    for i in sorted(table.holes):
        absent = table.absent(i)
        codes = columns[i]
        donors = rng.choice(np.flatnonzero(~absent), int(absent.sum()))
        if codes is not None:
            filled = codes.copy()
            filled[absent] = codes[donors]
            columns[i] = filled
        if i in values:
            numbers = values[i].copy()
            numbers[absent] = numbers[donors]
            values[i] = numbers
    return _complete(table, columns, values)


def _complete(table: Table, columns: Sequence[Codes | None], values: dict[int, NDArray[np.float64]]) -> Table:
    """Return the table with other columns, none of them with a missing cell."""
    whole: list[Codes | None] = []
    for v, codes in zip(table.variables, columns, strict=True):
        narrow = np.uint8 if v.arity <= 256 else np.uint16
        whole.append(None if codes is None else cast("Codes", np.ascontiguousarray(codes, dtype=narrow)))
    return replace(table, columns=tuple(whole), values=values, holes=frozenset(), missing="error")


def learn_imputed(
    table: Table,
    learn: Callable[[Table, float | None], object],
    random_state: RandomState = 0,
    seconds: float | None = None,
) -> LearnedStructure:
    """Return what learning from each of several completed tables has in common.

    ``learn`` is told the seconds that it may take, its share of those that are left. The probability of an
    edge is the mean over the tables, and its effect is pooled by the rules of [Rubin1987]_. A pair is joined
    if that is more probable than not; of a learner without probabilities, if more than half of the tables
    join it.
    """
    started = time.perf_counter()
    until = math.inf if seconds is None else time.monotonic() + seconds
    if seconds is None:
        tables = impute(table, random_state=random_state)
    else:
        tables = _draw_in_time(table, random_state, DRAWING * seconds)
    found: list[LearnedStructure] = []
    for completed in tables:
        parts = len(tables) - len(found) + 1  # the last is for effects
        left = None if seconds is None else max(0.0, until - time.monotonic()) / parts
        one = learn(completed, left)
        if not isinstance(one, LearnedStructure):
            raise SettingsError(
                "what is learned from several completed tables is pooled edge by edge, and a canonical model "
                f"has many graphs: read the table with {setting('missing', 'drop')}."
            )
        found.append(one)
    first = found[0]
    pairs = sorted({pair for one in found for pair in (*one.graph.edges, *one.edge_probabilities)})
    shares = {pair: float(np.mean([_probability(one, pair) for one in found])) for pair in pairs}
    graph = UndirectedGraph(first.graph.names, [pair for pair in pairs if shares[pair] > 0.5])
    measured: dict[Edge, Effect] = {}
    late = next((one.stopped for one in found if one.stopped != "converged"), None)
    try:
        with time_limit(None if seconds is None else max(MOMENT, until - time.monotonic())):
            measured = pool_effects(graph, [effects_of(graph, completed) for completed in tables])
    except OutOfTime:
        if seconds is None:
            raise
        late = "budget"
    said = {"n": len(tables), "rounds": ROUNDS, "missing": table.n_missing}
    return replace(
        first,
        graph=graph,
        stopped=late or first.stopped,
        trace=(),
        scored=None,
        edge_probabilities=shares if any(one.edge_probabilities for one in found) else {},
        underpowered=frozenset().union(*(one.underpowered for one in found)),
        settings={**first.settings, "imputation": said},
        cost=_sum_costs([one.cost for one in found], time.perf_counter() - started),
        data_id=table.data_id,
        table=table,
        measured=measured,
    )


def _sum_costs(costs: Sequence[Cost], seconds: float) -> Cost:
    """Return what learning from all completed tables cost, with the time that drawing them took."""
    tests = {
        name: sum(getattr(cost, name) for cost in costs)
        for name in ("n_tests", "weighted", "n_initial", "n_inferred", "rows_read", "queries")
    }
    return Cost(**tests, seconds=seconds)


def _probability(found: LearnedStructure, pair: Edge) -> float:
    known = found.probability(*pair)
    return float(found.graph.has_edge(*pair)) if known is None else known


def pool_effects(graph: UndirectedGraph, effects: Sequence[dict[Edge, Effect]]) -> dict[Edge, Effect]:
    """Return the effects of edges over completed tables, those that every one of them has."""
    pooled = {}
    for pair in graph.edges:
        known = [one[pair] for one in effects if pair in one]
        if len(known) < len(effects):
            continue
        signed = [
            (e.weight, e.weight_low, e.weight_high)
            for e in known
            if e.weight is not None and e.weight_low is not None and e.weight_high is not None
        ]
        if len(signed) < len(known):
            pooled[pair] = Effect(*_pool([(e.size, e.low, e.high) for e in known], floor=0.0))
            continue
        weight, low, high = _pool(signed)
        ends = sorted((abs(low), abs(high)))
        size = (abs(weight), 0.0 if low < 0 < high else ends[0], ends[1])
        pooled[pair] = Effect(*size, weight, low, high)
    return pooled


def _pool(
    estimates: Sequence[tuple[float, float, float]], floor: float = -math.inf
) -> tuple[float, float, float]:
    r"""Return the pooled estimate with its interval of 95 %, by the rules of [Rubin1987]_.

    .. math:: T = \bar U + (1 + 1/m) B, \quad \nu = (m - 1) \left(1 + \frac{\bar U}{(1 + 1/m) B}\right)^2

    with :math:`\bar U` the mean of the squared standard errors, which are those of the intervals, and
    :math:`B` the variance of the estimates.
    """
    from scipy.special import stdtrit

    values = np.array(estimates)
    m, center = len(values), float(values[:, 0].mean())
    within = float((((values[:, 2] - values[:, 1]) / (2 * 1.959964)) ** 2).mean())
    between = (1 + 1 / m) * float(values[:, 0].var(ddof=1)) if m > 1 else 0.0
    dof = math.inf if between <= 0 else (m - 1) * (1 + within / between) ** 2
    quantile = 1.959964 if dof > 1e6 else float(stdtrit(dof, 0.975))
    half = quantile * math.sqrt(within + between)
    return center, max(floor, center - half), center + half
