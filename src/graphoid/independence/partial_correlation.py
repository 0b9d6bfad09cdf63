"""Fisher's z test of partial correlation, for columns that are numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.moments import EXPLAINED, Correlations, whiten
from graphoid.data.table import Table
from graphoid.errors import DataError
from graphoid.independence.tail import log_normal_two_sided
from graphoid.logic.verdict import Verdict
from graphoid.regression.coding import normal_scores
from graphoid.settings import PROBABILITY, Allowed, FrozenSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class PartialCorrelation(FrozenSettings):
    r"""Judge X ⊥ Y | Z by the correlation of what Z leaves unexplained of X and of Y.

    .. math:: z = \sqrt{N - |Z| - 3}\; \operatorname{artanh} r_{XY \cdot Z}

    compared with a standard normal distribution. Columns are used as the numbers they are, and
    ``statistic`` is z.

    Parameters
    ----------
    alpha
        Significance: dependent if and only if the two-sided p-value is at most alpha.

    Notes
    -----
    With :math:`N \le |Z| + 3` rows, or where X or Y does not vary or is a linear function of Z, nothing can
    be said: independent with p = 1, and thin. Row weights weigh the correlations, and N is their sum.
    Linearly dependent columns in Z count once.
    """

    alpha: float = 0.05

    allowed: ClassVar[Mapping[str, Allowed]] = {"alpha": PROBABILITY}

    def prepare(self, table: Table) -> Correlated:
        """Return what answers questions about a table."""
        return Correlated(self, table)


@dataclass(frozen=True, kw_only=True)
class RankPartialCorrelation(PartialCorrelation):
    r"""Judge X ⊥ Y | Z by the partial correlation of normal scores, for numbers, counts and ordered states.

    The test of :class:`~graphoid.PartialCorrelation`, after each column was replaced by the normal scores
    :math:`\Phi^{-1}(R_i / (N + 1))` of its ranks ([VanDerWaerden1952]_), equal values sharing their average
    rank. So it asks for monotone dependence only, and no value is an outlier: exact in large samples where
    columns are monotone functions of jointly Gaussian ones (a Gaussian copula).

    Parameters
    ----------
    alpha
        Significance: dependent if and only if the two-sided p-value is at most alpha.

    Notes
    -----
    States have the order in which the table has them, numbers or not; two states need none. Three or more
    states without an order are refused: :class:`~graphoid.LikelihoodRatio` takes them.
    """

    def prepare(self, table: Table) -> Correlated:
        """Return what answers questions about a table."""
        return Correlated(self, table, rank_scores)


def rank_scores(table: Table, variable: int) -> NDArray[np.float64]:
    """Return the normal scores of a column; refuse states that have no order."""
    v = table.variables[variable]
    if not v.continuous and variable not in table.values and (v.ordered or v.arity <= 2):
        return normal_scores(table.column(variable).astype(np.float64), table.weights)
    try:
        numbers = table.numbers(variable)
    except DataError as error:
        if v.continuous:
            raise
        raise DataError(
            f"{error} They have no order, either; read the column as ordered, or use LikelihoodRatio."
        ) from None
    return normal_scores(numbers, table.weights)


class Correlated:
    """The correlation matrix of a table, asked for partial correlations."""

    def __init__(
        self,
        test: PartialCorrelation,
        table: Table,
        numbers: Callable[[Table, int], NDArray[np.float64]] = Table.numbers,
    ) -> None:
        self._test = test
        self._correlations = Correlations(table, numbers)

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for each variable, which takes a parameter."""
        return self._correlations.n_rows / max(1, len(variables))

    def ask(self, questions: Sequence[tuple[int, int, tuple[int, ...]]]) -> list[Verdict]:
        """Answer questions, solving once for each conditioning set."""
        by_given: dict[tuple[int, ...], list[int]] = {}
        for i, (_, _, given) in enumerate(questions):
            by_given.setdefault(tuple(sorted(given)), []).append(i)
        answers: dict[int, Verdict] = {}
        for given, members in by_given.items():
            wanted = sorted({v for i in members for v in questions[i][:2]})
            left = self._residual_covariance(wanted, given)
            at = {v: k for k, v in enumerate(wanted)}
            for i in members:
                x, y, z = questions[i]
                answers[i] = self._verdict(x, y, z, left[np.ix_([at[x], at[y]], [at[x], at[y]])])
        return [answers[i] for i in range(len(questions))]

    def _residual_covariance(self, wanted: list[int], given: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the covariance of the wanted columns that the given ones leave unexplained."""
        between = self._correlations.between
        own = between(wanted, wanted)
        across = between(list(given), wanted)
        varied = self._correlations.varies[list(given)]
        if not varied.any():
            return own
        z, across = [v for v, keep in zip(given, varied, strict=True) if keep], across[varied]
        projected = whiten(between(z, z)) @ across
        left: NDArray[np.float64] = own - projected.T @ projected
        return left

    def _verdict(self, x: int, y: int, given: tuple[int, ...], left: NDArray[np.float64]) -> Verdict:
        n_free = self._correlations.n_rows - len(given) - 3
        if n_free <= 0 or left[0, 0] < EXPLAINED or left[1, 1] < EXPLAINED:
            z, log_p, thin = 0.0, 0.0, True
        else:
            limit = 1 - np.finfo(float).eps  # a perfect correlation has a large z, not an infinite one
            r = float(np.clip(left[0, 1] / math.sqrt(left[0, 0] * left[1, 1]), -limit, limit))
            z = math.sqrt(n_free) * math.atanh(r)
            log_p, thin = log_normal_two_sided(z), False
        p = math.exp(log_p)
        return Verdict(
            x,
            y,
            given,
            independent=bool(p > self._test.alpha),
            statistic=z,
            p_value=p,
            log_p=log_p,
            n_rows=self._correlations.n_rows,
            thin=thin,
        )
