"""One learner on one table: ``python -m peers.child NAME TABLE RESULT``, started by runs.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import graphoid as gd
from peers.learners import LEARNERS, MissingError, cpu_seconds
from peers.tables import load


def peak_megabytes() -> float:
    """Return the most memory that this program has had; not of the one that started it, as getrusage does."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return max((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM")), default=0.0)


def result(name: str, table: str, begun: Path) -> dict[str, Any]:
    """Return what a learner found, what that took, and how right it is."""
    problem = load(Path(table))
    try:
        learn = LEARNERS[name].prepare(problem.table)
        begun.touch()
        start = cpu_seconds()
        found = learn()
        seconds = cpu_seconds() - start
    except MissingError as error:
        return {"status": "missing", "note": str(error)}
    except MemoryError as error:  # also what graphoid refuses to begin
        return {"status": "memory", "note": str(error).split(". ")[0]}
    except Exception as error:  # noqa: BLE001 - whatever a peer raises becomes its row
        return {"status": "failed", "note": f"{type(error).__name__}: {error}"}
    graph = gd.UndirectedGraph(problem.graph.names, found.edges)
    return {
        "status": "ended",
        "f1": gd.compare(graph, problem.graph).f1,
        "edges": graph.n_edges,
        "seconds": seconds if found.seconds is None else found.seconds,
        "megabytes": found.peak or peak_megabytes(),
    }


if __name__ == "__main__":
    out = Path(sys.argv[3])
    out.write_text(json.dumps(result(sys.argv[1], sys.argv[2], out.with_suffix(".begun"))), encoding="utf-8")
