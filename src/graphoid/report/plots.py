"""Pictures for a paper, by matplotlib (the extra ``plot``).

Every function draws on ``ax`` or on a new figure and returns the axes; ``ax.figure.savefig("network.pdf")``
writes them, as SVG, PDF or PNG by the ending. The layout is that of the page, and so are the strokes of the
edges.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError, SettingsError
from graphoid.report.display import shorten
from graphoid.report.edges import EdgeFacts, edges_of, strength_of, weights_of
from graphoid.report.figure import axes, figure, verbatim, write
from graphoid.report.hyperedges import draw_hyperedges
from graphoid.report.page import places_of
from graphoid.report.subject import HasHyperedges, Reportable, Subject, resamples_of, subject_of
from graphoid.structure.learned import LearnedStructure
from graphoid.uncertainty.plots import edge_intervals as resampled_intervals

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from graphoid.report.layout import Positions
    from graphoid.uncertainty.bootstrap import Bootstrap
    from graphoid.uncertainty.bootstrap_result import Resampled

INK, FAINT, ACCENT = "#33475b", "#9aa7b4", "#0b5cad"

STROKES: Mapping[str, dict[str, Any]] = {
    "sure": {"color": INK},
    "likely": {"color": FAINT},
    "doubtful": {"color": FAINT, "linestyle": (0, (3, 3))},
}
"""How an edge is stroked, by how certain it is."""

MOST_CONTEXTS = 6
"""Graphs of a canonical model that are drawn side by side."""


def network(
    structure: Reportable,
    *,
    table: object = None,
    bootstrap: Bootstrap | Resampled | None = None,
    layout_from: str | os.PathLike[str] | None = None,
    seed: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw a network: thicker edges are stronger, faint ones less certain, dashed ones doubtful.

    Parameters
    ----------
    structure, table, bootstrap, layout_from, seed
        As in :func:`graphoid.report.page.write`.
    ax
        Axes to draw on; a new figure by default.

    Examples
    --------
    >>> import graphoid as gd
    >>> ax = network(gd.GSMN().fit(gd.datasets.load("titanic")).structure_)
    >>> len(ax.texts)
    4
    """
    subject = subject_of(structure, table)
    ax = axes(ax, (7.5, 5.0))
    _draw(
        ax,
        subject,
        edges_of(subject, resamples_of(bootstrap, subject)),
        places_of(subject, layout_from, seed),
    )
    return ax


def contexts(
    model: Reportable, *, table: object = None, seed: int = 0, most: int = MOST_CONTEXTS
) -> list[Axes]:
    """Draw the graphs of a canonical model side by side, those of most rows first; return their axes."""
    subject = subject_of(model, table)
    if not subject.views:
        raise SettingsError("contexts draws a canonical model, such as CSGS().fit(table).structure_.")
    edges, places = edges_of(subject), places_of(subject, None, seed)
    views = subject.views[:most]
    across = min(3, len(views))
    panels = figure((4.2 * across, 3.4 * -(-len(views) // across)))
    grid = list(panels.subplots(-(-len(views) // across), across, squeeze=False).flat)
    for i, (ax, view) in enumerate(zip(grid, views, strict=False)):
        _draw(ax, subject, [edge for edge in edges if i in edge.views], places)
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
    """Draw the strength of the edges, strongest first, each with its interval of 95 %.

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
    subject = subject_of(structure, table)
    resampled = resamples_of(bootstrap, subject)
    if resampled is not None:
        drawn: Axes = resampled_intervals(resampled, ax)
        return drawn
    rows = [row for edge in edges_of(subject) if (row := _interval(edge)) is not None]
    if not rows:
        raise DataError(
            "no edge has an interval: give the table that the network was learned from, with rows enough for "
            "an estimate."
        )
    rows.sort(key=lambda row: -abs(row[1]))
    rows = rows[:most]
    ax = axes(ax, (6.5, 0.8 + 0.24 * len(rows)))
    for place, (edge, middle, low, high) in enumerate(reversed(rows)):
        stroke = STROKES[edge.certainty]
        ax.plot([low, high], [place, place], color=stroke["color"], linewidth=1.6, solid_capstyle="butt")
        ax.plot([middle], [place], "o", color=ACCENT, markersize=4)
    names = [f"{shorten(subject.names[e.x])} – {shorten(subject.names[e.y])}" for e, *_ in reversed(rows)]
    ax.set_yticks(range(len(rows)), names, fontsize=8, parse_math=False)
    ax.set_ylim(-0.7, len(rows) - 0.3)
    ax.axvline(0.0, color=FAINT, linewidth=0.8)
    ax.set_xlabel("edge weight (effect size where states have no order), given both blankets")
    ax.spines[["top", "right"]].set_visible(False)
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


def _draw(ax: Axes, subject: Subject, edges: Sequence[EdgeFacts], places: Positions) -> None:
    """Draw edges, nodes and names."""
    n = len(places)
    small = 1.0 if n <= 60 else math.sqrt(60 / n)  # many nodes are drawn smaller
    size = 7.5 if n <= 20 else max(3.0, 6.5 * small)
    order = sorted(zip(edges, weights_of(edges), strict=True), key=lambda pair: strength_of(pair[0]))
    for edge, weight in order:
        (x1, y1), (x2, y2) = places[edge.x], places[edge.y]
        ax.plot(
            [x1, x2], [y1, y2], linewidth=small * (0.8 + 4.0 * weight), zorder=1, **STROKES[edge.certainty]
        )
    ax.scatter(
        places[:, 0],
        places[:, 1],
        s=60 * small**2,
        facecolor="white",
        edgecolor=INK,
        linewidth=1.1 * small,
        zorder=2,
    )
    for (x, y), name in zip(places, subject.names, strict=True):
        write(ax, x, y + 13, shorten(name), fontsize=size, ha="center", va="top", zorder=3, halo=True)
    ax.set_aspect("equal")
    ax.margins(0.12)
    ax.invert_yaxis()
    ax.set_axis_off()
