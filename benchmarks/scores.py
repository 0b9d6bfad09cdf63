"""How long scores and searches take, and whether the search finds what there is to find.

CPU seconds, but for the large network: seconds on the wall, and the most memory. Prints each figure and
whether its bar holds; exits with 1 if not. The large network needs a folder with ``graphs/eris1176.csv``.

    GRAPHOID_DATA=DIR python benchmarks/scores.py [optima]
"""

from __future__ import annotations

import os
import resource
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.counts.engine import Logistic
from graphoid.counts.native import NativeEngine
from graphoid.experiments.processes import parallel_map
from measure import best, closing_line, word

if TYPE_CHECKING:
    from collections.abc import Callable

PROCESSES = os.cpu_count() or 1

BDGRAPH = 13.7  # CPU s of BDgraph's hill climb where pgmpy's PC on alarm needed 1.04


def seconds(action: Callable[[], object]) -> float:
    """Return the CPU seconds of one run."""
    started = time.process_time()
    action()
    return time.process_time() - started


def timed(what: str, spent: float, most: float) -> None:
    """Print a time beside its bar."""
    print(f"{what:58}{spent:8.2f} s, at most {most:g}  {word(what, holds=spent <= most)}", flush=True)


def ising(n: int, rows: int, seed: int) -> gd.Table:
    """Return a sample of a random binary network of three neighbors a variable."""
    rng = np.random.default_rng(seed)
    graph = gd.datasets.random_graph(n, 3, rng)
    network = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(0.3, 0.6), rng=seed)
    return network.sample(rows, seed)


def small() -> None:
    """Exhaustive search, two phases, hubs."""
    rng = np.random.default_rng(0)
    six = gd.datasets.random_cliques(gd.datasets.random_graph(6, 3, rng), rng).sample(8_000, 1)
    for score in (gd.MPL(), gd.IBScore(), gd.BJP()):
        spent = best(lambda s=score: gd.ExhaustiveSearch(s).fit(six), clock=time.process_time) / 1e6
        timed(f"all 32,768 graphs of 6 variables, {type(score).__name__}", spent, 1.0)
    table = ising(75, 2_000, 1)
    spent = best(lambda: gd.TwoPhase(gd.MPL()).fit(table), clock=time.process_time) / 1e6
    timed("two-phase MPL, 75 variables, 2,000 rows", spent, BDGRAPH / 50)
    hubs = gd.datasets.random_cliques(gd.datasets.hub_graph(128), 2).sample(8_000, 1)
    timed("hubs of 128, 8,000 rows, BJP by IBMAP-HC", seconds(lambda: gd.HillClimb(gd.BJP()).fit(hubs)), 2.0)
    for score in (gd.BJP(), gd.LogLinearEvidence()):
        search = gd.Search(score, random_state=0)
        timed(f"the same, Search of {type(score).__name__}", seconds(lambda s=search: s.fit(hubs)), 60.0)


def counted_once() -> None:
    """Models and tables of blankets from one count of the rows, beside one count for each."""
    engine, model = NativeEngine(ising(100, 20_000, 3)), Logistic(interactions=True, scale=1.0)
    blankets = [
        (x, tuple(sorted({y, (x + 1) % 100, (x + 2) % 100} - {x}))) for x in range(100) for y in range(20)
    ]

    def apart() -> None:
        engine.logistic_terms(model, blankets)
        engine.marginal_likelihoods(4.0, blankets)

    ways = (lambda: engine.evidence_terms(model, 4.0, blankets)), apart
    once, twice = (best(way, clock=time.process_time) for way in ways)
    what = "models and tables, rows counted once, of counted twice"
    print(f"{what:58}{once / twice:8.2f}, at most .9  {word(what, holds=once <= 0.9 * twice)}", flush=True)


def reaches_the_top(score: gd.BJP | gd.IBScore, i: int) -> bool:
    """Return whether the search finds the best of all graphs of six variables."""
    table = triangles(6, i % 10, i)
    top = gd.ExhaustiveSearch(score).fit(table).structure_.scored.value
    return bool(gd.Search(score, random_state=i).fit(table).structure_.scored.value > top - 1e-7)


def above_the_climbs(score: gd.BJP | gd.IBScore, i: int) -> float:
    """Return how much higher the search gets than both climbs, of 16 to 32 variables."""
    table = triangles((16, 24, 32)[i % 3], i, i)
    climbs = (gd.HillClimb(score), gd.HillClimb(score, moves="best"))
    reached = max(climb.fit(table).structure_.scored.value for climb in climbs)
    return float(gd.Search(score, random_state=i).fit(table).structure_.scored.value - reached)


def optima(problems: int = 200, larger: int = 30) -> None:
    """Compare the search with the best of all graphs, and with climbs where those cannot be listed."""
    for score in (gd.BJP(), gd.IBScore()):
        name = type(score).__name__
        share = float(
            np.mean(parallel_map(partial(reaches_the_top, score), range(problems), PROCESSES, "six"))
        )
        what = f"{name}: Search finds the best of all graphs of 6"
        print(f"{what:58}{share:8.1%} of {problems}, at least 98 %  {word(what, holds=share >= 0.98)}")
        gains = parallel_map(partial(above_the_climbs, score), range(larger), PROCESSES, "more")
        above, below = sum(gain > 1e-7 for gain in gains), sum(gain < -1e-7 for gain in gains)
        what = f"{name}: Search above the climbs, 16 to 32 variables"
        holds = below == 0 and 2 * above > larger
        print(f"{what:58}{above:5} of {larger}, below {below}  {word(what, holds=holds)}", flush=True)


def triangles(n: int, graph_seed: int, seed: int) -> gd.Table:
    """Return a sample of a network in which random triples of variables are joined."""
    rng = np.random.default_rng(graph_seed)
    triples = [rng.choice(n, 3, replace=False) for _ in range(n // 2)]
    edges = [(int(a), int(b)) for t in triples for a, b in ((t[0], t[1]), (t[1], t[2]), (t[0], t[2]))]
    network = gd.datasets.random_cliques(gd.UndirectedGraph(n, edges), np.random.default_rng(1000 + seed))
    return network.sample((500, 2_000, 8_000)[seed % 3], seed)


def large(folder: Path) -> None:
    """Learn a network of 1,176 variables."""
    graph = gd.datasets.read_graph(folder / "graphs" / "eris1176.csv")
    network = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(0.1, 0.3), rng=0)
    table = network.sample(8_000, 1)
    started = time.perf_counter()
    found = gd.learn(table)
    timed("gd.learn, eris1176, 8,000 rows (on the wall)", time.perf_counter() - started, 600.0)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    what = "its memory"
    print(
        f"{what:58}{most:8.2f} GB, at most 4  {word(what, holds=most <= 4)}; F1 {found.compare(graph).f1:.3f}"
    )


if __name__ == "__main__":
    if "optima" not in sys.argv:
        small()
        counted_once()
    optima()
    if data := os.environ.get("GRAPHOID_DATA"):
        large(Path(data))
    sys.exit(closing_line())
