"""How much data a score needs until the best of all graphs is the true one ([Schluter2018]_, Table 1)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from graphoid.datasets.cliques import random_cliques
from graphoid.experiments.experiment import Experiment, Run
from graphoid.experiments.papers.schluter2018 import ROWS, SUCCESS
from graphoid.experiments.results import Plot, Row, columns
from graphoid.experiments.tables import select_rows
from graphoid.learners.scored.exhaustive import ExhaustiveSearch
from graphoid.scores.bjp import BJP
from graphoid.scores.ib import IBScore
from graphoid.scores.log_linear import LogLinearScore
from graphoid.scores.mpl import MPL
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphoid.scores.base import Score

SCORES: dict[str, Score] = {"MPL": MPL(), "IB": IBScore(), "BJP": BJP(), "log-linear": LogLinearScore()}

STRUCTURES: dict[int, tuple[str, tuple[tuple[int, int], ...]]] = {
    1: ("cycle", ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5))),
    2: ("cycle of five, one leaf", ((0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (0, 5))),
    3: ("hub of four, one leaf longer", ((0, 1), (0, 2), (0, 3), (0, 4), (4, 5))),
    4: ("star", ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5))),
    5: (
        "star, two of its leaves joined to a third",
        ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (1, 3)),
    ),
    6: (
        "degrees 5, 4, 3, 3, 2, 1",
        ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (1, 3), (1, 4), (2, 3)),
    ),
}
"""Target structures: a name, and the edges over six variables."""


def irregularity(graph: UndirectedGraph) -> int:
    r"""Return the total irregularity, :math:`\sum_{i<j} |d_i - d_j|`.

    [Schluter2018]_, Eq. 15, sums over edges; its figures are those of the sum over all pairs.
    """
    degrees = [mask.bit_count() for mask in graph.adjacency]
    return sum(abs(a - b) for a, b in combinations(degrees, 2))


@dataclass(frozen=True, kw_only=True)
class Consistency(Experiment):
    """How often exhaustive search finds the true graph of six variables, by score and number of rows."""

    NAME = "bjp-consistency"
    TITLE = "Success rates of exhaustive search over six variables (Table 1)"
    COLUMNS = (
        *columns("structure, shape, irregularity, rows"),
        *(
            column
            for name in SCORES
            for column in columns(f"{name}:2, {name} printed:2" if name in SUCCESS[1] else f"{name}:2")
        ),
    )
    PLOT = Plot("rows", {"success rate": tuple(SCORES)}, panels=("structure",))

    structures: tuple[int, ...] = tuple(STRUCTURES)
    """Target structures, by their numbers in the table."""
    n_rows: tuple[int, ...] = ROWS
    """Sizes of the data sets; the smaller are the first rows of the largest."""
    repetitions: int = 10
    """Random distributions of each structure."""
    samples: int = 10
    """Data sets of each distribution."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Sample and score all graphs; no data are needed."""
        for number in run.steps(self.structures, "target structures"):
            yield from self._rows(number, run)

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""Share of {self.repetitions * self.samples} data sets ({self.repetitions} random
            distributions, {self.samples} samples each; seed {run.seed}) for which the best of all 32,768
            graphs is the true one. The paper has 100.

            The shapes of the structures are drawn in the paper and not written: ours were chosen to have the
            irregularity stated there, the sum over all pairs of the differences of degrees.

            Maximal cliques have potentials uniform on (0, 1). Rows are drawn independently; the paper's come
            from a Gibbs sampler."""

    def _rows(self, number: int, run: Run) -> list[Row]:
        shape, edges = STRUCTURES[number]
        graph = UndirectedGraph(6, edges)
        found = {(size, name): 0 for size in self.n_rows for name in SCORES}
        for repetition in range(self.repetitions):
            rng = run.stream(number, repetition)
            network = random_cliques(graph, rng)
            for _ in range(self.samples):
                table = network.sample(max(self.n_rows), rng)
                for size, name in found:
                    search = ExhaustiveSearch(SCORES[name]).fit(select_rows(table, slice(size)))
                    found[size, name] += search.structure_.graph == graph
        n_tables = self.repetitions * self.samples
        return [
            (
                number,
                shape,
                irregularity(graph),
                size,
                *(
                    cell
                    for name in SCORES
                    for cell in (found[size, name] / n_tables, *_printed_figure(number, name, size))
                ),
            )
            for size in self.n_rows
        ]


def _printed_figure(number: int, name: str, size: int) -> list[float | None]:
    """Return the printed success rate, if the paper has this score; None within if not this size."""
    if name not in SUCCESS[number]:
        return []
    return [SUCCESS[number][name][ROWS.index(size)] if size in ROWS else None]
