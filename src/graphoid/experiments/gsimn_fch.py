"""How much more complete inference would save ([Bromberg2009]_, section 5.1.1, Fig. 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from graphoid.datasets.graphs import random_graph
from graphoid.experiments.experiment import Experiment, Run
from graphoid.experiments.papers.bromberg2009 import FCH_BELOW_LEAST, FCH_EXACT_FROM, FCH_LEAST
from graphoid.experiments.results import Plot, Row, Spread, columns
from graphoid.independence.oracle import Oracle
from graphoid.learners.grow_shrink.gsimn import GSIMN

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, kw_only=True)
class ForwardChaining(Experiment):
    """Tests of GSIMN-FCH, which infers all that the axioms imply, over those of GSIMN, which takes a step."""

    NAME = "gsimn-fch"
    TITLE = "Forward chaining: tests of GSIMN-FCH over tests of GSIMN (Fig. 7)"
    COLUMNS = columns("tau, n, tests GSIMN:1, tests GSIMN-FCH:1, ratio:3, least:3, printed, matches")
    PLOT = Plot("n", {"tests, GSIMN-FCH / GSIMN": ("ratio",)}, lines="tau")

    sizes: tuple[int, ...] = (5, 6, 7, 8, 9, 10, 11)
    """Numbers of variables n; what is known grows with 2^n."""
    degrees: tuple[int, ...] = (1, 2, 4, 8)
    """Average degrees tau."""
    repetitions: int = 4
    """Random graphs for each n and tau; the paper takes four."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Learn every graph both ways; no data are needed."""
        grid = [(n, tau) for tau in self.degrees for n in self.sizes if tau < n]
        return (self._row(n, tau, run) for n, tau in run.steps(grid, "forward chaining"))

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""Mean ± standard deviation over {self.repetitions} random graphs each; seed {run.seed}.
            'least' is the smallest ratio of a single graph.

            Questions are answered by separation in the true graph. Forward chaining runs over Strong Union,
            Transitivity and Intersection between single variables.

            The paper prints exactly 1 from n = {FCH_EXACT_FROM} on. Where our ratio is smaller, Intersection
            inferred what one backward step does not."""

    def _row(self, n: int, tau: int, run: Run) -> Row:
        tests: dict[Literal["backward", "forward"], list[int]] = {"backward": [], "forward": []}
        for repetition in range(self.repetitions):
            graph = random_graph(n, tau, run.stream(n, tau, repetition))
            for chaining, counts in tests.items():
                counts.append(GSIMN(chaining=chaining).learn(Oracle(graph)).cost.n_tests)
        ratios = [f / b for f, b in zip(tests["forward"], tests["backward"], strict=True)]
        ratio = Spread.of(ratios)
        printed, matches = _printed_figure(n, tau, ratio.mean)
        return (
            tau,
            n,
            Spread.of(tests["backward"]),
            Spread.of(tests["forward"]),
            ratio,
            min(ratios),
            printed,
            "yes" if matches else "no",
        )


def _printed_figure(n: int, tau: int, ratio: float) -> tuple[str, bool]:
    """Return what the paper says of a ratio, and whether ours agrees to the two digits of a plot."""
    if n >= FCH_EXACT_FROM:
        return "1", round(ratio, 2) == 1
    if (n, tau) == FCH_BELOW_LEAST:
        return f"<= {FCH_LEAST:.2f}", ratio <= FCH_LEAST
    return f"> {FCH_LEAST:.2f}", ratio > FCH_LEAST
