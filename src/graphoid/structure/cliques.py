"""Maximal cliques of a graph, and the features that they make."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.logic.assertion import Context
    from graphoid.structure.graph import UndirectedGraph


def maximal_cliques(graph: UndirectedGraph) -> tuple[tuple[int, ...], ...]:
    """Return the maximal cliques, sorted; a variable without neighbors is one of its own.

    >>> from graphoid import UndirectedGraph
    >>> maximal_cliques(UndirectedGraph(4, [(0, 1), (1, 2), (0, 2)]))
    ((0, 1, 2), (3,))
    """
    import networkx as nx

    positions = nx.Graph()
    positions.add_nodes_from(range(graph.n))
    positions.add_edges_from(graph.edges)
    return tuple(sorted(tuple(sorted(clique)) for clique in nx.find_cliques(positions)))


def clique_features(graph: UndirectedGraph, arities: Sequence[int]) -> tuple[Context, ...]:
    """Return a feature for every configuration of every maximal clique.

    >>> from graphoid import UndirectedGraph
    >>> clique_features(UndirectedGraph(2, []), [2, 2])
    (((0, 0),), ((0, 1),), ((1, 0),), ((1, 1),))
    """
    return tuple(
        tuple(zip(clique, states, strict=True))
        for clique in maximal_cliques(graph)
        for states in product(*(range(arities[v]) for v in clique))
    )
