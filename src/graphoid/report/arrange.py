"""From places to a drawing in which nothing lies on anything else: nodes keep apart and clear of edges.

Nodes are taken for the boxes around them. What stays between an edge and a node that it does not join, since
no move helps, is solved by a bend of the edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.report.layout import EDGE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.report.layout import Point, Positions
    from graphoid.structure.graph import Edge

ASPECT = 1.5
"""Width over height of a drawing, where that takes no more than the stretch below."""

STRETCH = 1.8

EMPTY = 90.0
"""Of a band across the drawing without a node or an edge, what is left."""

SPACE, CLEAR = 12.0, 6.0
"""Between two nodes, and between a node and an edge that passes by."""

FILLED = 0.15, 0.11, 0.08
"""The share of the drawing that nodes may take, the next one where edges find no way around them."""

STEPS, LARGEST = 120, 14.0
"""Rounds of pushing, and the farthest that a node goes in one."""

MOST_PRODUCTS = 60_000
"""Nodes times edges up to which edges are kept clear: beyond, that takes seconds and nobody could tell."""

BENDS = (
    (0.5, 0.0),
    *((0.5, side * bend / 100) for bend in range(8, 124, 8) for side in (1, -1)),
    *((share, side * bend / 100) for bend in range(8, 164, 12) for side in (1, -1) for share in (0.2, 0.8)),
)
"""Where along an edge it may be pulled, and how far aside, as multiples of its length, the least first."""

SAMPLED = np.linspace(0.0, 1.0, 33)
"""Where a bent edge is compared with nodes."""


def arrange(places: Positions, sizes: NDArray[np.float64], edges: Sequence[Edge]) -> Positions:
    """Return places with room for nodes of some sizes, as wide and high as a page, clear of each other.

    Parameters
    ----------
    places
        Of the middles of the nodes, by :func:`graphoid.report.layout.layout`.
    sizes
        Width and height of every node.
    edges
        Between positions; nodes that they do not join move out of their way.
    """
    if len(places) < 2:
        return places
    clear = len(places) * len(edges) <= MOST_PRODUCTS
    for filled in FILLED:
        arranged = _apart(_on_page(places, sizes, filled), sizes, edges, clear=clear)
        if not clear or not any(_way_around(edge, arranged, sizes).n_hit for edge in edges):
            break
    return _close_up(arranged, sizes, edges)


def _close_up(places: Positions, sizes: NDArray[np.float64], edges: Sequence[Edge]) -> Positions:
    """Return places with less room between parts of the graph: no band without node or edge is broad."""
    closed = places.copy()
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    for axis in (0, 1):
        at, half = closed[:, axis], sizes[:, axis] / 2
        low = np.concatenate([at - half, at[ends].min(axis=1)])
        high = np.concatenate([at + half, at[ends].max(axis=1)])
        order = np.argsort(low, kind="stable")
        begins, reached = low[order][1:], np.maximum.accumulate(high[order])[:-1]
        too_much = np.maximum(0.0, begins - reached - EMPTY)
        closed[:, axis] = at - (too_much * (at[:, None] >= begins)).sum(axis=1)
    return closed.round(1)


def _on_page(places: Positions, sizes: NDArray[np.float64], filled: float) -> Positions:
    """Return places scaled and stretched to a page of which nodes take a share at most."""
    low, high = places.min(axis=0), places.max(axis=0)
    extent = np.maximum(high - low, EDGE)
    scale = max(1.0, 2.3 * float(sizes.mean()) / EDGE)
    scale = max(scale, float(np.sqrt(sizes.prod(axis=1).sum() / filled / extent.prod())))
    wide = extent[0] / extent[1]
    shape = np.array([max(1.0, min(STRETCH, ASPECT / wide)), max(1.0, min(STRETCH, wide / ASPECT))])
    scaled: Positions = (places - low) * scale * shape
    return scaled


def _apart(places: Positions, sizes: NDArray[np.float64], edges: Sequence[Edge], *, clear: bool) -> Positions:
    """Return places pushed until nodes are clear of each other and, if ``clear``, of edges."""
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    for step in range(STEPS):
        push = _from_nodes(places, sizes)
        if clear and step < STEPS - 20:  # in the end nodes that overlap are worse than an edge that bends
            push += _from_edges(places, sizes, ends)
        if not push.any():
            break
        length = np.maximum(np.hypot(*push.T), 1e-9)[:, None]
        places = places + push * np.minimum(1.0, LARGEST / length)
    arranged: Positions = (places - places.min(axis=0)).round(1)
    return arranged


def _from_nodes(places: Positions, sizes: NDArray[np.float64]) -> Positions:
    """Return how far each node goes to be clear of the others: half of the way, along the shorter one."""
    across = places[:, None] - places[None]
    overlap = (sizes[:, None] + sizes[None]) / 2 + SPACE - np.abs(across)
    x, y = np.nonzero(np.triu((overlap > 1e-6).all(axis=2), 1))
    push = np.zeros_like(places)
    if not len(x):
        return push
    axis = overlap[x, y].argmin(axis=1)
    side = np.sign(across[x, y, axis])
    by = 0.5 * overlap[x, y, axis] * np.where(side == 0, 1.0, side)
    np.add.at(push, (x, axis), by)
    np.add.at(push, (y, axis), -by)
    return push


def _from_edges(places: Positions, sizes: NDArray[np.float64], ends: NDArray[np.int64]) -> Positions:
    """Return how far nodes go out of the way of edges, and these out of theirs."""
    push = np.zeros_like(places)
    if not len(ends):
        return push
    start, along = places[ends[:, 0]], places[ends[:, 1]] - places[ends[:, 0]]
    length = np.maximum(np.hypot(*along.T), 1e-9)
    unit = along / length[:, None]
    normal = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    rel = places[None] - start[:, None]
    off, way = np.einsum("end,ed->en", rel, normal), np.einsum("end,ed->en", rel, unit)
    need = np.abs(normal) @ (sizes.T / 2) + CLEAR
    short = need - np.abs(off)
    hit = (short > 0) & (way > 0) & (way < length[:, None])
    hit[np.arange(len(ends)), ends[:, 0]] = hit[np.arange(len(ends)), ends[:, 1]] = False
    e, v = np.nonzero(hit)
    side = np.where(off[e, v] >= 0, 1.0, -1.0)
    by = (0.35 * short[e, v] * side)[:, None] * normal[e]
    share = (way[e, v] / length[e])[:, None]
    np.add.at(push, v, by)
    np.add.at(push, ends[e, 0], -0.6 * by * (1 - share))
    np.add.at(push, ends[e, 1], -0.6 * by * share)
    return push


def bends(places: Positions, sizes: NDArray[np.float64], edges: Sequence[Edge]) -> Mapping[Edge, Point]:
    """Return where edges that would lie on a node are pulled to: the middle point of a quadratic curve."""
    if len(places) * len(edges) > MOST_PRODUCTS:
        return {}
    ways = {edge: _way_around(edge, places, sizes) for edge in edges}
    return {edge: way.pulled for edge, way in ways.items() if way.pulled is not None}


class WayAround(NamedTuple):
    """How an edge gets past nodes that it does not join."""

    pulled: Point | None
    """What it is pulled to; None of a straight line."""
    n_hit: int
    """Nodes that it still goes through."""


def _way_around(edge: Edge, places: Positions, sizes: NDArray[np.float64]) -> WayAround:
    """Return the least bend that is clear of nodes, or else goes through the fewest."""
    others = np.delete(np.arange(len(places)), edge)
    start, end = places[edge[0]], places[edge[1]]
    normal = np.array([start[1] - end[1], end[0] - start[0]])
    best, fewest = BENDS[0], (len(places), 0)
    for bend in BENDS:
        pulled = start + bend[0] * (end - start) + bend[1] * normal
        points = curve(start, end, pulled) if bend[1] else np.array([start, end])
        n_close = len(hit_nodes(points, places[others], sizes[others] + CLEAR))
        n_hit = (len(hit_nodes(points, places[others], sizes[others])) if n_close else 0), n_close
        if n_hit < fewest:
            best, fewest = bend, n_hit
        if not n_close:
            break
    x, y = (start + best[0] * (end - start) + best[1] * normal).round(1).tolist()
    return WayAround(None if best == BENDS[0] else (x, y), fewest[0])


def curve(start: Positions, end: Positions, pulled: Positions) -> Positions:
    """Return points of a quadratic curve."""
    t = SAMPLED[:, None]
    points: Positions = (1 - t) ** 2 * start + 2 * t * (1 - t) * pulled + t**2 * end
    return points


def hit_nodes(points: Positions, places: Positions, sizes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return which boxes a line through points goes through, by clipping every piece of it."""
    a, d = points[:-1, None], (points[1:] - points[:-1])[:, None]
    low, high = (places - sizes / 2)[None], (places + sizes / 2)[None]
    with np.errstate(divide="ignore", invalid="ignore"):
        t1, t2 = (low - a) / d, (high - a) / d
    still = np.broadcast_to(np.abs(d) < 1e-9, t1.shape)
    inside = (a >= low) & (a <= high)
    enter = np.where(still, np.where(inside, -np.inf, np.inf), np.minimum(t1, t2)).max(axis=2)
    leave = np.where(still, np.where(inside, np.inf, -np.inf), np.maximum(t1, t2)).min(axis=2)
    return np.flatnonzero(((enter < leave) & (leave > 0) & (enter < 1)).any(axis=0))
