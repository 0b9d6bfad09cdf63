"""Canonical models of simulated data: divergence and number of tests ([Edera2014]_, section 4, Figs. 1-2)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.datasets.contexts import context_model
from graphoid.experiments.compared import stream
from graphoid.experiments.results import Column, Plot, Results, Spread, paragraphs
from graphoid.experiments.taken import taken
from graphoid.independence.bayesian import BayesianTest
from graphoid.independence.chi_square import ChiSquare
from graphoid.learners.csgs import CSGS
from graphoid.learners.cspc import CSPC
from graphoid.learners.gsmn import GSMN
from graphoid.learners.hill_climb import HillClimb
from graphoid.models.network import MarkovNetwork
from graphoid.progress import stepping
from graphoid.scores.ib import IBScore
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphoid.data.table import Table
    from graphoid.datasets.contexts import ContextNetwork
    from graphoid.experiments.results import Cell
    from graphoid.progress import Listener

STRUCTURE, TERMS = "true structure", "true terms"


@dataclass(frozen=True, kw_only=True)
class ContextData:
    """Data of networks with a switch, as both experiments use them.

    Parameters
    ----------
    sizes
        Numbers of variables n.
    n_rows
        Sizes of the data sets; the smaller are the first rows of the largest.
    repetitions
        Networks for each n, of the same structure and different weights.
    alpha
        Significance of the chi-square test of CSGS, CSPC and GSMN*.
    """

    sizes: tuple[int, ...] = (6, 7, 8, 9)
    n_rows: tuple[int, ...] = (20, 100, 500, 1_000, 10_000, 100_000)
    repetitions: int = 10
    alpha: float = 0.05

    def _data(self, n: int, seed: int) -> Iterator[tuple[ContextNetwork, dict[int, Table]]]:
        """Yield networks of n variables, and a table of every size sampled from each."""
        for repetition in range(self.repetitions):
            rng = stream(seed, n, repetition)
            network = context_model(n, rng)
            table = network.sample(max(self.n_rows), rng)
            yield network, {size: taken(table, slice(size)) for size in self.n_rows}

    def _origin(self, seed: int) -> str:
        return " ".join(
            f"""Mean ± standard deviation over {self.repetitions} networks each; seed {seed}; chi-square test,
            alpha = {self.alpha:g}. Every pair has log-odds ratio 1 where the first variable is 0; where it is
            1, the others are independent.""".split()
        )


@dataclass(frozen=True, kw_only=True)
class Divergence(ContextData):
    """Kullback-Leibler divergence from the true distribution to what was fitted on learned structures."""

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Sample, learn and fit; no data are needed."""
        del data
        rows: list[tuple[Cell, ...]] = []
        for n in stepping(self.sizes, "divergence", progress):
            rows += self._rows(n, seed)
        return Results(
            "csgs-kl",
            "Canonical models: Kullback-Leibler divergence (Fig. 1)",
            (
                Column("n"),
                Column("rows"),
                Column("structure"),
                Column("features"),
                Column("KL", 4),
                Column(f"/ {STRUCTURE}", 2),
                Column(f"/ {TERMS}", 2),
            ),
            tuple(rows),
            notes=self._notes(seed),
            plot=Plot("rows", {"KL": ("KL",)}, lines="structure", panels=("n",), log=True, log_x=True),
        )

    def _notes(self, seed: int) -> tuple[str, ...]:
        return (
            self._origin(seed),
            *paragraphs(
                """KL(p || q) in nats, exact by enumeration of all states: p the true distribution, q the
                network with weights by pseudo-likelihood, penalty w²/2. Ratios are those of means.

                'true structure' has the features of the true canonical graphs: every state of all variables
                where the first is 0, and its pairs with the others where it is 1. 'true terms' has those of
                the log-linear model behind the data instead, which knows that no more than pairs interact;
                no features made of maximal cliques can say that.

                The paper's figure has curves without numbers. GSMN is GSMN* here; IBMAP-HC has the
                Bayesian test with threshold 0.5."""
            ),
        )

    def _rows(self, n: int, seed: int) -> list[tuple[Cell, ...]]:
        runs: dict[int, list[dict[str, tuple[int, float]]]] = {size: [] for size in self.n_rows}
        for network, tables in self._data(n, seed):
            for size, table in tables.items():
                structures = self._structures(network, table)
                runs[size].append(
                    {name: divergence(network, table, found) for name, found in structures.items()}
                )
        return [
            (
                n,
                size,
                name,
                Spread.of(run[name][0] for run in done),
                Spread.of(run[name][1] for run in done),
                *(
                    fmean(run[name][1] for run in done) / fmean(run[true][1] for run in done)
                    for true in (STRUCTURE, TERMS)
                ),
            )
            for size, done in runs.items()
            for name in done[0]
        ]

    def _structures(self, network: ContextNetwork, table: Table) -> dict[str, Any]:
        """Return what is compared: learned from the table, true, and the two extremes."""
        test, n, names = ChiSquare(alpha=self.alpha), network.graph.n, network.graph.names
        return {
            "CSGS": CSGS(test=test).fit(table).structure_,
            "CSPC": CSPC(test=test).fit(table).structure_,
            "GSMN*": GSMN(test=test).fit(table).structure_,
            "IBMAP-HC": HillClimb(IBScore(test=BayesianTest())).fit(table).structure_,
            STRUCTURE: network.features,
            TERMS: network.terms,
            "saturated": UndirectedGraph(names, combinations(range(n), 2)),
            "independent": UndirectedGraph(names),
        }


def divergence(network: ContextNetwork, table: Table, structure: Any) -> tuple[int, float]:
    """Return the number of features of a structure, and the divergence when it is fitted to a table."""
    fitted = MarkovNetwork.fit(structure, table)
    p = network.probabilities
    states = np.indices(p.shape).reshape(p.ndim, -1).T
    log_q = fitted.log_probability(states)
    return len(fitted.features), float((p.ravel() * (np.log(p.ravel()) - log_q)).sum())


@dataclass(frozen=True, kw_only=True)
class Tests(ContextData):
    """How many tests CSGS and CSPC ask for."""

    __test__ = False  # not for pytest, whatever the name suggests

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Sample and learn; no data are needed."""
        del data
        rows: list[tuple[Cell, ...]] = []
        for n in stepping(self.sizes, "number of tests", progress):
            rows += self._rows(n, seed)
        return Results(
            "csgs-tests",
            "Canonical models: number of tests (Fig. 2)",
            (
                Column("n"),
                Column("rows"),
                Column("assignments"),
                Column("CSGS"),
                Column("CSPC"),
                Column("CSPC / CSGS", 2),
                Column("CSGS different"),
                Column("CSPC different"),
            ),
            tuple(rows),
            notes=(
                self._origin(seed),
                *paragraphs(
                    """Tests are counted by the question: every canonical graph asks its own. 'different'
                    counts a question (X, Y, x_W) once, however many graphs ask it. The ratio is one of means.

                    The paper's figure has bars without numbers; the text says that CSGS performs fewer, and
                    that the difference increases with the data."""
                ),
            ),
            plot=Plot("rows", {"tests": ("CSGS", "CSPC")}, panels=("n",), log=True, log_x=True),
        )

    def _rows(self, n: int, seed: int) -> list[tuple[Cell, ...]]:
        runs: dict[int, list[tuple[int, Any, Any]]] = {size: [] for size in self.n_rows}
        test = ChiSquare(alpha=self.alpha)
        for _, tables in self._data(n, seed):
            for size, table in tables.items():
                csgs, cspc = (learner(test=test).fit(table).structure_ for learner in (CSGS, CSPC))
                runs[size].append((len(csgs.assignments), csgs.cost, cspc.cost))
        return [
            (
                n,
                size,
                Spread.of(assignments for assignments, _, _ in done),
                Spread.of(csgs.n_tests for _, csgs, _ in done),
                Spread.of(cspc.n_tests for _, _, cspc in done),
                fmean(cspc.n_tests for _, _, cspc in done) / fmean(csgs.n_tests for _, csgs, _ in done),
                Spread.of(csgs.n_distinct for _, csgs, _ in done),
                Spread.of(cspc.n_distinct for _, _, cspc in done),
            )
            for size, done in runs.items()
        ]
