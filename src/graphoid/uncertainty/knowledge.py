"""What the data say about facts that were given: a log Bayes factor for each, against its contrary.

The same for all learners: an edge is judged by the score that :func:`graphoid.learn` recommends for the
table, beside the other edges of the network that was learned. Facts that the data contradict are then set
aside, and all of them judged again beside what is left.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.table import Table
from graphoid.errors import GraphoidError
from graphoid.learners.recommended import recommend_score
from graphoid.learners.scored.inclusion import PairEvidence
from graphoid.learners.scored.screen import strongest_partners
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.knowledge import CONTRADICTED, KnowledgeRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphoid.scores.base import Scorer
    from graphoid.structure.graph import Edge
    from graphoid.structure.knowledge import Knowledge

DECIDED = ("required", "forbidden")
"""Facts that a network agrees with, whatever the data say."""

MOST_BETWEEN_BLOCKS = 1_000
"""Pairs that blocks keep apart of which all are judged; of more, those that depend on each other most."""


def knowledge_rows(knowledge: Knowledge, graph: UndirectedGraph, data: object) -> tuple[KnowledgeRow, ...]:
    """Return a row for every fact: those that were named first, and then what blocks say and is contradicted.

    ``data`` is the table that the graph was learned from; without it, nothing is measured.
    """
    named = list(named_facts(knowledge))
    factors: Mapping[frozenset[str], float] = {}
    between: Sequence[frozenset[str]] = ()
    if isinstance(data, Table):
        scorer, seen = _join(data, graph)
        between = _between_blocks(knowledge, scorer)
        pairs = [*(frozenset(f[1:3]) for f in named), *between]
        factors = _log_bayes_factors(scorer, seen, pairs)
        decided = {frozenset((x, y)): joined for fact, x, y, joined in named if fact in DECIDED}
        freed = _set_aside(decided | dict.fromkeys(between, False), factors, seen)
        if freed.edges != seen.edges:
            factors = _log_bayes_factors(scorer, freed, pairs)
    rows = [
        KnowledgeRow.of(fact, x, y, _for_the_fact(factors, x, y, joined=joined))
        for fact, x, y, joined in named
    ]
    for pair in between:
        x, y = sorted(pair, key=graph.position)
        row = KnowledgeRow.of("forbidden by blocks", x, y, _for_the_fact(factors, x, y, joined=False))
        rows += [row] if row.contradicted else []
    return tuple(rows)


def named_facts(knowledge: Knowledge) -> Iterable[tuple[str, str, str, bool]]:
    """Yield what is said of single pairs: in words, the two, and whether it says that they are joined."""
    yield from (("required", x, y, True) for x, y in knowledge.required)
    yield from (("forbidden", x, y, False) for x, y in knowledge.forbidden)
    blocks = set(knowledge.named_blocks)
    for (x, y), p in knowledge.prior.items():
        if x != y and not {x, y} <= blocks:
            yield f"probability {p:g}", x, y, p >= 0.5  # a half says nothing, and is read as one of both


def _set_aside(
    decided: Mapping[frozenset[str], bool], factors: Mapping[frozenset[str], float], graph: UndirectedGraph
) -> UndirectedGraph:
    """Return a graph in which what contradicts the data is the other way round.

    The neighbors that a false fact gives a variable, or keeps from it, would make others look false as well.
    """
    edges = set(graph.edges)
    for pair, joined in decided.items():
        if pair in factors and (factors[pair] if joined else -factors[pair]) < CONTRADICTED:
            x, y = sorted(graph.position(name) for name in pair)
            edges ^= {(x, y)}
    return UndirectedGraph(graph.names, sorted(edges))


def _for_the_fact(factors: Mapping[frozenset[str], float], x: str, y: str, *, joined: bool) -> float | None:
    found = factors.get(frozenset((x, y)))
    return None if found is None else found if joined else -found


def _join(table: Table, graph: UndirectedGraph) -> tuple[Scorer, UndirectedGraph]:
    """Return the score of what varies in a table, and the graph of that."""
    seen = table.varying if table.constants else table
    names = set(seen.names)
    edges = [(graph.names[x], graph.names[y]) for x, y in graph.edges]
    inside = [(x, y) for x, y in edges if x in names and y in names]
    return recommend_score(seen)[0].on(seen), UndirectedGraph(seen.names, inside)


def _between_blocks(knowledge: Knowledge, scorer: Scorer) -> list[frozenset[str]]:
    """Return the pairs that only blocks keep apart; of very many, those of the strongest dependences."""
    if not knowledge.waves and not knowledge.blocks:
        return []
    alone = replace(knowledge, required=(), forbidden=(), prior={})
    named = {frozenset(pair) for pair in (*knowledge.forbidden, *knowledge.required)}
    apart = alone.on(scorer.names).forbidden if set(_members(alone)) <= set(scorer.names) else None
    if apart is None:
        return []
    pairs = apart.edges if apart.n_edges <= MOST_BETWEEN_BLOCKS else _strongest(scorer, apart)
    found = (frozenset((scorer.names[x], scorer.names[y])) for x, y in pairs)
    return [pair for pair in found if pair not in named]


def _members(knowledge: Knowledge) -> Iterable[str]:
    for block in knowledge.named_blocks.values():
        yield from block


def _strongest(scorer: Scorer, apart: UndirectedGraph) -> list[Edge]:
    partners = strongest_partners(scorer)
    found = {(min(x, int(y)), max(x, int(y))) for x, line in enumerate(partners) for y in line}
    return sorted(pair for pair in found if apart.has_edge(*pair))


def _log_bayes_factors(
    scorer: Scorer, graph: UndirectedGraph, pairs: Sequence[frozenset[str]]
) -> dict[frozenset[str], float]:
    """Return the log Bayes factor of an edge for each of some pairs, whatever else the graph has."""
    index = {name: i for i, name in enumerate(scorer.names)}
    places = {pair: _place(index, pair) for pair in pairs if pair <= index.keys()}
    edges = sorted(set(places.values()))
    if not edges:
        return {}
    try:
        gains = scorer.gains(graph, edges)
        joined = np.array([graph.has_edge(*edge) for edge in edges])
        worth = np.where(joined, -gains, gains)
        evidence = PairEvidence.of(dict(zip(edges, worth.tolist(), strict=True)), scorer, graph)
    except GraphoidError:  # too large a table: the network stands, and this was not measured
        return {}
    if scorer.score.gains_are_odds:
        found = (worth - scorer.weights(edges)) / scorer.score.evidence_counts
    else:
        found = evidence.log_bayes_factors
    factor = dict(zip(edges, found.tolist(), strict=True))
    return {pair: factor[place] for pair, place in places.items()}


def _place(index: Mapping[str, int], pair: frozenset[str]) -> Edge:
    x, y = sorted(index[name] for name in pair)
    return x, y
