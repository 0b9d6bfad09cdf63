"""What the settings beyond the paper do on data: each learner with each of them, on the same tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from graphoid.datasets.bif import bayesian_network
from graphoid.datasets.graphs import random_graph
from graphoid.datasets.networks import ising
from graphoid.experiments.experiment import Experiment, Run
from graphoid.experiments.results import Row, Spread, columns
from graphoid.experiments.tables import select_rows
from graphoid.independence.chi_square import ChiSquare
from graphoid.learners.grow_shrink.gsimn import GSIMN
from graphoid.learners.grow_shrink.gsmn import GSMN, GrowShrinkLearner

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.random import Generator

    from graphoid.data.table import Table
    from graphoid.structure.graph import UndirectedGraph

LEARNERS: dict[str, GrowShrinkLearner] = {
    "GSMN* without propagation": GSMN(propagate=False),
    "GSMN* as published": GSMN(),
    'GSMN*, rule="both"': GSMN(rule="both"),
    "GSMN*, fdr=.01": GSMN(fdr=0.01),
    "GSMN*, max_given=3": GSMN(max_given=3),
    "GSMN*, max_given=3, fdr=.01": GSMN(max_given=3, fdr=0.01),
    "GSMN*, regrow=2": GSMN(regrow=2),
    "GSMN*, alpha=.001": GSMN(test=ChiSquare(alpha=0.001)),
    'GSMN*, preset="robust"': GSMN(preset="robust"),
    "GSIMN as published": GSIMN(check_below=None),
    "GSIMN": GSIMN(),
    'GSIMN, rule="both"': GSIMN(rule="both", check_below=None),
    "GSIMN, max_given=3, fdr=.01": GSIMN(max_given=3, fdr=0.01, check_below=None),
    'GSIMN, preset="robust"': GSIMN(preset="robust"),
}
"""Chi-square at .05 where nothing else is said."""


class Case(NamedTuple):
    """A table whose graph is known."""

    name: str
    true: UndirectedGraph
    table: Table


@dataclass(frozen=True, kw_only=True)
class NamedSettings(Experiment):
    """F1, precision, recall, Hamming distance and weighted cost of the learners with named settings."""

    NAME = "gsimn-settings"
    TITLE = "Named settings: how right the graph is, and at what cost"
    COLUMNS = columns("data, rows, learner, F1:3, precision:3, recall:3, Hamming:4, cost")

    n: int = 75
    tau: float = 3
    """Variables and average degree of the Ising models; couplings are .3 to .6 with random signs."""
    n_rows: tuple[int, ...] = (300, 2_000)
    """Rows of a table sampled from them; the smaller are the first rows of the largest."""
    network_rows: int = 20_000
    """Rows sampled from the alarm network, where there is a folder with its BIF file."""
    repetitions: int = 10
    """Random models, and samples of the alarm network."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Sample and learn; without data, from Ising models alone."""
        found: dict[tuple[str, int, str], list[tuple[float, ...]]] = {}
        for repetition in run.steps(range(self.repetitions), "named settings"):
            for case in self._cases(run.stream(repetition), run.data):
                for name, learner in LEARNERS.items():
                    structure = learner.fit(case.table).structure_
                    score = structure.compare(case.true)
                    measures = (score.f1, score.precision, score.recall, score.hamming_normalized)
                    runs = found.setdefault((case.name, case.table.n_rows, name), [])
                    runs.append((*measures, structure.cost.weighted))
        return [(*key, *Spread.of_each(runs)) for key, runs in found.items()]

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        alarm = "" if run.data is None else " alarm: against the moral graph."
        return f"""Mean ± standard deviation over {self.repetitions} random models each; seed {run.seed};
            chi-square test, alpha = .05, unless something else is said; with the robust preset, the
            Mantel-Haenszel test that comes with it.

            Ising: {self.n} binary variables, {self.tau:g} neighbors on average, couplings .3 to .6 of random
            sign, no fields.{alarm} Hamming distances are divided by the number of pairs. Cost is the sum of
            2 + |given| over the tests executed, initial ones included."""

    def _cases(self, rng: Generator, data: Path | None) -> Iterator[Case]:
        graph = random_graph(self.n, self.tau, rng)
        model = ising(graph, lambda rng: rng.choice([-1, 1]) * rng.uniform(0.3, 0.6), rng=rng)
        table = model.sample(max(self.n_rows), rng)
        for size in self.n_rows:
            yield Case("Ising", graph, select_rows(table, slice(size)))
        if data is not None:
            network = bayesian_network(data / "bif" / "alarm.bif")
            yield Case("alarm", network.graph, network.sample(self.network_rows, rng))
