"""The two-phase search of the marginal pseudo-likelihood: blankets first, then a graph from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from graphoid.counts.engine import refuse_many_pairs
from graphoid.errors import SettingsError
from graphoid.learners.scored.base import Found, ScoreLearner, Task
from graphoid.learners.scored.hill_climb import steepest_ascent
from graphoid.learners.scored.local_search import Neighborhood, first_best, improves
from graphoid.limits import check_time
from graphoid.progress import Step, tell, track
from graphoid.scores.base import BlanketScorer
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.separation import members


def best_blanket(scorer: BlanketScorer, x: int) -> int:
    """Return the mask of a blanket that no single variable improves (phase 1).

    Greedy: the best addition, and after each, while there are more than two members, removals for as long as
    one helps.
    """
    known = scorer.known
    required, apart = (0, 0) if known is None else (known.required.adjacency[x], known.forbidden.adjacency[x])
    blanket, value = required, scorer.local(x, required)
    while True:
        check_time()
        larger, reached = _best(
            scorer, x, [blanket | 1 << y for y in scorer.order if y != x and not (blanket | apart) >> y & 1]
        )
        if not improves(reached - value, value):
            return blanket
        blanket, value = larger, reached
        while blanket.bit_count() > 2:
            smaller, reached = _best(
                scorer, x, [blanket ^ 1 << y for y in scorer.order if blanket & ~required & 1 << y]
            )
            if not improves(reached - value, value):
                break
            blanket, value = smaller, reached


def _best(scorer: BlanketScorer, x: int, masks: list[int]) -> tuple[int, float]:
    """Return the mask with the highest term, the first of several."""
    if not masks:
        return 0, -math.inf
    scorer.prepare((x, mask) for mask in masks)
    terms = np.array([scorer.local(x, mask) for mask in masks])
    i = first_best(terms, terms.max())
    return masks[i], float(terms[i])


@dataclass(eq=False)
class TwoPhase(ScoreLearner):
    """Find the blanket of every variable on its own, then the best graph between "both" and "either".

    [Pensar2017]_, section 4.2. The second phase starts from the edges that both ends agree on and climbs over
    those that only one of them wants.

    Parameters
    ----------
    score
        A sum over variables and their blankets: :class:`MPL`, :class:`LogLinearScore` or :class:`IBScore`.
    seconds
        Stop after so much time, with the edges that both ends agree on so far.
    """

    def search(self, task: Task) -> Found:
        """Find the blankets, and climb between the graphs they make."""
        scorer = task.scorer
        if not isinstance(scorer, BlanketScorer):
            raise SettingsError(
                f"TwoPhase needs a sum over blankets, such as MPL(); {type(self.score).__name__} is not one."
            )
        refuse_many_pairs(scorer.n)
        wanted: dict[int, list[int]] = {x: [] for x in range(scorer.n)}
        try:
            for x in track(range(scorer.n), "finding blankets", task.progress):
                wanted[x] = list(members(best_blanket(scorer, x)))
        finally:  # also where the time ends it
            both = scorer.graph(UndirectedGraph.from_blankets(wanted, scorer.names, rule="both").edges)
            tell(task.progress, Step("finding blankets", scorer.n, scorer.n, so_far=both))
        either = UndirectedGraph.from_blankets(wanted, scorer.names, rule="either")
        conflicting = scorer.sort_edges(edge for edge in either.edges if not both.has_edge(*edge))
        at = Neighborhood(scorer, both, conflicting)
        path = steepest_ascent(at, task.progress)
        return Found(at.graph, tuple(path))
