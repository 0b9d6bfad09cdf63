"""What a notebook shows of a learned structure: its drawing, and the edges below."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from graphoid.limits import OutOfTime, time_limit
from graphoid.report.drawing import MOST_HELD, drawing_of
from graphoid.report.edges import NOTHING, EdgeFacts, edges_of, measure, strength_of
from graphoid.report.findings import finding
from graphoid.report.page import places_of
from graphoid.report.part import measure_part, part_of, restrict
from graphoid.report.subject import subject_of
from graphoid.report.svg import to_svg
from graphoid.report.tables import format_value
from graphoid.structure.explain import caveats, cost_line, plural, why_empty
from graphoid.structure.knowledge import knowledge_sentences

if TYPE_CHECKING:
    from graphoid.structure.learned import LearnedStructure

MOST_ROWS = 50
"""Edges in the table; ``to_frame()`` has them all."""

PATIENCE = 5.0
"""Seconds that a cell may take to measure the edges; beyond, they are shown without."""

WIDEST = 900.0
"""Pixels of a drawing in a cell."""


def html(structure: LearnedStructure) -> str:
    """Return a structure for a notebook; every name is escaped."""
    whole = subject_of(structure)
    part = part_of(whole)
    subject, measured = whole if part is None else restrict(whole, part), NOTHING
    try:
        with time_limit(PATIENCE):
            measured = measure(subject) if part is None else measure_part(whole, part)
    except OutOfTime:  # the edges are shown without their strengths
        measured = NOTHING
    edges = edges_of(subject, measured=measured)
    parts = []
    if edges and subject.graph.n <= MOST_HELD:
        drawing = drawing_of(subject, places_of(subject, None, 0), edges)
        parts.append(to_svg(drawing, width=min(WIDEST, drawing.box[2])))
        parts.append(f"<p>{escape(finding(subject, edges, drawing.groups))}</p>")
    if edges:
        parts.append(_table(subject.names, edges))
    else:
        parts += [f"<p>{escape(sentence)}</p>" for sentence in why_empty(structure)]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in caveats(structure.settings, structure.details)]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in knowledge_sentences(structure.knowledge)]
    title = f"Markov network of {plural(structure.graph.n, 'variable')}, {plural(len(edges), 'edge')}"
    return "".join(
        [f"<p><b>{escape(title)}</b></p>", *parts, f"<p><small>{escape(cost_line(structure))}</small></p>"]
    )


def _table(names: tuple[str, ...], edges: list[EdgeFacts]) -> str:
    """Return the strongest edges as a table."""
    heads = [
        "variable 1",
        "variable 2",
        "edge weight",
        "95 % confidence interval",
        "inclusion probability",
        "verdict",
    ]
    order = sorted(edges, key=lambda edge: -strength_of(edge))
    rows = [_row(names, edge) for edge in order[:MOST_ROWS]]
    kept = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    head = "".join(f"<th>{heads[i]}</th>" for i in kept)
    body = "".join(f"<tr>{''.join(f'<td>{escape(row[i])}</td>' for i in kept)}</tr>" for row in rows)
    more = len(edges) - MOST_ROWS
    rest = f"<p>and {more:,} more; <code>to_frame()</code> has them all</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _row(names: tuple[str, ...], edge: EdgeFacts) -> tuple[str, ...]:
    s = edge.strength
    weight, interval = "", ""
    if s is not None and s.weight is not None and s.weight_low is not None and s.weight_high is not None:
        weight, interval = f"{s.weight:+.2f}", f"{s.weight_low:.2f} to {s.weight_high:.2f}"
    elif s is not None and s.size is not None and edge.interval is not None:
        weight, interval = f"{s.size:.2f} (no sign)", f"{edge.interval[0]:.2f} to {edge.interval[1]:.2f}"
    return names[edge.x], names[edge.y], weight, interval, format_value(edge.probability), edge.verdict
