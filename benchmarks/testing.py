"""A whole test of independence through ``Tester.ask``, against a plain NumPy test in the same run.

The plain test is what most people would write: int64 codes, Horner, ``numpy.bincount``, ``scipy.stats``.
Prints CPU time a test, the ratio, and whether each bar holds; exits with 1 if one does not.

    python benchmarks/testing.py
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

import graphoid as gd
from graphoid.counts.native import NativeEngine
from graphoid.data.table import Table
from graphoid.data.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable

N_ROWS = 20_000
BARS = {(2, 0): 40, (2, 1): 40, (2, 2): 40, (2, 4): 25, (2, 6): 10, (4, 0): 25, (4, 1): 25, (4, 2): 25, (4, 4): 25, (4, 6): 10}


def random_table(n_rows: int, n: int, arity: int, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    columns = tuple(rng.integers(0, arity, n_rows).astype(np.uint8) for _ in range(n))
    return Table(tuple(Variable(f"v{i}", tuple(range(arity))) for i in range(n)), columns, n_rows)


def plain_test(codes: list[np.ndarray], arity: int, x: int, y: int, given: tuple[int, ...], alpha: float) -> bool:
    index = np.zeros(len(codes[0]), dtype=np.int64)
    for v in (*given, x, y):
        index = index * arity + codes[v]
    table = np.bincount(index, minlength=arity ** (len(given) + 2)).reshape(-1, arity, arity)
    rows, columns = table.sum(axis=2, keepdims=True), table.sum(axis=1, keepdims=True)
    n = rows.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = rows * columns / n
        terms = (table - expected) ** 2 / expected
    statistic = np.nansum(terms)
    dof = (arity - 1) ** 2 * int((n > 0).sum())
    return bool(stats.chi2.sf(statistic, dof) > alpha)


def cpu(action: Callable[[], object], repeats: int) -> float:
    """Return the least CPU time of several runs, all threads together."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def wall(action: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def questions(n: int, size: int, how_many: int, seed: int = 1) -> list[tuple[int, int, tuple[int, ...]]]:
    rng = np.random.default_rng(seed)
    drawn = (rng.permutation(n)[: size + 2].tolist() for _ in range(how_many))
    return [(d[0], d[1], tuple(d[2:])) for d in drawn]


def whole_tests() -> bool:
    print(f"A chi-square test, {N_ROWS:,} rows, batches of 1,000 with random conditioning sets; CPU us a test")
    print(f"{'arity':>5} {'|Z|':>4} {'plain':>8} {'graphoid':>9} {'ratio':>7} {'bar':>5}")
    good = True
    for (arity, size), bar in BARS.items():
        table = random_table(N_ROWS, 40, arity)
        ci = gd.Tester(gd.ChiSquare(), NativeEngine(table, threads=1))
        asked = questions(40, size, 1000)
        ours = cpu(lambda: ci.ask(asked), 5) / 1000 * 1e6
        codes = [np.asarray(c, dtype=np.int64) for c in table.columns]
        few = asked[:20]
        plain = cpu(lambda: [plain_test(codes, arity, x, y, z, 0.05) for x, y, z in few], 5) / 20 * 1e6
        wrong = sum(plain_test(codes, arity, *q, 0.05) != v.independent for q, v in zip(few, ci.ask(few), strict=True))
        ratio = plain / ours
        ok = ratio >= bar and wrong == 0
        good &= ok
        print(f"{arity:>5} {size:>4} {plain:>8.1f} {ours:>9.2f} {ratio:>6.0f}x {bar:>4}x {'ok' if ok else 'MISSED'}")
    return good


def overhead() -> bool:
    table = random_table(64, 40, 2)
    ci = gd.Tester(gd.ChiSquare(), NativeEngine(table, threads=1))
    asked = questions(40, 2, 1000)
    each = cpu(lambda: ci.ask(asked), 20) / 1000 * 1e6
    ok = each < 2.0
    print(f"\nWhole cost of ask() with next to no data (64 rows), batches of 1,000: {each:.2f} us a test "
          f"(bar: below 2) {'ok' if ok else 'MISSED'}")
    return ok


def all_pairs() -> bool:
    good = True
    print("\nAll 1,225 unconditional tests of 50 variables x 20,000 rows in one ask(); wall ms")
    for arity in (2, 3, 4):
        table = random_table(N_ROWS, 50, arity)
        asked = [(x, y, ()) for x in range(50) for y in range(x + 1, 50)]
        columns = list(table.columns)

        def by_bincount(columns=columns, arity=arity):
            return [
                np.bincount(columns[x].astype(np.int64) * arity + columns[y], minlength=arity * arity)
                for x in range(50) for y in range(x + 1, 50)
            ]

        def by_small_bincount(columns=columns, arity=arity):
            return [
                np.bincount(columns[x] * np.uint8(arity) + columns[y], minlength=arity * arity)
                for x in range(50) for y in range(x + 1, 50)
            ]

        numpy_time = min(wall(by_bincount, 3), wall(by_small_bincount, 3))
        for threads in (1, 2):
            ci = gd.Tester(gd.ChiSquare(), NativeEngine(table, threads=threads))
            ours = wall(lambda ci=ci, asked=asked: ci.ask(asked), 20)
            ok = numpy_time / ours >= 30
            good &= ok or threads == 1
            print(f"  arity {arity}, {threads} thread(s): NumPy {numpy_time * 1e3:.1f}, graphoid {ours * 1e3:.2f}, "
                  f"{numpy_time / ours:.0f}x (bar 30x) {'ok' if ok else 'MISSED'}")
    return good


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    results = [whole_tests(), overhead(), all_pairs()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
