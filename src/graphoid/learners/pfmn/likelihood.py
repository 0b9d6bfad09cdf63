"""What an answer weighs: the log ratio of the likelihoods of independence and dependence."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from graphoid.structure.learned import EXECUTED

if TYPE_CHECKING:
    from graphoid.logic.verdict import Verdict


@runtime_checkable
class HasPrior(Protocol):
    """A Bayesian test: the probability of independence before any data."""

    prior: float


@runtime_checkable
class HasAlpha(Protocol):
    """A test by p-values: the one at which it begins to say dependent."""

    alpha: float


def log_ratio(verdict: Verdict, test: object = None, soften: float = 1e-10) -> float:
    r"""Return :math:`\log \Pr(d \mid \text{independent}) - \log \Pr(d \mid \text{dependent})` of an answer.

    Parameters
    ----------
    verdict
        The answer. A Bayesian one has the ratio in it, times the prior odds. A p-value is uniform under
        independence; under dependence its density is taken to be :math:`\xi p^{\xi - 1}` ([Sellke2001]_),
        with the :math:`\xi` that makes both equal at the test's alpha. An answer without a number is certain.
    test
        The test that gave it, for its prior or its alpha.
    soften
        The likelihood left to the contrary of a certain answer, without which all weights may vanish.
    """
    certain = math.log1p(-soften) - math.log(soften)
    if verdict.log_odds is not None:
        prior = test.prior if isinstance(test, HasPrior) else 0.5
        ratio = verdict.log_odds - (math.log(prior) - math.log1p(-prior))
    elif verdict.log_p is not None:
        xi = _density(test.alpha if isinstance(test, HasAlpha) else 0.05)
        ratio = -math.log(xi) - (xi - 1) * verdict.log_p
    else:
        ratio = certain if verdict.independent else -certain
    return max(-certain, min(certain, ratio))


def is_exact(verdict: Verdict) -> bool:
    """Return whether an answer comes without any doubt: from an oracle, not from data."""
    return verdict.source not in EXECUTED - {"oracle"} and verdict.log_odds is None and verdict.log_p is None


@lru_cache(maxsize=16)
def _density(alpha: float) -> float:
    r"""Return the :math:`\xi < 1` other than 1 with :math:`\xi \alpha^{\xi - 1} = 1`."""
    low, high = 1e-12, min(1.0, -1 / math.log(alpha)) if alpha < 1 else 1.0  # the maximum lies at the latter
    for _ in range(100):
        middle = (low + high) / 2
        if math.log(middle) + (middle - 1) * math.log(alpha) < 0:
            low = middle
        else:
            high = middle
    return high
