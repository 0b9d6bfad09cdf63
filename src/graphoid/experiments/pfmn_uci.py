"""PFMN on real data: sixteen sets of the UCI repository ([Margaritis2009]_, section 5.2, Table 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.experiments.experiment import ParallelExperiment, Run
from graphoid.experiments.papers.margaritis2009 import TABLE_1
from graphoid.experiments.pfmn_comparison import DEFAULT, GSIMN_NAME, GSMN_NAME, PAPER, Measures, learners
from graphoid.experiments.results import Cell, Row, Spread, columns
from graphoid.experiments.tables import file, select_rows
from graphoid.experiments.uci_tables import read_uci
from graphoid.independence.bayesian import BayesianTest
from graphoid.independence.remembering import Remembering
from graphoid.independence.tester import Tester
from graphoid.independence.thin import FLAGGED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphoid.data.table import Table


PRINTED_AS = {PAPER: 0, GSMN_NAME: 1, GSIMN_NAME: 2}
"""The column of the table that each algorithm has; the default method is not in it."""

ALARM_ROWS = 20_001
"""Rows of alarm, of which 6,692 were drawn row by row as about a third; they are sampled from the network."""


@dataclass(frozen=True, kw_only=True)
class PFMNUCI(ParallelExperiment):
    """Weighted cost and accuracy, learned from a random third of the rows, with the Bayesian test."""

    NAME = "pfmn-uci"
    TITLE = "UCI data sets: weighted cost and accuracy of PFMN, GSMN* and GSIMN (Table 1)"
    COLUMNS = columns("data set, n, algorithm, cost, printed cost:1, accuracy:3, printed accuracy:3")

    names: tuple[str, ...] = tuple(TABLE_1)
    """Data sets."""
    published: bool = True
    """Whether the published filter is run at all."""
    repetitions: int = 7
    """Random thirds of each."""
    n_triplets: int = 2_000
    """Questions for the accuracy."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Learn from the CSV files in the folder ``uci`` of the data, and from ``bif/alarm.bif``."""
        parts = [(name, repetition) for name in self.names for repetition in range(self.repetitions)]
        done = self.map(self._measure, parts, "UCI data sets", run)
        for name in self.names:
            yield from _lines(name, [of for part, of in zip(parts, done, strict=True) if part[0] == name])

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        filtered = "; N = 2n particles for the published filter" if self.published else ""
        return f"""Mean ± standard deviation over {self.repetitions} random thirds of the rows, drawn row by
            row; seed {run.seed}; the Bayesian test for all algorithms{filtered}.

            Accuracy: agreement of separation in the graph with the test on all rows, over {self.n_triplets:,}
            triplets. Preparation as in gsimn-uci; alarm is sampled from the network."""

    def remarks(self, rows: Sequence[Row]) -> Sequence[str]:
        """Return on how many sets the default method is cheaper than GSIMN, and not less accurate."""
        cost: dict[tuple[Cell, Cell], float] = {}
        right: dict[tuple[Cell, Cell], float] = {}
        for row in rows:
            if isinstance(row[3], Spread) and isinstance(row[5], Spread):
                cost[row[0], row[2]], right[row[0], row[2]] = row[3].mean, row[5].mean
        names = list(dict.fromkeys(row[0] for row in rows))
        cheaper = [n for n in names if cost[n, DEFAULT] < cost[n, GSIMN_NAME]]
        accurate = [n for n in cheaper if right[n, DEFAULT] >= right[n, GSIMN_NAME] - 0.02]
        cost_note = f"PFMN's weighted cost is below GSIMN's on {len(cheaper)} of {len(names)} sets"
        return [f"{cost_note}; on {len(accurate)} of these its accuracy is not lower by more than .02."]

    def _table(self, name: str, run: Run) -> Table:
        if name == "alarm":
            from graphoid.datasets.bif import bayesian_network

            bif = run.folder("bif", "networks as BIF files, such as alarm.bif")
            network = bayesian_network(file(bif, "alarm.bif", "alarm.bif.gz"))
            return network.sample(ALARM_ROWS, run.stream(0))
        uci = run.folder("uci", "data sets as CSV files with a header, such as lenses.csv")
        return read_uci(uci, name)

    def _measure(self, run: Run, part: tuple[str, int]) -> dict[str, Measures]:
        """Return how each algorithm does on one random third of a data set."""
        name, repetition = part
        table = self._table(name, run)
        whole = Remembering(Tester(BayesianTest(thin=FLAGGED), table), ())
        rng = run.stream(list(TABLE_1).index(name), repetition)
        third = np.flatnonzero(rng.random(table.n_rows) < 1 / 3)
        if not len(third):
            third = np.array([0])
        sample = select_rows(table, third, occurring=True)
        own, triplets = int(rng.integers(2**32)), int(rng.integers(2**32))
        compared = learners(
            BayesianTest(thin=FLAGGED), own, 2 * len(table.variables), published=self.published
        )
        return {
            algorithm: Measures.of(learner.fit(sample).structure_, whole, self.n_triplets, triplets)
            for algorithm, learner in compared.items()
        }


def _lines(name: str, runs: list[dict[str, Measures]]) -> list[Row]:
    """Return a line for each algorithm, the printed figures beside ours."""
    printed = TABLE_1[name]
    lines: list[Row] = []
    for algorithm in runs[0]:
        done = [run[algorithm] for run in runs]
        at = PRINTED_AS.get(algorithm)
        said = (None, None) if at is None else (printed.weighted[at], printed.accuracy[at])
        cost, right = Spread.of(run.weighted for run in done), Spread.of(run.accuracy for run in done)
        lines.append((name, printed.n, algorithm, cost, said[0], right, said[1]))
    return lines
