"""Losses that [Lowd2014]_ prints for seven binary data sets."""

from __future__ import annotations

from typing import NamedTuple

LEARNERS = ("BLM", "L1", "DTSL", "DT+L1")
"""Bottom-up learning, L1 logistic regressions, decision trees, and trees with L1."""


class Losses(NamedTuple):
    """Negative log-likelihoods per variable on test rows, by :data:`LEARNERS`."""

    pseudo: tuple[float, float, float, float]
    conditional_marginal: tuple[float, float, float, float]


DENSITY = {
    "nltcs": Losses((0.311, 0.309, 0.309, 0.308), (0.328, 0.327, 0.325, 0.325)),
    "plants": Losses((0.133, 0.136, 0.124, 0.122), (0.151, 0.156, 0.143, 0.141)),
    "baudio": Losses((0.368, 0.362, 0.370, 0.366), (0.375, 0.370, 0.375, 0.370)),
    "jester": Losses((0.526, 0.488, 0.498, 0.492), (0.530, 0.496, 0.505, 0.504)),
    "bnetflix": Losses((0.560, 0.511, 0.523, 0.514), (0.565, 0.523, 0.532, 0.525)),
    "dna": Losses((0.545, 0.326, 0.323, 0.323), (0.554, 0.384, 0.384, 0.384)),
    "kosarek": Losses((0.053, 0.052, 0.052, 0.051), (0.054, 0.054, 0.053, 0.052)),
}
"""Of the test rows, by data set."""
