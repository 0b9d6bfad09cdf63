"""What the experiments behind PFMN share: who is compared, and what is measured of each."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from graphoid.experiments.results import Cell, Spread, columns
from graphoid.learners.grow_shrink.gsimn import GSIMN
from graphoid.learners.grow_shrink.gsmn import GSMN
from graphoid.learners.pfmn.budget import Budget
from graphoid.learners.pfmn.learner import PFMN, PublishedPFMN
from graphoid.structure.compare import accuracy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.independence.base import DiscreteTest
    from graphoid.learners.base import AskingLearner
    from graphoid.logic.source import IndependenceSource
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.learned import LearnedStructure

GSMN_NAME, GSIMN_NAME, PAPER, DEFAULT = "GSMN*", "GSIMN", "PFMN as published", "PFMN"

MOST_TESTS = 400
"""Where the published filter does not stop of itself it is stopped after so many tests."""


def learners(
    test: DiscreteTest | None, seed: int, n_particles: int, *, published: bool = True
) -> dict[str, AskingLearner]:
    """Return the learners compared, by name."""
    found: dict[str, AskingLearner] = {
        GSMN_NAME: GSMN(test=test),
        GSIMN_NAME: GSIMN(test=test, check_below=None),
    }
    if published:
        limit = Budget(tests=MOST_TESTS)
        found[PAPER] = PublishedPFMN(test=test, n_particles=n_particles, budget=limit, random_state=seed)
    found[DEFAULT] = PFMN(test=test, random_state=seed)
    return found


class Measures(NamedTuple):
    """How one algorithm did in one repetition."""

    weighted: int
    accuracy: float
    hamming: float | None
    verified: bool

    @classmethod
    def of(
        cls,
        found: LearnedStructure,
        ci: IndependenceSource,
        n_triplets: int,
        triplets: int,
        true: UndirectedGraph | None = None,
    ) -> Measures:
        """Measure a structure against answers that are taken for true, by triplets drawn from a seed."""
        return cls(
            found.cost.weighted,
            accuracy(found, ci, n_triplets, triplets),
            None if true is None else found.compare(true).hamming_normalized,
            bool(found.details.get("verified")),
        )


MEASURES = columns("algorithm, cost, cost / GSIMN's:2, accuracy:3, accuracy - GSIMN's:3, Hamming:3, verified")
"""Columns of what is measured; there is a row for each algorithm."""


def summarize(runs: Sequence[Mapping[str, Measures]]) -> dict[str, tuple[Cell, ...]]:
    """Return the cells of :data:`MEASURES` for every algorithm, over repetitions."""
    cost = fmean(run[GSIMN_NAME].weighted for run in runs)
    right = fmean(run[GSIMN_NAME].accuracy for run in runs)
    rows: dict[str, tuple[Cell, ...]] = {}
    for name in runs[0]:
        mine = [run[name] for run in runs]
        distances = [run.hamming for run in mine if run.hamming is not None]
        rows[name] = (
            name,
            Spread.of(run.weighted for run in mine),
            fmean(run.weighted for run in mine) / cost,
            Spread.of(run.accuracy for run in mine),
            fmean(run.accuracy for run in mine) - right,
            Spread.of(distances) if distances else None,
            sum(run.verified for run in mine) if name == DEFAULT else None,
        )
    return rows
