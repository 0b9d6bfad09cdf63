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
import time
from functools import partial
from typing import TYPE_CHECKING

import graphoid as gd
from peers.learners import MissingError, hill_climb, module, ours, recommended
from peers.problems import problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.data.table import Table
    from peers.learners import Prepared


def learners(seconds: float | None) -> dict[str, Callable[[Table], Prepared]]:
    """Return who learns, by name: from a table to what is timed."""
    found: dict[str, Callable[[Table], Prepared]] = {
        "gd.learn": partial(recommended, seconds=seconds),
        "directed": partial(ours, partial(gd.DirectedSearch, random_state=0, seconds=seconds)),
        "mpl": partial(ours, lambda: gd.TwoPhase(gd.MPL(), seconds=seconds)),
        "robust": partial(ours, gd.RobustGSMN),
    }
    try:
        module("pyagrum", "pyagrum")
    except MissingError:
        return found
    return found | {"pyagrum": partial(hill_climb, seconds=seconds)}


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
            for by in chosen(who):
                learn = who[by](problem.table)
                started = time.process_time()
                found = learn()
                spent = time.process_time() - started
                graph = gd.UndirectedGraph(problem.table.names, found.edges)
                f1 = gd.compare(graph, problem.graph).f1
                line = f"{name:16}{rows:8,}  {by:10}{f1:8.3f}{graph.n_edges:8,}{spent:10.2f}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
