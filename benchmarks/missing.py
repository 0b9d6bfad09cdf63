"""What missing cells cost: F1 lost against complete data, by share, reason and remedy.

``python benchmarks/missing.py [--networks ising,likert] [--first 100] [--sets 10]``. Cells are deleted
completely at random ("mcar"), more often where another column, always seen, is high ("mar"), or where the
value itself is ("mnar"). The way that reading recommends is to lose at most half of what dropping rows loses,
and less than filling in the most frequent state. Looked at on seeds 0 to 4; figures are of seeds from 100 on.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

import graphoid as gd
from graphoid.data.encoding.missing import recommend_policy
from graphoid.errors import GraphoidError

if TYPE_CHECKING:
    from collections.abc import Callable

SHARES = (0.05, 0.2, 0.5)
WHY = ("mcar", "mar", "mnar")
WAYS = ("drop", "fill", "available", "weighted")
ALARM = Path(__file__).parents[2] / "shared" / "data" / "bif" / "alarm.bif"


class Sample(NamedTuple):
    """Rows whose graph is known."""

    frame: pd.DataFrame
    graph: gd.UndirectedGraph


def ising(seed: int) -> Sample:
    """Return 2,000 rows of 75 binary variables with three neighbors each."""
    rng = np.random.default_rng(seed)
    network = gd.datasets.pairwise_binary(gd.datasets.random_graph(75, 3, rng), 0.6)
    return Sample(network.sample(2000, random_state=seed).to_frame(), network.graph)


def likert(seed: int) -> Sample:
    """Return 2,000 rows of 24 five-point items in three blocks of eight, each joined within."""
    rng = np.random.default_rng(seed)
    factors = np.repeat(rng.normal(size=(2000, 3)), 8, axis=1)
    items = np.digitize(0.9 * factors + rng.normal(size=(2000, 24)), [-1.5, -0.5, 0.5, 1.5])
    edges = [(i, j) for i in range(24) for j in range(i) if i // 8 == j // 8]
    names = [f"q{i + 1}" for i in range(24)]
    return Sample(pd.DataFrame(items, columns=names), gd.UndirectedGraph(names, edges))


def alarm(seed: int) -> Sample:
    """Return 5,000 rows of a diagnostic network of 37 variables."""
    network = gd.datasets.bayesian_network(ALARM)
    return Sample(network.sample(5000, random_state=seed).to_frame(), network.graph)


NETWORKS: dict[str, Callable[[int], Sample]] = {"ising": ising, "likert": likert, "alarm": alarm}


def delete(frame: pd.DataFrame, share: float, why: str, seed: int) -> pd.DataFrame:
    """Return a data frame without some of its cells."""
    rng = np.random.default_rng([seed, round(100 * share)])
    codes = np.stack([pd.factorize(frame[name], sort=True)[0] for name in frame], axis=1)
    high = codes > np.median(codes, axis=0)
    n = frame.shape[1]
    if why == "mar":  # every third column is always seen, and says which cells of the next two are not
        high = high[:, [i - i % 3 for i in range(n)]]
    chance = np.full(codes.shape, share) if why == "mcar" else np.where(high, 1.5, 0.5) * share
    if why == "mar":
        chance[:, ::3] = 0
        chance *= n / (n - len(range(0, n, 3)))
    else:
        chance *= share / np.maximum(chance.mean(axis=0), 1e-9)
    return frame.astype(object).mask(rng.random(codes.shape) < np.minimum(chance, 0.95))


def fill(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a data frame with the most frequent state of each column where cells are missing."""
    return frame.fillna(frame.mode().iloc[0])


def learn(frame: pd.DataFrame, way: str, learner: object) -> tuple[gd.UndirectedGraph | None, float]:
    """Return the graph found, and the CPU seconds that took; None where nothing is left to learn from."""
    began = time.process_time()
    try:
        source = fill(frame) if way == "fill" else frame
        table = gd.read(source.infer_objects(), missing="error" if way == "fill" else way)
        graph = gd.learn(table, learner).graph
    except GraphoidError:
        graph = None
    return graph, time.process_time() - began


def f1(graph: gd.UndirectedGraph | None, true: gd.UndirectedGraph) -> float:
    """Return the F1 of a graph; 0 where there is none."""
    return 0.0 if graph is None else gd.compare(graph, true).f1


def cell(name: str, learner: object, seeds: range, share: float, why: str) -> bool:
    """Print what each way loses in one cell, and say whether the recommended one holds its bar."""
    lost: dict[str, list[float]] = {way: [] for way in WAYS}
    seconds = dict.fromkeys(WAYS, 0.0)
    best = ""
    for seed in seeds:
        sample = NETWORKS[name](seed)
        whole = f1(learn(sample.frame, "error", learner)[0], sample.graph)
        holes = delete(sample.frame, share, why, seed)
        best = recommend_policy(len(holes), int(holes.notna().all(axis=1).sum()))
        for way in WAYS:
            graph, took = learn(holes, way, learner)
            lost[way].append(whole - f1(graph, sample.graph))
            seconds[way] += took
    mean = {way: float(np.mean(values)) for way, values in lost.items()}
    held = mean[best] <= max(0.5 * mean["drop"], 0.0) + 1e-9 and mean[best] <= mean["fill"] + 1e-9
    figures = "  ".join(f"{way} {mean[way]:+.3f} ({seconds[way] / len(seeds):.2f} s)" for way in WAYS)
    print(f"{name:7} {share:4.0%} {why:5} {figures}  {best}: {'holds' if held else 'MISSED'}", flush=True)
    return held


def main() -> int:
    """Print a line a cell; return 1 where a bar is missed."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--networks", default="ising,likert,alarm")
    asked.add_argument("--first", type=int, default=100, help="the first seed")
    asked.add_argument("--sets", type=int, default=10, help="data sets in a cell")
    asked.add_argument("--learner", choices=("robust", "learn"), default="robust")
    options = asked.parse_args()
    learner = gd.RobustGSMN() if options.learner == "robust" else None
    seeds = range(options.first, options.first + options.sets)
    held = []
    for name in options.networks.split(","):
        if name == "alarm" and not ALARM.exists():
            print("alarm: its file is not there")
            continue
        held += [cell(name, learner, seeds, share, why) for share in SHARES for why in WHY]
    print(f"{sum(held)} of {len(held)} cells hold")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
