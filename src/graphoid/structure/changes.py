"""What rows that came later changed: edges that appeared, vanished or became surer, and edges that drift."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from graphoid.structure import plain

if TYPE_CHECKING:
    from graphoid.structure.document import Json
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.learned import EdgeRow, LearnedStructure

CLEAR = 1.0
"""By how much evidence (log10) has to grow or to shrink to be told: tenfold."""

LARGEST = 700.0
"""The largest logarithm of a number that is shown."""


class EdgeChange(NamedTuple):
    """A pair of which more rows say something else than fewer did, before and after."""

    x: str
    y: str
    change: str
    """"appeared", "vanished", "surer" or "less sure"; the last two of edges that are in both graphs."""
    verdicts: tuple[str, str]
    """"present", "absent" or "undecided"."""
    probabilities: tuple[float | None, float | None]
    """Of the edge, where the learner gives one."""
    strengths: tuple[float | None, float | None]
    """Of the evidence (log10)."""

    def to_values(self) -> list[object]:
        """Return the row as JSON holds it."""
        return [list(part) if isinstance(part, tuple) else part for part in self]


class EdgeDrift(NamedTuple):
    """Whether a pair is in later rows what it was in earlier ones."""

    x: str
    y: str
    joined: bool
    """Whether it has an edge."""
    e_value: float
    """Evidence for a change at some time, against none: see :mod:`graphoid.uncertainty.drift`."""
    threshold: float
    """From which on there is an alarm."""
    alarm: bool
    """Whether the e-value has ever come so far."""
    since: int | None
    """The row, from 0, at which the change most probably began; None without an alarm."""


def edge_changes(before: LearnedStructure, after: LearnedStructure) -> list[EdgeChange]:
    """Return what is said otherwise of pairs with an edge in one of two structures, by position."""
    found = []
    for x, y in sorted({*before.graph.edges, *after.graph.edges}):
        old, new = before.evidence_row(x, y), after.evidence_row(x, y)
        change = _change(old, new)
        if change is not None:
            found.append(
                EdgeChange(
                    new.x,
                    new.y,
                    change,
                    (old.verdict, new.verdict),
                    (old.probability, new.probability),
                    (old.strength, new.strength),
                )
            )
    return found


def _change(old: EdgeRow, new: EdgeRow) -> str | None:
    if old.joined != new.joined:
        return "appeared" if new.joined else "vanished"
    if old.verdict != new.verdict:
        return "surer" if new.verdict == "present" else "less sure"
    if old.strength is None or new.strength is None or abs(new.strength - old.strength) < CLEAR:
        return None
    return "surer" if new.strength > old.strength else "less sure"


def read_changes(details: Json) -> list[EdgeChange]:
    """Return the changes that the details of a structure have."""
    rows = plain.items(plain.record(details.get("update", {})).get("changes", []))
    return [EdgeChange(x, y, change, *map(tuple, pairs)) for x, y, change, *pairs in rows]


def read_drift(details: Json, graph: UndirectedGraph) -> list[EdgeDrift]:
    """Return the drift that the details of a structure have."""
    said = plain.record(details.get("update", {}))
    rows, batches = plain.items(said.get("drift", [])), plain.items(said.get("batches", []))
    return [
        EdgeDrift(
            x,
            y,
            graph.has_edge(x, y),
            math.exp(min(LARGEST, log_e)),
            graph.n * (graph.n - 1) / 2 / plain.number(said["alpha"]),
            alarm,
            None if since is None else batches[since - 1],
        )
        for x, y, log_e, alarm, since, *_ in rows
    ]
