"""Which verdict decided each of millions of pairs, looked up where somebody asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from graphoid.logic.verdict import Verdict, name_verdicts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.logic.trace import Trace
    from graphoid.structure.graph import Edge, UndirectedGraph


class Decisions(Mapping["tuple[int, int]", Verdict]):
    """For every pair the last verdict that agrees with a graph, in the order in which pairs had their first.

    Verdicts by propagation count where there is no other, the first of them: what
    :attr:`LearnedStructure.verdicts` is of few verdicts.
    """

    def __init__(self, trace: Trace, graph: UndirectedGraph) -> None:
        self._trace, self._names, self._n = trace, graph.names, graph.n
        edges = np.sort([x * graph.n + y for x, y in graph.edges]).astype(np.int64)
        keys, places, ranks, first = [], [], [], 0
        for x, y, independent, propagated in trace.answers():
            key = np.minimum(x, y).astype(np.int64) * graph.n + np.maximum(x, y)
            agree = np.isin(key, edges) != independent
            place = first + np.flatnonzero(agree)
            keys.append(key[agree])
            places.append(place)
            ranks.append(np.where(propagated[agree], ~place, place))  # the first of these, before the others
            first += len(key)
        key, place, rank = map(np.concatenate, (keys, places, ranks))
        order = np.lexsort((rank, key))
        key, place = key[order], place[order]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        ends = np.append(starts[1:], len(key))[: len(starts)]
        self._keys, self._lasts = key[starts], place[ends - 1]
        self._firsts = np.minimum.reduceat(place, starts) if len(starts) else place

    def __getitem__(self, pair: Edge) -> Verdict:
        key = pair[0] * self._n + pair[1]
        at = int(np.searchsorted(self._keys, key))
        if at == len(self._keys) or self._keys[at] != key or not 0 <= pair[0] < pair[1] < self._n:
            raise KeyError(pair)
        return name_verdicts([self._trace[int(self._lasts[at])]], self._names)[0]

    def __iter__(self) -> Iterator[Edge]:
        keys: NDArray[np.int64] = self._keys[np.argsort(self._firsts)]
        return (divmod(key, self._n) for key in keys.tolist())

    def __len__(self) -> int:
        return len(self._keys)
