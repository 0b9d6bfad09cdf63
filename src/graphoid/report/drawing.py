"""The network as a drawing: one description, which the page makes interactive and files show as it is.

Nodes hold their names. The width of an edge is its strength, its color the sign, dashes say undecided; the
color of a node is its group.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import DataError
from graphoid.report.arrange import bends
from graphoid.report.edges import EdgeFacts, strength_of, weights_of
from graphoid.report.labels import FONT, LINE, label_of, node_sizes
from graphoid.report.style import GROUPS
from graphoid.scores.communities import communities
from graphoid.structure.explain import plural
from graphoid.structure.knowledge import KINDS, read_knowledge

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.report.subject import Subject
    from graphoid.structure.graph import Edge

    Groups = Mapping[str, Collection[str]] | Sequence[Collection[str]]
    """Blocks of variables by name, or without one."""

RADIUS = 9.0
"""Of a node that holds no name, in units of the drawing."""

MARGIN = 16.0
"""Around everything."""

ASIDE = 90.0
"""The margin where names stand beside nodes."""

SMALLEST = (420.0, 280.0)
"""Of a whole drawing: a few nodes are not blown up."""

MOST_HELD = 400
"""Nodes up to which each holds its name; of more, those that have room show it, beside the node."""

LEAST = 3
"""Variables of a community that gets a color."""

DENSE = 400
"""Edges beyond which they are drawn faint, so that one sees through them."""

THIN, THICK = 1.2, 6.5
"""Width of the weakest and of the strongest edge."""


DASHES = (7.0, 6.0)
"""Of what is undecided."""

DASHES_OF_KIND = dict(zip(KINDS, ((16.0, 5.0), (2.5, 4.5), ()), strict=True))
"""Of the edges of a panel: long ones, dots, and none."""


class Node(NamedTuple):
    """A variable as it is drawn."""

    name: str
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float
    degree: int
    ringed: bool
    group: int | None
    """Of its group, whose color it has."""
    highlighted: bool = False

    @property
    def round(self) -> float:
        """The radius of its corners."""
        return min(self.width, self.height, 44.0) / 2 if self.width != self.height else self.width / 2

    @property
    def baselines(self) -> list[tuple[str, float]]:
        """Its lines, with where they stand below the middle."""
        first = -FONT * LINE * (len(self.lines) - 1) / 2
        return [(line, first + i * FONT * LINE) for i, line in enumerate(self.lines)]


class Line(NamedTuple):
    """An edge as it is drawn."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float
    sign: str
    """"positive", "negative" or "unsigned"."""
    certainty: str
    """"sure", "likely" or "doubtful": how it is stroked."""
    bend: tuple[float, float] | None = None
    """What it is pulled to, where a straight line would lie on a node."""
    kind: str | None = None
    """Of an edge of a panel."""

    @property
    def dashes(self) -> tuple[float, ...]:
        """Lengths of dashes and gaps, in units of the drawing: they say the kind, or what is undecided."""
        if self.kind is not None:
            return DASHES_OF_KIND[self.kind]
        return DASHES if self.certainty == "doubtful" else ()

    @property
    def opacity(self) -> float:
        """How opaque it is: where dashes say the kind, what is undecided is faint."""
        faint = self.certainty == "likely" or (self.kind is not None and self.certainty == "doubtful")
        return 0.5 if faint else 0.85


class Hull(NamedTuple):
    """Three or more variables that belong together, as a soft band: a polygon stroked thickly."""

    order: int
    label: str
    points: str


class Group(NamedTuple):
    """Variables that have one color."""

    label: str
    members: tuple[int, ...]


class Drawing(NamedTuple):
    """What ``drawing.svg`` draws; parts are in the order of the data, which the script knows them by."""

    title: str
    """What a screen reader says of it."""
    box: tuple[float, float, float, float]
    """Left, top, width and height."""
    nodes: list[Node]
    lines: list[Line]
    hulls: list[Hull]
    groups: list[Group]
    held: bool
    """Whether nodes hold their names."""

    @property
    def dense(self) -> bool:
        """Whether there are so many edges that they are drawn faint."""
        return len(self.lines) > DENSE

    @property
    def sign_words(self) -> list[tuple[str, str]]:
        """The signs that occur, each with what a legend says of it."""
        occur = {line.sign for line in self.lines}
        unsigned = "no sign" if len(occur) > 1 else "edge; thicker is stronger"
        words = {"positive": "positive edge", "negative": "negative edge", "unsigned": unsigned}
        return [(sign, text) for sign, text in words.items() if sign in occur]

    @property
    def kinds(self) -> list[str]:
        """The kinds of edges of a panel that occur."""
        return [kind for kind in KINDS if any(line.kind == kind for line in self.lines)]


def drawing_of(
    subject: Subject,
    places: NDArray[np.float64],
    edges: Sequence[EdgeFacts],
    *,
    groups: Groups | None = None,
    highlight: Collection[str] = (),
    weights: Sequence[float] | None = None,
) -> Drawing:
    """Return the drawing of a subject whose variables have places, a row of x and y each.

    ``groups`` are blocks of variables by the names that they came with; communities of the graph if None.
    Those in ``highlight`` get the accent. ``weights`` from 0 to 1 say how thick edges are; by their strength
    if None.
    """
    found = groups_of(subject, edges, groups)
    held = len(places) <= MOST_HELD
    sizes = sizes_of(subject)
    marked = _positions(subject, [highlight] if isinstance(highlight, str) else highlight)
    return Drawing(
        title=f"Network of {plural(subject.graph.n, 'variable')} and {plural(len(edges), 'edge')}",
        box=_box(places, sizes, MARGIN if held else ASIDE),
        nodes=_nodes(subject, places, sizes, edges, found, marked),
        lines=_lines(
            subject,
            places,
            edges,
            weights_of(edges) if weights is None else weights,
            bends(places, sizes, [(e.x, e.y) for e in edges]) if held else {},
        ),
        hulls=_hulls(subject, places),
        groups=found,
        held=held,
    )


def _nodes(
    subject: Subject,
    places: NDArray[np.float64],
    sizes: NDArray[np.float64],
    edges: Sequence[EdgeFacts],
    groups: Sequence[Group],
    marked: set[int],
) -> list[Node]:
    degree = Counter(v for edge in edges for v in (edge.x, edge.y))
    ringed = {t.members[0] for t in subject.together if t.order == 2}
    group = {v: i for i, block in enumerate(groups[: len(GROUPS)]) for v in block.members}
    nodes = []
    for v, (name, (x, y), (width, height)) in enumerate(
        zip(subject.names, places.tolist(), sizes.tolist(), strict=True)
    ):
        shown = group.get(v, None if groups else 0)
        lines = label_of(name).lines
        nodes.append(Node(name, lines, x, y, width, height, degree[v], v in ringed, shown, v in marked))
    return nodes


def _lines(
    subject: Subject,
    places: NDArray[np.float64],
    edges: Sequence[EdgeFacts],
    weights: Sequence[float],
    bent: Mapping[Edge, tuple[float, float]],
) -> list[Line]:
    lines, known = [], read_knowledge(subject.settings)
    for edge, weight in zip(edges, weights, strict=True):
        (x1, y1), (x2, y2) = places[edge.x].tolist(), places[edge.y].tolist()
        width = line_width(weight)
        kind = None if known is None else known.kind_of(subject.keys[edge.x], subject.keys[edge.y])
        bend = bent.get((edge.x, edge.y))
        lines.append(Line(x1, y1, x2, y2, width, edge.sign, edge.certainty, bend, kind))
    return lines


def line_width(weight: float) -> float:
    """Return how thick an edge is drawn, given its weight from 0 to 1."""
    return THIN + (THICK - THIN) * weight


def _hulls(subject: Subject, places: NDArray[np.float64]) -> list[Hull]:
    return [
        Hull(
            t.order,
            f"{', '.join(subject.names[v] for v in t.members)}: {t.information:+.1%}",
            " ".join(f"{places[v][0]:g},{places[v][1]:g}" for v in _around(t.members, places)),
        )
        for t in subject.together
        if t.order > 3
    ]


def sizes_of(subject: Subject) -> NDArray[np.float64]:
    """Return width and height of every node."""
    n = len(subject.names)
    if n > MOST_HELD:
        return np.full((n, 2), 2 * RADIUS)
    return node_sizes([label_of(name) for name in subject.names])


def groups_of(subject: Subject, edges: Sequence[EdgeFacts], given: Groups | None = None) -> list[Group]:
    """Return the blocks that are given, waves or the communities of the graph; none where all is one."""
    known = read_knowledge(subject.settings)
    if given is None and known is not None and known.waves is not None:
        given = {f"wave {wave}": own for wave, own in known.blocks_of(subject.keys).items()}
    if given is not None:
        named = given.items() if hasattr(given, "items") else enumerate(given, start=1)
        blocks = [(str(name), _positions(subject, members)) for name, members in named]
        return [Group(name, tuple(sorted(members))) for name, members in blocks]
    if subject.kind != "structure" or len(subject.names) > MOST_HELD:
        return []
    weights = {(e.x, e.y): strength_of(e) for e in edges}
    weights = {pair: w if math.isfinite(w) else 1.0 for pair, w in weights.items()}
    found = [block for block in communities(range(len(subject.names)), weights) if len(block) >= LEAST]
    if len(found) < 2:
        return []
    pull = [0.0] * len(subject.names)
    for (x, y), weight in weights.items():
        pull[x] += weight
        pull[y] += weight
    return [
        Group(f"around {subject.names[max(block, key=lambda v: (pull[v], -v))]}", tuple(block))
        for block in found
    ]


def _positions(subject: Subject, names: Collection[str]) -> set[int]:
    """Return the positions of variables by the names that they came with."""
    place = {name: v for v, name in enumerate(subject.keys)}
    for name in names:
        if name not in place:
            raise DataError(
                f"there is no variable {name!r} to draw; there are {', '.join(subject.keys[:12])}."
            )
    return {place[name] for name in names}


def _box(
    places: NDArray[np.float64], sizes: NDArray[np.float64], margin: float
) -> tuple[float, float, float, float]:
    """Return left, top, width and height of a drawing, with its margin."""
    if not len(places):
        return 0.0, 0.0, *SMALLEST
    low, high = (places - sizes / 2).min(axis=0), (places + sizes / 2).max(axis=0)
    middle = (low + high) / 2
    width, height = np.maximum(high - low + 2 * margin, SMALLEST).tolist()
    return float(middle[0] - width / 2), float(middle[1] - height / 2), width, height


def _around(members: Sequence[int], places: NDArray[np.float64]) -> list[int]:
    """Return variables in the order in which a polygon goes around them."""
    x, y = (sum(places[v][axis] for v in members) / len(members) for axis in (0, 1))
    return sorted(members, key=lambda v: math.atan2(places[v][1] - y, places[v][0] - x))
