"""Counting tables through the engine, against what else there is, all in one run.

Prints microseconds a table, the ratios, and whether each bar holds; exits with 1 if one does not. Needs nothing
but NumPy and threadpoolctl; pandas, pgmpy and causal-learn are measured where they are installed.

    python benchmarks/counting.py
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import warnings
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from graphoid.counts.engine import CountRequest
from graphoid.counts.native import NativeEngine
from graphoid.data.table import Table
from graphoid.data.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable

N_ROWS = 20_000
failures: list[str] = []


def random_table(n_rows: int, n: int, arity: int, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    columns = tuple(rng.integers(0, arity, n_rows).astype(np.uint8) for _ in range(n))
    return Table(tuple(Variable(f"v{i}", tuple(range(arity))) for i in range(n)), columns, n_rows)


def best(action: Callable[[], object], seconds: float = 0.4, least: int = 3) -> float:
    """Return the least time of repeated runs, in microseconds."""
    times: list[float] = []
    until = time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < until:
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


def report(what: str, ours: float, others: dict[str, float], against: str, bar: float) -> None:
    ratio = others[against] / ours
    if ratio < bar:
        failures.append(what)
    shown = "  ".join(f"{name} {value:,.1f} ({value / ours:,.0f}x)" for name, value in others.items())
    print(f"{what:<42} graphoid {ours:,.2f} us   {shown}   " + (f"bar {bar:g}x {against}: {'ok' if ratio >= bar else 'MISSED'}" if bar else ""))


def horner(columns: list[np.ndarray], arity: int) -> np.ndarray:
    index = columns[0].astype(np.int64)
    for column in columns[1:]:
        index = index * arity + column
    return index


def small_horner(columns: list[np.ndarray], arity: int) -> np.ndarray:
    """Horner in the narrowest type that holds the codes: the best that plain NumPy can do."""
    kind = np.uint8 if arity ** len(columns) <= 256 else np.uint16 if arity ** len(columns) <= 65536 else np.uint32
    index = columns[0].astype(kind)
    for column in columns[1:]:
        index = index * kind(arity) + column
    return index


def tables() -> None:
    """Count tables of two variables given |Z| others, in batches of 200 with random variables."""
    narrow_bar = 25 if NativeEngine(random_table(64, 2, 2)).simd == "avx512" else 8
    rng = np.random.default_rng(1)
    for arity, sizes in ((2, (0, 1, 2, 4, 6, 10)), (4, (0, 2, 4, 6))):
        table = random_table(N_ROWS, 40, arity)
        engine = NativeEngine(table, threads=1)
        for size in sizes:
            asked = [CountRequest(tuple(rng.permutation(40)[: size + 2].tolist())) for _ in range(50)]
            bare = [request.variables for request in asked]
            ours = best(lambda engine=engine, bare=bare: engine.table_cells(bare)) / len(asked)
            objects = best(lambda engine=engine, asked=asked: engine.counts(asked)) / len(asked)
            columns = [[table.columns[v] for v in request.variables] for request in asked]
            cells = arity ** (size + 2)
            others = {
                "bincount": min(
                    best(lambda c=columns, a=arity, n=cells, h=h: [np.bincount(h(x, a), minlength=n) for x in c])
                    / len(columns)
                    for h in (horner, small_horner)
                )
            }
            others.update(group_by(table, asked[0].variables))
            others.update(peers(table, asked[0].variables))
            bar = narrow_bar if arity == 2 and size <= 2 else 5
            if cells > N_ROWS:  # mostly empty cells: no dense table, shown without a bar
                bar = 0
            report(f"arity {arity}, |Z| = {size} ({objects:.1f} us as Counts)", ours, others, "bincount", bar)


def group_by(table: Table, variables: tuple[int, ...]) -> dict[str, float]:
    if importlib.util.find_spec("pandas") is None:
        return {}
    import pandas as pd

    frame = pd.DataFrame({f"v{v}": table.columns[v] for v in variables})
    names = list(frame.columns)
    return {"pandas": best(lambda: frame.groupby(names).size(), 0.1)}


def peers(table: Table, variables: tuple[int, ...]) -> dict[str, float]:
    """Time whole chi-square tests of other packages, where installed: they offer no counts alone."""
    times = {}
    if importlib.util.find_spec("causallearn") is not None:
        from causallearn.utils.cit import CIT

        data = np.stack(table.columns, axis=1).astype(np.int64)
        given = list(variables[:-2])

        def one_test() -> float:
            return CIT(data, "chisq")(variables[-2], variables[-1], given)

        times["causal-learn test"] = best(one_test, 0.1)
    if importlib.util.find_spec("pgmpy") is not None:
        import pandas as pd
        from pgmpy.estimators.CITests import chi_square

        frame = pd.DataFrame({f"v{v}": table.columns[v] for v in variables})
        names = list(frame.columns)
        times["pgmpy test"] = best(
            lambda: chi_square(names[-2], names[-1], names[:-2], data=frame, boolean=True, significance_level=0.05), 0.1
        )
    return times


def sparse() -> None:
    """List the configurations of 12 variables with 4 states: nearly as many as rows."""
    for n_rows in (N_ROWS, 1_000_000):
        table = random_table(n_rows, 12, 4)
        engine = NativeEngine(table, threads=1)
        request = [CountRequest(tuple(range(12)))]
        ours = best(lambda engine=engine, r=request: engine.counts(r))
        columns = list(table.columns)
        unique = best(lambda c=columns: np.unique(horner(c, 4), return_counts=True))
        report(f"sparse, arity 4, |Z| = 10, {n_rows:,} rows", ours, {"unique": unique}, "unique", 6)


def one_against_all() -> None:
    for arity, given in ((2, (0, 1)), (4, (0,)), (4, (0, 1))):
        table = random_table(N_ROWS, 200, arity)
        engine = NativeEngine(table, threads=1)
        x, others = 2, list(range(3, 200))
        ours = best(lambda e=engine, x=x, o=others, g=given: e.one_against_cells(x, o, g)) / len(others)
        columns = list(table.columns)

        def by_numpy(columns=columns, arity=arity, given=given, x=x, others=others) -> list[np.ndarray]:
            base = small_horner([columns[v] for v in (*given, x)], arity).astype(np.uint16) * np.uint16(arity)
            return [np.bincount(base + columns[y], minlength=arity ** (len(given) + 2)) for y in others]

        numpy_time = best(by_numpy) / len(others)
        report(f"one against all, arity {arity}, |Z| = {len(given)}", ours, {"bincount": numpy_time}, "bincount", 20)


def all_pairs() -> None:
    for n in (200, 1000):
        table = random_table(N_ROWS, n, 2)
        engine = NativeEngine(table, threads=1)
        variables = list(range(n))
        ours = best(lambda e=engine, v=variables: e.pair_cells(v))
        numbers = np.stack(table.columns, axis=1).astype(np.float32)
        with threadpool_limits(1):
            gemm = best(lambda m=numbers: m.T @ m)
        both = best(lambda e=NativeEngine(table), v=variables: e.pair_cells(v))
        report(f"all pairs of {n} binary variables", ours, {"GEMM": gemm}, "GEMM", 10)
        print(f"    with all processors: {both:,.0f} us, {gemm / both:.0f}x one thread's GEMM")


def bandwidth() -> None:
    """Dense counting of a million rows against reading the same bytes."""
    n_rows = 1_000_000
    for size in (2, 4):
        engine = NativeEngine(random_table(n_rows, size + 2, 3), threads=1)
        request = [CountRequest(tuple(range(size + 2)))]
        ours = best(lambda e=engine, r=request: e.counts(r))
        n_bytes = n_rows * (size + 2)
        # a buffer far beyond the caches, read once through
        buffer = np.ones(2**28 // 8, dtype=np.uint64)
        read = best(lambda b=buffer: np.bitwise_or.reduce(b), 1.0) * n_bytes / buffer.nbytes
        share = read / ours
        ok = share >= 0.4
        if not ok:
            failures.append("bandwidth")
        print(
            f"1,000,000 rows, arity 3, |Z| = {size}: {ours:,.0f} us, {n_bytes / ours / 1e3:.1f} GB/s, "
            f"{share:.0%} of read bandwidth ({n_bytes / read / 1e3:.1f} GB/s)   bar 40%: {'ok' if ok else 'MISSED'}"
        )


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    warnings.simplefilter("ignore")
    print(f"instruction set: {NativeEngine(random_table(64, 2, 2)).simd}; {N_ROWS:,} rows unless said otherwise; one thread")
    tables()
    sparse()
    one_against_all()
    all_pairs()
    bandwidth()
    print("all bars hold" if not failures else f"missed: {', '.join(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
