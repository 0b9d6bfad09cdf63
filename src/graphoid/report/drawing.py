"""The network as SVG: one description, which the page makes interactive and a file shows as it is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.report.display import shorten
from graphoid.report.edges import EdgeFacts, weights_of
from graphoid.structure.explain import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.report.subject import Subject

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


class Node(NamedTuple):
    """A variable as it is drawn; numbers are written out."""

    name: str
    label: str
    x: str
    y: str
    degree: int
    ringed: bool


class Line(NamedTuple):
    """An edge as it is drawn."""

    x1: str
    y1: str
    x2: str
    y2: str
    width: str
    certainty: str
    """"sure", "likely" or "doubtful": how it is stroked."""


class Hull(NamedTuple):
    """Three or more variables that belong together, as a soft band: a polygon stroked thickly."""

    order: int
    label: str
    points: str


class Drawing(NamedTuple):
    """What ``drawing.svg`` draws; parts are in the order of the data, which the script knows them by."""

    title: str
    """What a screen reader says of it."""
    view: str
    nodes: list[Node]
    lines: list[Line]
    hulls: list[Hull]
    radius: str = f"{RADIUS:g}"
    ring: str = f"{RADIUS + 4:g}"

    @property
    def dense(self) -> bool:
        """Whether there are so many edges that they are drawn faint."""
        return len(self.lines) > DENSE


def drawing_of(subject: Subject, places: NDArray[np.float64], edges: Sequence[EdgeFacts]) -> Drawing:
    """Return the drawing of a subject whose variables have places, a row of x and y each."""
    at = [(f"{x:g}", f"{y:g}") for x, y in places]
    degree = [0] * len(at)
    for edge in edges:
        degree[edge.x] += 1
        degree[edge.y] += 1
    ringed = {t.members[0] for t in subject.together if t.order == 2}
    names = subject.names
    return Drawing(
        title=f"Network of {plural(subject.graph.n, 'variable')} and {plural(len(edges), 'edge')}",
        view=" ".join(f"{number:g}" for number in box(places)),
        nodes=[Node(name, shorten(name), *at[v], degree[v], v in ringed) for v, name in enumerate(names)],
        lines=[
            Line(*at[e.x], *at[e.y], f"{THIN + (THICK - THIN) * weight:.2f}", e.certainty)
            for e, weight in zip(edges, weights_of(edges), strict=True)
        ],
        hulls=[
            Hull(
                t.order,
                f"{', '.join(names[v] for v in t.members)}: {t.information:+.1%}",
                " ".join(",".join(at[v]) for v in _around(t.members, places)),
            )
            for t in subject.together
            if t.order > 3
        ],
    )


def box(places: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a drawing, with its margin."""
    if not len(places):
        return 0.0, 0.0, *SMALLEST
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    width, height = np.maximum(places.max(axis=0) - places.min(axis=0) + 2 * MARGIN, SMALLEST).tolist()
    return float(middle[0] - width / 2), float(middle[1] - height / 2), width, height


def _around(members: Sequence[int], places: NDArray[np.float64]) -> list[int]:
    """Return variables in the order in which a polygon goes around them."""
    x, y = (sum(places[v][axis] for v in members) / len(members) for axis in (0, 1))
    return sorted(members, key=lambda v: math.atan2(places[v][1] - y, places[v][0] - x))
