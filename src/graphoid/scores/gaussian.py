"""The evidence for a network by sums alone: linear models of columns of every kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import Blanket, CountEngine
from graphoid.counts.native import available_threads, kernels
from graphoid.data.table import Table
from graphoid.errors import DataError
from graphoid.regression.gaussian import LinearEvidence
from graphoid.regression.mixed import MomentEngine, linear_precision
from graphoid.regression.sums import sum_engine
from graphoid.regression.whiten import whiten_variables
from graphoid.scores.base import BlanketScore, BlanketScorer
from graphoid.scores.evidence import LogLinearEvidence
from graphoid.scores.priors import GraphPrior, SparsePrior
from graphoid.settings import POSITIVE, Allowed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.regression.coding import Matrix


@dataclass(frozen=True, kw_only=True)
class GaussianEvidence(BlanketScore):
    r"""Marginal likelihood of every variable given its blanket by a linear model, from second moments alone.

    Columns with states become indicators, ordered ones the scores of their states, numbers their normal
    scores ([VanDerWaerden1952]_); those of a variable are made uncorrelated and of variance one, as in
    [Andrews2019]_, and modelled by those of its blanket
    (:class:`graphoid.regression.gaussian.LinearEvidence`, with a moment prior). One matrix of sums answers
    for every graph, so that rows may stay at their source: that is how :func:`graphoid.learn` scores tables
    with numbers there. :class:`LogLinearEvidence` has the right models of states, and takes the rows.

    Parameters
    ----------
    scale
        Standard deviation of effects a priori, as of :class:`LogLinearEvidence`.
    prior
        Over graphs; :class:`SparsePrior` expects three neighbors a variable.

    Notes
    -----
    Where a column has more than 128 different numbers, 128 of them have their normal scores, as many steps
    of the score apart, and the scores of others are on the straight lines between them: so that databases
    can compute them. Rows have ranks without their weights.
    """

    scale: float = 1.0
    prior: GraphPrior = field(default_factory=SparsePrior)

    log_odds_share: ClassVar[float | None] = LogLinearEvidence.log_odds_share
    takes_numbers: ClassVar[bool] = True

    allowed: ClassVar[Mapping[str, Allowed]] = {"scale": POSITIVE}

    def on(self, data: object) -> BlanketScorer:
        """Return this score of the data."""
        if not isinstance(data, (CountEngine, Table)):
            from graphoid.data.read import read

            data = read(data)
        return BlanketScorer(self, sum_engine(data) if isinstance(data, Table) else data, self.terms)

    def terms(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        """Return the log marginal likelihoods of variables given their blankets, less those without."""
        if not isinstance(engine, MomentEngine):
            raise DataError(f"{type(engine).__name__} has no second moments; score the table itself.")
        white = whiten_variables(engine.moments(ordered=True, ranks=True))
        # linear models have it for columns of variance one half
        precision, native = 2 * linear_precision(self.scale), kernels()
        if native is not None:
            return native.gaussian_terms(*white, blankets, precision, True, available_threads())  # noqa: FBT003
        evidence = LinearEvidence(
            white.correlations, white.first.tolist(), white.n_rows, precision, moment=True
        )
        return np.array([evidence(x, blanket) for x, blanket in blankets])

    @property
    def gains_are_odds(self) -> bool:
        """Whether gains are log odds of edges: the prior knows that edges are no small effects."""
        return True

    def statistic(self, evidence: Matrix, information: Matrix) -> Matrix:
        """Return the likelihood ratio statistics of pairs from the evidence for them at both their ends."""
        return LogLinearEvidence(scale=self.scale, moment=True).statistic(evidence, information)
