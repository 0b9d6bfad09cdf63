"""The Bayesian test of conditional independence of Margaritis, for discrete variables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

import numpy as np

from graphoid.counts.engine import Columns, CountRequest, Kernel
from graphoid.independence.base import make_verdicts, needs, slices_of
from graphoid.independence.thin import ABSTAIN, ThinData
from graphoid.settings import POSITIVE, PROBABILITY, Allowed, FrozenSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.logic.assertion import Assertion
    from graphoid.logic.verdict import Verdict

_TIE = 1e-12
"""Log odds nearer to the threshold than this are equal to it but for rounding: not above it."""

MENTION = math.log(3)
"""What the log odds have to move by before the data have said anything: up to three to one is barely worth a
mention ([KassRaftery1995]_). With a threshold at the prior the answer is a toss of a coin there: of 300 true
independences given six, 3,000 rows, 223 were called dependences."""


class ByPosterior(Protocol):
    """A test that goes by the posterior probability of independence."""

    @property
    def threshold(self) -> float:
        """Independent if and only if the posterior is above it."""

    @property
    def prior(self) -> float:
        """The prior probability of independence."""

    @property
    def thin(self) -> ThinData:
        """What to do where the data say too little."""


def decide_by_odds(
    test: ByPosterior, log_odds: Sequence[float], cells: Sequence[float], n_rows: Iterable[float]
) -> tuple[list[bool], list[bool]]:
    """Return who is independent and who is thin, for log odds, what rows have to fill, and the rows."""
    above = math.log(test.threshold) - math.log1p(-test.threshold) + _TIE
    prior = math.log(test.prior) - math.log1p(-test.prior)
    per_cell = float(test.thin.rows_per_cell)
    independent = [odds > above for odds in log_odds]
    thin = [
        rows == 0 or rows < per_cell * c or abs(odds - prior) < MENTION
        for c, odds, rows in zip(cells, log_odds, n_rows)  # noqa: B905 - may be one for all
    ]
    return test.thin.decide(independent, thin), thin


@dataclass(frozen=True, kw_only=True)
class BayesianTest(FrozenSettings):
    r"""Judge X ⊥ Y | Z by the posterior probability that X and Y are independent in every slice of Z.

    In slice k, :math:`g_k` is the marginal likelihood of two independent multinomials and :math:`h_k` that of
    a joint one, all with Dirichlet priors of equal pseudo-counts. With :math:`p_k = P(CI)^{1/K}` and
    :math:`q_k = 1 - p_k`

    .. math:: \log P(CI \mid D) = - \sum_{k=1}^K \log\left(1 + \frac{q_k}{p_k} \frac{h_k}{g_k}\right)

    A slice without rows has :math:`g_k = h_k = 1` and adds :math:`\log p_k = \log P(CI) / K`: no table of all
    K is ever needed, and data that reach few slices leave the posterior near the prior. Computed on the log
    scale from both ends, so that the posterior is as exact when it is near 1 as when it is near 0.

    Parameters
    ----------
    threshold
        Independent if and only if the posterior is above it.
    prior
        P(CI), the prior probability of independence.
    pseudo_count
        Of every Dirichlet prior.
    slices
        What K counts: "all" configurations of Z, or those "occurring" in the data.
    thin
        What to do about tables with too few rows, and where the odds are within a factor of three of the
        prior ones, so that a threshold there tosses a coin: no dependence is claimed. ``ThinData()`` decides
        by the threshold alone, as published.

    Notes
    -----
    Departs from [Margaritis2009]_, Eq. 20, which subtracts :math:`\prod g_k`; [Schluter2018]_, Eq. 19, has
    :math:`\prod p_k g_k`, from which the formula above follows. The multinomial coefficient is left out of
    both models. Without rows, or with one a slice, the posterior is the prior.
    """

    threshold: float = 0.5
    prior: float = 0.5
    pseudo_count: float = 1.0
    slices: Literal["all", "occurring"] = "all"
    thin: ThinData = ABSTAIN

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "threshold": PROBABILITY,
        "prior": PROBABILITY,
        "pseudo_count": POSITIVE,
        "slices": ("all", "occurring"),
    }

    @property
    def kernel(self) -> Kernel:
        """The same test for engines that judge next to the counts."""
        return Kernel(
            "bayesian",
            log_prior=math.log(self.prior),
            pseudo_count=self.pseudo_count,
            occurring=self.slices == "occurring",
        )

    def needs(self, a: Assertion) -> CountRequest:
        """Return the counts that judging ``a`` takes."""
        return needs(a)

    def judge(self, a: Assertion, counts: Counts) -> Verdict:
        """Judge ``a`` from its counts."""
        slices = slices_of(counts)
        rx, ry = counts.shape[-2:]
        configurations = math.prod(counts.shape[:-2]) if self.slices == "all" else max(1, len(slices))
        log_odds = self._log_odds(self._log_ratios(slices), configurations)
        numbers = ([v] for v in (0.0, 0.0, 0.0, 0.0, log_odds, float(len(slices) * rx * ry)))
        return self.verdicts(Columns([a.x], [a.y], [a.given], *numbers), counts.total)[0]

    def verdicts(self, columns: Columns, n_rows: float) -> list[Verdict]:
        """Return the verdicts for numbers that were computed from the counts."""
        independent, thin = self.decisions(columns, columns.rows or repeat(n_rows))
        numbers = None, None, None, None, columns.log_odds
        return make_verdicts(
            len(thin),
            columns.x,
            columns.y,
            columns.given,
            independent,
            *numbers,
            columns.rows or n_rows,
            thin,
        )

    def decisions(self, columns: Columns, n_rows: Iterable[float]) -> tuple[list[bool], list[bool]]:
        """Return who is independent and who is thin, for numbers and the rows behind each of them."""
        return decide_by_odds(self, columns.log_odds, columns.cells, n_rows)

    def _log_ratios(self, slices: NDArray[np.float64]) -> NDArray[np.longdouble]:
        """Return log h_k / g_k of every slice."""
        s, rx, ry = slices.shape
        a = self.pseudo_count
        n = slices.sum(axis=(1, 2))
        joint = log_rising(a, slices).sum(axis=(1, 2)) - log_rising(rx * ry * a, n)
        x = log_rising(a, slices.sum(axis=2)).sum(axis=1) - log_rising(rx * a, n)
        y = log_rising(a, slices.sum(axis=1)).sum(axis=1) - log_rising(ry * a, n)
        return np.asarray(joint - x - y, dtype=np.longdouble).reshape(s)

    def _log_odds(self, log_ratios: NDArray[np.longdouble], configurations: int) -> float:
        """Return log P(CI | D) / P(not CI | D), for the slices with rows among all configurations."""
        log_prior = math.log(self.prior)
        log_k = math.log(configurations)  # of a whole number, however large
        empty = (configurations - log_ratios.size) / configurations
        # log q/p = log(1/p - 1) with log p = log_prior / K
        u = -log_prior * math.exp(-log_k)
        if u > 50:
            log_q_over_p = u
        else:
            log_q_over_p = math.log(math.expm1(u)) if u > 1e-8 else math.log(-log_prior) - log_k + u / 2
        t = log_ratios + log_q_over_p
        largest = t.max(initial=-np.inf)
        if not empty and largest < -700:  # log(1 + exp(t)) is exp(t), too small to be written as one
            return float(-np.logaddexp.reduce(t))
        total = np.logaddexp(np.longdouble(0), t).sum() if largest > 40 else np.log1p(np.exp(t)).sum()
        total -= empty * np.longdouble(log_prior)
        return float(-total - np.log(-np.expm1(-total)))


@lru_cache(maxsize=64)
def _rising_table(base: float, size: int) -> NDArray[np.longdouble]:
    logs = np.log(np.longdouble(base) + np.arange(size, dtype=np.longdouble))
    return np.concatenate([[np.longdouble(0)], np.cumsum(logs)])


def log_rising(base: float, counts: NDArray[np.float64]) -> NDArray[np.longdouble]:
    r"""Return :math:`\log \Gamma(b + c) / \Gamma(b)` in extended precision: sums of these cancel."""
    whole = counts == np.floor(counts)
    largest = int(counts.max(initial=0))
    if whole.all() and largest <= 2**21:
        size = 1 << max(10, largest.bit_length())  # few sizes, so that tables are shared
        return _rising_table(base, size)[counts.astype(np.intp)]
    rising = np.zeros(counts.shape, dtype=np.longdouble)
    some = counts > 0
    first = _log_gamma(np.array(base, np.longdouble))
    rising[some] = _log_gamma(base + counts[some].astype(np.longdouble)) - first
    return rising


def _log_gamma(x: NDArray[np.longdouble]) -> NDArray[np.longdouble]:
    """Stirling's series without its constant, from 20 on: its next term is below 1e-21 there."""
    steps = 20
    z = x + steps
    whole = np.array([12, -360, 1260, -1680, 1188, np.longdouble(-360_360) / 691, 156], np.longdouble)
    series = sum((1 / (c * z ** (2 * k + 1)) for k, c in enumerate(whole)), start=np.zeros_like(z))
    rising = math.prod((x + k for k in range(steps)), start=np.ones_like(x))
    return np.asarray((z - 0.5) * np.log(z) - z + series - np.log(rising))
