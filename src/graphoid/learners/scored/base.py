"""What learners that score graphs share: settings in, a table, a graph with its score out."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from graphoid.counts.remote.access_cost import spent_by
from graphoid.data.table import Table
from graphoid.errors import DataError, SettingsError
from graphoid.learners.base import charged, described, plain
from graphoid.scores.base import Score
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.learned import Cost, LearnedStructure
from graphoid.structure.scored import Scored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.progress import Listener
    from graphoid.scores.base import Scorer
    from graphoid.structure.graph import Edge
    from graphoid.structure.scored import Move

SHOWN_PAIRS = 5_000
"""Up to so many pairs, the result says of every one what flipping it would gain; beyond, of the edges."""


class Task(NamedTuple):
    """What a search is given."""

    scorer: Scorer
    rng: np.random.Generator
    progress: Listener | None = None


class Found(NamedTuple):
    """What a search comes back with."""

    graph: UndirectedGraph
    path: tuple[Move, ...] = ()
    stopped: str = "converged"
    probabilities: Mapping[Edge, float] | None = None
    more: Mapping[str, Any] | None = None
    """Numbers about the search that a reader may want, as plain values."""


@dataclass(eq=False)
class ScoreLearner(ABC):
    """A learner that looks for the graph with the highest score; its fields are its settings."""

    score: Score

    def fit(self, table: Any, *, progress: Listener | None = None) -> Self:
        """Learn from a table (anything that :func:`graphoid.read` takes will do) and return self.

        The result is :attr:`structure_`. A listener hears of every step.
        """
        self._check()
        if not isinstance(table, Table):
            from graphoid.data.read import read

            table = read(table)
        started = time.perf_counter()
        scorer = self.score.on(table)
        before = spent_by(scorer.engine)
        seed, rng = seeded(getattr(self, "random_state", None))
        found = self._search(Task(scorer, rng, progress))
        pairs = list(combinations(range(scorer.n), 2))
        shown = pairs if len(pairs) <= SHOWN_PAIRS else list(found.graph.edges)
        gains = dict(zip(shown, scorer.gains(found.graph, shown).tolist(), strict=True))
        structure = LearnedStructure(
            graph=found.graph,
            cost=Cost(seconds=time.perf_counter() - started),
            stopped=found.stopped,
            settings={**self._settings(), **(found.more or {})},
            seed=seed,
            data_id=table.data_id,
            scored=Scored(
                scorer.value(found.graph), gains, found.path, scorer.n_terms, scorer.prior_log_odds
            ),
            edge_probabilities=found.probabilities or {},
            table=table,
        )
        self._structure = charged(structure, scorer.engine, before)
        return self

    @property
    def structure_(self) -> LearnedStructure:
        """The result of the last :meth:`fit`."""
        try:
            return self._structure
        except AttributeError:
            raise AttributeError(
                f"{type(self).__name__} has no structure_ yet; call fit(table) first."
            ) from None

    @abstractmethod
    def _search(self, task: Task) -> Found:
        """Look for the graph with the highest score."""

    def _check(self) -> None:
        """Raise if a setting has a value it cannot have."""
        if not isinstance(self.score, Score):
            raise SettingsError(
                f"{type(self).__name__}: score must be a score such as BJP(), not {self.score!r}."
            )

    def _settings(self) -> dict[str, Any]:
        own = {s.name: plain(getattr(self, s.name)) for s in fields(self) if s.name != "score"}
        return {"learner": type(self).__name__, "score": described(self.score), **own}


def seeded(random_state: Any) -> tuple[int | None, np.random.Generator]:
    """Return the seed to be recorded (None where a generator was given) and the generator.

    Without a seed one is drawn, so that the result can still be repeated.
    """
    if isinstance(random_state, np.random.Generator):
        return None, random_state
    if random_state is None:
        random_state = int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, bool) or not isinstance(random_state, (int, np.integer)) or random_state < 0:
        raise SettingsError(
            f"random_state must be a whole number of at least 0, a Generator or None, not {random_state!r}."
        )
    return int(random_state), np.random.default_rng(int(random_state))


def start_graph(start: Any, scorer: Scorer) -> UndirectedGraph:
    """Return the graph that a search begins with: the empty one, or that of ``start``."""
    if start is None:
        return UndirectedGraph(scorer.names)
    graph = getattr(start, "graph", start)
    if not isinstance(graph, UndirectedGraph):
        raise SettingsError(f"start must be a graph, a learned structure or None, not {start!r}.")
    if graph.n != scorer.n:
        raise DataError(f"start has {graph.n} variables and the data {scorer.n}; they must be the same.")
    return UndirectedGraph(scorer.names, graph.edges)


def flipped(graph: UndirectedGraph, edge: Edge) -> UndirectedGraph:
    """Return the graph with an edge added, or removed where it is there."""
    return graph.without_edge(*edge) if graph.has_edge(*edge) else graph.with_edge(*edge)
