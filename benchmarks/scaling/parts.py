"""The measurements: what it takes to count and to learn. CPU time is that of all threads."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.native import engine_for
from graphoid.data.remote.stream import FileStream
from graphoid.experiments.uci_tables import AS_IT_IS, PREPARATIONS, prepare
from scaling.files import KINDS, of_network, of_tree, uniform

if TYPE_CHECKING:
    from collections.abc import Callable

SETS = (
    *(
        "balance-scale",
        "balloons",
        "haberman",
        "hayes-roth",
        "car",
        "monks-1",
        "nursery",
        "cmc",
        "tic-tac-toe",
    ),
    *("bridges", "crx", "hepatitis", "lenses"),
)
"""Sets of the part ``sites``: those of PFMN's Table 1 with up to 20 columns, and a small one."""

WIDTHS = (10, 20, 37, 74, 148)
"""Columns of the part ``columns``."""


@dataclass(frozen=True)
class Sizes:
    """What a run was asked for."""

    folder: Path
    """Where files are put."""
    rows: int
    most: int
    """Rows of the largest file of the part ``rows`` that is of the network ..."""
    most_distinct: int
    """... and of the one whose rows nearly all differ."""


def cpu(action: Callable[[], Any], times: int = 2) -> tuple[float, Any]:
    """Return the least CPU seconds of some runs, and what the last returned."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        result = action()
        taken.append(time.process_time() - start)
    return min(taken), result


def peak_megabytes() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def decoded(path: Path) -> int:
    """Go through a file and do nothing with it; return the number of rows."""
    stream = FileStream(path)
    return sum(len(cells[0]) for cells in stream.batches(range(len(stream.names))))


def batch(sizes: Sizes) -> dict[str, Any]:
    """Count fifty tables in one streamed pass."""
    import duckdb

    path = sizes.folder / "uniform.parquet"
    uniform(path, sizes.rows)
    rng = np.random.default_rng(1)
    asked = [
        CountRequest(tuple(sorted(rng.choice(20, int(2 + k % 4), replace=False).tolist()))) for k in range(50)
    ]
    decoding, _ = cpu(lambda: decoded(path), 3)
    table = gd.read(path, where="source")
    streaming, found = cpu(lambda: engine_for(replace(table)).counts(asked), 3)
    peak = peak_megabytes()
    connection = duckdb.connect()

    def one_by_one() -> list[Any]:
        out = []
        for request in asked:
            names = ", ".join(f"c{v}" for v in request.variables)
            statement = f"SELECT {names}, count(*) FROM '{path}' GROUP BY {names} ORDER BY {names}"  # noqa: S608
            out.append(connection.execute(statement).fetchall())
        return out

    grouped, rows_of = cpu(one_by_one, 1)
    same = all(
        int(line[-1]) == n
        for counts, lines in zip(found, rows_of, strict=True)
        for line, n in zip(lines, counts.cells.reshape(-1), strict=True)
    )
    if not same:
        raise SystemExit("DuckDB and graphoid count differently")
    return {"rows": sizes.rows, "decoding": decoding, "streaming": streaming, "duckdb": grouped, "peak": peak}


def learn(sizes: Sizes) -> dict[str, Any]:
    """Learn from a file, and again with what was kept."""
    folder, rows = sizes.folder, sizes.rows
    path = folder / "network.parquet"
    of_network(path, rows)
    decoding, _ = cpu(lambda: decoded(path))
    start = time.process_time()
    table = gd.read(path, where="source", cache=folder / "kept")
    reading = time.process_time() - start
    first = gd.GSIMN().fit(table).structure_
    first_cpu = time.process_time() - start
    start = time.process_time()
    again = gd.read(path, where="source", cache=folder / "kept")
    second = gd.GSIMN(test=gd.ChiSquare(alpha=0.01)).fit(again).structure_
    second_cpu = time.process_time() - start
    return {
        "rows": rows, "decoding": decoding, "reading": reading, "first": first_cpu, "second": second_cpu,
        "tests": first.cost.n_tests, "queries": first.cost.queries, "edges": first.graph.n_edges,
        "rows_read": first.cost.rows_read + rows, "rows_read_again": second.cost.rows_read,
        "tests_again": second.cost.n_tests,
        "kept": (folder / "kept").stat().st_size, "peak": peak_megabytes(),
    }  # fmt: skip


def rows(sizes: Sizes) -> list[dict[str, Any]]:
    """Learn from files of more and more rows, each in a process of its own: its peak memory is its own."""
    out = []
    for kind, most in (("network", sizes.most), ("tree", sizes.most_distinct)):
        for n in ladder(sizes.rows // 10, most):
            path = sizes.folder / f"{kind}-{n}.parquet"
            there = path.is_file()
            if not there:
                KINDS[kind](path, n)
            command = [sys.executable, sys.argv[0], "--learn-from", str(path)]
            ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            size = path.stat().st_size / 1e6
            out.append({"kind": kind, "rows": n, "megabytes": size, **json.loads(ran.stdout)})
            if not there:
                path.unlink()
    return out


def ladder(least: int, most: int) -> list[int]:
    """Return sizes from the least to the most, by about a factor of three.

    >>> ladder(1_000_000, 100_000_000)
    [1000000, 3000000, 10000000, 30000000, 100000000]
    """
    sizes, size = [], least
    while size < most:
        sizes += [s for s in (size, 3 * size) if s < most]
        size *= 10
    return [*sizes, most]


def learned(path: Path) -> dict[str, Any]:
    """Read a file, learn from it, and return what that took."""
    start, wall = time.process_time(), time.perf_counter()
    table = gd.read(path, where="source")
    found = gd.GSIMN().fit(table).structure_
    cost = found.cost
    return {
        "cpu": time.process_time() - start, "seconds": time.perf_counter() - wall,
        "tests": cost.n_tests, "queries": cost.queries, "rows_read": cost.rows_read,
        "edges": found.graph.n_edges, "peak": peak_megabytes(),
    }  # fmt: skip


def columns(sizes: Sizes) -> list[dict[str, Any]]:
    """Count all pairs of more and more columns, and learn from them."""
    out = []
    n = min(sizes.rows // 10, 1_000_000)
    for k in WIDTHS:
        path = sizes.folder / f"wide-{k}.parquet"
        of_tree(path, n, k)
        decoding, _ = cpu(lambda path=path: decoded(path), 1)
        table = gd.read(path, where="source")
        pairs = [CountRequest((x, y)) for x in range(k) for y in range(x + 1, k)]
        engine = engine_for(replace(table))
        engine._tabulator.merges = False
        counting, _ = cpu(lambda engine=engine, pairs=pairs: engine.counts(pairs), 1)
        start = time.process_time()
        cost = gd.GSIMN().fit(table).structure_.cost
        out.append({
            "columns": k, "rows": n, "tables": len(pairs), "decoding": decoding, "cpu": counting,
            "learning": time.process_time() - start, "tests": cost.n_tests,
        })  # fmt: skip
        path.unlink()
    return out


def sites(sizes: Sizes) -> list[dict[str, Any]]:  # noqa: ARG001 - all parts are called alike
    """Learn from columns at two sites."""
    out = []
    for name, table in small_tables():
        n = table.n_rows
        rng = np.random.default_rng(3)
        arrays = [  # states that are declared, so that nothing is taken for an identifier
            pa.DictionaryArray.from_arrays(
                pa.array(table.column(i).astype(np.int32)), [str(s) for s in v.states]
            )
            for i, v in enumerate(table.variables)
        ]
        names = list(table.names)
        whole = pa.table([pa.array(rng.permutation(n)), *arrays], names=["key of rows", *names])
        half = (len(names) + 1) // 2
        there = gd.federate(
            {
                "one": whole.select(["key of rows", *names[:half]]),
                "two": whole.select(["key of rows", *names[half:]]),
            },
            key="key of rows",
        )
        learners = (gd.GSMN(), gd.GSIMN(), gd.PFMN(random_state=0))
        moved = {type(a).__name__: a.fit(replace(there)).structure_.cost.bytes_moved for a in learners}
        out.append({"set": name, "rows": n, "columns": len(names), **moved})
    return out


def small_tables() -> list[tuple[str, Any]]:
    """Return sets of the UCI repository, or simulated ones."""
    folder = Path(os.environ.get("GRAPHOID_DATA", "")) / "uci"
    found = []
    for name in SETS:
        paths = (folder / f"{name}.csv", folder / f"{name}.csv.gz")
        kept = PREPARATIONS.get(name, AS_IT_IS)
        found += [(name, prepare(path, kept)) for path in paths if path.is_file()]
    if not found:
        for k in (6, 8, 10):
            rng = np.random.default_rng(k)
            model = gd.datasets.pairwise_binary(gd.datasets.random_graph(k, 3, rng), 1.0)
            found.append((f"random {k}", model.sample(2000, k)))
    return found


PARTS = {part.__name__: part for part in (batch, learn, rows, columns, sites)}
