r"""How strongly pairs depend on each other, closely enough to leave out those that cannot be the strongest.

What is kept is judged again by the native engine, so that bounds are all that is needed here: of every pair
a ``low`` and a ``high`` value, between which lies what pairs are ordered by. That is the statistic where all
pairs have as many degrees of freedom, else -log p by the saddlepoint of chi-square
([BarndorffNielsen1990]_),

.. math:: p \approx \Phi\left(-r - \frac{1}{r} \log \frac{u}{r}\right), \quad
   r = \pm\sqrt{S - d + d \log \frac{d}{S}}, \quad u = \frac{S - d}{\sqrt{2 d}}

with the statistic S of d degrees of freedom.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

ROUNDED, LOST = 1e-4, 1e-3
"""By what share of it, and by how much more, a statistic may be off that is worked out in 32 bits."""

OFF_CENTER, PER_DOF = 0.02, 0.16
"""How far the saddlepoint may be off: so much, and so much divided by the degrees of freedom. Of .02 to 361
degrees of freedom and p-values of .95 to e^-200, none was off by more."""

CENTER = 1e-2
"""How near to its degrees of freedom, as a share of them, a statistic has the limit of the formula."""

BIASED = 0.1
"""Of sqrt(2 d), the bias from which on G is not chi-square, and Pearson's statistic is judged by its exact
moments (``native/tests/judge.cpp``)."""


class Bounds(NamedTuple):
    """What pairs are ordered by, larger where they depend more, from below and from above."""

    low: Tensor
    high: Tensor


class PairTables(NamedTuple):
    """Tables of pairs, a line for every left variable and a column for every right one."""

    cells: Callable[[int, int], Tensor]
    """Gives the counts of a left and a right state."""
    rows: tuple[Tensor, ...]
    """Of every left state how many rows have it."""
    columns: tuple[Tensor, ...]
    total: Tensor | float

    def add_up(self, term: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
        """Return the sum over all cells of a term of a count and what is expected of it."""
        found: Tensor | None = None
        for i, row in enumerate(self.rows):
            share = row / self.total
            for j, column in enumerate(self.columns):
                part = term(self.cells(i, j), (share * column).clamp_(min=1e-30))
                found = part if found is None else found.add_(part)
        assert found is not None  # noqa: S101 - a variable has states
        return found


def deviance(count: Tensor, expected: Tensor) -> Tensor:
    """Return 2 (c log(c / e) + e - c), which is never negative."""
    off = count - expected
    return (torch.log1p(off / expected).mul_(count).nan_to_num_(0.0).sub_(off)).mul_(2)


def squared_residual(count: Tensor, expected: Tensor) -> Tensor:
    """Return (c - e)^2 / e."""
    return (count - expected).square_().div_(expected)


def weaken(statistic: Tensor) -> Tensor:
    """Return a statistic that no other one falls below that is as large, but for rounding of both."""
    return statistic * (1 - 2 * ROUNDED) - 2 * LOST


def log_p_bounds(statistic: Tensor, dof: Tensor | float) -> Bounds:
    """Return between what -log p lies."""
    d = torch.as_tensor(dof, dtype=statistic.dtype, device=statistic.device)
    s = statistic.clamp(min=1e-30)
    side = torch.sign(s - d)
    r = side * (s - d + d * torch.log(d / s)).clamp(min=0).sqrt()
    u = (s - d) / (2 * d).sqrt()
    center = (s - d).abs() <= CENTER * d
    one = torch.ones_like(r)
    bent = torch.log(torch.where(center, one, u) / torch.where(center, one, r)) / torch.where(center, one, r)
    z = r + torch.where(center, (2 / d).sqrt() / 3, bent)
    found = -torch.special.log_ndtr(-z)
    off = OFF_CENTER + PER_DOF / d + found * ROUNDED
    nothing = statistic <= 0
    return Bounds((found - off).masked_fill_(nothing, 0.0), (found + off).masked_fill_(nothing, 0.0))


def g_bounds(tables: PairTables) -> Bounds:
    """Return between what -log p of G lies, or of Pearson's statistic where G is not chi-square."""
    cells = float((len(tables.rows) - 1) * (len(tables.columns) - 1))
    usual = log_p_bounds(tables.add_up(deviance), max(cells, 0.5))
    n = torch.as_tensor(tables.total, dtype=usual.low.dtype, device=usual.low.device)
    inverse, occurring = zip(*(_margin(n, states) for states in (tables.rows, tables.columns)), strict=True)
    of_rows, of_columns = (count - 1 for count in occurring)
    bias = (inverse[0] - 1) * (inverse[1] - 1) / (6 * n)
    share = bias / (BIASED * (2 * of_rows * of_columns).clamp(min=1e-30).sqrt())
    share = share.masked_fill((of_rows <= 0) | (of_columns <= 0) | (n < 2), 0.0)
    mean, variance = _moments(n, inverse, occurring)
    some = variance > 1e-9 * mean * mean
    ratio = 2 * mean / torch.where(some, variance, torch.ones_like(variance))
    exact = log_p_bounds(
        tables.add_up(squared_residual) * ratio, torch.where(some, mean * ratio, torch.ones_like(mean))
    )
    surely, perhaps = share > 1 + 1e-3, share > 1 - 1e-3  # near the limit it is the one or the other
    low, high = (part.masked_fill(~some, 0.0) for part in exact)
    return Bounds(
        torch.where(surely, low, torch.where(perhaps, torch.minimum(low, usual.low), usual.low)),
        torch.where(surely, high, torch.where(perhaps, torch.maximum(high, usual.high), usual.high)),
    )


def _margin(n: Tensor, states: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """Return the sum of n over the rows of each state that occurs, and how many do."""
    inverse = sum(
        torch.where(rows > 0, n / rows.clamp(min=1e-30), torch.zeros_like(n / 1)) for rows in states
    )
    return torch.as_tensor(inverse), torch.as_tensor(sum((rows > 0).to(n.dtype) for rows in states))


def _moments(n: Tensor, inverse: tuple[Tensor, ...], states: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """Return mean and variance of Pearson's statistic over all tables with the same margins."""
    r, c = states
    mean = n / (n - 1).clamp(min=1) * (r - 1) * (c - 1)
    w, u = ((k - count**2) / (n - 2).clamp(min=1) for k, count in zip(inverse, states, strict=True))
    v, t = ((count - 1) * (n - count) / (n - 1).clamp(min=1) for count in states)
    variance = n * n / (n - 1).clamp(min=1) * w * u
    more = 2 * n / (n - 3).clamp(min=1) * (v - w) * (t - u)
    return mean, torch.where(n >= 3, variance, 0 * variance) + torch.where(n >= 4, more, 0 * more)


def fits_everywhere(margins: Sequence[NDArray[np.float64]], total: float) -> bool:
    """Return whether G is chi-square for all pairs of columns with these margins and no missing cells."""
    spread = []
    for states in margins:  # a line for every state of variables with as many
        occur = states > 0
        free = occur.sum(axis=0) - 1
        inverse = np.divide(total, states, out=np.zeros(states.shape), where=occur).sum(axis=0)
        spread += sorted(((inverse - 1)[free > 0] / np.sqrt(free[free > 0])).tolist())[-2:]
    widest = sorted(spread)[-2:]
    return len(widest) < 2 or widest[0] * widest[1] < BIASED * 6 * math.sqrt(2) * total * (1 - 1e-6)
