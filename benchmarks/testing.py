"""A whole test of independence through ``Tester.ask``, against a plain NumPy test in the same run.

The plain test is what most people would write: int64 codes, Horner, ``numpy.bincount``, ``scipy.stats``.
Prints CPU time a test, the ratio, and whether each bar holds; exits with 1 if one does not.

    python benchmarks/testing.py
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy import stats

import graphoid as gd
from graphoid.counts.native import NativeEngine
from measure import N_ROWS, best, closing_line, random_table, word

# arity, size of the conditioning set, how many times faster than the plain test
BARS = [(2, 0, 40), (2, 1, 40), (2, 2, 40), (2, 4, 25), (2, 6, 10)]
BARS += [(4, 0, 25), (4, 1, 25), (4, 2, 25), (4, 4, 25), (4, 6, 10)]

Asked = list[tuple[int, int, tuple[int, ...]]]


def plain_test(
    codes: list[np.ndarray], arity: int, x: int, y: int, given: tuple[int, ...], alpha: float = 0.05
) -> bool:
    """Return whether x is independent of y given others, by a chi-square test."""
    index = np.zeros(len(codes[0]), dtype=np.int64)
    for v in (*given, x, y):
        index = index * arity + codes[v]
    table = np.bincount(index, minlength=arity ** (len(given) + 2)).reshape(-1, arity, arity)
    rows, columns = table.sum(axis=2, keepdims=True), table.sum(axis=1, keepdims=True)
    n = rows.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = rows * columns / n
        terms = (table - expected) ** 2 / expected
    dof = (arity - 1) ** 2 * int((n > 0).sum())
    return bool(stats.chi2.sf(np.nansum(terms), dof) > alpha)


def random_questions(n: int, size: int, how_many: int) -> Asked:
    """Return questions about random variables given random others."""
    rng = np.random.default_rng(1)
    drawn = (rng.permutation(n)[: size + 2].tolist() for _ in range(how_many))
    return [(d[0], d[1], tuple(d[2:])) for d in drawn]


def whole_tests() -> None:
    """Time batches of 1,000 tests, each with a conditioning set of its own."""
    print(f"A chi-square test, {N_ROWS:,} rows, batches of 1,000, random conditioning sets; CPU us a test")
    print(f"{'arity':>5} {'|Z|':>4} {'plain':>8} {'graphoid':>9} {'ratio':>7} {'bar':>5}")
    for arity, size, bar in BARS:
        table = random_table(N_ROWS, 40, arity)
        ci = gd.Tester(gd.ChiSquare(), NativeEngine(table, threads=1))
        asked = random_questions(40, size, 1000)
        ours = best(lambda: ci.ask(asked), clock=time.process_time, seconds=1) / len(asked)
        codes = [np.asarray(c, dtype=np.int64) for c in table.columns]
        few = asked[:20]
        plain = best(lambda: [plain_test(codes, arity, *q) for q in few], clock=time.process_time) / len(few)
        same = [plain_test(codes, arity, *q) for q in few] == [v.independent for v in ci.ask(few)]
        how = word(f"arity {arity}, |Z| = {size}", holds=same and plain / ours >= bar)
        print(f"{arity:>5} {size:>4} {plain:>8.1f} {ours:>9.2f} {plain / ours:>6.0f}x {bar:>4}x {how}")


def overhead() -> None:
    """Time ask() where there is next to nothing to count."""
    ci = gd.Tester(gd.ChiSquare(), NativeEngine(random_table(64, 40, 2), threads=1))
    asked = random_questions(40, 2, 1000)
    each = best(lambda: ci.ask(asked), clock=time.process_time) / len(asked)
    one = best(lambda: ci.ask(asked[:1]))
    print(
        f"\nThe whole of ask() on 64 rows: {each:.2f} us a test in batches of 1,000 (bar: below 2) "
        f"{word('overhead', holds=each < 2)}; a single question {one:.1f} us"
    )


def all_pairs() -> None:
    """Time all unconditional tests of 50 variables in one batch."""
    print(f"\nAll 1,225 unconditional tests of 50 variables x {N_ROWS:,} rows in one ask(); wall ms")
    asked: Asked = [(x, y, ()) for x in range(50) for y in range(x + 1, 50)]
    for arity in (2, 3, 4):
        table = random_table(N_ROWS, 50, arity)
        columns, cells = list(table.columns), arity * arity

        def by_bincount(kind: type) -> list[np.ndarray]:
            narrow = [c.astype(kind) for c in columns]
            return [np.bincount(narrow[x] * kind(arity) + narrow[y], minlength=cells) for x, y, _ in asked]

        plain = min(best(lambda: by_bincount(kind)) for kind in (np.uint8, np.int64))
        for threads in (1, None):
            ci = gd.Tester(gd.ChiSquare(), NativeEngine(table, threads=threads))
            ours = best(lambda: ci.ask(asked))
            who = "one thread" if threads else "all processors"
            how = word(f"all pairs, arity {arity}, {who}", holds=plain / ours >= 30)
            print(
                f"  arity {arity}, {who}: bincount {plain / 1e3:.1f}, graphoid {ours / 1e3:.2f}, "
                f"{plain / ours:.0f}x (bar 30x) {how}"
            )


if __name__ == "__main__":
    whole_tests()
    overhead()
    all_pairs()
    sys.exit(closing_line())
