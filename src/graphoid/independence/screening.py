"""A test of all pairs of variables, of which the strongest are kept: no object for a pair.

An engine that is a :class:`~graphoid.counts.engine.ScreeningEngine` does it next to the counts. Any other
source is asked in strips (:func:`screen_by_asking`), which is the specification, too: the same numbers, the
same partners, and as little to hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from graphoid.counts.engine import Screen, ScreeningEngine, ScreenRequest
from graphoid.independence.base import KernelTest
from graphoid.independence.tester import Tester

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid.logic.source import IndependenceSource
    from graphoid.logic.verdict import Verdict

AT_ONCE = 2**15
"""Questions asked at a time: some ten megabytes of answers."""

STEP = 2.0**24
"""Totals are whole numbers of parts so small, so that they do not depend on the order of adding."""

LARGEST_TOTAL = 2.0**38
"""Each pair counts up to its share of it, so that no total goes beyond 64 bits."""


def screen_pairs(ci: IndependenceSource, rank: Sequence[int], keep: ScreenRequest) -> Screen:
    """Return what to keep of a test of all pairs: natively where the engine can."""
    if isinstance(ci, Tester) and isinstance(ci.test, KernelTest) and isinstance(ci.engine, ScreeningEngine):
        return ci.engine.screen(ci.test.kernel, rank, keep)
    return screen_by_asking(ci, rank, keep)


def number(v: Verdict) -> float:
    """Return what pairs are ordered by: log p-value, or log odds of independence, or 0 and -1."""
    if v.log_p is not None:
        return v.log_p
    if v.log_odds is not None:
        return v.log_odds
    return 0.0 if v.independent else -1.0


def screen_by_asking(
    ci: IndependenceSource,
    rank: Sequence[int],
    keep: ScreenRequest,
    number: Callable[[Verdict], float] = number,
) -> Screen:
    """Return what to keep of a test of all pairs, asked strip by strip."""
    n = len(ci.names)
    k = min(keep.partners, max(0, n - 1))
    ranks, steps = np.asarray(rank, dtype=np.int64), np.zeros(n, dtype=np.int64)
    best = Listed.of([], [], [])
    listed = [best]
    for first, last in strips(n):
        at, other = np.nonzero(np.arange(first, last)[:, None] < np.arange(n))
        x, y = (at + first).tolist(), other.tolist()
        values = [number(v) for v in ci.ask([(a, b, ()) for a, b in zip(x, y, strict=True)])]
        strip = Listed.of(x, y, values)
        listed.append(strip.take(strip.value <= keep.limit))
        if keep.totals:
            most = LARGEST_TOTAL / n
            parts = np.where(np.isnan(strip.value), 0, np.clip(strip.value, -most, most))
            rounded = np.rint(parts * STEP).astype(np.int64)
            np.add.at(steps, strip.x, rounded)
            np.add.at(steps, strip.y, rounded)
        if k:
            best = strongest(Listed.concatenate([best, strip, strip.swap()]), ranks, k)
    partners, strength = np.full((n, k), -1, dtype=np.int32), np.zeros((n, k))
    place = np.arange(len(best.x)) - np.searchsorted(best.x, best.x)
    partners[best.x, place], strength[best.x, place] = best.y, best.value
    return Screen(
        partners, strength, *Listed.concatenate(listed), steps / STEP if keep.totals else np.zeros(0)
    )


class Listed(NamedTuple):
    """Pairs and their numbers."""

    x: NDArray[np.int32]
    y: NDArray[np.int32]
    value: NDArray[np.float64]

    @classmethod
    def of(cls, x: Sequence[int], y: Sequence[int], value: Sequence[float]) -> Self:
        """Return pairs from three lists."""
        return cls(
            np.array(x, dtype=np.int32), np.array(y, dtype=np.int32), np.array(value, dtype=np.float64)
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Listed]) -> Self:
        """Return the pairs of several lists, one after the other."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def take(self, which: NDArray[Any]) -> Listed:
        """Return some of them."""
        return Listed(self.x[which], self.y[which], self.value[which])

    def swap(self) -> Listed:
        """Return the same pairs with the second variable first."""
        return Listed(self.y, self.x, self.value)


def strongest(pairs: Listed, rank: NDArray[np.int64], k: int) -> Listed:
    """Return the k pairs of every first variable that have the smallest numbers, sorted by variable."""
    order = np.lexsort((rank[pairs.y], pairs.value, pairs.x))
    pairs = pairs.take(order)
    place = np.arange(len(order)) - np.searchsorted(pairs.x, pairs.x)
    return pairs.take(place < k)


def strips(n: int) -> list[tuple[int, int]]:
    """Return ranges of first variables whose pairs are asked about together."""
    found, first = [], 0
    while first < n - 1:
        last = min(n - 1, first + max(1, AT_ONCE // max(1, n - first)))
        found.append((first, last))
        first = last
    return found
