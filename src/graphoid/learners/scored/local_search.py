"""A graph and what flipping each of some edges would gain: what climbing searches walk on."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from graphoid.learners.scored.base import flipped
from graphoid.scores.base import BlanketScorer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.scores.base import Scorer
    from graphoid.structure.graph import Edge, UndirectedGraph

LEAST = 1e-9
"""Gains below this are rounding: no improvement."""


class Slope:
    """The graph a search stands on, and the gain of every step it may take.

    ``graph`` and its ``value``; for each of the ``edges`` its gain (``gains``) and whether it is ``there``.

    Parameters
    ----------
    scorer
        Gives the gains.
    graph
        Where to stand at first.
    edges
        Edges that may be flipped; all pairs if None.
    """

    def __init__(self, scorer: Scorer, graph: UndirectedGraph, edges: Sequence[Edge] | None = None) -> None:
        self.scorer = scorer
        self.edges = list(combinations(range(scorer.n), 2)) if edges is None else list(edges)
        touching: list[list[int]] = [[] for _ in range(scorer.n)]
        for i, (x, y) in enumerate(self.edges):
            touching[x].append(i)
            touching[y].append(i)
        self._halves = _Halves(scorer, self.edges, touching) if isinstance(scorer, BlanketScorer) else None
        self.stand(graph)

    def stand(self, graph: UndirectedGraph) -> None:
        """Go to a graph, whatever it is."""
        self.graph = graph
        self.value = self.scorer.value(graph)
        self.there = np.array([bool(graph.adjacency[x] >> y & 1) for x, y in self.edges], dtype=bool)
        if self._halves is None:
            self.gains = self.scorer.gains(graph, self.edges)
        else:
            self._weight = np.array([self.scorer.weight[x, y] for x, y in self.edges])
            self._weight[self.there] *= -1
            self._halves.update(graph.adjacency, range(graph.n))
            self.gains = self._halves.changes.sum(axis=0) + self._weight

    def step(self, i: int) -> None:
        """Flip an edge, by its place among the edges, and bring the gains up to date."""
        x, y = self.edges[i]
        self.graph = flipped(self.graph, (x, y))
        self.there[i] = not self.there[i]
        self.value += float(self.gains[i])
        if self._halves is not None:
            self._weight[i] = -self._weight[i]
            self._halves.update(self.graph.adjacency, (x, y))
            self.gains = self._halves.changes.sum(axis=0) + self._weight
        else:
            self.gains = self.scorer.gains(self.graph, self.edges)

    def best(self) -> int:
        """Return the place of the edge with the highest gain; the first of several."""
        return int(np.argmax(self.gains))


class _Halves:
    """What flipping an edge changes at either end, where a score is a sum over variables with their blankets.

    A variable's changes depend on its blanket alone, so that those of a blanket met before are kept.
    """

    def __init__(self, scorer: BlanketScorer, edges: list[Edge], touching: list[list[int]]) -> None:
        self._scorer = scorer
        self.changes = np.zeros((2, len(edges)))  # at the first end of every edge, and at the second
        self._ends = [
            np.array([edges[i][1] == v for i in places], dtype=np.intp) for v, places in enumerate(touching)
        ]
        self._places = [np.array(places, dtype=np.intp) for places in touching]
        self._partners = [[sum(edges[i]) - v for i in places] for v, places in enumerate(touching)]
        self._kept: dict[tuple[int, int], NDArray[np.float64]] = {}

    def update(self, adjacency: Sequence[int], variables: Iterable[int]) -> None:
        """Bring the changes at some variables up to date."""
        here = [(v, adjacency[v]) for v in variables]
        new = [family for family in here if family not in self._kept]
        if new:
            found = self._scorer.changes([(*family, self._partners[family[0]]) for family in new])
            self._kept.update(zip(new, found, strict=True))
        for family in here:
            v = family[0]
            self.changes[self._ends[v], self._places[v]] = self._kept[family]
