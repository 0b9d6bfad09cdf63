"""Whether the robust learner keeps its false discovery rate on columns of every kind.

The mixed protocol (a latent Gaussian seen through continuous, binary, ordered and count margins), Gaussian
graphs, and conditional Gaussian and other pairwise networks; the share of false edges among those found, mean
over data sets, with its standard error, F1, and CPU seconds. The rate holds if it is at most two standard
errors above the promise. Prints a line a cell; exits with 1 if it does not hold.

    python benchmarks/truth/mixed_discoveries.py [DATA SETS] [FIRST SEED] [cell ...]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd

sys.path.insert(0, str(Path(__file__).parents[1]))  # what all benchmarks share
from measure import closing_line, word

if TYPE_CHECKING:
    from collections.abc import Callable

datasets = gd.datasets
PROMISE = 0.04


def pairwise(n: int, kinds: tuple[str, ...]) -> Callable[[int], object]:
    """Return what makes pairwise networks of three neighbors a variable, kinds in turn."""

    def make(seed: int) -> object:
        graph = datasets.random_graph(n, 3, rng=seed)
        return datasets.pairwise_mixed(graph, [kinds[v % len(kinds)] for v in range(n)], seed)

    return make


ALL = ("nominal", "continuous", "ordered", "count")
CELLS: dict[str, tuple[Callable[[int], object], tuple[int, ...]]] = {
    "copula-50": (lambda seed: datasets.mixed_copula(50, seed, n_edges=200), (200, 1_000, 5_000)),
    "copula-50-cubed": (lambda seed: datasets.mixed_copula(50, seed, n_edges=200, cubed=True), (200,)),
    "copula-250": (lambda seed: datasets.mixed_copula(250, seed), (200,)),
    "gaussian-random": (
        lambda seed: datasets.gaussian(datasets.random_graph(50, 3, rng=seed), seed),
        (200, 1_000),
    ),
    "gaussian-hub": (lambda seed: datasets.gaussian(datasets.hub_graph(50), seed), (200, 1_000)),
    "conditional-gaussian-20": (pairwise(20, ("nominal", "continuous")), (200, 1_000, 5_000)),
    "conditional-gaussian-60": (pairwise(60, ("nominal", "continuous")), (200, 1_000)),
    "all-kinds-20": (pairwise(20, ALL), (200, 1_000, 5_000)),
    "independent-30": (
        lambda seed: datasets.pairwise_mixed(
            gd.UndirectedGraph(30, []), [ALL[v % 4] for v in range(30)], seed
        ),
        (100, 1_000),
    ),
}


def measure(name: str, rows: int, sets: int, first: int) -> None:
    """Print the false share and F1 in a cell."""
    make, found, start = CELLS[name][0], [], time.process_time()
    seconds = 0.0
    for seed in range(first, first + sets):
        network = make(seed)
        table = network.sample(rows, random_state=seed)
        start = time.process_time()
        structure = gd.RobustGSMN().fit(table).structure_
        seconds += time.process_time() - start
        same = structure.compare(network.graph)
        found.append((1 - same.precision, same.f1))
    share, f1 = np.array(found).T
    error = float(share.std(ddof=1) / np.sqrt(sets))
    holds = bool(share.mean() <= PROMISE + 2 * error)
    print(
        f"{name:24} {rows:6,} rows  false {share.mean():.3f} +- {error:.3f}  F1 {f1.mean():.3f}  "
        f"{seconds / sets:.2f} CPU s  {word(f'{name} {rows}', holds=holds)}",
        flush=True,
    )


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    names = [a for a in sys.argv[1:] if not a.isdigit()] or list(CELLS)
    for name in names:
        for rows in CELLS[name][1]:
            measure(name, rows, (numbers or [20])[0], (*numbers[:2], 0, 0)[1])
    sys.exit(closing_line())
