"""What the benchmarks share: random tables, the best of many runs, and a word for each bar."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.table import Table
from graphoid.data.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

N_ROWS = 20_000

missed: list[str] = []
"""Bars that did not hold; a benchmark exits with 1 if there are any."""


def random_table(n_rows: int, n: int, arity: int, seed: int = 0) -> Table:
    """Return independent uniform columns."""
    rng = np.random.default_rng(seed)
    columns = tuple(rng.integers(0, arity, n_rows).astype(np.uint8) for _ in range(n))
    return Table(tuple(Variable(f"v{i}", tuple(range(arity))) for i in range(n)), columns, n_rows)


def best(
    action: Callable[[], object],
    *,
    seconds: float = 0.5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the least time of repeated runs, in microseconds; at least three, for about so many seconds.

    With ``clock=time.process_time``, the CPU time of all threads together.
    """
    return min(times(action, seconds=seconds, clock=clock))


def times(
    action: Callable[[], object],
    *,
    seconds: float = 0.5,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Return the times of repeated runs, in microseconds; at least three, for about so many seconds."""
    taken: list[float] = []
    until = time.perf_counter() + seconds
    while len(taken) < 3 or time.perf_counter() < until:
        start = clock()
        action()
        taken.append((clock() - start) * 1e6)
    return taken


def calibration_error(p: NDArray[np.float64], true: NDArray[np.bool_], bins: int = 10) -> float:
    """Return how far probabilities are from how often what they speak of is true, by bins of equal width."""
    of = np.minimum((p * bins).astype(int), bins - 1)
    return float(sum(abs(p[of == b].mean() - true[of == b].mean()) * (of == b).mean() for b in np.unique(of)))


def word(what: str, *, holds: bool) -> str:
    """Return how a bar ended, and remember what was missed."""
    if not holds:
        missed.append(what)
    return "ok" if holds else "MISSED"


def closing_line() -> int:
    """Print what was missed, if anything; return the exit code."""
    print("all bars hold" if not missed else f"missed: {'; '.join(missed)}")
    return 1 if missed else 0
