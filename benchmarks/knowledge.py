"""What true knowledge is worth, and whether false knowledge is noticed.

``python benchmarks/knowledge.py [--first 7000] [--sets 10] [--learners recommended,robust]``.

True knowledge: a tenth of all pairs, drawn at random, of which it is told whether they are joined; 500 rows.
F1 is to be higher with it in every cell where it can be: where it is not 1 without. The last column is that
of the pairs of which nothing was told.

False knowledge: a tenth of all pairs are told, and one in ten facts is false, half of them required edges
that are not there and half of them forbidden ones that are; 2,000 rows. At least 80 % of the false facts are
to be flagged: a log Bayes factor below -3 for the fact. How many true facts are is beside it.

Bound: what the rows could tell at best. All true edges and as many pairs that are not joined are judged
beside the neighbors that are true. A log Bayes factor of -3 says that an edge that is not there looks so 20
times as often as one that is there; so where four in five false required edges are to be flagged, at most one
in 25 true ones may be. Printed is how many would be, at the threshold that flags four in five.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import graphoid as gd
from graphoid.learners.recommended import recommend_score
from graphoid.learners.scored.inclusion import PairEvidence
from measure import missed

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.structure.graph import Edge

places = [Path(__file__).parents[2] / "shared" / "data" / "bif" / "alarm.bif"]
"""Where alarm is: beside the repository, or as --alarm says."""

TOLD, FALSE = 0.1, 0.1
"""Share of the pairs that are told, and of the facts that are false."""

FLAGGED = 0.8
ROWS = {"true": 500, "false": 2_000, "bound": 2_000}


def hubs(seed: int) -> Any:
    """Return a network of hubs: binary, 32 variables, a log-odds ratio of one."""
    return gd.datasets.pairwise_binary(gd.datasets.hub_graph(32), 1.0, np.random.default_rng(seed))


def scale_free(seed: int) -> Any:
    """Return a network that grew by two edges a variable: binary, 32 variables, a log-odds ratio of one."""
    rng = np.random.default_rng(seed)
    return gd.datasets.pairwise_binary(gd.datasets.scale_free_graph(32, 2, rng), 1.0, rng)


def alarm(seed: int) -> Any:  # noqa: ARG001 - the network is what it is
    """Return a diagnostic network: 37 variables of two to four states."""
    return gd.datasets.bayesian_network(places[-1])


NETWORKS: dict[str, Callable[[int], Any]] = {"hubs": hubs, "scale-free": scale_free, "alarm": alarm}

LEARNERS: dict[str, Callable[[], Any]] = {
    "recommended": lambda: None,
    "robust": gd.RobustGSMN,
    "gsimn": gd.GSIMN,
    "mpl": lambda: gd.TwoPhase(gd.MPL()),
}


def tell(graph: gd.UndirectedGraph, pairs: list[Edge], false: set[Edge]) -> gd.Knowledge:
    """Return what is told of some pairs, the contrary of the truth where that is to be false."""
    required, forbidden = [], []
    for pair in pairs:
        joined = graph.has_edge(*pair) != (pair in false)
        (required if joined else forbidden).append((graph.names[pair[0]], graph.names[pair[1]]))
    return gd.Knowledge(required=required, forbidden=forbidden)


def draw(graph: gd.UndirectedGraph, rng: np.random.Generator) -> list[Edge]:
    """Return a tenth of all pairs."""
    every = list(combinations(range(graph.n), 2))
    return [every[int(i)] for i in rng.permutation(len(every))[: round(TOLD * len(every))]]


def f1(graph: gd.UndirectedGraph, true: gd.UndirectedGraph, without: set[Edge] = frozenset()) -> float:
    """Return the F1 of a graph, on the pairs that are left."""
    found, edges = set(graph.edges) - without, set(true.edges) - without
    return 2 * len(found & edges) / max(1, len(found) + len(edges))


def true_knowledge(name: str, learner: str, seeds: range) -> None:
    """Print F1 with and without what is true."""
    lines = []
    for seed in seeds:
        network, rng = NETWORKS[name](seed), np.random.default_rng([seed, 1])
        table, true = network.sample(ROWS["true"], random_state=seed), network.graph
        pairs = draw(true, rng)
        alone = gd.learn(table, LEARNERS[learner]()).graph
        told = gd.learn(table, LEARNERS[learner](), knowledge=tell(true, pairs, set())).graph
        rest = set(pairs)
        lines.append([f1(alone, true), f1(told, true), f1(alone, true, rest), f1(told, true, rest)])
    alone, told, rest_alone, rest_told = np.mean(lines, axis=0)
    held = told > alone or alone == 1
    word = "holds" if held else "MISSED"
    if not held:
        missed.append(f"F1 of {learner} on {name}")
    print(
        f"{name:12} {learner:12} F1 {alone:.3f} -> {told:.3f} ({word}); pairs not told "
        f"{rest_alone:.3f} -> {rest_told:.3f}",
        flush=True,
    )


def false_knowledge(name: str, learner: str, seeds: range) -> None:
    """Print how many false facts are flagged, and how many true ones."""
    flags: dict[str, list[bool]] = {"required": [], "forbidden": [], "true": []}
    for seed in seeds:
        network, rng = NETWORKS[name](seed), np.random.default_rng([seed, 2])
        table, true = network.sample(ROWS["false"], random_state=seed), network.graph
        pairs = draw(true, rng)
        n_false = max(1, round(FALSE * len(pairs) / 2))
        apart = [pair for pair in pairs if not true.has_edge(*pair)]
        edges = [
            true.edges[int(i)] for i in rng.permutation(true.n_edges)[:n_false]
        ]  # few are among the told
        pairs = sorted({*pairs, *edges})
        false = {*apart[:n_false], *edges}
        found = gd.learn(table, LEARNERS[learner](), knowledge=tell(true, pairs, false))
        for row in found.knowledge:
            pair = (true.position(row.x), true.position(row.y))
            flags[row.fact if (min(pair), max(pair)) in false else "true"].append(row.contradicted)
    wrong = [*flags["required"], *flags["forbidden"]]
    share = float(np.mean(wrong))
    word = "holds" if share >= FLAGGED else "MISSED"
    if share < FLAGGED:
        missed.append(f"flags of {learner} on {name}")
    print(
        f"{name:12} {learner:12} {sum(wrong)} of {len(wrong)} false facts flagged: {share:.3f} ({word}); "
        f"required {np.mean(flags['required']):.3f}, forbidden {np.mean(flags['forbidden']):.3f}; "
        f"true facts {sum(flags['true'])} of {len(flags['true'])}",
        flush=True,
    )


def bound(name: str, learner: str, seeds: range) -> None:  # noqa: ARG001 - no learner is asked
    """Print what could be told of edges and of other pairs, if all of their neighbors were known."""
    joined, apart = [], []
    for seed in seeds:
        network, rng = NETWORKS[name](seed), np.random.default_rng([seed, 3])
        table, true = network.sample(ROWS["bound"], random_state=seed), network.graph
        seen = table.varying if table.constants else table
        within = [true.position(name) for name in seen.names]
        true = gd.UndirectedGraph(
            seen.names,
            [(i, j) for i, j in combinations(range(len(within)), 2) if true.has_edge(within[i], within[j])],
        )
        others = [pair for pair in combinations(range(true.n), 2) if not true.has_edge(*pair)]
        others = [others[int(i)] for i in rng.permutation(len(others))[: true.n_edges]]
        scorer, pairs = recommend_score(seen)[0].on(seen), [*true.edges, *others]
        gains = np.where([true.has_edge(*pair) for pair in pairs], -1, 1) * scorer.gains(true, pairs)
        found = PairEvidence.of(dict(zip(pairs, gains.tolist(), strict=True)), scorer, true).log_bayes_factors
        joined.extend(found[: true.n_edges])
        apart.extend(found[true.n_edges :])
    edges, pairs = np.array(joined), np.array(apart)
    quantile = np.quantile(pairs, FLAGGED)
    print(
        f"{name:12} false required {np.mean(pairs < -3):.3f} and false forbidden {np.mean(edges > 3):.3f} "
        f"flagged, true ones {np.mean(edges < -3):.3f} and {np.mean(pairs > 3):.3f}; where {FLAGGED:.0%} of "
        f"the false required are, {np.mean(edges <= quantile):.3f} of the true ones "
        f"({len(edges)} edges, {len(pairs)} others)",
        flush=True,
    )


def main() -> int:
    """Print all cells."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=7_000)
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--learners", default="recommended,robust")
    parser.add_argument("--what", default="true,false")
    parser.add_argument("--alarm", type=Path)
    options = parser.parse_args()
    places.extend([options.alarm] if options.alarm else [])
    seeds, began = range(options.first, options.first + options.sets), time.process_time()
    for what in options.what.split(","):
        print(f"{what} knowledge, {ROWS[what]:,} rows, seeds {seeds[0]}-{seeds[-1]}")
        for name in options.networks.split(","):
            if name == "alarm" and not places[-1].exists():
                print(
                    f"{name:12} skipped: there is no file alarm.bif beside the repository; say --alarm FILE"
                )
                continue
            for learner in options.learners.split(","):
                {"true": true_knowledge, "false": false_knowledge, "bound": bound}[what](name, learner, seeds)
    print(f"{time.process_time() - began:.0f} CPU s")
    for bar in missed:
        print(f"missed: {bar}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
