"""Pictures of the page beside the network: centrality as dots, the adjacency matrix as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphoid.report.centrality import MEANINGS, centrality_of
from graphoid.report.display import shorten
from graphoid.report.edges import EdgeFacts, strength_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.report.centrality import Centrality
    from graphoid.report.drawing import Group
    from graphoid.report.subject import Subject
    from graphoid.uncertainty.bootstrap_result import Resampled

MOST_ROWS = 40
"""Variables whose centrality is drawn, the strongest; the table has all of them."""

MOST_CELLS = 80
"""Variables up to which there is a heat map."""

NAMES, PANEL, GUTTER, ROW, HEAD = 170.0, 150.0, 22.0, 19.0, 26.0
"""Width of names, of a panel and between two; height of a row and of the heading."""


class Dot(NamedTuple):
    """A value in a panel, with its interval where there is one."""

    x: float
    y: float
    low: float | None
    high: float | None
    title: str


class Panel(NamedTuple):
    """A measure of centrality, drawn."""

    left: float
    title: str
    says: str
    zero: float | None
    """Where zero is, if in the middle."""
    dots: list[Dot]


class DotChart(NamedTuple):
    """Centrality of the strongest variables, a panel a measure."""

    width: float
    height: float
    names: list[tuple[str, float]]
    panels: list[Panel]
    rows: list[tuple[str, list[Centrality]]]
    """A variable each, with all its measures: the table below the picture."""
    intervals: bool


class Cell(NamedTuple):
    """An edge in the heat map."""

    row: int
    column: int
    sign: str
    share: float
    """Of the strongest."""
    title: str


class HeatMap(NamedTuple):
    """The weighted adjacency matrix, variables in the order of their groups."""

    names: list[str]
    cells: list[Cell]


def centrality_chart(
    subject: Subject, edges: Sequence[EdgeFacts], groups: Sequence[Group], resampled: Resampled | None
) -> DotChart | None:
    """Return the centrality of the variables; None where nothing is joined, or it is not of one graph."""
    if subject.kind != "structure" or len(edges) < 2 or len(subject.names) > 1_000:
        return None
    rows = centrality_of(subject, edges, groups, resampled)
    measures = list(dict.fromkeys(row.measure for row in rows))
    strength = {row.v: row.value for row in rows if row.measure == "strength"}
    order = sorted(strength, key=lambda v: (-strength[v], v))
    shown = order[:MOST_ROWS]
    place = {v: HEAD + (i + 0.5) * ROW for i, v in enumerate(shown)}
    panels = [
        _panel(subject, [row for row in rows if row.measure == measure and row.v in place], place, i)
        for i, measure in enumerate(measures)
    ]
    by = {(row.v, row.measure): row for row in rows}
    return DotChart(
        NAMES + len(panels) * (PANEL + GUTTER),
        HEAD + len(shown) * ROW + 8,
        [(shorten(subject.names[v], 24), place[v]) for v in shown],
        panels,
        [(subject.names[v], [by[v, measure] for measure in measures]) for v in order],
        any(row.low is not None for row in rows),
    )


def _panel(subject: Subject, rows: Sequence[Centrality], place: dict[int, float], number: int) -> Panel:
    left = NAMES + number * (PANEL + GUTTER)
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    scale = (PANEL - 12) / ((high - low) or 1.0)

    def at(value: float | None) -> float | None:
        return None if value is None else left + 6 + (value - low) * scale

    dots = [
        Dot(
            at(row.value) or left,
            place[row.v],
            at(row.low),
            at(row.high),
            f"{subject.names[row.v]}: {row.value:.3g}",
        )
        for row in rows
    ]
    measure = rows[0].measure
    return Panel(left, measure, MEANINGS[measure], at(0.0), dots)


def heat_map(subject: Subject, edges: Sequence[EdgeFacts], groups: Sequence[Group]) -> HeatMap | None:
    """Return the adjacency matrix; None where there is no edge, or too many variables to be seen."""
    n = len(subject.names)
    if subject.kind != "structure" or not edges or n > MOST_CELLS:
        return None
    order = [v for group in groups for v in group.members]
    order += sorted(set(range(n)) - set(order))
    place = {v: i for i, v in enumerate(order)}
    most = max(strength_of(edge) for edge in edges) or 1.0
    cells = [
        Cell(
            place[x],
            place[y],
            edge.sign,
            min(1.0, max(0.0, strength_of(edge) / most)),
            f"{subject.names[x]} – {subject.names[y]}: {_value(edge)}",
        )
        for edge in edges
        for x, y in ((edge.x, edge.y), (edge.y, edge.x))
    ]
    return HeatMap([shorten(subject.names[v], 20) for v in order], cells)


def _value(edge: EdgeFacts) -> str:
    weight = edge.strength.weight if edge.strength is not None else None
    return f"{strength_of(edge):.2f}" if weight is None else f"{weight:+.2f}"
