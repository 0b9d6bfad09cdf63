"""Prefetch: which larger tables to fetch, so that the next questions need no access to the data.

A learner asks about x and one variable after the other, given a set that grows by those found dependent.
Which come first, the dependence of pairs tells: of these counts every learner begins with. So an access for
(x, y | S) fetches tables of x, S and as many of the others as fit, those first that depend most on x: they
answer what is asked about x next, given S or what S becomes, by summing.

It changes what is fetched and never what is answered.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.remote.cache import TableCache, mask_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.engine import Positions

Set = frozenset[int]

FEW = 8
"""Questions up to which a batch is one of those that come one by one."""

HUBS_BYTES = 2**26
"""What tables around every variable, fetched at once, may take: 64 MB."""


def information(cells: NDArray[np.int64]) -> float:
    """Return the mutual information of two variables in nats, from their table.

    >>> round(information(np.array([[50, 0], [0, 50]])), 4)
    0.6931
    """
    p = cells / max(1, cells.sum())
    independent = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    occurs = p > 0
    return float((p[occurs] * np.log(p[occurs] / independent[occurs])).sum())


def associations(cache: TableCache, n: int, n_rows: int) -> NDArray[np.float64] | None:
    """Return how much each of n variables tells of each other, once all pairs are held."""
    pairs = {pair: cache.find(mask_of(pair)) for pair in combinations(range(n), 2)}
    matrix = np.zeros((n, n))
    for (x, y), table in pairs.items():
        if table is None:
            return None
        matrix[x, y] = matrix[y, x] = information(table.counts((x, y), (), n_rows).dense())
    return matrix


class Prefetch:
    """Chooses tables.

    Parameters
    ----------
    arities
        Number of states of each variable.
    most
        Cells that a table may have which is fetched before it is needed.
    association
        Returns how much two variables tell of each other, for all pairs; None while that is not known.
    """

    def __init__(
        self, arities: Sequence[int], most: int, association: Callable[[], NDArray[np.float64] | None]
    ) -> None:
        self._arities = list(arities)
        self._most = most
        self._association = association
        self._known: NDArray[np.float64] | None = None
        self._last_hub = -1
        self._hubs_planned = False

    def plan(self, questions: Sequence[Positions], find: Callable[[int], object]) -> list[Set]:
        """Return the tables to fetch for questions that come one by one; ``find`` says what is held."""
        wanted: list[Set] = []
        for x, y, given in questions:
            wanted += self.around(x, y, given, all_others=x == self._last_hub)
        if not self._hubs_planned and any(given for _, _, given in questions):
            hubs = self.hubs()
            if sum(8 * self.cells(hub) for hub in hubs) <= HUBS_BYTES:
                wanted += [hub for hub in hubs if find(mask_of(hub)) is None]
            self._hubs_planned = True
        return maximal(wanted)

    def note(self, questions: Sequence[Positions]) -> None:
        """Note which variable was asked about last: more about it is likely to come."""
        if questions:
            self._last_hub = questions[-1][0]

    def cells(self, variables: Iterable[int]) -> float:
        """Return how many cells the table of some variables has."""
        return math.prod([float(self._arities[v]) for v in variables])

    def around(
        self, x: int, y: int, given: Iterable[int], *, all_others: bool, most: int | None = None
    ) -> list[Set]:
        """Return the tables to fetch for a question: the first has it, the others the same with other y."""
        most = self._most if most is None else most
        base = {x, *given}
        fixed = self.cells(base)
        first, *rest = [y, *(v for v in self.nearest(x) if v not in base and v != y)]
        groups = [base | {first}]
        for v in rest:
            if fixed * self._arities[v] > most:
                continue
            if self.cells(groups[-1]) * self._arities[v] > most:
                if not all_others:
                    break
                groups.append(set(base))
            groups[-1].add(v)
        return [frozenset(group) for group in groups]

    def hubs(self) -> list[Set]:
        """Return for every variable a table of it and of those that depend most on it."""
        return [
            self.around(x, self.nearest(x)[0], (), all_others=False)[0] for x in range(len(self._arities))
        ]

    def nearest(self, x: int) -> list[int]:
        """Return the other variables, the one first that tells most of ``x``, where that is known."""
        others = [v for v in range(len(self._arities)) if v != x]
        if self._known is None:
            self._known = self._association()
        known = self._known
        return others if known is None else sorted(others, key=lambda v: -known[x, v])


def maximal(sets: Iterable[Set]) -> list[Set]:
    """Return the sets that are part of no other, in their order.

    >>> maximal([frozenset({1}), frozenset({1, 2}), frozenset({2}), frozenset({3})])
    [frozenset({1, 2}), frozenset({3})]
    """
    kept: list[Set] = []
    holding: dict[int, list[Set]] = {}
    different = dict.fromkeys(sets)
    for one in sorted(different, key=len, reverse=True):
        member = next(iter(one), -1)
        if not any(one < other for other in holding.get(member, kept if member < 0 else ())):
            kept.append(one)
            for v in one:
                holding.setdefault(v, []).append(one)
    order = {one: i for i, one in enumerate(different)}
    return sorted(kept, key=order.__getitem__)
