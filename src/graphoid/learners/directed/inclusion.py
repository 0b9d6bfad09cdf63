"""How probable it is that a directed network joins two variables, and of which pairs absence can be told."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit

from graphoid.counts.engine import ChainSettings, CountRequest
from graphoid.learners.directed.chain import sample_directed
from graphoid.learners.directed.known import known_arcs
from graphoid.learners.power import Column, column_of, hidden_edges
from graphoid.structure.scored import SHOWN_PAIRS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.scores.families import FamilyScorer
    from graphoid.structure.graph import Edge, UndirectedGraph
    from graphoid.structure.knowledge import KnownPairs

UNLIKELY = -8.0
"""Log odds of an arc, given the best graph, below which a chain does not visit its pair."""

SWEEPS, BURN_IN = 300, 60

EXPECTED = 1.5
"""Arcs that a variable brings: what the prior of the density expects, and how much it counts."""


class Inclusion(NamedTuple):
    """What is known of pairs beyond the best graph."""

    probabilities: dict[Edge, float]
    underpowered: frozenset[Edge]
    """Pairs that could have an edge of a size that matters and look as they do."""

    def decide(self, known: KnownPairs) -> Inclusion:
        """Return the same, but for pairs of which it is known if they are joined."""
        doubtful = frozenset(pair for pair in self.underpowered if known.is_open(*pair))
        return Inclusion(known.decide(self.probabilities), doubtful)


def edge_inclusion(
    scorer: FamilyScorer,
    parents: Sequence[Sequence[int]],
    graph: UndirectedGraph,
    gains: Mapping[Edge, float],
    key: int,
) -> Inclusion:
    """Return the probability of every pair whose gain is known, by graphs drawn from their posterior.

    An edge of the best graph is taken to be as likely as not at least, and other pairs at most. Where pairs
    are so unlikely that none of the graphs would have them, their own odds in the best graph count.
    """
    n, prior = scorer.n, scorer.arc_log_odds
    visited = sorted({*graph.edges, *(pair for pair, gain in gains.items() if gain > UNLIKELY)})
    if scorer.known is not None:  # the arcs of required pairs stay as they are
        visited = [pair for pair in visited if scorer.known.is_open(*pair)]
    beta = max(1.0, (n - 1) / 2 - EXPECTED)
    known = known_arcs(scorer.known, scorer.order)
    settings = ChainSettings(scorer.ess or (1.0,), n, EXPECTED, beta, SWEEPS, BURN_IN, key, known)
    found = sample_directed(scorer, parents, visited, settings)
    density = min(0.5, max(found.density, n**-2))
    log_odds = math.log(density) - math.log1p(-density)
    alone = {
        pair: float(expit(gain - prior + log_odds))
        for pair, gain in gains.items()
        if pair not in found.probabilities
    }
    probabilities = {
        pair: max(p, 0.5) if graph.has_edge(*pair) else min(p, 0.5)
        for pair, p in sorted({**alone, **found.probabilities}.items())
    }
    # rows cannot carry an arc of these beside the parents there are: they say nothing
    open_pairs = frozenset(
        pair
        for pair in (combinations(range(n), 2) if n * (n - 1) // 2 <= SHOWN_PAIRS else ())
        if pair not in probabilities
    )
    probabilities |= dict.fromkeys(open_pairs, density)
    apart = {pair: gain - prior for pair, gain in gains.items() if not graph.has_edge(*pair)}
    return Inclusion(probabilities, open_pairs | _underpowered_pairs(scorer, parents, apart))


def _underpowered_pairs(
    scorer: FamilyScorer, parents: Sequence[Sequence[int]], gains: Mapping[Edge, float]
) -> frozenset[Edge]:
    """Return the pairs without an edge that could have one; ``gains`` are those of the data."""
    if not gains:
        return frozenset()
    columns, rows = _columns_of(scorer, parents), scorer.rows
    lines = np.empty((3, len(gains)))
    for i, ((x, y), gain) in enumerate(gains.items()):
        a, b = columns[x], columns[y]
        known = rows * np.outer(a.variances, b.variances)
        # half the likelihood ratio statistic, less what spreading the prior over the effects costs
        statistic = 2 * gain + float(np.log1p(known).sum())
        dof = max(1e-3, float((known / (1 + known)).sum()))
        lines[:, i] = max(0.0, statistic), dof, rows * a.left * b.left
    hidden = hidden_edges(*lines)
    return frozenset(pair for pair, unseen in zip(gains, hidden, strict=True) if unseen)


def _columns_of(scorer: FamilyScorer, parents: Sequence[Sequence[int]]) -> list[Column]:
    """Return what every variable brings to its pairs, and which share of it parents and children leave.

    What a child tells about a variable beyond the other parents is what its arc gains.
    """
    families = [(v, tuple(sorted(own))) for v, own in enumerate(parents)]
    shorter = [(v, tuple(q for q in own if q != p)) for v, own in families for p in own]
    scorer.prepare([*families, *shorter, *((v, ()) for v in range(scorer.n))])
    explained = [scorer.terms[v, own] - scorer.terms[v, ()] for v, own in families]
    for v, own in families:
        for p in own:
            gain = scorer.terms[v, own] - scorer.terms[v, tuple(q for q in own if q != p)]
            explained[p] += max(0.0, gain)
    margins = scorer.engine.counts([CountRequest((v,)) for v in range(scorer.n)])
    columns = []
    for variable, counts, gain in zip(scorer.engine.variables, margins, explained, strict=True):
        column = column_of(variable, counts.dense().astype(np.float64))
        share = max(0.0, gain) / (max(1.0, scorer.rows) * max(1, len(column.variances)))
        columns.append(column._replace(left=math.exp(-2 * share)))
    return columns
