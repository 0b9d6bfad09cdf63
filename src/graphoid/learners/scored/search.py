"""The search we recommend: climb, walk on where climbing ends, and start again nearby."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from graphoid.counts.engine import refuse_many_questions
from graphoid.errors import SettingsError
from graphoid.independence.g import GTest
from graphoid.independence.tester import Tester
from graphoid.learners.grow_shrink.gsimn import gsimn
from graphoid.learners.scored.base import Found, ScoreLearner, Start, Task, initial_graph
from graphoid.learners.scored.hill_climb import ibmap_hc, steepest_ascent
from graphoid.learners.scored.local_search import LazyNeighborhood, Neighborhood, improves, rounding
from graphoid.progress import Listener, Step, tell
from graphoid.scores.closures import PairScorer
from graphoid.settings import NOT_NEGATIVE, Allowed, Number, RandomState
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.structure.separation import members

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.scores.base import Scorer
    from graphoid.structure.learned import LearnedStructure

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


@dataclass
class Record:
    """The best graph that walks have met, and how many steps they have left."""

    best: UndirectedGraph
    top: float
    """The score of the best."""
    steps: float
    progress: Listener | None = None

    def improve(self, at: Neighborhood) -> None:
        """Keep a graph that is better than all before, and tell."""
        if improves(at.value - self.top, self.top):
            self.best, self.top = at.graph, at.value
            self.progress = tell(self.progress, Step("searching", 0, so_far=self.best))


def tabu_walk(at: Neighborhood, length: int, rng: np.random.Generator, record: Record) -> UndirectedGraph:
    """Take the best step again and again, also downhill, never soon back; return the best graph met.

    A step back is allowed where it leads higher than ever before. The walk ends after ``length`` steps
    without that.
    """
    best, top = at.graph, at.value
    tabu = np.zeros(len(at.edges), dtype=np.int64)  # until when an edge may not be flipped again
    tenure = min(7, len(at.edges) // 3)  # at least: enough to leave a triangle or two behind
    now = since = 0
    while since < length and record.steps > 0:
        now += 1
        since += 1
        allowed = (tabu <= now) | (at.value + at.gains > top + rounding(top))
        if not allowed.any():
            continue
        i = at.best(allowed)
        at.flip(i)
        record.steps -= 1
        tabu[i] = now + tenure + int(rng.integers(0, tenure + 1))
        if improves(at.value - top, top):
            best, top, since = at.graph, at.value, 0
            record.improve(at)
    return best


def perturb(graph: UndirectedGraph, at: Neighborhood, rng: np.random.Generator) -> UndirectedGraph:
    """Return a graph with the neighborhood of one variable drawn anew; now and then, another graph.

    Flips a few candidate edges among a variable, its blanket and its candidates: a block that single steps
    cannot cross, such as a triangle that pays only as a whole or a hub that took its leaves' edges.
    """
    edges, names = at.edges, at.scorer.names
    if rng.random() < ANEW:
        return UndirectedGraph(names, [edge for edge in edges if rng.random() < 2 / len(names)])
    center = at.scorer.order[int(rng.integers(len(names)))]
    around = {center, *members(graph.adjacency[center])}
    around |= {y if x == center else x for x, y in edges if center in (x, y) and rng.random() < 0.2}
    block = [edge for edge in edges if edge[0] in around and edge[1] in around]
    if not block:
        return graph
    size = min(len(block), int(rng.integers(2, 6)))
    flips = {block[int(i)] for i in rng.choice(len(block), size=size, replace=False)}
    return UndirectedGraph(names, flips.symmetric_difference(graph.edges))


def candidates(scorer: Scorer, starts: Sequence[UndirectedGraph]) -> list[Edge]:
    """Return the pairs worth looking at: all of few variables; of many, the strongest dependences of each.

    Pairs of a start, and those that would close a triangle in one, are among them: their dependence may show
    only given others.
    """
    n = scorer.n
    refuse_many_questions(n * (n - 1) // 2)
    pairs = scorer.sort_edges(combinations(range(n), 2))
    if n <= ALL_PAIRS:
        return pairs
    tester = Tester(GTest(), scorer.engine)
    strength = np.zeros((n, n))
    for (x, y), verdict in zip(pairs, tester.ask([(x, y, ()) for x, y in pairs]), strict=True):
        strength[x, y] = strength[y, x] = -(verdict.log_p or 0.0)
    np.fill_diagonal(strength, -np.inf)
    chosen: set[Edge] = set()
    order = np.array(scorer.order)
    for x in range(n):
        for y in order[np.argsort(-strength[x, order], kind="stable")[:PARTNERS]].tolist():
            chosen.add((min(x, y), max(x, y)))
    for graph in starts:
        for x in range(n):
            blanket = list(members(graph.adjacency[x]))
            chosen.update((min(x, y), max(x, y)) for y in blanket)
            if len(blanket) <= PARTNERS:
                chosen.update(combinations(blanket, 2))
    return scorer.sort_edges(chosen)


def overlooked_edges(scorer: Scorer, graph: UndirectedGraph, known: Sequence[Edge]) -> list[Edge]:
    """Return the pairs that are not known yet and that would improve a graph: their dependence was hidden."""
    others = sorted(set(combinations(range(scorer.n), 2)).difference(known))
    gains, value = scorer.gains(graph, others), scorer.value(graph)
    return [edge for edge, gain in zip(others, gains, strict=True) if improves(gain, value)]


def iterated_local_search(
    at: Neighborhood, patience: int, rng: np.random.Generator, record: Record
) -> UndirectedGraph:
    """Walk and perturb until neither has led higher for a while; return the best graph met."""
    length = max(8, min(3 * at.scorer.n, 60))  # of a walk: time to take apart and rebuild what a variable has
    tries = 0
    while tries < patience and at.edges and record.steps > 0:
        before = record.top
        at.reset(tabu_walk(at, length, rng, record))
        steepest_ascent(at)
        record.improve(at)
        tries = 0 if record.top > before else tries + 1
        record.progress = tell(record.progress, Step("searching", tries, patience, so_far=record.best))
        before = record.top
        at.reset(perturb(record.best, at, rng))
        steepest_ascent(at)
        record.improve(at)
        if record.top > before:
            tries = 0
    return record.best


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
        climbs, and only from ``start`` where that is given.
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
    start: Start = None
    max_steps: int | None = None
    random_state: RandomState = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **ScoreLearner.allowed,
        "max_steps": Number(least=0, optional=True),
    }

    def for_resamples(self, found: LearnedStructure) -> Self:
        """Return the search that climbs from what was found in all rows."""
        return replace(self, effort=0, start=found.graph)

    def search(self, task: Task) -> Found:
        """Climb from several graphs, search on from the best peak, and look at what was left out."""
        effort = EFFORTS.get(self.effort) if isinstance(self.effort, str) else self.effort
        if effort is None or effort not in NOT_NEGATIVE:
            raise SettingsError(
                f"Search: effort must be 'quick', 'normal', 'thorough' or a number of at least 0, "
                f"not {self.effort!r}."
            )
        scorer, rng, progress, _ = task
        starts = [UndirectedGraph(scorer.names)]
        if self.start is not None:
            starts.insert(0, initial_graph(self.start, task))
            progress = tell(progress, Step("climbing", 0, so_far=starts[0]))
            starts = starts[:1] if effort == 0 else starts
        if scorer.n <= MOST_TO_START_AGAIN and not (effort == 0 and self.start is not None):
            if isinstance(scorer, PairScorer):
                starts.append(ibmap_hc(scorer, UndirectedGraph(scorer.names))[0])
            starts.append(gsimn(Tester(GTest(alpha=0.01), scorer.engine)))
        at = LazyNeighborhood(scorer, starts[0], candidates(scorer, starts))
        best, top = starts[0], -np.inf
        steps = math.inf if self.max_steps is None else self.max_steps
        for graph in {graph.adjacency: graph for graph in starts}.values():
            at.reset(graph)
            steepest_ascent(at, progress if top == -np.inf else None)  # later climbs begin below the best
            if top == -np.inf or improves(at.value - top, top):
                best, top = at.graph, at.value
                progress = tell(progress, Step("climbing", 0, so_far=best))
            if steps <= 0:
                return Found(best, stopped="budget", pairs=at.edges)
        at.reset(best)
        record = Record(best, at.value, steps, progress)
        best = iterated_local_search(at, round(effort * min(PATIENCE, FEWER / scorer.n)), rng, record)
        n_pairs = scorer.n * (scorer.n - 1) // 2
        while scorer.n <= MOST_TO_LOOK_AGAIN and len(at.edges) < n_pairs and record.steps > 0:
            more = overlooked_edges(scorer, best, at.edges)
            if not more:
                break
            at = LazyNeighborhood(scorer, best, scorer.sort_edges({*at.edges, *more}))
            steepest_ascent(at, progress)
            best = at.graph
        return Found(best, stopped="converged" if record.steps > 0 else "budget", pairs=at.edges)
