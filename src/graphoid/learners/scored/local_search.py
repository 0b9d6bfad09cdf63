"""A graph and what flipping each of some edges would gain: what local searches and chains step on."""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np

from graphoid.limits import check_time
from graphoid.scores.base import BlanketScorer, Family, Scorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.structure.graph import Edge, UndirectedGraph

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


class Neighborhood:
    """The graph a search has reached, and the gain of every step it may take from there.

    ``graph`` and its ``value``; for each of the ``edges`` its gain (``gains``) and whether it is ``present``.

    Where a score is a sum over variables with their blankets, a gain is what changes at either end. A
    variable's changes depend on its blanket alone, so that those of a blanket met before are kept. All pairs
    may be flipped unless ``edges`` says which, in the order that decides between equals.
    """

    def __init__(self, scorer: Scorer, graph: UndirectedGraph, edges: Sequence[Edge] | None = None) -> None:
        self.scorer = scorer
        pairs = scorer.sort_edges(combinations(range(scorer.n), 2)) if edges is None else edges
        self.edges = edges = list(pairs)
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
        self._kept: dict[Family, NDArray[np.float64]] = {}
        self._weight = np.array([scorer.weight[x, y] for x, y in edges])
        self.reset(graph)

    def reset(self, graph: UndirectedGraph) -> None:
        """Go to a graph, whatever it is."""
        self.graph = graph
        self.value = self.scorer.value(graph)
        self.present = np.array([bool(graph.adjacency[x] >> y & 1) for x, y in self.edges], dtype=bool)
        self._update(range(self.scorer.n))

    def flip(self, i: int) -> None:
        """Flip an edge, by its place among the edges, and bring the gains up to date."""
        x, y = self.edges[i]
        self.graph = self.graph.without_edge(x, y) if self.present[i] else self.graph.with_edge(x, y)
        self.present[i] = not self.present[i]
        self.value += float(self.gains[i])
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
        adjacency = self.graph.adjacency
        families = [(v, adjacency[v]) for v in variables]
        new = [family for family in families if family not in self._kept]
        if new:
            flips = [[(v, mask ^ 1 << y) for y in self._partners[v]] for v, mask in new]
            self.scorer.prepare(chain(new, *flips))
            terms = self.scorer.held
            for family, after in zip(new, flips, strict=True):
                self._kept[family] = np.array([terms[f] for f in after]) - terms[family]
        for family in families:
            v = family[0]
            self._changes[self._ends[v], self._places[v]] = self._kept[family]
        self.gains = self._changes.sum(axis=0) + np.where(self.present, -self._weight, self._weight)


AT_ONCE = 8
"""Gains that are brought up to date together, of those that look best."""


class LazyNeighborhood(Neighborhood):
    """A neighborhood whose gains are brought up to date only where they may matter ([Minoux1978]_).

    When the blanket of a variable changes, what its edges are worth to it is taken to be what it was before,
    until one of them looks best. :attr:`value` is exact all the same.
    """

    _worth: NDArray[np.float64] | None = None
    """What every edge is worth to its first end, and to its second: with it less without it."""

    def _update(self, variables: Iterable[int]) -> None:
        if self._worth is None or not isinstance(self.scorer, BlanketScorer):
            super()._update(variables)
            self._worth = np.where(self.present, -self._changes, self._changes)
            self._fresh = np.ones(self._worth.shape, dtype=bool)
            return
        check_time()
        adjacency, held = self.graph.adjacency, self.scorer.held
        self.scorer.prepare([(v, adjacency[v]) for v in variables])
        for v in variables:
            mask = adjacency[v]
            base = held[v, mask]
            after = np.array([held.get((v, mask ^ 1 << y), np.nan) for y in self._partners[v]])
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
        adjacency, held = self.graph.adjacency, self.scorer.held
        ends = [(k, int(i)) for i in places for k in (0, 1) if not self._fresh[k, i]]
        families = [(e[k], adjacency[e[k]] ^ 1 << e[1 - k]) for k, i in ends for e in [self.edges[i]]]
        self.scorer.prepare(families)
        for (k, i), (v, mask) in zip(ends, families, strict=True):
            change = held[v, mask] - held[v, adjacency[v]]
            self._worth[k, i] = -change if self.present[i] else change
            self._fresh[k, i] = True
        self._add_up()

    def _add_up(self) -> None:
        if self._worth is not None:
            worth = self._worth.sum(axis=0) + self._weight
            self.gains = np.where(self.present, -worth, worth)
