"""Whether the probabilities of `gd.learn` are calibrated, and what it calls present and absent is so.

Random pairwise fields with as many edges as variables, sizes of their terms uniform from .1 to .5, signs at
random; ordered and nominal, two to seven states. The calibration error is the mean over pairs of how far the
mean probability in ten classes is from the share of edges there. Prints a line a cell; exits with 1 if one
misses its bar: an error of .03 for ten variables and .05 for more, 5 % of what is called present or absent.

    python benchmarks/truth/probabilities.py [DATA SETS] [FIRST SEED] [cell ...]
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd

sys.path.insert(0, str(Path(__file__).parents[1]))  # what all benchmarks share
from generators import random_edges, sample_field, table_of, term, thresholds

from measure import closing_line, word

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = [("ordered", 2), ("ordered", 3), ("ordered", 5), ("ordered", 7), ("nominal", 3), ("nominal", 5)]
CELLS = {
    f"{kind}-{states}-{n}x{rows}": (kind, states, n, rows)
    for (kind, states), n, rows in product(KINDS, (10, 24), (100, 300, 1_000, 5_000))
}


def data_set(kind: str, states: int, n: int, rows: int, seed: int) -> tuple[gd.Table, set[tuple[int, int]]]:
    """Return a table and the edges of its network."""
    rng = np.random.default_rng([seed, n, rows, states])
    edges = random_edges(n, n, rng)
    terms = {e: term(states, rng.choice([-1, 1]) * rng.uniform(0.1, 0.5), kind, rng) for e in edges}
    codes = sample_field(thresholds(n, states, rng), terms, rows, rng)
    return table_of(codes, [states] * n, ordered=kind == "ordered"), set(edges)


def calibration_error(p: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    """Return how far probabilities are from shares, on average over pairs."""
    place = np.minimum((p * 10).astype(int), 9)
    return sum(abs(p[place == k].sum() - true[place == k].sum()) for k in range(10)) / len(p)


def check(name: str, data_sets: int, first: int) -> None:
    """Print one cell."""
    p, true, verdicts = [], [], []
    for seed in range(first, first + data_sets):
        table, edges = data_set(*CELLS[name], seed)
        for row in gd.learn(table).pairs():
            p.append(row.probability)
            true.append((table.position(row.x), table.position(row.y)) in edges)
            verdicts.append(row.verdict)
    said, right = np.array(verdicts), np.array(true)
    error = calibration_error(np.array(p), right)
    present, absent = right[said == "present"], right[said == "absent"]
    false = 1 - float(present.mean()) if present.size else 0.0
    missed = float(absent.mean()) if absent.size else 0.0
    holds = error <= (0.03 if CELLS[name][2] <= 12 else 0.05) and max(false, missed) <= 0.05
    said_so = f"present {present.size:5,}, false {false:.3f}; absent {absent.size:6,}, edges {missed:.3f}"
    left = f"undecided {np.mean(said == 'undecided'):.2f}"
    print(f"{name:22} error {error:.3f}; {said_so}; {left}  {word(name, holds=holds)}", flush=True)


if __name__ == "__main__":
    data_sets, first = [*map(int, sys.argv[1:3]), 100, 0][:2] if len(sys.argv) > 2 else (100, 0)
    for cell in sys.argv[3:] or CELLS:
        check(cell, data_sets, first)
    closing_line()
