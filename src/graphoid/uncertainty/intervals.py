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
    f"present: joined in all rows, found in at least {OFTEN:.0%} of the resamples, and an effect different "
    f"from zero with the rate of false discoveries over all pairs controlled at {DISCOVERY:.0%}; absent: not "
    f"joined, found in fewer, and the whole 95 % interval of its size is below {MATTERS:g}, from which on it "
    f"matters; undecided: neither."
)
"""How verdicts come about where the learner itself gives no probabilities."""

LEARNER = (
    "what the learner says of the pair from all rows: present from a probability of .95 on; absent up to "
    ".05, where the rows could have shown an edge that matters; else undecided."
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
