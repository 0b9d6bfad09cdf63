"""Part 6, and what other parts ask of probabilities and verdicts: are they as often right as they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import graphoid as gd
from graphoid.uncertainty.strength import effects_of
from measure import calibration_error
from mixed.page import bar, begin, sections

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphoid.structure.effect import Effect
    from mixed.cells import Options

FEW = 12
"""Up to so many variables the calibration error may be .03, beyond .05."""


class Verdicts(NamedTuple):
    """Probabilities, verdicts and truth of pairs."""

    probability: list[float]
    verdict: list[str]
    true: list[bool]

    @classmethod
    def of(cls, runs: Iterable[tuple[gd.LearnedStructure, gd.UndirectedGraph]]) -> Verdicts:
        """Gather the pairs of several structures."""
        gathered = cls([], [], [])
        for found, graph in runs:
            for row in found.pairs():
                gathered.probability.append(row.probability)
                gathered.verdict.append(row.verdict)
                gathered.true.append(graph.has_edge(row.x, row.y))
        return gathered

    def report(self, what: str, n: int, *, tabled: bool = False) -> None:
        """Print the calibration error and the shares of false verdicts, and whether their bars hold."""
        p, called, true = np.array(self.probability), np.array(self.verdict), np.array(self.true)
        error, most = calibration_error(p, true), 0.03 if n <= FEW else 0.05
        present, absent = true[called == "present"], true[called == "absent"]
        false = 1 - float(present.mean()) if present.size else 0.0
        missed = float(absent.mean()) if absent.size else 0.0
        holds = error <= most and max(false, missed) <= 0.05
        shares = {
            "calibration error": f"{error:.3f}",
            "called present": f"{present.size:,}",
            "of these no edges": f"{false:.3f}",
            "called absent": f"{absent.size:,}",
            "of these edges": f"{missed:.3f}",
            "undecided": f"{np.mean(called == 'undecided'):.2f}",
        }
        if tabled:
            sections[-1].rows.append({"data": what, **shares})
        said = "; ".join(f"{name} {value}" for name, value in shares.items())
        bar(what, f"{said}; at most {most}, .05 and .05", holds=holds, shown=not tabled)


KINDS = {
    "all four": ("nominal", "ordered", "continuous", "count"),
    "nominal, continuous": ("nominal", "continuous"),
    "ordered, continuous": ("ordered", "continuous"),
    "continuous": ("continuous",),
}


def data_set(kinds: tuple[str, ...], n: int, rows: int, seed: int) -> tuple[gd.Table, gd.UndirectedGraph]:
    """Return a table of a mixed network with as many edges as variables, weak ones among them."""
    rng = np.random.default_rng([seed, n, rows, len(kinds)])
    graph = gd.datasets.random_graph(n, 2, rng)
    turn = [kinds[k % len(kinds)] for k in range(n)]
    network = gd.datasets.pairwise_mixed(graph, turn, rng, weakest=0.1, strongest=0.5)
    return network.sample(rows, rng), graph


def part(options: Options) -> None:
    """Calibration and verdicts of mixed tables, and the coverage of intervals."""
    begin(6, "Certainty: terms of sizes .1 to .5, as many edges as variables")
    for name, kinds in KINDS.items():
        for n in (10, 24):
            for rows in (300,) if options.quick else (100, 300, 1_000, 5_000):
                seeds = range(options.first, options.first + options.n_sets(40 if n <= FEW else 15))
                made = (data_set(kinds, n, rows, seed) for seed in seeds)
                runs = ((gd.learn(table), graph) for table, graph in made)
                Verdicts.of(runs).report(f"{name}, {n} variables, {rows:,} rows", n, tabled=True)
    for name, kinds in KINDS.items():
        for rows in (300,) if options.quick else (300, 1_000):
            coverage(name, kinds, rows, options)
    same_seed(options)


def coverage(name: str, kinds: tuple[str, ...], rows: int, options: Options) -> None:
    """Print how many intervals of true edges have the estimate of all tables together."""
    tables, seed = options.n_sets(60), options.first
    rng = np.random.default_rng([seed, rows, len(kinds)])
    graph = gd.datasets.random_graph(12, 2, rng)
    network = gd.datasets.pairwise_mixed(graph, [kinds[k % len(kinds)] for k in range(12)], rng)
    whole = network.sample(tables * rows, rng)
    truth = effects_of(graph, whole)
    covered = []
    for k in range(tables):
        found = effects_of(graph, take_rows(whole, slice(k * rows, (k + 1) * rows)))
        covered.append([in_interval(found[pair], truth[pair]) for pair in truth if pair in found])
    share = float(np.mean([hit for hits in covered for hit in hits]))
    spread = float(np.std([np.mean(hits) for hits in covered]) / np.sqrt(tables))
    holds = 0.93 - 2 * spread <= share <= 0.97 + 2 * spread
    said = f"{share:.3f}, standard error {spread:.3f}, .93 to .97 within two"
    bar(f"{name}, {rows:,} rows, coverage of intervals", said, holds=holds)


def in_interval(found: Effect, truth: Effect) -> bool:
    """Whether the weight, or where there is none the size, has the truth in its interval."""
    if found.weight is not None and truth.weight is not None:
        return found.weight_low <= truth.weight <= found.weight_high
    return found.low <= truth.size <= found.high


def take_rows(table: gd.Table, rows: slice) -> gd.Table:
    """Return some rows as a table of their own, with all states."""
    columns = tuple(None if column is None else column[rows].copy() for column in table.columns)
    values = {v: numbers[rows].copy() for v, numbers in table.values.items()}
    return gd.Table(table.variables, columns, len(range(table.n_rows)[rows]), values)


def same_seed(options: Options) -> None:
    """See that the same seed gives the same answer, whatever the order of the rows."""
    table, _ = data_set(KINDS["all four"], 12, 500, options.first)
    order = np.random.default_rng(0).permutation(table.n_rows)
    columns = tuple(None if column is None else column[order] for column in table.columns)
    shuffled = gd.Table(table.variables, columns, 500, {v: x[order] for v, x in table.values.items()})
    runs = [gd.learn(t, random_state=3).pairs() for t in (table, table, shuffled)]
    first, second, third = ([row.probability for row in run] for run in runs)
    holds = first == second and np.allclose(first, third, atol=1e-9)
    bar("same seed, rows in any order", "the same answer" if holds else "differs", holds=bool(holds))
