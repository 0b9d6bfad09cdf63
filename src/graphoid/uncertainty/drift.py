r"""Whether pairs of variables are in later rows what they were in earlier ones, however often one looks.

What a row says of a pair, seen from x, is what it adds to the score of y in the regression of x on y and its
blanket: :math:`r = (x - \hat x) (y - \hat y)`, with x given y and the blanket, y given the rest of it, both
from a fit to all rows. It has mean zero as long as x given its blanket stays what it was, whatever else
changes. A change of the pair is seen from both ends, a neighbor's from one: the smaller e-value counts.

As long as rows are exchangeable, the newest ones are any so many of all, and the rank of their sum among the
sums of others gives a p-value (:func:`rank`). That of a batch holds given all rows so far without order, on
which alone those of later batches depend: so p-values of all batches are independent ([Vovk2021]_), and with
:math:`z = \Phi^{-1}(1 - p)`

.. math:: L_k(\delta) = \exp(\delta z_k - \delta^2 / 2), \qquad
          A_k(\delta) = L_k(\delta) \Bigl(A_{k-1}(\delta) + \frac{1}{k (k + 1)}\Bigr), \qquad
          E_k = \frac{1}{k + 1} + \operatorname{mean}_\delta A_k(\delta)

is a martingale that begins with one, or less: the evidence for a change by :math:`\delta` in either direction
from some batch j on, which has a probability of :math:`1 / (j (j + 1))`. By Ville's inequality it ever
reaches :math:`c` with a probability of at most :math:`1 / c`; each of m pairs has :math:`c = m / \alpha`.

Nothing here is true of many rows only. What is needed is that all rows that came are from one distribution as
long as nothing changes, and that blankets do not depend on their order: that a search started from an earlier
graph can break where it ends in another one than it would have without.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri

from graphoid.uncertainty.group_terms import Coding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.structure.graph import Edge, UndirectedGraph

    Matrix = NDArray[np.float64]
    Whole = NDArray[np.int64]

CHANGES = np.array([0.05, 0.15, 0.4])
"""Of a partial correlation, that are looked for."""

MOST_SHIFT = 4.0
"""Of z, since :data:`SUMS` tell no more."""

SUMS = 100_000
"""At least so many sums the newest rows are ranked among; ranks in few are coarse."""

LEAST_ORDERS = 4
"""In so many random orders at least, for sums in one of them share rows."""

LARGEST = 700.0
"""The largest logarithm that is kept, of evidence either way: e to it is still a number."""

STEPS = 2.0**20
"""To which products are rounded: sums of whole numbers are ties where they should be."""


class PairDrift(NamedTuple):
    """How much speaks for a change of one pair."""

    log_e: float = 0.0
    """The logarithm of its e-value now."""
    alarm: bool = False
    """Whether it has ever reached the threshold."""
    since: int | None = None
    """The batch, from 1, at which the change most probably began; None without an alarm."""
    gathered: tuple[float, ...] = (-LARGEST,) * (4 * len(CHANGES))
    r"""The logarithms of :math:`A_k(\delta)`: from x changes up and down, then from y."""
    starts: tuple[int, ...] = (0,) * (4 * len(CHANGES))
    """The batch at which each of them most probably began."""

    def step(
        self,
        batch: int,
        shifts: Matrix,
        scores: tuple[tuple[float, float], tuple[float, float]],
        threshold: float,
    ) -> PairDrift:
        """Return what speaks for a change after a further batch, by its scores up and down of both ends."""
        z = np.repeat(scores, len(shifts)).reshape(2, -1)
        both = np.tile(shifts, 2)
        before = np.reshape(self.gathered, z.shape)
        begin = -math.log(batch * (batch + 1) * len(both))
        grown = np.logaddexp(before, begin) + both * np.maximum(z, -LARGEST) - both**2 / 2
        gathered = np.maximum(grown, -LARGEST)
        starts = np.where(before > begin, np.reshape(self.starts, z.shape), batch)
        of_ends = np.logaddexp(logsumexp(gathered, axis=1), -math.log(batch + 1))
        end = int(of_ends.argmin())
        log_e = float(of_ends[end])
        alarm = self.alarm or log_e >= math.log(threshold)
        since = self.since if self.alarm or not alarm else int(starts[end, np.argmax(gathered[end])])
        return PairDrift(
            log_e, alarm, since, tuple(gathered.ravel().tolist()), tuple(starts.ravel().tolist())
        )


def threshold(n: int, alpha: float) -> float:
    """Return the e-value from which on a pair of n variables is said to drift."""
    return max(1, n * (n - 1) // 2) / alpha


def watch(
    table: Table,
    graph: UndirectedGraph,
    n_new: int,
    batch: int,
    alpha: float,
    known: Mapping[Edge, PairDrift],
) -> dict[Edge, PairDrift]:
    """Return for every pair how much speaks for a change since the first batch.

    Parameters
    ----------
    table
        All rows, the newest last; those that are complete are looked at.
    graph
        Its blankets are given; learned from all rows.
    n_new
        How many rows the newest batch has.
    batch
        Its number, from 1.
    alpha
        The probability that any pair ever has an alarm if nothing changes.
    known
        What was said at the batch before.
    """
    lost = np.logical_or.reduce([table.absent(i) for i in sorted(table.holes)]) if table.holes else None
    if lost is not None:
        n_new -= int(lost[table.n_rows - n_new :].sum())
    products = PairProducts(table.complete_rows(), graph)
    n = products.n_rows
    shifts = np.minimum(CHANGES * math.sqrt(n_new * (n - n_new) / max(1, n)), MOST_SHIFT)
    orders = random_orders(n, n_new, np.random.default_rng(batch)) if 0 < n_new < n else None
    found = {}
    for x in range(graph.n):
        for y in range(x + 1, graph.n):
            values = [None if orders is None else products.of(*ends) for ends in ((x, y), (y, x))]
            scores = [_scores(one, n_new, orders) for one in values]
            before = known.get((x, y), PairDrift())
            own = np.zeros_like(shifts) if None in scores else shifts
            first, second = (one or (0.0, 0.0) for one in scores)
            found[x, y] = before.step(batch, own, (first, second), threshold(graph.n, alpha))
    return found


def _scores(values: Whole | None, n_new: int, orders: Whole | None) -> tuple[float, float] | None:
    """Return by how much the sum of the newest rows is large, and small, as normal scores; None of no sum."""
    if values is None or orders is None:
        return None
    up, down = rank(values, n_new, orders)
    return -float(ndtri(up)), -float(ndtri(down))


class PairProducts:
    """What each row says of a pair, given a blanket."""

    def __init__(self, table: Table, graph: UndirectedGraph) -> None:
        self.n_rows, self._graph = table.n_rows, graph
        parts = [np.ones((table.n_rows, 1))]
        if table.n_rows:
            parts += [Coding.of(table, v).numbers for v in range(graph.n)]
        ends = np.cumsum([part.shape[1] for part in parts]).tolist()
        self._at = [list(range(*span)) for span in pairwise(ends)]
        self._numbers: Matrix = np.hstack(parts)
        self._moments = self._numbers.T @ self._numbers

    def of(self, x: int, y: int) -> Whole | None:
        """Return what rows say of a pair seen from x, as whole numbers; None where nothing is left of either.

        Of states without an order, along the directions in which the pair has most in common.
        """
        blanket = [i for z in sorted(self._graph.blanket(x)) if z != y for i in self._at[z]]
        left, right = (self._residuals(self._at[v], [0, *blanket]) for v in (x, y))
        if not left.shape[1] or not right.shape[1]:
            return None
        u, _, v = np.linalg.svd(left.T @ right)
        left, right = left @ u[:, :1], right @ v[:1].T
        left = left - right @ np.linalg.lstsq(right.T @ right, right.T @ left, rcond=None)[0]
        found: Matrix = (left * right)[:, 0]
        most = np.abs(found).max()
        return np.rint(found / most * STEPS).astype(np.int64) if most > 1 / STEPS else None

    def _residuals(self, own: list[int], given: list[int]) -> Matrix:
        weights = np.linalg.lstsq(
            self._moments[np.ix_(given, given)], self._moments[np.ix_(given, own)], rcond=None
        )[0]
        found: Matrix = self._numbers[:, own] - self._numbers[:, given] @ weights
        return found


def random_orders(n: int, n_new: int, rng: np.random.Generator) -> Whole:
    """Return random orders of rows; in the first, the newest rows are one after the other, at the end."""
    n_orders = max(LEAST_ORDERS, -(-SUMS // n))
    first = np.concatenate([rng.permutation(n - n_new), n - n_new + rng.permutation(n_new)])
    return np.vstack([first, *(rng.permutation(n) for _ in range(n_orders - 1))])


def rank(values: Whole, n_new: int, orders: Whole) -> tuple[float, float]:
    r"""Return the p-values that the sum of the newest rows is large, and that it is small.

    They are its rank among the sums of any ``n_new`` rows that follow each other in one of the orders, each a
    circle. If the newest rows are any so many of all, the first order is as random as the others and they are
    at any place of it: each rank has the same probability ([Hemerik2018]_).

    >>> rank(np.array([0, 0, 0, 5]), 1, np.array([[0, 1, 2, 3]]))
    (0.25, 1.0)
    """
    n = orders.shape[1]
    rows = values[orders]
    ends = np.cumsum(np.hstack([np.zeros((len(orders), 1), np.int64), rows, rows[:, : n_new - 1]]), axis=1)
    sums = ends[:, n_new:] - ends[:, :-n_new]
    own = sums[0, n - n_new]
    return float(np.mean(sums >= own)), float(np.mean(sums <= own))
