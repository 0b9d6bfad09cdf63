"""What learners that score graphs share: settings in, a table, a graph with its score out."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from graphoid.errors import DataError, Interrupted, SettingsError
from graphoid.learners.base import Learner, Run
from graphoid.learners.scored.inclusion import PairEvidence
from graphoid.learners.scored.local_search import Neighborhood
from graphoid.limits import MOMENT, OutOfTime, time_limit
from graphoid.progress import Listener, Step, tell
from graphoid.scores.base import Score, Scorer
from graphoid.settings import Allowed, Number, describe, seed_and_generator
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.structure.learned import Cost, LearnedStructure
from graphoid.structure.scored import SHOWN_PAIRS, Move, Scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.data.table import Table
    from graphoid.learners.columns import Columns

Start = UndirectedGraph | LearnedStructure | None
"""What a search begins with; None for the graph without edges."""


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
    only: bool = False
    """Whether nothing is to be said of other pairs."""
    worth: Mapping[Edge, float] | None = None
    """What pairs are worth at a first look, for those of which no more is known."""
    more: Mapping[str, object] | None = None
    """Numbers about the search that a reader may want, as plain values."""

    def reported_pairs(self, n: int) -> list[Edge]:
        """Return the pairs of ``n`` variables of which the result says what flipping them would gain."""
        if n * (n - 1) // 2 <= SHOWN_PAIRS and not self.only:
            return list(combinations(range(n), 2))
        return sorted({*self.graph.edges, *(self.pairs or ())})


@dataclass(eq=False)
class ScoreLearner(Learner[Scorer, LearnedStructure]):
    """A learner that looks for the graph with the highest score."""

    score: Score
    _: KW_ONLY
    seconds: float | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {"seconds": Number(least=0, optional=True)}

    @property
    def takes_numbers(self) -> bool:
        """Whether its score does."""
        return isinstance(self.score, Score) and self.score.takes_numbers

    def _join(self, table: Table, run: Run) -> Scorer:
        if not isinstance(self.score, Score):
            raise SettingsError(
                f"{type(self).__name__}: score must be a score such as BJP(), not {self.score!r}."
            )
        score = self.score
        if run.columns is not None:
            score = replace(score, prior=run.columns.restrict_prior(score.prior))
        scorer = score.on(table)
        if run.pairs is not None:
            scorer.believe(run.pairs)
        return scorer

    def _learn(self, source: Scorer, run: Run) -> LearnedStructure:
        seed, rng = seed_and_generator(getattr(self, "random_state", None))
        best = BestSoFar(source.graph(), run.progress)
        scored: Scored | None
        try:
            with time_limit(run.left):
                found = self.search(Task(source, rng, best, run.columns))
                scored = _score(source, found)
        except OutOfTime:
            found = Found(best.graph, stopped="budget")
            scored = _score_in_passing(source, found)
        except KeyboardInterrupt:
            found = Found(best.graph, stopped="interrupted")
            raise Interrupted(self._result(found, None, run, seed)) from None
        if found.probabilities:
            found = found._replace(probabilities=_decide(found.probabilities, source))
        structure = self._result(found, scored, run, seed)
        if scored is None or self.score.log_odds_share is None:
            return structure
        worth = {**(found.worth or {}), **scored.worth(found.graph)}
        evidence = PairEvidence.of(worth, source, found.graph)
        return replace(
            structure,
            edge_probabilities=_decide(found.probabilities or evidence.probabilities(), source),
            underpowered=frozenset(source.open_pairs(evidence.underpowered_pairs())),
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


def _decide(probabilities: Mapping[Edge, float], scorer: Scorer) -> Mapping[Edge, float]:
    """Return probabilities of which those that are known are 1 and 0."""
    return probabilities if scorer.known is None else scorer.known.decide(probabilities)


def _score(scorer: Scorer, found: Found, *, known: bool = False) -> Scored:
    """Return the score of a graph and what flipping each pair would gain, or those of which that is known."""
    n, edges = scorer.n, found.reported_pairs(scorer.n)
    few = n * (n - 1) // 2 <= SHOWN_PAIRS
    default = 0.0 if few else scorer.prior.default
    pairs = list(combinations(range(n), 2)) if few else edges
    odds = scorer.prior.at(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T).tolist()
    if known:
        edges = [edge for edge in edges if scorer.holds(found.graph, edge)]
    at = Neighborhood(scorer, found.graph, edges)
    return Scored(
        value=at.value,
        gains=dict(zip(at.edges, at.gains.tolist(), strict=True)),
        path=found.path,
        n_terms=scorer.n_terms,
        prior_log_odds={edge: own for edge, own in zip(pairs, odds, strict=True) if own != default},
        default_log_odds=default,
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
        return scorer.graph()
    graph: object = start.graph if isinstance(start, LearnedStructure) else start
    if not isinstance(graph, UndirectedGraph):
        raise SettingsError(f"start must be a graph, a learned structure or None, not {start!r}.")
    if task.columns is not None:
        graph = task.columns.restrict_graph(graph)
    if graph.n != scorer.n:
        raise DataError(f"start has {graph.n} variables and the data {scorer.n}; they must be the same.")
    return scorer.graph(graph.edges)
