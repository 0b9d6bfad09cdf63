"""What knowledge of pairs says of the arcs of a directed graph.

The network of a directed graph is its moral graph. So a pair that is required has an arc, in one direction or
the other, and a pair that is forbidden has no arc and no child in common.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from graphoid.counts.engine import KnownArcs
from graphoid.errors import SettingsError
from graphoid.structure.separation import members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.structure.knowledge import KnownPairs


def known_arcs(known: KnownPairs | None, order: Sequence[int]) -> KnownArcs:
    """Return what is known of arcs, by the numbers that variables have in an order."""
    if known is None:
        return KnownArcs()
    rank = {v: i for i, v in enumerate(order)}
    return KnownArcs(
        [(rank[p], rank[v]) for p, v in orient(known, order)],
        [(rank[x], rank[y]) for x, y in known.forbidden.edges],
        # of either direction, as a density is shared by both
        [(rank[x], rank[y], odds - math.log(2)) for (x, y), odds in sorted(known.log_odds.items())],
    )


def orient(known: KnownPairs, order: Sequence[int]) -> list[tuple[int, int]]:
    """Return required edges as arcs, parent and child, that make no circle and join no forbidden pair.

    Variables are taken away one after the other, each as the child of those that are left and that it is
    joined to: there must be no forbidden pair among them. Who can be taken away can be so later as well, so
    that the first that can may be taken.
    """
    left = [v for v in order if known.required.adjacency[v]]
    arcs: list[tuple[int, int]] = []
    while left:
        remaining = sum(1 << v for v in left)
        for v in reversed(left):
            parents = list(members(known.required.adjacency[v] & remaining))
            if not any(known.forbidden.has_edge(p, q) for p, q in combinations(parents, 2)):
                arcs += [(p, v) for p in parents]
                left.remove(v)
                break
        else:
            names = known.required.names
            p, q = next(
                (p, q)
                for v in left
                for p, q in combinations(members(known.required.adjacency[v] & remaining), 2)
                if known.forbidden.has_edge(p, q)
            )
            raise SettingsError(
                f"no directed graph has all required edges and leaves {names[p]!r} and {names[q]!r} apart, "
                f"which are forbidden: some variable would be the child of both. Allow that pair, or use "
                f"Search."
            )
    return sorted(arcs)


def required_parents(known: KnownPairs, order: Sequence[int]) -> list[list[int]]:
    """Return the parents of every variable in the graph that a search begins with: required edges alone."""
    parents: list[list[int]] = [[] for _ in order]
    for p, v in orient(known, order):
        parents[v].append(p)
    return parents
