"""How learning grows with the number of variables: CPU seconds, peak memory, F1, and sizes of files.

Every row is one table, learned from by one learner in a process of its own, so that its peak memory is its
own; making the table is another process. Fields of binary variables are Ising networks (three neighbors on
average, couplings .3 to .6 of random sign, 2,000 rows); "states" has 3,772 variables of 3 states, 1,313 rows,
in pedigrees. After learning come ``edges()`` with weights, ``print``, ``save`` and ``report``.

    python benchmarks/width.py                     # 1,000 variables, a minute
    python benchmarks/width.py --sizes 4000 20000 --states --learner learn robust --seed 0

Bars (learning alone): 4,000 variables at most 8 CPU s and 600 MB, 20,000 at most 120 CPU s and 3 GB with an
F1 of at least .99; "states" at most 60 s.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import graphoid as gd
from graphoid.data.table import Table
from graphoid.data.variables import Variable

if TYPE_CHECKING:
    from collections.abc import Callable

BARS = {4_000: (8.0, 600.0), 20_000: (120.0, 3_000.0), 3_772: (60.0, float("inf"))}
"""CPU seconds and megabytes, by the number of variables."""

LEARNERS: dict[str, Callable[[], object]] = {
    "learn": lambda: None,
    "robust": gd.RobustGSMN,
    "gsmn": gd.GSMN,
    "gsimn": gd.GSIMN,
}


def sample(n: int, seed: int, path: Path) -> None:
    """Write a table and the graph that is to be found in it."""
    if n == 3_772:
        network = gd.datasets.pedigree(n, seed)
        table, edges = network.sample(1_313, seed + 1), network.graph.edges
    else:
        graph = gd.datasets.random_graph(n, 3, seed)
        field = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(0.3, 0.6), rng=seed)
        table, edges = field.sample(2_000, seed + 1), graph.edges
    np.savez(path, codes=np.asarray(table.codes, dtype=np.uint8), edges=np.array(edges))


def learn(path: Path, learner: str) -> dict[str, object]:
    """Learn from a table in a file; return what that took."""
    with np.load(path) as held:
        codes, edges = held["codes"], held["edges"]
    n = codes.shape[1]
    states = tuple(map(str, range(int(codes.max()) + 1)))
    columns = tuple(np.ascontiguousarray(codes[:, i]) for i in range(n))
    del codes
    variables = tuple(Variable(f"v{i}", states) for i in range(n))
    table = Table(variables, columns, len(columns[0]))
    truth = gd.UndirectedGraph(table.names, edges.tolist())
    took: dict[str, object] = {"variables": n, "learner": learner}

    def timed(name: str, action: Callable[[], Any]) -> Any:
        start = time.process_time()
        found = action()
        took[f"{name}_s"] = round(time.process_time() - start, 2)
        took[f"{name}_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return found

    found: gd.LearnedStructure = timed("learn", lambda: gd.learn(table, LEARNERS[learner]()))
    took["f1"] = round(found.compare(truth).f1, 4)
    timed("edges", found.edges)
    timed("print", lambda: str(found))
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("save", found.save), ("report", found.report)):
            file = Path(folder) / name
            timed(name, lambda write=write, file=file: write(file))  # type: ignore[misc]
            took[f"{name}_file_mb"] = round(file.stat().st_size / 1e6, 1)
    return took


def main() -> int:
    """Measure, print, and return 1 if a bar was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000])
    parser.add_argument("--states", action="store_true", help="the table of 3,772 variables of 3 states, too")
    parser.add_argument("--learner", nargs="*", default=["learn"], choices=LEARNERS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)  # what runs in a process of its own
    arguments = parser.parse_args()
    if arguments.part:
        what, argument, path = arguments.part
        if what == "sample":
            sample(int(argument), arguments.seed, Path(path))
        else:
            print(json.dumps(learn(Path(path), argument)))
        return 0
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for n in [*arguments.sizes, *([3_772] if arguments.states else [])]:
            path = Path(folder) / f"{n}.npz"
            command = [sys.executable, __file__, "--seed", str(arguments.seed), "--part"]
            subprocess.run([*command, "sample", str(n), str(path)], check=True)
            for learner in arguments.learner:
                part = [*command, "learn", learner, str(path)]
                done = subprocess.run(part, capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"{n:,} {learner}: {done.stderr.strip().splitlines()[-1:]}")
                    continue
                took = json.loads(done.stdout)
                most_s, most_mb = (
                    BARS.get(n, (float("inf"), float("inf"))) if learner == "learn" else (np.inf,) * 2
                )
                over = took["learn_s"] > most_s or took["learn_mb"] > most_mb
                over |= n == 20_000 and learner == "learn" and took["f1"] < 0.99
                missed += over
                print(f"{'MISSED ' if over else ''}{took}", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
