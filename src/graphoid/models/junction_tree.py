"""Junction trees: clusters of variables through which exact answers travel ([Lauritzen1988]_).

The graph is made chordal by eliminating one variable after the other, always one that needs the fewest new
edges (min-fill, [Kjaerulff1990]_). How large the clusters get decides what an exact answer costs; a tree that
would not fit is refused while it is being built, with its size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from graphoid.errors import CountsTooLarge, as_option
from graphoid.limits import MEMORY, memory_limit
from graphoid.logic.sets import mask, members
from graphoid.structure.separation import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CELL_BYTES = 32
"""Of a cell while messages pass: potential, two messages, and their product."""

MAX_CELLS = 2**24
"""Cells in the largest table of an exact answer: 128 MB, of which a handful are alive at a time."""


@dataclass(frozen=True)
class JunctionTree:
    """Clusters joined to a forest: those of a variable are connected, and every scope is inside one."""

    clusters: tuple[tuple[int, ...], ...]
    """The variables of each cluster, sorted. A cluster comes after its parent."""
    parents: tuple[int, ...]
    """The cluster that each one is joined to on the way to its root; -1 for a root."""

    def separator(self, k: int) -> tuple[int, ...]:
        """Return the variables that a cluster shares with its parent, sorted."""
        if self.parents[k] < 0:
            return ()
        above = set(self.clusters[self.parents[k]])
        return tuple(v for v in self.clusters[k] if v in above)

    def holding(self, scope: Iterable[int], arities: Sequence[int]) -> int:
        """Return the smallest cluster that contains all of a scope; the first of equals."""
        inside = set(range(len(self.clusters))).intersection(*(self._with[v] for v in scope))
        return min(inside, key=lambda k: (n_cells(self.clusters[k], arities), k))

    @cached_property
    def _with(self) -> dict[int, set[int]]:
        """For every variable, the clusters it is in."""
        found: dict[int, set[int]] = {}
        for k, cluster in enumerate(self.clusters):
            for v in cluster:
                found.setdefault(v, set()).add(k)
        return found

    @property
    def width(self) -> int:
        """Size of the largest cluster less one."""
        return max(map(len, self.clusters), default=0) - 1


def junction_tree(
    scopes: Iterable[Iterable[int]],
    arities: Sequence[int],
    *,
    variables: Iterable[int] | None = None,
    root: Iterable[int] = (),
    max_cells: int = MAX_CELLS,
) -> JunctionTree:
    """Return a junction tree whose clusters hold every scope.

    Parameters
    ----------
    scopes
        Sets of variables that must be together in a cluster.
    arities
        How many states each variable has.
    variables
        The variables of the tree; None for all. Scopes are taken within them.
    root
        Variables that the first cluster must hold; only what is connected to them matters then, and the rest
        is left out. Empty: all is kept, and the roots are the largest clusters.
    max_cells
        The most cells a cluster may have.
    """
    inside = mask(range(len(arities)) if variables is None else variables)
    wanted = mask(root)
    adjacency = _adjacency([*map(mask, scopes), wanted], inside, len(arities))
    if wanted:
        inside = reachable(adjacency, next(members(wanted)))
    cliques = eliminate(adjacency, inside, arities, max_cells)
    return _tree(cliques, wanted, arities)


def n_cells(cluster: Iterable[int], arities: Sequence[int]) -> int:
    """Return how many joint states variables have."""
    return math.prod(arities[v] for v in cluster)


def eliminate(
    adjacency: Sequence[int], inside: int, arities: Sequence[int], max_cells: int
) -> list[tuple[int, int]]:
    """Eliminate the variables of a mask by min-fill: return each with its clique's mask, in this order.

    Ties go to the smaller clique, then to the first position. A clique of more than ``max_cells`` joint
    states is refused as soon as it cannot be avoided.
    """
    free = memory_limit()
    if free is not None:
        max_cells = min(max_cells, free // CELL_BYTES)
    left = {v: adjacency[v] for v in members(inside)}
    cost = {v: _cost(v, left, arities) for v in left}
    order: list[tuple[int, int]] = []
    while left:
        v = min(cost, key=cost.__getitem__)
        bits = left.pop(v)
        del cost[v]
        size = n_cells(members(bits | 1 << v), arities)
        if size > max_cells:
            raise CountsTooLarge(
                f"the junction tree needs a cluster of {bits.bit_count() + 1} variables with {size:,} joint "
                f"states ({8 * size / 2**20:,.0f} MB); at most {max_cells:,} are kept (max_cells, {MEMORY}). "
                f"Give more evidence, use fewer edges, or sample: {as_option('--estimate', 'estimate()')}."
            )
        order.append((v, bits | 1 << v))
        changed = set(members(bits))
        for u in members(bits):
            added = bits & ~left[u] & ~(1 << u)
            left[u] = (left[u] | bits) & ~(1 << u) & ~(1 << v)
            if added:  # an edge between two neighbors of w changes what w would cost
                changed.update(members(left[u]))
        for u in sorted(changed):
            cost[u] = _cost(u, left, arities)
    return order


def _adjacency(scopes: Iterable[int], inside: int, n: int) -> list[int]:
    """Return for every variable the mask of those in ``inside`` that share a scope with it."""
    adjacency = [0] * n
    for scope in scopes:
        for v in members(scope & inside):
            adjacency[v] |= scope & inside & ~(1 << v)
    return adjacency


def _cost(v: int, adjacency: dict[int, int], arities: Sequence[int]) -> tuple[int, int, int]:
    """Return how many edges eliminating a variable adds, the joint states of its clique, and its position."""
    bits = adjacency[v]
    missing = sum((bits & ~adjacency[u]).bit_count() - 1 for u in members(bits))
    return missing // 2, arities[v] * n_cells(members(bits), arities), v


def _tree(cliques: list[tuple[int, int]], wanted: int, arities: Sequence[int]) -> JunctionTree:
    """Return the tree of elimination cliques: those inside another are merged into it, the root is first."""
    when = {v: k for k, (v, _) in enumerate(cliques)}
    masks = [bits for _, bits in cliques]
    into = list(range(len(masks)))  # the clique that holds each one now
    links: list[set[int]] = [set() for _ in masks]
    for k, (v, bits) in enumerate(cliques):
        others = bits & ~(1 << v)
        if not others:
            continue
        up = min(when[u] for u in members(others))  # its members are all in that clique, too
        mine = into[k]
        if into[up] == up and masks[mine] & masks[up] == masks[up]:  # the one above is inside this one
            into[up] = mine
        else:
            links[mine].add(up)
    kept = [k for k in range(len(masks)) if into[k] == k]
    around: dict[int, set[int]] = {k: set() for k in kept}
    for k, targets in enumerate(links):
        for target in targets:
            a, b = into[k], into[target]
            around[a].add(b)
            around[b].add(a)
    # larger first, but for the one that holds the root
    order = sorted(
        kept,
        key=lambda k: (masks[k] & wanted != wanted, -n_cells(members(masks[k]), arities), masks[k]),
    )
    number: dict[int, int] = {}
    parents: list[int] = []
    for start in order:
        stack = [] if start in number else [(start, -1)]
        while stack:
            k, parent = stack.pop()
            number[k] = len(number)
            parents.append(parent)
            stack += [(j, number[k]) for j in sorted(around[k], reverse=True) if j not in number]
    clusters = sorted(number, key=number.__getitem__)
    return JunctionTree(tuple(tuple(members(masks[k])) for k in clusters), tuple(parents))
