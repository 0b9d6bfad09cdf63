"""Real data: nineteen sets of the UCI repository ([Bromberg2009]_, section 5.2, Table 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.experiments.experiment import Experiment, Run
from graphoid.experiments.gsimn_comparison import ALGORITHMS, learners
from graphoid.experiments.papers.bromberg2009 import TABLE_1
from graphoid.experiments.results import Plot, Row, Spread, columns
from graphoid.experiments.tables import select_rows
from graphoid.experiments.uci_tables import read_uci
from graphoid.independence.chi_square import ChiSquare
from graphoid.independence.remembering import Remembering
from graphoid.independence.tester import Tester
from graphoid.structure.compare import accuracy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


UNKNOWN = ("adult",)
"""Sets that cannot be rebuilt: adult has 10 of its 15 columns in the table, and nothing says which."""

MEAN = "mean |log ratio|"


class Measures(NamedTuple):
    """What one algorithm did in one repetition."""

    weighted: int
    """With the degrees of freedom of the slices that occur."""
    accuracy: float
    adjusted: int
    """Weighted cost where empty rows and columns of a slice lose their degrees of freedom."""


@dataclass(frozen=True, kw_only=True)
class UCI(Experiment):
    """Weighted cost and accuracy of the three algorithms, learned from a random third of the rows."""

    NAME = "gsimn-uci"
    TITLE = "UCI data sets: weighted cost and accuracy (Table 1)"
    COLUMNS = columns(
        "data set, n, rows, algorithm, cost, printed cost, log ratio:2, accuracy:3, printed accuracy:3, "
        "cost adjusted, log ratio adjusted:2"
    )
    PLOT = Plot("data set", {"weighted cost": ("cost", "printed cost")}, panels=("algorithm",), log=True)

    names: tuple[str, ...] = tuple(TABLE_1)
    """Data sets."""
    repetitions: int = 10
    """Random thirds of each."""
    n_triplets: int = 10_000
    """Questions for the accuracy; the paper takes 10,000."""
    alpha: float = 0.05
    """Significance of the chi-square test."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Learn from the CSV files in the folder ``uci`` of the data."""
        uci = run.folder("uci", "data sets as CSV files with a header, such as lenses.csv")
        rows: list[Row] = []
        for name in run.steps(self.names, "UCI data sets"):
            rows += _lines(name, {} if name in UNKNOWN else self._measure(name, uci, run))
        return [*rows, *_means(rows)]

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""Mean ± standard deviation over {self.repetitions} random thirds of the rows; seed
            {run.seed}; chi-square test, alpha = {self.alpha:g}, degrees of freedom of the slices that occur.
            'adjusted' is with those of empty rows and columns taken off too.

            Accuracy: agreement of separation in the graph with the test on all rows, over
            {self.n_triplets:,} triplets.

            Log ratio: logarithm of the mean cost over the printed one; 0 is equal. The last lines have the
            means of their absolute values over the sets that can be rebuilt.

            Preparation: rows with missing cells dropped; numbers of more than k = int(1 + log2 N) values cut
            into k bins of equal width, N being all rows; the states are those that occur in the third.
            Identifiers are kept in ecoli and hayes-roth, a row number is added to haberman and
            echocardiogram, normalized_losses is left out of imports-85: so the printed n and N come out.

            adult cannot be rebuilt: it has 15 columns, the table 10, and nothing says which."""

    def _measure(self, name: str, uci: Path, run: Run) -> dict[str, list[Measures]]:
        table = read_uci(uci, name)
        test = ChiSquare(alpha=self.alpha)
        # the algorithms are measured by the same triplets, thousands of tests on all rows
        whole = Remembering(Tester(test, table), ())
        runs: dict[str, list[Measures]] = {algorithm: [] for algorithm in ALGORITHMS}
        for repetition in range(self.repetitions):
            rng = run.stream(list(TABLE_1).index(name), repetition)
            third = rng.choice(table.n_rows, table.n_rows // 3, replace=False)
            sample = select_rows(table, np.sort(third), occurring=True)
            triplets = int(rng.integers(2**32))  # a seed: the same triplets for all algorithms
            adjusted = learners(ChiSquare(alpha=self.alpha, dof="adjusted"))
            for algorithm, learner in learners(test).items():
                found = learner.fit(sample).structure_
                runs[algorithm].append(
                    Measures(
                        found.cost.weighted,
                        accuracy(found, whole, self.n_triplets, triplets),
                        adjusted[algorithm].fit(sample).structure_.cost.weighted,
                    )
                )
        return runs


def _lines(name: str, runs: dict[str, list[Measures]]) -> list[Row]:
    """Return a line for each algorithm; without runs, one of printed figures only."""
    printed = TABLE_1[name]
    lines: list[Row] = []
    for i, algorithm in enumerate(ALGORITHMS):
        said = printed.weighted[i], printed.accuracy[i]
        head = (name, printed.n, printed.n_rows, algorithm)
        if algorithm not in runs:
            lines.append((*head, None, said[0], None, None, said[1], None, None))
            continue
        cost, right, adjusted = Spread.of_each(runs[algorithm])
        ratio, adjusted_ratio = (math.log(of.mean / said[0]) for of in (cost, adjusted))
        lines.append((*head, cost, said[0], ratio, right, said[1], adjusted, adjusted_ratio))
    return lines


def _means(rows: list[Row]) -> list[Row]:
    """Return for each algorithm the mean absolute log ratio to the printed costs."""
    means: list[Row] = []
    for algorithm in ALGORITHMS:
        mine = [row for row in rows if row[3] == algorithm]
        plain = [abs(row[6]) for row in mine if isinstance(row[6], float)]
        adjusted = [abs(row[10]) for row in mine if isinstance(row[10], float)]
        if plain:
            means.append(
                (MEAN, None, None, algorithm, None, None, fmean(plain), None, None, None, fmean(adjusted))
            )
    return means
