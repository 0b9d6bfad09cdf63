"""Canonical models of simulated data: divergence and number of tests ([Edera2014]_, section 4, Figs. 1-2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from graphoid.datasets.contexts import context_model
from graphoid.experiments.compared import stream
from graphoid.experiments.processes import spread
from graphoid.experiments.results import Column, Plot, Results, Spread, paragraphs
from graphoid.experiments.taken import taken
from graphoid.independence.bayesian import BayesianTest
from graphoid.independence.chi_square import ChiSquare
from graphoid.learners.contexts.csgs import CSGS
from graphoid.learners.contexts.cspc import CSPC
from graphoid.learners.grow_shrink.gsmn import GSMN
from graphoid.learners.scored.hill_climb import HillClimb
from graphoid.models.network import MarkovNetwork
from graphoid.scores.ib import IBScore
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphoid.data.table import Table
    from graphoid.datasets.contexts import ContextNetwork
    from graphoid.experiments.results import Cell
    from graphoid.progress import Listener
    from graphoid.structure.contexts import CanonicalCost

_Run = TypeVar("_Run")

STRUCTURE, TERMS = "true structure", "true terms"

REPEATED = "CSGS repeated"
"""CSGS whose blankets grow until no one outside depends, which is ours and not the paper's."""


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
    pull
        How the switch pulls at the others; None for more than all of these can pull.
    processes
        How many networks are worked on at a time.
    """

    sizes: tuple[int, ...] = (6, 7, 8, 9)
    n_rows: tuple[int, ...] = (20, 100, 500, 1_000, 10_000, 100_000)
    repetitions: int = 10
    alpha: float = 0.05
    pull: float | None = None
    processes: int = 1

    def _runs(
        self, work: Callable[[ContextNetwork, Table], _Run], seed: int, progress: Listener | None
    ) -> dict[tuple[int, int], list[_Run]]:
        """Return what ``work`` makes of a table of every network, by number of variables and of rows."""
        # those with most variables first, since they take longest
        parts = [(n, i) for n in sorted(self.sizes, reverse=True) for i in range(self.repetitions)]
        done = spread(partial(self._of_network, work, seed), parts, self.processes, "networks", progress)
        found = dict(zip(parts, done, strict=True))
        return {
            (n, size): [found[n, i][size] for i in range(self.repetitions)]
            for n in self.sizes
            for size in self.n_rows
        }

    def _of_network(
        self, work: Callable[[ContextNetwork, Table], _Run], seed: int, part: tuple[int, int]
    ) -> dict[int, _Run]:
        """Return what ``work`` makes of tables of every size that are sampled from one network."""
        n, repetition = part
        rng = stream(seed, n, repetition)
        network = context_model(n, rng, pull=self.pull)
        table = network.sample(max(self.n_rows), rng)
        return {size: work(network, taken(table, slice(size))) for size in self.n_rows}

    def _origin(self, seed: int) -> str:
        pull = "(n - 1) / 2" if self.pull is None else f"{self.pull:g}"
        return " ".join(
            f"""Mean ± standard deviation over {self.repetitions} networks each; seed {seed}; chi-square test,
            alpha = {self.alpha:g}. Every pair has log-odds ratio 1 where the first variable is 0; where it is
            1, the others are independent, and it pulls at each with log-odds {pull}.""".split()
        )


@dataclass(frozen=True, kw_only=True)
class Divergence(ContextData):
    """Kullback-Leibler divergence from the true distribution to what was fitted on learned structures."""

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Sample, learn and fit; no data are needed."""
        del data
        runs = self._runs(self._divergences, seed, progress)
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
            tuple(row for (n, size), done in runs.items() for row in self._rows(n, size, done)),
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
                Bayesian test with threshold 0.5. In 'CSGS repeated', blankets grow until no one outside
                depends, which the paper's do not."""
            ),
        )

    def _rows(
        self, n: int, size: int, done: list[dict[str, tuple[int, float]]]
    ) -> Iterator[tuple[Cell, ...]]:
        """Yield a row for every structure."""
        means = {name: fmean(run[name][1] for run in done) for name in done[0]}
        for name, mean in means.items():
            yield (
                n,
                size,
                name,
                Spread.of(run[name][0] for run in done),
                Spread.of(run[name][1] for run in done),
                mean / means[STRUCTURE],
                mean / means[TERMS],
            )

    def _divergences(self, network: ContextNetwork, table: Table) -> dict[str, tuple[int, float]]:
        """Return the number of features and the divergence of every structure."""
        structures = self._structures(network, table)
        return {name: divergence(network, table, found) for name, found in structures.items()}

    def _structures(self, network: ContextNetwork, table: Table) -> dict[str, Any]:
        """Return what is compared: learned from the table, true, and the two extremes."""
        test, n, names = ChiSquare(alpha=self.alpha), network.graph.n, network.graph.names
        return {
            "CSGS": CSGS(test=test).fit(table).structure_,
            REPEATED: CSGS(test=test, repeat=True).fit(table).structure_,
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


class Asked(NamedTuple):
    """What the learners asked about one table."""

    assignments: int
    csgs: CanonicalCost
    cspc: CanonicalCost
    repeated: CanonicalCost


@dataclass(frozen=True, kw_only=True)
class Tests(ContextData):
    """How many tests CSGS and CSPC ask for."""

    __test__ = False  # not for pytest, whatever the name suggests

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Sample and learn; no data are needed."""
        del data
        runs = self._runs(self._asked, seed, progress)
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
                Column(REPEATED),
                Column("CSGS different"),
                Column("CSPC different"),
            ),
            tuple(self._row(n, size, done) for (n, size), done in runs.items()),
            notes=(
                self._origin(seed),
                *paragraphs(
                    """Tests are counted by the question: every canonical graph asks its own. 'different'
                    counts a question (X, Y, x_W) once, however many graphs ask it. The ratio is one of means.
                    In 'CSGS repeated', blankets grow until no one outside depends, which the paper's do not.

                    The paper's figure has bars without numbers; the text says that CSGS performs fewer, and
                    that the difference increases with the data."""
                ),
            ),
            plot=Plot("rows", {"tests": ("CSGS", "CSPC")}, panels=("n",), log=True, log_x=True),
        )

    def _asked(self, network: ContextNetwork, table: Table) -> Asked:
        """Return what every learner asked."""
        del network
        test = ChiSquare(alpha=self.alpha)
        csgs, cspc, repeated = (
            learner.fit(table).structure_
            for learner in (CSGS(test=test), CSPC(test=test), CSGS(test=test, repeat=True))
        )
        return Asked(len(csgs.assignments), csgs.cost, cspc.cost, repeated.cost)

    def _row(self, n: int, size: int, done: list[Asked]) -> tuple[Cell, ...]:
        """Return the row of one number of variables and one of rows."""
        return (
            n,
            size,
            Spread.of(run.assignments for run in done),
            Spread.of(run.csgs.n_tests for run in done),
            Spread.of(run.cspc.n_tests for run in done),
            fmean(run.cspc.n_tests for run in done) / fmean(run.csgs.n_tests for run in done),
            Spread.of(run.repeated.n_tests for run in done),
            Spread.of(run.csgs.n_distinct for run in done),
            Spread.of(run.cspc.n_distinct for run in done),
        )
