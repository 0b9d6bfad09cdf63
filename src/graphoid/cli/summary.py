"""A learned network in the terminal and as plain values: its edges, how sure they are, and what it cost."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, NamedTuple

from graphoid.cli.clock import TimeOver
from graphoid.cli.files import edge_rows
from graphoid.cli.terminal import cell, console, lines, note, number, shorten
from graphoid.errors import CountsTooLarge
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console
    from rich.table import Table as Lines

    from graphoid.cli.clock import Clock
    from graphoid.cli.files import Learned
    from graphoid.data.table import Table
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.independences import ContextIndependence
    from graphoid.structure.learned import EdgeRow, LearnedStructure
    from graphoid.uncertainty.bootstrap_result import Resampled
    from graphoid.uncertainty.strength import EdgeStrength

    Strengths = Mapping[tuple[str, str], EdgeStrength]

SHOWN = 100
"""Edges shown; files and ``--json`` have all of them."""

NAMED = 8
"""Undecided pairs and isolated variables that are named."""

WEIGHTS = (
    "edge weight: log odds ratio for a standard deviation of each (partial correlation of "
    "continuous columns), 95 % confidence interval; without + or - where states have no order."
)

STYLES = {"present": "green", "undecided": "yellow", "absent": "red"}


MEASURED = 1_000
"""Edges up to which all of them are measured."""


class Shown(NamedTuple):
    """What was learned, and what was measured of it."""

    found: Learned
    strengths: Strengths
    """Of edges."""
    independences: Sequence[ContextIndependence] = ()
    """Of a canonical model."""


def show(shown: Shown, resampled: Resampled | None = None) -> None:
    """Print what was learned."""
    from graphoid.structure.contexts import CanonicalModel

    screen = console()
    if isinstance(shown.found, CanonicalModel):
        show_contexts(shown.found, shown.independences, screen)
    else:
        show_structure(shown.found, screen, strengths=shown.strengths, resampled=resampled)


def measure_in_time(found: Learned, table: Table, clock: Clock, *, show: bool) -> tuple[Learned, Shown]:
    """Return what was learned, for files, and with what is to be shown of it, as far as there is time.

    With a limit of time, files have what was measured for the terminal, and nothing else is measured.
    """
    from graphoid.structure.contexts import CanonicalModel

    if isinstance(found, CanonicalModel):
        return found, Shown(found, {}, _independences(found, clock) if show else ())
    if not show and clock.seconds is None:
        return found, Shown(found, {})
    strengths = measure(found, table, clock)
    if clock.seconds is None:
        return found, Shown(found, strengths)
    effects = {
        (found.graph.position(x), found.graph.position(y)): edge.effect
        for (x, y), edge in strengths.items()
        if edge.effect is not None
    }
    found = replace(found, measured=effects)
    return found, Shown(found, strengths)


def measure(found: LearnedStructure, table: Table, clock: Clock) -> Strengths:
    """Return how strong each edge is; nothing of structures with very many edges."""
    from graphoid.uncertainty.strength import strengths

    if found.graph.n_edges > MEASURED:
        return {}
    try:
        with clock.limit("all edges were"):
            return {(edge.x, edge.y): edge for edge in strengths(found, table)}
    except (CountsTooLarge, TimeOver) as error:  # the network still stands
        note(f"note: edges are not measured: {error}")
        return {}


def _independences(found: CanonicalModel, clock: Clock) -> list[ContextIndependence]:
    """Return what a canonical model says of contexts, if there is time for it."""
    try:
        with clock.limit("the independences were worked out"):
            return list(found.independences(undecided=True))
    except TimeOver as error:
        note(f"note: what is independent in which context is not shown: {error}")
        return []


def to_values(
    shown: Shown, table: Table, paths: Sequence[str], resampled: Resampled | None = None
) -> dict[str, object]:
    """Return what was learned as plain values."""
    from graphoid.structure.contexts import CanonicalModel

    found, strengths, independences = shown
    rows = edge_rows(found)
    plain: dict[str, object] = {
        "variables": list(found.names),
        "edges": rows,
        "cost": asdict(found.cost),
        "stopped": found.stopped,
        "settings": dict(found.settings),
        "seed": found.seed,
        "data_id": found.data_id,
        "notes": list(table.notes),
        "files": list(paths),
    }
    if found.knowledge:
        plain["knowledge"] = [row._asdict() for row in found.knowledge]
    if isinstance(found, CanonicalModel):
        return {**plain, "independences": [_sentence(i) for i in independences]}
    for row in rows:
        edge = strengths.get((str(row["x"]), str(row["y"])))
        row["bits"] = None if edge is None else edge.bits
    if resampled is None:
        return plain
    return {**plain, "bootstrap": [row._asdict() for row in resampled.edges()]}


def _sentence(found: ContextIndependence) -> dict[str, object]:
    return {
        "sentence": str(found),
        "n_rows": found.n_rows,
        "probability": found.probability,
        "verdict": found.verdict,
    }


def show_structure(
    found: LearnedStructure,
    screen: Console,
    *,
    strengths: Strengths | None = None,
    resampled: Resampled | None = None,
) -> None:
    """Print a learned structure, with what a bootstrap says of it where there was one."""
    from graphoid.structure.explain import (
        cost_line,
        describe_learner,
        isolated_variables,
        listing,
        plural,
        strongest_first,
        why_empty,
    )
    from graphoid.structure.knowledge import knowledge_sentences

    rows = strongest_first(found)
    by = describe_learner(found.settings)
    title = f"{found.graph.n - len(found.covariates):,} variables, {plural(len(rows), 'edge')}"
    if found.covariates:
        title += f", adjusted for {listing(found.covariates)}"
    screen.print(printable(f"{title}, learned by {by}" if by else title), style="bold", soft_wrap=True)
    if rows:
        factors = found.scored is not None
        screen.print(edge_table(rows[:SHOWN], strengths or {}, resampled, factors=factors))
    if len(rows) > SHOWN:
        screen.print(f"... and {len(rows) - SHOWN:,} more edges; --out FILE.csv and --json have all of them.")
    sentences = [
        *(_beside(found, rows, isolated_variables(found)) if rows else why_empty(found)),
        *_stability_sentences(resampled, rows),
    ]
    if rows and resampled is None and not found.edge_probabilities:
        sentences.append(
            "how stable? graphoid learn FILE --bootstrap 200 shows how often each edge is found in resamples."
        )
    if rows and strengths:
        sentences.append(WEIGHTS)
    for sentence in [*sentences, *knowledge_sentences(found.knowledge)]:
        screen.print(printable(sentence), soft_wrap=True)
    screen.print(f"cost: {printable(cost_line(found))}", soft_wrap=True)


def edge_table(
    rows: list[EdgeRow], strengths: Strengths, resampled: Resampled | None = None, *, factors: bool = False
) -> Lines:
    """Return the edges as a table."""
    probable = any(row.probability is not None for row in rows)
    again = {} if resampled is None else {(row.x, row.y): row for row in resampled.edges()}
    columns = ["variable 1", "variable 2", "verdict" if probable or again else "evidence says"]
    columns += ["inclusion probability"] if probable else []
    columns += ["bootstrap frequency"] if again else []
    columns += ["edge weight"] if strengths else []
    said = factors or any(not row.evidence.startswith("inclusion probability") for row in rows)
    columns += ["log Bayes factor" if factors else "evidence"] if said else []
    right = ("inclusion probability", "bootstrap frequency", "log Bayes factor")
    table = lines(*columns, right=right)
    for row in rows:
        pair = row.x, row.y
        verdict = row.verdict if probable else again[pair].verdict if again else in_words(row.strength)
        cells = [cell(row.x), cell(row.y), cell(verdict, STYLES.get(verdict, ""))]
        cells += [cell(number(row.probability))] if probable else []
        cells += [cell(f"{again[pair].frequency:.0%}")] if again else []
        cells += [cell(_weight(strengths.get(pair)))] if strengths else []
        evidence = row.evidence
        if factors:
            evidence = "" if row.strength is None else f"{row.strength * math.log(10):,.1f}"
        table.add_row(*cells, *([cell(shorten(evidence, 100))] if said else []))
    return table


def _weight(edge: EdgeStrength | None) -> str:
    """Return a signed weight, or a size where there is no sign, with its interval."""
    if edge is None or edge.size is None:
        return "too few rows"
    if edge.weight is None:
        return f"{edge.size:.2f} ({edge.low:.2f}, {edge.high:.2f})"
    return f"{edge.weight:+.2f} ({edge.weight_low:.2f}, {edge.weight_high:.2f})"


def _stability_sentences(resampled: Resampled | None, rows: list[EdgeRow]) -> list[str]:
    """Return what a bootstrap says beyond the edges."""
    if resampled is None:
        return []
    from graphoid.uncertainty.intervals import RULE

    open_pairs = [
        f"{shorten(row.x, 30)} – {shorten(row.y, 30)} ({row.frequency:.0%})"
        for row in resampled.edges("undecided")
        if not row.joined
    ]
    n = len(resampled.found)
    sentences = [f"bootstrap frequency: share of {n:,} resamples in which the edge is found."]
    if all(row.probability is None for row in rows):
        sentences.append(RULE)
    return sentences + (
        [f"no edge, but undecided by the bootstrap: {_some(open_pairs)}."] if open_pairs else []
    )


def in_words(strength: float | None) -> str:
    """Return the strength of evidence, -log10 of the p-value or log10 of the odds, in words.

    >>> in_words(85.0), in_words(1.5)
    ('beyond doubt', 'weak')
    """
    if strength is None:
        return "known"
    # p-values of 1e-20, 1e-6 and 1e-3: no more than a reader's guide
    for least, words in ((20, "beyond doubt"), (6, "very strong"), (3, "strong")):
        if strength >= least:
            return words
    return "weak"


def _beside(found: LearnedStructure, rows: list[EdgeRow], isolated: list[str]) -> list[str]:
    """Return what a table of edges does not say."""
    from graphoid.structure.explain import listing

    sentences = []
    if any(row.probability is not None for row in rows):
        hidden = set(found.covariates)
        sentences.append("present: inclusion probability of .95 or more; undecided: more rows would tell.")
        open_pairs = [
            f"{shorten(found.names[x], 30)} – {shorten(found.names[y], 30)} ({number(probability)})"
            for (x, y), probability in sorted(found.edge_probabilities.items())
            if not found.graph.has_edge(x, y)
            and hidden.isdisjoint((found.names[x], found.names[y]))
            and found.verdict(x, y) == "undecided"
        ]
        if open_pairs:
            sentences.append(f"no edge, but undecided: {_some(open_pairs)}.")
    if isolated:
        sentences.append(
            f"isolated: {listing([shorten(name, 30) for name in isolated[:NAMED]])}" + _more(isolated)
        )
    return sentences


def _some(items: list[str]) -> str:
    return ", ".join(items[:NAMED]) + _more(items)


def _more(items: list[str]) -> str:
    return f" and {len(items) - NAMED:,} more" if len(items) > NAMED else ""


def show_contexts(found: CanonicalModel, every: Sequence[ContextIndependence], screen: Console) -> None:
    """Print a canonical model: what is independent in which context, and what it cost."""
    from graphoid.structure.explain import plural
    from graphoid.structure.independences import count_undecided
    from graphoid.structure.knowledge import knowledge_sentences

    title = f"{len(found.names):,} variables, {plural(len(found.graphs), 'different graph')}"
    screen.print(
        printable(f"{title}, learned by {found.settings.get('learner')}"), style="bold", soft_wrap=True
    )
    table = lines(
        "variable 1", "variable 2", "rows in which they are joined", right=("rows in which they are joined",)
    )
    total = float(found.n_rows.sum()) or 1.0
    for x, y, share in shares(found):
        table.add_row(cell(x), cell(y), cell(f"{share * total:,.0f} of {total:,.0f}"))
    screen.print(table)
    shown = [independence for independence in every if independence.sure]
    for independence in shown[:SHOWN]:
        screen.print(f"- {printable(str(independence))} ({independence.evidence})", soft_wrap=True)
    if len(shown) > SHOWN:
        screen.print(f"- ... and {len(shown) - SHOWN:,} more; --json has all of them.")
    if len(every) > len(shown):
        screen.print(f"{count_undecided(len(every) - len(shown))}; --json has them, too.")
    for sentence in knowledge_sentences(found.knowledge):
        screen.print(printable(sentence), soft_wrap=True)
    cost = found.cost
    early = "" if found.stopped == "converged" else f", stopped early: {found.stopped}"
    tests = f"{cost.n_tests:,} tests, {cost.n_distinct:,} of them distinct"
    screen.print(f"cost: {tests}, {cost.seconds:.3g} s{early}")


def shares(found: CanonicalModel) -> list[tuple[str, str, float]]:
    """Return for every pair that is joined somewhere the share of the rows in which it is."""
    total = float(found.n_rows.sum()) or 1.0
    names = found.names
    return [
        (names[x], names[y], sum(c.n_rows for c in found.contexts if c.graph.has_edge(x, y)) / total)
        for x, y in found.graph.edges
    ]
