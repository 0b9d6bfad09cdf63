"""What learners that score graphs share: settings in, a table, a graph with its score out."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from graphoid.errors import DataError, Interrupted, SettingsError
from graphoid.learners.base import Learner, Run
from graphoid.learners.scored.inclusion import inclusion_probabilities, underpowered_pairs
from graphoid.learners.scored.local_search import Neighborhood
from graphoid.limits import MOMENT, OutOfTime, time_limit
from graphoid.progress import Listener, Step, tell
from graphoid.scores.base import Score, Scorer
from graphoid.settings import Allowed, Number, describe, seed_and_generator
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.structure.learned import Cost, LearnedStructure
from graphoid.structure.scored import Move, Scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from graphoid.data.table import Table
    from graphoid.learners.columns import Columns

Start = UndirectedGraph | LearnedStructure | None
"""What a search begins with; None for the graph without edges."""

SHOWN_PAIRS = 5_000
"""Up to so many pairs, the result says of every one what flipping it would gain; beyond, of those that the
search looked at."""


@dataclass
class BestSoFar:
    """Listens to a search for the graph to keep if it ends now, and hands every step on."""

    graph: UndirectedGraph
    progress: Listener | None

    def __call__(self, step: Step) -> None:
        """Hear of a step."""
        if isinstance(step.so_far, UndirectedGraph):
            self.graph = step.so_far
        self.progress = tell(self.progress, step)


class Task(NamedTuple):
    """What a search is given."""

    scorer: Scorer
    rng: np.random.Generator
    progress: Listener | None = None
    columns: Columns | None = None
    """Those of the table that the scorer has; None for all."""


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
    _: KW_ONLY
    seconds: float | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {"seconds": Number(least=0, optional=True)}

    def _join(self, table: Table, run: Run) -> Scorer:
        if not isinstance(self.score, Score):
            raise SettingsError(
                f"{type(self).__name__}: score must be a score such as BJP(), not {self.score!r}."
            )
        if run.columns is None:
            return self.score.on(table)
        return replace(self.score, prior=run.columns.restrict_prior(self.score.prior)).on(table)

    def _learn(self, source: Scorer, run: Run) -> LearnedStructure:
        seed, rng = seed_and_generator(getattr(self, "random_state", None))
        best = BestSoFar(UndirectedGraph(source.names), run.progress)
        scored: Scored | None
        try:
            with time_limit(self.seconds):
                found = self.search(Task(source, rng, best, run.columns))
                scored = _score(source, found)
        except OutOfTime:
            found = Found(best.graph, stopped="budget")
            scored = _score_in_passing(source, found)
        except KeyboardInterrupt:
            found = Found(best.graph, stopped="interrupted")
            raise Interrupted(self._result(found, None, run, seed)) from None
        structure = self._result(found, scored, run, seed)
        share = self.score.log_odds_share
        if scored is None or share is None:
            return structure
        joined = set(found.graph.edges)
        worth = {pair: -gain if pair in joined else gain for pair, gain in scored.gains.items()}
        return replace(
            structure,
            edge_probabilities=found.probabilities or inclusion_probabilities(worth, share),
            underpowered=underpowered_pairs(worth, source),
        )

    def _result(self, found: Found, scored: Scored | None, run: Run, seed: int | None) -> LearnedStructure:
        return LearnedStructure(
            graph=found.graph,
            cost=Cost(seconds=time.perf_counter() - run.started),
            stopped=found.stopped,
            settings={**self._record(score=describe(self.score)), **(found.more or {})},
            seed=seed,
            data_id=run.data_id,
            scored=scored,
            edge_probabilities=found.probabilities or {},
        )

    @abstractmethod
    def search(self, task: Task) -> Found:
        """Look for the graph with the highest score."""


def _score(scorer: Scorer, found: Found, *, known: bool = False) -> Scored:
    """Return the score of a graph and what flipping each pair would gain, or those of which that is known."""
    pairs = list(combinations(range(scorer.n), 2))
    edges = pairs if len(pairs) <= SHOWN_PAIRS else sorted({*found.graph.edges, *(found.pairs or ())})
    if known:
        edges = [edge for edge in edges if scorer.holds(found.graph, edge)]
    at = Neighborhood(scorer, found.graph, edges)
    return Scored(
        value=at.value,
        gains=dict(zip(at.edges, at.gains.tolist(), strict=True)),
        path=found.path,
        n_terms=scorer.n_terms,
        prior_log_odds={edge: float(scorer.prior[edge]) for edge in pairs if scorer.prior[edge]},
    )


def _score_in_passing(scorer: Scorer, found: Found) -> Scored | None:
    """Return what is known of that after a search, if putting it together takes but a moment; else None."""
    try:
        with time_limit(MOMENT):
            return _score(scorer, found, known=True)
    except OutOfTime:
        return None


def initial_graph(start: Start, task: Task) -> UndirectedGraph:
    """Return the graph that a search begins with: the empty one, or that of ``start``."""
    scorer = task.scorer
    if start is None:
        return UndirectedGraph(scorer.names)
    graph: object = start.graph if isinstance(start, LearnedStructure) else start
    if not isinstance(graph, UndirectedGraph):
        raise SettingsError(f"start must be a graph, a learned structure or None, not {start!r}.")
    if task.columns is not None:
        graph = task.columns.restrict_graph(graph)
    if graph.n != scorer.n:
        raise DataError(f"start has {graph.n} variables and the data {scorer.n}; they must be the same.")
    return UndirectedGraph(scorer.names, graph.edges)
