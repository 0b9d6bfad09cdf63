"""How much more complete inference would save ([Bromberg2009]_, section 5.1.1, Fig. 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.datasets.graphs import random_graph
from graphoid.experiments.compared import stream
from graphoid.experiments.printed import FCH_BELOW_LEAST, FCH_EXACT_FROM, FCH_LEAST
from graphoid.experiments.results import Column, Plot, Results, Spread, paragraphs
from graphoid.independence.oracle import Oracle
from graphoid.learners.grow_shrink.gsimn import GSIMN
from graphoid.progress import stepping

if TYPE_CHECKING:
    from pathlib import Path

    from graphoid.experiments.results import Cell
    from graphoid.progress import Listener


@dataclass(frozen=True, kw_only=True)
class ForwardChaining:
    """Tests of GSIMN-FCH, which infers all that the axioms imply, over those of GSIMN, which takes one step.

    Parameters
    ----------
    sizes
        Numbers of variables n; what is known grows with 2^n.
    degrees
        Average degrees tau.
    repetitions
        Random graphs for each n and tau; the paper takes four.
    """

    sizes: tuple[int, ...] = (5, 6, 7, 8, 9, 10, 11)
    degrees: tuple[int, ...] = (1, 2, 4, 8)
    repetitions: int = 4

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Learn every graph both ways; no data are needed."""
        del data
        grid = [(n, tau) for tau in self.degrees for n in self.sizes if tau < n]
        rows = [self._row(n, tau, seed) for n, tau in stepping(grid, "forward chaining", progress)]
        return Results(
            "gsimn-fch",
            "Forward chaining: tests of GSIMN-FCH over tests of GSIMN (Fig. 7)",
            (
                Column("tau"),
                Column("n"),
                Column("tests GSIMN", 1),
                Column("tests GSIMN-FCH", 1),
                Column("ratio", 3),
                Column("least", 3),
                Column("printed"),
                Column("matches"),
            ),
            tuple(rows),
            notes=self._notes(seed),
            plot=Plot("n", {"tests, GSIMN-FCH / GSIMN": ("ratio",)}, lines="tau"),
        )

    def _notes(self, seed: int) -> tuple[str, ...]:
        return paragraphs(
            f"""Mean ± standard deviation over {self.repetitions} random graphs each; seed {seed}. 'least' is
            the smallest ratio of a single graph.

            Questions are answered by separation in the true graph. Forward chaining runs over Strong Union,
            Transitivity and Intersection between single variables.

            The paper prints exactly 1 from n = {FCH_EXACT_FROM} on. Where our ratio is smaller, Intersection
            inferred what one backward step does not."""
        )

    def _row(self, n: int, tau: int, seed: int) -> tuple[Cell, ...]:
        tests: dict[str, list[int]] = {"backward": [], "forward": []}
        for repetition in range(self.repetitions):
            graph = random_graph(n, tau, stream(seed, n, tau, repetition))
            for chaining, counts in tests.items():
                counts.append(_tests(Oracle(graph), chaining))
        ratios = [f / b for f, b in zip(tests["forward"], tests["backward"], strict=True)]
        ratio = Spread.of(ratios)
        printed, matches = _printed(n, tau, ratio.mean)
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


def _tests(ci: Oracle, chaining: str) -> int:
    return GSIMN(chaining=chaining).learn(ci).cost.n_tests  # type: ignore[arg-type]


def _printed(n: int, tau: int, ratio: float) -> tuple[str, bool]:
    """Return what the paper says of a ratio, and whether ours agrees to the two digits of a plot."""
    if n >= FCH_EXACT_FROM:
        return "1", round(ratio, 2) == 1
    if (n, tau) == FCH_BELOW_LEAST:
        return f"<= {FCH_LEAST:.2f}", ratio <= FCH_LEAST
    return f"> {FCH_LEAST:.2f}", ratio > FCH_LEAST
