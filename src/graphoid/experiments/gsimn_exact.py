"""What inference saves where every answer is right ([Bromberg2009]_, section 5.1.1, Fig. 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.datasets.graphs import random_graph
from graphoid.experiments.experiment import Experiment, Run
from graphoid.experiments.gsimn_comparison import GSIMN_NAME, WITH, WITHOUT, learners
from graphoid.experiments.papers.bromberg2009 import EXACT_LARGE
from graphoid.experiments.results import Plot, Row, Spread, columns
from graphoid.independence.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterable


LARGE = (100, 8)
"""The n and tau for which the text gives ratios, as limits for large n."""


@dataclass(frozen=True, kw_only=True)
class Exact(Experiment):
    """Weighted cost of GSIMN over that of GSMN*, on random graphs whose separations answer all questions."""

    NAME = "gsimn-exact"
    TITLE = "Exact learning: weighted cost of GSIMN over GSMN* (Fig. 6)"
    COLUMNS = columns(
        "tau, n, cost GSIMN, / without propagation:3, printed without:2, / with propagation:3, "
        "printed with:2, wrong graphs"
    )
    PLOT = Plot(
        "n",
        {
            "GSIMN / GSMN* without propagation": ("/ without propagation",),
            "GSIMN / GSMN* with propagation": ("/ with propagation",),
        },
        lines="tau",
    )

    sizes: tuple[int, ...] = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
    """Numbers of variables n."""
    degrees: tuple[int, ...] = (1, 2, 4, 8)
    """Average degrees tau."""
    repetitions: int = 100
    """Random graphs for each n and tau; the paper takes 100."""
    skip_independent: bool = True
    """Line 22 of Algorithm 3: do not ask again about pairs that are unconditionally independent."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Learn every graph with the three algorithms; no data are needed."""
        grid = [(n, tau) for tau in self.degrees for n in self.sizes if tau < n]
        return (self._row(n, tau, run) for n, tau in run.steps(grid, "exact learning"))

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        line22 = "with" if self.skip_independent else "without"
        return f"""Mean ± standard deviation over {self.repetitions} random graphs each; seed {run.seed}.

            Questions are answered by separation in the true graph, {line22} line 22 of Algorithm 3.

            Printed ratios are the text's approximate limits for large n and tau = 8."""

    def _row(self, n: int, tau: int, run: Run) -> Row:
        costs: list[int] = []
        ratios: dict[str, list[float]] = {WITHOUT: [], WITH: []}
        wrong = 0
        for repetition in range(self.repetitions):
            graph = random_graph(n, tau, run.stream(n, tau, repetition))
            cost = {}
            for name, learner in learners(skip_independent=self.skip_independent).items():
                found = learner.learn(Oracle(graph))
                cost[name] = found.cost.weighted
                wrong += found.graph != graph
            costs.append(cost[GSIMN_NAME])
            for name, values in ratios.items():
                values.append(cost[GSIMN_NAME] / cost[name])
        printed = EXACT_LARGE if (n, tau) == LARGE else {}
        return (
            tau,
            n,
            Spread.of(costs),
            Spread.of(ratios[WITHOUT]),
            printed.get("without propagation"),
            Spread.of(ratios[WITH]),
            printed.get("with propagation"),
            wrong,
        )
