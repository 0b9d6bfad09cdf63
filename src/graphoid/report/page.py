"""The report: one HTML file that shows the network, answers questions about it, and says what a paper needs.

The file makes no request of any kind: style, script, drawing and data are in it, and its content security policy
allows the one style and the one script by their digests and nothing else. Layout and drawing are made in Python;
the script (``page.js``) only makes them interactive, so that the page can be read and printed without it.
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
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError
from graphoid.report.baselines import baselines, comparable, dependences
from graphoid.report.drawing import Hull, Line, svg
from graphoid.report.edges import edges_of, weights_of
from graphoid.report.escaped import embedded, html, visible
from graphoid.report.layout import layout
from graphoid.report.sections import sections
from graphoid.report.subject import row_counts, subject_of
from graphoid.report.tables import as_csv, as_graphml, as_latex
from graphoid.structure import document
from graphoid.structure.explain import counted, decided, described
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
        A fitted :class:`~graphoid.Bootstrap`: how often each edge is found again, with intervals.
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
        [_line(subject, edge, weight) for edge, weight in zip(edges, weights_of(edges), strict=True)],
        hulls=[
            Hull(t.members, f"{', '.join(subject.names[v] for v in t.members)}: {t.information:+.1%}")
            for t in subject.together
            if t.order > 3
        ],
        ringed=[t.members[0] for t in subject.together if t.order == 2],
        title=f"Network of {counted(subject.graph.n, 'variable')} and {counted(len(edges), 'edge')}",
    )
    data = _data(subject, places, edges, heading)
    style, script = _source("page.css"), _source("page.js")
    return _shell(
        subject.kind,
        heading,
        _abstract(subject, edges),
        drawing,
        _tools(subject),
        parts,
        embedded(data),
        style,
        script,
    )


def _title(subject: Subject) -> str:
    if subject.kind == "classifier":
        return "What tells the classes apart"
    source = f" of {subject.table.name}" if subject.table is not None and subject.table.name != "table" else ""
    return f"Markov network{source}"


def _abstract(subject: Subject, edges: Sequence[EdgeFacts]) -> str:
    """Return the whole in a sentence or two."""
    rows = "" if subject.table is None else f", {counted(subject.table.n_rows, 'row')}"
    by = described(subject.settings)
    if subject.kind == "classifier":
        return (
            f"{counted(len(subject.together), 'hyperedge')} among {counted(subject.graph.n, 'attribute')} tell apart "
            f"{subject.target}."
        )
    head = f"{counted(subject.graph.n, 'variable')}{rows}, {counted(len(edges), 'edge')}"
    if subject.kind == "contexts" and subject.model is not None:
        head += f" in one context or another, {counted(len(subject.model.graphs), 'different graph')}"
    sure = sum(edge.certainty == "sure" for edge in edges)
    certain = f" {sure:,} of the edges are sure." if edges and subject.kind == "structure" else ""
    return f"{head}{f', learned by {visible(by)}' if by else ''}.{certain}"


def _line(subject: Subject, edge: EdgeFacts, weight: float) -> Line:
    ends = f"{subject.names[edge.x]} – {subject.names[edge.y]}"
    facts = []
    if edge.bits is not None:
        facts.append(f"{edge.bits:.3g} bits")
    if edge.row is not None:
        facts.append(edge.row.evidence)
    return Line(edge.x, edge.y, weight, edge.certainty, f"{ends}: {'; '.join(facts)}" if facts else ends)


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
        node["states"] = [str(state) for state in table.variables[v].states]
        node["rows"] = row_counts(table, v)
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
    interval = getattr(edge.resampled, "interval", None)
    if interval is not None:
        known["interval"] = list(interval)
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
        [x, y, decided(structure, x, y)]
        for x, y in apart
        if (x, y) in structure.verdicts or structure.worth(x, y) is not None
    ]


def _source(name: str) -> str:
    return files("graphoid.report").joinpath(name).read_text(encoding="utf-8").strip()


def _digest(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def _tools(subject: Subject) -> str:
    """Return what stands above the drawing."""
    options = "".join(f'<option value="{i}">{html(view.label)}</option>' for i, view in enumerate(subject.views))
    views = (
        f'<label class="tool">Context <select id="view"><option value="">all: joined somewhere</option>'
        f"{options}</select></label>"
        if options
        else ""
    )
    slider = (
        '<label class="tool grow">Weakest edge shown <input id="threshold" type="range" min="0" max="0" value="0">'
        '</label><output id="shown" for="threshold"></output>'
        if subject.kind != "classifier"
        else ""
    )
    return (
        f'<div class="toolbar" role="toolbar" aria-label="Drawing">'
        f'<label class="tool">Find <input id="search" type="search" autocomplete="off" spellcheck="false" '
        f'placeholder="a variable"></label>'
        f"{slider}{views}"
        f'<span class="buttons"><button type="button" id="fit" title="Show all of it">Fit</button>'
        f'<button type="button" id="zoom-in" aria-label="Zoom in">+</button>'
        f'<button type="button" id="zoom-out" aria-label="Zoom out">−</button>'
        f'<button type="button" id="save" title="Download the drawing as SVG">SVG</button></span></div>'
    )


ASK = """<form id="ask" class="ask" aria-label="Ask the network">
<span>Is</span> <input id="ask-x" list="names" aria-label="first variable" autocomplete="off" required>
<span>independent of</span> <input id="ask-y" list="names" aria-label="second variable" autocomplete="off" required>
<span>given</span> <input id="ask-z" list="names" aria-label="what is given" autocomplete="off" placeholder="nothing">
<span id="given" class="chips"></span><button type="submit">Ask</button>
<datalist id="names"></datalist></form>
<p id="answer" class="answer" role="status"></p>"""

MARKS = {
    "structure": (("strong", "thicker is stronger"), ("sure", "sure"), ("likely", "likely"), ("doubtful", "doubtful")),
    "contexts": (
        ("strong", "thicker is stronger"),
        ("sure", "joined nearly everywhere"),
        ("likely", "in most rows"),
        ("doubtful", "in some"),
    ),
    "classifier": (("ring", "by itself"), ("sure", "two together"), ("band", "three or more")),
}
"""What a mark in the drawing means, by what the report is about."""

SHAPES = {"ring": '<circle class="ring" cx="17" cy="5" r="4"/>', "band": '<rect class="band" x="1" y="1" width="32" height="8"/>'}
STROKE = '<line class="line" x1="2" y1="5" x2="32" y2="5"/>'


def _legend(kind: str) -> str:
    items = "".join(
        f'<li class="{mark}"><svg viewBox="0 0 34 10" aria-hidden="true">{SHAPES.get(mark, STROKE)}</svg>{words}</li>'
        for mark, words in MARKS[kind]
    )
    return f'<ul class="legend" aria-label="Legend">{items}</ul>'


HINTS = {
    "structure": "Choose a variable to see its blanket, an edge to see what drives it, or two variables, one after the "
    "other, to see what separates them.",
    "contexts": "Choose a context to see its graph, a variable to see its blanket, an edge to see where it holds, or two "
    "variables, one after the other, to see what separates them.",
    "classifier": "Choose an attribute, a line or a band to see what its members say about the class together.",
}


def _shell(
    kind: str,
    heading: str,
    abstract: str,
    drawing: str,
    tools: str,
    parts: Sequence[Section],
    data: str,
    style: str,
    script: str,
) -> str:
    ask = "" if kind == "classifier" else ASK  # its graph holds given the class
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; "
        f"form-action 'none'"
    )
    links = "".join(f'<a href="#{part.key}">{html(part.title)}</a>' for part in parts)
    body = "".join(
        f'<section id="{part.key}" aria-labelledby="{part.key}-title"><h2 id="{part.key}-title">{html(part.title)}</h2>'
        f"{part.body}</section>"
        for part in parts
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="graphoid">
<meta name="referrer" content="no-referrer">
<title>{html(heading)}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#edges">Skip the drawing</a>
<header><div><h1>{html(heading)}</h1><p class="abstract">{html(abstract)}</p></div>
<button type="button" id="theme" aria-pressed="false">Dark</button></header>
<nav aria-label="Parts of the report">{links}</nav>
<main>
<section id="network" aria-label="The network">
{tools}
<div class="stage"><figure>{drawing}<figcaption>{_legend(kind)}<span id="where"></span></figcaption></figure>
<aside id="panel" aria-live="polite" tabindex="-1"><h2>Ask the drawing</h2><p>{HINTS[kind]} Arrow keys
move between variables, Enter chooses, Escape lets go.</p></aside></div>
{ask}
</section>
{body}
</main>
<footer>Made by graphoid. This file makes no request and needs no connection.</footer>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>"""
