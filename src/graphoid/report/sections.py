"""The parts of a report that are read: what a paper needs to say of a learned network.

A part is the content of a template of ``templates/``, which has the words around it.
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import TYPE_CHECKING, NamedTuple

from graphoid.report import record
from graphoid.report.charts import centrality_chart, heat_map
from graphoid.report.edges import EdgeFacts, strength_of
from graphoid.report.subject import Subject, row_counts
from graphoid.report.tables import Column, columns_of
from graphoid.structure.explain import listing, number
from graphoid.structure.knowledge import knowledge_sentences
from graphoid.structure.scored import SURE
from graphoid.uncertainty.strength import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.report.baselines import Baseline
    from graphoid.report.drawing import Group
    from graphoid.structure.graph import Edge
    from graphoid.uncertainty.bootstrap_result import EdgeStability, Resampled

MOST_STATES = 12
"""States of a variable that are listed."""

MOST_SENTENCES = 40
"""Independences that are put into words; the page answers any other question."""


class Section(NamedTuple):
    """A part of the page; one whose content is None is left out."""

    key: str
    title: str
    template: str
    content: object


def sections(
    subject: Subject,
    edges: Sequence[EdgeFacts],
    groups: Sequence[Group] = (),
    *,
    bits: NDArray[np.float64] | None,
    compared: Sequence[Baseline],
    resampled: Resampled | None,
    date: str,
) -> list[Section]:
    """Return what a report says, part by part; a part about which nothing is known is left out.

    ``groups`` have a color each; ``bits`` are the mutual information of every pair with nothing given;
    ``compared`` is the network beside its baselines, ``resampled`` what a bootstrap found.
    """
    facts = "facts.html"
    rows = sorted(enumerate(edges), key=lambda row: -strength_of(row[1]))
    parts: list[tuple[str, str, str, object]] = [
        ("edges", "Edges", "edges.html", EdgeTable(columns_of(edges), rows, _scales(edges))),
        ("centrality", "Centrality", "centrality.html", centrality_chart(subject, edges, groups, resampled)),
        ("matrix", "Adjacency matrix", "matrix.html", heat_map(subject, edges, groups)),
        ("independences", "Conditional independences", "independences.html", _independences(subject, bits)),
        ("known", "Known beforehand", "known.html", _knowledge(subject)),
        ("variables", "Variables", "variables.html", _row_counts(subject.table)),
        ("stability", "Stability", "stability.html", _stability(subject, resampled)),
        ("fit", "Fit", "fit.html", compared or None),
        ("limits", "Limits", "limits.html", record.limits(subject)),
        ("method", "Method", "method.html", record.method(subject)),
        ("repeat", "How to repeat it", "repeat.html", record.repeat(subject)),
        ("cost", "Appendix: cost", facts, record.cost(subject)),
        ("provenance", "Appendix: provenance", facts, record.provenance(subject, date)),
    ]
    if subject.kind == "classifier":
        parts[:4] = [("edges", "Hyperedges", "hyperedges.html", subject.together)]
    return [Section(*part) for part in parts if part[-1] is not None]


def _knowledge(subject: Subject) -> list[str] | None:
    """Return what the data say about what was known; None where nothing was."""
    result = subject.structure or subject.model
    return (knowledge_sentences(result.knowledge) or None) if result is not None else None


class EdgeTable(NamedTuple):
    """The table of edges."""

    columns: list[Column]
    rows: list[tuple[int, EdgeFacts]]
    """Edges by their number in the data, the strongest first."""
    scales: list[str]
    """What the numbers mean."""


def _scales(edges: Sequence[EdgeFacts]) -> list[str]:
    """Return what the numbers of the table mean."""
    known = [edge.strength for edge in edges if edge.strength is not None]
    numbers = {
        "weight": [s.weight for s in known],
        "size": [s.size for s in known],
        "bits": [s.bits for s in known],
        "log_odds": [s.log_odds for s in known],
        "partial_correlation": [s.partial_correlation for s in known],
    }
    found = [
        f"{MEASURES[key].name.capitalize()} ({MEASURES[key].unit}): {MEASURES[key].says}"
        for key, values in numbers.items()
        if any(value is not None for value in values)
    ]
    if any(edge.evidence is not None for edge in edges):
        found.append(
            "Evidence (base-10 logarithm): of the Bayes factor for the edge, or minus that of the p-value "
            "or of a Bayesian test's odds of independence; it grows with the number of rows, while edge "
            "weight and effect size do not."
        )
    if any(edge.probability is not None for edge in edges):
        found.append(
            f"Verdict: present where the inclusion probability is {SURE:g} or more; absent where it is at "
            f"most {1 - SURE:.1g} and the rows would have shown an edge that matters; otherwise undecided."
        )
    return found


class Independences(NamedTuple):
    """Independences in words, and how many more there are."""

    sentences: list[str]
    more: int
    n_undecided: int
    """Independences of a canonical model that the rows are not enough for."""
    by_dependence: bool
    """Whether the pairs that go together most with nothing given come first."""


def _independences(subject: Subject, bits: NDArray[np.float64] | None) -> Independences:
    if subject.model is not None:
        every = subject.model.independences(undecided=True)
        found = [i for i in every if i.sure]
        sentences = [f"{i.words[:1].upper()}{i.words[1:]} ({i.evidence})." for i in found[:MOST_SENTENCES]]
        n_undecided = len(every) - len(found)
        return Independences(sentences, len(found) - len(sentences), n_undecided, by_dependence=False)
    graph = subject.graph
    apart = (pair for pair in combinations(range(graph.n), 2) if not graph.has_edge(*pair))
    pairs = islice(apart, MOST_SENTENCES) if bits is None else sorted(apart, key=lambda p: -bits[p])
    sentences = [
        _independence(subject, pair, None if bits is None else float(bits[pair]))
        for pair in islice(pairs, MOST_SENTENCES)
    ]
    n_apart = graph.n * (graph.n - 1) // 2 - graph.n_edges
    return Independences(sentences, n_apart - len(sentences), 0, by_dependence=bits is not None)


def _independence(subject: Subject, pair: Edge, bits: float | None) -> str:
    """Return in words why two variables that are not joined are independent."""
    x, y = pair
    structure, graph = subject.structure, subject.graph
    decisive = None if structure is None else structure.verdicts.get(pair)
    given = decisive.given if decisive is not None else min(graph.blanket(x), graph.blanket(y), key=len)
    known = listing([graph.names[z] for z in given]) if given else ""
    apart = f" once {known} {'is' if len(given) == 1 else 'are'} known" if given else ""
    nothing = f"{graph.names[x]} tells nothing{' more' if bits and given else ''} about {graph.names[y]}"
    alone = f" (marginal mutual information {bits:.3g} bits)" if bits is not None and given else ""
    tested = ""
    if decisive is not None:
        tested = f"; {number(decisive)}{', too little data to be sure' if decisive.thin else ''}"
    return f"{nothing}{apart}{alone}{tested}."


def _row_counts(table: Table | None) -> list[list[float]]:
    """Return for every variable how many rows have each of its states; nothing of a column of numbers."""
    if table is None:
        return []
    return [[] if v.continuous else row_counts(table, i) for i, v in enumerate(table.variables)]


class Stability(NamedTuple):
    """What resampling and the posterior over graphs leave undecided; None where there was neither."""

    resamples: Resamples | None
    undecided: list[tuple[Edge, float]] | None
    """Pairs and the probability of an edge."""


class Resamples(NamedTuple):
    """What resampling says of all pairs, the first of each kind."""

    result: Resampled
    rows: list[EdgeStability]
    verdicts: str
    """How many pairs are present, absent and undecided, in words."""
    undecided: list[EdgeStability]
    probable: list[EdgeStability]
    """Pairs with the probability that a Bayesian learner or test gives them, the largest first."""


def _stability(subject: Subject, resampled: Resampled | None) -> Stability | None:
    structure = subject.structure
    probabilities = {} if structure is None else structure.edge_probabilities
    if resampled is None and not probabilities and subject.kind != "structure":
        return None
    undecided = [
        (pair, p)
        for pair, p in probabilities.items()
        if structure is not None and structure.verdict(*pair) == "undecided"
    ]
    return Stability(
        None if resampled is None else _resamples(subject, resampled), undecided if probabilities else None
    )


def _resamples(subject: Subject, resampled: Resampled) -> Resamples:
    display = dict(zip(subject.keys, subject.names, strict=True))
    rows = [row._replace(x=display[row.x], y=display[row.y]) for row in resampled.edges()]
    verdicts = [
        f"{sum(row.verdict == word for row in rows):,} {word}" for word in ("present", "absent", "undecided")
    ]
    undecided = sorted((row for row in rows if row.verdict == "undecided"), key=lambda row: -row.frequency)
    probable = sorted(
        (row for row in rows if row.probability is not None), key=lambda row: -(row.probability or 0.0)
    )
    return Resamples(
        resampled, rows, listing(verdicts), undecided[:MOST_SENTENCES], probable[:MOST_SENTENCES]
    )
