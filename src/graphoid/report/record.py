"""The parts of a report that are kept for the record: method, cost, provenance, limits, how to repeat it."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.report.escaped import html, visible
from graphoid.report.markup import facts, paragraphs
from graphoid.report.method import bibtex, method_of
from graphoid.structure.explain import describe_learner, plural

if TYPE_CHECKING:
    from graphoid.report.subject import Subject


LIMITS = """\
An edge is an association that the other variables here do not explain: not a cause, and without direction.
Variables not measured, and how rows came to be selected, can join what does not act on each other.
What is not joined was not found to depend on each other in these rows; weak dependences need more of them.
Distances and directions in the drawing mean nothing beyond who is joined to whom.""".splitlines()
"""What holds for every learned network."""

OVER_CONTEXTS = (
    "Blankets are here those of the graph of all contexts together, and all rows count: where a context says "
    "otherwise, an edge is stronger than that, or not there."
)
"""What strength means where there is a graph for every context."""


def method(subject: Subject) -> str:
    """Return how it was learned, with formulas and who to cite."""
    methods = method_of(subject.settings)
    parts = [
        paragraphs(f"Learned by {visible(describe_learner(subject.settings))}.") if subject.settings else ""
    ]
    for method in methods:
        parts.append(paragraphs(method.words))
        if method.formula:
            tex = f'<br><code class="tex">{html(method.tex)}</code>' if method.tex else ""
            parts.append(f'<p class="formula">{html(method.formula)}{tex}</p>')
    if subject.table is not None:
        parts.append(
            paragraphs(
                "The strength of an edge is the conditional mutual information of its two variables in "
                "bits, given the rest of the smaller of their two blankets, less what chance alone would "
                "give." + (f" {OVER_CONTEXTS}" if subject.kind == "contexts" else "")
            )
        )
    keys = [key for method in methods for key in method.cite] + (
        ["Miller1955"] if subject.table is not None else []
    )
    if keys:
        parts.append(f"<details><summary>BibTeX</summary><pre>{html(bibtex(keys))}</pre></details>")
    settings = {key: value for key, value in subject.settings.items() if key != "learner"}
    if settings:
        text = visible_json(settings)
        parts.append(f"<details><summary>All settings</summary><pre>{html(text)}</pre></details>")
    return "".join(parts)


def visible_json(settings: Any) -> str:
    """Return settings as indented JSON in which nothing is hidden."""
    text = json.dumps(settings, indent=1, ensure_ascii=False, default=str)
    return "\n".join(visible(line) for line in text.split("\n"))


def cost(subject: Subject) -> str:
    """Return what was asked, what was inferred and what that took."""
    cost = subject.cost
    if cost is None:
        return ""
    scored = subject.structure.scored if subject.structure is not None else None
    asked = cost.n_tests + cost.n_inferred
    saved = f"{cost.n_inferred:,}" + (f" ({cost.n_inferred / asked:.0%} of all answers)" if asked else "")
    tests = (
        []
        if scored is not None and not cost.n_tests
        else [
            ("Tests executed", f"{cost.n_tests:,}"),
            ("of them on all pairs, first", f"{cost.n_initial:,}"),
            ("Tests weighted by 2 + number given", f"{cost.weighted:,}"),
            ("Answers inferred without a test", saved),
            ("Trips to the data", f"{cost.queries:,}"),
            ("Rows behind the tests", f"{cost.rows_read:,.0f}"),
        ]
    )
    distinct = getattr(cost, "n_distinct", None)
    score = (
        []
        if scored is None
        else [
            ("Score of the graph", f"{scored.value:,.2f}"),
            ("Terms of the score computed", f"{scored.n_terms:,}"),
            ("Steps of the search", f"{len(scored.path):,}" if scored.path else ""),
        ]
    )
    return facts(
        [
            *tests,
            ("Different questions", "" if distinct is None else f"{distinct:,}"),
            *score,
            ("Seconds", f"{cost.seconds:.3g}"),
            ("Ended", subject.stopped),
        ]
    )


def provenance(subject: Subject, made: str) -> str:
    """Return what it was learned from, and by which versions."""
    t = subject.table
    rows = (
        []
        if t is None
        else [
            ("Data", t.name),
            (
                "Rows used",
                f"{t.n_rows:,}" + ("" if t.weights is None else f", weighing {t.weights.total:,.6g}"),
            ),
            ("Cells used", f"{t.n_rows * len(t.variables):,}"),
            ("Dropped or changed on reading", " ".join(t.notes) or "nothing"),
        ]
    )
    if not subject.same_data:
        rows.append(("Note", "The counts here are of another table than the one learned from."))
    return facts(
        [
            *rows,
            ("Digest of the data learned from", subject.data_id or "none: answers came from elsewhere"),
            ("Seed", "nothing is random" if subject.seed is None else subject.seed),
            ("graphoid", version("graphoid")),
            ("NumPy", np.__version__),
            ("Python", f"{platform.python_version()} on {platform.system()}"),
            ("Report made", made),
        ]
    )


def limits(subject: Subject) -> str:
    """Return what one must not read into it."""
    items = list(LIMITS)
    structure = subject.structure
    if structure is not None and structure.trace:
        thin = sum(v.thin for v in structure.trace)
        items.append(
            f"{plural(len(structure.trace), 'question')} had answers; where each is wrong now and then, "
            "some are." + (f" {thin:,} of them rest on too little data." if thin else "")
        )
    if subject.table is not None and any(v.cuts for v in subject.table.variables):
        items.append("Numbers were cut into bins; other cuts may show other edges.")
    if subject.kind == "contexts":
        items.append(
            "The graph of a context rests on the rows of that context alone; small contexts show little."
        )
    items += subject.notes
    return f"<ul>{''.join(f'<li>{html(item)}</li>' for item in items)}</ul>"


def repeat(subject: Subject) -> str:
    """Return the lines of Python that learn it again."""
    learner = str(subject.settings.get("learner", ""))
    if not learner.isidentifier():
        return ""
    if subject.kind == "classifier":
        lines = [
            "import graphoid as gd",
            f"model = gd.{learner}(**settings).fit(X, y)   # settings: under Method",
        ]
    else:
        t = subject.table
        source = repr(visible(t.name)) if t is not None else "..."
        lines = ["import graphoid as gd", f"table = gd.read({source})   # the columns above, in their order"]
        if subject.data_id:
            lines.append(f"assert table.data_id == {subject.data_id!r}")
        lines.append(_call(subject, learner))
        lines.append('structure.report("report.html")')
    return f"<pre>{html(chr(10).join(lines))}</pre>"


def _call(subject: Subject, learner: str) -> str:
    settings = subject.settings
    if "reason" in settings:  # the one-liner chose the learner, and says so
        return f"structure = gd.learn(table, random_state={subject.seed!r})"
    parts = []
    for key, value in settings.items():
        if key in ("learner", "answers", "convergence"):
            continue
        if isinstance(value, dict) and "name" in value:
            inner = ", ".join(
                f"{k}={v!r}" for k, v in value.items() if k != "name" and not isinstance(v, (dict, list))
            )
            parts.append(f"{key}=gd.{value['name']}({inner})")
        elif isinstance(value, (bool, int, float)) or (isinstance(value, str) and value.isidentifier()):
            parts.append(f"{key}={value!r}")
    return f"structure = gd.{learner}({', '.join(parts)}).fit(table).structure_"
