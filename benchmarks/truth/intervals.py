"""Coverage of the intervals of edge weights and sizes, on tables whose terms are known.

For every cell one field, 100 tables drawn from it, and the true graph: how many of the 95 % intervals of its
edges, and of as many pairs that it does not join, have the truth. Terms of fields are those they were drawn
with, on the scale of their margins; those of factor blocks, in which no pairwise model is right, are what the
estimator gives for all tables together. Exits with 1 if the coverage of a cell is not 93 to 97 %, by more
than chance (two standard errors over tables), or an interval lacks its estimate or has no width.

    python benchmarks/truth/intervals.py [TABLES] [SHAPE ...]
    python benchmarks/truth/intervals.py uci            # sets of $GRAPHOID_DATA: only the latter
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from generators import sample_field, scores, table_of, term, thresholds

import graphoid as gd
from graphoid.uncertainty.effects import Effects, sample_of
from graphoid.uncertainty.strength import effects_of

sys.path.insert(0, str(Path(__file__).parents[1]))
from measure import closing_line, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphoid.uncertainty.effects import Effect

    Edge = tuple[int, int]

FIRST_SEED = 20_000  # what was chosen was chosen on seeds from 0 on

SHAPES: dict[str, list[Edge]] = {
    "chain": [(i, i + 1) for i in range(5)],
    "hub": [(0, i) for i in range(1, 9)],
    "dense": [(i, (i + k) % 9) for i in range(9) for k in (1, 2)],
    "independent": [(i, (i + k) % 7) for i in range(7) for k in (1, 2)],
    "factors": [(i, j) for i in range(10) for j in range(i + 1, 10) if i // 5 == j // 5],
}
"""Blankets of 1-2, 1 and 8, 4, 4 (with terms of zero) and 4."""

KINDS = ("ordered", "nominal", "skewed")
STATES = (2, 3, 5, 7)
ROWS = (100, 300, 1_000, 3_000, 10_000)
SIZE = 0.3


class Cell(NamedTuple):
    """What is drawn."""

    shape: str
    kind: str
    states: int
    rows: int


class Seen(NamedTuple):
    """Of one table."""

    covered: int
    intervals: int
    asked: int
    wrong: int
    """Intervals without their estimate, or of no width."""


def cells(shapes: list[str]) -> Iterator[Cell]:
    """Every cell, nominal ones with more than two states only."""
    for shape in shapes:
        for kind in KINDS if shape != "factors" else ("ordered",):
            for states in STATES:
                if kind == "nominal" and states == 2:
                    continue
                for rows in ROWS:
                    yield Cell(shape, kind, states, rows)


def is_wrong(effect: Effect) -> bool:
    """Whether an interval lacks its estimate, or has no width."""
    shown = [(effect.low, effect.size, effect.high)]
    if effect.weight is not None:
        shown.append((effect.weight_low, effect.weight, effect.weight_high))
    return any(not low <= middle <= high or not low < high for low, middle, high in shown)


def draw(cell: Cell, tables: int, seed: int) -> tuple[list[gd.Table], gd.UndirectedGraph, dict[Edge, float]]:
    """Return tables of a cell, the graph, and the weights or sizes of some pairs."""
    rng = np.random.default_rng(seed)
    edges = [(min(e), max(e)) for e in SHAPES[cell.shape]]
    n = max(max(e) for e in edges) + 1
    ordered = cell.kind != "nominal"
    if cell.shape == "factors":
        blocks = rng.normal(size=(tables * cell.rows, 2))
        latent = 0.9 * blocks[:, np.arange(n) // 5] + rng.normal(size=(tables * cell.rows, n))
        cuts = np.quantile(latent[:, 0], np.arange(1, cell.states) / cell.states)
        codes, terms = np.digitize(latent, cuts).astype(np.uint8), {}
    else:
        none = cell.shape == "independent"
        sizes = {e: 0.0 if none else SIZE * rng.uniform(0.5, 1.5) * rng.choice([-1, 1]) for e in edges}
        terms = {e: term(cell.states, w, "ordered" if ordered else "nominal", rng) for e, w in sizes.items()}
        constants = thresholds(n, cell.states, rng, skewed=cell.kind == "skewed")
        codes = sample_field(constants, terms, tables * cell.rows, rng)
    graph = gd.UndirectedGraph([f"v{v}" for v in range(n)], edges)
    arity = [cell.states] * n
    parts = [table_of(part, arity, ordered=ordered) for part in np.split(codes, tables)]
    others = [(x, y) for x in range(n) for y in range(x + 1, n) if (x, y) not in edges][: len(edges)]
    whole = table_of(codes, arity, ordered=ordered)
    if cell.shape == "factors":
        effects = Effects(graph, whole.variables, sample_of(whole))
        found = {pair: effects.estimate(pair).effect.weight for pair in (*edges, *others)}
        return parts, graph, found
    return parts, graph, {e: centered(whole, e, terms.get(e)) for e in (*edges, *others)}


def centered(table: gd.Table, pair: Edge, potential: np.ndarray | None) -> float:
    """Return the weight of a linear potential, or the size of another, on the scale of the margins."""
    if potential is None:
        return 0.0
    a, b = (np.bincount(table.column(v), minlength=len(potential)) / table.n_rows for v in pair)
    left = potential - a @ potential - (potential @ b)[:, None] + a @ potential @ b
    size = float(np.sqrt(a @ left**2 @ b))
    steps = scores(len(potential))
    return size * float(np.sign(steps @ potential @ steps)) if table.variables[0].ordered else size


def look(table: gd.Table, graph: gd.UndirectedGraph, truth: dict[Edge, float]) -> Seen:
    """Return how many of the intervals of a table have the truth."""
    effects = Effects(graph, table.variables, sample_of(table))
    found = {pair: effects.estimate(pair) for pair in truth}
    known = {pair: estimate.effect for pair, estimate in found.items() if estimate is not None}
    covered = 0
    for pair, effect in known.items():
        signed = effect.weight is not None
        low, high = (effect.weight_low, effect.weight_high) if signed else (effect.low, effect.high)
        covered += low <= truth[pair] <= high
    return Seen(covered, len(known), len(truth), sum(map(is_wrong, known.values())))


def measure(cell: Cell, tables: int, seed: int) -> None:
    """Print the line of a cell."""
    start = time.process_time()
    parts, graph, truth = draw(cell, tables, seed)
    seen = [look(part, graph, truth) for part in parts]
    covered, intervals, asked, wrong = (sum(part) for part in zip(*seen, strict=True))
    if not intervals:
        print(f"{cell.shape:12}{cell.kind:9}{cell.states:3}{cell.rows:7,}   cannot be estimated")
        return
    share = covered / intervals
    spread = np.std([s.covered - share * s.intervals for s in seen]) * np.sqrt(len(seen)) / intervals
    what = f"{cell.shape} {cell.kind} {cell.states} {cell.rows}"
    holds = 0.93 - 2 * spread <= share <= 0.97 + 2 * spread and not wrong
    print(
        f"{cell.shape:12}{cell.kind:9}{cell.states:3}{cell.rows:7,}{share:8.3f} ±{spread:5.3f}"
        f"{intervals / asked:8.0%}{wrong:5}{time.process_time() - start:7.1f} s  {word(what, holds=holds)}",
        flush=True,
    )


def look_at_sets() -> int:
    """Print for every set of $GRAPHOID_DATA how many intervals lack their estimate or have no width."""
    for path in sorted(Path(os.environ["GRAPHOID_DATA"], "uci").glob("*.csv")):
        names = path.read_text(encoding="utf-8").split("\n", 1)[0].split(",")
        if path.name == "index.csv":
            continue
        table = gd.read(
            path, discretize="auto", missing="category", columns=[name for name in names if name != "id"]
        )
        graph = gd.RobustGSMN().fit(table).structure_.graph
        effects = effects_of(graph, table).values()
        wrong = sum(map(is_wrong, effects))
        sure = word(path.stem, holds=not wrong)
        print(
            f"{path.stem:28}{graph.n_edges:5} edges{len(effects):5} intervals{wrong:4} wrong  {sure}",
            flush=True,
        )
    return closing_line()


def main() -> int:
    """Measure all cells, or those of some shapes."""
    arguments = sys.argv[1:]
    if arguments == ["uci"]:
        return look_at_sets()
    tables = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 100
    print(f"{'shape':12}{'kind':9}{'r':>3}{'rows':>7}{'coverage':>8}{'':7}{'given':>8}{'wrong':>5}")
    for i, cell in enumerate(cells(list(SHAPES))):
        if not arguments or cell.shape in arguments:
            measure(cell, tables, FIRST_SEED + i)
    return closing_line()


if __name__ == "__main__":
    sys.exit(main())
