"""The parts of a report that are kept for the record: method, cost, provenance, limits, how to repeat it."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.report.display import visible
from graphoid.report.method import Method, bibtex, method_of
from graphoid.structure import plain
from graphoid.structure.contexts import CanonicalCost
from graphoid.structure.explain import describe_learner, plural
from graphoid.structure.knowledge import read_knowledge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.report.subject import Subject

    Facts = list[tuple[str, str | int]]
    """Terms and what they are; those without a value are not shown."""

MOST_NAMED = 300
"""Columns that are named in the lines that read a table again."""


class MethodRecord(NamedTuple):
    """How it was learned, with formulas and who to cite."""

    learner: str
    methods: list[Method]
    bibtex: str | None
    settings: str


def method(subject: Subject) -> MethodRecord | None:
    """Return how it was learned; None where nothing is known of it."""
    methods = method_of(subject.settings)
    keys = [key for part in methods for key in part.cite] + ["Miller1955"] * (subject.table is not None)
    settings = {key: value for key, value in subject.settings.items() if key != "learner"}
    if not subject.settings and not keys:
        return None
    return MethodRecord(
        visible(describe_learner(subject.settings)) if subject.settings else "",
        methods,
        bibtex(keys) if keys else None,
        visible_json(settings) if settings else "",
    )


def visible_json(settings: Mapping[str, object]) -> str:
    """Return settings as indented JSON in which nothing is hidden."""
    text = json.dumps(settings, indent=1, ensure_ascii=False, default=str)
    return "\n".join(visible(line) for line in text.split("\n"))


def cost(subject: Subject) -> Facts | None:
    """Return what was asked, what was inferred and what that took."""
    cost = subject.cost
    if cost is None:
        return None
    scored = subject.structure.scored if subject.structure is not None else None
    facts: Facts = []
    if scored is None or cost.n_tests:
        answers = cost.n_tests + cost.n_inferred
        share = f" ({cost.n_inferred / answers:.0%} of all answers)" if answers else ""
        facts += [
            ("Tests executed", f"{cost.n_tests:,}"),
            ("of which unconditional", f"{cost.n_initial:,}"),
            ("Tests weighted by 2 + size of the conditioning set", f"{cost.weighted:,}"),
            ("Answers inferred without a test", f"{cost.n_inferred:,}{share}"),
            ("Data accesses", f"{cost.queries:,}"),
            ("Rows read for them", f"{cost.rows_read:,.0f}"),
        ]
    if isinstance(cost, CanonicalCost):
        facts.append(("Distinct questions", f"{cost.n_distinct:,}"))
    if scored is not None:
        facts += [
            ("Score of the graph", f"{scored.value:,.2f}"),
            ("Local scores computed", f"{scored.n_terms:,}"),
            ("Steps of the search", f"{len(scored.path):,}" if scored.path else ""),
        ]
    return [*facts, ("Seconds", f"{cost.seconds:.3g}"), ("Ended", subject.stopped)]


def provenance(subject: Subject, date: str) -> Facts:
    """Return what it was learned from, and by which versions."""
    t = subject.table
    facts: Facts = []
    if t is not None:
        weight = "" if t.weights is None else f", weighing {t.weights.total:,.6g}"
        facts += [
            ("Data", t.name),
            ("Rows used", f"{t.n_rows:,}{weight}"),
            ("Cells used", f"{t.n_rows * len(t.variables):,}"),
            ("Dropped or changed on reading", " ".join(t.notes) or "nothing"),
        ]
    if not subject.same_data:
        facts.append(
            (
                "Note",
                "The counts on this page come from another table than the one the network was learned from.",
            )
        )
    return [
        *facts,
        ("Digest of the data learned from", subject.data_id or "none: answers came from elsewhere"),
        ("Seed", "not used" if subject.seed is None else subject.seed),
        ("graphoid", version("graphoid")),
        ("NumPy", np.__version__),
        ("Python", f"{platform.python_version()} on {platform.system()}"),
        ("Report made", date),
    ]


def limits(subject: Subject) -> list[str]:
    """Return what one must not read into it, beyond what holds for every learned network."""
    items = []
    structure = subject.structure
    if structure is not None and structure.trace:
        thin = sum(v.thin for v in structure.trace)
        items.append(
            f"The network rests on {plural(len(structure.trace), 'answer')} to questions of independence; "
            "each can be wrong, so some are likely to be."
            + (f" {thin:,} of them rest on too few rows." if thin else "")
        )
    if subject.table is not None and any(v.cuts for v in subject.table.variables):
        items.append("Numbers were cut into bins; other cut points may give other edges.")
    if subject.kind == "contexts":
        items.append(
            "The graph of a context is learned from the rows of that context alone, so small contexts show "
            "little."
        )
    return [*items, *subject.notes]


def repeat(subject: Subject) -> str | None:
    """Return the lines of Python that learn it again; None where the learner is not known."""
    learner = str(subject.settings.get("learner", ""))
    if not learner.isidentifier():
        return None
    lines = ["import graphoid as gd"]
    if subject.kind == "classifier":
        lines.append(f"model = gd.{learner}(**settings).fit(X, y)   # settings: under Method")
        return "\n".join(lines)
    lines.append(f"table = {_source(subject)}")
    if subject.data_id:
        lines.append(f"assert table.data_id == {subject.data_id!r}")
    return "\n".join([*lines, _call(subject, learner), 'structure.report("report.html")'])


def _source(subject: Subject) -> str:
    """Return the call that gives the table again, as far as its name tells; its digest is checked next."""
    from graphoid.datasets.catalog import names

    name: str = ""
    reading: Mapping[str, object] = {}
    if subject.table is not None:
        name, reading = visible(subject.table.name), subject.table.reading
    if len(plain.items(reading.get("columns", []))) > MOST_NAMED:
        reading = {**reading, "columns": [...]}  # they are listed above
    given = "".join(f", {setting}={value!r}" for setting, value in reading.items())
    if name in names():
        loaded = f"gd.datasets.load({name!r})"
        return f"gd.read({loaded}{given})" if given else loaded
    return f"gd.read({name!r}{given})" if "." in name else f"gd.read(...{given})"


def _call(subject: Subject, learner: str) -> str:
    settings = subject.settings
    if "reason" in settings:  # the one-liner chose the learner, and says so
        known = "" if "knowledge" not in settings else f"knowledge={_knowledge_call(settings)}, "
        if covariates := plain.texts(settings.get("covariates", [])):
            known += f"covariates={list(covariates)!r}, "
        return f"structure = gd.learn(table, {known}random_state={subject.seed!r})"
    parts = [] if "knowledge" not in settings else [f"knowledge={_knowledge_call(settings)}"]
    for key, value in settings.items():
        if key in ("learner", "answers", "convergence", "knowledge"):
            continue
        if isinstance(value, dict) and "name" in value:
            inner = ", ".join(
                f"{k}={v!r}" for k, v in value.items() if k != "name" and not isinstance(v, (dict, list))
            )
            parts.append(f"{key}=gd.{value['name']}({inner})")
        elif isinstance(value, (bool, int, float)) or (isinstance(value, str) and value.isidentifier()):
            parts.append(f"{key}={value!r}")
    return f"structure = gd.{learner}({', '.join(parts)}).fit(table).structure_"


def _knowledge_call(settings: Mapping[str, object]) -> str:
    """Return the call that gives what was known beforehand again."""
    known = read_knowledge(settings)
    said = [] if known is None else [(name, value) for name, value in vars(known).items() if value]
    return f"gd.Knowledge({', '.join(f'{name}={value!r}' for name, value in said)})"
