"""Smallest separators: the cheapest tests that decide a pair in a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.learners.pfmn.population import Graphs, Pair, Query, ends
from graphoid.limits import within_time
from graphoid.logic.sets import members

if TYPE_CHECKING:
    from collections.abc import Sequence


def separators(graphs: Graphs, of: Sequence[Pair]) -> list[Query]:
    """Return for every graph and pair the smallest separators without their edge, one closest to each end.

    Tests come in the order of the pairs and without repetition.
    """
    native = kernels()
    both_ways = [*of, *((y, x) for x, y in of)]
    if native is None:
        found = np.array(
            [smallest_separator(graph, x, y) for graph in within_time(graphs.tolist()) for x, y in both_ways],
            dtype=np.uint64,
        )
    else:
        found = native.population_separators(graphs, *ends(both_ways), available_threads())
    pair = np.tile(np.arange(len(of)), 2 * len(graphs))
    order = np.lexsort((found, pair))
    found, pair = found[order], pair[order]
    first = np.ones(len(found), dtype=bool)
    first[1:] = (found[1:] != found[:-1]) | (pair[1:] != pair[:-1])
    return [
        Query(of[p][0], of[p][1], given)
        for p, given in zip(pair[first].tolist(), found[first].tolist(), strict=True)
    ]


def smallest_separator(graph: Sequence[int], x: int, y: int) -> int:
    """Return a smallest set that separates x and y once their edge is taken away, the one closest to x.

    By Menger's theorem there are as many paths without a common variable. Every variable has an entrance and
    an exit; a path may go back through what an earlier one uses, and undoes it.
    """
    used = 0
    entered_from: dict[int, int] = {}
    while True:
        parent: dict[tuple[int, bool], tuple[int, bool]] = {}
        queue = [(x, True)]  # a variable, and whether this is its exit
        last = None
        for node in queue:
            v, is_exit = node
            if is_exit:
                around = graph[v] & ~(1 << x) & ~((1 << y) if v == x else 0)
                if around >> y & 1:
                    last = node
                    break
                steps = [(w, False) for w in members(around)] + [(v, False)] * (used >> v & 1)
            elif not used >> v & 1:
                steps = [(v, True)]
            else:
                steps = [(entered_from[v], True)] if entered_from[v] != x else []
            for step in steps:
                if step not in parent:
                    parent[step] = node
                    queue.append(step)
        if last is None:
            return sum(1 << v for v, is_exit in parent if not is_exit and (v, True) not in parent)
        node, before = (y, False), last
        while True:
            if before[0] == node[0]:
                used ^= 1 << node[0]
            elif before[1] and node[0] != y:
                entered_from[node[0]] = before[0]
            if before == (x, True):
                break
            node, before = before, parent[before]
