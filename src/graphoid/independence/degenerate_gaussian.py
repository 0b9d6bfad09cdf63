"""A linear test for columns of any kinds, from their second moments alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.data.remote.table import RemoteTable
from graphoid.independence.partial_association import PartialAssociation
from graphoid.regression.coding import contrasts
from graphoid.regression.embedding import SecondMoments
from graphoid.regression.sums import sum_engine
from graphoid.settings import PROBABILITY, Allowed, FrozenSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table


@dataclass(frozen=True, kw_only=True)
class DegenerateGaussian(FrozenSettings):
    r"""Judge X ⊥ Y | Z, of any kinds, as if all of their columns of numbers were Gaussian.

    States become columns of zeros and ones, numbers their normal scores, and what a linear regression on Z
    leaves of the columns of X and Y is correlated:

    .. math:: Q = (N - 1 - p)\,
       \operatorname{tr}(S_{XX \cdot Z}^{-1} S_{XY \cdot Z} S_{YY \cdot Z}^{-1} S_{YX \cdot Z})

    with p columns in Z; the trace is that of Pillai. One matrix of second moments answers every question, in
    far less time than :class:`~graphoid.LikelihoodRatio` takes, whose models are right where this one is an
    approximation: probabilities that are not all small or large are nearly linear.

    Parameters
    ----------
    alpha
        Significance: dependent if and only if the p-value is at most alpha.

    Notes
    -----
    The embedding is that of [Andrews2019]_. Where X or Y is of numbers the p-value is that of the F test,
    else Q is compared with chi-square. If one of them is ordered, its score is looked at as well, with one
    degree of freedom in place of many, and the p-value is twice the smaller of the two. Rare states are
    merged as :mod:`graphoid.independence.partial_association` says. Of data that stay at their source, sums
    are taken there; normal scores of numbers are those of :class:`~graphoid.GaussianEvidence`.

    Examples
    --------
    >>> import graphoid as gd
    >>> ci = gd.Tester(gd.DegenerateGaussian(), gd.datasets.load("titanic"))
    >>> ci.independent("sex", "survived", given=["class"])
    False
    """

    alpha: float = 0.05

    allowed: ClassVar[Mapping[str, Allowed]] = {"alpha": PROBABILITY}

    def prepare(self, table: Table) -> PartialAssociation:
        """Return what answers questions about a table."""
        return PartialAssociation(EmbeddedProducts(table), self.alpha)


class EmbeddedProducts:
    """Sums of products of states and of normal scores, from the second moments of all columns."""

    def __init__(self, table: Table) -> None:
        self.variables = table.variables
        if isinstance(table, RemoteTable):
            self._moments = sum_engine(table).moments(ordered=False)
        else:
            names = [v if v.continuous else replace(v, kind="nominal") for v in table.variables]
            self._moments = SecondMoments(replace(table, variables=tuple(names)), ordered=False)
        self.n_rows = float(self._moments.n_rows)
        self._codes = [np.ones((1, 1)) if v.continuous else contrasts(v.arity) for v in self.variables]
        means = [self._moments.means[at] for at in self._moments.columns]
        self.margins = [
            np.full(1, self.n_rows) if v.continuous else self._rows(code @ mean + 1 / v.arity)
            for v, code, mean in zip(self.variables, self._codes, means, strict=True)
        ]

    def _rows(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many rows states have by their shares: none where rounding alone is left."""
        return np.where(shares > 1e-12, shares * self.n_rows, 0.0)

    def require(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Do nothing: all pairs are there."""

    def rows_behind(self, variables: Sequence[int]) -> float:  # noqa: ARG002 - no cell is missing
        """Return how many rows the sums of some variables rest on: all."""
        return self.n_rows

    def between(self, u: int, v: int) -> NDArray[np.float64]:
        """Return the sums for two variables, a line for each state of u; numbers have one line."""
        # an indicator is 1 / r and its contrasts times those of the row
        at = self._moments.columns
        sums: NDArray[np.float64] = self.n_rows * self._codes[u] @ self._moments.covariance[at[u], at[v]]
        return sums @ self._codes[v].T
