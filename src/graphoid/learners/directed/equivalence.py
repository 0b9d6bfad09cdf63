"""Which arcs of a directed graph the independences decide."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class CPDAG(NamedTuple):
    """Arcs that all equivalent graphs have, and edges whose direction the data cannot tell."""

    directed: tuple[tuple[str, str], ...]
    """Pairs (parent, child), sorted."""
    undirected: tuple[tuple[str, str], ...]
    """Pairs in the order of their names, sorted."""


def cpdag_of(parents: Mapping[str, Iterable[str]]) -> CPDAG:
    """Return the completed partially directed graph of a directed one ([Chickering2002]_).

    Two graphs have the same independences if they have the same pairs joined and the same parents that are
    not joined ([Verma1990]_); the rules of [Meek1995]_ find the other directions that follow from these.

    >>> cpdag_of({"rain": [], "sprinkler": [], "wet": ["rain", "sprinkler"], "slippery": ["wet"]}).undirected
    ()
    >>> cpdag_of({"a": [], "b": ["a"], "c": ["b"]})
    CPDAG(directed=(), undirected=(('a', 'b'), ('b', 'c')))
    """
    names = sorted({*parents, *(p for own in parents.values() for p in own)})
    index = {name: i for i, name in enumerate(names)}
    decided = compelled_arcs([[index[p] for p in parents.get(name, ())] for name in names])
    arcs = [(p, name) for name in names for p in parents.get(name, ())]
    return CPDAG(
        tuple(sorted(arc for arc in arcs if (index[arc[0]], index[arc[1]]) in decided)),
        tuple(sorted((min(a), max(a)) for a in arcs if (index[a[0]], index[a[1]]) not in decided)),
    )


def compelled_arcs(parents: Sequence[Iterable[int]]) -> set[tuple[int, int]]:
    """Return the arcs (parent, child) that every graph with the same independences has."""
    above = [set(own) for own in parents]
    joined = [set(own) for own in above]
    for v, own in enumerate(above):
        for p in own:
            joined[p].add(v)
    into: list[set[int]] = [set() for _ in above]  # of every child the parents that are decided
    for v, own in enumerate(above):
        for p, q in combinations(own, 2):
            if q not in joined[p]:
                into[v] |= {p, q}
    changed = True
    while changed:
        changed = False
        for v, own in enumerate(above):
            for p in own - into[v]:
                if _follows(p, v, into, joined):
                    into[v].add(p)
                    changed = True
    return {(p, v) for v, own in enumerate(into) for p in own}


def _follows(p: int, v: int, into: Sequence[set[int]], joined: Sequence[set[int]]) -> bool:
    """Say whether an arc follows from those decided, by the first three rules: the other way would make ...

    ... parents of p that are not joined, a circle, or a circle or such parents whatever else is decided.
    """
    if into[p] - joined[v] - {v} or any(p in into[b] for b in into[v]):
        return True
    known = into[v] & joined[p] - into[p]
    return any(b not in joined[a] for a, b in combinations(known, 2))
