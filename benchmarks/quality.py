"""How right gd.learn is, and how far the probabilities of Posterior can be trusted.

Binary Ising networks of 75 variables, alarm (if GRAPHOID_DATA holds bif/alarm.bif), and random problems of 8
to 12 variables, each sampled twice. Prints each figure and whether its bar holds; exits with 1 if not.

    GRAPHOID_DATA=DIR python benchmarks/quality.py [PROBLEMS]
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

import graphoid as gd
from graphoid.experiments.processes import parallel_map
from measure import calibration_error, closing_line, word

ON_AVERAGE, EACH = "3 neighbors on average", "3 neighbors each"
PROCESSES = os.cpu_count() or 1


def ising(n: int, weakest: float, strongest: float, seed: int) -> tuple[gd.UndirectedGraph, object]:
    """Return a random graph of three neighbors a variable on average, and a network of random signs on it."""
    return signed(gd.datasets.random_graph(n, 3, np.random.default_rng(seed)), weakest, strongest, seed)


def signed(
    graph: gd.UndirectedGraph, weakest: float, strongest: float, seed: int
) -> tuple[gd.UndirectedGraph, object]:
    """Return the graph and an Ising network on it whose couplings have random signs."""
    network = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(weakest, strongest), rng=seed)
    return graph, network


def near_regular(n: int, seed: int) -> gd.UndirectedGraph:
    """Return a graph in which every variable has three neighbors, but for one if ``n`` is odd."""
    rng, degrees = np.random.default_rng(seed), [3] * n
    degrees[-1] -= n % 2
    while True:
        ends = np.repeat(np.arange(n), degrees)
        rng.shuffle(ends)
        pairs = {(min(a, b), max(a, b)) for a, b in ends.reshape(-1, 2).tolist() if a != b}
        if 2 * len(pairs) == sum(degrees):
            return gd.UndirectedGraph(n, sorted(pairs))


def f1_of(rows: int, kind: str, seed: int) -> float:
    """Return how well gd.learn finds an Ising network of 75 variables."""
    if kind == EACH:
        graph, network = signed(near_regular(75, seed), 0.3, 0.6, seed)
    else:
        graph, network = ising(75, 0.3, 0.6, seed)
    return gd.learn(network.sample(rows, seed)).compare(graph).f1


def networks() -> None:
    """Measure F1 on Ising networks and on alarm."""
    for kind in (ON_AVERAGE, EACH):
        for rows, least in ((300, 0.98), (2_000, 0.999)):
            scores = parallel_map(partial(f1_of, rows, kind), range(10), PROCESSES, "learning")
            mean, what = float(np.mean(scores)), f"F1 of gd.learn, Ising, {kind}, {rows:,} rows"
            print(f"{what:58}{mean:8.4f}, at least {least}  {word(what, holds=mean >= least)}", flush=True)
    if data := os.environ.get("GRAPHOID_DATA"):
        network = gd.datasets.bayesian_network(Path(data) / "bif" / "alarm.bif")
        started = time.process_time()
        f1 = gd.learn(network.sample(20_000, 0)).compare(network.graph).f1
        what = f"F1 of gd.learn, alarm, 20,000 rows ({time.process_time() - started:.0f} CPU s)"
        print(f"{what:58}{f1:8.4f}, at least .92  {word('alarm', holds=f1 >= 0.92)}", flush=True)


class Sampled(NamedTuple):
    """The probabilities of the pairs of one problem, by two samples, and which are edges."""

    rows: int
    first: list[float]
    second: list[float]
    true: list[bool]


def sampled(problem: int) -> Sampled:
    """Sample the posterior of a random problem twice."""
    rng = np.random.default_rng(problem)
    n, rows = int(rng.integers(8, 13)), int(np.exp(rng.uniform(np.log(200), np.log(2_000))))
    if problem % 2:
        graph = gd.datasets.random_graph(n, 3, rng)
        network = gd.datasets.random_cliques(graph, rng)
    else:
        graph, network = ising(n, 0.1, 0.6, problem)
    table = network.sample(rows, problem)
    first, second = (
        [row.probability for row in posterior.fit(table).structure_.pairs()]
        for posterior in (gd.Posterior(gd.LogLinearEvidence(), random_state=seed) for seed in (1, 2))
    )
    return Sampled(rows, first, second, [graph.has_edge(x, y) for x, y in combinations(range(n), 2)])


def calibration(problems: int) -> None:
    """Compare probabilities with how often the edges are there, and two samples of each with each other."""
    found = parallel_map(sampled, range(problems), PROCESSES, "sampling")
    p, t = (
        np.array([v for run in found for v in values(run)])
        for values in (lambda r: r.first, lambda r: r.true)
    )
    error = calibration_error(p, t)
    what = f"expected calibration error, {problems} problems"
    print(f"{what:58}{error:8.4f}, at most .05  {word(what, holds=error <= 0.05)}")
    apart = [float(np.abs(np.subtract(run.first, run.second)).max()) for run in found]
    what = "largest difference of two samples on an edge"
    print(f"{what:58}{max(apart):8.4f}, at most .02  {word(what, holds=max(apart) <= 0.02)}")
    few, many = (
        float(np.mean([0.1 < q < 0.9 for run in found if (run.rows >= 650) == much for q in run.first]))
        for much in (False, True)
    )
    what = "undecided pairs, below and from 650 rows"
    print(f"{what:58}{few:8.1%} and {many:.1%}  {word(what, holds=many < few)}")


if __name__ == "__main__":
    networks()
    calibration(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    sys.exit(closing_line())
