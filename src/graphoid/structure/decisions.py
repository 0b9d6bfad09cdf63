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

    What :attr:`LearnedStructure.verdicts` is of few verdicts, for searches that propagate none.
    """

    def __init__(self, trace: Trace, graph: UndirectedGraph) -> None:
        self._trace, self._names, self._n = trace, graph.names, graph.n
        edges = np.sort([x * graph.n + y for x, y in graph.edges]).astype(np.int64)
        keys, places, first = [], [], 0
        for x, y, independent in trace.answers():
            key = np.minimum(x, y).astype(np.int64) * graph.n + np.maximum(x, y)
            agree = np.isin(key, edges) != independent
            keys.append(key[agree])
            places.append(first + np.flatnonzero(agree))
            first += len(key)
        key, place = np.concatenate(keys), np.concatenate(places)
        order = np.argsort(key, kind="stable")
        key, place = key[order], place[order]
        change = key[1:] != key[:-1]
        self._keys = key[np.concatenate([[True], change])] if len(key) else key
        self._firsts = place[np.concatenate([[True], change])] if len(key) else place
        self._lasts = place[np.concatenate([change, [True]])] if len(key) else place

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
