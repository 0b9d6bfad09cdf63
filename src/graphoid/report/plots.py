"""Pictures for a paper, by matplotlib (the extra ``plot``).

Every function draws on ``ax`` or on a new figure, which a notebook shows by itself and ``pyplot.show`` in a
script, and returns the axes; ``ax.figure.savefig("network.pdf")`` writes them, as SVG, PDF or PNG by the
ending. The look is that of the page: :mod:`graphoid.report.drawing` describes the network once for both.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from graphoid.errors import DataError, SettingsError
from graphoid.report.arrange import curve
from graphoid.report.centrality import Centrality, centrality_of
from graphoid.report.display import display_names, shorten
from graphoid.report.drawing import DASHES, DASHES_OF_KIND, Drawing, Group, drawing_of, groups_of
from graphoid.report.edges import EdgeFacts, edges_in, edges_of, measure as measure_edges, strength_of
from graphoid.report.figure import axes, close, figure, verbatim, write as write_text
from graphoid.report.hyperedges import draw_hyperedges
from graphoid.report.labels import FONT, LINE, text_width
from graphoid.report.page import places_of
from graphoid.report.part import without_covariates
from graphoid.report.style import ACCENT, FAINT, GROUPS, INK, SIGNS, SOFT, colors_of
from graphoid.report.subject import HasHyperedges, Reportable, resamples_of, subject_of
from graphoid.report.svg import to_svg
from graphoid.structure import whole_file
from graphoid.structure.learned import LearnedStructure
from graphoid.uncertainty.plots import edge_intervals as resampled_intervals

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from graphoid.report.drawing import Groups
    from graphoid.uncertainty.bootstrap import Bootstrap
    from graphoid.uncertainty.bootstrap_result import Resampled

POINT = 0.62
"""Points of a new figure for a unit of the drawing: names are of eight points."""

MOST_CONTEXTS = 6
"""Graphs of a canonical model that are drawn side by side."""

HUBS = 12
"""Names that are written where nodes hold none."""

NAMED = 60
"""Columns up to which a picture of missing cells names all of them; of more, those that have some."""
USUAL = 2.7
"""Width of a line whose dashes are as long as they are said to be, in units of the drawing."""

LEGEND, LETTERS = 24.0, 0.85 * FONT
"""Height of a line of the legend and of its letters, in units of the drawing."""

READABLE = 7.0
"""Points that the letters of a legend have at least."""

MOST_NAMED = 100
"""Variables of a heat map up to which all have their names beside it; of more, groups have."""


def network(
    structure: Reportable,
    *,
    table: object = None,
    bootstrap: Bootstrap | Resampled | None = None,
    groups: Groups | None = None,
    highlight: Collection[str] = (),
    layout_from: str | os.PathLike[str] | None = None,
    seed: int = 0,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw a network: thicker edges are stronger, blue positive, orange negative, dashed undecided.

    Parameters
    ----------
    structure, table, bootstrap, layout_from, seed
        As in :func:`graphoid.report.page.write`.
    groups
        Blocks of variables, by name or as lists, that have a color each; found communities if None.
    highlight
        Variables that get the accent.
    legend
        Whether colors and strokes are explained below.
    ax
        Axes to draw on; a new figure by default.

    Examples
    --------
    >>> import graphoid as gd
    >>> ax = network(gd.GSMN().fit(gd.datasets.load("titanic")).structure_)
    >>> len(ax.texts)
    4
    """
    options: dict[str, Any] = {"groups": groups, "highlight": highlight, "layout_from": layout_from}
    return draw(network_drawing(structure, table, bootstrap, seed=seed, **options), ax, legend=legend)


def network_drawing(
    structure: Reportable,
    table: object = None,
    bootstrap: Bootstrap | Resampled | None = None,
    *,
    groups: Groups | None = None,
    highlight: Collection[str] = (),
    layout_from: str | os.PathLike[str] | None = None,
    seed: int = 0,
) -> Drawing:
    """Return the description of a network, which is drawn in any format; parameters are of network."""
    whole = subject_of(structure, table)
    resampled = resamples_of(bootstrap, whole)
    subject, measured = without_covariates(whole, resampled)
    edges = edges_of(subject, resampled, measured)
    places = places_of(subject, layout_from, seed)
    return drawing_of(subject, places, edges, groups=groups, highlight=highlight)


def draw(drawing: Drawing, ax: Axes | None = None, *, legend: bool = True, own: bool = False) -> Axes:
    """Draw a network that is described, on axes or on a figure of the size that it needs."""
    entries = legend_of(drawing) if legend else []
    left, top, width, height = drawing.box
    inches = max(4.0, min(9.0 + len(drawing.nodes) / 30, width * POINT / 72))
    if ax is not None:
        inches = ax.get_window_extent().width / ax.figure.dpi
    larger = max(1.0, READABLE / (72 * inches / width * LETTERS))  # in a large drawing names may be small
    widest = max((text_width(str(entry.get_label())) for entry in entries), default=0.0)
    across = max(1, int(width // (larger * (0.85 * widest + 4.4 * LETTERS))))
    height += LEGEND * larger * -(-len(entries) // across) + (8.0 if entries else 0.0)
    if ax is None:
        page = figure((inches, inches * height / width), own=own)
        page.set_layout_engine("none")
        ax = page.add_axes((0, 0, 1, 1))
    ax.set(xlim=(left, left + width), ylim=(top + height, top), aspect="equal")
    ax.set_axis_off()
    extent = ax.get_window_extent()
    point = min(extent.width / width, extent.height / height) * 72 / ax.figure.dpi
    _draw_edges(ax, drawing, point)
    _draw_nodes(ax, drawing, point)
    if entries:
        ax.legend(
            handles=entries,
            loc="lower center",
            ncols=min(across, len(entries)),
            fontsize=max(4.0, LETTERS * larger * point),
            frameon=False,
            borderaxespad=0.2,
            handlelength=2.2,
            columnspacing=1.4,
            labelcolor=SOFT,
        )
    return ax


def _draw_edges(ax: Axes, drawing: Drawing, point: float) -> None:
    """Draw lines, the strongest on top; those that would lie on a node go around it."""
    for line in sorted(drawing.lines, key=lambda line: line.width):
        start, end = np.array((line.x1, line.y1)), np.array((line.x2, line.y2))
        points = np.array([start, end]) if line.bend is None else curve(start, end, np.array(line.bend))
        ax.plot(
            *points.T,
            color=SIGNS[line.sign],
            linewidth=line.width * point,
            alpha=0.35 if drawing.dense else line.opacity,
            linestyle=_line_style(line.dashes),
            solid_capstyle="butt",
            dash_capstyle="butt",
            zorder=1,
        )


def _draw_nodes(ax: Axes, drawing: Drawing, point: float) -> None:
    from matplotlib.patches import Circle, FancyBboxPatch

    hubs = {node.name for node in sorted(drawing.nodes, key=lambda node: -node.degree)[:HUBS]}
    for node in drawing.nodes:
        fill, border = colors_of(node.group, highlighted=node.highlighted)
        style: dict[str, Any] = {
            "facecolor": fill,
            "edgecolor": border,
            "linewidth": 1.6 * point,
            "zorder": 2,
        }
        if node.width == node.height:
            ax.add_patch(Circle((node.x, node.y), node.width / 2, **style))
        else:
            corner = (node.x - node.width / 2, node.y - node.height / 2)
            shape = f"round,pad=0,rounding_size={node.round}"
            ax.add_patch(FancyBboxPatch(corner, node.width, node.height, boxstyle=shape, **style))
        if drawing.held:
            text = "\n".join(node.lines)
            size: dict[str, Any] = {
                "fontsize": 0.96 * FONT * point,
                "linespacing": LINE,
                "va": "center_baseline",
            }
            if len(node.lines) > 1:
                size["va"] = "center"
            color = "white" if node.highlighted else INK
            write_text(ax, node.x, node.y, text, ha="center", color=color, zorder=3, **size)
        elif node.name in hubs:
            write_text(
                ax,
                node.x,
                node.y + 12,
                shorten(node.name),
                fontsize=6,
                ha="center",
                va="top",
                zorder=3,
                halo=True,
            )


def _line_style(dashes: tuple[float, ...]) -> str | tuple[float, tuple[float, ...]]:
    """Return dashes as matplotlib has them, by the width of the line."""
    if dashes == DASHES:
        return 0, (2.6, 2.2)
    return (0, tuple(length / USUAL for length in dashes)) if dashes else "-"


def legend_of(drawing: Drawing) -> list[Artist]:
    """Return what explains the colors and strokes that occur."""
    from matplotlib.lines import Line2D

    found: list[Artist] = [
        Line2D([], [], color=SIGNS[sign], linewidth=2.5, label=words) for sign, words in drawing.sign_words
    ]
    for kind in drawing.kinds:
        style = _line_style(DASHES_OF_KIND[kind])
        found.append(Line2D([], [], color=SOFT, linewidth=2, linestyle=style, label=f"{kind} edge"))
    if any(line.certainty == "doubtful" for line in drawing.lines):
        stroke: dict[str, Any] = {"alpha": 0.5} if drawing.kinds else {"linestyle": _line_style(DASHES)}
        found.append(Line2D([], [], color=SOFT, linewidth=2, label="undecided", **stroke))
    for i, group in enumerate(drawing.groups[: len(GROUPS)]):
        fill, border = GROUPS[i]
        dot: dict[str, Any] = {
            "marker": "o",
            "linestyle": "",
            "markerfacecolor": fill,
            "markeredgecolor": border,
        }
        found.append(Line2D([], [], label=verbatim(shorten(group.label, 24)), **dot))
    return found


def centrality(
    structure: Reportable,
    *,
    table: object = None,
    bootstrap: Bootstrap | Resampled | None = None,
    groups: Groups | None = None,
    measures: Collection[str] | None = None,
    most: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw how central every variable is, the strongest on top; with a bootstrap, the 95 % intervals of it.

    Strength, expected influence, closeness, betweenness and, where there are groups, bridge strength, side by
    side; on given axes strength alone, unless one of ``measures`` is named. Axes of the first are returned.
    """
    whole = subject_of(structure, table)
    resampled = resamples_of(bootstrap, whole)
    subject, measured = without_covariates(whole, resampled)
    edges = edges_of(subject, resampled, measured)
    rows = centrality_of(subject, edges, groups_of(subject, edges, groups), resampled)
    known = list(dict.fromkeys(row.measure for row in rows))
    wanted = known if measures is None else [m.replace("_", " ") for m in measures]
    if unknown := [measure for measure in wanted if measure not in known]:
        raise SettingsError(f"there is no centrality {unknown[0]!r} here; there are {', '.join(known)}.")
    first = {row.v: row.value for row in rows if row.measure == "strength"}
    order = sorted(first, key=lambda v: (first[v], -v))[-most:]
    panels = (
        [ax]
        if ax is not None
        else list(
            figure((2.0 + 1.9 * len(wanted), 0.9 + 0.24 * len(order)))
            .subplots(1, len(wanted), squeeze=False)
            .flat
        )
    )
    names = [shorten(subject.names[v]) for v in order]
    for panel, measure in zip(panels, wanted, strict=False):
        mine = {row.v: row for row in rows if row.measure == measure}
        _dots(panel, [mine[v] for v in order], names if panel is panels[0] else None)
        panel.set_xlabel(measure, fontsize=9, color=INK)
    first_panel: Axes = panels[0]
    _say_rest(first_panel, len(order), len(first), "variables, by strength")
    return first_panel


def _dots(ax: Axes, rows: Sequence[Centrality], names: Sequence[str] | None) -> None:
    """Draw a dot a row, joined, with intervals where there are some."""
    ax.plot([row.value for row in rows], range(len(rows)), color=FAINT, linewidth=1, zorder=1)
    for place, row in enumerate(rows):
        if row.low is not None and row.high is not None:
            ax.plot([row.low, row.high], [place, place], color=SIGNS["positive"], linewidth=1.6, alpha=0.5)
        ax.plot([row.value], [place], "o", color=SIGNS["positive"], markersize=4.5, zorder=2)
    ax.locator_params(axis="x", nbins=4)  # panels are narrow
    ax.set_yticks(range(len(rows)), names or [""] * len(rows), fontsize=8, parse_math=False)
    ax.set_ylim(-0.7, len(rows) - 0.3)
    _plain(ax)


def _say_rest(ax: Axes, shown: int, of: int, what: str) -> None:
    """Say above the axes how many there are, where not all are drawn."""
    if shown < of:
        words = f"the first {shown} of {of:,} {what}"
        ax.annotate(
            words, (0, 1), (0, 3), "axes fraction", "offset points", fontsize=8, color=SOFT, va="bottom"
        )


def _plain(ax: Axes) -> None:
    """Leave of the frame what is read."""
    ax.grid(axis="y", color="#eef1f4", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, labelcolor=INK, labelsize=8)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(FAINT)


def heat_map(
    structure: Reportable, *, table: object = None, groups: Groups | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the weighted adjacency matrix: blue positive, orange negative, gray without a sign, by groups.

    A pair without an edge is white; numbers are written where there is room. Of more than 100 variables
    groups are named instead.
    """
    from matplotlib.colors import LinearSegmentedColormap

    subject, measured = without_covariates(subject_of(structure, table))
    edges = edges_of(subject, measured=measured)
    found = groups_of(subject, edges, groups)
    order = group_order(len(subject.names), found)
    place = {v: i for i, v in enumerate(order)}
    n = len(order)
    most = max((strength_of(edge) for edge in edges), default=0.0)
    shades = {sign: LinearSegmentedColormap.from_list(sign, ["#ffffff", SIGNS[sign]]) for sign in SIGNS}
    image = np.ones((n, n, 4))
    side = max(3.5, min(14.0, 0.3 * n + 1.6))
    ax = axes(ax, (side, side))
    for edge in edges:
        value = strength_of(edge)
        shade = shades[edge.sign](0.12 + 0.88 * min(1.0, value / most) if most else 0.6)
        for x, y in ((edge.x, edge.y), (edge.y, edge.x)):
            image[place[x], place[y]] = shade
            if n <= 30 and most:
                sign = "−" if edge.sign == "negative" else ""
                color = "white" if value > 0.6 * most else INK
                write_text(
                    ax,
                    place[y],
                    place[x],
                    f"{sign}{value:.2f}".replace("0.", "."),
                    fontsize=6,
                    ha="center",
                    va="center",
                    color=color,
                )
    ax.imshow(image, interpolation="nearest")
    names = {place[v]: shorten(subject.names[v]) for v in order}
    if n > MOST_NAMED:
        names = {
            place[g.members[len(g.members) // 2]]: shorten(g.label) for g in found if 40 * len(g.members) > n
        }
    size = 8 if len(names) <= 40 else 320 / len(names)
    ax.set_xticks([*names], [*names.values()], rotation=90, fontsize=size, parse_math=False)
    ax.set_yticks([*names], [*names.values()], fontsize=size, parse_math=False)
    ax.tick_params(length=0, labelcolor=INK)
    ax.spines[:].set_color(FAINT)
    return ax


def group_order(n: int, groups: Sequence[Group]) -> list[int]:
    """Return the variables group by group, those in none last."""
    listed = [v for group in groups for v in group.members]
    return listed + [v for v in range(n) if v not in set(listed)]


def missing(
    table: object,
    *,
    columns: Iterable[str | int] | None = None,
    na_values: Iterable[str | float] = (),
    decimal: str = ".",
    most: int = 400,
    ax: Axes | None = None,
) -> Axes:
    """Draw where cells are missing: rows of a table down, columns across, and the share of each.

    Parameters
    ----------
    table
        Anything that :func:`graphoid.read` takes; rows in blocks where there are more than ``most``.
    columns, na_values, decimal
        As in :func:`graphoid.read`.
    """
    from graphoid.data.missing_cells import missing_cells

    names, absent = missing_cells(table, columns, na_values, decimal)
    names = display_names(names)
    n_rows = len(absent)
    blocks = np.array_split(absent, min(most, max(1, n_rows)))
    shares = np.array([block.mean(axis=0) for block in blocks])
    ax = axes(ax, (max(4.0, min(16.0, 0.28 * len(names) + 1.4)), 4.2))
    from matplotlib.colors import LinearSegmentedColormap

    shade = LinearSegmentedColormap.from_list("missing", ["#e8eef2", ACCENT])
    ax.imshow(
        shares,
        aspect="auto",
        cmap=shade,
        vmin=0,
        vmax=1,
        interpolation="nearest",
        extent=(-0.5, len(names) - 0.5, n_rows, 0),
    )
    share = absent.mean(axis=0)
    named = [i for i in range(len(names)) if share[i] or len(names) <= NAMED]
    labels = [f"{shorten(names[i])}  {share[i]:.0%}" if share[i] else shorten(names[i]) for i in named]
    size = 8 if len(named) <= 40 else max(3.5, 320 / len(named))
    ax.set_xticks(named, labels, rotation=90, fontsize=size, parse_math=False)
    if absent.any():
        ax.set_ylabel(f"rows; {absent.mean():.1%} of all cells are missing", fontsize=9, color=INK)
    else:
        middle = ((len(names) - 1) / 2, n_rows / 2)
        ax.annotate("no cell is missing", middle, ha="center", va="center", color=INK)
        ax.set_ylabel("rows", fontsize=9, color=INK)
    ax.tick_params(length=0, labelcolor=INK)
    ax.tick_params(axis="y", labelsize=8)
    ax.spines[:].set_visible(False)
    return ax


def contexts(
    model: Reportable, *, table: object = None, seed: int = 0, most: int = MOST_CONTEXTS
) -> list[Axes]:
    """Draw the graphs of a canonical model side by side, those of most rows first; return their axes."""
    subject = subject_of(model, table)
    if not subject.views:
        raise SettingsError("contexts draws a canonical model, such as CSGS().fit(table).structure_.")
    views, places = subject.views[:most], places_of(subject, None, seed)
    edges = edges_of(subject, measured=measure_edges(subject, len(views)))
    across = min(3, len(views))
    panels = figure((4.2 * across, 3.4 * -(-len(views) // across)))
    grid = list(panels.subplots(-(-len(views) // across), across, squeeze=False).flat)
    for i, (ax, view) in enumerate(zip(grid, views, strict=False)):
        draw(drawing_of(subject, places, edges_in(i, edges)), ax, legend=False)
        ax.set_title(f"{shorten(view.where, 60)}\n{view.n_rows:,.0f} rows", fontsize=8, parse_math=False)
    for ax in grid[len(views) :]:
        ax.set_visible(False)
    return grid[: len(views)]


def edge_intervals(
    structure: Reportable,
    *,
    table: object = None,
    bootstrap: Bootstrap | Resampled | None = None,
    most: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw the strength of the edges, strongest first, each with its 95 % confidence interval.

    Edge weights, or effect sizes where states have no order; with a bootstrap effect sizes, colored by its
    verdicts (:func:`graphoid.uncertainty.plots.edge_intervals`).

    Parameters
    ----------
    structure, table, bootstrap
        As in :func:`graphoid.report.page.write`.
    most
        Edges that are drawn.
    ax
        Axes to draw on; a new figure by default.
    """
    whole = subject_of(structure, table)
    resampled = resamples_of(bootstrap, whole)
    subject, measured = without_covariates(whole, resampled)
    if resampled is not None:
        drawn: Axes = resampled_intervals(resampled, ax)
        return drawn
    rows = [row for edge in edges_of(subject, measured=measured) if (row := _interval(edge)) is not None]
    if not rows:
        raise DataError(
            "no edge has an interval: it takes the table that the network was learned from, rows enough for "
            "an estimate, and time to measure."
        )
    rows.sort(key=lambda row: -abs(row[1]))
    n_edges, rows = len(rows), rows[:most]
    ax = axes(ax, (6.5, 0.8 + 0.24 * len(rows)))
    for place, (edge, middle, low, high) in enumerate(reversed(rows)):
        color = SIGNS[edge.sign]
        ax.plot([low, high], [place, place], color=color, linewidth=2, alpha=0.45, solid_capstyle="butt")
        ax.plot([middle], [place], "o", color=color, markersize=4.5)
    names = [f"{shorten(subject.names[e.x])} – {shorten(subject.names[e.y])}" for e, *_ in reversed(rows)]
    ax.set_yticks(range(len(rows)), names, fontsize=8, parse_math=False)
    ax.set_ylim(-0.7, len(rows) - 0.3)
    ax.axvline(0.0, color=SOFT, linewidth=0.8)
    said = "edge weight with its 95 % confidence interval"
    if any(edge.sign == "unsigned" for edge, *_ in rows):
        said += "\n(gray: effect size, where states have no order)"
    ax.set_xlabel(said, fontsize=9, color=INK)
    _say_rest(ax, len(rows), n_edges, "edges, by weight")
    _plain(ax)
    return ax


def _interval(edge: EdgeFacts) -> tuple[EdgeFacts, float, float, float] | None:
    """Return an edge with its weight or size and the interval of it."""
    s = edge.strength
    if s is None or s.size is None or s.low is None or s.high is None:
        return None
    if s.weight is None or s.weight_low is None or s.weight_high is None:
        return edge, s.size, s.low, s.high
    return edge, s.weight, s.weight_low, s.weight_high


def cost_against_entropy(
    structures: LearnedStructure | Mapping[str, LearnedStructure], *, ax: Axes | None = None
) -> Axes:
    """Draw how PFMN's doubt fell as tests were paid for.

    Parameters
    ----------
    structures
        A structure learned by :class:`~graphoid.PFMN`, or several by what to call them.
    ax
        Axes to draw on; a new figure by default.
    """
    named = {"": structures} if isinstance(structures, LearnedStructure) else structures
    logs: dict[str, list[list[float]]] = {
        name: s.details.get("entropy_by_cost", []) for name, s in named.items()
    }
    if not logs or not all(logs.values()):
        raise DataError("entropy against cost is what PFMN records; give structures that PFMN has learned.")
    ax = axes(ax, (6.0, 4.0))
    for name, log in logs.items():
        ax.step(
            [spent for spent, _ in log],
            [entropy for _, entropy in log],
            where="post",
            linewidth=1.4,
            label=verbatim(name) or None,
        )
    ax.set(xlabel="weighted cost of the tests so far", ylabel="entropy of the population (nats)")
    ax.set_ylim(bottom=0)
    ax.spines[["top", "right"]].set_visible(False)
    if any(logs):
        ax.legend(fontsize=8, frameon=False)
    return ax


def hyperedges(
    classifier: HasHyperedges,
    *,
    positions: Mapping[str, tuple[float, float]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the hyperedges of a fitted classifier; see :meth:`graphoid.MarkovNetworkClassifier.draw`."""
    if not isinstance(classifier, HasHyperedges):
        raise SettingsError("hyperedges draws a fitted MarkovNetworkClassifier.")
    names = [attribute.name for attribute in classifier.attributes_]
    return draw_hyperedges(classifier.hyperedges_, names, positions=positions, ax=ax)


def plot(structure: Reportable, kind: str = "network", *, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a result: "network", "centrality", "intervals" of its edges, "heatmap" or "missing" cells."""
    if kind not in KINDS:
        raise SettingsError(f"kind is {kind!r}; expected one of {', '.join(KINDS)}.")
    return KINDS[kind](structure, ax=ax, **options)


def _missing_of(
    structure: Reportable, *, table: object = None, ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw the missing cells of the table that a result remembers, or of the one given."""
    table = getattr(structure, "table", None) if table is None else table
    if table is None:
        raise DataError("missing cells are those of a table: plot(kind='missing', table=...).")
    return missing(table, ax=ax, **options)


KINDS: Mapping[str, Callable[..., Axes]] = {
    "network": network,
    "centrality": centrality,
    "intervals": edge_intervals,
    "heatmap": heat_map,
    "missing": _missing_of,
}
"""What :meth:`graphoid.LearnedStructure.plot` draws, by name."""


def write(
    structure: Reportable,
    path: str | os.PathLike[str],
    kind: str = "network",
    *,
    table: object = None,
    bootstrap: Bootstrap | Resampled | None = None,
    source: object = None,
    reading: Mapping[str, Any] | None = None,
) -> None:
    """Write a picture to a file: SVG, PDF or PNG by its ending. A network as SVG takes no further library.

    Parameters
    ----------
    structure, table, bootstrap
        As in :func:`graphoid.report.page.write`.
    path
        Where to; an older file is replaced.
    kind
        As in :func:`plot`.
    source, reading
        Whose missing cells are drawn: what the table was read from, and how, as for :func:`missing`.
    """
    options: dict[str, Any] = {"table": table, "bootstrap": bootstrap}
    if kind == "network":
        drawing = network_drawing(structure, **options)
        if os.fspath(path).lower().endswith(".svg"):
            whole_file.write(path, to_svg(drawing))
            return
        page = cast("Figure", draw(drawing, own=True).figure)
    else:
        if kind == "missing":
            options = {"table": table} if source is None else {"table": source, **(reading or {})}
        elif kind == "heatmap":
            del options["bootstrap"]
        page = cast("Figure", plot(structure, kind, **options).figure)
    with whole_file.writer(path) as file:
        page.savefig(file, format=Path(path).suffix.lower().lstrip("."), dpi=200)
    close(page)
