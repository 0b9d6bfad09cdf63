"""The part of a network that is shown: without covariates, the strongest, or what is around a variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import DataError, SettingsError
from graphoid.report.display import visible
from graphoid.report.edges import NOTHING, Measured, meetings_of
from graphoid.structure import plain
from graphoid.structure.explain import listing
from graphoid.structure.graph import UndirectedGraph
from graphoid.uncertainty.strength import strengths_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from graphoid.report.drawing import Groups
    from graphoid.report.subject import Subject
    from graphoid.structure.graph import Edge
    from graphoid.structure.learned import LearnedStructure
    from graphoid.uncertainty.bootstrap_result import Resampled

MOST_VARIABLES = 1_000
MOST_EDGES = 5_000
"""What a page shows whole; a browser draws no more at a time, and nobody sees it."""

STRONGEST = 500
"""Edges of which a page shows the strongest, of a network with more variables or edges."""


class Part(NamedTuple):
    """Some variables of a subject, and the edges between them that are shown."""

    at: list[int]
    """Positions of the variables, in order."""
    edges: list[Edge]
    """By those positions."""
    place: Mapping[int, int]
    shows: str = ""
    """What of a network that has no room on a page, in words."""

    def pair(self, pair: Edge) -> Edge | None:
        """Return a pair by its places in the part; None if it is not in there."""
        x, y = pair
        return (self.place[x], self.place[y]) if x in self.place and y in self.place else None

    def names(self, names: Collection[str], keys: Sequence[str]) -> list[str]:
        """Return those of some names that are shown, or that no variable has: these are refused later."""
        hidden = {key for v, key in enumerate(keys) if v not in self.place}
        return [name for name in names if name not in hidden]

    def groups(self, groups: Groups | None, keys: Sequence[str]) -> Groups | None:
        """Return blocks of variables without those that are not shown."""
        if groups is None:
            return None
        if isinstance(groups, Mapping):
            return {name: self.names(members, keys) for name, members in groups.items()}
        return [self.names(members, keys) for members in groups]


def part_of(subject: Subject) -> Part | None:
    """Return the variables but covariates, and the edges between them; None for all."""
    covariates = covariates_of(subject)
    hidden = {v for v, key in enumerate(subject.keys) if key in covariates}
    if not hidden:
        return None
    at = [v for v in range(subject.graph.n) if v not in hidden]
    edges = [edge for edge in subject.graph.edges if hidden.isdisjoint(edge)]
    return Part(at, edges, {v: i for i, v in enumerate(at)})


def covariates_of(subject: Subject) -> list[str]:
    """Return the covariates of a structure, by the names that they came with."""
    return [] if subject.structure is None else plain.texts(subject.settings.get("covariates", []))


def strongest_part(subject: Subject) -> Part | None:
    """Return what a page shows of a network; None for all of it."""
    structure, part = subject.structure, part_of(subject)
    at, edges = (list(range(subject.graph.n)), list(subject.graph.edges)) if part is None else part[:2]
    if structure is None or (len(at) <= MOST_VARIABLES and len(edges) <= MOST_EDGES):
        return part
    known = [structure.evidence_row(*edge).strength for edge in edges]
    order = np.argsort([0.0 if s is None else -s for s in known], kind="stable")
    edges = sorted(edges[i] for i in order[:STRONGEST])
    at = sorted({v for edge in edges for v in edge}) or at[:STRONGEST]
    shows = f"its {len(edges):,} strongest edges and the {len(at):,} variables that they join"
    return Part(at, edges, {v: i for i, v in enumerate(at)}, shows)


def part_around(subject: Subject, variable: int | str) -> Part:
    """Return what is around a variable: its neighbors, theirs, and the edges between all of them.

    Whole rings are taken, the neighbors at least, for as long as a page has room for them.
    """
    if subject.structure is None:  # a graph for every context, or hyperedges
        raise SettingsError("around shows a part of one network, and this has several: leave it out.")
    graph, covariates = subject.graph, covariates_of(subject)
    center = graph.position(variable)
    hidden = {v for v, key in enumerate(subject.keys) if key in covariates and v != center}
    inside, steps, rings = {center}, 0, 2
    while steps < rings:
        wider = inside.union(*(graph.blankets[v] for v in inside)) - hidden
        if steps and len(wider) > STRONGEST:
            break
        inside, steps = wider, steps + 1
    at = sorted(inside)
    edges = [(x, y) for x in at for y in graph.blankets[x] if x < y and y in inside]
    what = "neighbors" if steps == 1 else "neighbors and theirs"
    shows = f"{visible(graph.names[center])} with its {what}: {len(at):,} variables and {len(edges):,} edges"
    return Part(at, edges, {v: i for i, v in enumerate(at)}, shows)


def measure_part(subject: Subject, part: Part) -> Measured:
    """Return strength and counts of the edges that are shown, given the blankets of the whole network."""
    if subject.table is None or not part.edges:
        return NOTHING
    known = strengths_of(subject.graph, part.edges, subject.table, subject.pooled)
    found = dict(zip(part.edges, known, strict=True))
    meetings = meetings_of(found, subject.table)
    places = {edge: (part.place[edge[0]], part.place[edge[1]]) for edge in part.edges}
    return Measured({places[e]: s for e, s in found.items()}, {places[e]: m for e, m in meetings.items()})


def restrict(subject: Subject, part: Part, resampled: Resampled | None = None) -> Subject:
    """Return a subject of the part alone, with a note that says so."""
    graph, structure, at = subject.graph, subject.structure, part.at
    covariates = [visible(name) for name in covariates_of(subject)]
    if resampled is not None and covariates:
        raise DataError(
            f"a bootstrap is of all columns, and covariates ({listing(covariates)}) are not shown: leave it "
            "out, or learn without covariates."
        )
    if resampled is not None:
        raise DataError(
            f"a page of {graph.n:,} variables and {graph.n_edges:,} edges shows the strongest part of them, "
            f"and a bootstrap is of all: leave it out, or learn from fewer columns."
        )
    smaller = UndirectedGraph(
        [graph.names[v] for v in at], [(part.place[x], part.place[y]) for x, y in part.edges]
    )
    if part.shows:
        note = (
            f"The network has {graph.n:,} variables and {graph.n_edges:,} edges. This page shows "
            f"{part.shows}; weights and effect sizes are given all neighbors, shown or not. The saved result "
            f"has everything."
        )
    else:
        note = f"Adjusted for {listing(covariates)}: every edge and weight is given them; they are not shown."
    return replace(
        subject,
        keys=tuple(subject.keys[v] for v in at),
        graph=smaller,
        table=None if subject.table is None else subject.table.take(at),
        structure=None if structure is None else _restrict_structure(structure, smaller, part),
        notes=(note, *subject.notes),
    )


def without_covariates(
    subject: Subject, resampled: Resampled | None = None
) -> tuple[Subject, Measured | None]:
    """Return a subject without covariates, and what was measured given them; None where there are none."""
    part = part_of(subject)
    if part is None:
        return subject, None
    return restrict(subject, part, resampled), measure_part(subject, part)


def _restrict_structure(structure: LearnedStructure, graph: UndirectedGraph, part: Part) -> LearnedStructure:
    """Return a structure without what it says of variables that are not shown."""

    def of_pairs(numbers: Mapping[Edge, float]) -> dict[Edge, float]:
        places = ((part.pair(pair), number) for pair, number in numbers.items())
        return {pair: number for pair, number in places if pair is not None}

    place = part.place
    trace = [v for v in structure.trace if all(w in place for w in (v.x, v.y, *v.given))]
    scored = structure.scored
    if scored is not None:
        gains, priors = of_pairs(scored.gains), of_pairs(scored.prior_log_odds)
        scored = replace(scored, gains=gains, path=(), prior_log_odds=priors)
    pairs = map(part.pair, structure.underpowered)
    return replace(
        structure,
        graph=graph,
        trace=tuple(
            v._replace(x=place[v.x], y=place[v.y], given=tuple(place[z] for z in v.given), because=())
            for v in trace
        ),
        scored=scored,
        edge_probabilities=of_pairs(structure.edge_probabilities),
        underpowered=frozenset(pair for pair in pairs if pair is not None),
        measured={},
        details={},
    )
