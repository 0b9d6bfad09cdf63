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
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError
from graphoid.report.baselines import baselines, comparable, dependences
from graphoid.report.drawing import Hull, Line, svg
from graphoid.report.edges import edges_of, weights_of
from graphoid.report.escaped import embedded, html, visible
from graphoid.report.layout import layout
from graphoid.report.sections import MOST_STATES, sections
from graphoid.report.subject import row_counts, subject_of
from graphoid.report.tables import as_csv, as_graphml, as_latex
from graphoid.structure import document
from graphoid.structure.explain import describe_learner, plural, reason
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from graphoid.report.edges import EdgeFacts
    from graphoid.report.sections import Section
    from graphoid.report.subject import Subject

FORMAT = "graphoid report"
VERSION = 1

MOST_PAIRS = 5_000
"""Pairs without an edge of which the page can say why; beyond, it has the edges alone."""


def write(
    structure: Any,
    path: str | os.PathLike[str],
    *,
    table: Any = None,
    bootstrap: Any = None,
    layout_from: str | os.PathLike[str] | None = None,
    seed: int = 0,
    title: str | None = None,
) -> None:
    """Write a report of what was learned.

    Parameters
    ----------
    structure
        A learned structure, a canonical model (its graphs can be switched between) or a fitted
        :class:`~graphoid.MarkovNetworkClassifier` (its hyperedges are drawn).
    path
        Where to; an older file is replaced.
    table
        What it was learned from, for the counts behind every edge. A result of ``fit`` in this process
        remembers it.
    bootstrap
        A fitted :class:`~graphoid.Bootstrap`, or what it has saved: how often each edge is found again, with
        intervals.
    layout_from
        Another report, whose variables keep their places: two networks can then be compared by eye.
    seed
        Of the layout; another one gives another drawing.
    title
        Heading of the page.

    Examples
    --------
    >>> import graphoid as gd, tempfile, pathlib
    >>> found = gd.GSMN().fit(gd.datasets.load("titanic")).structure_
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "titanic.html"
    >>> write(found, path)
    >>> "Content-Security-Policy" in path.read_text(encoding="utf-8")
    True
    """
    subject = subject_of(structure, table)
    known = None if layout_from is None else places_in(layout_from)
    # variables are recognized by the names they came with, not by those that are shown
    graph = UndirectedGraph(subject.keys, (subject.frame or subject.graph).edges)
    places = layout(graph, seed=seed, known=known)
    document.save(_page(subject, places, bootstrap, title), path)


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


def _page(subject: Subject, places: NDArray[np.float64], bootstrap: Any, title: str | None) -> str:
    edges = edges_of(subject, bootstrap)
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    heading = visible(title) if title is not None else _title(subject)
    table = subject.table
    bits = None if table is None else dependences(table)
    compared = [] if table is None or not comparable(table) else baselines(subject.graph, table, bits)
    parts = sections(subject, edges, bits=bits, compared=compared, bootstrap=bootstrap, made=made)
    drawing = svg(
        subject.names,
        places,
        [Line(e.x, e.y, weight, e.certainty) for e, weight in zip(edges, weights_of(edges), strict=True)],
        hulls=[
            Hull(t.members, f"{', '.join(subject.names[v] for v in t.members)}: {t.information:+.1%}")
            for t in subject.together
            if t.order > 3
        ],
        ringed=[t.members[0] for t in subject.together if t.order == 2],
        title=f"Network of {plural(subject.graph.n, 'variable')} and {plural(len(edges), 'edge')}",
    )
    style, script = _source("page.css"), _source("page.js")
    return Template(_source("page.html")).substitute(
        kind=subject.kind,
        policy=_policy(style, script),
        heading=html(heading),
        abstract=html(_abstract(subject, edges)),
        style=style,
        links="".join(f'<a href="#{part.key}">{html(part.title)}</a>' for part in parts),
        views="".join(f'<option value="{i}">{html(v.label)}</option>' for i, v in enumerate(subject.views)),
        drawing=drawing,
        legend=_legend(subject.kind),
        hint=HINTS[subject.kind],
        sections="\n".join(map(_section, parts)),
        data=embedded(_data(subject, places, edges, heading)),
        script=script,
    )


def _title(subject: Subject) -> str:
    if subject.kind == "classifier":
        return "What tells the classes apart"
    source = (
        f" of {subject.table.name}" if subject.table is not None and subject.table.name != "table" else ""
    )
    return f"Markov network{source}"


def _abstract(subject: Subject, edges: Sequence[EdgeFacts]) -> str:
    """Return the whole in a sentence or two."""
    rows = "" if subject.table is None else f", {plural(subject.table.n_rows, 'row')}"
    by = describe_learner(subject.settings)
    if subject.kind == "classifier":
        return (
            f"{plural(len(subject.together), 'hyperedge')} among {plural(subject.graph.n, 'attribute')} "
            f"tell apart {subject.target}."
        )
    head = f"{plural(subject.graph.n, 'variable')}{rows}, {plural(len(edges), 'edge')}"
    if subject.kind == "contexts" and subject.model is not None:
        head += f" in one context or another, {plural(len(subject.model.graphs), 'different graph')}"
    sure = sum(edge.certainty == "sure" for edge in edges)
    certain = f" {sure:,} of the edges are sure." if edges and subject.kind == "structure" else ""
    return f"{head}{f', learned by {visible(by)}' if by else ''}.{certain}"


def _data(
    subject: Subject, places: NDArray[np.float64], edges: Sequence[EdgeFacts], heading: str
) -> dict[str, Any]:
    """Return what the script needs to answer."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": subject.kind,
        "file": re.sub(r"[^A-Za-z0-9]+", "-", heading).strip("-").lower()[:40] or "network",
        "nodes": [_node(subject, v, places[v]) for v in range(subject.graph.n)],
        "edges": [_edge(edge) for edge in edges],
        "pairs": _gaps(subject),
        "views": [{"label": v.label, "where": v.where} for v in subject.views],
        "hulls": [
            {"members": t.members, "order": t.order, "step": t.step, "information": t.information}
            for t in subject.together
        ],
        "files": {
            "csv": as_csv(subject.names, edges),
            "latex": as_latex(subject.names, edges, heading),
            "graphml": as_graphml(subject.names, edges),
        },
    }


def _node(subject: Subject, v: int, place: NDArray[np.float64]) -> dict[str, Any]:
    node: dict[str, Any] = {
        "name": subject.names[v],
        "key": subject.keys[v].encode("utf-8", "replace").decode(),
        "at": [float(place[0]), float(place[1])],
    }
    table = subject.table
    if table is not None and not table.variables[v].continuous:
        total = (table.n_rows if table.weights is None else table.weights.total) or 1
        node["states"] = [str(state) for state in table.variables[v].states[:MOST_STATES]]
        node["shares"] = [rows / total for rows in row_counts(table, v)[:MOST_STATES]]
        node["more"] = max(0, table.variables[v].arity - MOST_STATES)
    if table is not None and table.variables[v].label:
        node["label"] = table.variables[v].label
    return node


def _edge(edge: EdgeFacts) -> dict[str, Any]:
    known: dict[str, Any] = {
        "x": edge.x,
        "y": edge.y,
        "bits": edge.bits,
        "evidence": edge.evidence,
        "probability": edge.probability,
        "frequency": edge.frequency,
        "share": edge.share,
        "certainty": edge.certainty,
        "verdict": edge.verdict,
        "why": edge.why,
        "asked": edge.asked,
        "views": edge.views,
        "interval": edge.interval,
    }
    if edge.row is not None:
        known["said"] = edge.row.evidence
        known["bayes_factor"] = edge.row.bayes_factor
    if edge.strength is not None:
        known["words"] = edge.strength.sentence
        known["log_odds"] = edge.strength.log_odds
        known["log_odds_error"] = edge.strength.log_odds_error
        known["r"] = edge.strength.partial_correlation
    if edge.meeting is not None:
        known["meeting"] = edge.meeting._asdict()
    return {key: _finite(value) for key, value in known.items() if value not in (None, "", ())}


def _finite(value: Any) -> Any:
    """Return a number as JSON has it: infinity is a word."""
    if isinstance(value, float) and not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    return value


def _gaps(subject: Subject) -> list[list[Any]]:
    """Return why pairs are not joined, where something decided about them."""
    structure = subject.structure
    n = subject.graph.n
    if structure is None or n * (n - 1) // 2 > MOST_PAIRS:
        return []
    apart = [(x, y) for x in range(n) for y in range(x + 1, n) if not subject.graph.has_edge(x, y)]
    return [
        [x, y, reason(structure, x, y)]
        for x, y in apart
        if (x, y) in structure.verdicts or structure.worth(x, y) is not None
    ]


def _source(name: str) -> str:
    return files("graphoid.report").joinpath(name).read_text(encoding="utf-8").strip()


def _digest(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


MARKS = {
    "structure": (
        ("strong", "thicker is stronger"),
        ("sure", "sure"),
        ("likely", "likely"),
        ("doubtful", "doubtful"),
    ),
    "contexts": (
        ("strong", "thicker is stronger"),
        ("sure", "joined nearly everywhere"),
        ("likely", "in most rows"),
        ("doubtful", "in some"),
    ),
    "classifier": (("ring", "by itself"), ("sure", "two together"), ("band", "three or more")),
}
"""What a mark in the drawing means, by what the report is about."""

SHAPES = {
    "ring": '<circle class="ring" cx="17" cy="5" r="4"/>',
    "band": '<rect class="band" x="1" y="1" width="32" height="8"/>',
}
STROKE = '<line class="line {}" x1="2" y1="5" x2="32" y2="5"/>'

HINTS = {
    "structure": "Choose a variable to see its blanket, an edge to see what drives it, or two variables, one "
    "after the other, to see what separates them.",
    "contexts": "Choose a context to see its graph, a variable to see its blanket, an edge to see where it "
    "holds, or two variables, one after the other, to see what separates them.",
    "classifier": "Choose an attribute, a line or a band to see what its members say about the class.",
}


def _legend(kind: str) -> str:
    items = []
    for mark, words in MARKS[kind]:
        shape = SHAPES.get(mark, STROKE.format(mark))
        items.append(f'<li><svg viewBox="0 0 34 10" aria-hidden="true">{shape}</svg>{words}</li>')
    return "".join(items)


def _section(part: Section) -> str:
    title = f'<h2 id="{part.key}-title">{html(part.title)}</h2>'
    return f'<section id="{part.key}" aria-labelledby="{part.key}-title">{title}{part.body}</section>'


def _policy(style: str, script: str) -> str:
    """Return what the page may do: use its own style and its own script, and nothing else."""
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; "
        f"form-action 'none'"
    )
