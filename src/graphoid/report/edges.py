"""Every edge with all that is known of it: strength, certainty, the counts and the questions behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import CountsTooLarge, DataError
from graphoid.report.pictures import pictures_of
from graphoid.structure import explain
from graphoid.structure.scored import SURE
from graphoid.uncertainty.strength import EdgeStrength, context_rows, strengths_in, strengths_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.data.table import Table
    from graphoid.data.variables import State
    from graphoid.report.pictures import Boxes, Scatter
    from graphoid.report.subject import Subject
    from graphoid.structure.graph import Edge
    from graphoid.structure.learned import EdgeRow, LearnedStructure
    from graphoid.uncertainty.bootstrap_result import EdgeStability, Resampled

MOST_CELLS = 400
"""Cells of a table that a page shows; a larger one is said in words."""

MOST_QUESTIONS = 12
"""Questions about a pair that a page lists; ``why`` has them all."""

LIKELY = 0.5
"""The share of the rows from which an edge of some contexts holds for most of them."""


SOFTEN = 0.7
"""The power of an effect size that the width of an edge is in proportion to."""


class Meeting(NamedTuple):
    """How often the states of two variables meet, and would if the pair had no term."""

    x_states: tuple[State, ...]
    y_states: tuple[State, ...]
    observed: list[list[float]]
    expected: list[list[float]]
    residual: list[list[float]]
    """In standard deviations."""


@dataclass(frozen=True)
class EdgeFacts:
    """An edge with all that is known of it; None where something is not known."""

    x: int
    y: int
    row: EdgeRow | None = None
    strength: EdgeStrength | None = None
    meeting: Meeting | None = None
    picture: Scatter | Boxes | None = None
    """Where one of the two is a number."""
    questions: tuple[str, ...] = ()
    """The questions about the pair and their answers, in words, in the order asked."""
    why: str = ""
    """What decided."""
    resampled: EdgeStability | None = None
    """The row of a bootstrap: frequency, verdict."""
    share: float | None = None
    """The share of the rows in whose graph it is, where graphs depend on the context."""
    views: tuple[int, ...] = ()
    """In which of the views it is."""
    by_view: Mapping[int, EdgeFacts] = field(default_factory=dict)
    """The same edge as it is in each of these, where that was measured."""

    @property
    def bits(self) -> float | None:
        """Conditional mutual information."""
        return None if self.strength is None else self.strength.bits

    @property
    def size(self) -> float | None:
        """Effect size."""
        return None if self.strength is None else self.strength.size

    @property
    def evidence(self) -> float | None:
        """A power of ten: minus the logarithm of the p-value, or that of odds."""
        return None if self.row is None else self.row.strength

    @property
    def probability(self) -> float | None:
        """Of the edge, where the learner gives one."""
        return None if self.row is None else self.row.probability

    @property
    def frequency(self) -> float | None:
        """The share of resamples in which it was found."""
        return None if self.resampled is None else self.resampled.frequency

    @property
    def interval(self) -> tuple[float, float] | None:
        """In which the effect size lies."""
        s = self.strength
        return None if s is None or s.low is None or s.high is None else (s.low, s.high)

    @property
    def verdict(self) -> str:
        """Whether it is "present", "undecided" or "absent"."""
        if self.resampled is not None:
            return self.resampled.verdict
        return "present" if self.row is None else self.row.verdict

    @property
    def certainty(self) -> str:
        """Whether it is "sure" or "doubtful": by its verdict, or by the share of the rows that it holds for.

        There, it is also "likely" where it holds for most.
        """
        if self.share is not None:
            return "sure" if self.share >= SURE else "likely" if self.share >= LIKELY else "doubtful"
        return "sure" if self.verdict == "present" else "doubtful"

    @property
    def sign(self) -> str:
        """Whether its weight is "positive" or "negative"; "unsigned" where states have no order."""
        weight = None if self.strength is None else self.strength.weight
        return "unsigned" if weight is None else "negative" if weight < 0 else "positive"


class Measured(NamedTuple):
    """Of edges, how strong they are and how often states meet."""

    strengths: Mapping[Edge, EdgeStrength]
    meetings: Mapping[Edge, Meeting]
    views: tuple[Measured, ...] = ()
    """The same in each of the first views."""


NOTHING = Measured({}, {})


def edges_of(
    subject: Subject, resampled: Resampled | None = None, measured: Measured | None = None
) -> list[EdgeFacts]:
    """Return every edge of a subject, in the order of its graph; ``measured`` if that is known already."""
    pairs = subject.graph.edges
    rows, questions = _rows(subject.structure)
    strength, meetings, in_views = measure(subject) if measured is None else measured
    pictures = pictures_of(subject.table, pairs)
    stability = _stability(subject, resampled)
    views = {pair: tuple(i for i, v in enumerate(subject.views) if v.graph.has_edge(*pair)) for pair in pairs}
    found = [
        EdgeFacts(
            *pair,
            row=rows.get(pair),
            strength=strength.get(pair),
            meeting=meetings.get(pair),
            picture=pictures.get(pair),
            questions=questions.get(pair, ()),
            why="" if subject.structure is None else explain.reason(subject.structure, *pair),
            resampled=stability.get(pair),
            share=_share(subject, pair),
            views=views[pair],
        )
        for pair in pairs
    ]
    return [replace(edge, by_view=_by_view(edge, in_views)) for edge in found] if in_views else found


def _by_view(edge: EdgeFacts, in_views: Sequence[Measured]) -> dict[int, EdgeFacts]:
    """Return an edge as it is in each of the views that it is in."""
    pair = edge.x, edge.y
    return {
        k: replace(edge, strength=in_views[k].strengths[pair], meeting=in_views[k].meetings.get(pair))
        for k in edge.views
        if k < len(in_views)
    }


def edges_in(view: int, edges: Sequence[EdgeFacts]) -> list[EdgeFacts]:
    """Return the edges of a view, each as it is there where that was measured."""
    return [edge.by_view.get(view, edge) for edge in edges if view in edge.views]


def strength_of(edge: EdgeFacts) -> float:
    """Return what edges are ordered by: effect size, or what there is in its place."""
    known = (edge.size, edge.bits, edge.evidence, edge.probability, edge.share)
    return next((n for n in known if n is not None), 0.0)


def weights_of(edges: Sequence[EdgeFacts]) -> list[float]:
    """Return how thick each edge is drawn, from 0 to 1: by effect size, else bits, evidence or share.

    Less than in proportion, since the strongest edge may be a hundred times as strong as the next.
    """
    kinds = zip(*((e.size, e.bits, e.evidence, e.share) for e in edges), strict=True)
    for numbers in kinds:
        known = [n for n in numbers if n is not None and math.isfinite(n)]
        if known and max(known) > 0:
            most = max(known)
            return [
                0.0 if n is None else min(1.0, max(0.0, n / most)) ** SOFTEN if math.isfinite(n) else 1.0
                for n in numbers
            ]
    return [0.2] * len(edges)  # nothing tells them apart


def _rows(
    structure: LearnedStructure | None,
) -> tuple[dict[Edge, EdgeRow], dict[Edge, tuple[str, ...]]]:
    """Return what the learner says of each edge, and the questions that were asked about it."""
    if structure is None:
        return {}, {}
    rows = dict(zip(structure.graph.edges, structure.evidence_rows(), strict=True))
    mentions: dict[Edge, list[int]] = {pair: [] for pair in rows}
    for i, v in enumerate(structure.trace):
        pair = (v.x, v.y) if v.x < v.y else (v.y, v.x)
        if pair in rows:
            mentions[pair].append(i)
    questions = {}
    for pair, places in mentions.items():
        shown = ((i + 1, structure.trace[i]) for i in places[:MOST_QUESTIONS])
        more = len(places) - MOST_QUESTIONS
        lines = [f"{i:,}. {explain.answer(structure, i, v)}" for i, v in shown]
        questions[pair] = (*lines, f"and {more:,} more") if more > 0 else tuple(lines)
    return rows, questions


def measure(subject: Subject, most_views: int = 0) -> Measured:
    """Return strength and counts of every edge, also of the first views, where there is a table."""
    table, graph = subject.table, subject.graph
    if table is None or not graph.n_edges:
        return NOTHING
    try:
        known = strengths_of(graph, graph.edges, table, subject.pooled)
    except CountsTooLarge:  # a hub of many states whose rows are elsewhere: its evidence still stands
        return NOTHING
    found = dict(zip(graph.edges, known, strict=True))
    return Measured(found, meetings_of(found, table), _measure_views(subject, table, most_views))


def _measure_views(subject: Subject, table: Table, most: int) -> tuple[Measured, ...]:
    """Return strength and counts in the rows of each context, given the blankets of its graph."""
    if subject.model is None or not most:
        return ()
    rows, found = context_rows(table), []
    for context in subject.model.contexts[: min(most, len(subject.views))]:
        strengths = dict(zip(context.graph.edges, strengths_in(context, rows), strict=True))
        found.append(Measured(strengths, meetings_of(strengths, table)))
    return tuple(found)


def meetings_of(found: Mapping[Edge, EdgeStrength], table: Table) -> dict[Edge, Meeting]:
    """Return how often the states of pairs meet, where these are not too many to show."""
    return {
        (x, y): Meeting(
            table.variables[x].states,
            table.variables[y].states,
            *(np.round(part, 2).tolist() for part in s.meeting),
        )
        for (x, y), s in found.items()
        if s.meeting is not None and s.meeting.observed.size <= MOST_CELLS
    }


def _stability(subject: Subject, resampled: Resampled | None) -> dict[Edge, EdgeStability]:
    """Return the rows of a bootstrap by pair; it speaks of names as they came."""
    if resampled is None:
        return {}
    rows = resampled.edges()
    place = {name: i for i, name in enumerate(subject.keys)}
    unknown = next((name for row in rows for name in (row.x, row.y) if name not in place), None)
    if unknown is not None:
        raise DataError(f"the bootstrap has a variable {unknown!r}, which the network does not have.")
    return {(place[row.x], place[row.y]): row for row in rows}


def _share(subject: Subject, pair: Edge) -> float | None:
    """Return the share of the rows in whose graph an edge is."""
    if subject.model is None:
        return None
    contexts = subject.model.contexts
    total = sum(context.n_rows for context in contexts) or 1
    return sum(context.n_rows for context in contexts if context.graph.has_edge(*pair)) / total
