"""Reading Parquet into codes, against Arrow reading the same file into memory.

The bar: 1,000,000 rows x 100 columns in less than 3 times Arrow's time, at a peak of memory below 3 times the
size of the codes. Exits with 1 if it is missed. Every reader runs in a process of its own; times are the best
of several runs, as others may be busy on the machine; memory is the growth of the largest resident size over
the first run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS, COLUMNS, RUNS = 1_000_000, 100, 5
BAR = 3.0
KINDS = ("int64", "int8", "string")


def make(path: Path, kind: str) -> None:
    """Write a file of columns of one kind."""
    rng = np.random.default_rng(0)
    columns = {}
    for i in range(COLUMNS):
        n_states = 2 + i % 9
        codes = rng.integers(0, n_states, ROWS)
        if kind == "string":
            states = pa.array([f"level {state}" for state in range(n_states)])
            columns[f"v{i}"] = states.take(pa.array(codes))
        else:
            columns[f"v{i}"] = pa.array(codes.astype(kind))
    pq.write_table(pa.table(columns), path)


def peak() -> int:
    """Return the largest resident size of this process so far, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def measure(reader: str, path: str) -> None:
    """Print the best time and the growth of memory of one reader; runs in a process of its own."""
    import graphoid as gd

    gd.read(np.zeros((1, 1), dtype=np.uint8))  # imports are not part of what is measured
    import graphoid.data.formats.parquet

    read = pq.read_table if reader == "arrow" else gd.read
    before = peak()
    seconds, grown = [], 0
    for run in range(RUNS):
        start = time.perf_counter()
        table = read(path)
        seconds.append(time.perf_counter() - start)
        if run == 0:
            grown = peak() - before
        del table
    print(json.dumps({"seconds": min(seconds), "first": seconds[0], "bytes": grown}))


def main() -> int:
    """Measure both readers on every kind of column; return the exit code."""
    codes = ROWS * COLUMNS
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            path = Path(folder) / f"{kind}.parquet"
            make(path, kind)
            found = {}
            for reader in ("arrow", "graphoid"):
                command = [sys.executable, __file__, reader, str(path)]
                found[reader] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            path.unlink()
            ratio = found["graphoid"]["seconds"] / found["arrow"]["seconds"]
            memory = found["graphoid"]["bytes"] / codes
            ok = ratio < BAR and memory < BAR
            missed += not ok
            print(
                f"{kind:7s} arrow {found['arrow']['seconds']:.3f} s (first {found['arrow']['first']:.3f} s, "
                f"{found['arrow']['bytes'] / 1e6:.0f} MB)  graphoid {found['graphoid']['seconds']:.3f} s "
                f"(first {found['graphoid']['first']:.3f} s, {found['graphoid']['bytes'] / 1e6:.0f} MB)  "
                f"time x{ratio:.2f}  memory x{memory:.2f} of the codes  {'ok' if ok else 'MISSED'}"
            )
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(*sys.argv[1:])
    else:
        sys.exit(main())
