"""Whether the probabilities of `gd.learn` are calibrated, and what it calls present and absent is so.

Pairwise fields, sizes of their terms uniform from .1 to .5, signs at random: random graphs with as many
edges as variables, three times as many, or none; chains; hubs. Ordered and nominal, even and skewed, two to
seven states. Two other generators that no setting was chosen on: blocks of items with a factor behind each
("blocks"), and Bayesian networks with random tables ("dag", true edges are those of the moral graph). The
calibration error is the mean over pairs of how far the mean probability in ten classes is from the share of
edges there. Prints a line a cell; exits with 1 if one misses its bar: an error of .03 for up to twelve
variables and .05 for more, 5 % of what is called present or absent.

    python benchmarks/truth/probabilities.py [DATA SETS] [FIRST SEED] [cell ...]

A cell is kind-shape-states-variables-rows, such as nominal-random-3-10-300.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd

sys.path.insert(0, str(Path(__file__).parents[1]))  # what all benchmarks share
from generators import sample_blocks, sample_dag, sample_field, shape_edges, table_of, term, thresholds

from measure import closing_line, word

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELLS = (
    *(f"ordered-random-{k}-10-{rows}" for k, rows in product((2, 3, 5, 7), (100, 300, 1_000, 5_000))),
    *(f"nominal-random-{k}-10-{rows}" for k, rows in product((3, 5), (100, 300, 1_000))),
    *(f"{kind}-random-{k}-10-300" for kind, k in product(("ordered_skewed", "nominal_skewed"), (2, 4))),
    *(
        f"{kind}-{shape}-3-10-{rows}"
        for kind, shape, rows in product(
            ("ordered", "nominal"), ("none", "chain", "hub", "dense"), (100, 300, 1_000)
        )
    ),
    *(
        f"{kind}-random-{k}-24-{rows}"
        for kind, k, rows in product(("ordered", "nominal"), (3, 5), (300, 1_000))
    ),
    *(f"ordered-blocks-{k}-24-{rows}" for k, rows in product((2, 5), (500, 2_000))),
    *(f"nominal-dag-{k}-24-{rows}" for k, rows in product((2, 3), (300, 1_000, 10_000))),
    *(f"{kind}-random-3-60-{rows}" for kind, rows in product(("ordered", "nominal"), (300, 1_000))),
    *(f"ordered-random-2-{n}-1000" for n in (200, 500)),
)


def data_set(cell: str, seed: int) -> tuple[gd.Table, set[tuple[int, int]]]:
    """Return a table and the edges of its network."""
    kind, shape, *numbers = cell.split("-")
    (states, n, rows), (kind, *skew) = map(int, numbers), kind.split("_")
    rng = np.random.default_rng([seed, n, rows, states])
    if shape in ("blocks", "dag"):
        codes, edges = (sample_blocks if shape == "blocks" else sample_dag)(n, states, rows, rng)
    else:
        edges = shape_edges(shape, n, rng)
        terms = {e: term(states, rng.choice([-1, 1]) * rng.uniform(0.1, 0.5), kind, rng) for e in edges}
        codes = sample_field(thresholds(n, states, rng, skewed=bool(skew)), terms, rows, rng)
    return table_of(codes, [states] * n, ordered=kind == "ordered"), set(edges)


def calibration_error(p: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    """Return how far probabilities are from shares, on average over pairs."""
    place = np.minimum((p * 10).astype(int), 9)
    return sum(abs(p[place == k].sum() - true[place == k].sum()) for k in range(10)) / len(p)


def check(name: str, data_sets: int, first: int) -> None:
    """Print one cell."""
    p, true, verdicts = [], [], []
    for seed in range(first, first + data_sets):
        table, edges = data_set(name, seed)
        for row in gd.learn(table).pairs():
            p.append(row.probability)
            true.append((table.position(row.x), table.position(row.y)) in edges)
            verdicts.append(row.verdict)
    said, right = np.array(verdicts), np.array(true)
    error = calibration_error(np.array(p), right)
    present, absent = right[said == "present"], right[said == "absent"]
    false = 1 - float(present.mean()) if present.size else 0.0
    missed = float(absent.mean()) if absent.size else 0.0
    holds = error <= (0.03 if int(name.split("-")[3]) <= 12 else 0.05) and max(false, missed) <= 0.05
    said_so = f"present {present.size:5,}, false {false:.3f}; absent {absent.size:6,}, edges {missed:.3f}"
    left = f"undecided {np.mean(said == 'undecided'):.2f}"
    print(f"{name:28} error {error:.3f}; {said_so}; {left}  {word(name, holds=holds)}", flush=True)


if __name__ == "__main__":
    data_sets, first = [*map(int, sys.argv[1:3]), 100, 0][:2] if len(sys.argv) > 2 else (100, 0)
    for cell in sys.argv[3:] or CELLS:
        check(cell, data_sets, first)
    closing_line()
