"""The best of all graphs, found by looking at every one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import DataError
from graphoid.learners.scored.base import Found, ScoreLearner, Task
from graphoid.learners.scored.local_search import rounding
from graphoid.limits import check_time
from graphoid.progress import Step, tell, track

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.scores.base import Scorer
    from graphoid.structure.graph import Edge

MOST_VARIABLES = 7
"""Of seven variables there are 2,097,152 graphs; of eight, 128 times as many."""

CHUNK = 2**18
"""Graphs scored at once: what keeps the arrays of a score within some hundred megabytes."""


def all_graphs(n: int, start: int = 0, stop: int | None = None) -> NDArray[np.int64]:
    """Return the blankets of all labelled graphs, a line of masks each; bit i of its number is pair i."""
    pairs = list(combinations(range(n), 2))
    numbers = np.arange(start, 2 ** len(pairs) if stop is None else stop, dtype=np.int64)
    blankets = np.zeros((len(numbers), n), dtype=np.int64)
    for i, (x, y) in enumerate(pairs):
        present = numbers >> i & 1
        blankets[:, x] |= present << y
        blankets[:, y] |= present << x
    return blankets


@dataclass(eq=False)
class ExhaustiveSearch(ScoreLearner):
    """Score every graph and take the best; of several the one with fewest edges, and first by their names.

    Parameters
    ----------
    score
        Any score. Data of up to seven variables.
    seconds
        Stop after so much time, with the best graph so far.
    """

    def search(self, task: Task) -> Found:
        """Score all graphs."""
        scorer = task.scorer
        if scorer.n > MOST_VARIABLES:
            raise DataError(
                f"{scorer.n} variables have 2**{scorer.n * (scorer.n - 1) // 2} graphs; "
                f"ExhaustiveSearch looks at those of up to {MOST_VARIABLES}. Use Search."
            )
        pairs = list(combinations(range(scorer.n), 2))
        starts = range(0, 2 ** len(pairs), CHUNK)
        values = np.zeros(0)
        for start in track(starts, "scoring graphs", task.progress):
            check_time()
            chunk = all_graphs(scorer.n, start, min(start + CHUNK, 2 ** len(pairs)))
            values = np.append(values, np.where(_agrees(scorer, chunk), scorer.values(chunk), -np.inf))
            found = scorer.graph(first_best_graph(scorer, values))
            tell(task.progress, Step("scoring graphs", start // CHUNK + 1, len(starts), found))
        return Found(found)


def _agrees(scorer: Scorer, blankets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which graphs agree with what is known."""
    if scorer.known is None:
        return np.ones(len(blankets), dtype=bool)
    required = np.array(scorer.known.required.adjacency, dtype=np.int64)
    forbidden = np.array(scorer.known.forbidden.adjacency, dtype=np.int64)
    agrees: NDArray[np.bool_] = ((blankets & required == required) & (blankets & forbidden == 0)).all(axis=1)
    return agrees


def first_best_graph(scorer: Scorer, values: NDArray[np.float64]) -> list[Edge]:
    """Return the edges of the graph with the highest value; of several the fewest, and the first by name."""
    ties: list[int] = np.flatnonzero(values >= values.max() - rounding(values.max())).tolist()
    fewest = min(map(int.bit_count, ties))
    pairs = list(combinations(range(scorer.n), 2))
    place = {pair: i for i, pair in enumerate(scorer.sort_edges(pairs))}
    graphs = [[p for i, p in enumerate(pairs) if at >> i & 1] for at in ties if at.bit_count() == fewest]
    return min(graphs, key=lambda edges: sorted(place[edge] for edge in edges))
