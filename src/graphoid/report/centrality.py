"""How central every variable is, by the measures that papers report."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphoid.report.edges import EdgeFacts, strength_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.report.drawing import Group
    from graphoid.report.subject import Subject
    from graphoid.uncertainty.bootstrap_result import Resampled

LEAST = 1e-9
"""Strength of an edge that has none: it is one, but a long one."""

MEANINGS = {
    "strength": "Sum of the effect sizes of its edges.",
    "expected influence": "Sum of its edge weights, which have a sign.",
    "closeness": "How near all others are, along paths on which strong edges are short.",
    "betweenness": "Share of the shortest paths between others that go through it.",
    "bridge strength": "Sum of the effect sizes of its edges into other groups.",
}
"""The measures, each in a sentence."""


class Centrality(NamedTuple):
    """How central one variable is by one measure; with its interval, where a bootstrap gives one."""

    v: int
    measure: str
    value: float
    low: float | None = None
    high: float | None = None


def centrality_of(
    subject: Subject,
    edges: Sequence[EdgeFacts],
    groups: Sequence[Group] = (),
    resampled: Resampled | None = None,
) -> list[Centrality]:
    """Return every measure of every variable, by measure and position.

    Expected influence needs an edge with a sign, bridge strength two groups.
    """
    import networkx as nx

    n = len(subject.names)
    weighted = nx.Graph()
    weighted.add_nodes_from(range(n))
    for edge in edges:
        weighted.add_edge(edge.x, edge.y, distance=1 / max(strength_of(edge), LEAST))
    block = {v: i for i, group in enumerate(groups) for v in group.members}
    sums = {"strength": [0.0] * n, "expected influence": [0.0] * n, "bridge strength": [0.0] * n}
    for edge in edges:
        weight = edge.strength.weight if edge.strength is not None else None
        for v, w in ((edge.x, edge.y), (edge.y, edge.x)):
            sums["strength"][v] += strength_of(edge)
            sums["expected influence"][v] += weight or 0.0
            apart = block.get(v, -1 - v) != block.get(w, -1 - w)
            sums["bridge strength"][v] += strength_of(edge) if apart else 0.0
    if all(edge.sign == "unsigned" for edge in edges):
        del sums["expected influence"]
    if len(groups) < 2:
        del sums["bridge strength"]
    close = nx.closeness_centrality(weighted, distance="distance")
    between = nx.betweenness_centrality(weighted, weight="distance")
    sums |= {"closeness": [close[v] for v in range(n)], "betweenness": [between[v] for v in range(n)]}
    known = _intervals(subject, resampled)
    return [
        Centrality(v, measure, float(sums[measure][v]), *known.get((measure, v), (None, None)))
        for measure in MEANINGS
        if measure in sums
        for v in range(n)
    ]


def _intervals(
    subject: Subject, resampled: Resampled | None
) -> dict[tuple[str, int], tuple[float | None, float | None]]:
    """Return the intervals that a bootstrap gives, by measure and position."""
    if resampled is None:
        return {}
    place = {name: v for v, name in enumerate(subject.keys)}
    return {
        (row.measure.replace("_", " "), place[row.variable]): (row.low, row.high)
        for row in resampled.centrality()
    }
