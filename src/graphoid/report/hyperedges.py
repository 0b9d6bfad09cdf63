"""Hyperedges as a picture, after Figs. 2 and 3 of [Jakulin2006]_."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError
from graphoid.report.escaped import shown
from graphoid.report.figure import axes, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.classifiers.structures import Hyperedge

COLORS = {2: "tab:green", 3: "tab:blue", 4: "tab:red"}
"""By the number of members; larger hyperedges are purple."""

RING = 0.16
"""Radius of a node, where neighbors on the circle are about 1 apart."""


def draw_hyperedges(
    hyperedges: Sequence[Hyperedge],
    names: Sequence[str],
    *,
    positions: Mapping[str, tuple[float, float]] | None = None,
    ax: Any = None,
) -> Any:
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
    positions
        Where each attribute stands; on a circle by default.
    ax
        Axes to draw on; a new figure by default.

    Returns
    -------
    Axes
        What was drawn on; ``.figure.savefig(path)`` writes it to a file.
    """
    places = dict(positions) if positions is not None else _on_a_circle(names)
    missing = [name for name in names if name not in places]
    if missing:
        raise DataError(f"positions has no place for {missing[0]!r}; give one for every attribute.")
    ax = axes(ax, (7, 7))
    from matplotlib.patches import Circle, Patch

    unit = _unit(list(places.values()))
    for name, label in zip(names, shown(names), strict=True):
        ax.add_patch(Circle(places[name], RING * unit, facecolor="white", edgecolor="0.7", zorder=3))
        x, y = places[name]
        write(ax, x, y - 1.15 * RING * unit, label, fontsize=7, ha="center", va="top", zorder=5)
    used = sorted({h.order for h in hyperedges})
    for hyperedge in hyperedges:
        color = COLORS.get(hyperedge.order, "tab:purple")
        label = f"{hyperedge.step}: {hyperedge.information:+.1%}"
        points = [places[name] for name in hyperedge.attributes]
        if hyperedge.order == 2:
            ax.add_patch(Circle(points[0], RING * unit, fill=False, edgecolor=color, linewidth=2, zorder=4))
            x, y = points[0]
            ax.text(x, y, label, color=color, fontsize=7, ha="center", va="center", zorder=5)
            continue
        line = _through(points, bend=0.0 if hyperedge.order == 3 else 0.12 * unit)
        style = "-" if hyperedge.order == 3 else "--"
        ax.plot(*zip(*line, strict=True), style, color=color, linewidth=1.6, zorder=2)
        x, y = _between(line[0], line[1], 0.5 if hyperedge.order == 3 else 0.3)  # clear of lines between two
        behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
        ax.text(x, y, label, color=color, fontsize=7, ha="center", va="center", zorder=6, bbox=behind)
    if used:
        handles = [
            Patch(color=COLORS.get(order, "tab:purple"), label=f"{order}-way: the class and {order - 1}")
            for order in used
        ]
        ax.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(used), fontsize=7)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.margins(0.08)
    ax.set_axis_off()
    return ax


def _on_a_circle(names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return places on a circle, clockwise from the top, neighbors about 1 apart."""
    n = max(len(names), 1)
    radius = max(1.0, n / (2 * math.pi))
    turns = [2 * math.pi * i / n for i in range(n)]
    return {
        name: (radius * math.sin(turn), radius * math.cos(turn))
        for name, turn in zip(names, turns, strict=False)
    }


def _unit(places: Sequence[tuple[float, float]]) -> float:
    """Return the least distance between two places."""
    gaps = [math.dist(a, b) for i, a in enumerate(places) for b in places[:i]]
    return min((gap for gap in gaps if gap > 0), default=1.0)


def _between(a: tuple[float, float], b: tuple[float, float], share: float) -> tuple[float, float]:
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _through(points: Sequence[tuple[float, float]], *, bend: float) -> list[tuple[float, float]]:
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
