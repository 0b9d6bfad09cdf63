"""Hill climbing over graphs, one edge at a time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from graphoid.errors import SettingsError
from graphoid.learners.scored.base import Found, ScoreLearner, Start, Task, initial_graph
from graphoid.learners.scored.local_search import LazyNeighborhood, Neighborhood, first_best, improves
from graphoid.limits import check_time
from graphoid.progress import Listener, Step, tell
from graphoid.scores.closures import PairScorer
from graphoid.structure.scored import Move

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.settings import Allowed, RandomState
    from graphoid.structure.graph import UndirectedGraph


def ibmap_hc(
    scorer: PairScorer, graph: UndirectedGraph, progress: Listener | None = None
) -> tuple[UndirectedGraph, list[Move]]:
    """Flip the pair with the lowest score of its own, until that no longer helps ([Schluter2014]_, IBMAP-HC).

    Ties are broken by name. One step costs two closures, where looking at every neighbor would cost one
    or two for each pair.
    """
    value = scorer.value(graph)
    path: list[Move] = []
    pairs = scorer.sort_edges(scorer.open_pairs())
    ends = tuple(np.array(pairs, dtype=np.intp).reshape(-1, 2).T)
    while pairs:
        check_time()
        x, y = pairs[first_best(-scorer.pair_scores(graph)[ends], value)]
        present = graph.has_edge(x, y)
        candidate = graph.without_edge(x, y) if present else graph.with_edge(x, y)
        proposed = scorer.value(candidate)
        if not improves(proposed - value, value):
            break
        graph, value = candidate, proposed
        path.append(Move(x, y, not present, value))
        progress = tell(progress, Step("climbing", len(path), so_far=graph))
    return graph, path


def steepest_ascent(at: Neighborhood, progress: Listener | None = None) -> list[Move]:
    """Flip the edge that gains most, the first of several, until none gains anything.

    Where gains are brought up to date only as they matter, edges that are best at both ends are flipped
    together, and there is no path.
    """
    if isinstance(at, LazyNeighborhood):
        climbs = bool(at.edges)
        while climbs:
            try:
                climbs = at.climb()
            finally:  # as below
                progress = tell(progress, Step("climbing", at.steps, so_far=at.graph))
        return []
    path: list[Move] = []
    while at.edges:
        i = at.best()
        if not improves(at.gains[i], at.value):
            break
        try:
            at.flip(i)
        finally:  # the graph is better also where the time ends before all gains are up to date
            path.append(Move(*at.edges[i], bool(at.present[i]), at.value))
            progress = tell(progress, Step("climbing", len(path), so_far=at.graph))
    return path


@dataclass(eq=False)
class HillClimb(ScoreLearner):
    """Climb from a graph to one that no single edge improves.

    Parameters
    ----------
    score
        What to climb: :class:`BJP`, :class:`IBScore`, :class:`MPL` or :class:`LogLinearScore`.
    moves
        Which edge to flip next. "lowest_pair" is IBMAP-HC: the pair with the lowest score of its own, for
        scores that are sums over pairs (BJP, IB); it stops at the first that does not help. "best" is the
        edge that gains most.
    start
        A graph or a learned structure to begin with; None for the graph without edges.
    seconds
        Stop after so much time, with the graph reached; ``stopped`` is then "budget".
    random_state
        Not used: nothing is random here. Kept so that searches are called alike.
    """

    _: KW_ONLY
    moves: Literal["lowest_pair", "best"] = "lowest_pair"
    start: Start = None
    random_state: RandomState = None

    allowed: ClassVar[Mapping[str, Allowed]] = {**ScoreLearner.allowed, "moves": ("lowest_pair", "best")}

    def search(self, task: Task) -> Found:
        """Climb from the start to a peak."""
        scorer = task.scorer
        graph = initial_graph(self.start, task)
        if self.start is not None:
            tell(task.progress, Step("climbing", 0, so_far=graph))
        if self.moves == "best":
            at = Neighborhood(scorer, graph)
            path = steepest_ascent(at, task.progress)
            return Found(at.graph, tuple(path))
        if not isinstance(scorer, PairScorer):
            raise SettingsError(
                f"HillClimb: moves='lowest_pair' needs a score that is a sum over pairs (BJP, IBScore); "
                f"{type(self.score).__name__} is not. Use moves='best'."
            )
        graph, path = ibmap_hc(scorer, graph, task.progress)
        return Found(graph, tuple(path))


@dataclass(eq=False)
class Climb(ScoreLearner):
    """Climb from a graph by some pairs alone: what a search does in resamples of the rows it has seen.

    Parameters
    ----------
    score, seconds
        As of every search for a score.
    start
        The graph to begin with.
    candidates
        The graph of the pairs that may be flipped; of no other is anything said.
    """

    _: KW_ONLY
    start: Start = None
    candidates: Start = None

    def search(self, task: Task) -> Found:
        """Climb from the start to a peak."""
        pairs = task.scorer.sort_edges(task.scorer.open_pairs(initial_graph(self.candidates, task).edges))
        at = LazyNeighborhood(task.scorer, initial_graph(self.start, task), pairs)
        steepest_ascent(at, task.progress)
        return Found(at.graph, pairs=pairs, only=True)
