"""What the experiments of a paper share: the algorithms, and a random stream for each repetition."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from graphoid.experiments.results import Column, Spread
from graphoid.learners.grow_shrink.gsimn import GSIMN
from graphoid.learners.grow_shrink.gsmn import GSMN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.random import Generator

    from graphoid.data.table import Table
    from graphoid.experiments.results import Cell, Results
    from graphoid.independence.base import DiscreteTest
    from graphoid.learners.base import IndependenceLearner
    from graphoid.progress import Listener
    from graphoid.structure.graph import UndirectedGraph

WITHOUT, WITH, GSIMN_NAME = ALGORITHMS = ("GSMN* without", "GSMN* with", "GSIMN")
"""GSMN* without and with propagation, and GSIMN: the three that [Bromberg2009]_ compares."""

ROBUST = "robust"
"""GSMN with the robust preset, which is ours and not the paper's."""


class Experiment(Protocol):
    """Settings of an experiment, which runs from a seed."""

    def run(self, *, seed: int = 0, data: Path | None = None, progress: Listener | None = None) -> Results:
        """Run it; ``data`` is the folder with ``uci`` and ``bif`` in it, where one is needed."""
        ...


def learners(
    test: DiscreteTest | None = None, *, skip_independent: bool = False
) -> dict[str, IndependenceLearner]:
    """Return the algorithms compared, by name."""
    return {
        WITHOUT: GSMN(test=test, propagate=False, skip_independent=skip_independent),
        WITH: GSMN(test=test, propagate=True, skip_independent=skip_independent),
        GSIMN_NAME: GSIMN(test=test, skip_independent=skip_independent),
    }


def stream(seed: int, *key: int) -> Generator:
    """Return the random stream of one repetition.

    It is the one that spawning from the seed gives at ``key``; so a repetition draws the same whichever
    others are run.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


class Measured(NamedTuple):
    """How one algorithm did on one table."""

    hamming: float
    """Hamming distance to the true graph, divided by the number of pairs."""
    weighted: int
    seconds: float


MEASURES = (
    Column("algorithm"),
    Column("Hamming", 3),
    Column("cost"),
    Column("seconds", 2),
    Column("GSIMN's cost / this", 2),
)
"""Columns of what is measured where the true graph is known; there is a row for each algorithm."""


def measured(table: Table, true: UndirectedGraph, test: DiscreteTest) -> dict[str, Measured]:
    """Learn from a table with every algorithm, the robust preset too, and measure the graphs."""
    found = {}
    for name, learner in {**learners(test), ROBUST: GSMN(test=test, preset="robust")}.items():
        structure = learner.fit(table).structure_
        distance = structure.compare(true).hamming_normalized
        found[name] = Measured(distance, structure.cost.weighted, structure.cost.seconds)
    return found


def summarized(runs: Sequence[Mapping[str, Measured]]) -> dict[str, tuple[Cell, ...]]:
    """Return the cells of :data:`MEASURES` for every algorithm, over repetitions."""
    cost = {name: fmean(run[name].weighted for run in runs) for name in runs[0]}
    return {
        name: (
            name,
            Spread.of(run[name].hamming for run in runs),
            Spread.of(run[name].weighted for run in runs),
            Spread.of(run[name].seconds for run in runs),
            None if name == GSIMN_NAME else cost[GSIMN_NAME] / cost[name],
        )
        for name in runs[0]
    }
