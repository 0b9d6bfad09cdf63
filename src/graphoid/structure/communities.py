"""Communities: variables that are joined more with each other than with the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graphoid.structure.graph import Edge

LEAST = 1e-12
"""What an edge of weight zero still counts: it is one."""


def communities(nodes: Iterable[int], weights: Mapping[Edge, float]) -> list[list[int]]:
    """Return the communities of weighted edges by greedy modularity ([Clauset2004]_), the largest first.

    Parameters
    ----------
    nodes
        All of them, in the order that decides between equals.
    weights
        Of the edges.
    """
    import networkx as nx  # not at the top: `import graphoid` stays light

    weighted = nx.Graph()
    weighted.add_nodes_from(nodes)
    weighted.add_weighted_edges_from((x, y, max(float(w), LEAST)) for (x, y), w in weights.items())
    if not weights:
        return [[v] for v in weighted]
    found = nx.community.greedy_modularity_communities(weighted, weight="weight")
    return sorted((sorted(members) for members in found), key=lambda members: (-len(members), members))
