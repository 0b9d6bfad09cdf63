"""The report: one HTML file that shows the network, answers questions about it, and says what a paper needs.

The file makes no request of any kind: style, script, drawing and data are in it, and its content security
policy allows the one style and the one script by their digests and nothing else. Layout and drawing are made
in Python; the script (``page.js``, our own: no library that does as little could be inlined as small) only
makes them interactive, so that the page can be read and printed without it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import DataError
from graphoid.limits import OutOfTime, time_limit
from graphoid.report.arrange import arrange
from graphoid.report.baselines import baselines, comparable, dependences
from graphoid.report.display import shorten, visible
from graphoid.report.drawing import MOST_HELD, Drawing, drawing_of, line_width, sizes_of
from graphoid.report.edges import NOTHING, EdgeFacts, edges_in, edges_of, measure, weights_of
from graphoid.report.findings import finding, summary
from graphoid.report.layout import layout
from graphoid.report.part import measure_part, part_around, restrict, strongest_part
from graphoid.report.sections import MOST_SENTENCES, MOST_STATES, sections
from graphoid.report.subject import Reportable, Subject, resamples_of, row_counts, subject_of
from graphoid.report.tables import as_csv, as_graphml, as_latex, format_bayes_factor, format_value
from graphoid.structure import document
from graphoid.structure.explain import plural, reason
from graphoid.structure.graph import UndirectedGraph
from graphoid.uncertainty.inclusion import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from jinja2 import Environment

    from graphoid.report.drawing import Groups
    from graphoid.report.edges import Measured
    from graphoid.report.findings import Summary
    from graphoid.report.layout import Positions
    from graphoid.report.part import Part
    from graphoid.report.sections import Section
    from graphoid.uncertainty.bootstrap import Bootstrap
    from graphoid.uncertainty.bootstrap_result import Resampled

FORMAT = "graphoid report"
VERSION = 1

MOST_PAIRS = 5_000
"""Pairs without an edge of which the page can say why; beyond, it has the edges alone."""


STYLE = "page.css"
SCRIPTS, LIVE_SCRIPTS = ("page.js",), ("page.js", "live.js")
"""Of a page that is a file, and of one that a notebook or a server shows."""


UNION = (
    "The union of the graphs joins what is joined in some context; strengths are those of all rows together."
)
"""What is shown of a canonical model until a context is chosen."""


class Page(NamedTuple):
    """A report before it is a file: what its template shows."""

    subject: Subject
    heading: str
    abstract: str
    summary: Summary
    drawing: Drawing
    sections: list[Section]
    data: dict[str, object]

    def html(self, *, live: bool = False) -> str:
        """Return the page; one that is ``live`` talks to the notebook or server that shows it."""
        scripts = [source(name) for name in (LIVE_SCRIPTS if live else SCRIPTS)]
        template = environment().get_template("page.html")
        return template.render(**self._asdict(), live=live, style=source(STYLE), scripts=scripts)


def write(
    structure: Reportable,
    path: str | os.PathLike[str],
    *,
    table: object = None,
    bootstrap: Bootstrap | Resampled | None = None,
    layout_from: str | os.PathLike[str] | None = None,
    seed: int = 0,
    title: str | None = None,
    groups: Groups | None = None,
    highlight: Collection[str] = (),
    around: int | str | None = None,
    seconds: float | None = None,
) -> None:
    """Write a report of what was learned: one HTML file.

    Parameters
    ----------
    structure
        A learned structure, a canonical model (its graphs can be switched between) or a fitted
        :class:`~graphoid.MarkovNetworkClassifier` (its hyperedges are drawn). Of more than 1,000 variables
        or 5,000 edges the page shows the 500 strongest edges and what they join, and says so.
    path
        Where to; an older file is replaced.
    table
        What it was learned from, for the counts behind every edge. A result of ``fit`` in this process
        remembers it.
    bootstrap
        A fitted :class:`~graphoid.Bootstrap`, or what it has saved: how often each edge is found again, with
        intervals.
    layout_from
        Another report, whose variables keep their places.
    seed
        Of the layout; another one gives another drawing.
    title
        Heading of the page.
    groups, highlight
        As in :func:`graphoid.report.plots.network`.
    around
        A variable of a learned structure: the page shows it with its neighbors and theirs alone.
    seconds
        Time that measuring the edges may take; if that is not enough, the page says so and has no weights.
    """
    page = compose(
        structure,
        table=table,
        bootstrap=bootstrap,
        layout_from=layout_from,
        seed=seed,
        title=title,
        groups=groups,
        highlight=highlight,
        around=around,
        seconds=seconds,
    )
    document.save(page.html(), path)


def compose(
    structure: Reportable,
    *,
    table: object = None,
    bootstrap: Bootstrap | Resampled | None = None,
    layout_from: str | os.PathLike[str] | None = None,
    seed: int = 0,
    title: str | None = None,
    groups: Groups | None = None,
    highlight: Collection[str] = (),
    around: int | str | None = None,
    seconds: float | None = None,
) -> Page:
    """Return the page of what was learned; parameters are those of :func:`write`.

    >>> import graphoid as gd
    >>> page = compose(gd.GSMN().fit(gd.datasets.load("titanic")).structure_)
    >>> "Content-Security-Policy" in page.html()
    True
    """
    whole = subject_of(structure, table)
    part = strongest_part(whole) if around is None else part_around(whole, around)
    resampled = resamples_of(bootstrap, whole)
    subject = whole if part is None else restrict(whole, part, resampled)
    if part is not None:
        groups, highlight = part.groups(groups, whole.keys), part.names(highlight, whole.keys)
    places = places_of(subject, layout_from, seed)
    subject, measured = _measure(whole, part, subject, seconds)
    edges = edges_of(subject, resampled, measured)
    page = _page(subject, places, edges, resampled, title, groups, highlight)
    page.data["whole"] = part is None
    return page


def _measure(
    whole: Subject, part: Part | None, subject: Subject, seconds: float | None
) -> tuple[Subject, Measured]:
    """Return strength and counts of the edges that are shown, or a note that there was not the time."""
    try:
        with time_limit(seconds):
            if part is not None:
                return subject, measure_part(whole, part)
            return subject, measure(whole, len(whole.views))
    except OutOfTime:
        late = f"Edges are not measured: that would have taken more than {seconds:.2g} s."
        return replace(subject, notes=(*subject.notes, late)), NOTHING


def places_of(subject: Subject, layout_from: str | os.PathLike[str] | None, seed: int) -> Positions:
    """Return where the variables of a subject are drawn: where another report has them, or by the layout."""
    known = None if layout_from is None else places_in(layout_from)
    # variables are recognized by the names they came with, not by those that are shown
    graph = UndirectedGraph(subject.keys, (subject.frame or subject.graph).edges)
    places = layout(graph, seed=seed, known=known)
    if graph.n > MOST_HELD or any(name in (known or {}) for name in graph.names):
        return places
    return arrange(places, sizes_of(subject), graph.edges)


def places_in(path: str | os.PathLike[str]) -> dict[str, tuple[float, float]]:
    """Return where a report has drawn its variables, by name."""
    text = Path(path).read_text(encoding="utf-8", errors="replace")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, flags=re.DOTALL)
    try:
        data = json.loads(found.group(1)) if found else {}
        if data.get("format") != FORMAT:
            raise DataError(
                f"{os.fspath(path)!r} is no report that graphoid wrote; layout_from takes the path of one."
            )
        return {node["key"]: (float(node["at"][0]), float(node["at"][1])) for node in data["nodes"]}
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{os.fspath(path)!r} is a report that was changed after it was written.") from None


def _page(
    subject: Subject,
    places: Positions,
    edges: Sequence[EdgeFacts],
    resampled: Resampled | None,
    title: str | None,
    groups: Groups | None,
    highlight: Collection[str],
) -> Page:
    heading = visible(title) if title is not None else _title(subject)
    table = subject.table
    bits = None if table is None else dependences(table)
    compared = [] if table is None or not comparable(table) else baselines(subject.graph, table, bits)
    drawing = drawing_of(subject, places, edges, groups=groups, highlight=highlight)
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Page(
        subject=subject,
        heading=heading,
        abstract=finding(subject, edges, drawing.groups),
        summary=summary(subject, edges, drawing.groups),
        drawing=drawing,
        sections=sections(
            subject, edges, drawing.groups, bits=bits, compared=compared, resampled=resampled, date=date
        ),
        data=_data(subject, drawing, edges, heading),
    )


@cache
def environment() -> Environment:
    """Return what renders the templates: everything in them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("graphoid.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        number=format_value,
        bayes_factor=format_bayes_factor,
        quantity=plural,
        digest=digest,
        shorten=shorten,
    )
    found.globals.update(
        infinity=math.inf,
        meanings=MEANINGS,
        most_sentences=MOST_SENTENCES,
        most_states=MOST_STATES,
        union=UNION,
    )
    compact = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
    found.policies["json.dumps_kwargs"] = compact
    return found


def _title(subject: Subject) -> str:
    if subject.kind == "classifier":
        return "What tells the classes apart"
    if subject.table is None or subject.table.name == "table":
        return "Markov network"
    return f"Markov network of {subject.table.name}"


def _data(subject: Subject, drawing: Drawing, edges: Sequence[EdgeFacts], heading: str) -> dict[str, object]:
    """Return what the script needs to answer."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": subject.kind,
        "file": re.sub(r"[^A-Za-z0-9]+", "-", heading).strip("-").lower()[:40] or "network",
        "nodes": [_node(subject, v, (node.x, node.y)) for v, node in enumerate(drawing.nodes)],
        "edges": _edges(subject, drawing, edges),
        "pairs": _gaps(subject),
        "views": [{"label": v.label, "where": v.where} for v in subject.views],
        "hulls": [
            {"members": t.members, "order": t.order, "step": t.step, "information": t.information}
            for t in subject.together
        ],
        "files": {
            "csv": as_csv(subject.names, edges, len(subject.views)),
            "latex": as_latex(subject.names, edges, heading),
            "graphml": as_graphml(subject.names, edges),
        },
    }


def _node(subject: Subject, v: int, place: Sequence[float]) -> dict[str, object]:
    node: dict[str, object] = {
        "name": subject.names[v],
        "key": subject.keys[v].encode("utf-8", "replace").decode(),
        "at": place,
    }
    table = subject.table
    if table is not None and not table.variables[v].continuous:
        total = (table.n_rows if table.weights is None else table.weights.total) or 1
        node["states"] = [str(state) for state in table.variables[v].states[:MOST_STATES]]
        node["shares"] = [rows / total for rows in row_counts(table, v)[:MOST_STATES]]
        node["more"] = max(0, table.variables[v].arity - MOST_STATES)
    if table is not None and table.variables[v].continuous:
        node["range"] = float(np.nanmin(table.values[v])), float(np.nanmax(table.values[v]))
    if table is not None and table.variables[v].label:
        node["label"] = table.variables[v].label
    return node


def _edges(subject: Subject, drawing: Drawing, edges: Sequence[EdgeFacts]) -> list[dict[str, object]]:
    """Return all that is known of each edge, also as it is in each of the views."""
    views: list[dict[int, object]] = [{} for _ in edges]
    place = {(edge.x, edge.y): i for i, edge in enumerate(edges)}
    for k in range(len(subject.views)):
        there = edges_in(k, edges)
        for edge, weight in zip(there, weights_of(there), strict=True):
            i = place[edge.x, edge.y]
            if k in edges[i].by_view:
                drawn = {"width": round(line_width(weight), 2), "sign": edge.sign}
                views[i][k] = drawn | _strength(edge)
    return [
        _edge(edge, line.bend) | ({"by_view": own} if own else {})
        for edge, line, own in zip(edges, drawing.lines, views, strict=True)
    ]


def _edge(edge: EdgeFacts, bend: tuple[float, float] | None) -> dict[str, object]:
    known: dict[str, object] = {
        "x": edge.x,
        "y": edge.y,
        "bend": bend,
        "evidence": edge.evidence,
        "probability": edge.probability,
        "frequency": edge.frequency,
        "share": edge.share,
        "certainty": edge.certainty,
        "verdict": edge.verdict,
        "why": edge.why,
        "asked": edge.questions,
        "views": edge.views,
    }
    if edge.row is not None:
        known["said"] = edge.row.evidence
        known["bayes_factor"] = edge.row.bayes_factor
    if edge.picture is not None:
        known[type(edge.picture).__name__.lower()] = edge.picture._asdict()
    return _json_values(known) | _strength(edge)


def _strength(edge: EdgeFacts) -> dict[str, object]:
    """Return how strong an edge is, with the counts behind that."""
    known: dict[str, object] = {"bits": edge.bits, "interval": edge.interval}
    if edge.strength is not None:
        known["words"] = edge.strength.sentence
        known["log_odds"] = edge.strength.log_odds
        known["log_odds_error"] = edge.strength.log_odds_error
        known["r"] = edge.strength.partial_correlation
        known["weight"], known["size"] = edge.strength.weight, edge.strength.size
        if edge.strength.weight is not None:
            known["weight_interval"] = edge.strength.weight_low, edge.strength.weight_high
    if edge.meeting is not None:
        known["meeting"] = edge.meeting._asdict()
    return _json_values(known)


def _json_values(values: dict[str, object]) -> dict[str, object]:
    """Return those of some values that are known, as JSON has them."""
    return {key: _finite(value) for key, value in values.items() if value not in (None, "", ())}


def _finite(value: object) -> object:
    """Return a number as JSON has it: infinity is a word."""
    if isinstance(value, float) and not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    return value


def _gaps(subject: Subject) -> list[tuple[int, int, str]]:
    """Return why pairs are not joined, where something decided about them."""
    structure = subject.structure
    n = subject.graph.n
    if structure is None or n * (n - 1) // 2 > MOST_PAIRS:
        return []
    pairs = {*structure.verdicts, *(() if structure.scored is None else structure.scored.gains)}
    return [(x, y, reason(structure, x, y)) for x, y in sorted(pairs) if not subject.graph.has_edge(x, y)]


def source(name: str) -> str:
    """Return a style or script of the page."""
    return files("graphoid.report").joinpath(name).read_text(encoding="utf-8").strip()


def digest(text: str) -> str:
    """Return what a content security policy knows a style or script by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
