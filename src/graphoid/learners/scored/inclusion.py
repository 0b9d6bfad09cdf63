r"""How probable each pair is, from what flipping it alone would gain; and of which pairs absence can be told.

The log odds of an edge with the rest of the found graph held fixed are a share of its gain. A score of
blankets hears of an edge from both its ends: taken whole, its gains are too sure where evidence is weak,
halved, too shy where it is strong. ``benchmarks/truth`` has the calibration.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from scipy.stats import chi2, ncx2

from graphoid.structure.effect import MATTERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.scores.base import Scorer
    from graphoid.structure.graph import Edge

MISSED = 0.05
"""How often an edge of that size may be called absent."""

LEFT = 0.7
"""Share of what rows tell about a pair that its neighbors leave, at a guess on the careful side."""


def inclusion_probabilities(worth: Mapping[Edge, float], share: float) -> dict[Edge, float]:
    """Return the probability of every pair from how much higher the score is with its edge than without."""
    return {pair: 0.5 * (1.0 + math.tanh(0.5 * share * gain)) for pair, gain in worth.items()}


def underpowered_pairs(worth: Mapping[Edge, float], scorer: Scorer) -> frozenset[Edge]:
    """Return the pairs without evidence for an edge that could have one of a size that matters and look so.

    The evidence for a pair is half its likelihood ratio statistic at either end, less what spreading the
    prior over its effects costs; so the statistic is known, and how small an edge that matters would have
    made it, too.
    """
    n_rows = scorer.engine.n_rows
    scored = [v.arity == 2 or v.ordered for v in scorer.engine.variables]
    effects = [1 if s else r - 1 for s, r in zip(scored, scorer.arities, strict=True)]
    states = [2 if s else r for s, r in zip(scored, scorer.arities, strict=True)]

    shift = LEFT * n_rows * MATTERS**2  # of the statistic, by an edge of that size

    @cache
    def least(q: int) -> float:
        # so small a shift would hardly ever be told from none
        return float(ncx2.ppf(MISSED, q, shift)) if shift > chi2.isf(2 * MISSED, 1) else -math.inf

    def statistic(x: int, y: int) -> float:
        data = worth[x, y] - float(scorer.weight[x, y])
        return data + effects[x] * effects[y] * math.log1p(n_rows / (states[x] * states[y]))

    return frozenset(
        (x, y)
        for (x, y), gain in worth.items()
        if gain < 0 and max(0.0, statistic(x, y)) > least(max(1, effects[x] * effects[y]))
    )
