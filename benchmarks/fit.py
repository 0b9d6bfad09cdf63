"""How fast weights are learned: one evaluation against NumPy, and whole fits of real tables.

    python benchmarks/fit.py
    GRAPHOID_DATA=DIR python benchmarks/fit.py      also the fits; DIR holds debd/

Fits are held to their bars by the CPU time of all threads together, which a busy machine does not change
much; on an idle one the clock on the wall, beside it, shows less.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from pathlib import Path

import numpy as np

from graphoid.experiments.density import parts
from graphoid.models import pseudo_likelihood as module
from graphoid.models.maximum_pseudo_likelihood import fit_weights
from graphoid.models.pseudo_likelihood import PseudoLikelihood
from measure import best, closing_line, random_table, word

BARS = {"nltcs": 10.0, "plants": 180.0, "baudio": 180.0}
"""Seconds in which the weights of all pairs should be learned, to eight digits."""

FASTER = 10
"""How many times faster than NumPy an evaluation should be, on one thread."""


def pairs(n: int) -> list[tuple[tuple[int, int], ...]]:
    """Return a feature for every variable and every pair of variables being 1."""
    return [((v, 1),) for v in range(n)] + [((u, 1), (v, 1)) for u, v in itertools.combinations(range(n), 2)]


def evaluation() -> None:
    """Print the time of one value with its gradient."""
    print(f"{'value and gradient, one thread':<36} {'kernel ms':>10} {'NumPy ms':>10} {'ratio':>6}")
    for n, n_rows in ((16, 4_000), (50, 4_000)):
        likelihood = PseudoLikelihood(pairs(n), random_table(n_rows, n, 2), threads=1)
        weights = np.random.default_rng(0).normal(scale=0.1, size=len(likelihood.features))
        kernel = best(lambda: likelihood.value_and_gradient(weights), clock=time.process_time)
        plain = best(
            lambda: module._evaluate(likelihood, weights, None, likelihood),
            clock=time.process_time,
            seconds=0,
        )
        name = f"{n} variables, {n_rows:,} rows, all pairs"
        how = word(name, holds=plain >= FASTER * kernel)
        print(f"{name:<36} {kernel / 1e3:>10.2f} {plain / 1e3:>10.1f} {plain / kernel:>6.0f} {how}")


def fits(data: Path) -> None:
    """Print the time of learning the weights of all pairs, with the default penalty."""
    print("\nWeights of all pairs, default penalty")
    print(f"{'':<10} {'rows':>7} {'features':>9} {'iterations':>11} {'CPU s':>8} {'wall s':>8} {'bar':>5}")
    for name, bar in BARS.items():
        table = parts(data / "debd", name).train
        features = pairs(len(table.variables))
        start, wall = time.process_time(), time.perf_counter()
        found = fit_weights(features, table)
        seconds, wall = time.process_time() - start, time.perf_counter() - wall
        how = word(f"weights of {name}", holds=found.converged and seconds <= bar)
        print(
            f"{name:<10} {table.n_rows:>7,} {len(features):>9,} {found.n_iterations:>11,} {seconds:>8.1f} "
            f"{wall:>8.1f} {bar:>5.0f} {how}"
        )


if __name__ == "__main__":
    evaluation()
    if os.environ.get("GRAPHOID_DATA"):
        fits(Path(os.environ["GRAPHOID_DATA"]))
    else:
        print("\nfits of real tables: set GRAPHOID_DATA to the folder that holds debd/")
    sys.exit(closing_line())
