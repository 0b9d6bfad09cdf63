"""A graph and what flipping each of some edges would gain: what climbing searches walk on."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from graphoid.learners.scoring import flipped

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        self._touching: list[list[int]] = [[] for _ in range(scorer.n)]
        for i, (x, y) in enumerate(self.edges):
            self._touching[x].append(i)
            self._touching[y].append(i)
        self.stand(graph)

    def stand(self, graph: UndirectedGraph) -> None:
        """Go to a graph, whatever it is."""
        self.graph = graph
        self.value = self.scorer.value(graph)
        self.gains = self.scorer.gains(graph, self.edges)
        self.there = np.array([bool(graph.adjacency[x] >> y & 1) for x, y in self.edges], dtype=bool)

    def step(self, i: int) -> None:
        """Flip an edge, by its place among the edges, and bring the gains up to date."""
        x, y = self.edges[i]
        self.graph = flipped(self.graph, (x, y))
        self.there[i] = not self.there[i]
        self.value += float(self.gains[i])
        if self.scorer.reaches_far:
            self.gains = self.scorer.gains(self.graph, self.edges)
        else:
            touched = list(dict.fromkeys(self._touching[x] + self._touching[y]))
            self.gains[touched] = self.scorer.gains(self.graph, [self.edges[j] for j in touched])

    def best(self) -> int:
        """Return the place of the edge with the highest gain; the first of several."""
        return int(np.argmax(self.gains))
