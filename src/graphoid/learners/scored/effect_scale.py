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
    Pairs that no scale makes likely are left out, as they would speak for the smallest of all.
    """
    partners = strongest_partners(scorer)[:, :1] if scorer.n > 1 else np.zeros((0, 1), dtype=int)
    pairs = scorer.sort_edges({(min(x, int(y)), max(x, int(y))) for x, (y,) in enumerate(partners)})
    if not pairs:
        return SCALES[0]
    gains = np.array(
        [
            replace(score, order=2, scale=scale, prior=UniformPrior())
            .on(scorer.engine)
            .gains(scorer.graph(), pairs)
            for scale in SCALES
        ]
    )
    each = gains / 2  # both ends say the same
    found = each[:, each.max(axis=0) > math.log(scorer.n) + CLEARLY].sum(axis=1)
    best = int(np.argmax(found))
    return SCALES[best] if found[best] > found[0] + CLEARLY else SCALES[0]
