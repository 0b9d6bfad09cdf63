r"""How probable each pair is, from what flipping it alone would gain; and of which pairs absence can be told.

A gain of the evidence is half the likelihood ratio statistic of the pair at either of its ends, less what
spreading the prior over its effects costs. So the statistic S is known; where there is no edge it is
chi-square with q degrees of freedom. Taken as odds, gains would say how wide the prior of the score is: weak
edges between columns of many states would seem impossible. Here an edge has a size, the same for any states,
whose prior is zero at no effect and has a root mean square :math:`\delta` of the one or the other of
:data:`SIZES`. With :math:`g = \lambda \delta^2 / (q + 2)`, where an edge of size one adds :math:`\lambda` to
the statistic,

.. math:: B = (1 + g)^{-q/2} \exp\left(\frac{S g}{2 (1 + g)}\right)
   \left[\frac{1}{1 + g} + \frac{S g}{q (1 + g)^2}\right]

is the Bayes factor of an edge (from a statistic, [Johnson2005]_; by a moment prior, [Johnson2010]_). How many
edges there are is learned from all pairs together, unless a prior says it. ``benchmarks/truth`` has the
calibration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import chndtr

from graphoid.counts.engine import CountRequest
from graphoid.learners.power import Column, column_of, hidden_edges
from graphoid.scores.base import BlanketScorer, Scorer
from graphoid.scores.priors import SparsePrior

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from graphoid.structure.graph import Edge, UndirectedGraph

    Vector = NDArray[np.float64]

LEFT = 0.8
"""Share of what rows tell about a pair that blankets leave, where the size of its edge is not known: of edges
in random graphs, chains and hubs it was .78 to .92; in dense graphs .44 to .68 (see :func:`columns_of`)."""

SIZES = (0.25, 0.5)
"""Root mean square of the size of an edge a priori, the one or the other."""

EXPECTED = 0.5
"""How much the density of the prior counts, in pairs of one variable."""

AT_ONCE = 2**14
"""Pairs whose information is worked out together."""

ROUNDS = 200
CLOSE = 1e-6
"""How often, and how closely, the number of edges and the probabilities are brought to agree."""

UNSETTLED = 0.002
"""How often a pair may come out otherwise in half of the rows and still be settled."""


@dataclass(frozen=True, eq=False)
class PairEvidence:
    """What a score says of pairs, as likelihood ratio statistics."""

    worth: Mapping[Edge, float]
    """How much higher the score is with each edge than without."""
    scorer: Scorer
    statistic: Vector
    dof: Vector
    """Where there is no edge; below (r - 1)(s - 1) where states are so rare that the prior decides."""
    information: Vector
    """What an edge of size one would add to the statistic: the rows, times the share of each end's variance
    that its blanket leaves."""
    expected: Vector
    """The same of an edge whose size is that of a term between even states: less where states are not."""
    needed: Vector
    """The statistic from which on half of the rows would join the pair."""
    prior: Vector
    """Log odds of the pairs before the rows."""

    @classmethod
    def of(cls, worth: Mapping[Edge, float], scorer: Scorer, graph: UndirectedGraph) -> Self:
        """Return the evidence on the pairs of ``worth``, whose edges are flipped in a graph."""
        columns, rows, score = (
            columns_of(scorer, graph, sorted({*chain(*worth)})),
            float(scorer.engine.n_rows),
            scorer.score,
        )
        x, y = np.array(list(worth), dtype=np.int64).reshape(-1, 2).T
        gains = np.fromiter(worth.values(), dtype=np.float64, count=len(worth))
        width, left, even = (
            np.array(part)
            for part in zip(*((len(c.variances), c.left, c.evenness) for c in columns), strict=True)
        )
        variances = np.zeros((len(columns), width.max(initial=1)))
        for v, column in enumerate(columns):
            variances[v, : width[v]] = column.variances
        weight, lines = scorer.weight.at(x, y), np.empty((6, len(worth)))
        for a, b in set(zip(width[x].tolist(), width[y].tolist(), strict=True)):
            same = np.flatnonzero((width[x] == a) & (width[y] == b))
            for first in range(0, len(same), AT_ONCE):  # pairs of columns of as many effects
                some = same[first : first + AT_ONCE]
                own, other = variances[x[some], :a], variances[y[some], :b]
                known = rows * (own[:, :, None] * other[:, None, :]).reshape(len(some), a * b)
                lines[0, some] = np.maximum(0.0, score.statistic(gains[some] - weight[some], known))
                lines[1, some] = np.maximum(1e-3, (known / (1 + known)).sum(axis=1))
                lines[4, some] = score.statistic(-weight[some], known / 2)
        lines[2], lines[3] = rows * left[x] * left[y], LEFT * rows * even[x] * even[y]
        lines[5] = scorer.prior.at(x, y)
        return cls(worth, scorer, *lines)

    @cached_property
    def log_bayes_factors(self) -> Vector:
        """For every pair, how much likelier its statistic is with an edge than without."""
        s, q, parts = self.statistic, self.dof, []
        for size in SIZES:
            g = self.expected * size**2 / (q + 2)
            kept = g / (1 + g)
            parts.append(-q / 2 * np.log1p(g) + s * kept / 2 + np.log((1 + s * kept / q) / (1 + g)))
        total: Vector = np.logaddexp.reduce(parts) - math.log(len(SIZES))
        return total

    def probabilities(self) -> dict[Edge, float]:
        """Return how probable each pair is: at least one half where the score would join it, else at most.

        Where the prior leaves open how many edges there are, there are as many as there seem to be; what it
        expects counts as much as half the pairs of one variable.
        """
        if not self.worth:  # the time was up before anything was known
            return {}
        gains = np.fromiter(self.worth.values(), dtype=np.float64, count=len(self.worth))
        score = self.scorer.score
        if score.gains_are_odds:
            return dict(zip(self.worth, sigmoid(gains / score.evidence_counts).tolist(), strict=True))
        factors, n, own = self.log_bayes_factors, self.scorer.n, self.scorer.graph_prior
        p = sigmoid(factors + self.prior)
        if isinstance(own, SparsePrior) and own.density is None and n > 1:
            alike, stated = self._alike, p
            pairs, known = n * (n - 1) / 2 - np.count_nonzero(~alike), EXPECTED * (n - 1)
            expected = known * float(sigmoid(self.prior[alike]).max(initial=0.0))
            for _ in range(ROUNDS if alike.any() else 0):
                density = (float(p[alike].sum()) + expected) / (pairs + known)
                found = sigmoid(factors + math.log(density) - math.log1p(-density))
                before, p = p, np.where(alike, found, stated)
                if np.abs(p - before).max(initial=0.0) < CLOSE:
                    break
        p = np.where(gains > 0, np.maximum(p, 0.5), np.minimum(p, 0.5))
        return dict(zip(self.worth, p.tolist(), strict=True))

    @property
    def _alike(self) -> NDArray[np.bool_]:
        """Which pairs are known to be neither joined nor apart nor to have a probability of their own."""
        known = self.scorer.known
        if known is None:
            return np.ones(len(self.worth), dtype=bool)
        return np.array(
            [known.is_open(*pair) and pair not in known.log_odds for pair in self.worth], dtype=bool
        )

    def underpowered_pairs(self) -> frozenset[Edge]:
        """Return the pairs without evidence for an edge that could have one of a size that matters."""
        hidden = hidden_edges(self.statistic, self.dof, self.information)
        return frozenset(
            pair
            for (pair, gain), unseen in zip(self.worth.items(), hidden, strict=True)
            if gain < 0 and unseen
        )

    def unsettled_pairs(self, graph: UndirectedGraph) -> list[Edge]:
        """Return the pairs that half of the rows may join: edges, near ones, and what edges may hide.

        Given its value S in all rows, the statistic of half of them is half a noncentral chi-square with
        noncentrality S. Where an edge may get lost, what it separates from its other end may show.
        """
        joined = 1 - chndtr(np.maximum(0.0, 2 * self.needed), np.maximum(self.dof, 1.0), self.statistic)
        chosen = set(graph.edges)
        for (x, y), chance in zip(self.worth, joined.tolist(), strict=True):
            if not graph.has_edge(x, y):
                if chance >= UNSETTLED:
                    chosen.add((x, y))
            elif 1 - chance >= UNSETTLED:
                for a, b in ((x, y), (y, x)):
                    chosen.update((min(a, w), max(a, w)) for w in graph.blanket(b) if w != a)
        return sorted(chosen)


def columns_of(scorer: Scorer, graph: UndirectedGraph, wanted: Collection[int] | None = None) -> list[Column]:
    """Return what every variable brings to its pairs; what blankets leave, of those alone that are wanted.

    A blanket that makes a column of variance one likelier by d a row leaves exp(-2 d) of it, exactly where
    both are normal. Edges of sizes .1 to .2 in random, dense, chain and hub graphs of 2 to 5 states, ordered
    and nominal, had 1.03 to 1.37 times the information that this gives (4,000 rows, seeds 0 to 7).
    """
    variables, rows = scorer.engine.variables, max(1.0, float(scorer.engine.n_rows))
    counted = [v for v, variable in enumerate(variables) if not variable.continuous]
    margins = dict(zip(counted, scorer.engine.counts([CountRequest((v,)) for v in counted]), strict=True))
    columns = [
        column_of(variable, margins[v].dense().astype(np.float64) if v in margins else None)
        for v, variable in enumerate(variables)
    ]
    if not isinstance(scorer, BlanketScorer):
        return columns
    wanted = range(scorer.n) if wanted is None else wanted
    alone, given = [(v, ()) for v in wanted], [(v, graph.blankets[v]) for v in wanted]
    scorer.prepare_blankets([*alone, *given])
    explained = scorer.recall(given) - scorer.recall(alone)
    for v, gain in zip(wanted, explained.tolist(), strict=True):
        left = math.exp(-2 * max(0.0, gain) / (rows * max(1, len(columns[v].variances))))
        columns[v] = columns[v]._replace(left=left)
    return columns


def sigmoid(log_odds: Vector) -> Vector:
    """Return probabilities."""
    half: Vector = 0.5 * (1.0 + np.tanh(0.5 * log_odds))
    return half
