"""What inference saves where every answer is right ([Bromberg2009]_, section 5.1.1, Fig. 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.datasets.graphs import random_graph
from graphoid.experiments.compared import GSIMN_NAME, WITH, WITHOUT, learners, stream
from graphoid.experiments.printed import EXACT_LARGE
from graphoid.experiments.results import Column, Plot, Results, Spread, paragraphs
from graphoid.independence.oracle import Oracle
from graphoid.progress import stepping

if TYPE_CHECKING:
    from pathlib import Path

    from graphoid.progress import Listener

LARGE = (100, 8)
"""The n and tau for which the text gives ratios, as limits for large n."""


@dataclass(frozen=True, kw_only=True)
class Exact:
    """Weighted cost of GSIMN over that of GSMN*, on random graphs whose separations answer all questions.

    Parameters
    ----------
    sizes
        Numbers of variables n.
    degrees
        Average degrees tau.
    repetitions
        Random graphs for each n and tau; the paper takes 100.
    skip_independent
        Line 22 of Algorithm 3: do not ask again about pairs that are unconditionally independent.
    """

    sizes: tuple[int, ...] = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
    degrees: tuple[int, ...] = (1, 2, 4, 8)
    repetitions: int = 100
    skip_independent: bool = True

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Learn every graph with the three algorithms; no data are needed."""
        del data
        grid = [(n, tau) for tau in self.degrees for n in self.sizes if tau < n]
        rows = [self._row(n, tau, seed) for n, tau in stepping(grid, "exact learning", progress)]
        return Results(
            "gsimn-exact",
            "Exact learning: weighted cost of GSIMN over GSMN* (Fig. 6)",
            (
                Column("tau"),
                Column("n"),
                Column("cost GSIMN"),
                Column("/ without propagation", 3),
                Column("printed without", 2),
                Column("/ with propagation", 3),
                Column("printed with", 2),
                Column("wrong graphs"),
            ),
            tuple(rows),
            notes=self._notes(seed),
            plot=Plot(
                "n",
                {
                    "GSIMN / GSMN* without propagation": ("/ without propagation",),
                    "GSIMN / GSMN* with propagation": ("/ with propagation",),
                },
                lines="tau",
            ),
        )

    def _notes(self, seed: int) -> tuple[str, ...]:
        line22 = "with" if self.skip_independent else "without"
        return paragraphs(
            f"""Mean ± standard deviation over {self.repetitions} random graphs each; seed {seed}.

            Questions are answered by separation in the true graph, {line22} line 22 of Algorithm 3.

            Printed ratios are the text's approximate limits for large n and tau = 8."""
        )

    def _row(self, n: int, tau: int, seed: int) -> tuple[int | float | Spread | None, ...]:
        costs, ratios, wrong = [], {WITHOUT: [], WITH: []}, 0  # type: ignore[var-annotated]
        for repetition in range(self.repetitions):
            graph = random_graph(n, tau, stream(seed, n, tau, repetition))
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
