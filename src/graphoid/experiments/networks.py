"""Data sampled from well-known Bayesian networks ([Bromberg2009]_, section 5.1.3, Figs. 12 and 13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.datasets.bif import bayesian_network
from graphoid.experiments.compared import MEASURES, WITH, WITHOUT, measured, stream, summarized
from graphoid.experiments.printed import NETWORKS
from graphoid.experiments.results import Column, Plot, Results, Spread, paragraphs
from graphoid.experiments.taken import file, folder, taken
from graphoid.independence.chi_square import ChiSquare
from graphoid.progress import stepping

if TYPE_CHECKING:
    from pathlib import Path

    from graphoid.experiments.compared import Measured
    from graphoid.experiments.results import Cell
    from graphoid.independence.base import DofConvention
    from graphoid.progress import Listener

NAMES = ("hailfinder", "insurance", "alarm", "mildew", "water")
AVERAGE = "average"


@dataclass(frozen=True, kw_only=True)
class Networks:
    """Hamming distance to the moral graph, weighted cost and time, on samples of Bayesian networks.

    Parameters
    ----------
    names
        Networks, each a BIF file.
    n_rows
        Sizes of the data sets; the smaller are the first rows of the largest.
    repetitions
        Samples of each network.
    alpha
        Significance of the chi-square test.
    dof
        Its conventions for degrees of freedom; the paper does not say which it has.
    """

    names: tuple[str, ...] = NAMES
    n_rows: tuple[int, ...] = (1_000, 2_000, 5_000, 10_000, 20_000)
    repetitions: int = 5
    alpha: float = 0.05
    dof: tuple[DofConvention, ...] = ("slices", "adjusted")

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Sample and learn from the networks in the folder ``bif`` of the data."""
        bif = folder(data, "bif", "networks as BIF files, such as alarm.bif")
        rows: list[tuple[Cell, ...]] = []
        for name in stepping(self.names, "Bayesian networks", progress):
            rows += self._rows(name, file(bif, f"{name}.bif", f"{name}.bif.gz"), seed)
        return Results(
            "gsimn-networks",
            "Known Bayesian networks: Hamming distance to the moral graph, weighted cost, time (Figs. 12-13)",
            (
                Column("network"),
                Column("degrees of freedom"),
                Column("rows"),
                *MEASURES,
                Column("printed", 2),
            ),
            (*rows, *self._averages(rows)),
            notes=self._notes(seed),
            plot=Plot(
                "rows",
                {"Hamming distance": ("Hamming",), "weighted cost": ("cost",)},
                lines="algorithm",
                panels=("degrees of freedom", "network"),
            ),
        )

    def _notes(self, seed: int) -> tuple[str, ...]:
        return paragraphs(
            f"""Mean ± standard deviation over {self.repetitions} samples each; seed {seed}; chi-square test,
            alpha = {self.alpha:g}.

            Hamming distances are divided by the number of pairs; 'without' and 'with' is propagation, and
            'robust' is our preset, which the paper does not have and which has no choice of degrees of
            freedom. The last lines have the average ratios of costs.

            The printed figures are curves without numbers; the text gives two average ratios. It also says
            that on water and hailfinder GSIMN's distance is smaller than GSMN*'s."""
        )

    def _rows(self, name: str, path: Path, seed: int) -> list[tuple[Cell, ...]]:
        network = bayesian_network(path)
        runs: dict[tuple[DofConvention, int], list[dict[str, Measured]]]
        runs = {(dof, size): [] for dof in self.dof for size in self.n_rows}
        for repetition in range(self.repetitions):
            # the place in the paper's list keys the stream, so that it is the same for any choice of networks
            key = NAMES.index(name) if name in NAMES else len(NAMES)
            table = network.sample(max(self.n_rows), stream(seed, key, repetition))
            for (dof, size), done in runs.items():
                test = ChiSquare(alpha=self.alpha, dof=dof)
                done.append(measured(taken(table, slice(size)), network.graph, test))
        return [
            (name, dof, size, *cells, None)
            for (dof, size), done in runs.items()
            for cells in summarized(done).values()
        ]

    def _averages(self, rows: list[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
        """Return the average ratios of costs, beside the printed ones."""
        averages: list[tuple[Cell, ...]] = []
        for dof in self.dof:
            for algorithm, printed in ((WITHOUT, "without propagation"), (WITH, "with propagation")):
                ratios = [row[7] for row in rows if (row[1], row[3]) == (dof, algorithm)]
                mean = Spread.of(ratio for ratio in ratios if isinstance(ratio, float))
                averages.append((AVERAGE, dof, None, algorithm, None, None, None, mean, NETWORKS[printed]))
        return averages
