"""All pairs of variables, looked at on a device, for those that may be the strongest of either end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from graphoid.counts.gpu.fused import can_fuse, fused_statistics
from graphoid.counts.gpu.planes import DevicePlanes, Lines, align
from graphoid.counts.gpu.strength import (
    Bounds,
    PairTables,
    deviance,
    fits_everywhere,
    g_bounds,
    log_p_bounds,
    squared_residual,
    weaken,
)
from graphoid.limits import check_time

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

GROUP = 64
"""Pairs of which the strongest is looked at first."""

MOST_KEPT = 16
"""Times the partners asked for: where ties bring back more than that for a variable, nothing is gained."""

CERTAIN = 1e-14
"""Below this probability of a smaller statistic its p-value is 1, but for rounding."""

EXACT_IN_32_BITS = 10**6
"""Rows up to which statistics are worked out in 32 bits; of more in 64."""


class Sort(NamedTuple):
    """Variables with as many states."""

    arity: int
    variables: NDArray[np.int64]


class PairFilter:
    """Leaves out pairs of variables that cannot be among the strongest of either of their ends.

    Parameters
    ----------
    planes
        The table on the device.
    arities
        How many states every variable has.
    counts
        Of each state of each variable.
    kind
        "g" or "chi_square", whose p-values pairs are ordered by.
    complete
        Whether no cell is missing.
    unit
        Of row weights, by which counts are multiplied.
    """

    def __init__(
        self,
        planes: DevicePlanes,
        arities: NDArray[np.int64],
        counts: NDArray[np.int64],
        *,
        kind: str,
        complete: bool = True,
        unit: float = 1.0,
    ) -> None:
        self.planes, self.kind, self.complete, self.unit = planes, kind, complete, unit
        self.sorts = [Sort(int(r), np.flatnonzero(arities == r)) for r in np.unique(arities)]
        ends = np.cumsum(arities)
        margins = {r: counts[(ends[own] - r) + np.arange(r)[:, None]] * unit for r, own in self.sorts}
        self.total = n_rows = float(counts[: int(arities[0])].sum() * unit) if complete else math.nan
        self.chi_square = kind == "chi_square" or (complete and fits_everywhere([*margins.values()], n_rows))
        """Whether every pair is judged by chi-square with (r - 1) (s - 1) degrees of freedom."""
        small = planes.n_rows <= EXACT_IN_32_BITS and not planes.weighted and self.chi_square
        self.type = torch.float32 if small else torch.float64
        self._margins = {r: torch.from_numpy(m).to(planes.device, self.type) for r, m in margins.items()}
        self._order = torch.from_numpy(np.concatenate([s.variables for s in self.sorts])).to(planes.device)

    def pairs(self, partners: int, limit: float) -> NDArray[np.int32] | None:
        """Return pairs x < y, among them the ``partners`` strongest of each variable and all within a limit.

        ``limit`` is a log p-value. None where so many are equally strong that leaving out does not pay.
        """
        self.by_statistic = self.chi_square and len(self.sorts) == 1 and limit == -math.inf
        n, first, found, kept = self.planes.n, 0, [], 0
        for sort in self.sorts:
            step = self._lines_at_once(sort.arity)
            for start in range(0, len(sort.variables), step):
                check_time()
                own = slice(start, min(start + step, len(sort.variables)))
                x, y = self._strongest(self._bounds(sort, own), first + start, partners, limit)
                kept += len(x)
                if kept > max(MOST_KEPT * partners, GROUP) * n:
                    return None
                ends = torch.stack([self._order[x + first + start], self._order[y]])
                found.append(ends.amin(0) * n + ends.amax(0))
            first += len(sort.variables)
        keys = torch.unique(torch.cat(found)).cpu().numpy()
        return np.stack(np.divmod(keys, n), axis=1).astype(np.int32)

    def _lines_at_once(self, arity: int) -> int:
        """Return how many variables fit beside all others: their counts, and some numbers of every pair."""
        widest = max(s.arity * align(len(s.variables)) for s in self.sorts)
        numbers = 12 * 4 if self.by_statistic and self.type == torch.float32 else 48 * 8
        each = (24 if self.planes.weighted else 8) * arity * widest + numbers * self.planes.n
        return max(1, min(8192, self.planes.memory // 3 // each))

    def _bounds(self, sort: Sort, own: slice) -> Bounds:
        """Return the strength of pairs of some variables of a sort with all, in the order of the sorts."""
        parts = [self._strengths(sort, own, other) for other in self.sorts]
        if len(parts) == 1:
            return parts[0]
        return Bounds(*(torch.cat(part, dim=1) for part in zip(*parts, strict=True)))

    def _strengths(self, left: Sort, own: slice, right: Sort) -> Bounds:
        counts = self.planes.counts(
            Lines(left.variables[own], self._states(left)), Lines(right.variables, self._states(right))
        )
        rows, columns = self._margins[left.arity][:, own], self._margins[right.arity]
        dof = (left.arity - 1) * (right.arity - 1)
        if self.chi_square:
            g = self.kind == "g"
            fused = can_fuse(counts.device) and counts.dtype == torch.int32 and self.type == torch.float32
            if fused and self.complete:
                statistic = fused_statistics(counts, rows.contiguous(), columns, self.total, g=g)
            else:
                statistic = self._tables(counts, rows, columns).add_up(deviance if g else squared_residual)
            return (
                Bounds(statistic, statistic) if self.by_statistic else log_p_bounds(statistic, max(dof, 0.5))
            )
        return g_bounds(self._tables(counts, rows, columns))

    def _states(self, sort: Sort) -> tuple[int, ...]:
        """Return the states that have planes: of two the second says all, unless cells are missing."""
        return (1,) if self._by_one_plane(sort) else tuple(range(sort.arity))

    def _by_one_plane(self, sort: Sort) -> bool:
        return self.complete and all(s.arity == 2 for s in (sort, *self.sorts))

    def _tables(self, counts: Tensor, rows: Tensor, columns: Tensor) -> PairTables:
        """Return the tables of pairs from counts by left state, variable, right state, variable."""
        n_left, n_right = rows.shape[1], columns.shape[1]

        def cells(i: int, j: int) -> Tensor:
            return self._number(counts[i, :n_left, j, :n_right])

        if counts.shape[0] == 1 and len(rows) == 2:
            a, b = rows[1][:, None], columns[1]

            def of_two(i: int, j: int) -> Tensor:
                both = cells(0, 0)
                if i and j:
                    return both
                return a - both if i else b - both if j else self.total - a - b + both

            return PairTables(of_two, (rows[0][:, None], a), (columns[0], b), self.total)
        if self.complete:
            return PairTables(cells, tuple(r[:, None] for r in rows), tuple(columns), self.total)
        mine = tuple(self._number(counts[i, :n_left, :, :n_right].sum(1)) for i in range(len(rows)))
        others = tuple(self._number(counts[:, :n_left, j, :n_right].sum(0)) for j in range(len(columns)))
        return PairTables(cells, mine, others, torch.stack(mine).sum(0).clamp_(min=self.unit))

    def _number(self, counts: Tensor) -> Tensor:
        found = counts.to(self.type)
        return found if self.unit == 1 else found * self.unit

    def _strongest(self, bounds: Bounds, at: int, partners: int, limit: float) -> tuple[Tensor, Tensor]:
        """Return lines and columns of pairs that may be the strongest of their line, or within a limit."""
        low, high = bounds
        own = torch.arange(len(low), device=low.device)
        low[own, at + own] = high[own, at + own] = -math.inf
        size = GROUP if low.shape[1] >= 2 * GROUP * max(1, partners) else 1
        tops = _group_maxima(low, size)
        most = tops if high is low else _group_maxima(high, size)
        least = torch.full((len(low),), -limit, dtype=low.dtype, device=low.device)
        if partners:
            weakest = tops.topk(min(partners, tops.shape[1]), dim=1).values[:, -1]
            least = torch.minimum(least, self._weaken(weakest) if self.by_statistic else weakest)
        line, group = torch.nonzero((most >= least[:, None]) & (most > -math.inf), as_tuple=True)
        column = group[:, None] * size + torch.arange(size, device=low.device)
        inside = column < high.shape[1]
        chosen = (high[line[:, None], column.clamp(max=high.shape[1] - 1)] >= least[line, None]) & inside
        chosen &= column != (at + line)[:, None]
        which, place = torch.nonzero(chosen, as_tuple=True)
        return line[which], column[which, place]

    def _weaken(self, statistic: Tensor) -> Tensor:
        """Return what a statistic must have to be as strong: anything, where the p-value is 1 in any case."""
        dof = torch.full_like(statistic, max(1.0, (self.sorts[0].arity - 1.0) ** 2), dtype=torch.float64)
        by_chance = torch.special.gammainc(dof / 2, statistic.double().clamp(min=0) / 2)
        return weaken(statistic).masked_fill(by_chance < CERTAIN, -1.0)


def _group_maxima(values: Tensor, size: int) -> Tensor:
    """Return the largest of every so many numbers of a line."""
    if size == 1:
        return values
    whole = values.shape[1] // size * size
    found = values[:, :whole].unflatten(1, (-1, size)).amax(2)
    if whole == values.shape[1]:
        return found
    return torch.cat([found, values[:, whole:].amax(1, keepdim=True)], dim=1)
