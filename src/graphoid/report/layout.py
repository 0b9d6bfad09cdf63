r"""Where to draw variables: close to each other what is close in the graph, stable, shared between reports.

The positions minimize the stress of [Gansner2005]_,

.. math:: \sum_{i < j} d_{ij}^{-2} \left( \lVert p_i - p_j \rVert - d_{ij} \right)^2,

with :math:`d_{ij}` the length of the shortest path between i and j, by majorization. Distances in the drawing
have no further meaning.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphoid.structure import separation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.structure.graph import UndirectedGraph

    Point = tuple[float, float]
    Positions = NDArray[np.float64]
    """A row of x and y for every variable; y grows downward, as on a screen."""

EDGE = 90.0
"""What an edge is long on average, in units of the drawing: a label fits beside it."""

GAP = 46.0
"""The least distance between two variables: circles do not touch, and a line fits between."""

APART = 64.0
"""Between isolated variables: no line runs between them."""

LABEL = 120.0
"""Space that a label takes beside a part of the graph."""

MAX_STEPS = 150
"""Majorization is all but done after some tens of steps."""

LANDSCAPE = 1.6
"""How much wider than high a packed drawing may grow: the shape of a screen."""


def layout(graph: UndirectedGraph, *, seed: int = 0, known: Mapping[str, Point] | None = None) -> Positions:
    """Return a place for every variable; the same graph and seed give the same places.

    Parameters
    ----------
    graph
        Who is joined to whom.
    seed
        Another one gives another drawing of the same graph.
    known
        Places by name, from another drawing: variables that have one there keep it, others come to stand
        beside their neighbors.
    """
    rng = np.random.default_rng(seed)
    if known and any(name in known for name in graph.names):
        return _extend(graph, known, rng)
    components = components_of(graph)
    joined = [component for component in components if len(component) > 1]
    parts = [_place(graph, component, rng) for component in joined]
    if alone := [component[0] for component in components if len(component) == 1]:
        joined.append(alone)
        parts.append(_in_rows(len(alone), max((np.ptp(part[:, 0]) for part in parts), default=0.0)))
    places = np.zeros((graph.n, 2))
    for component, corner, part in zip(joined, _pack([_size(part) for part in parts]), parts, strict=True):
        places[component] = part - part.min(axis=0) + corner
    return places.round(1)


def components_of(graph: UndirectedGraph) -> list[list[int]]:
    """Return the connected parts, the largest first, ties by position."""
    left = (1 << graph.n) - 1
    parts = []
    while left:
        part = separation.reachable(graph.adjacency, (left & -left).bit_length() - 1)
        parts.append(list(separation.members(part)))
        left &= ~part
    return sorted(parts, key=lambda part: (-len(part), part))


def _place(graph: UndirectedGraph, component: Sequence[int], rng: np.random.Generator) -> Positions:
    """Return places for a connected part, its longest direction across the page."""
    n = len(component)
    if n == 1:
        return np.zeros((1, 2))
    distance = _distances(graph, component)
    places = majorize(_classical_scaling(distance) + rng.normal(0, 0.05, (n, 2)), distance) * EDGE
    return _spread(_rotate(places))


def _in_rows(n: int, wide: float) -> Positions:
    """Return places for isolated variables: rows as wide as the rest, or as a screen where that is wider."""
    across = max(1, int(wide // APART) + 1, math.ceil(math.sqrt(LANDSCAPE * n)))
    return np.array([(i % across * APART, i // across * APART) for i in range(n)])


def _distances(graph: UndirectedGraph, component: Sequence[int]) -> NDArray[np.float64]:
    """Return the lengths of all shortest paths; an edge between hubs is long, so that their leaves fit in."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    place = {v: i for i, v in enumerate(component)}
    pairs = [(x, y) for x, y in graph.edges if x in place]
    neighbors = [graph.adjacency[v].bit_count() for v in range(graph.n)]
    lengths = [min(neighbors[x], neighbors[y]) ** 0.25 for x, y in pairs]
    rows, columns = [place[x] for x, _ in pairs], [place[y] for _, y in pairs]
    matrix = csr_matrix((lengths, (rows, columns)), shape=(len(component), len(component)))
    found: NDArray[np.float64] = dijkstra(matrix, directed=False)
    return found


def _classical_scaling(distance: NDArray[np.float64]) -> Positions:
    """Return classical multidimensional scaling: where the majorization begins."""
    squares = distance**2
    mean = squares.mean(axis=0)
    products = -0.5 * (squares - mean - mean[:, None] + mean.mean())
    values, axes = np.linalg.eigh(products)  # of a star, LAPACK's search for the last two alone finds none
    values, axes = values[-2:], axes[:, -2:]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])  # eigenvectors have no sign of their own
    start: Positions = axes * np.sqrt(np.maximum(values, 1e-9))
    return start


def majorize(places: Positions, distance: NDArray[np.float64]) -> Positions:
    """Return places of least stress, found from those given."""
    n = len(distance)
    weight = np.where(distance > 0, distance, 1.0) ** -2.0
    np.fill_diagonal(weight, 0.0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.inv(laplacian + 1.0 / n)  # the null space, a shift of all places, is left out
    before = np.inf
    for _ in range(MAX_STEPS):
        across = places[:, None, :] - places[None, :, :]
        apart = np.sqrt((across**2).sum(axis=2))
        stress = float((weight * (apart - distance) ** 2).sum())
        if before - stress < 1e-4 * stress:
            break
        before = stress
        pull = weight * distance / np.maximum(apart, 1e-9)
        places = inverse @ (pull.sum(axis=1)[:, None] * places - pull @ places)
    return places


def _rotate(places: Positions) -> Positions:
    """Return places turned so that they are wide rather than high."""
    centered = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    axes = axes * np.where(axes[:, :1] < 0, -1.0, 1.0)
    rotated: Positions = centered @ axes.T
    return rotated


def _spread(places: Positions, fixed: NDArray[np.bool_] | None = None) -> Positions:
    """Return places of which no two are closer than the gap, each shifted as little as that takes."""
    places = places.copy()
    free = np.ones(len(places), dtype=bool) if fixed is None else ~fixed
    for _ in range(60):
        across = places[:, None, :] - places[None, :, :]
        distance = np.sqrt((across**2).sum(axis=2))
        np.fill_diagonal(distance, np.inf)
        x, y = np.nonzero(distance < GAP)
        if not len(x):
            break
        push = np.zeros_like(places)
        np.add.at(push, x, ((GAP / np.maximum(distance[x, y], 1e-6) - 1) / 2)[:, None] * across[x, y])
        places[free] += 0.9 * push[free]
    return places


def _size(part: Positions) -> Point:
    """Return width and height of a part, with space for the labels at its edge."""
    width, height = part.max(axis=0) - part.min(axis=0)
    return float(width) + LABEL, float(height) + EDGE


def _pack(sizes: Sequence[Point]) -> list[Point]:
    """Return the upper left corners of boxes in rows, as wide as fills a screen best."""
    if not sizes:
        return []
    widest = max(width for width, _ in sizes)
    together = sum(width for width, _ in sizes)
    tried = [_pack_rows(sizes, most) for most in np.geomspace(widest, together, 40)]

    def extent(corners: list[Point]) -> float:
        right = max(x + width for (x, _), (width, _) in zip(corners, sizes, strict=True))
        bottom = max(y + height for (_, y), (_, height) in zip(corners, sizes, strict=True))
        return max(right / LANDSCAPE, bottom)

    return min(tried, key=extent)


def _pack_rows(sizes: Sequence[Point], most: float) -> list[Point]:
    """Return the corners of boxes in centered rows of at most some width; small ones stack where they fit."""
    corners: list[Point] = []
    ends: list[float] = []  # of the row of every box
    begin = 0
    x, y, row, column, stacked = 0.0, 0.0, 0.0, 0.0, 0.0
    for width, height in sizes:
        if column and stacked + height <= row and width <= column:
            corners.append((x - column, y + stacked))  # below the one before
            stacked += height
            continue
        if x > 0 and x + width > most:
            ends += [x] * (len(corners) - begin)
            begin = len(corners)
            x, y, row = 0.0, y + row, 0.0
        corners.append((x, y))
        x, row, column, stacked = x + width, max(row, height), width, height
    ends += [x] * (len(corners) - begin)
    return [(left + (max(ends) - end) / 2, top) for (left, top), end in zip(corners, ends, strict=True)]


def _extend(graph: UndirectedGraph, known: Mapping[str, Point], rng: np.random.Generator) -> Positions:
    """Return the known places; the others at the center of their neighbors, or in a row below."""
    fixed = np.array([name in known for name in graph.names])
    places = np.array([known.get(name, (0.0, 0.0)) for name in graph.names], dtype=np.float64)
    bottom, left = places[fixed][:, 1].max(), places[fixed][:, 0].min()
    for v in np.flatnonzero(~fixed).tolist():
        around = [y for y in graph.blanket(v) if fixed[y]]
        if around:
            places[v] = places[around].mean(axis=0) + rng.normal(0, 0.3 * EDGE, 2)
        else:
            left += EDGE
            places[v] = left, bottom + EDGE
    return _spread(places, fixed).round(1)
