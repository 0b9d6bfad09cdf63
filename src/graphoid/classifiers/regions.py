r"""Regions of overlapping hyperedges and their counting numbers: the cluster variation method.

A hyperedge is a set of variables. The product of the hyperedges' submodels counts what they share several
times; dividing it out once too often is as wrong. The region graph says how often each intersection enters:

.. math:: \hat P(v) = \frac{1}{Z} \prod_{\langle R, c_R \rangle} P(v_R)^{c_R}

Everything here is a function of sets; no data are needed.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    V = TypeVar("V", bound=Hashable)
else:
    V = TypeVar("V")


def maximal(hyperedges: Iterable[Iterable[V]]) -> list[frozenset[V]]:
    """Return the hyperedges that no other one contains, once each, in the order given.

    >>> [sorted(s) for s in maximal(["ay", "aby", "cy", "aby"])]
    [['a', 'b', 'y'], ['c', 'y']]
    """
    distinct = list(dict.fromkeys(map(frozenset, hyperedges)))
    return [s for s in distinct if not any(s < other for other in distinct)]


def region_graph(hyperedges: Iterable[Iterable[V]]) -> dict[frozenset[V], int]:
    r"""Return the regions of some hyperedges with their counting numbers, those with 0 left out.

    Regions are the maximal hyperedges and all their intersections, :math:`c_R = 1 - \sum_{Q \supset R} c_Q`.

    Notes
    -----
    Departs from Algorithm 1 of [Jakulin2006]_, which keeps a hyperedge that a later one contains and counts
    an intersection before all regions above it are known: its numbers depend on the order of the hyperedges.
    Here regions are counted from the largest down.

    >>> graph = region_graph(["aby", "bcy", "cay"])
    >>> {"".join(sorted(region)): c for region, c in graph.items()}
    {'aby': 1, 'bcy': 1, 'acy': 1, 'by': -1, 'ay': -1, 'cy': -1, 'y': 1}
    """
    regions = maximal(hyperedges)
    found = set(regions)
    for region in regions:  # grows while it is walked: closed under intersection in the end
        for other in regions[: regions.index(region)]:
            both = region & other
            if both and both not in found:
                found.add(both)
                regions.append(both)
    counting: dict[frozenset[V], int] = {}
    for region in sorted(regions, key=len, reverse=True):
        counting[region] = 1 - sum(c for larger, c in counting.items() if region < larger)
    return {region: c for region, c in counting.items() if c}


def subsets(items: tuple[V, ...]) -> Iterator[tuple[V, ...]]:
    """Return all subsets, the empty one first, larger ones later, each in the order of the items."""
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def acyclic(hyperedges: Iterable[int]) -> bool:
    """Say whether hyperedges, given as bit masks of their members, form a hypertree.

    Graham's reduction: members of a single hyperedge are taken off, then hyperedges inside others, until
    nothing changes; a hypertree comes down to nothing.

    >>> acyclic([0b011, 0b110]), acyclic([0b011, 0b110, 0b101]), acyclic([0b011, 0b110, 0b101, 0b111])
    (True, False, True)
    """
    left = list(dict.fromkeys(hyperedges))
    while True:
        once = twice = 0
        for edge in left:
            twice |= once & edge
            once |= edge
        reduced = list(dict.fromkeys(edge & twice for edge in left))
        reduced = [e for e in reduced if e and not any(e != o and e & o == e for o in reduced)]
        if reduced == left or not reduced:
            return not reduced
        left = reduced
