"""How right learners are on networks that nobody chose for them, and what that takes.

Bayesian networks of the literature (if GRAPHOID_DATA holds bif/) and generated ones: noisy gates, random
tables, pedigrees, columns of many states; Ising networks, hubs, scale-free graphs. Every row is one network
and one sample; F1 is that of the moral graph, or of the graph itself, and CPU seconds are those of learning
from a table that is read. pyAgrum is left out where it is not installed.

    GRAPHOID_DATA=DIR python benchmarks/recommended.py [--rows 1000 10000] [--only gates-220 directed]
        [--seconds 60] [--seed 0]

``--only`` keeps rows, learners, or both, whose names contain one of the words.
"""

from __future__ import annotations

import argparse
import importlib
import os
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import graphoid as gd
from graphoid.counts.native import engine_for
from graphoid.structure.moral import moral_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.data.table import Table

PUBLIC = {name: f"{name}.bif" for name in ("alarm", "insurance", "hailfinder")} | {
    name: f"{name}.bif.gz" for name in ("water", "mildew")
}


class Problem(NamedTuple):
    """A table and the graph that is to be found in it."""

    table: Table
    graph: gd.UndirectedGraph


def drawn(make: Callable[[int], object], rows: int, seed: int) -> Problem:
    """Return a sample of a network that is made from a seed."""
    network = make(seed)
    return Problem(network.sample(rows, seed + 1), network.graph)


def public(path: Path, rows: int, seed: int) -> Problem:
    """Return a sample of a network in a file."""
    return drawn(lambda _: gd.datasets.bayesian_network(path), rows, seed)


def ising(graph: Callable[[int], gd.UndirectedGraph], rows: int, seed: int) -> Problem:
    """Return a sample of an Ising network with couplings of .3 to .6 of random sign."""
    truth = graph(seed)
    network = gd.datasets.ising(truth, lambda r: r.choice([-1, 1]) * r.uniform(0.3, 0.6), rng=seed)
    return Problem(network.sample(rows, seed + 1), truth)


def problems() -> dict[str, Callable[[int, int], Problem]]:
    """Return what there is to learn, by name: from a number of rows and a seed to a problem."""
    found: dict[str, Callable[[int, int], Problem]] = {}
    if data := os.environ.get("GRAPHOID_DATA"):
        found |= {name: partial(public, Path(data) / "bif" / file) for name, file in PUBLIC.items()}
    gates, tables, pedigree = gd.datasets.noisy_gates, gd.datasets.random_tables, gd.datasets.pedigree
    for n in (50, 220, 700):
        found[f"gates-{n}"] = partial(drawn, partial(gates, n))
    for n in (50, 200):
        found[f"tables-{n}"] = partial(drawn, partial(tables, n))
    for n in (100, 440):
        found[f"pedigree-{n}"] = partial(drawn, partial(pedigree, n))
    found["states-30"] = partial(drawn, partial(tables, 30, states=(2, 40), most_parents=1))
    found["ising-75"] = partial(ising, lambda seed: gd.datasets.random_graph(75, 3, seed))
    found["hubs-64"] = partial(ising, lambda _: gd.datasets.hub_graph(64))
    found["scale-free-64"] = partial(ising, lambda seed: gd.datasets.scale_free_graph(64, 2, seed))
    return found


def learners(seconds: float | None) -> dict[str, Callable[[Table], gd.UndirectedGraph]]:
    """Return who learns, by name: from a table to a graph."""

    def by(learner: object) -> Callable[[Table], gd.UndirectedGraph]:
        return lambda table: learner.fit(table).structure_.graph

    found: dict[str, Callable[[Table], gd.UndirectedGraph]] = {
        "gd.learn": lambda table: gd.learn(table, seconds=seconds).graph,
        "directed": by(gd.DirectedSearch(random_state=0, seconds=seconds)),
        "mpl": by(gd.TwoPhase(gd.MPL(), seconds=seconds)),
        "robust": by(gd.RobustGSMN()),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            gum = importlib.import_module("pyagrum")
        except ImportError:
            return found
    found["pyagrum"] = partial(hill_climb, gum, seconds)
    return found


def hill_climb(gum: object, seconds: float | None, table: Table) -> gd.UndirectedGraph:
    """Return the moral graph of what pyAgrum's greedy hill climbing finds by BIC."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        codes = np.stack([table.column(name) for name in table.names], axis=1)
        path.write_text(
            "\n".join([",".join(table.names), *(",".join(f"s{c}" for c in row) for row in codes)])
        )
        learner = gum.BNLearner(str(path))
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    learner.setNumberOfThreads(1)
    if seconds is not None:
        learner.setMaxTime(1000 * seconds)
    started = time.process_time()
    dag = learner.learnDAG()
    hill_climb.seconds = time.process_time() - started  # reading is not learning
    parents: list[list[str]] = [[] for _ in table.names]
    for parent, child in dag.arcs():
        parents[table.position(learner.nameFromId(child))].append(learner.nameFromId(parent))
    return moral_graph(table.names, parents)


def main() -> None:
    """Print a line for each problem and learner."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--only", nargs="*", default=[], help="words in the names of rows or learners")
    parser.add_argument("--seconds", type=float, help="that a learner may take")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows_of, who = problems(), learners(options.seconds)

    def chosen(names: dict[str, object]) -> list[str]:
        some = [name for name in names if any(word in name for word in options.only)]
        return some or list(names)

    print(f"{'network':16}{'rows':>8}  {'learner':10}{'F1':>8}{'edges':>8}{'CPU s':>10}")
    for name in chosen(rows_of):
        for rows in options.rows:
            problem = rows_of[name](rows, options.seed)
            engine_for(problem.table)
            for by in chosen(who):
                started = time.process_time()
                graph = who[by](problem.table)
                spent = hill_climb.seconds if by == "pyagrum" else time.process_time() - started
                f1 = gd.compare(graph, problem.graph).f1
                line = f"{name:16}{rows:8,}  {by:10}{f1:8.3f}{graph.n_edges:8,}{spent:10.2f}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
