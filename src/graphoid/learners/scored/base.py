"""What learners that score graphs share: settings in, a table, a graph with its score out."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from graphoid.errors import DataError, SettingsError
from graphoid.learners.base import Learner, Run
from graphoid.learners.scored.inclusion import inclusion_probabilities, underpowered_pairs
from graphoid.learners.scored.local_search import Neighborhood
from graphoid.scores.base import Score, Scorer
from graphoid.settings import describe, seed_and_generator
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.structure.learned import Cost, LearnedStructure
from graphoid.structure.scored import Move, Scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from graphoid.data.table import Table
    from graphoid.progress import Listener

Start = UndirectedGraph | LearnedStructure | None
"""What a search begins with; None for the graph without edges."""

SHOWN_PAIRS = 5_000
"""Up to so many pairs, the result says of every one what flipping it would gain; beyond, of those that the
search looked at."""


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
    pairs: Sequence[Edge] | None = None
    """Those that the search looked at; None for all."""
    more: Mapping[str, object] | None = None
    """Numbers about the search that a reader may want, as plain values."""


@dataclass(eq=False)
class ScoreLearner(Learner[Scorer, LearnedStructure]):
    """A learner that looks for the graph with the highest score."""

    score: Score

    def _join(self, table: Table, run: Run) -> Scorer:  # noqa: ARG002 - nothing is known before
        if not isinstance(self.score, Score):
            raise SettingsError(
                f"{type(self).__name__}: score must be a score such as BJP(), not {self.score!r}."
            )
        return self.score.on(table)

    def _learn(self, source: Scorer, run: Run) -> LearnedStructure:
        seed, rng = seed_and_generator(getattr(self, "random_state", None))
        found = self.search(Task(source, rng, run.progress))
        pairs = list(combinations(range(source.n), 2))
        if len(pairs) > SHOWN_PAIRS:
            pairs = sorted({*found.graph.edges, *(found.pairs or ())})
        at = Neighborhood(source, found.graph, pairs)
        gains = dict(zip(at.edges, at.gains.tolist(), strict=True))
        share, probabilities, underpowered = self.score.log_odds_share, found.probabilities, frozenset[Edge]()
        if share is not None:
            worth = {edge: -gain if edge in found.graph.edges else gain for edge, gain in gains.items()}
            underpowered = underpowered_pairs(worth, source)
            probabilities = probabilities or inclusion_probabilities(worth, share)
        return LearnedStructure(
            graph=found.graph,
            cost=Cost(seconds=time.perf_counter() - run.started),
            stopped=found.stopped,
            settings={**self._record(score=describe(self.score)), **(found.more or {})},
            seed=seed,
            data_id=run.data_id,
            scored=Scored(
                value=at.value,
                gains=gains,
                path=found.path,
                n_terms=source.n_terms,
                prior_log_odds={edge: float(source.prior[edge]) for edge in pairs if source.prior[edge]},
            ),
            edge_probabilities=probabilities or {},
            underpowered=underpowered,
        )

    @abstractmethod
    def search(self, task: Task) -> Found:
        """Look for the graph with the highest score."""


def initial_graph(start: Start, scorer: Scorer) -> UndirectedGraph:
    """Return the graph that a search begins with: the empty one, or that of ``start``."""
    if start is None:
        return UndirectedGraph(scorer.names)
    graph: object = start.graph if isinstance(start, LearnedStructure) else start
    if not isinstance(graph, UndirectedGraph):
        raise SettingsError(f"start must be a graph, a learned structure or None, not {start!r}.")
    if graph.n != scorer.n:
        raise DataError(f"start has {graph.n} variables and the data {scorer.n}; they must be the same.")
    return UndirectedGraph(scorer.names, graph.edges)
