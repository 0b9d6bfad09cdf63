"""Data where they live: what it costs to count and to learn as rows and columns grow.

Five parts, each in a process of its own so that its peak memory is its own. CPU time is that of all threads.

``batch``  Fifty tests on a generated file of 20 columns with four values: one streamed pass against
decoding alone and
           against DuckDB, one GROUP BY after the other. Bars: at least 8 times less than DuckDB, at most
           1.7 times decoding, peak memory below 600 MB.
``learn``  GSIMN on a network of 37 variables, streamed; then again at alpha = .01 with what was kept. Bars:
           at most 10 times the CPU of one pass that only decodes; the second run reads at most 20 % of the
           rows.
``rows``   The same network with more and more rows: memory stays flat.
``columns`` All pairs of more and more columns of one file.
``sites``  Columns at two sites: bytes moved by GSMN*, GSIMN and PFMN. Bars: at most 80 % and 60 % of
GSMN*'s on three sets.

The network is alarm where ``GRAPHOID_DATA`` names a folder with ``bif/alarm.bif``, else a random one of its
size; the sets of ``sites`` are from its folder ``uci``, else simulated.

    python benchmarks/scale.py                       # small files, a minute
    python benchmarks/scale.py --rows 10000000 --write docs/scale   # the sizes of the bars; writes a table
    and a plot python benchmarks/scale.py --only rows --most 100000000
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.native import engine_for
from graphoid.data.stream import FileStream
from graphoid.experiments.prepared import AS_IT_IS, PREPARATIONS, prepared
from measure import closing_line, word
from queries import network

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = 500_000
"""Rows generated and written at a time."""

SETS = ("monks-1", "balance-scale", "hayes-roth", "car", "nursery", "tic-tac-toe", "bridges", "lenses")


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


def uniform(path: Path, rows: int, columns: int = 20) -> None:
    """Write independent columns of four values."""
    rng = np.random.default_rng(0)
    names = [f"c{k}" for k in range(columns)]
    with pq.ParquetWriter(path, pa.schema([(name, pa.int32()) for name in names])) as writer:
        for start in range(0, rows, CHUNK):
            n = min(CHUNK, rows - start)
            drawn = [pa.array(rng.integers(0, 4, n, dtype=np.int32)) for _ in names]
            writer.write_table(pa.table(drawn, names=names))


def sampled(path: Path, rows: int) -> None:
    """Write rows of the network, states as text."""
    bayesian = network()
    writer = None
    for start in range(0, rows, CHUNK):
        table = bayesian.sample(min(CHUNK, rows - start), start)
        arrays = [
            pa.DictionaryArray.from_arrays(
                pa.array(table.column(i).astype(np.int32)), [str(s) for s in v.states]
            ).cast(pa.string())
            for i, v in enumerate(table.variables)
        ]
        chunk = pa.table(arrays, names=list(table.names))
        writer = writer or pq.ParquetWriter(path, chunk.schema)
        writer.write_table(chunk)
    if writer is not None:
        writer.close()


def decoded(path: Path) -> int:
    """Go through a file and do nothing with it; return the number of rows."""
    stream = FileStream(path)
    return sum(len(cells[0]) for cells in stream.batches(range(len(stream.names))))


def batch(folder: Path, rows: int, most: int) -> dict[str, Any]:  # noqa: ARG001 - all parts are called alike
    """Count fifty tables in one streamed pass."""
    import duckdb

    path = folder / "uniform.parquet"
    uniform(path, rows)
    rng = np.random.default_rng(1)
    asked = [
        CountRequest(tuple(sorted(rng.choice(20, int(2 + k % 4), replace=False).tolist()))) for k in range(50)
    ]
    decoding, _ = cpu(lambda: decoded(path), 3)
    table = gd.read(path, where="source")

    def streamed() -> Any:
        from dataclasses import replace

        return engine_for(replace(table)).counts(asked)

    streaming, found = cpu(streamed, 3)
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
    return {"rows": rows, "decoding": decoding, "streaming": streaming, "duckdb": grouped, "peak": peak}


def learn(folder: Path, rows: int, most: int) -> dict[str, Any]:  # noqa: ARG001
    """Learn from a file, and again with what was kept."""
    path = folder / "network.parquet"
    sampled(path, rows)
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


def rows(folder: Path, rows: int, most: int) -> list[dict[str, Any]]:
    """Learn from files of more and more rows."""
    sizes, size = [], rows // 10
    while size < most:
        sizes.append(size)
        size *= 10 if size * 10 <= most else most // size or 1
    out = []
    for n in dict.fromkeys([*sizes, most]):
        path = folder / "network.parquet"
        sampled(path, n)
        command = [sys.executable, __file__, "--part", "one_size", "--folder", str(folder), "--rows", str(n)]
        out.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        out[-1]["megabytes"] = path.stat().st_size / 1e6
        path.unlink()
    return out


def one_size(folder: Path, rows: int, most: int) -> dict[str, Any]:  # noqa: ARG001
    """Read and learn from a file that is there."""
    start, wall = time.process_time(), time.perf_counter()
    table = gd.read(folder / "network.parquet", where="source")
    found = gd.GSIMN().fit(table).structure_
    return {
        "rows": rows, "cpu": time.process_time() - start, "seconds": time.perf_counter() - wall,
        "tests": found.cost.n_tests, "queries": found.cost.queries, "peak": peak_megabytes(),
    }  # fmt: skip


def columns(folder: Path, rows: int, most: int) -> list[dict[str, Any]]:  # noqa: ARG001
    """Count all pairs of more and more columns."""
    path = folder / "wide.parquet"
    n = min(rows, 1_000_000)
    uniform(path, n, 80)
    out = []
    for k in (10, 20, 40, 80):
        table = gd.read(path, columns=list(range(k)), where="source")
        pairs = [CountRequest((x, y)) for x in range(k) for y in range(x + 1, k)]
        engine = engine_for(table)
        engine._tabulator.merges = False
        taken, _ = cpu(lambda: engine.counts(pairs), 1)
        out.append({"columns": k, "rows": n, "tables": len(pairs), "cpu": taken})
    return out


def sites(folder: Path, rows: int, most: int) -> list[dict[str, Any]]:  # noqa: ARG001
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
        moved = {}
        for learner in (gd.GSMN(), gd.GSIMN(), gd.PFMN(random_state=0)):
            from dataclasses import replace

            moved[type(learner).__name__] = learner.fit(replace(there)).structure_.cost.bytes_moved
        out.append({"set": name, "rows": n, "columns": len(names), **moved})
    return out


def small_tables() -> list[tuple[str, Any]]:
    """Return sets of the UCI repository, or simulated ones."""
    folder = Path(os.environ.get("GRAPHOID_DATA", "")) / "uci"
    found = []
    for name in SETS:
        paths = (folder / f"{name}.csv", folder / f"{name}.csv.gz")
        kept = PREPARATIONS.get(name, AS_IT_IS)
        found += [(name, prepared(path, kept)) for path in paths if path.is_file()]
    if not found:
        for k in (6, 8, 10):
            rng = np.random.default_rng(k)
            model = gd.datasets.pairwise_binary(gd.datasets.random_graph(k, 3, rng), 1.0)
            found.append((f"random {k}", model.sample(2000, k)))
    return found


PARTS = {part.__name__: part for part in (batch, learn, rows, columns, sites, one_size)}


def judged(part: str, r: Any) -> list[str]:
    """Return the lines of a part, with its bars."""
    rows_of: dict[str, Callable[[Any], list[tuple[str, str]]]] = {
        "batch": of_batch,
        "learn": of_learn,
        "rows": of_rows,
        "columns": of_columns,
        "sites": of_sites,
    }
    return [f"| {what} | {measured} |" for what, measured in rows_of[part](r)]


def of_batch(r: Any) -> list[tuple[str, str]]:
    """Return the rows of the table about a batch."""
    versus, over = r["duckdb"] / r["streaming"], r["streaming"] / r["decoding"]
    took = f"decoding {r['decoding']:.2f} s, streamed {r['streaming']:.2f} s, DuckDB {r['duckdb']:.2f} s"
    return [
        (f"fifty tests, {r['rows']:,} rows x 20 columns", took),
        ("versus DuckDB (at least 8)", f"{versus:.1f} {word('DuckDB', holds=versus >= 8)}"),
        ("over decoding (at most 1.7)", f"{over:.2f} {word('decoding', holds=over <= 1.7)}"),
        ("peak memory (below 600 MB)", f"{r['peak']:.0f} MB {word('memory', holds=r['peak'] < 600)}"),
    ]


def of_learn(r: Any) -> list[tuple[str, str]]:
    """Return the rows of the table about learning twice."""
    over, share = r["first"] / r["decoding"], r["rows_read_again"] / r["rows_read"]
    took = f"decoding {r['decoding']:.2f} s, first run {r['first']:.2f} s (states {r['reading']:.2f} s)"
    found = f"{r['tests']:,} tests in {r['queries']} pass(es), {r['edges']} edges"
    again = f"{r['second']:.2f} s, {r['tests_again']:,} tests; {r['kept'] / 1e6:.0f} MB kept"
    return [
        (f"GSIMN, {r['rows']:,} rows x 37 columns", f"{took}; {found}"),
        ("over decoding (at most 10)", f"{over:.1f} {word('ten passes', holds=over <= 10)}"),
        ("second run, alpha = .01", again),
        ("rows read again (at most 20 %)", f"{share:.0%} {word('warm cache', holds=share <= 0.2)}"),
        ("peak memory", f"{r['peak']:.0f} MB"),
    ]


def of_rows(r: Any) -> list[tuple[str, str]]:
    """Return the rows of the table about more and more rows."""
    lines = []
    for one in r:
        speed = f"{one['cpu']:.1f} s CPU, {one['rows'] / one['cpu'] / 1e6:.2f} M rows/s"
        took = f"{one['tests']:,} tests, {one['queries']} pass(es), peak {one['peak']:.0f} MB"
        lines.append((f"GSIMN, {one['rows']:,} rows ({one['megabytes']:,.0f} MB)", f"{speed}, {took}"))
    return [*lines, ("peak memory, largest over smallest", f"{r[-1]['peak'] / r[0]['peak']:.1f}")]


def of_columns(r: Any) -> list[tuple[str, str]]:
    """Return the rows of the table about more and more columns."""
    return [
        (
            f"all {one['tables']:,} pairs of {one['columns']} columns, {one['rows']:,} rows",
            f"{one['cpu']:.2f} s CPU",
        )
        for one in r
    ]


def of_sites(r: Any) -> list[tuple[str, str]]:
    """Return the rows of the table about columns at two sites."""
    lines = []
    holds = {"GSIMN": 0, "PFMN": 0}
    for one in r:
        shares = {name: one[name] / one["GSMN"] for name in holds}
        holds["GSIMN"] += shares["GSIMN"] <= 0.8
        holds["PFMN"] += shares["PFMN"] <= 0.6
        moved = f"GSMN* {one['GSMN']:,} bytes, GSIMN {shares['GSIMN']:.0%}, PFMN {shares['PFMN']:.0%}"
        lines.append((f"{one['set']}: {one['columns']} columns at two sites, {one['rows']:,} rows", moved))
    gsimn, pfmn = holds["GSIMN"], holds["PFMN"]
    return [
        *lines,
        ("sets on which GSIMN moves at most 80 % (at least 3)", f"{gsimn} {word('GSIMN', holds=gsimn >= 3)}"),
        ("sets on which PFMN moves at most 60 % (at least 3)", f"{pfmn} {word('PFMN', holds=pfmn >= 3)}"),
    ]


def drawn(results: dict[str, Any], path: Path) -> None:
    """Draw CPU and memory against rows."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "graphoid"
    ran = results["rows"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    left.loglog([r["rows"] for r in ran], [r["cpu"] for r in ran], "o-")
    left.set(xlabel="rows", ylabel="CPU seconds", title="GSIMN, 37 variables, streamed")
    right.semilogx([r["rows"] for r in ran], [r["peak"] for r in ran], "o-")
    right.set(xlabel="rows", ylabel="peak memory, MB", ylim=(0, None))
    figure.savefig(path, metadata={"Date": None})


def main() -> int:
    """Run the parts and print a table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument(
        "--most", type=int, help="rows of the largest file of the part `rows`; as --rows if not given"
    )
    asked.add_argument("--only", choices=[p for p in PARTS if p != "one_size"], action="append")
    asked.add_argument("--write", type=Path, help="where to put the table (.md) and the plot (.svg)")
    asked.add_argument("--folder", type=Path, help="for files, which are removed at the end")
    asked.add_argument("--part", choices=list(PARTS), help=argparse.SUPPRESS)
    chosen = asked.parse_args()
    most = chosen.most or chosen.rows
    if chosen.part:
        print(json.dumps(PARTS[chosen.part](chosen.folder, chosen.rows, most)))
        return 0
    results, lines = {}, ["| what | measured |", "| --- | --- |"]
    for part in chosen.only or [p for p in PARTS if p != "one_size"]:
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            command = [
                sys.executable,
                __file__,
                "--part",
                part,
                "--folder",
                folder,
                "--rows",
                str(chosen.rows),
                "--most",
                str(most),
            ]
            ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        results[part] = json.loads(ran.stdout)
        said = judged(part, results[part])
        print("\n".join(said), flush=True)
        lines += said
    if chosen.write is not None:
        chosen.write.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if "rows" in results:
            drawn(results, chosen.write.with_suffix(".svg"))
    return closing_line()


if __name__ == "__main__":
    sys.exit(main())
