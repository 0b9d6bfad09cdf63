"""Whether learners keep the false discovery rates that they promise.

Random pairwise fields of 24 variables, from independent columns to dense graphs, two to twenty states,
ordered and nominal, even and skewed; the share of false edges among those found, mean over data sets, with
its standard error, and F1. A rate holds if it is at most two standard errors above the promise. Prints a line
a cell and learner; exits with 1 if a rate does not hold.

    python benchmarks/truth/discoveries.py [DATA SETS] [FIRST SEED] [cell ...]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import graphoid as gd

sys.path.insert(0, str(Path(__file__).parents[1]))  # what all benchmarks share
from generators import random_edges, sample_field, table_of, term, thresholds

from measure import closing_line, word

N = 24
LEARNERS = {
    "robust": (0.04, gd.RobustGSMN()),
    "GSMN": (0.05, gd.GSMN(fdr=0.05)),
    "GSIMN": (0.05, gd.GSIMN(fdr=0.05)),
}


class Cell(NamedTuple):
    """A kind of field; the weight is the size of a pair's log potential."""

    kind: str
    states: int
    edges: int
    weight: float
    rows: tuple[int, ...]
    skewed: bool = False


CELLS = {
    "independent-2": Cell("nominal", 2, 0, 0, (100, 300, 1_000)),
    "independent-5": Cell("ordered", 5, 0, 0, (100, 300, 1_000)),
    "independent-20": Cell("nominal", 20, 0, 0, (100, 300, 1_000)),
    "independent-20-skewed": Cell("nominal", 20, 0, 0, (100, 300, 1_000), skewed=True),
    "binary": Cell("nominal", 2, 24, 0.45, (100, 300, 1_000, 10_000)),
    "binary-dense": Cell("nominal", 2, 60, 0.3, (300, 1_000, 10_000)),
    "ordered-5": Cell("ordered", 5, 24, 0.45, (100, 300, 500, 1_000, 2_000, 10_000)),
    "ordered-5-dense": Cell("ordered", 5, 60, 0.25, (300, 1_000, 10_000)),
    "ordered-5-skewed": Cell("ordered", 5, 24, 0.45, (300, 1_000), skewed=True),
    "nominal-4": Cell("nominal", 4, 24, 0.6, (100, 300, 500, 1_000, 2_000, 10_000)),
    "nominal-4-dense": Cell("nominal", 4, 60, 0.45, (300, 1_000, 10_000)),
    "nominal-4-skewed": Cell("nominal", 4, 24, 0.6, (300, 1_000), skewed=True),
    "nominal-20": Cell("nominal", 20, 24, 1.0, (100, 300, 1_000)),
    "ordered-20": Cell("ordered", 20, 24, 0.45, (100, 300, 1_000)),
}


def data_set(cell: Cell, rows: int, seed: int) -> tuple[gd.UndirectedGraph, gd.Table]:
    """Return a random field's graph and a table drawn from it."""
    rng = np.random.default_rng([seed, rows, cell.states, cell.edges])
    edges = random_edges(N, cell.edges, rng)
    constants = thresholds(N, cell.states, rng, skewed=cell.skewed)
    signs = {e: float(rng.choice([-1, 1])) * cell.weight * rng.uniform(0.7, 1.3) for e in edges}
    terms = {e: term(cell.states, w, cell.kind, rng) for e, w in signs.items()}
    table = table_of(
        sample_field(constants, terms, rows, rng), [cell.states] * N, ordered=cell.kind == "ordered"
    )
    return gd.UndirectedGraph(table.names, edges), table


def measure(name: str, rows: int, sets: int, first: int) -> None:
    """Print the false share and F1 of every learner in a cell."""
    found: dict[str, list[tuple[float, float]]] = {learner: [] for learner in LEARNERS}
    for seed in range(first, first + sets):
        graph, table = data_set(CELLS[name], rows, seed)
        for learner, (_, made) in LEARNERS.items():
            same = made.fit(table).structure_.compare(graph)
            found[learner].append((1 - same.precision, same.f1))
    for learner, (promise, _) in LEARNERS.items():
        share, f1 = np.array(found[learner]).T
        error = float(share.std(ddof=1) / np.sqrt(sets))
        holds = bool(share.mean() <= promise + 2 * error)
        print(
            f"{name:22} {rows:6,} rows  {learner:7} false {share.mean():.3f} +- {error:.3f} "
            f"(promised {promise})  F1 {f1.mean():.3f}  {word(f'{name} {rows} {learner}', holds=holds)}",
            flush=True,
        )


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    names = [a for a in sys.argv[1:] if not a.isdigit()] or list(CELLS)
    for name in names:
        for rows in CELLS[name].rows:
            measure(name, rows, (numbers or [100])[0], (*numbers[:2], 0, 0)[1])
    sys.exit(closing_line())
