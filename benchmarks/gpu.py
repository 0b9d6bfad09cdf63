"""All pairs on a GPU: speed beside the product of matrices alone, agreement with the native engine, learning.

    python benchmarks/gpu.py pairs       # 100,000 binary and 20,000 four-state columns, 10,000 rows
    python benchmarks/gpu.py growth      # binary columns, beside the native engine
    python benchmarks/gpu.py agree --tables 1000
    python benchmarks/gpu.py learn --sizes 20000 100000

Columns of ``pairs`` are at random, every third a noisy copy of another. Networks of ``learn`` are Ising
fields of 1.5 edges a variable, couplings .3 to .6 of random sign, 5,000 rows. Times are of the wall, the best
of three for what runs on the device. Where there is no GPU, ``agree`` runs on the processor and the others
say so.

Bars (one H200, 16 cores): 100,000 binary columns at most .4 s on the device and at most twice the product
alone, 1 s with transfers; 20,000 of four states .5 s; 100,000 variables learned in 5 minutes and 16 GB with
an F1 of at least .98, 20,000 in 30 s; every table agrees.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

import graphoid as gd
from graphoid.counts.engine import CountRequest, Kernel, ScreenRequest
from graphoid.counts.gpu.engine import GpuEngine, device_there
from graphoid.counts.gpu.planes import Lines
from graphoid.counts.native import NativeEngine
from graphoid.data.table import Table
from graphoid.data.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable

sys.path.insert(0, str(Path(__file__).parents[1]))

PARTNERS = 32
TIMES = 3


def table_of(codes: np.ndarray, n_states: int) -> Table:
    """Return a table from a line of codes for every variable."""
    states = tuple(map(str, range(n_states)))
    return Table(tuple(Variable(f"v{i}", states) for i in range(len(codes))), tuple(codes), codes.shape[1])


def noisy_copies(n: int, n_rows: int, n_states: int, rng: np.random.Generator) -> np.ndarray:
    """Return columns at random of which every third has seven of ten cells of the one before."""
    codes = rng.integers(0, n_states, (n, n_rows), dtype=np.uint8)
    for i in range(1, n, 3):
        same = rng.random(n_rows) < 0.7
        codes[i][same] = codes[i - 1][same]
    return codes


def seconds_of(work: Callable[[], object], times: int = TIMES) -> float:
    """Return the least time of several."""
    taken = []
    for _ in range(times):
        torch.cuda.synchronize()
        began = time.perf_counter()
        work()
        torch.cuda.synchronize()
        taken.append(time.perf_counter() - began)
    return min(taken)


def pairs(seed: int) -> bool:
    """Measure the look at all pairs; return whether the bars hold."""
    small = GpuEngine(table_of(np.zeros((64, 64), dtype=np.uint8), 2))
    small.screen(Kernel("g"), list(range(64)), ScreenRequest(PARTNERS))  # loads what the device runs
    cells = [(100_000, 2, 0.4), (20_000, 4, 0.5)]
    held = [look_at_pairs(*cell, np.random.default_rng(seed)) for cell in cells]
    return all(held)


def look_at_pairs(n: int, n_states: int, most: float, rng: np.random.Generator) -> bool:
    """Measure one table, which may take ``most`` seconds on the device; return whether the bars hold."""
    engine = GpuEngine(table_of(noisy_copies(n, 10_000, n_states, rng), n_states))
    torch.cuda.synchronize()
    began = time.perf_counter()
    chosen = engine.pair_filter("g")
    torch.cuda.synchronize()
    sent = time.perf_counter() - began
    on_device = seconds_of(lambda: chosen.pairs(PARTNERS, -np.inf))
    planes = chosen.planes.matrix(Lines(np.arange(n), (1,) if n_states == 2 else tuple(range(n_states))))

    def product() -> None:
        for first in range(0, len(planes), 8192):
            torch._int_mm(planes[first : first + 8192], planes.t())

    alone = seconds_of(product)
    began = time.perf_counter()
    engine.screen(Kernel("g"), list(range(n)), ScreenRequest(PARTNERS))
    judged = time.perf_counter() - began - on_device
    good = on_device <= most and (n_states > 2 or (alone / on_device >= 0.5 and sent + on_device <= 1))
    print(
        f"{'' if good else 'MISSED '}{n:,} columns of {n_states} states: {on_device:.3f} s on the device "
        f"(product alone {alone:.3f}, {alone / on_device:.0%}), {sent:.3f} s to send the table, "
        f"{judged:.3f} s to judge what is left natively",
        flush=True,
    )
    return good


def growth(seed: int) -> bool:
    """Measure how the look at all pairs grows, natively as far as that takes seconds; there are no bars."""
    for n in (6_250, 12_500, 25_000, 50_000, 100_000):
        table = table_of(noisy_copies(n, 10_000, 2, np.random.default_rng(seed)), 2)
        engine, keep = GpuEngine(table), ScreenRequest(partners=PARTNERS)
        chosen = engine.pair_filter("g")
        on_device = seconds_of(lambda chosen=chosen: chosen.pairs(PARTNERS, -np.inf))  # type: ignore[misc]
        native = "not measured"
        if n <= 25_000:
            began = time.perf_counter()
            NativeEngine(table).screen(Kernel("g"), list(range(n)), keep)
            native = f"{time.perf_counter() - began:.2f} s"
        print(
            f"{n:,} binary columns x 10,000 rows: {on_device:.4f} s on the device; natively {native}",
            flush=True,
        )
    return True


def agree(seed: int, tables: int) -> bool:
    """Compare counts and the strongest pairs with the native engine; return whether all are the same."""
    from tests.support.odd_codes import random_codes

    different = 0
    for number in range(tables):
        rng = np.random.default_rng([seed, number])
        table = random_codes(rng)
        n = len(table.variables)
        kernel = Kernel(str(rng.choice(["g", "chi_square"])))
        keep = ScreenRequest(int(rng.integers(0, 33)), float(rng.choice([-np.inf, -np.inf, -3.0, -20.0])))
        rank, memory = rng.permutation(n).tolist(), int(rng.choice([2**24, 2**26, 2**30]))
        native, other = NativeEngine(table), GpuEngine(table, memory=memory)
        same = all(
            np.array_equal(a, b)
            for a, b in zip(native.screen(kernel, rank, keep), other.screen(kernel, rank, keep), strict=True)
        )
        x, y = (int(v) for v in rng.choice(n, 2, replace=False))
        a, b = (Lines(np.array([v]), tuple(range(table.variables[v].arity))) for v in (x, y))
        counts = other.pair_filter(kernel.kind).planes.counts(a, b)[:, 0, :, 0].cpu().numpy()
        unit = 1.0 if table.weights is None else table.weights.unit
        same &= np.array_equal(counts * unit, native.counts([CountRequest((x, y))])[0].dense())
        if not same:
            different += 1
            print(f"MISSED table {number} of seed {seed}: {n} columns, {table.n_rows} rows, {keep}")
    print(f"{tables - different:,} of {tables:,} tables agree in counts and strongest pairs")
    return different == 0


def field_of(n: int, n_rows: int, seed: int) -> tuple[gd.UndirectedGraph, Table]:
    """Return a graph of 1.5 edges a variable and rows of an Ising field on it."""
    rng = np.random.default_rng(seed)
    ends = np.unique(np.sort(rng.integers(0, n, (int(1.5 * n) + 8, 2)), axis=1), axis=0)
    graph = gd.UndirectedGraph(n, ends[ends[:, 0] < ends[:, 1]].tolist())
    field = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(0.3, 0.6), rng=seed)
    return graph, field.sample(n_rows, seed + 1)


def learn(seed: int, sizes: list[int], folder: Path | None) -> bool:
    """Learn from wide tables; return whether the bars hold."""
    held = True
    for n in sizes:
        graph, table = field_of(n, 5_000, seed)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        began, cpu = time.perf_counter(), time.process_time()
        found = gd.learn(table, engine="gpu")
        took, busy = time.perf_counter() - began, time.process_time() - cpu
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        f1 = found.compare(graph).f1
        good = f1 >= 0.98 and took <= (300 if n > 20_000 else 30) and memory <= 16
        held &= good
        print(
            f"{'' if good else 'MISSED '}{n:,} variables, {table.n_rows:,} rows: {took:.1f} s "
            f"({busy:.0f} CPU s), {memory:.1f} GB at most ({before:.1f} before), F1 {f1:.4f}, "
            f"{found.graph.n_edges:,} edges",
            flush=True,
        )
        if folder is not None:
            for name, write in (
                ("found.graphml", found.to_graphml),
                ("page.html", found.report),
                ("around.html", lambda path, found=found: found.report(path, around=0)),
            ):
                began = time.perf_counter()
                write(folder / name)
                size = (folder / name).stat().st_size / 1e6
                print(f"  {name}: {time.perf_counter() - began:.1f} s, {size:.1f} MB", flush=True)
    return held


def main() -> int:
    """Measure, print, and return 1 if a bar was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("what", nargs="?", choices=["pairs", "growth", "agree", "learn"], default="agree")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="*", default=[20_000])
    parser.add_argument("--folder", type=Path, help="learn: also write GraphML and pages there")
    arguments = parser.parse_args()
    if arguments.what != "agree" and device_there() is None:
        print("there is no GPU that PyTorch can use: nothing is measured")
        return 0
    if arguments.what == "pairs":
        return int(not pairs(arguments.seed))
    if arguments.what == "growth":
        return int(not growth(arguments.seed))
    if arguments.what == "learn":
        return int(not learn(arguments.seed, arguments.sizes, arguments.folder))
    return int(not agree(arguments.seed, arguments.tables))


if __name__ == "__main__":
    raise SystemExit(main())
