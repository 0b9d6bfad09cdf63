"""How right gd.learn is, and how far the probabilities of Posterior can be trusted.

Binary Ising networks of 75 variables, alarm (if GRAPHOID_DATA holds bif/alarm.bif), and random problems of 8
to 12 variables, each sampled twice. Prints each figure and whether its bar holds; exits with 1 if not.

    GRAPHOID_DATA=DIR python benchmarks/quality.py [PROBLEMS]
"""

from __future__ import annotations

import os
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

import graphoid as gd
from measure import closing_line, word

BINS = 10


def ising(n: int, weakest: float, strongest: float, seed: int) -> tuple[gd.UndirectedGraph, object]:
    """Return a random graph of three neighbors a variable on average, and a network of random signs on it."""
    graph = gd.datasets.random_graph(n, 3, np.random.default_rng(seed))
    network = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(weakest, strongest), rng=seed)
    return graph, network


def networks() -> None:
    """Measure F1 on Ising networks and on alarm."""
    for rows, least in ((300, 0.98), (2_000, 0.999)):
        scores = []
        for seed in range(10):
            graph, network = ising(75, 0.3, 0.6, seed)
            scores.append(gd.learn(network.sample(rows, seed)).compare(graph).f1)
        mean, what = float(np.mean(scores)), f"F1 of gd.learn, Ising, 75 variables, {rows:,} rows"
        print(f"{what:58}{mean:8.4f}, at least {least}  {word(what, holds=mean >= least)}", flush=True)
    if data := os.environ.get("GRAPHOID_DATA"):
        network = gd.datasets.bayesian_network(Path(data) / "bif" / "alarm.bif")
        started = time.process_time()
        f1 = gd.learn(network.sample(20_000, 0)).compare(network.graph).f1
        what = f"F1 of gd.learn, alarm, 20,000 rows ({time.process_time() - started:.0f} CPU s)"
        print(f"{what:58}{f1:8.4f}, at least .92  {word('alarm', holds=f1 >= 0.92)}", flush=True)


def calibration(problems: int) -> None:
    """Compare probabilities with how often the edges are there, and two samples of each with each other."""
    said, true, apart, undecided = [], [], [], {}
    for i in range(problems):
        rng = np.random.default_rng(i)
        n, rows = int(rng.integers(8, 13)), int(np.exp(rng.uniform(np.log(200), np.log(2_000))))
        if i % 2:
            graph = gd.datasets.random_graph(n, 3, rng)
            network = gd.datasets.random_cliques(graph, rng)
        else:
            graph, network = ising(n, 0.1, 0.6, i)
        table = network.sample(rows, i)
        first, second = (
            np.array([row.probability for row in posterior.fit(table).structure_.pairs()])
            for posterior in (gd.Posterior(gd.LogLinearEvidence(), random_state=seed) for seed in (1, 2))
        )
        apart.append(float(np.abs(first - second).max()))
        said += first.tolist()
        true += [graph.has_edge(x, y) for x, y in combinations(range(n), 2)]
        undecided.setdefault(rows >= 650, []).append(float(((first > 0.1) & (first < 0.9)).mean()))
    p, t = np.array(said), np.array(true)
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    error = sum(abs(p[bins == b].mean() - t[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins))
    what = f"expected calibration error, {problems} problems"
    print(f"{what:58}{error:8.4f}, at most .05  {word(what, holds=error <= 0.05)}")
    what = "largest difference of two samples on an edge"
    print(f"{what:58}{max(apart):8.4f}, at most .02  {word(what, holds=max(apart) <= 0.02)}")
    few, many = (float(np.mean(undecided.get(key, [np.nan]))) for key in (False, True))
    what = "undecided pairs, below and from 650 rows"
    print(f"{what:58}{few:8.1%} and {many:.1%}  {word(what, holds=many < few)}")


if __name__ == "__main__":
    networks()
    calibration(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
    sys.exit(closing_line())
