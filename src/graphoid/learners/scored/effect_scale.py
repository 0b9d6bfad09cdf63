"""How large effects of nominal columns are, before a search asks for the evidence of any of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphoid.learners.scored.screen import strongest_partners
from graphoid.scores.priors import UniformPrior

if TYPE_CHECKING:
    from graphoid.scores.base import Scorer
    from graphoid.scores.evidence import LogLinearEvidence

SCALES = (1.0, 0.7, 0.5, 0.35, 0.25)
"""Standard deviations that are tried: that of the score as it comes, and smaller ones by steps of 1.4."""

CLEARLY = 3.0
"""Log evidence by which a smaller scale has to be better: 20 to 1."""


def likely_scale(score: LogLinearEvidence, scorer: Scorer) -> float:
    """Return the scale of effects that makes variables and their strongest partners likeliest.

    An edge of two columns of r states has (r - 1)^2 effects. If they are far smaller than the prior expects,
    the evidence asks a price for each that many small effects together cannot pay, and edges are not found.
    Pairs with a single effect pay one price, and are not asked; nor are pairs that no scale makes likely:
    they would speak for the smallest of all.
    """
    wide = [variable.arity > 2 for variable in scorer.engine.variables]
    if not any(wide) or scorer.n < 2:
        return SCALES[0]
    strongest = enumerate(strongest_partners(scorer)[:, 0].tolist())
    pairs = scorer.sort_edges(
        {(min(pair), max(pair)) for pair in strongest if wide[pair[0]] or wide[pair[1]]}
    )
    gains = np.array(
        [
            replace(score, order=2, scale=scale, prior=UniformPrior())
            .on(scorer.engine)
            .gains(scorer.graph(), pairs)
            for scale in SCALES
        ]
    )
    each = gains / 2  # both ends say the same
    found = each[:, each.max(axis=0) > math.log(math.comb(scorer.n, 2)) + CLEARLY].sum(axis=1)
    best = int(np.argmax(found))
    return SCALES[best] if found[best] > found[0] + CLEARLY else SCALES[0]
