"""Counting tables with the kernels, against what else there is, all in one run.

Prints microseconds a table, the ratios, and whether each bar holds; exits with 1 if one does not. pandas,
pgmpy and causal-learn are measured where they are installed.

    python benchmarks/counting.py
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.engine import CountRequest
from graphoid.counts.native import NativeEngine
from measure import N_ROWS, best, closing_line, random_table, word

if TYPE_CHECKING:
    from graphoid.data.table import Table


def report(what: str, ours: float, others: dict[str, float], bar: float) -> None:
    """Print a line; the bar is against the first of the others, 0 for none."""
    against, theirs = next(iter(others.items()))
    shown = "  ".join(f"{name} {value:,.1f} ({value / ours:,.1f}x)" for name, value in others.items())
    how = f"  bar {bar:g}x {against}: {word(what, holds=theirs / ours >= bar)}" if bar else ""
    print(f"{what:<36} graphoid {ours:,.2f}  {shown}{how}")


def horner(columns: list[np.ndarray], arity: int) -> np.ndarray:
    """Return mixed-radix codes in the narrowest type that holds them: the best that plain NumPy can do."""
    cells = arity ** len(columns)
    kind = np.uint8 if cells <= 2**8 else np.uint16 if cells <= 2**16 else np.uint32
    index = columns[0].astype(kind)
    for column in columns[1:]:
        index = index * kind(arity) + column
    return index


def wide_horner(columns: list[np.ndarray], arity: int) -> np.ndarray:
    """Return mixed-radix codes in 64 bits, which tables of any size need."""
    index = columns[0]
    for column in columns[1:]:
        index = index * arity + column
    return index


def tables() -> None:
    """Count tables of two variables given |Z| others, in batches of 50 with random variables."""
    wide = NativeEngine(random_table(64, 2, 2)).simd == "avx512"
    rng = np.random.default_rng(1)
    for arity, sizes in ((2, (0, 1, 2, 4, 6, 10)), (4, (0, 2, 4, 6))):
        table = random_table(N_ROWS, 40, arity)
        engine = NativeEngine(table, threads=1)
        for size in sizes:
            asked = [tuple(rng.permutation(40)[: size + 2].tolist()) for _ in range(50)]
            requests = [CountRequest(variables) for variables in asked]
            ours = best(lambda: engine.table_cells(asked)) / len(asked)
            objects = best(lambda: engine.counts(requests)) / len(asked)
            columns = [[table.columns[v] for v in variables] for variables in asked]
            cells = arity ** (size + 2)
            plain = best(lambda: [np.bincount(horner(c, arity), minlength=cells) for c in columns])
            others = {"bincount": plain / len(asked), **group_by(table, asked[0]), **peers(table, asked[0])}
            bar = (25 if wide else 8) if arity == 2 and size <= 2 else 5
            if cells > N_ROWS:
                bar = 0  # mostly empty cells: no dense table any more
            report(f"arity {arity}, |Z| = {size} (objects {objects:.1f})", ours, others, bar)


def group_by(table: Table, variables: tuple[int, ...]) -> dict[str, float]:
    """Time a pandas group-by, where pandas is installed."""
    if importlib.util.find_spec("pandas") is None:
        return {}
    import pandas as pd

    frame = pd.DataFrame({f"v{v}": table.columns[v] for v in variables})
    names = list(frame.columns)
    return {"pandas": best(lambda: frame.groupby(names).size(), seconds=0.1)}


def peers(table: Table, variables: tuple[int, ...]) -> dict[str, float]:
    """Time whole chi-square tests of other packages, where installed: they offer no counts alone."""
    times = {}
    *given, x, y = variables
    if importlib.util.find_spec("causallearn") is not None:
        from causallearn.utils.cit import CIT

        data = np.stack(table.columns, axis=1).astype(np.int64)
        test = CIT(data, "chisq")

        def causal_learn() -> None:
            test.pvalue_cache.clear()  # it would answer the same question from memory
            test(x, y, given)

        times["causal-learn, a test"] = best(causal_learn, seconds=0.1)
    if importlib.util.find_spec("pgmpy") is not None:
        import pandas as pd
        from pgmpy.ci_tests import ChiSquare

        frame = pd.DataFrame({f"v{v}": table.columns[v] for v in variables})
        names = list(frame.columns)
        times["pgmpy, a test"] = best(
            lambda: ChiSquare(data=frame)(names[-2], names[-1], names[:-2], significance_level=0.05),
            seconds=0.1,
        )
    return times


def sparse() -> None:
    """List the configurations of 12 variables with 4 states: nearly as many as rows."""
    for n_rows in (N_ROWS, 1_000_000):
        table = random_table(n_rows, 12, 4)
        engine = NativeEngine(table, threads=1)
        request = [CountRequest(tuple(range(12)))]
        ours = best(lambda: engine.counts(request))
        columns = [column.astype(np.int64) for column in table.columns]
        others = {
            "unique": best(lambda: np.unique(wide_horner(columns, 4), return_counts=True)),
            "unique of uint32": best(lambda: np.unique(horner(list(table.columns), 4), return_counts=True)),
        }
        report(f"sparse, 12 of arity 4, {n_rows:,} rows", ours, others, 6)


def bandwidth() -> None:
    """Count a million rows densely, and read as many bytes of a buffer far beyond the caches."""
    n_rows = 1_000_000
    buffer = np.ones(2**28 // 8, dtype=np.uint64)
    per_byte = best(lambda: np.bitwise_or.reduce(buffer), seconds=1) / buffer.nbytes
    for size in (2, 4):
        engine = NativeEngine(random_table(n_rows, size + 2, 3), threads=1)
        asked = [tuple(range(size + 2))]
        ours = best(lambda: engine.table_cells(asked))
        share = per_byte * n_rows * (size + 2) / ours
        print(
            f"1,000,000 rows, arity 3, |Z| = {size}: {ours:,.0f} us, {share:.0%} of read bandwidth "
            f"({1e-3 / per_byte:.1f} GB/s)  bar 40%: {word(f'bandwidth, |Z| = {size}', holds=share >= 0.4)}"
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    simd = NativeEngine(random_table(64, 2, 2)).simd
    print(f"{simd}; microseconds a table; {N_ROWS:,} rows and one thread unless said otherwise")
    tables()
    sparse()
    bandwidth()
    sys.exit(closing_line())
