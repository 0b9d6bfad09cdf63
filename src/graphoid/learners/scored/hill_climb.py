"""Hill climbing over graphs, one edge at a time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from graphoid.errors import SettingsError
from graphoid.learners.scored.base import Found, ScoreLearner, Task, flipped, start_graph
from graphoid.learners.scored.local_search import LEAST, Slope
from graphoid.progress import Step, tell
from graphoid.structure.scored import Move

if TYPE_CHECKING:
    from graphoid.progress import Listener
    from graphoid.structure.graph import UndirectedGraph


def ibmap_hc(
    scorer: Any, graph: UndirectedGraph, progress: Listener | None = None
) -> tuple[UndirectedGraph, list[Move]]:
    """Flip the pair with the lowest score of its own, until that no longer helps ([Schluter2014]_, IBMAP-HC).

    Ties are broken by position. One step costs two closures, where looking at every neighbor would cost one
    or two for each pair.
    """
    value = scorer.value(graph)
    path: list[Move] = []
    while graph.n > 1:
        x, y = lowest_pair(scorer.pair_scores(graph))
        candidate = flipped(graph, (x, y))
        proposed = scorer.value(candidate)
        if not proposed > value:
            break
        graph, value = candidate, proposed
        path.append(Move(x, y, graph.has_edge(x, y), value))
        progress = tell(progress, Step("climbing", len(path), so_far=graph))
    return graph, path


def lowest_pair(pair_scores: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[int, int]:
    """Return the pair with the lowest score, the first of several."""
    n = len(pair_scores)
    x, y = np.triu_indices(n, 1)
    i = int(np.argmin(pair_scores[x, y]))
    return int(x[i]), int(y[i])


def steepest_ascent(slope: Slope, progress: Listener | None = None) -> list[Move]:
    """Flip the edge that gains most, until none gains anything."""
    path: list[Move] = []
    while slope.edges:
        i = slope.best()
        if not slope.gains[i] > LEAST:
            break
        slope.step(i)
        x, y = slope.edges[i]
        path.append(Move(x, y, slope.graph.has_edge(x, y), slope.value))
        progress = tell(progress, Step("climbing", len(path), so_far=slope.graph))
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
    random_state
        Not used: nothing is random here. Kept so that searches are called alike.
    """

    _: KW_ONLY
    moves: Literal["lowest_pair", "best"] = "lowest_pair"
    start: Any = None
    random_state: Any = None

    def _search(self, task: Task) -> Found:
        scorer = task.scorer
        graph = start_graph(self.start, scorer)
        if self.moves == "lowest_pair":
            graph, path = ibmap_hc(scorer, graph, task.progress)
            return Found(graph, tuple(path))
        slope = Slope(scorer, graph)
        path = steepest_ascent(slope, task.progress)
        return Found(slope.graph, tuple(path))

    def _check(self) -> None:
        super()._check()
        if self.moves not in ("lowest_pair", "best"):
            raise SettingsError(f"HillClimb: moves must be 'lowest_pair' or 'best', not {self.moves!r}.")
        if self.moves == "lowest_pair" and not self.score.of_pairs:
            raise SettingsError(
                f"HillClimb: moves='lowest_pair' needs a score that is a sum over pairs (BJP, IBScore); "
                f"{type(self.score).__name__} is not. Use moves='best'."
            )
