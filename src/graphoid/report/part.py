"""The strongest part of a network that is too wide for a page: its strongest edges and what they join."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.errors import DataError
from graphoid.report.edges import NOTHING, Meeting, meetings_of
from graphoid.structure.graph import UndirectedGraph
from graphoid.uncertainty.strength import strengths_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from graphoid.report.drawing import Groups
    from graphoid.report.edges import Measured
    from graphoid.report.subject import Subject
    from graphoid.structure.graph import Edge
    from graphoid.structure.learned import LearnedStructure
    from graphoid.uncertainty.bootstrap_result import Resampled

MOST_VARIABLES = 1_000
MOST_EDGES = 3_000
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


def strongest_part(subject: Subject) -> Part | None:
    """Return what a page shows of a network; None for all of it."""
    structure, graph = subject.structure, subject.graph
    if structure is None or (graph.n <= MOST_VARIABLES and graph.n_edges <= MOST_EDGES):
        return None
    known = [row.strength for row in structure.evidence_rows()]
    order = np.argsort([0.0 if s is None else -s for s in known], kind="stable")
    edges = sorted(graph.edges[i] for i in order[:STRONGEST])
    at = sorted({v for edge in edges for v in edge}) or list(range(min(graph.n, STRONGEST)))
    return Part(at, edges, {v: i for i, v in enumerate(at)})


def measure_part(subject: Subject, part: Part) -> Measured:
    """Return strength and counts of the edges that are shown, given the blankets of the whole network."""
    if subject.table is None or not part.edges:
        return NOTHING
    found = dict(zip(part.edges, strengths_of(subject.graph, part.edges, subject.table), strict=True))
    meetings: dict[Edge, Meeting] = meetings_of(found, subject.table)
    places = {edge: (part.place[edge[0]], part.place[edge[1]]) for edge in part.edges}
    return {places[e]: s for e, s in found.items()}, {places[e]: m for e, m in meetings.items()}


def restrict(subject: Subject, part: Part, resampled: Resampled | None = None) -> Subject:
    """Return a subject of the part alone, with a note that says so."""
    graph, structure, at = subject.graph, subject.structure, part.at
    if resampled is not None:
        raise DataError(
            f"a page of {graph.n:,} variables and {graph.n_edges:,} edges shows the strongest part of them, "
            f"and a bootstrap is of all: leave it out, or learn from fewer columns."
        )
    smaller = UndirectedGraph(
        [graph.names[v] for v in at], [(part.place[x], part.place[y]) for x, y in part.edges]
    )
    note = (
        f"The network has {graph.n:,} variables and {graph.n_edges:,} edges. This page shows its "
        f"{len(part.edges):,} strongest edges and the {len(at):,} variables that they join; weights and "
        f"effect sizes are given all neighbors, shown or not. The saved result has everything."
    )
    return replace(
        subject,
        keys=tuple(subject.keys[v] for v in at),
        graph=smaller,
        table=None if subject.table is None else subject.table.take(at),
        structure=None if structure is None else _restrict_structure(structure, smaller, part),
        notes=(note, *subject.notes),
    )


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
