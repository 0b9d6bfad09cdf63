"""Learners in processes, on tables that are drawn once."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from peers.process import Limit, run
from peers.results import Row
from peers.tables import save

if TYPE_CHECKING:
    from collections.abc import Callable

    from peers.problems import Problem

    Make = Callable[[int, int], Problem]

HERE = Path(__file__).resolve().parents[1]


class Task(NamedTuple):
    """What one worker does: a learner on networks that follow each other."""

    learner: str
    parts: tuple[str, ...]
    run: Callable[[], list[Row]]


@dataclass
class Runs:
    """What runs share: the limit, a folder, and tables by name, rows and seed."""

    limit: Limit
    folder: Path
    _sizes: dict[Path, tuple[int, int, bool]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def table(self, name: str, make: Make, rows: int, seed: int) -> tuple[Path, int, int, bool]:
        """Return the file of a table, its number of columns and of true edges, and whether it is binary."""
        path = self.folder / f"{name}-{rows}-{seed}.npz"
        with self._lock:
            if path not in self._sizes:
                problem = make(rows, seed)
                save(problem, path)
                binary = all(variable.arity <= 2 for variable in problem.table.variables)
                self._sizes[path] = (problem.graph.n, problem.graph.n_edges, binary)
        return path, *self._sizes[path]

    def one(self, learner: str, part: str, path: Path, size: tuple[int, int, int, int]) -> Row:
        """Run a learner on a table of so many rows, columns and true edges, the sample being numbered."""
        rows, columns, true_edges, sample = size
        with tempfile.TemporaryDirectory(dir=self.folder) as own:
            out = Path(own) / "result.json"
            command = [sys.executable, "-W", "ignore", "-m", "peers.child", learner, str(path), str(out)]
            ended = run(command, self.limit, out.with_suffix(".begun"), Path(own))
            known = json.loads(out.read_text(encoding="utf-8")) if out.is_file() else {}
        row = Row(part, learner, rows, columns, sample, ended.status, true_edges=true_edges)
        if ended.status == "ended" and known:
            # what is seen from outside counts where the other does not know its own: processes beside it
            known["megabytes"] = known.get("megabytes") or ended.megabytes
            row = row._replace(**known)
        elif ended.status == "failed":
            row = row._replace(note=(ended.said.splitlines() or [""])[-1])
        print(_line(row), flush=True)
        return row


def _line(row: Row) -> str:
    cost = f"{row.seconds:.2f} s, {row.megabytes:.0f} MB" if row.status == "ended" else row.status
    right = f", F1 {row.f1:.3f}" if row.f1 is not None else ""
    return f"{row.part}, {row.rows:,} x {row.columns}, {row.learner}: {cost}{right} {row.note}".rstrip()


def environment() -> None:
    """Let processes that are started find this package."""
    old = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), *([old] if old else [])])
