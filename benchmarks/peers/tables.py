"""Tables and their graphs as files, for processes that learn from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from peers.problems import Problem

if TYPE_CHECKING:
    from pathlib import Path


def save(problem: Problem, path: Path) -> None:
    """Write codes, numbers of states and edges."""
    table, graph = problem
    np.savez(
        path,
        codes=np.stack([table.column(name) for name in graph.names]).astype(np.uint8),
        states=np.array([table.variables[table.position(name)].arity for name in graph.names]),
        edges=np.array(graph.edges, dtype=np.int64).reshape(-1, 2),
    )


def load(path: Path) -> Problem:
    """Read them: nominal columns v0, v1, ... in the order of the graph."""
    with np.load(path) as file:
        codes, states, edges = file["codes"], file["states"], file["edges"]
    names = [f"v{v}" for v in range(len(states))]
    variables = tuple(
        gd.Variable(name, tuple(f"s{s}" for s in range(n))) for name, n in zip(names, states, strict=True)
    )
    table = gd.Table(variables, tuple(codes), codes.shape[1])
    return Problem(table, gd.UndirectedGraph(names, [(int(x), int(y)) for x, y in edges]))
