"""The search we recommend: climb, walk on where climbing ends, and start again nearby."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.errors import SettingsError
from graphoid.independence.g import GTest
from graphoid.independence.tester import Tester
from graphoid.learners.grow_shrink.gsimn import GSIMN
from graphoid.learners.scored.base import Found, ScoreLearner, Task, start_graph
from graphoid.learners.scored.hill_climb import ibmap_hc, steepest_ascent
from graphoid.learners.scored.local_search import LEAST, Slope
from graphoid.progress import Step, tell
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.separation import members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.progress import Listener
    from graphoid.scores.base import Scorer
    from graphoid.structure.graph import Edge

ALL_PAIRS = 40
"""Up to so many variables every pair is a candidate."""

PARTNERS = 12
"""Beyond, each variable brings the partners it depends on most: several times a usual blanket."""

MOST_TO_LOOK_AGAIN = 300
"""Up to so many variables, all pairs are looked at once more in the end: nothing overlooked is left."""

MOST_TO_START_AGAIN = 300
"""Beyond so many variables there is one start: a climb takes minutes."""

PATIENCE = 40
"""Walks without success after which a search of normal effort ends."""

FEWER = 256
"""Divided by the number of variables, the walks where there are many of them: each takes longer."""

ANEW = 0.2
"""How often a walk starts from a random graph with as many edges as variables, far from the best so far."""

EFFORTS = {"quick": 0.25, "normal": 1.0, "thorough": 4.0}


class Budget:
    """How long a search may go on.

    Parameters
    ----------
    seconds, steps
        The most of each; None for no limit.
    """

    def __init__(self, seconds: float | None = None, steps: int | None = None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds
        self._steps = steps
        self.done = 0

    def spend(self) -> None:
        """Count one step."""
        self.done += 1

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        late = self._until is not None and time.monotonic() >= self._until
        return late or (self._steps is not None and self.done >= self._steps)


def tabu_walk(slope: Slope, length: int, rng: np.random.Generator, budget: Budget) -> UndirectedGraph:
    """Take the best step again and again, also downhill, never soon back; return the best graph met.

    A step back is allowed where it leads higher than ever before. The walk ends after ``length`` steps
    without that.
    """
    best, top = slope.graph, slope.value
    closed = np.zeros(len(slope.edges), dtype=np.int64)  # until when an edge may not be flipped again
    shortest = min(7, len(slope.edges) // 3)  # of a closure: enough to leave a triangle or two behind
    now = since = 0
    while since < length and not budget.spent:
        now += 1
        since += 1
        allowed = (closed <= now) | (slope.value + slope.gains > top + LEAST)
        if not allowed.any():
            continue
        i = int(np.argmax(np.where(allowed, slope.gains, -np.inf)))
        slope.step(i)
        budget.spend()
        closed[i] = now + shortest + int(rng.integers(0, shortest + 1))
        if slope.value > top + LEAST:
            best, top, since = slope.graph, slope.value, 0
    return best


def kicked(graph: UndirectedGraph, edges: Sequence[Edge], rng: np.random.Generator) -> UndirectedGraph:
    """Return the graph with the neighborhood of one variable drawn anew; now and then, another graph.

    Flips a few candidate edges among a variable, its blanket and its candidates: a block that single steps
    cannot cross, such as a triangle that pays only as a whole or a hub that took its leaves' edges.
    """
    if rng.random() < ANEW:
        return UndirectedGraph(graph.names, [edge for edge in edges if rng.random() < 2 / graph.n])
    center = int(rng.integers(graph.n))
    near = {center, *members(graph.adjacency[center])}
    near |= {y if x == center else x for x, y in edges if center in (x, y) and rng.random() < 0.2}
    block = [edge for edge in edges if edge[0] in near and edge[1] in near]
    if not block:
        return graph
    size = min(len(block), int(rng.integers(2, 6)))
    adjacency = list(graph.adjacency)
    for i in rng.choice(len(block), size=size, replace=False):
        x, y = block[int(i)]
        adjacency[x] ^= 1 << y
        adjacency[y] ^= 1 << x
    pairs = [(x, y) for x, mask in enumerate(adjacency) for y in members(mask) if x < y]
    return UndirectedGraph(graph.names, pairs)


def candidates(scorer: Scorer, starts: Sequence[UndirectedGraph]) -> list[Edge]:
    """Return the pairs worth looking at: all of few variables; of many, the strongest dependences of each.

    Pairs of a start, and those that would close a triangle in one, are among them: their dependence may show
    only given others.
    """
    n = scorer.n
    if n <= ALL_PAIRS:
        return list(combinations(range(n), 2))
    pairs = list(combinations(range(n), 2))
    tester = Tester(GTest(), scorer.engine)
    strength = np.zeros((n, n))
    for (x, y), verdict in zip(pairs, tester.ask([(x, y, ()) for x, y in pairs]), strict=True):
        strength[x, y] = strength[y, x] = -(verdict.log_p or 0.0)
    np.fill_diagonal(strength, -np.inf)
    chosen: set[Edge] = set()
    for x in range(n):
        for y in np.argsort(-strength[x], kind="stable")[:PARTNERS].tolist():
            chosen.add((min(x, y), max(x, y)))
    for graph in starts:
        for x in range(n):
            near = list(members(graph.adjacency[x]))
            chosen.update((min(x, y), max(x, y)) for y in near)
            if len(near) <= PARTNERS:
                chosen.update(combinations(near, 2))
    return sorted(chosen)


def improving(scorer: Scorer, graph: UndirectedGraph, known: Sequence[Edge]) -> list[Edge]:
    """Return the pairs that are not known yet and that would improve a graph: their dependence was hidden."""
    others = sorted(set(combinations(range(scorer.n), 2)).difference(known))
    gains = scorer.gains(graph, others)
    return [edge for edge, gain in zip(others, gains, strict=True) if gain > LEAST]


@dataclass(eq=False)
class Search(ScoreLearner):
    """Look for the graph with the highest score: the search we recommend.

    Climbs to the nearest peak from several starts (no edges, GSIMN's graph and, for sums over pairs, what
    IBMAP-HC finds), walks on from the best of them by the best step that does not lead back (tabu search),
    and then starts again and again from the best graph with the neighborhood of one variable drawn anew.
    Gains are kept, and a step brings only those up to date that it changes.

    Parameters
    ----------
    score
        :class:`LogLinearScore`, :class:`BJP`, :class:`IBScore` or :class:`MPL`.
    effort
        "quick", "normal", "thorough", or a number by which the usual number of walks is multiplied; 0 only
        climbs.
    start
        A graph or a learned structure to start from as well.
    seconds, max_steps
        Stop after so much time, or so many steps after the first climb, with the best graph so far.
    random_state
        Seed; the same seed gives the same graph.

    Notes
    -----
    With more than 40 variables only pairs are looked at that depend on each other most strongly, twelve for
    each variable, and those that are joined or share a neighbor in a start. In the end, with up to 300
    variables, all others are looked at once, and the climb goes on with those that would improve the graph.
    """

    _: KW_ONLY
    effort: str | float = "normal"
    start: Any = None
    seconds: float | None = None
    max_steps: int | None = None
    random_state: Any = None

    def _search(self, task: Task) -> Found:
        scorer, rng, progress = task
        given = [] if self.start is None else [start_graph(self.start, scorer)]
        starts = [*given, *usual_starts(scorer)]
        budget = Budget(self.seconds, self.max_steps)
        slope = Slope(scorer, starts[0], candidates(scorer, starts))
        best, top = starts[0], -np.inf
        for start in dict.fromkeys(starts):
            slope.stand(start)
            steepest_ascent(slope, progress if top == -np.inf else None)  # later climbs begin below the best
            if slope.value > top:
                best, top = slope.graph, slope.value
            if budget.spent:
                return Found(best, stopped="budget")
        best = self._wander(slope, best, rng, budget, progress)
        while scorer.n <= MOST_TO_LOOK_AGAIN and not budget.spent:
            overlooked = improving(scorer, best, slope.edges)
            if not overlooked:
                break
            slope = Slope(scorer, best, sorted({*slope.edges, *overlooked}))
            steepest_ascent(slope, progress)
            best = slope.graph
        return Found(best, stopped="budget" if budget.spent else "converged")

    def _wander(
        self,
        slope: Slope,
        best: UndirectedGraph,
        rng: np.random.Generator,
        budget: Budget,
        progress: Listener | None,
    ) -> UndirectedGraph:
        """Walk and kick until neither has led higher for a while."""
        effort = EFFORTS[self.effort] if isinstance(self.effort, str) else float(self.effort)
        n = slope.scorer.n
        length = max(8, min(3 * n, 60))  # of a walk: time to take apart and rebuild what a variable has
        patience = round(effort * min(PATIENCE, FEWER / n))
        slope.stand(best)
        top, tries = slope.value, 0
        while tries < patience and slope.edges and not budget.spent:
            found = tabu_walk(slope, length, rng, budget)
            slope.stand(found)
            steepest_ascent(slope)
            if slope.value > top + LEAST:
                best, top, tries = slope.graph, slope.value, 0
            else:
                tries += 1
            progress = tell(progress, Step("searching", tries, patience, so_far=best))
            slope.stand(kicked(best, slope.edges, rng))
            steepest_ascent(slope)
            if slope.value > top + LEAST:
                best, top, tries = slope.graph, slope.value, 0
        return best

    def _check(self) -> None:
        super()._check()
        if self.effort not in EFFORTS and not (
            isinstance(self.effort, (int, float)) and not isinstance(self.effort, bool) and self.effort >= 0
        ):
            raise SettingsError(
                f"Search: effort must be 'quick', 'normal', 'thorough' or a number of at least 0, "
                f"not {self.effort!r}."
            )
        for name in ("seconds", "max_steps"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and value >= 0):
                raise SettingsError(f"Search: {name} must be a number of at least 0 or None, not {value!r}.")


def usual_starts(scorer: Any) -> list[UndirectedGraph]:
    """Return graphs to climb from: none of the edges, GSIMN's and, for sums over pairs, IBMAP-HC's."""
    empty = UndirectedGraph(scorer.names)
    starts = [empty]
    if scorer.n > MOST_TO_START_AGAIN:
        return starts
    if scorer.score.of_pairs:
        starts.append(ibmap_hc(scorer, empty)[0])
    starts.append(GSIMN().learn(Tester(GTest(alpha=0.01), scorer.engine)).graph)
    return starts
