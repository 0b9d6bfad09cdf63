"""Communities: variables that are joined more with each other than with the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.native import kernels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    order = list(nodes)
    if not weights:
        return [[v] for v in order]
    ends = np.array(list(weights), dtype=np.int32).reshape(-1, 2)
    strength = np.maximum(np.fromiter(weights.values(), dtype=np.float64, count=len(weights)), LEAST)
    native = kernels()
    if native is None:
        return by_size(greedy_modularity(order, ends.tolist(), strength.tolist()))
    x, y = np.ascontiguousarray(ends.T)
    label = native.communities(max(order) + 1, x, y, strength)
    found: dict[int, list[int]] = {}
    for v in order:
        found.setdefault(int(label[v]), []).append(v)
    return by_size(found.values())


def greedy_modularity(
    nodes: Sequence[int], ends: Sequence[Sequence[int]], weights: Sequence[float]
) -> list[frozenset[int]]:
    """Return the communities by networkx: what the kernel is held to."""
    import networkx as nx  # not at the top: `import graphoid` stays light

    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_weighted_edges_from((x, y, w) for (x, y), w in zip(ends, weights, strict=True))
    found: list[frozenset[int]] = nx.community.greedy_modularity_communities(graph, weight="weight")
    return found


def by_size(found: Iterable[Iterable[int]]) -> list[list[int]]:
    """Return communities with their members in order, the largest first."""
    return sorted(map(sorted, found), key=lambda members: (-len(members), members))
