"""A graph and what flipping each of some edges would gain: what local searches and chains step on."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.engine import refuse_many_pairs
from graphoid.limits import check_time
from graphoid.scores.base import BlanketScorer, Scorer, flip_member
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.engine import Blanket
    from graphoid.structure.graph import Edge

ROUNDING = 1e-10
"""By how much of its size a score may differ and be the same. Some ten thousand terms are added up, each
right to 1e-15 or so and in another order where columns are; Newton's method ends within 1e-12."""


def rounding(value: float) -> float:
    """Return by how much scores of this size may differ by rounding alone."""
    return ROUNDING * max(1.0, abs(value))


def improves(gain: float, value: float) -> bool:
    """Say whether a gain on a score is more than rounding: ties never add an edge."""
    return gain > rounding(value)


def first_best(gains: NDArray[np.float64], value: float) -> int:
    """Return the place of the largest gain, the first of several that are the same but for rounding."""
    return int(np.argmax(gains >= gains.max() - rounding(value)))


MOST_FLIPPED = 2_000
"""Blankets whose steps are kept: of a hundred variables some 50 MB."""


class Neighborhood:
    """The graph a search has reached, and the gain of every step it may take from there.

    ``graph`` and its ``value``; for each of the ``edges`` its gain (``gains``) and whether it is ``present``.

    Where a score is a sum over variables with their blankets, a gain is what changes at either end. A
    variable's changes depend on its blanket alone, so that those of a blanket met before are kept. All pairs
    that are not known may be flipped unless ``edges`` says which, in the order that decides between equals.
    """

    def __init__(self, scorer: Scorer, graph: UndirectedGraph, edges: Sequence[Edge] | None = None) -> None:
        self.scorer = scorer
        if edges is None:
            refuse_many_pairs(scorer.n)
        pairs = scorer.sort_edges(scorer.open_pairs()) if edges is None else edges
        self.edges = edges = list(pairs)
        self.ends = np.array(edges, dtype=np.intp).reshape(-1, 2).T
        """The first variable of every edge, and the second."""
        places: list[list[int]] = [[] for _ in range(scorer.n)]  # of the edges of each variable
        for i, (x, y) in enumerate(edges):
            places[x].append(i)
            places[y].append(i)
        self._places = [np.array(own, dtype=np.intp) for own in places]
        self._ends = [
            np.array([edges[i][1] == v for i in own], dtype=np.intp) for v, own in enumerate(places)
        ]
        self._partners = [[sum(edges[i]) - v for i in own] for v, own in enumerate(places)]
        self._changes = np.zeros((2, len(edges)))  # at the first end of every edge, and at the second
        self._kept: dict[Blanket, NDArray[np.float64]] = {}
        self._flipped: dict[Blanket, list[Blanket]] = {}
        self._weight = scorer.weights(edges)
        self.reset(graph)

    def reset(self, graph: UndirectedGraph) -> None:
        """Go to a graph, whatever it is."""
        self.graph = graph
        self._own = list(graph.blankets)
        self.value = self.scorer.value(graph)
        self.present = np.array([y in self._own[x] for x, y in self.edges], dtype=bool)
        self._update(range(self.scorer.n))

    def flip(self, i: int) -> None:
        """Flip an edge, by its place among the edges, and bring the gains up to date."""
        x, y = self.edges[i]
        self.graph = self.graph.without_edge(x, y) if self.present[i] else self.graph.with_edge(x, y)
        self.present[i] = not self.present[i]
        self.value += float(self.gains[i])
        self._own[x], self._own[y] = flip_member(self._own[x], y), flip_member(self._own[y], x)
        self._update((x, y))

    def best(self, allowed: NDArray[np.bool_] | None = None) -> int:
        """Return the place of the edge whose flip gains most, the first of several."""
        gains = self.gains if allowed is None else np.where(allowed, self.gains, -np.inf)
        return first_best(gains, self.value)

    def _update(self, variables: Iterable[int]) -> None:
        """Bring the gains up to date after the blankets of some variables have changed."""
        check_time()
        if not isinstance(self.scorer, BlanketScorer):
            self.gains = self.scorer.gains(self.graph, self.edges)
            return
        families = [self._blanket(v) for v in variables]
        new = [family for family in families if family not in self._kept]
        if new:
            if (len(self._kept) + len(new)) * len(self._partners) > self.scorer.most_held:
                self._kept.clear()  # as many numbers as terms are kept, at most
                new = families
            flips = [self._flips(family) for family in new]
            self.scorer.prepare_blankets(chain(new, *flips))
            terms = self.scorer.held
            for family, after in zip(new, flips, strict=True):
                self._kept[family] = np.array([terms[f] for f in after]) - terms[family]
        for family in families:
            v = family[0]
            self._changes[self._ends[v], self._places[v]] = self._kept[family]
        self.gains = self._changes.sum(axis=0) + np.where(self.present, -self._weight, self._weight)

    def _blanket(self, v: int) -> Blanket:
        return v, self._own[v]

    def _flips(self, family: Blanket) -> list[Blanket]:
        """Return a variable with its blanket after every step that it may take; walks come by again."""
        found = self._flipped.get(family)
        if found is None:
            v, own = family
            found = [(v, flip_member(own, y)) for y in self._partners[v]]
            if len(self._flipped) >= MOST_FLIPPED:
                self._flipped.clear()
            self._flipped[family] = found
        return found


AT_ONCE = 8
"""Gains that are brought up to date together, of those that look best."""


class LazyNeighborhood(Neighborhood):
    """A neighborhood whose gains are brought up to date only where they may matter ([Minoux1978]_).

    When the blanket of a variable changes, what its edges are worth to it is taken to be what it was before,
    until one of them looks best. :attr:`value` is exact all the same.
    """

    steps = 0
    """Edges flipped together so far."""
    _worth: NDArray[np.float64] | None = None
    """What every edge is worth to its first end, and to its second: with it less without it."""

    def _update(self, variables: Iterable[int]) -> None:
        if self._worth is None or not isinstance(self.scorer, BlanketScorer):
            super()._update(variables)
            self._worth = np.where(self.present, -self._changes, self._changes)
            self._fresh = np.ones(self._worth.shape, dtype=bool)
            return
        check_time()
        families = [self._blanket(v) for v in variables]
        self.scorer.prepare_blankets(families)
        bases = self.scorer.recall(families).tolist()
        for (v, own), base in zip(families, bases, strict=True):
            after = self.scorer.recall(self._flips((v, own)))
            known = ~np.isnan(after)
            ends, places = self._ends[v], self._places[v]
            self._fresh[ends, places] = known
            worth = np.where(self.present[places], base - after, after - base)
            self._worth[ends[known], places[known]] = worth[known]
        self._add_up()

    def best(self, allowed: NDArray[np.bool_] | None = None) -> int:
        """Return the place of the edge whose flip gains most, of those brought up to date as they come up.

        Where none seems to gain anything, all are: a climb ends at a peak.
        """
        while True:
            i = super().best(allowed)
            stale = np.flatnonzero(~self._fresh.all(axis=0))
            if not self._fresh[:, i].all():
                gains = self.gains if allowed is None else np.where(allowed, self.gains, -np.inf)
                self.refresh(stale[np.argsort(-gains[stale], kind="stable")[:AT_ONCE]])
            elif allowed is None and len(stale) and not improves(self.gains[i], self.value):
                self.refresh(stale)
            else:
                return i

    def refresh(self, places: NDArray[np.intp]) -> None:
        """Bring the gains of some edges up to date."""
        if not isinstance(self.scorer, BlanketScorer) or self._worth is None:
            return
        held = self.scorer.held
        ends = [(k, int(i)) for i in places for k in (0, 1) if not self._fresh[k, i]]
        own = {v: self._blanket(v) for k, i in ends for v in [self.edges[i][k]]}
        after = [
            (v, flip_member(own[v][1], e[1 - k])) for k, i in ends for e in [self.edges[i]] for v in [e[k]]
        ]
        self.scorer.prepare_blankets([*after, *own.values()])
        for (k, i), family in zip(ends, after, strict=True):
            change = held[family] - held[own[family[0]]]
            self._worth[k, i] = -change if self.present[i] else change
            self._fresh[k, i] = True
        self._add_up()

    def leading(self) -> NDArray[np.intp]:
        """Return edges that are the best step of both their ends, at most one of a variable; stale ones too.

        Steps of other variables change nothing about them: one by one, they would come as well.
        """
        least, gains = rounding(self.value), self.gains
        best = np.full(self.scorer.n, -np.inf)
        for end in self.ends:
            np.maximum.at(best, end, gains)
        x, y = self.ends
        leads = np.flatnonzero((gains > least) & (gains >= np.maximum(best[x], best[y]) - least))
        used: set[int] = set()
        found = []
        for i in leads.tolist():  # of equals the first
            if used.isdisjoint(self.edges[i]):
                used.update(self.edges[i])
                found.append(i)
        return np.array(found, dtype=np.intp)

    def flip_apart(self, places: NDArray[np.intp]) -> None:
        """Flip edges that have no variable in common, and bring the gains up to date."""
        if not len(places):
            return
        for i in places.tolist():
            x, y = self.edges[i]
            self._own[x], self._own[y] = flip_member(self._own[x], y), flip_member(self._own[y], x)
        self.graph = UndirectedGraph.of_sorted_blankets(self.graph.names, self._own)
        self.steps += len(places)
        self.present[places] = ~self.present[places]
        self.value += math.fsum(self.gains[places].tolist())
        self._update(np.unique(self.ends[:, places]).tolist())

    def climb(self) -> bool:
        """Take all steps that lead, or bring those of them up to date that are not; return False at a peak.

        Where none seems to gain anything, all are brought up to date.
        """
        if not isinstance(self.scorer, BlanketScorer):
            i = self.best()
            if improves(self.gains[i], self.value):
                self.flip(i)
                return True
            return False
        leads = self.leading()
        fresh = self._fresh[0] & self._fresh[1]
        stale = leads[~fresh[leads]]
        if len(leads):
            self.refresh(stale)
            self.flip_apart(leads[fresh[leads]])
        elif not fresh.all():
            self.refresh(np.flatnonzero(~fresh))
        else:
            return False
        return True

    def _add_up(self) -> None:
        if self._worth is not None:
            worth = self._worth.sum(axis=0) + self._weight
            self.gains = np.where(self.present, -worth, worth)
