"""What tests with a p-value share: verdicts; and, for sums over slices, degrees of freedom."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, ClassVar, get_args

from graphoid.counts.engine import Columns, CountRequest, Kernel
from graphoid.independence.base import DofConvention, make_verdicts, needs, slices_of
from graphoid.independence.pearson_null import OFF, Null, null_moments, pearson
from graphoid.independence.tail import log_chi2_sf
from graphoid.independence.thin import FLAGGED, ThinData
from graphoid.settings import PROBABILITY, Allowed, FrozenSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.logic.assertion import Assertion
    from graphoid.logic.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class SignificanceTest(FrozenSettings, abc.ABC):
    """A test of tables by a p-value: dependent if and only if it is at most ``alpha``."""

    alpha: float = 0.05
    thin: ThinData = FLAGGED

    allowed: ClassVar[Mapping[str, Allowed]] = {"alpha": PROBABILITY}

    def needs(self, a: Assertion) -> CountRequest:
        """Return the counts that judging ``a`` takes."""
        return needs(a)

    @property
    @abc.abstractmethod
    def kernel(self) -> Kernel:
        """The same test for engines that judge next to the counts."""

    @abc.abstractmethod
    def judge(self, a: Assertion, counts: Counts) -> Verdict:
        """Judge ``a`` from its counts."""

    def verdicts(self, columns: Columns, n_rows: float) -> list[Verdict]:
        """Return the verdicts for numbers that were computed from the counts."""
        independent, thin = self.decisions(columns, columns.rows or repeat(n_rows))
        numbers = columns.statistic, columns.dof, columns.p_value, columns.log_p, None
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
        alpha, per_cell = float(self.alpha), float(self.thin.rows_per_cell)
        independent = [p > alpha for p in columns.p_value]
        thin = [
            rows == 0 or dof <= 0 or rows < per_cell * cells
            for dof, cells, rows in zip(columns.dof, columns.cells, n_rows)  # noqa: B905 - may be one for all
        ]
        return self.thin.decide(independent, thin), thin


@dataclass(frozen=True, kw_only=True)
class ClassicalTest(SignificanceTest):
    r"""A statistic that is summed over slices of the conditioning set and compared with chi-square.

    Parameters
    ----------
    alpha
        Significance: dependent if and only if the p-value is at most alpha.
    dof
        Degrees of freedom. "slices": :math:`(|X|-1)(|Y|-1)` for each slice of Z that occurs. "adjusted": for
        each slice, states of X and Y that do not occur in it are not counted. "full":
        :math:`(|X|-1)(|Y|-1) \prod |Z_i|`, whether slices occur or not. Usual conventions differ between
        programs, and verdicts flip with them.
    thin
        What to do about tables with too few rows.

    Notes
    -----
    Slices without rows add nothing. Zero degrees of freedom mean p = 1, independent, and thin. There is no
    continuity correction.

    Where rows are few or states rare, G and, with "adjusted" degrees of freedom, Pearson's statistic are not
    chi-square: of true independences up to all were rejected. If their mean by chance is off by more than a
    tenth of a standard deviation, or the variance of Pearson's statistic by more than a tenth, Pearson's
    statistic is used, scaled to agree with chi-square in its exact mean and variance given the margins
    (:mod:`graphoid.independence.pearson_null`); ``statistic`` and ``dof`` are then the scaled ones. Pearson's
    statistic with the degrees of freedom of "slices" or "full" is used as published everywhere: it errs to
    the side of independence in thin tables, and rejects up to .15 at .05 where states are rare.
    """

    dof: DofConvention = "slices"

    allowed: ClassVar[Mapping[str, Allowed]] = {"alpha": PROBABILITY, "dof": get_args(DofConvention)}
    _kind: ClassVar[str]

    @property
    def kernel(self) -> Kernel:
        """The same test for engines that judge next to the counts."""
        return Kernel(self._kind, self.dof)

    def _chi_square_fits(self, null: Null) -> bool:
        """Say whether chi-square is near enough to what the statistic does by chance."""
        if self._kind != "g" and self.dof != "adjusted":
            return True  # as published
        bias = null.bias if self._kind == "g" else null.mean - null.dof
        if bias > OFF * math.sqrt(2 * null.dof):
            return False
        scaled = null.dof * null.variance
        return self._kind == "g" or abs(2 * null.mean**2 - scaled) <= OFF * scaled

    @abc.abstractmethod
    def statistic(
        self, observed: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
    ) -> float:
        """Return the sum over slices (first axis) of the statistic, given cells and margins."""

    def judge(self, a: Assertion, counts: Counts) -> Verdict:
        """Judge ``a`` from its counts."""
        slices = slices_of(counts)
        rx, ry = counts.shape[-2:]
        rows, columns = slices.sum(axis=2), slices.sum(axis=1)
        if self.dof == "full":
            configurations = math.prod(map(float, counts.shape[:-2]))  # infinite if need be
            dof = (rx - 1.0) * (ry - 1.0) * configurations if rx > 1 and ry > 1 else 0.0
        elif self.dof == "slices":
            dof = float((rx - 1) * (ry - 1) * len(slices))
        else:
            dof = float((((rows > 0).sum(axis=1) - 1) * ((columns > 0).sum(axis=1) - 1)).sum())
        cells = float(len(slices) * rx * ry)
        statistic = self.statistic(slices, rows, columns) if slices.size else 0.0
        null = null_moments(rows, columns)
        if null.mean > 0 and not self._chi_square_fits(null):
            some = rows.sum(axis=1) >= 2  # as in the moments; of weights there may be less than two rows
            statistic, dof = null.scale(pearson(slices[some], rows[some], columns[some]))
        log_p = log_chi2_sf(statistic, dof)
        numbers = ([v] for v in (statistic, dof, math.exp(log_p), log_p, 0.0, cells))
        return self.verdicts(Columns([a.x], [a.y], [a.given], *numbers), counts.total)[0]
