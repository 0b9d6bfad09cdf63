"""The parts of a report that are read: what a paper needs to say of a learned network."""

from __future__ import annotations

from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphoid.report import record
from graphoid.report.edges import strength_of
from graphoid.report.escaped import html
from graphoid.report.markup import name, paragraphs, table
from graphoid.report.subject import row_counts
from graphoid.report.tables import columns_of, said
from graphoid.structure.explain import listing, number, plural
from graphoid.structure.scored import SURE, verdict
from graphoid.uncertainty.inclusion import MEANINGS
from graphoid.uncertainty.strength import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.report.baselines import Baseline
    from graphoid.report.edges import EdgeFacts
    from graphoid.report.subject import Subject
    from graphoid.uncertainty.bootstrap_result import Resampled

MOST_STATES = 12
"""States of a variable that are listed."""

MOST_SENTENCES = 40
"""Independences that are put into words; the page answers any other question."""


class Section(NamedTuple):
    """A part of the page."""

    key: str
    title: str
    body: str


def sections(
    subject: Subject,
    edges: Sequence[EdgeFacts],
    *,
    bits: NDArray[np.float64] | None,
    compared: Sequence[Baseline],
    bootstrap: Any,
    made: str,
) -> list[Section]:
    """Return what a report says, part by part; a part about which nothing is known is left out.

    Parameters
    ----------
    subject, edges
        What was learned.
    bits
        Mutual information of every pair with nothing given, or None.
    compared
        The network beside its baselines.
    bootstrap
        A fitted bootstrap, or None.
    made
        When the report was made.
    """
    found = [
        Section("edges", _edges_title(subject), _edges(subject, edges)),
        Section("independences", "What is independent of what", _independences(subject, bits)),
        Section("variables", "Variables", _variables(subject)),
        Section("method", "Method", record.method(subject)),
        Section("stability", "How stable it is", _stability(subject, bootstrap)),
        Section("fit", "How well it predicts", _fit(compared)),
        Section("cost", "What it cost", record.cost(subject)),
        Section("provenance", "Provenance", record.provenance(subject, made)),
        Section("limits", "Limits", record.limits(subject)),
        Section("repeat", "How to repeat it", record.repeat(subject)),
    ]
    return [section for section in found if section.body]


def _edges_title(subject: Subject) -> str:
    return "Hyperedges" if subject.kind == "classifier" else "Edges"


def _edges(subject: Subject, edges: Sequence[EdgeFacts]) -> str:
    if subject.kind == "classifier":
        rows = [
            (
                str(t.step),
                ", ".join(name(subject.names[v]) for v in t.members),
                str(t.order),
                f"{t.information:+.1%}",
            )
            for t in subject.together
        ]
        return paragraphs(
            "Each set says something about the class that its parts do not say alone; the class is a member "
            "of each."
        ) + table(
            ("step", "attributes", "order", "interaction information"),
            rows,
            caption="Hyperedges as they were taken; the information is a share of the entropy of the class",
        )
    if not edges:
        return paragraphs("There are no edges.")
    columns = columns_of(edges)
    buttons = "".join(
        f'<button type="button" class="sort" data-column="{i}">{html(title)}'
        f"{f' <small>{html(unit)}</small>' if unit else ''}</button>|"
        for i, (title, unit) in enumerate([("edge", ""), *((c.title, c.unit) for c in columns)])
    ).split("|")[:-1]
    kinds = ["", *("" if column.key == "verdict" else ' class="number"' for column in columns)]
    head = "".join(
        f'<th scope="col" aria-sort="none"{kind}>{button}</th>'
        for kind, button in zip(kinds, buttons, strict=True)
    )
    body = []
    for i in sorted(range(len(edges)), key=lambda i: -strength_of(edges[i])):
        edge = edges[i]
        cells = []
        for column in columns:
            value = column.of(edge)
            order = f' data-value="{value:.9g}"' if isinstance(value, float) and np.isfinite(value) else ""
            kind = f' class="{value}"' if column.key == "verdict" else ' class="number"'
            cells.append(f"<td{kind}{order}>{html(said(value))}</td>")
        ends = f"{name(subject.names[edge.x])} – {name(subject.names[edge.y])}"
        body.append(
            f'<tr data-edge="{i}"><th scope="row"><button type="button" class="show">{ends}</button></th>'
            f"{''.join(cells)}</tr>"
        )
    explained = " ".join(_scales(edges))
    return (
        '<p class="tools"><button type="button" id="csv">Download CSV</button> '
        '<button type="button" id="latex">Download LaTeX</button> '
        '<button type="button" id="graphml">Download GraphML</button></p>'
        f'<div class="scroll tall" tabindex="0" role="region" aria-label="Edges"><table id="edge-table">'
        f"<caption>{plural(len(edges), 'edge')}; a heading sorts by its column, an edge shows it in the "
        f"drawing</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
        f'<p class="note">{html(explained)}</p>'
    )


def _scales(edges: Sequence[EdgeFacts]) -> list[str]:
    """Return what the numbers of the table mean."""
    known = [edge.strength for edge in edges if edge.strength is not None]
    said_of = []
    for key, attribute in (("bits", "bits"), ("log_odds", "log_odds"), ("partial_correlation",) * 2):
        if any(getattr(strength, attribute) is not None for strength in known):
            measure = MEASURES[key]
            said_of.append(f"{measure.name.capitalize()} ({measure.unit}): {measure.says}")
    if any(edge.evidence is not None for edge in edges):
        said_of.append(
            "Evidence: minus the logarithm to base 10 of the p-value, of a Bayesian test's odds of "
            "independence, or what the edge is worth to the score; it grows with the number of rows, "
            "strength does not."
        )
    if any(edge.probability is not None for edge in edges):
        said_of.append(
            f"Verdict: present from a probability of {SURE:g} on, absent up to {1 - SURE:.1g}, else "
            "undecided."
        )
    return said_of


def _independences(subject: Subject, bits: NDArray[np.float64] | None) -> str:
    if subject.kind == "classifier":
        return ""
    if subject.model is not None:
        found = subject.model.independences()
        items = [f"{_capital(i.words)} ({i.n_rows:,.0f} rows)." for i in found[:MOST_SENTENCES]]
        return _listing(items, len(found))
    graph = subject.graph
    apart = (pair for pair in combinations(range(graph.n), 2) if not graph.has_edge(*pair))
    n_apart = graph.n * (graph.n - 1) // 2 - graph.n_edges
    gaps = list(islice(apart, MOST_SENTENCES)) if bits is None else sorted(apart, key=lambda p: -bits[p])
    items = [
        _gap(subject, pair, None if bits is None else float(bits[pair])) for pair in gaps[:MOST_SENTENCES]
    ]
    local = (
        "Two variables that are not joined tell nothing about each other once the neighbors of either are "
        "known. Any such question can be put to the drawing above."
    )
    most = "The pairs that go together most with nothing given come first." if bits is not None else ""
    return paragraphs(local, most) + _listing(items, n_apart)


def _gap(subject: Subject, pair: tuple[int, int], bits: float | None) -> str:
    """Return in words why two variables that are not joined are independent."""
    x, y = pair
    structure, graph = subject.structure, subject.graph
    verdict = None if structure is None else structure.verdicts.get(pair)
    given = verdict.given if verdict is not None else min(graph.blanket(x), graph.blanket(y), key=len)
    known = listing([graph.names[z] for z in given]) if given else ""
    apart = f" once {known} {'is' if len(given) == 1 else 'are'} known" if given else ""
    nothing = f"{graph.names[x]} tells nothing{' more' if bits and given else ''} about {graph.names[y]}"
    alone = f" ({bits:.3g} bits with nothing given)" if bits is not None and given else ""
    tested = ""
    if verdict is not None:
        tested = f"; {number(verdict)}{', too little data to be sure' if verdict.thin else ''}"
    return f"{nothing}{apart}{alone}{tested}."


def _listing(items: Sequence[str], n: int) -> str:
    if not items:
        return paragraphs("All pairs are joined.")
    more = f"<p>and {n - len(items):,} more.</p>" if n > len(items) else ""
    return f'<ul class="sentences">{"".join(f"<li>{html(item)}</li>" for item in items)}</ul>{more}'


def _variables(subject: Subject) -> str:
    t = subject.table
    if t is None:
        return paragraphs(f"{plural(subject.graph.n, 'variable')}: {', '.join(subject.names)}.") + (
            ""
            if subject.kind == "classifier"
            else paragraphs(
                "States and counts are in a report that is given the table: report(path, table=...)."
            )
        )
    rows = []
    for v, variable in enumerate(t.variables):
        label = f"<br><small>{html(variable.label)}</small>" if variable.label else ""
        rows.append(
            (f"{name(variable.name)}{label}", _states(subject, v), _kind(subject, v), _degree(subject, v))
        )
    return table(
        ("variable", "states, with rows", "kind", "neighbors"), rows, caption="Variables and their states"
    )


def _states(subject: Subject, v: int) -> str:
    t = subject.table
    if t is None or t.variables[v].continuous:
        return "numbers"
    counts, states = row_counts(t, v), t.variables[v].states
    listed_states = [f"{name(str(s))} <small>{c:,.0f}</small>" for s, c in zip(states, counts, strict=True)]
    more = f", and {len(states) - MOST_STATES:,} more" if len(states) > MOST_STATES else ""
    return ", ".join(listed_states[:MOST_STATES]) + more


def _kind(subject: Subject, v: int) -> str:
    if subject.table is None:
        return ""
    variable = subject.table.variables[v]
    if variable.continuous:
        return "continuous"
    if variable.cuts:
        shown = ", ".join(f"{cut:.4g}" for cut in variable.cuts[:MOST_STATES])
        return html(f"binned at {shown}{' …' if len(variable.cuts) > MOST_STATES else ''}")
    return "ordered" if variable.ordered else "nominal"


def _degree(subject: Subject, v: int) -> str:
    blanket = subject.graph.blanket(v)
    return ", ".join(name(subject.names[y]) for y in blanket) or "none"


def _stability(subject: Subject, bootstrap: Any) -> str:
    parts = []
    structure = subject.structure
    if bootstrap is not None:
        parts.append(_bootstrapped(subject, bootstrap))
    if structure is not None and structure.edge_probabilities:
        undecided = [pair for pair, p in structure.edge_probabilities.items() if verdict(p) == "undecided"]
        kind = "The probability of every edge comes from the posterior over graphs."
        if not undecided:
            parts.append(paragraphs(f"{kind} No pair is undecided."))
        else:
            parts.append(
                paragraphs(f"{kind} {plural(len(undecided), 'pair')} would be decided by more rows.")
            )
            rows = [
                (
                    " – ".join(name(subject.names[v]) for v in pair),
                    said(structure.edge_probabilities[pair]),
                    "joined" if structure.graph.has_edge(*pair) else "not joined",
                )
                for pair in undecided[:MOST_SENTENCES]
            ]
            parts.append(table(("pair", "probability", "in the network"), rows, caption="Undecided pairs"))
    if not parts and subject.kind == "structure":
        parts.append(
            paragraphs(
                "Not measured here. gd.Bootstrap(learner).fit(table) resamples the rows; report(path, "
                "bootstrap=...) then gives every edge the share of resamples in which it was found, and an "
                "interval."
            )
        )
    return "".join(parts)


def _bootstrapped(subject: Subject, bootstrap: Any) -> str:
    """Return what resampling says of all pairs, and which it leaves undecided."""
    result = getattr(bootstrap, "result_", bootstrap)
    shown_as = dict(zip(subject.keys, subject.names, strict=True))
    rows = result.edges()
    numbers = [
        f"{sum(row.verdict == word for row in rows):,} {word}" for word in ("present", "absent", "undecided")
    ]
    head = (
        f"The rows were resampled {len(result.found):,} times ({result.kind}) and the network learned anew "
        f"each time, from seed {result.seed}. Of {len(rows):,} pairs, {listing(numbers)}."
    )
    undecided = sorted((row for row in rows if row.verdict == "undecided"), key=lambda row: -row.frequency)
    cells = [
        (
            f"{name(shown_as[row.x])} – {name(shown_as[row.y])}",
            f"{row.frequency:.0%}",
            "" if row.low is None else f"{said(row.low)} to {said(row.high)}",
            "joined" if row.joined else "not joined",
        )
        for row in undecided[:MOST_SENTENCES]
    ]
    heads = ("pair", "found in", "strength, bits", "in the network")
    rule = f"A pair is {rows[0].rule}" if rows else ""
    told = paragraphs(head, rule) + (table(heads, cells, caption="Undecided pairs") if cells else "")
    return told + _probabilities(result, shown_as)


def _probabilities(result: Resampled, shown_as: dict[str, str]) -> str:
    """Return the posterior probabilities of a Bayesian learner or test, the largest first."""
    if result.inclusion is None:
        return ""
    known = [row for row in result.edges() if row.probability is not None]
    known.sort(key=lambda row: -(row.probability or 0.0))
    cells = [
        (
            f"{name(shown_as[row.x])} – {name(shown_as[row.y])}",
            said(row.probability),
            "" if row.mean_probability is None else said(row.mean_probability),
            _factor(row.bayes_factor),
            row.verdict,
        )
        for row in known[:MOST_SENTENCES]
    ]
    heads = ("pair", "probability", "mean of resamples", "inclusion Bayes factor", "verdict")
    what = (
        f"The probability is {MEANINGS[result.inclusion.of]}; the Bayes factor is its odds over prior odds."
    )
    return paragraphs(what) + table(heads, cells, caption="Probabilities")


def _factor(value: float | None) -> str:
    """Return a Bayes factor; of one beyond a million nobody reads the digits."""
    return said(value) if value is None or value < 1e6 or np.isinf(value) else f"{value:.1e}"


def _fit(compared: Sequence[Baseline]) -> str:
    if not compared:
        return ""
    best = min(compared, key=lambda baseline: baseline.bits)
    none = compared[0].bits
    rows = [
        (
            html(b.name) + (" ★" if b is best else ""),
            "" if b.n_edges is None else f"{b.n_edges:,}",
            f"{b.bits:,.3f}",
            f"{none - b.bits:+,.3f}",
        )
        for b in compared
    ]
    return paragraphs(
        "Bits a row that a model leaves unknown of rows held out (one in five), each variable predicted "
        "from its neighbors in the model; less is better. All rows were used to learn the network itself, "
        "so that its figure is a little too good. Probabilities are counted, with a prior worth one row a "
        "state: large blankets pay for the rows they spread thin."
    ) + table(("model", "edges", "bits a row", "gain over independence"), rows, caption="Fit; ★ is the best")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
