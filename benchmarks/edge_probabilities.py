"""How far the edge probabilities of PFMN can be trusted, where answers come from data.

Random binary networks of eight variables, average degree 1 to 4 in turn, log-odds ratio 1, with 1,000 rows
each. Prints each figure and whether its bar holds; exits with 1 if not.

    python benchmarks/edge_probabilities.py [PROBLEMS [FIRST]]
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

import numpy as np

import graphoid as gd
from graphoid.experiments.processes import parallel_map
from measure import calibration_error, closing_line, word

N, ROWS, MOST_ERROR = 8, 1_000, 0.05


class Learned(NamedTuple):
    """The probabilities of all pairs of one problem, which are edges, and how far off the graph is."""

    probabilities: list[float]
    edges: list[bool]
    hamming: int


def learn(problem: int) -> Learned:
    """Learn one random problem."""
    rng = np.random.default_rng(problem)
    graph = gd.datasets.random_graph(N, 1 + problem % 4, rng)
    table = gd.datasets.pairwise_binary(graph, 1.0, rng).sample(ROWS, rng)
    found = gd.PFMN(random_state=problem).fit(table).structure_
    probabilities = found.edge_probabilities or {}
    edges = [graph.has_edge(x, y) for x, y in probabilities]
    return Learned(list(probabilities.values()), edges, found.compare(graph).hamming)


def calibration(problems: range) -> None:
    """Compare probabilities with how often the edges are there."""
    done = parallel_map(learn, problems, os.cpu_count() or 1, "learning")
    p, t = np.concatenate([run.probabilities for run in done]), np.concatenate([run.edges for run in done])
    error = calibration_error(p, t)
    what = f"expected calibration error of PFMN, {len(done)} problems"
    print(f"{what:58}{error:8.4f}, at most {MOST_ERROR}  {word(what, holds=error <= MOST_ERROR)}")
    print(f"{'squared error of the probabilities':58}{np.mean((p - t) ** 2):8.4f}")
    print(f"{'Hamming distance of the graph':58}{np.mean([run.hamming for run in done]):8.2f}")


if __name__ == "__main__":
    number, first = (int(v) for v in (*sys.argv[1:], *("200", "0")[len(sys.argv) - 1 :]))
    calibration(range(first, first + number))
    sys.exit(closing_line())
