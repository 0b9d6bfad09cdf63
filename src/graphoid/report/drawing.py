"""The network as SVG: one description, which the page makes interactive and a file shows as it is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.report.escaped import html, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.structure.graph import Edge

RADIUS = 9.0
"""Of a node, in units of the drawing."""

MARGIN = 90.0
"""Around everything: a label may stand out."""

SMALLEST = (640.0, 400.0)
"""Of a whole drawing: a few nodes are not blown up."""

DENSE = 400
"""Edges beyond which they are drawn faint, so that one sees through them."""

THIN, THICK = 1.2, 7.0
"""Width of the weakest and of the strongest edge."""


class Line(NamedTuple):
    """An edge as it is drawn."""

    x: int
    y: int
    weight: float
    """From 0 to 1: how thick."""
    certainty: str
    """"sure", "likely" or "doubtful": how it is stroked."""


class Hull(NamedTuple):
    """Three or more variables that belong together."""

    members: tuple[int, ...]
    label: str


def svg(
    names: Sequence[str],
    places: NDArray[np.float64],
    lines: Sequence[Line],
    *,
    hulls: Sequence[Hull] = (),
    ringed: Sequence[int] = (),
    title: str,
) -> str:
    """Return the drawing; every name is escaped, and every part carries the number it has in the data.

    Parameters
    ----------
    names
        As they are shown.
    places
        A row of x and y each.
    lines, hulls, ringed
        Edges, sets of three and more, and variables with a ring.
    title
        What a screen reader says of it.
    """
    left, top, width, height = box(places)
    degree = _degrees(len(names), [(line.x, line.y) for line in lines])
    look = "network dense" if len(lines) > DENSE else "network"
    view = f"{left:g} {top:g} {width:g} {height:g}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{look}" id="drawing" viewBox="{view}" role="group" ',
        f'aria-label="{html(title)}">',
        '<g class="hulls">',
        *(_hull(i, hull, places) for i, hull in enumerate(hulls)),
        '</g><g class="edges">',
        *(_line(i, line, places) for i, line in enumerate(lines)),
        '</g><g class="nodes">',
        *(
            _node(v, name, places[v], degree[v], ring=v in set(ringed), first=v == 0)
            for v, name in enumerate(names)
        ),
        "</g></svg>",
    ]
    return "".join(parts)


def box(places: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a drawing, with its margin."""
    if not len(places):
        return 0.0, 0.0, *SMALLEST
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    width, height = np.maximum(places.max(axis=0) - places.min(axis=0) + 2 * MARGIN, SMALLEST).tolist()
    return float(middle[0] - width / 2), float(middle[1] - height / 2), width, height


def _degrees(n: int, edges: Sequence[Edge]) -> list[int]:
    degree = [0] * n
    for x, y in edges:
        degree[x] += 1
        degree[y] += 1
    return degree


def _line(i: int, line: Line, places: NDArray[np.float64]) -> str:
    (x1, y1), (x2, y2) = places[line.x], places[line.y]
    width = THIN + (THICK - THIN) * line.weight
    return (
        f'<line class="edge line {line.certainty}" data-edge="{i}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" '
        f'y2="{y2:g}" stroke-width="{width:.2f}"/>'
    )


def _node(v: int, name: str, place: NDArray[np.float64], degree: int, *, ring: bool, first: bool) -> str:
    x, y = place
    joined = "joined to nothing" if not degree else f"joined to {degree}"
    return (
        f'<g class="{"node ringed" if ring else "node"}" data-node="{v}" role="button" '
        f'tabindex="{0 if first else -1}" aria-label="{html(name)}, {joined}" '
        f'transform="translate({x:g} {y:g})"><title>{html(name)}</title>'
        f'<circle class="ring" r="{RADIUS + 4:g}"/><circle class="disc" r="{RADIUS:g}"/>'
        f'<text class="name" y="{RADIUS + 4:g}">{html(shortened(name))}</text></g>'
    )


def _hull(i: int, hull: Hull, places: NDArray[np.float64]) -> str:
    """Return a soft band around the members: their polygon, stroked thickly with round corners."""
    points = [places[v] for v in hull.members]
    center_x, center_y = sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)
    around = sorted(points, key=lambda p: math.atan2(p[1] - center_y, p[0] - center_x))
    path = " ".join(f"{x:g},{y:g}" for x, y in around)
    return (
        f'<g class="hull order{len(hull.members) + 1}" data-hull="{i}"><title>{html(hull.label)}</title>'
        f'<polygon points="{path}"/></g>'
    )
