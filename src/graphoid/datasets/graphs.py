"""Graphs to learn: random, with hubs, scale-free, regular, grids."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import SettingsError
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from numpy.random import Generator


def random_graph(n: int, tau: float, rng: Generator | int | None) -> UndirectedGraph:
    r"""Return a graph with ``n`` variables of average degree ``tau``.

    The first :math:`\lfloor \tau n / 2 \rfloor` pairs of a random permutation of all pairs are joined
    ([Bromberg2009]_, section 5.1); where there are fewer pairs than that, all of them.

    >>> random_graph(10, 2, rng=0).n_edges
    10
    """
    if tau < 0:
        raise SettingsError(f"tau is an average number of neighbors and cannot be {tau}.")
    pairs = list(itertools.combinations(range(n), 2))
    order = np.random.default_rng(rng).permutation(len(pairs))
    return UndirectedGraph(n, [pairs[k] for k in order[: int(tau * n / 2)]])


def hub_graph(n: int) -> UndirectedGraph:
    """Return a tree of hubs with seven leaves each, the hubs joined in a path.

    Hubs are at positions 0, 8, 16, ..., each followed by its leaves; if ``n`` is not a multiple of 8, the
    last hub has fewer.

    >>> hub_graph(16).blanket(8)
    (0, 9, 10, 11, 12, 13, 14, 15)

    Notes
    -----
    [Schluter2018]_ speaks of hubs and does not define them; this reading has one hub for eight variables.
    """
    size = 8  # a hub and its seven leaves
    edges = [(x - x % size, x) for x in range(n) if x % size]
    return UndirectedGraph(n, edges + [(hub - size, hub) for hub in range(size, n, size)])


def scale_free_graph(n: int, m: int, rng: Generator | int | None) -> UndirectedGraph:
    """Return a graph grown by preferential attachment, ``m`` edges for each new variable.

    The first ``m + 1`` variables form a star; every later one is joined to ``m`` different earlier ones, each
    chosen with a probability proportional to the number of neighbors it has ([Barabasi1999]_).

    >>> scale_free_graph(16, 2, rng=0).n_edges
    28
    """
    if not 1 <= m < n:
        raise SettingsError(f"m must be at least 1 and less than n; got m={m}, n={n}.")
    rng = np.random.default_rng(rng)
    edges = [(0, x) for x in range(1, m + 1)]
    ends = [x for edge in edges for x in edge]  # every variable as often as it has neighbors
    for x in range(m + 1, n):
        chosen: list[int] = []
        while len(chosen) < m:
            y = ends[rng.integers(len(ends))]
            if y not in chosen:
                chosen.append(y)
        edges += [(y, x) for y in chosen]
        ends += [*chosen, *(x for _ in chosen)]
    return UndirectedGraph(n, edges)


def grid_graph(side: int) -> UndirectedGraph:
    """Return a square grid: ``side`` times ``side`` variables, each joined to those beside it.

    >>> grid_graph(3).blanket(4)
    (1, 3, 5, 7)
    """
    if side < 1:
        raise SettingsError(f"side is a number of variables and cannot be {side}.")
    beside = [(x, x + 1) for x in range(side * side) if (x + 1) % side]
    return UndirectedGraph(side * side, beside + [(x, x + side) for x in range(side * (side - 1))])


def regular_graph(n: int, degree: int, rng: Generator | int | None) -> UndirectedGraph:
    """Return a random graph in which every variable has ``degree`` neighbors.

    Variables begin in a circle, joined to the nearest; then two edges exchange ends, many times over.

    >>> graph = regular_graph(16, 3, rng=0)
    >>> {len(graph.blanket(x)) for x in range(16)}
    {3}
    """
    if not 0 <= degree < n or n * degree % 2:
        raise SettingsError(f"no graph of {n} variables has {degree} neighbors for each.")
    rng = np.random.default_rng(rng)
    circle = [(x, (x + step) % n) for step in range(1, degree // 2 + 1) for x in range(n)]
    edges = [*circle, *((x, x + n // 2) for x in range(n // 2) if degree % 2)]
    joined = {frozenset(edge) for edge in edges}
    for _ in range(20 * len(edges)):  # a few exchanges an edge would do
        i, k = rng.integers(len(edges), size=2)
        (a, b), (c, d) = edges[i], edges[k] if rng.integers(2) else edges[k][::-1]
        exchanged = {frozenset((a, d)), frozenset((c, b))}
        if len({a, b, c, d}) == 4 and not joined & exchanged:
            joined = joined - {frozenset((a, b)), frozenset((c, d))} | exchanged
            edges[i], edges[k] = (a, d), (c, b)
    return UndirectedGraph(n, [(min(edge), max(edge)) for edge in edges])
