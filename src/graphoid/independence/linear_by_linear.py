"""The test of linear-by-linear association: one trend of ordered states over all slices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import CountRequest, refuse_if_too_many_states
from graphoid.counts.native import engine_for
from graphoid.data.table import with_states
from graphoid.independence.base import slices_of
from graphoid.independence.mantel_haenszel import association
from graphoid.independence.tail import log_chi2_sf
from graphoid.logic.verdict import Verdict
from graphoid.settings import PROBABILITY, Allowed, FrozenSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.engine import Positions
    from graphoid.data.table import Table
    from graphoid.data.variables import Variable


@dataclass(frozen=True, kw_only=True)
class LinearByLinear(FrozenSettings):
    r"""Judge X ⊥ Y | Z by the trend that ordered states have in all slices of Z together.

    With scores u of the states of X and v of those of Y, their positions, and the margins of each slice z
    given,

    .. math:: d = \sum_z \sum_{xy} u_x v_y \Bigl( N_{xyz} - \frac{N_{xz} N_{yz}}{N_z} \Bigr), \qquad
       V = \sum_z \frac{\operatorname{SS}_z(u) \operatorname{SS}_z(v)}{N_z - 1}, \qquad M^2 = \frac{d^2}{V}

    with the sums of squares of the scores about their mean in the slice; :math:`M^2` is chi-square with one
    degree of freedom, where :class:`~graphoid.MantelHaenszel` has :math:`(|X|-1)(|Y|-1)`. A nominal end of
    three states or more keeps a column for every state but one, and :math:`M^2` as many degrees of freedom:
    the test of mean scores.

    Parameters
    ----------
    alpha
        Significance: dependent if and only if the p-value is at most alpha.

    Notes
    -----
    The correlation and mean score statistics of generalized Cochran-Mantel-Haenszel tests ([Mantel1963]_;
    [Agresti2013]_, section 8.4.2), without a continuity correction. Nothing is assumed about how Z acts, but
    a slice of one row says nothing: with many slices :class:`~graphoid.LikelihoodRatio` keeps more power. No
    degree of freedom means p = 1, independent, and thin.

    Examples
    --------
    >>> import graphoid as gd
    >>> ci = gd.Tester(gd.LinearByLinear(), gd.datasets.load("titanic"))
    >>> verdict, = ci.ask([("class", "survived", ("sex",))])
    >>> verdict.independent
    False
    """

    alpha: float = 0.05

    allowed: ClassVar[Mapping[str, Allowed]] = {"alpha": PROBABILITY}

    def prepare(self, table: Table) -> Trends:
        """Return what answers questions about a table."""
        return Trends(self, table)


class Trends:
    """The counts of a table, asked for trends."""

    def __init__(self, test: LinearByLinear, table: Table) -> None:
        self._test = test
        self._engine = engine_for(with_states(table))

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for each cell of a table."""
        return self._engine.n_rows / math.prod(float(self._engine.variables[v].arity) for v in variables)

    def ask(self, questions: Sequence[Positions]) -> list[Verdict]:
        """Answer questions (x, y, given) by position, in order."""
        return [self._judge(*question) for question in questions]

    def _judge(self, x: int, y: int, given: tuple[int, ...]) -> Verdict:
        first, second = sorted((x, y))
        ends = [self._engine.variables[v] for v in (first, second)]
        refuse_if_too_many_states(*[2 if v.ordered else v.arity for v in ends])
        counts = self._engine.counts([CountRequest((*sorted(given), first, second))])[0]
        statistic, dof = association(slices_of(counts), *map(columns_of, ends))
        log_p = log_chi2_sf(statistic, dof)
        p = math.exp(log_p)
        numbers = statistic, dof, p, log_p, None
        return Verdict(x, y, given, p > float(self._test.alpha), *numbers, counts.total, dof <= 0)


def columns_of(variable: Variable) -> NDArray[np.float64]:
    """Return what makes columns of states: scores if they are ordered, else one for each but the last."""
    if variable.ordered:
        return np.arange(variable.arity, dtype=np.float64)[None, :]
    return np.eye(variable.arity)[:-1]
