"""How many rows it would take to find these edges: simulation from the fitted model."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.read import read
from graphoid.data.table import Table
from graphoid.errors import SettingsError
from graphoid.learners.recommended import recommend
from graphoid.models.network import MarkovNetwork
from graphoid.progress import Listener, track
from graphoid.settings import Number, RandomState, check_setting
from graphoid.structure.graph import UndirectedGraph
from graphoid.uncertainty.replicates import graph_of
from graphoid.uncertainty.resampling import seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.learners.base import AnyLearner
    from graphoid.structure.compare import HasGraph


class PowerRow(NamedTuple):
    """One edge: how often it was found, by rows."""

    x: str
    y: str
    found: tuple[float, ...]
    """Share of the simulated tables in which it was found, for every number of rows."""
    rows_needed: int | None
    """Rows at which it would be found as often as was aimed at; None if no size tried is enough."""


class Power(NamedTuple):
    """What simulated tables of several sizes show."""

    rows: tuple[int, ...]
    edges: list[PowerRow]
    false: tuple[float, ...]
    """Mean number of edges found that the model does not have, for every number of rows."""
    target: float
    n: int
    seed: int

    @property
    def rows_needed(self) -> int | None:
        """Rows at which every edge would be found often enough; None if no size tried is enough."""
        needed = [row.rows_needed for row in self.edges]
        return None if None in needed else max((n for n in needed if n is not None), default=self.rows[0])


def power(
    structure: UndirectedGraph | HasGraph,
    table: object,
    *,
    learner: AnyLearner | None = None,
    rows: Sequence[int] = (250, 500, 1000, 2000, 4000, 8000),
    n: int = 20,
    target: float = 0.8,
    random_state: RandomState = None,
    progress: Listener | None = None,
) -> Power:
    """Return how many rows would be needed for the edges of a structure.

    A model of the structure is fitted to the table, tables of several sizes are drawn from it, and the
    learner has to find the edges again.

    Parameters
    ----------
    structure
        A graph or a learned structure.
    table
        What its strengths are taken from.
    learner
        Who will learn; the recommended one if None.
    rows
        Sizes to try, ascending.
    n
        Tables of each size.
    target
        How often an edge is to be found.
    random_state
        Seed; every table has a stream of its own.
    progress
        Hears of every size.
    """
    table = table if isinstance(table, Table) else read(table)
    sizes = tuple(rows)
    if not sizes or any(b <= a for a, b in pairwise(sizes)) or sizes[0] < 1:
        raise SettingsError(f"power: rows must be whole numbers in ascending order, not {rows!r}.")
    check_setting("n", n, Number(least=1, whole=True, noun="number of tables"))
    if not 0 < target <= 1:
        raise SettingsError(f"power: target is {target!r}; it must be a share above 0 and up to 1.")
    graph = structure if isinstance(structure, UndirectedGraph) else structure.graph
    model = MarkovNetwork.fit(graph, table)
    learner = recommend(graph.n)[0] if learner is None else learner
    seed = seed_of(random_state)
    found, false = np.zeros((len(sizes), graph.n_edges)), np.zeros(len(sizes))
    for k, size in enumerate(track(sizes, "simulating", progress)):
        for i in range(n):
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(k, i)))
            again = graph_of(learner, model.sample(size, rng))
            found[k] += [again.has_edge(x, y) for x, y in graph.edges]
            false[k] += sum(not graph.has_edge(x, y) for x, y in again.edges)
    rows_of = [
        PowerRow(graph.names[x], graph.names[y], tuple(line.tolist()), rows_to_reach(sizes, line, target))
        for (x, y), line in zip(graph.edges, (found / n).T, strict=True)
    ]
    return Power(sizes, rows_of, tuple((false / n).tolist()), target, n, seed)


def rows_to_reach(rows: tuple[int, ...], found: NDArray[np.float64], target: float) -> int | None:
    """Return where a rising curve reaches a target, between sizes on the logarithm of the rows.

    >>> rows_to_reach((100, 400), np.array([0.6, 1.0]), 0.8)
    200
    """
    rising = np.maximum.accumulate(found)
    reached = np.flatnonzero(rising >= target - 1e-12)
    if not reached.size:
        return None
    k = int(reached[0])
    if k == 0:
        return rows[0]
    part = (target - rising[k - 1]) / (rising[k] - rising[k - 1])
    return math.ceil(math.exp((1 - part) * math.log(rows[k - 1]) + part * math.log(rows[k])) - 1e-9)
