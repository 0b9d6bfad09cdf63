"""What the experiments behind GSIMN share: the algorithms compared, and what is measured of each."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from graphoid.experiments.results import Row, Spread, columns
from graphoid.learners.grow_shrink.gsimn import GSIMN
from graphoid.learners.grow_shrink.gsmn import GSMN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.data.table import Table
    from graphoid.independence.base import DiscreteTest
    from graphoid.learners.base import IndependenceLearner
    from graphoid.structure.graph import UndirectedGraph

WITHOUT, WITH, GSIMN_NAME = ALGORITHMS = ("GSMN* without", "GSMN* with", "GSIMN")
"""GSMN* without and with propagation, and GSIMN: the three that [Bromberg2009]_ compares."""

ROBUST = "robust"
"""GSMN with the robust preset, which is ours and not the paper's."""


def learners(
    test: DiscreteTest | None = None, *, skip_independent: bool = False
) -> dict[str, IndependenceLearner]:
    """Return the algorithms compared, by name."""
    return {
        WITHOUT: GSMN(test=test, propagate=False, skip_independent=skip_independent),
        WITH: GSMN(test=test, propagate=True, skip_independent=skip_independent),
        GSIMN_NAME: GSIMN(test=test, skip_independent=skip_independent, check_below=None),
    }


class Measures(NamedTuple):
    """How one algorithm did on one table."""

    hamming: float
    """Hamming distance to the true graph, divided by the number of pairs."""
    weighted: int
    seconds: float


MEASURES = columns("algorithm, Hamming:3, cost, seconds:2, GSIMN's cost / this:2")
"""Columns of what is measured where the true graph is known; there is a row for each algorithm."""


def measure(table: Table, true: UndirectedGraph, test: DiscreteTest) -> dict[str, Measures]:
    """Learn from a table with every algorithm, the robust preset too, and measure the graphs."""
    found = {}
    for name, learner in {**learners(test), ROBUST: GSMN(test=test, preset="robust")}.items():
        structure = learner.fit(table).structure_
        distance = structure.compare(true).hamming_normalized
        found[name] = Measures(distance, structure.cost.weighted, structure.cost.seconds)
    return found


def summarize(runs: Sequence[Mapping[str, Measures]]) -> dict[str, Row]:
    """Return the cells of :data:`MEASURES` for every algorithm, over repetitions."""
    cost = {name: fmean(run[name].weighted for run in runs) for name in runs[0]}
    return {
        name: (
            name,
            *Spread.of_each(run[name] for run in runs),
            None if name == GSIMN_NAME else cost[GSIMN_NAME] / cost[name],
        )
        for name in runs[0]
    }
