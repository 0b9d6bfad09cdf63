"""Groups compared, as pictures: their networks side by side on one layout, and a heat map of differences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from graphoid.errors import SettingsError
from graphoid.report.arrange import arrange
from graphoid.report.display import display_names, shorten, visible
from graphoid.report.drawing import MOST_HELD, Drawing, drawing_of, sizes_of
from graphoid.report.edges import EdgeFacts, weights_of
from graphoid.report.figure import axes, close, figure, write as write_text
from graphoid.report.layout import layout
from graphoid.report.plots import draw, legend_of
from graphoid.report.style import FAINT, INK, SIGNS
from graphoid.report.subject import Subject
from graphoid.structure import whole_file
from graphoid.structure.graph import UndirectedGraph
from graphoid.uncertainty.group_result import LEVEL
from graphoid.uncertainty.strength import EdgeStrength

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from graphoid.uncertainty.group_result import GroupComparison, PairComparison

ALIKE, DIFFERENT = 0.6, 1.0
"""How sure an edge is drawn: faint where groups do not differ, in full color where they do."""

MOST_ON_CIRCLE = 40
"""Variables that stand on a circle."""

LEAST_RADIUS, APART = 120.0, 44.0
"""Of the circle, and between two nodes on it, in units of the drawing."""

WRITTEN = 24
"""Variables up to which a heat map has numbers in its cells."""


class Panel(NamedTuple):
    """The network of a group."""

    title: str
    drawing: Drawing


class Cell(NamedTuple):
    """A pair in the heat map of differences."""

    x: int
    y: int
    color: str
    text: str
    pale: bool
    """Whether the color is so light that the text has to be dark."""
    differs: bool
    said: str
    """The pair in words."""


def panels(found: GroupComparison, *, seed: int = 0) -> list[Panel]:
    """Return the networks of all groups; widths of edges are on one scale, and so are the places of nodes.

    Along a moderator, the edges of all rows with their effects at each value.
    """
    subject = Subject(
        keys=found.graph.names,
        graph=UndirectedGraph(display_names(found.graph.names), found.graph.edges),
        table=None,
        settings={},
        cost=None,
        kind="groups",
    )
    places = _arrange(found.graph, sizes_of(subject), seed)
    rows = {pair: row for row in found.pairs if found.graph.has_edge(*(pair := _places(found, row)))}
    along = len(found.graphs) != len(found.groups)
    edges = [
        [
            _edge(pair, row, g)
            for pair, row in sorted(rows.items())
            if along or found.graphs[g].has_edge(*pair)
        ]
        for g in range(len(found.groups))
    ]
    widths = iter(weights_of([edge for mine in edges for edge in mine]))
    drawn = []
    for g, mine in enumerate(edges):
        drawing = drawing_of(subject, places, mine, groups=[], weights=[next(widths) for _ in mine])
        n_rows = "" if along else f", {found.rows[g]:,} rows"
        title = f"{found.label(g)}{n_rows}; strength {found.strengths[g]:.2f}"
        drawn.append(Panel(title, drawing))
    return drawn


def _arrange(graph: UndirectedGraph, sizes: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return places on a circle, neighbors near each other: small pictures side by side are compared by eye.

    Of many variables the circle would be all hole; they have the places of a page.
    """
    places = layout(graph, seed=seed)
    if graph.n > MOST_ON_CIRCLE:
        return arrange(places, sizes, graph.edges) if graph.n <= MOST_HELD else places
    around = places - places.mean(axis=0)
    order = np.argsort(np.arctan2(around[:, 1], around[:, 0]), kind="stable")
    radius = max(LEAST_RADIUS, graph.n * (sizes.max() + APART) / (2 * np.pi))
    angles = np.empty(graph.n)
    angles[order] = 2 * np.pi * np.arange(graph.n) / graph.n - np.pi / 2
    circle: NDArray[np.float64] = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return circle


def _places(found: GroupComparison, row: PairComparison) -> tuple[int, int]:
    return found.graph.position(row.x), found.graph.position(row.y)


def _edge(pair: tuple[int, int], row: PairComparison, group: int) -> EdgeFacts:
    """Return a pair of a group as an edge."""
    effect = row.effects[group]
    weight = None if row.measure == "size" else effect
    strength = EdgeStrength(
        x=row.x, y=row.y, given=(), size=None if effect is None else abs(effect), weight=weight
    )
    return EdgeFacts(*pair, strength=strength, share=DIFFERENT if row.p_adjusted <= LEVEL else ALIKE)


def cells(found: GroupComparison) -> list[Cell]:
    """Return the pairs as cells: blue and orange for two groups and the signs of their difference."""
    most = max((abs(row.difference or 0.0) for row in found.pairs), default=0.0) or 1.0
    drawn = []
    for row in found.pairs:
        value = row.difference or 0.0
        signed = len(found.groups) == 2 and row.measure != "size"
        sign = "unsigned" if not signed else "negative" if value < 0 else "positive"
        share = abs(value) / most
        digits = f"{abs(value):.2f}"
        text = f"{'−' if value < 0 and digits != '0.00' else ''}{digits.removeprefix('0')}"
        said = f"{visible(row.x)} – {visible(row.y)}: {text}, adjusted p {row.p_adjusted:.3g}"
        differs = row.p_adjusted <= LEVEL
        drawn.append(Cell(*_places(found, row), _shade(SIGNS[sign], share), text, share < 0.6, differs, said))
    return drawn


def _shade(color: str, share: float) -> str:
    """Return a color mixed with white.

    >>> _shade("#1f6fae", 0.0), _shade("#1f6fae", 1.0)
    ('#ffffff', '#1f6fae')
    """
    parts = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(255 + share * (part - 255)):02x}" for part in parts)


def networks(found: GroupComparison, *, seed: int = 0) -> list[Axes]:
    """Draw the networks of all groups side by side on one layout; pairs that differ are in full color.

    Examples
    --------
    >>> import graphoid as gd
    >>> found = gd.compare_groups(gd.datasets.load("titanic"), "sex", learner=gd.GSMN(), random_state=1)
    >>> [ax.get_title() for ax in networks(found)]
    ['sex = male, 1,731 rows; strength ...', 'sex = female, 470 rows; strength ...']
    """
    shown = panels(found, seed=seed)
    across = min(3, len(shown))
    down = -(-len(shown) // across)
    page = figure((4.0 * across, 3.8 * down + 0.3))
    page.set_layout_engine("constrained", rect=(0, 0, 1, 0.97))  # titles of axes that are off get no room
    grid = list(page.subplots(down, across, squeeze=False).flat)
    lines = [line for panel in shown for line in panel.drawing.lines]
    if entries := legend_of(shown[0].drawing._replace(lines=lines)):
        page.legend(
            handles=entries, loc="outside lower center", ncols=len(entries), frameon=False, fontsize=8
        )
    for ax, panel in zip(grid, shown, strict=False):
        draw(panel.drawing, ax, legend=False)
        ax.set_title(shorten(visible(panel.title), 60), fontsize=9, parse_math=False)
    for ax in grid[len(shown) :]:
        ax.set_visible(False)
    return grid[: len(shown)]


def heat_map(found: GroupComparison, *, ax: Axes | None = None) -> Axes:
    """Draw by how much every pair differs, framed where it does at a level of .05 for all pairs together.

    Of two groups the effect in the first less that in the second; of more, the largest less the smallest.
    """
    from matplotlib.patches import Rectangle

    names, n = display_names(found.graph.names), found.graph.n
    side = max(3.5, min(14.0, 0.42 * n + 1.6))
    ax = axes(ax, (side, side))
    for cell in cells(found):
        for x, y in ((cell.x, cell.y), (cell.y, cell.x)):
            frame: dict[str, Any] = (
                {"edgecolor": INK, "linewidth": 1.6, "zorder": 2} if cell.differs else {"edgecolor": FAINT}
            )
            ax.add_patch(Rectangle((y - 0.5, x - 0.5), 1, 1, facecolor=cell.color, **frame))
            if n <= WRITTEN:
                color = INK if cell.pale else "white"
                write_text(ax, y, x, cell.text, fontsize=7, ha="center", va="center", color=color, zorder=3)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), aspect="equal")
    size = 8 if n <= 40 else max(3.5, 320 / n)
    ax.set_xticks(range(n), [shorten(name) for name in names], rotation=90, fontsize=size, parse_math=False)
    ax.set_yticks(range(n), [shorten(name) for name in names], fontsize=size, parse_math=False)
    ax.set_title(shorten(visible(what(found)), 70), fontsize=9, parse_math=False)
    ax.tick_params(length=0, labelcolor=INK)
    ax.spines[:].set_color(FAINT)
    return ax


def what(found: GroupComparison) -> str:
    """Return what the difference of a pair is."""
    if len(found.graphs) != len(found.groups):
        return f"the change per standard deviation of {found.by}"
    if len(found.groups) == 2:
        return f"the effect for {found.by} = {found.groups[0]} minus that for {found.groups[1]}"
    return f"the largest effect minus the smallest, by {found.by}"


def plot(found: GroupComparison, kind: str = "networks", **options: Any) -> Axes:
    """Draw a comparison: "networks" or "differences"."""
    if kind not in KINDS:
        raise SettingsError(f"kind is {kind!r}; expected one of {', '.join(KINDS)}.")
    return KINDS[kind](found, **options)


def _first(found: GroupComparison, **options: Any) -> Axes:
    return networks(found, **options)[0]


KINDS: Mapping[str, Callable[..., Axes]] = {"networks": _first, "differences": heat_map}
"""What can be drawn, by name."""


def write(found: GroupComparison, path: str | os.PathLike[str], kind: str = "networks") -> None:
    """Write a picture to a file: SVG, PDF or PNG by its ending."""
    page = cast("Figure", plot(found, kind).figure)
    with whole_file.writer(path) as file:
        page.savefig(file, format=Path(path).suffix.lower().lstrip("."), dpi=200)
    close(page)
