"""Data sampled from known Markov networks ([Bromberg2009]_, section 5.1.2, Figs. 8-11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.datasets.graphs import random_graph
from graphoid.datasets.networks import pairwise_binary
from graphoid.experiments.compared import MEASURES, ROBUST, WITH, measured, stream, summarized
from graphoid.experiments.printed import SAMPLED_DEARER, SAMPLED_SPARSE
from graphoid.experiments.results import Column, Plot, Results, paragraphs
from graphoid.experiments.taken import taken
from graphoid.independence.chi_square import ChiSquare
from graphoid.progress import stepping

if TYPE_CHECKING:
    from pathlib import Path

    from graphoid.experiments.compared import Measured
    from graphoid.experiments.results import Cell
    from graphoid.progress import Listener

PRINTED_ROWS = 20_000
"""The size of the data sets that the text speaks of."""

SPARSE_AND_WEAK = (1, 1.0)
"""The tau and theta of "sparse networks and weak dependences"."""


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """Hamming distance, weighted cost and time on Gibbs samples of pairwise binary networks.

    Parameters
    ----------
    sizes
        Numbers of variables n.
    degrees
        Average degrees tau.
    thetas
        Log-odds ratios of the edges.
    n_rows
        Sizes of the data sets; the smaller are the first rows of the largest.
    repetitions
        Random networks for each n, tau and theta.
    alpha
        Significance of the chi-square test.
    """

    sizes: tuple[int, ...] = (50, 75)
    degrees: tuple[int, ...] = (1, 2, 4, 8)
    thetas: tuple[float, ...] = (1.0, 1.5, 2.0)
    n_rows: tuple[int, ...] = (500, 2_000, 5_000, 10_000, 20_000)
    repetitions: int = 10
    alpha: float = 0.05

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Sample and learn; no data are needed."""
        del data
        grid = [(n, theta, tau) for n in self.sizes for theta in self.thetas for tau in self.degrees]
        rows: list[tuple[Cell, ...]] = []
        for n, theta, tau in stepping(grid, "sampled networks", progress):
            rows += self._rows(n, theta, tau, seed)
        return Results(
            "gsimn-sampled",
            "Sampled data: Hamming distance, weighted cost and time (Figs. 8-11)",
            (
                Column("n"),
                Column("theta", 1),
                Column("tau"),
                Column("rows"),
                *MEASURES,
                Column("printed"),
                Column("matches"),
            ),
            tuple(rows),
            notes=self._notes(seed),
            plot=Plot(
                "rows",
                {"Hamming distance": ("Hamming",), "weighted cost": ("cost",), "seconds": ("seconds",)},
                lines="algorithm",
                panels=("n", "theta", "tau"),
            ),
        )

    def _notes(self, seed: int) -> tuple[str, ...]:
        return paragraphs(
            f"""Mean ± standard deviation over {self.repetitions} random networks each; seed {seed};
            chi-square test, alpha = {self.alpha:g}.

            Hamming distances are divided by the number of pairs; 'without' and 'with' is propagation, and
            'robust' is our preset, which the paper does not have.

            The printed figures are curves without numbers. What the text says of the ratio of costs at
            20,000 rows stands in 'printed'. Seconds are of this machine and do not compare with the paper's.

            Where the paper is silent the readings are ours: theta is the log-odds ratio of the edge
            potential, and node potentials are random."""
        )

    def _rows(self, n: int, theta: float, tau: int, seed: int) -> list[tuple[Cell, ...]]:
        runs: dict[int, list[dict[str, Measured]]] = {size: [] for size in self.n_rows}
        for repetition in range(self.repetitions):
            # tenths make a whole number of theta, as a key must be
            rng = stream(seed, n, tau, round(10 * theta), repetition)
            network = pairwise_binary(random_graph(n, tau, rng), theta, rng)
            table = network.sample(max(self.n_rows), rng)
            for size, done in runs.items():
                done.append(measured(taken(table, slice(size)), network.graph, ChiSquare(alpha=self.alpha)))
        return [
            (n, theta, tau, size, *cells, *_printed(name, tau, theta, size, cells[-1]))
            for size, done in runs.items()
            for name, cells in summarized(done).items()
        ]


def _printed(name: str, tau: int, theta: float, size: int, ratio: Cell) -> tuple[str, str]:
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
