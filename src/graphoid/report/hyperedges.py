"""Hyperedges as a picture, after Figs. 2 and 3 of [Jakulin2006]_."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError
from graphoid.report.display import display_names
from graphoid.report.figure import axes, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from graphoid.classifiers.structures import Hyperedge

    Point = tuple[float, float]

COLORS = {2: "tab:green", 3: "tab:blue", 4: "tab:red"}
"""By the number of members; larger hyperedges are purple."""

RING = 0.16
"""Radius of a node, where neighbors on the circle are about 1 apart."""


def draw_hyperedges(
    hyperedges: Sequence[Hyperedge],
    names: Sequence[str],
    *,
    positions: Mapping[str, Point] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw hyperedges; the class belongs to each and is not shown.

    A hyperedge of the class and one attribute is a ring round it, one of two attributes a line between them,
    one of more a dashed line through them. Labels have the step of the climb and the interaction information
    as a share of the entropy of the class.

    Parameters
    ----------
    hyperedges
        What to draw.
    names
        All attributes, also those in no hyperedge.
    positions, ax
        Where each attribute stands, and axes to draw on; a circle in a new figure by default.
    """
    places = dict(positions) if positions is not None else _on_a_circle(names)
    missing = [name for name in names if name not in places]
    if missing:
        raise DataError(f"positions has no place for {missing[0]!r}; give one for every attribute.")
    ax = axes(ax, (7, 7))
    from matplotlib.patches import Circle, Patch

    gaps = [math.dist(a, b) for a, b in combinations(places.values(), 2)]
    unit = min((gap for gap in gaps if gap > 0), default=1.0)  # the least distance between two
    for name, label in zip(names, display_names(names), strict=True):
        ax.add_patch(Circle(places[name], RING * unit, facecolor="white", edgecolor="0.7", zorder=3))
        x, y = places[name]
        write(ax, x, y - 1.15 * RING * unit, label, fontsize=7, ha="center", va="top", zorder=5)
    for hyperedge in hyperedges:
        _draw(ax, hyperedge, [places[name] for name in hyperedge.attributes], unit)
    orders = sorted({h.order for h in hyperedges})
    if orders:
        handles = [Patch(color=_color(n), label=f"{n}-way: the class and {n - 1}") for n in orders]
        ax.legend(
            handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(orders), fontsize=7
        )
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.margins(0.08)
    ax.set_axis_off()
    return ax


def _color(order: int) -> str:
    return COLORS.get(order, "tab:purple")


def _draw(ax: Axes, hyperedge: Hyperedge, points: Sequence[Point], unit: float) -> None:
    """Draw a ring or a line through the places of its attributes, and its label."""
    from matplotlib.patches import Circle

    style: dict[str, Any] = {
        "color": _color(hyperedge.order),
        "fontsize": 7,
        "ha": "center",
        "va": "center",
    }
    label = f"{hyperedge.step}: {hyperedge.information:+.1%}"
    if hyperedge.order == 2:
        ring = Circle(points[0], RING * unit, fill=False, edgecolor=style["color"], linewidth=2, zorder=4)
        ax.add_patch(ring)
        ax.text(*points[0], label, zorder=5, **style)
        return
    two = hyperedge.order == 3
    line = _through(points, bend=0.0 if two else 0.12 * unit)
    ax.plot(*zip(*line, strict=True), "-" if two else "--", color=style["color"], linewidth=1.6, zorder=2)
    share = 0.5 if two else 0.3  # clear of lines between two
    x, y = (a + share * (b - a) for a, b in zip(line[0], line[1], strict=True))
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
    ax.text(x, y, label, zorder=6, bbox=behind, **style)


def _on_a_circle(names: Sequence[str]) -> dict[str, Point]:
    """Return places on a circle, clockwise from the top, neighbors about 1 apart."""
    n = max(len(names), 1)
    radius = max(1.0, n / (2 * math.pi))
    turns = [2 * math.pi * i / n for i in range(n)]
    return {
        name: (radius * math.sin(turn), radius * math.cos(turn))
        for name, turn in zip(names, turns, strict=False)
    }


def _through(points: Sequence[Point], *, bend: float) -> list[Point]:
    """Return a line through points, along the direction in which they lie, bent to one side.

    Three in a row and the line between two of them would else lie on each other.
    """
    a, b = max(((p, q) for p in points for q in points), key=lambda pair: math.dist(*pair))
    length = math.dist(a, b) or 1.0
    along = (b[0] - a[0]) / length, (b[1] - a[1]) / length
    ordered = sorted(points, key=lambda p: (p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1])
    return [
        ordered[0],
        *((x - bend * along[1], y + bend * along[0]) for x, y in ordered[1:-1]),
        ordered[-1],
    ]
