"""Separation in a whole population of graphs at once, against a search in each; and whole runs.

Prints each figure and whether its bar holds; exits with 1 if not. With ``--runs`` also the time of learning
20 and 50 variables to the end.

    python benchmarks/population.py [--runs]
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

import graphoid as gd
from graphoid.counts.native import kernels
from graphoid.learners.pfmn.population import Graphs, Query, columns
from graphoid.learners.pfmn.priors import sample_prior
from measure import best, closing_line, word

if TYPE_CHECKING:
    from graphoid._native import Kernels

Columns: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint64]]

LEAST_RATIO = 9.0
"""Of a search in each graph that also keeps what shows its answer, about twice one that only answers."""

MOST_SECONDS = 60.0
MOST_SECONDS_50 = 600.0
N_TESTS = 2_000


def separation() -> None:
    """Print microseconds a test of both ways, in one thread."""
    native = kernels()
    if native is None:
        sys.exit("the kernels are needed")
    print("Separation in every graph of a population; CPU us a test")
    print(f"{'n':>4} {'graphs':>7} {'tau':>6} {'in each':>8} {'at once':>8} {'ratio':>6}")
    for n, size, tau in ((20, 1_000, 2), (20, 1_000, 8), (20, 1_000, None), (20, 250, None), (50, 500, 2)):
        rng = np.random.default_rng(0)
        graphs = population(n, size, tau, rng)
        tests = columns(random_tests(n, rng))
        both = [
            best(lambda f=f: f(native, graphs, tests), clock=time.process_time, seconds=1) / N_TESTS
            for f in (in_each, at_once)
        ]
        bits = np.unpackbits(
            at_once(native, graphs, tests).view(np.uint8).reshape(N_TESTS, -1), axis=1, bitorder="little"
        )
        np.testing.assert_equal(in_each(native, graphs, tests), bits.sum(axis=0)[:size])
        ratio = both[0] / both[1]
        # few graphs leave blocks of 512 half empty, and planes of 50 variables do not fit the nearest cache
        barred = (n, size) == (20, 1_000)
        holds = word(f"n={n} graphs={size} tau={tau}", holds=ratio >= LEAST_RATIO) if barred else ""
        kind = "prior" if tau is None else f"{tau}"
        print(f"{n:>4} {size:>7,} {kind:>6} {both[0]:>8.1f} {both[1]:>8.1f} {ratio:>6.1f}  {holds}")


def at_once(native: Kernels, graphs: Graphs, tests: Columns) -> NDArray[np.uint64]:
    """Return who separates the variables of each test, by one search in all graphs."""
    return native.population_separations(graphs, *tests, 1)


def in_each(native: Kernels, graphs: Graphs, tests: Columns) -> NDArray[np.int64]:
    """Return how many tests each graph separates, by the search in one graph that moves begin with.

    A repair of no rounds does that: it counts the answers, all "dependent" here, which a graph contradicts.
    """
    none, keys = np.zeros(0, dtype=np.int32), np.zeros(len(graphs), dtype=np.uint64)
    return native.population_repair(graphs, *tests, np.full(N_TESTS, -1.0), none, none, 1.0, 0, keys, 1)


def population(n: int, size: int, tau: int | None, rng: np.random.Generator) -> Graphs:
    """Return random graphs of one average degree, or drawn from the prior."""
    if tau is None:
        return sample_prior(n, size, rng)
    return np.array([gd.datasets.random_graph(n, tau, rng).adjacency for _ in range(size)], dtype=np.uint64)


def random_tests(n: int, rng: np.random.Generator) -> list[Query]:
    """Return questions with up to six variables given."""
    found = []
    for _ in range(N_TESTS):
        x, y, *rest = rng.permutation(n).tolist()
        found.append(Query(x, y, sum(1 << v for v in rest[: rng.integers(0, 7)])))
    return found


def whole_runs() -> None:
    """Print the CPU time of learning to the end, exact answers."""
    print("\nLearning to the end; CPU seconds")
    for n, size, tau, learner, most in (
        (20, 1_000, 1, gd.PublishedPFMN, MOST_SECONDS),
        (20, 1_000, 2, gd.PFMN, MOST_SECONDS),
        (20, 1_000, 4, gd.PFMN, MOST_SECONDS),
        (20, 1_000, 8, gd.PFMN, MOST_SECONDS),
        (50, 500, 2, gd.PFMN, MOST_SECONDS_50),
    ):
        graph = gd.datasets.random_graph(n, tau, 0)
        start = time.process_time()
        found = learner(n_particles=size, random_state=0).learn(gd.Oracle(graph))
        seconds = time.process_time() - start
        right = "right" if found.graph == graph else f"Hamming {found.compare(graph).hamming}"
        what = f"n={n} N={size:,} tau={tau} {learner.__name__}"
        holds = word(f"run {what}", holds=seconds <= most)
        print(f"{what}: {seconds:.1f} s, {found.cost.n_tests} tests, {right}  {holds}")


if __name__ == "__main__":
    separation()
    if "--runs" in sys.argv[1:]:
        whole_runs()
    sys.exit(closing_line())
