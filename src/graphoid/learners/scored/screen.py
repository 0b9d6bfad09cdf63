"""Which pairs a search over graphs looks at: the strongest dependences, and those that showed later.

Nothing here has an object for a pair that is not looked at.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.engine import CodeEngine, ScreenRequest
from graphoid.independence.g import GTest
from graphoid.independence.screening import screen_pairs
from graphoid.independence.tester import Tester
from graphoid.learners.scored.graph_sampling import sample_graphs, second_moment_strengths
from graphoid.learners.scored.local_search import improves
from graphoid.logic.names import name_rank
from graphoid.progress import track
from graphoid.regression.coding import contrasts
from graphoid.regression.mixed import RowEngine, moments_of
from graphoid.regression.residuals import Products, Residuals
from graphoid.structure.scored import SHOWN_PAIRS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid.progress import Listener
    from graphoid.regression.coding import Matrix
    from graphoid.scores.base import Scorer
    from graphoid.structure.graph import Edge, UndirectedGraph

ALL_PAIRS = 40
"""Up to so many variables every pair is a candidate."""

PARTNERS = 12
"""Beyond, each variable brings the partners it depends on most: several times a usual blanket."""

MOST_TO_LOOK_AGAIN = 300
"""Up to so many variables, all pairs are scored once more in the end; beyond, those that stand out."""

STANDS_OUT = 0.5
"""Of the statistic from which on an edge would be added, the share from which on a pair is scored again."""

MOST_LOOKED_AT = 8
"""Pairs for each variable that are scored again at most, those first that stand out most."""

PAIRS_AT_A_TIME = 1_000
"""Scored between two words on how far it has come: seconds where states are many."""

UNLIKELY = 1e-3
"""Pairs that a first look makes less probable than this are not listed beyond :data:`SHOWN_PAIRS`."""


def candidates(scorer: Scorer, starts: Sequence[UndirectedGraph]) -> list[Edge]:
    """Return the pairs worth looking at: all of few variables; of many, the strongest dependences of each.

    Pairs of a start, and those that would close a triangle in one, are among them: their dependence may show
    only given others.
    """
    n = scorer.n
    if n <= ALL_PAIRS:
        return scorer.sort_edges(scorer.open_pairs())
    partners = strongest_partners(scorer)
    x, y = np.repeat(np.arange(n), partners.shape[1]), partners.ravel().astype(np.int64)
    chosen = [pair_keys(x, y, n)]
    for graph in starts:
        for v, blanket in enumerate(graph.blankets):
            chosen.append(pair_keys(v, np.array(blanket, dtype=np.int64), n))
            if len(blanket) <= PARTNERS:
                ends = np.array(list(combinations(blanket, 2)), dtype=np.int64).reshape(-1, 2)
                chosen.append(pair_keys(ends[:, 0], ends[:, 1], n))
    return list(scorer.open_pairs(sort_keys(scorer, np.unique(np.concatenate(chosen)))))


def strongest_partners(scorer: Scorer) -> NDArray[np.integer]:
    """Return a line for every variable: those that it depends on most surely, by the p-value of a test.

    Of states by their counts; where some variables are numbers, of all by their second moments.
    """
    moments = moments_of(scorer.engine)
    if moments is None:
        keep = ScreenRequest(partners=PARTNERS)
        return screen_pairs(Tester(GTest(), scorer.engine), name_rank(scorer.names), keep).partners
    strength = second_moment_strengths(moments)
    np.fill_diagonal(strength, -np.inf)
    order = np.array(scorer.order)
    return np.stack([order[np.argsort(-line[order], kind="stable")[:PARTNERS]] for line in strength])


def pair_keys(x: NDArray[np.integer] | int, y: NDArray[np.integer], n: int) -> NDArray[np.int64]:
    """Return a number for each of some pairs, the same for either order."""
    found: NDArray[np.int64] = np.minimum(x, y).astype(np.int64) * n + np.maximum(x, y)
    return found


def sort_keys(scorer: Scorer, keys: NDArray[np.int64]) -> list[Edge]:
    """Return pairs by their numbers, in the order that decides between equals."""
    x, y = np.divmod(keys, scorer.n)
    rank = np.array(name_rank(scorer.names))
    order = np.lexsort((np.maximum(rank[x], rank[y]), np.minimum(rank[x], rank[y])))
    return list(zip(x[order].tolist(), y[order].tolist(), strict=True))


def first_look(scorer: Scorer) -> dict[Edge, float]:
    """Return what pairs are worth by second moments, where a search may not look at all of them.

    Of those that are hardly probable, nothing.
    """
    moments, score = moments_of(scorer.engine), scorer.score
    if moments is None or not score.gains_are_odds or scorer.n * (scorer.n - 1) // 2 <= SHOWN_PAIRS:
        return {}
    odds = sample_graphs(moments).log_odds
    x, y = np.nonzero(np.triu(odds >= np.log(UNLIKELY), 1))
    worth = odds[x, y] * score.evidence_counts
    return dict(zip(zip(x.tolist(), y.tolist(), strict=True), worth.tolist(), strict=True))


class SecondLook:
    """A look at pairs that are no candidates, for those that would improve a graph: they were hidden before.

    Of few variables all are scored; of many, those of which blankets leave something that they have in
    common (:mod:`graphoid.regression.residuals`), where there are rows to see that in.
    """

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.every = scorer.n <= MOST_TO_LOOK_AGAIN
        """Whether all pairs are scored."""
        rows, engine = None if self.every else coded_rows(scorer), scorer.engine
        products = engine if isinstance(engine, Products) else None
        self._residuals = None if rows is None else Residuals(*rows, products)

    @property
    def words(self) -> str:
        """How pairs are looked at."""
        if self.every:
            return "all pairs"
        if self._residuals is None:
            return "none: rows are not at hand"
        return "pairs that stand out by the correlation of residuals"

    def overlooked_edges(
        self, graph: UndirectedGraph, known: Sequence[Edge], progress: Listener | None = None
    ) -> list[Edge]:
        """Return pairs that are not known yet and that would improve a graph."""
        scorer = self.scorer
        if self.every:
            others = sorted(set(combinations(range(scorer.n), 2)).difference(known))
        else:
            others = self.conspicuous_pairs(graph, known)
        others, value = list(scorer.open_pairs(others)), scorer.value(graph)
        found = []
        for start in track(range(0, len(others), PAIRS_AT_A_TIME), "looking at all pairs", progress):
            part = others[start : start + PAIRS_AT_A_TIME]
            gains = scorer.gains(graph, part)
            found += [edge for edge, gain in zip(part, gains, strict=True) if improves(gain, value)]
        return found

    def conspicuous_pairs(self, graph: UndirectedGraph, known: Sequence[Edge]) -> list[Edge]:
        """Return pairs that have more in common than their blankets say, and that are not known yet."""
        if self._residuals is None:
            return []
        n, n_rows = self.scorer.n, float(self.scorer.engine.n_rows)
        weight = self.scorer.weight
        prior = -(weight.default if weight.block is None else max(weight.default, weight.within))

        def least(dof: NDArray[np.int64]) -> Matrix:
            by_chance = dof + 3.5 * np.sqrt(2.0 * dof)
            found: Matrix = np.maximum(STANDS_OUT * (prior + dof * np.log1p(n_rows / 4)), by_chance)
            return found

        found = self._residuals.pairs(graph.blankets, least)
        x, y = np.array(known, dtype=np.int64).reshape(-1, 2).T
        keys = pair_keys(found.x, found.y, n)
        new = ~np.isin(keys, pair_keys(x, y, n))
        keys, more = keys[new], ((found.statistic - found.dof) / np.sqrt(found.dof))[new]
        if len(keys) > MOST_LOOKED_AT * n:
            keys = keys[np.lexsort((keys, -more))[: MOST_LOOKED_AT * n]]
        x, y = np.divmod(np.sort(keys), n)
        return list(zip(x.tolist(), y.tolist(), strict=True))


def coded_rows(scorer: Scorer) -> tuple[Callable[[int], Matrix], Matrix | None] | None:
    """Return variables as columns, a line a row, and the weights of rows; None where rows are elsewhere."""
    engine = scorer.engine
    if isinstance(engine, RowEngine):
        return lambda v: engine.effect(v, ordered=True, ranks=True).columns, engine.row_weights()
    if isinstance(engine, CodeEngine):
        code = {r: contrasts(r) for r in {v.arity for v in engine.variables}}
        arities = [v.arity for v in engine.variables]
        return lambda v: code[arities[v]].take(engine.codes(v), axis=0), engine.row_weights()
    return None
