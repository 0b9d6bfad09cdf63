"""Canonical models of simulated data: divergence and number of tests ([Edera2014]_, section 4, Figs. 1-2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphoid.datasets.contexts import ContextNetwork, context_model
from graphoid.experiments.experiment import ParallelExperiment, Run
from graphoid.experiments.results import Plot, Row, Spread, columns
from graphoid.experiments.tables import select_rows
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
    from collections.abc import Callable, Iterable

    from graphoid.data.table import Table
    from graphoid.experiments.processes import Result
    from graphoid.logic.assertion import Context
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.learned import LearnedStructure

    Structure: TypeAlias = UndirectedGraph | LearnedStructure | CanonicalModel | tuple[Context, ...]

STRUCTURE, TERMS = "true structure", "true terms"

REPEATED = "CSGS repeated"
"""CSGS whose blankets grow until no one outside depends, which is ours and not the paper's."""


@dataclass(frozen=True, kw_only=True)
class ContextData(ParallelExperiment):
    """Data of networks with a switch, as both experiments use them."""

    sizes: tuple[int, ...] = (6, 7, 8, 9)
    """Numbers of variables n."""
    n_rows: tuple[int, ...] = (20, 100, 500, 1_000, 10_000, 100_000)
    """Sizes of the data sets; the smaller are the first rows of the largest."""
    repetitions: int = 10
    """Networks for each n, of the same structure and different weights."""
    alpha: float = 0.05
    """Significance of the chi-square test of CSGS, CSPC and GSMN*."""
    pull: float | None = None
    """How the switch pulls at the others; None for more than all of these can pull."""

    def _results(
        self, work: Callable[[ContextNetwork, Table], Result], run: Run
    ) -> dict[tuple[int, int], list[Result]]:
        """Return what ``work`` makes of a table of every network, by number of variables and of rows."""
        # those with most variables first, since they take longest
        parts = [(n, i) for n in sorted(self.sizes, reverse=True) for i in range(self.repetitions)]
        done = self.map(partial(self._of_network, work), parts, "networks", run)
        found = dict(zip(parts, done, strict=True))
        return {
            (n, size): [found[n, i][size] for i in range(self.repetitions)]
            for n in self.sizes
            for size in self.n_rows
        }

    def _of_network(
        self, work: Callable[[ContextNetwork, Table], Result], run: Run, part: tuple[int, int]
    ) -> dict[int, Result]:
        """Return what ``work`` makes of tables of every size that are sampled from one network."""
        n, repetition = part
        rng = run.stream(n, repetition)
        network = context_model(n, rng, pull=self.pull)
        table = network.sample(max(self.n_rows), rng)
        return {size: work(network, select_rows(table, slice(size))) for size in self.n_rows}

    def _origin(self, seed: int) -> str:
        pull = "(n - 1) / 2" if self.pull is None else f"{self.pull:g}"
        return f"""Mean ± standard deviation over {self.repetitions} networks each; seed {seed}; chi-square
            test, alpha = {self.alpha:g}. Every pair has log-odds ratio 1 where the first variable is 0; where
            it is 1, the others are independent, and it pulls at each with log-odds {pull}."""


@dataclass(frozen=True, kw_only=True)
class Divergence(ContextData):
    """Kullback-Leibler divergence from the true distribution to what was fitted on learned structures."""

    NAME = "csgs-kl"
    TITLE = "Canonical models: Kullback-Leibler divergence (Fig. 1)"
    COLUMNS = columns(f"n, rows, structure, features, KL:4, / {STRUCTURE}:2, / {TERMS}:2")
    PLOT = Plot("rows", {"KL": ("KL",)}, lines="structure", panels=("n",), log=True, log_x=True)

    def rows(self, run: Run) -> Iterable[Row]:
        """Sample, learn and fit; no data are needed."""
        for (n, size), done in self._results(self._divergences, run).items():
            means = {name: fmean(run[name][1] for run in done) for name in done[0]}
            for name, mean in means.items():
                spreads = Spread.of_each(run[name] for run in done)
                yield (n, size, name, *spreads, mean / means[STRUCTURE], mean / means[TERMS])

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""{self._origin(run.seed)}

            KL(p || q) in nats, exact by enumeration of all states: p the true distribution, q the
            network with weights by pseudo-likelihood, penalty w²/2. Ratios are those of means.

            'true structure' has the features of the true canonical graphs: every state of all variables
            where the first is 0, and its pairs with the others where it is 1. 'true terms' has those of
            the log-linear model behind the data instead, which knows that no more than pairs interact;
            no features made of maximal cliques can say that.

            The paper's figure has curves without numbers. GSMN is GSMN* here; IBMAP-HC has the
            Bayesian test with threshold 0.5. In 'CSGS repeated', blankets grow until no one outside
            depends, which the paper's do not."""

    def _divergences(self, network: ContextNetwork, table: Table) -> dict[str, tuple[int, float]]:
        """Return the number of features and the divergence of every structure."""
        structures = self._structures(network, table)
        return {name: divergence(network, table, found) for name, found in structures.items()}

    def _structures(self, network: ContextNetwork, table: Table) -> dict[str, Structure]:
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


def divergence(network: ContextNetwork, table: Table, structure: Structure) -> tuple[int, float]:
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

    NAME = "csgs-tests"
    TITLE = "Canonical models: number of tests (Fig. 2)"
    COLUMNS = columns(
        f"n, rows, assignments, CSGS, CSPC, CSPC / CSGS:2, {REPEATED}, CSGS different, CSPC different"
    )
    PLOT = Plot("rows", {"tests": ("CSGS", "CSPC")}, panels=("n",), log=True, log_x=True)

    def rows(self, run: Run) -> Iterable[Row]:
        """Sample and learn; no data are needed."""
        for key, done in self._results(self._costs, run).items():
            assignments, csgs, cspc, *rest = Spread.of_each(done)
            yield (*key, assignments, csgs, cspc, cspc.mean / csgs.mean, *rest)

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""{self._origin(run.seed)}

            Tests are counted by the question: every canonical graph asks its own. 'different'
            counts a question (X, Y, x_W) once, however many graphs ask it. The ratio is one of means.
            In 'CSGS repeated', blankets grow until no one outside depends, which the paper's do not.

            The paper's figure has bars without numbers; the text says that CSGS performs fewer, and
            that the difference increases with the data."""

    def _costs(self, network: ContextNetwork, table: Table) -> tuple[int, ...]:
        """Return the assignments, the tests of every learner, and how many of them were different."""
        del network
        test = ChiSquare(alpha=self.alpha)
        csgs, cspc, repeated = (
            learner.fit(table).structure_
            for learner in (CSGS(test=test), CSPC(test=test), CSGS(test=test, repeat=True))
        )
        tests = csgs.cost.n_tests, cspc.cost.n_tests, repeated.cost.n_tests
        return len(csgs.assignments), *tests, csgs.cost.n_distinct, cspc.cost.n_distinct
