"""What may be concluded about a pair from how often it is found, and from the interval of its effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.structure.effect import MATTERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENDS = ((1 - 0.95) / 2, (1 + 0.95) / 2)
"""Quantiles at the ends of every interval, which is one of 95 %."""

OFTEN = 0.5
"""Share of the resamples in which an edge has to be found to be called present, and may not to be absent."""

DISCOVERY = 0.05
"""Rate of false discoveries among the edges called present."""

RULE = (
    f"present: an edge in the network of all rows and in at least {OFTEN:.0%} of the resamples, with an "
    f"effect that differs from zero at a false discovery rate of {DISCOVERY:.0%} over all pairs; absent: no "
    f"edge, found in fewer resamples, and the 95 % interval of its effect size lies below {MATTERS:g}, the "
    "least that matters; undecided: neither."
)
"""How verdicts come about where the learner itself gives no probabilities."""

LEARNER = (
    "those of the learner on all rows. Present: inclusion probability of .95 or more; absent: .05 or less, "
    "and the rows would have shown an edge that matters; undecided: neither."
)
"""How they come about where it does."""


def discoveries(p: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which hypotheses are rejected at the rate :data:`DISCOVERY` ([Benjamini1995]_)."""
    order = np.argsort(p, kind="stable")
    passed = np.flatnonzero(p[order] <= DISCOVERY * np.arange(1, len(p) + 1) / max(1, len(p)))
    out = np.zeros(len(p), dtype=bool)
    if passed.size:
        out[order[: passed[-1] + 1]] = True
    return out
