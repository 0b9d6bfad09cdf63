"""A Bayes factor of dependence for columns of any kinds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graphoid.independence.bayesian import decide_by_odds
from graphoid.independence.families import Families
from graphoid.independence.thin import ABSTAIN, ThinData
from graphoid.logic.verdict import Verdict
from graphoid.settings import PROBABILITY, Allowed, FrozenSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.counts.engine import Positions
    from graphoid.data.table import Table


@dataclass(frozen=True, kw_only=True)
class BayesFactor(FrozenSettings):
    r"""Judge X ⊥ Y | Z, of any kinds, by the posterior probability that Y adds nothing to X given Z.

    .. math:: \log \frac{P(CI \mid D)}{P(\lnot CI \mid D)} = \log \frac{P(CI)}{1 - P(CI)}
       - \frac{\Lambda - d \log N}{2}

    with :math:`\Lambda` and its d degrees of freedom those of :class:`~graphoid.LikelihoodRatio`: the
    difference of two BIC, which is the Bayes factor for a prior worth one row to the order of
    :math:`N^{-1/2}` ([KassWasserman1995]_).

    Parameters
    ----------
    threshold
        Independent if and only if the posterior is above it.
    prior
        P(CI), the prior probability of independence.
    thin
        What to do about questions with fewer rows than ``rows_per_cell`` for each parameter of a logistic
        model, and where the odds are within a factor of three of the prior ones: no dependence is claimed.

    Notes
    -----
    :class:`~graphoid.BayesianTest` is for states alone, has no model of how Z acts, and needs rows for every
    slice.

    Examples
    --------
    >>> import graphoid as gd
    >>> ci = gd.Tester(gd.BayesFactor(), gd.datasets.load("titanic"))
    >>> verdict, = ci.ask([("sex", "survived", ("class",))])
    >>> verdict.independent, verdict.log_odds < -100
    (False, True)
    """

    threshold: float = 0.5
    prior: float = 0.5
    thin: ThinData = ABSTAIN

    allowed: ClassVar[Mapping[str, Allowed]] = {"threshold": PROBABILITY, "prior": PROBABILITY}

    def prepare(self, table: Table) -> Weighed:
        """Return what answers questions about a table."""
        return Weighed(self, table)


class Weighed:
    """The models of a table, asked how much better one is with another variable."""

    def __init__(self, test: BayesFactor, table: Table) -> None:
        self._test = test
        self._families = Families(table, test.thin.skip_below)

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return for how many rows of a cell those stand that each column of a regression has."""
        return self._families.rows_per_cell(variables)

    def ask(self, questions: Sequence[Positions]) -> list[Verdict]:
        """Answer questions (x, y, given) by position, in order."""
        test, n_rows = self._test, self._families.n_rows
        prior = math.log(test.prior) - math.log1p(-test.prior)
        found = self._families.compare(questions)
        log_odds = [prior - (c.statistic - c.dof * math.log(n_rows)) / 2 if c.says else prior for c in found]
        decisions = decide_by_odds(test, log_odds, [c.parameters for c in found], [n_rows] * len(found))
        return [
            Verdict(x, y, given, independent, log_odds=odds, n_rows=n_rows, thin=thin)
            for (x, y, given), odds, independent, thin in zip(questions, log_odds, *decisions, strict=True)
        ]
