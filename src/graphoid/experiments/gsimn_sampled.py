"""Data sampled from known Markov networks ([Bromberg2009]_, section 5.1.2, Figs. 8-11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.datasets.graphs import random_graph
from graphoid.datasets.networks import pairwise_binary
from graphoid.experiments.experiment import Experiment, Run
from graphoid.experiments.gsimn_comparison import MEASURES, ROBUST, WITH, Measures, measure, summarize
from graphoid.experiments.papers.bromberg2009 import SAMPLED_DEARER, SAMPLED_SPARSE
from graphoid.experiments.results import Cell, Plot, Row, columns
from graphoid.experiments.tables import select_rows
from graphoid.independence.chi_square import ChiSquare

if TYPE_CHECKING:
    from collections.abc import Iterable


PRINTED_ROWS = 20_000
"""The size of the data sets that the text speaks of."""

SPARSE_AND_WEAK = (1, 1.0)
"""The tau and theta of "sparse networks and weak dependences"."""


@dataclass(frozen=True, kw_only=True)
class Sampled(Experiment):
    """Hamming distance, weighted cost and time on Gibbs samples of pairwise binary networks."""

    NAME = "gsimn-sampled"
    TITLE = "Sampled data: Hamming distance, weighted cost and time (Figs. 8-11)"
    COLUMNS = (*columns("n, theta:1, tau, rows"), *MEASURES, *columns("printed, matches"))
    PLOT = Plot(
        "rows",
        {"Hamming distance": ("Hamming",), "weighted cost": ("cost",), "seconds": ("seconds",)},
        lines="algorithm",
        panels=("n", "theta", "tau"),
    )

    sizes: tuple[int, ...] = (50, 75)
    """Numbers of variables n."""
    degrees: tuple[int, ...] = (1, 2, 4, 8)
    """Average degrees tau."""
    thetas: tuple[float, ...] = (1.0, 1.5, 2.0)
    """Log-odds ratios of the edges."""
    n_rows: tuple[int, ...] = (500, 2_000, 5_000, 10_000, 20_000)
    """Sizes of the data sets; the smaller are the first rows of the largest."""
    repetitions: int = 10
    """Random networks for each n, tau and theta."""
    alpha: float = 0.05
    """Significance of the chi-square test."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Sample and learn; no data are needed."""
        grid = [(n, theta, tau) for n in self.sizes for theta in self.thetas for tau in self.degrees]
        for n, theta, tau in run.steps(grid, "sampled networks"):
            yield from self._rows(n, theta, tau, run)

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""Mean ± standard deviation over {self.repetitions} random networks each; seed {run.seed};
            chi-square test, alpha = {self.alpha:g}.

            Hamming distances are divided by the number of pairs; 'without' and 'with' is propagation, and
            'robust' is our preset, which the paper does not have.

            The printed figures are curves without numbers. What the text says of the ratio of costs at
            20,000 rows stands in 'printed'. Seconds are of this machine and do not compare with the paper's.

            Where the paper is silent the readings are ours: theta is the log-odds ratio of the edge
            potential, and node potentials are random."""

    def _rows(self, n: int, theta: float, tau: int, run: Run) -> list[Row]:
        runs: dict[int, list[dict[str, Measures]]] = {size: [] for size in self.n_rows}
        for repetition in range(self.repetitions):
            # tenths make a whole number of theta, as a key must be
            rng = run.stream(n, tau, round(10 * theta), repetition)
            network = pairwise_binary(random_graph(n, tau, rng), theta, rng)
            table = network.sample(max(self.n_rows), rng)
            for size, done in runs.items():
                rows = select_rows(table, slice(size))
                done.append(measure(rows, network.graph, ChiSquare(alpha=self.alpha)))
        return [
            (n, theta, tau, size, *cells, *_printed_figure(name, tau, theta, size, cells[-1]))
            for size, done in runs.items()
            for name, cells in summarize(done).items()
        ]


def _printed_figure(name: str, tau: int, theta: float, size: int, ratio: Cell) -> tuple[str, str]:
    """Return what the text says of GSIMN's cost over that of an algorithm, and whether ours agrees."""
    if size != PRINTED_ROWS or not isinstance(ratio, float) or name == ROBUST:
        return "", ""
    if name == WITH and (tau, theta) in SAMPLED_DEARER:
        says, matches = ">= 1", ratio >= 1
    elif (tau, theta) == SPARSE_AND_WEAK:
        says, matches = f"< {SAMPLED_SPARSE:.2f}", ratio < SAMPLED_SPARSE
    else:
        says, matches = "< 1", ratio < 1
    return says, "yes" if matches else "no"
