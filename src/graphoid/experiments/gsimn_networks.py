"""Data sampled from well-known Bayesian networks ([Bromberg2009]_, section 5.1.3, Figs. 12 and 13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.datasets.bif import bayesian_network
from graphoid.experiments.experiment import Experiment, Run
from graphoid.experiments.gsimn_comparison import MEASURES, WITH, WITHOUT, Measures, measure, summarize
from graphoid.experiments.papers.bromberg2009 import NETWORKS
from graphoid.experiments.results import Column, Plot, Row, Spread, columns
from graphoid.experiments.tables import file, select_rows
from graphoid.independence.chi_square import ChiSquare

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from graphoid.independence.base import DofConvention

NAMES = ("hailfinder", "insurance", "alarm", "mildew", "water")
AVERAGE = "average"


@dataclass(frozen=True, kw_only=True)
class Networks(Experiment):
    """Hamming distance to the moral graph, weighted cost and time, on samples of Bayesian networks."""

    NAME = "gsimn-networks"
    TITLE = "Known Bayesian networks: Hamming distance to the moral graph, weighted cost, time (Figs. 12-13)"
    COLUMNS = (*columns("network, degrees of freedom, rows"), *MEASURES, Column("printed", 2))
    PLOT = Plot(
        "rows",
        {"Hamming distance": ("Hamming",), "weighted cost": ("cost",)},
        lines="algorithm",
        panels=("degrees of freedom", "network"),
    )

    names: tuple[str, ...] = NAMES
    """Networks, each a BIF file."""
    n_rows: tuple[int, ...] = (1_000, 2_000, 5_000, 10_000, 20_000)
    """Sizes of the data sets; the smaller are the first rows of the largest."""
    repetitions: int = 5
    """Samples of each network."""
    alpha: float = 0.05
    """Significance of the chi-square test."""
    dof: tuple[DofConvention, ...] = ("slices", "adjusted")
    """Its conventions for degrees of freedom; the paper does not say which it has."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Sample and learn from the networks in the folder ``bif`` of the data."""
        bif = run.folder("bif", "networks as BIF files, such as alarm.bif")
        rows: list[Row] = []
        for name in run.steps(self.names, "Bayesian networks"):
            rows += self._rows(name, file(bif, f"{name}.bif", f"{name}.bif.gz"), run)
        return [*rows, *self._averages(rows)]

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""Mean ± standard deviation over {self.repetitions} samples each; seed {run.seed};
            chi-square test, alpha = {self.alpha:g}.

            Hamming distances are divided by the number of pairs; 'without' and 'with' is propagation, and
            'robust' is our preset, which the paper does not have and which has no choice of degrees of
            freedom. The last lines have the average ratios of costs.

            The printed figures are curves without numbers; the text gives two average ratios. It also says
            that on water and hailfinder GSIMN's distance is smaller than GSMN*'s."""

    def _rows(self, name: str, path: Path, run: Run) -> list[Row]:
        network = bayesian_network(path)
        runs: dict[tuple[DofConvention, int], list[dict[str, Measures]]]
        runs = {(dof, size): [] for dof in self.dof for size in self.n_rows}
        for repetition in range(self.repetitions):
            # the place in the paper's list keys the stream, so that it is the same for any choice of networks
            key = NAMES.index(name) if name in NAMES else len(NAMES)
            table = network.sample(max(self.n_rows), run.stream(key, repetition))
            for (dof, size), done in runs.items():
                test = ChiSquare(alpha=self.alpha, dof=dof)
                done.append(measure(select_rows(table, slice(size)), network.graph, test))
        return [
            (name, dof, size, *cells, None)
            for (dof, size), done in runs.items()
            for cells in summarize(done).values()
        ]

    def _averages(self, rows: list[Row]) -> list[Row]:
        """Return the average ratios of costs, beside the printed ones."""
        averages: list[Row] = []
        for dof in self.dof:
            for algorithm, printed in ((WITHOUT, "without propagation"), (WITH, "with propagation")):
                ratios = [row[7] for row in rows if (row[1], row[3]) == (dof, algorithm)]
                mean = Spread.of(ratio for ratio in ratios if isinstance(ratio, float))
                averages.append((AVERAGE, dof, None, algorithm, None, None, None, mean, NETWORKS[printed]))
        return averages
