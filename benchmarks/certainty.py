"""Whether intervals cover, whether verdicts are honest, and what a bootstrap costs.

Random pairwise networks of 8 binary variables, two neighbors each on average; the true strength of a pair is
that of the network's exact distribution, given what the estimate was given. The cost is that of 200 resamples
of 20,000 rows of alarm beside one run of a learner (if GRAPHOID_DATA holds bif/alarm.bif). Prints each figure
and whether its bar holds; exits with 1 if not.

    GRAPHOID_DATA=DIR python benchmarks/certainty.py [PROBLEMS] [coverage] [verdicts] [learn] [cost]

Without names all parts run; gd.learn, which takes seconds, then gets one problem in ten.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.uncertainty.association import log_odds
from graphoid.uncertainty.replicates import learn_resamples
from graphoid.uncertainty.resampling import Resampler
from measure import best, closing_line, word

if TYPE_CHECKING:
    from collections.abc import Iterable

N, RESAMPLES = 8, 200
AWAY_FROM_ZERO = {"log odds": 0.2}  # other intervals: truth/intervals.py


def problem(seed: int, weakest: float) -> tuple[gd.UndirectedGraph, dict[tuple[int, int], float], object]:
    """Return a random graph, the log odds of its edges, of random sign, and the network."""
    rng = np.random.default_rng([seed, 7])
    graph = gd.datasets.random_graph(N, 2, rng=rng)
    theta = {edge: float(rng.uniform(weakest, 1.5) * rng.choice([-1, 1])) for edge in graph.edges}
    return graph, theta, gd.datasets.pairwise_binary(graph, theta, rng)


def true_strength(joint: np.ndarray, x: int, y: int, given: tuple[int, ...]) -> dict[str, float]:
    """Return the log odds of a pair given others, from the joint distribution."""
    kept = (*given, x, y)
    margin = joint.sum(axis=tuple(v for v in range(N) if v not in kept))
    slices = np.transpose(margin, [sorted(kept).index(v) for v in kept]).reshape(-1, 2, 2)
    return {"log odds": float(log_odds(slices).value)}


def coverage(problems: int) -> None:
    """Count how often the intervals of true edges cover the true strength."""
    for rows in (500, 2_000):
        covered: dict[str, list[bool]] = {name: [] for name in AWAY_FROM_ZERO}
        for seed in range(problems):
            graph, _, network = problem(seed, 0.5)
            run = gd.Bootstrap(gd.GSIMN(), n=RESAMPLES, random_state=seed).fit(network.sample(rows, seed))
            result = run.result_
            for (x, y), given, row in zip(result.pairs, result.given, run.edges(), strict=True):
                if not graph.has_edge(x, y):
                    continue
                true = true_strength(network.probabilities, x, y, given)
                ends = {"log odds": (row.value_low, row.value_high)}
                for name, (low, high) in ends.items():
                    if abs(true[name]) > AWAY_FROM_ZERO[name] and low is not None and high is not None:
                        covered[name].append(low <= true[name] <= high)
        for name, hits in covered.items():
            share, what = float(np.mean(hits)), f"95 % intervals of {name} that cover, {rows:,} rows"
            shown = f"{what:52}{share:8.3f} of {len(hits):,}, between .90 and .98"
            print(f"{shown}  {word(what, holds=0.9 <= share <= 0.98)}", flush=True)


def called(kind: str, rows: int, seeds: Iterable[int]) -> dict[str, list[float]]:
    """Return for every verdict the true log odds, as absolute values, of the pairs that got it."""
    found: dict[str, list[float]] = {"present": [], "absent": [], "undecided": []}
    for seed in seeds:
        _, theta, network = problem(1_000 + seed, 0.2)
        table = network.sample(rows, seed)
        if kind == "gd.learn":
            pairs = gd.learn(table).pairs()
        else:
            pairs = gd.Bootstrap(gd.GSIMN(), n=RESAMPLES, random_state=seed).fit(table).edges()
        for row in pairs:
            found[row.verdict].append(abs(theta.get((table.position(row.x), table.position(row.y)), 0.0)))
    return found


def verdicts(kind: str, problems: int) -> None:
    """Count false verdicts, and what is left undecided."""
    left = []
    for rows in (200, 500, 2_000):
        found = called(kind, rows, range(problems))
        present, absent = found["present"], found["absent"]
        false = float(np.mean(np.array(present) == 0.0)) if present else 0.0
        missed = float(np.mean(np.array(absent) >= 0.5)) if absent else 0.0
        left.append(len(found["undecided"]) / sum(map(len, found.values())))
        what = f"{kind}, {rows:,} rows"
        said = f"{what:34} present {len(present):5,}, false {false:6.1%}"
        said += f"; absent {len(absent):5,}, edges of log odds .5 or more {missed:6.1%}"
        holds = max(false, missed) <= 0.05
        print(f"{said}; undecided {left[-1]:.1%}  {word(what, holds=holds)}", flush=True)
    falls = all(a > b for a, b in pairwise(left))
    print(f"{kind}: the undecided share falls with the rows  {word(kind, holds=falls)}", flush=True)


def cost() -> None:
    """Compare 200 resamples of alarm with one run, in CPU time and in memory."""
    data = os.environ.get("GRAPHOID_DATA")
    if not data:
        print("cost of a bootstrap: set GRAPHOID_DATA to the folder that holds bif/alarm.bif")
        return
    table = gd.datasets.bayesian_network(Path(data) / "bif" / "alarm.bif").sample(20_000, 1)
    learner = gd.GSIMN()
    one = best(lambda: learner.fit(table), clock=time.process_time)
    graphs = best(
        lambda: learn_resamples(learner, Resampler(table, "halves", 1), range(RESAMPLES)),
        seconds=3,
        clock=time.process_time,
    )
    whole = best(
        lambda: gd.Bootstrap(learner, n=RESAMPLES, random_state=1).fit(table),
        seconds=3,
        clock=time.process_time,
    )
    memory = [peak(data, n) for n in (0, RESAMPLES)]
    print(f"one run of GSIMN on alarm, 20,000 rows: {one / 1e3:.1f} ms")
    what = f"graphs of {RESAMPLES} resamples, in runs"
    print(f"{what:52}{graphs / one:8.1f}, at most 40  {word(what, holds=graphs <= 40 * one)}")
    print(f"{'the same with the strengths of all pairs found':52}{whole / one:8.1f}")
    what = "memory of the bootstrap over that of one run"
    print(f"{what:52}{memory[1] / memory[0]:8.2f}, at most 2  {word(what, holds=memory[1] <= 2 * memory[0])}")


def peak(data: str, resamples: int) -> float:
    """Return the most memory that a process of its own takes for one run, or for a bootstrap."""
    done = subprocess.run(
        [sys.executable, __file__, "--peak", data, str(resamples)], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def print_peak(data: str, resamples: int) -> None:
    """Learn once, or resample, and print the most memory that took."""
    table = gd.datasets.bayesian_network(Path(data) / "bif" / "alarm.bif").sample(20_000, 1)
    if resamples:
        gd.Bootstrap(gd.GSIMN(), n=resamples, random_state=1).fit(table)
    else:
        gd.GSIMN().fit(table)
    # not ru_maxrss, which remembers the process that started this one
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peak"]:
        print_peak(sys.argv[2], int(sys.argv[3]))
        sys.exit(0)
    numbers = [int(name) for name in sys.argv[1:] if name.isdigit()]
    parts = [name for name in sys.argv[1:] if not name.isdigit()]
    count = numbers[0] if numbers else 200
    if not parts or "coverage" in parts:
        coverage(count)
    if not parts or "verdicts" in parts:
        verdicts("bootstrap of GSIMN", count)
    if not parts or "learn" in parts:
        verdicts("gd.learn", count if parts else round(count / 10))
    if not parts or "cost" in parts:
        cost()
    sys.exit(closing_line())
