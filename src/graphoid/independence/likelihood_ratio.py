"""The likelihood-ratio test for columns of any kinds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graphoid.independence.families import Families
from graphoid.independence.thin import ABSTAIN, ThinData
from graphoid.logic.verdict import Verdict
from graphoid.settings import PROBABILITY, Allowed, FrozenSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.counts.engine import Positions
    from graphoid.data.table import Table


@dataclass(frozen=True, kw_only=True)
class LikelihoodRatio(FrozenSettings):
    r"""Judge X ⊥ Y | Z, of any kinds, by what Y adds to a regression of X on Z.

    .. math:: \Lambda = 2 \left( \max \log L(X \mid Z, Y) - \max \log L(X \mid Z) \right)

    X is modelled in the family of its kind, as the conditional distributions of a pairwise Markov network
    are: nominal states by a multinomial logit, ordered ones by an adjacent-category logit, numbers and counts
    by a Gaussian of normal scores ([VanDerWaerden1952]_). Nominal predictors have an effect for every state
    but one, all others one effect of their scores. ``statistic`` is :math:`\Lambda`, and ``dof`` the product
    of the numbers of effects of X and Y.

    Parameters
    ----------
    alpha
        Significance: dependent if and only if the p-value is at most alpha.
    thin
        What to do about questions with fewer rows than ``rows_per_cell`` for each parameter of the larger
        logistic model: no dependence is claimed, with p = 1. ``ThinData()`` flags them and tests.

    Notes
    -----
    Which of the two is the response is a matter of their kinds alone, so that both orders have one answer
    (:mod:`graphoid.independence.families`). If it is Gaussian, the p-value is that of the F test, exact for
    Gaussian errors. Else :math:`\Lambda` is compared with chi-square after it was multiplied by Bartlett's
    factor :math:`(N - p - (k + m + 1) / 2) / N` ([Bartlett1938]_), with p columns in Z and the constant, k in
    Y and m of X, which is exact to the next order for the multivariate linear model; without it true
    independences of 100 rows were rejected up to .16 of the time. States of nominal ends so rare that a cell
    of the two expects less than one row are merged.

    Effects are sums over Z, and effects of ordered states and numbers are monotone: what two variables in Z
    do only together is not adjusted for, and a dependence that goes up and down again is not seen. Read such
    a column as nominal.

    Examples
    --------
    >>> import graphoid as gd
    >>> ci = gd.Tester(gd.LikelihoodRatio(), gd.datasets.load("titanic"))
    >>> verdict, = ci.ask([("sex", "survived", ("class",))])
    >>> verdict.independent, verdict.dof
    (False, 1.0)
    """

    alpha: float = 0.05
    thin: ThinData = ABSTAIN

    allowed: ClassVar[Mapping[str, Allowed]] = {"alpha": PROBABILITY}

    def prepare(self, table: Table) -> Compared:
        """Return what answers questions about a table."""
        return Compared(self, table)


class Compared:
    """The models of a table, asked whether one variable adds to them."""

    def __init__(self, test: LikelihoodRatio, table: Table) -> None:
        self._test = test
        self._families = Families(table, test.thin.skip_below)

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return for how many rows of a cell those stand that each column of a regression has."""
        return self._families.rows_per_cell(variables)

    def ask(self, questions: Sequence[Positions]) -> list[Verdict]:
        """Answer questions (x, y, given) by position, in order."""
        test, n_rows = self._test, self._families.n_rows
        verdicts = []
        for (x, y, given), found in zip(questions, self._families.compare(questions), strict=True):
            p = math.exp(found.log_p)
            thin = not found.says or n_rows < test.thin.rows_per_cell * found.parameters
            independent = test.thin.decide([p > float(test.alpha)], [thin])[0]
            numbers = found.statistic, found.dof, p, found.log_p, None
            verdicts.append(Verdict(x, y, given, independent, *numbers, n_rows, thin))
        return verdicts
