"""The evidence for a network: how likely the data are, with the strengths of effects integrated out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from graphoid.counts.engine import Blanket, CountEngine, Logistic, ScoringEngine, refuse_large_models
from graphoid.errors import DataError
from graphoid.regression.embedding import is_number
from graphoid.regression.gaussian import LinearEvidence
from graphoid.regression.mixed import RegressionEngine, RowEngine, linear_precision
from graphoid.regression.objective import LaplaceEvidence
from graphoid.scores.base import BlanketScore, family_counts
from graphoid.scores.logistic import logistic_term, row_term
from graphoid.scores.mpl import log_marginal_likelihood
from graphoid.scores.priors import GraphPrior, SparsePrior
from graphoid.settings import POSITIVE, Allowed, Number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.regression.coding import Matrix

    Levels = dict[tuple[float | None, Logistic], dict[int, tuple[float, float]]]


MOST_EFFECTS = 100
"""Main effects up to which a logistic model is fitted beside a table: the time goes with their cube."""

MOST_WITH_PRODUCTS = 72
"""Main effects up to which products are looked for: of so many, there are hundreds of products."""


_levels: WeakKeyDictionary[CountEngine, Levels] = WeakKeyDictionary()
"""What variables are worth without a blanket, by what counts the data and by the settings of the models."""


@dataclass(frozen=True, kw_only=True)
class LogLinearEvidence(BlanketScore):
    r"""Marginal likelihood of every variable given its blanket, by a logistic model or a full table.

    The logistic model of variable i has effects w of its blanket :math:`B_i`, coded by orthonormal contrasts
    (so that no state is special) and normal a priori. Its marginal likelihood is Laplace's approximation,

    .. math:: \log E_i = \max_w \left[\ell_i(w \mid B_i) + \log \mathcal{N}(w; 0, \sigma^2 I)\right]
        - \tfrac12 \log \det \frac{H_i(\hat w)}{2 \pi}

    with :math:`\ell_i` the log-likelihood and :math:`H_i` minus the second derivatives. Where
    :class:`LogLinearScore` charges every parameter alike, here one costs what the data know about it: an
    effect that concerns a few rows costs little, and can gain little.

    A full table has a probability for every state in every configuration of the blanket, as :class:`MPL` has
    it. It suits few neighbors that act together in ways of their own; the logistic model suits many that add
    up. The score takes either as likely beforehand and lets the data decide, variable by variable:
    :math:`\sum_i \log \tfrac12 (E_i + T_i)`, with :math:`E_i` scaled so that both agree without a
    blanket, and that not below states that are even.

    Parameters
    ----------
    order
        2 for main effects of the blanket; 3 for products of two members as well, each kept where it raises
        the evidence by more than the logarithm of the number of products to choose from.
    scale
        Standard deviation :math:`\sigma` of effects a priori; at 1 the log-odds ratio of two binary variables
        has one of 2.
    ess
        Equivalent sample size of the full table; None for logistic models only.
    ordered
        Whether two ordered columns have one effect on each other, that of their scores (positions of states,
        in standard deviations), and more only where that raises the evidence; False takes all columns as
        nominal, with :math:`(r_x - 1)(r_y - 1)` effects a pair.
    ranks
        Whether columns that are numbers act by their normal scores ([VanDerWaerden1952]_), so that only the
        order of the numbers counts; False takes them as they are.
    moment
        Whether the density of the effects of a neighbor is proportional to their squares, too
        ([Johnson2012]_): an edge whose effect is next to nothing is none. Not for tables.
    prior
        Over graphs; :class:`SparsePrior` expects three neighbors a variable.

    Notes
    -----
    A column that is a number has a linear model with normal errors, and its evidence in closed form
    (:class:`graphoid.regression.gaussian.LinearEvidence`). A variable with states that has one in its blanket
    has a logistic model alone; taken at what it has beside a table without a blanket, less log 2. Beside a
    table, a logistic model of more than 100 main effects is left out, and one of more than 72 has no
    products. Beside numbers, a nominal column of more than 16 states has its 15 most frequent ones, and all
    others as one: no table is there to fall back on.
    """

    order: Literal[2, 3] = 3
    scale: float = 1.0
    ess: float | None = 4.0
    ordered: bool = True
    ranks: bool = True
    moment: bool = False
    prior: GraphPrior = field(default_factory=SparsePrior)

    log_odds_share: ClassVar[float | None] = 0.75
    takes_numbers: ClassVar[bool] = True

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "order": (2, 3),
        "scale": POSITIVE,
        "ess": Number(above=0, optional=True),
    }

    def terms(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        """Return the log marginal likelihoods of variables given their blankets."""
        numbers = numbers_of(engine)
        kinds = np.array([0 if x in numbers else 1 if numbers.intersection(b) else 2 for x, b in blankets])
        found = np.empty(len(blankets))
        for kind, compute in enumerate((self._gaussian, self._by_row, self._discrete)):
            some = np.flatnonzero(kinds == kind)
            if len(some):
                found[some] = compute(engine, [blankets[i] for i in some])
        return found

    def _discrete(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        """Return the terms of families of variables with states: logistic models, or tables.

        A logistic model of too many effects takes minutes and tells little: there the table is alone.
        """
        if self.ess is None:
            return self._logistic(engine, blankets)
        some = {v: engine.variables[v] for x, blanket in blankets for v in (x, *blanket)}
        own = {v: 1 if self.ordered and some[v].ordered else some[v].arity - 1 for v in some}
        sizes = np.array([own[x] * sum([own[v] for v in blanket]) for x, blanket in blankets])  # main effects
        both = np.full((len(blankets), 2), -np.inf)  # of the model, and of the table
        plain, alone = sizes > MOST_WITH_PRODUCTS, sizes > MOST_EFFECTS
        for score, which in ((self, ~plain), (replace(self, order=2), plain & ~alone)):
            if which.any():
                both[which] = score._both(engine, [blankets[i] for i in np.flatnonzero(which)])
        if alone.any():
            both[alone, 1] = self._tables(engine, [blankets[i] for i in np.flatnonzero(alone)])
        known = self._levels(engine, blankets)
        level, more = np.array([known[x] for x, _ in blankets]).T
        empty = np.array([not blanket for _, blanket in blankets])
        both[empty, 1] = level[empty]
        found: Matrix = np.logaddexp(both[:, 0] + more, both[:, 1]) - math.log(2)
        return found

    def _by_row(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        """Return the terms of variables with states, given some that are numbers: there are no tables."""
        logistic = self._logistic(engine, blankets)
        if self.ess is None:
            return logistic
        known = self._levels(engine, blankets)
        return logistic + [known[x][1] - math.log(2) for x, _ in blankets]

    def _levels(self, engine: CountEngine, blankets: list[Blanket]) -> dict[int, tuple[float, float]]:
        """Return for every variable what a table is worth without a blanket, and by how much more that is.

        Without a blanket both are one model: what their priors say of that must not decide between them. A
        table of many configurations takes states as even at no price; no model need do worse than that.
        """
        known = _levels.setdefault(engine, {}).setdefault((self.ess, self._model), {})
        alone: list[Blanket] = [(x, ()) for x in sorted({x for x, _ in blankets}.difference(known))]
        if alone:
            even = -engine.n_rows * np.log([engine.variables[x].arity for x, _ in alone])
            tables = np.maximum(self._tables(engine, alone), even)
            apart = tables - self._logistic(engine, alone)
            for (x, _), level, more in zip(alone, tables.tolist(), apart.tolist(), strict=True):
                known[x] = level, more
        return known

    @property
    def gains_are_odds(self) -> bool:
        """Whether gains are log odds of edges: where the prior knows that edges are no small effects."""
        return self.moment

    def statistic(self, evidence: Matrix, information: Matrix) -> Matrix:
        """Return the likelihood ratio statistics of pairs from the evidence for them at both their ends.

        At either end that is half the statistic less what spreading the prior over the effects costs, and
        with a moment prior the logarithm of their mean squares more. A prior narrower than one leaves less of
        the effects, and so of the statistic.
        """
        known = information * self.scale**2
        spread: Matrix = np.log1p(known).sum(axis=1)
        q = max(1, information.shape[1])
        if not self.moment:
            whole, kept = (np.maximum(1e-9, (part / (1 + part)).sum(axis=1)) for part in (information, known))
            return np.asarray((evidence + spread) * whole / kept)
        rest = evidence + (1 + 2 / q) * spread
        found: Matrix = np.maximum(0.0, rest)
        for _ in range(50):  # rest = found + 2 log(1 + found / q): halfway to where that holds
            found += 0.5 * (rest - 2 * np.log1p(np.maximum(0.0, found) / q) - found)
        return found

    @property
    def _model(self) -> Logistic:
        return Logistic(
            self.order == 3, scale=self.scale, ordered=self.ordered, ranks=self.ranks, moment=self.moment
        )

    def _gaussian(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        """Return the terms of variables that are numbers."""
        if isinstance(engine, RegressionEngine):
            return engine.gaussian_terms(self._model, blankets)
        moments = _rows_of(engine).moments(ordered=self.ordered, ranks=self.ranks)
        evidence = LinearEvidence(
            moments.main_covariance,
            moments.first.tolist(),
            engine.n_rows,
            linear_precision(self.scale),
            moment=self.moment,
        )
        return np.array([evidence(x, blanket) for x, blanket in blankets])

    def _logistic(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        if isinstance(engine, ScoringEngine):
            return engine.logistic_terms(self._model, blankets)
        refuse_large_models(engine.variables, blankets, ordered=self.ordered)
        numbers = numbers_of(engine)
        objective = LaplaceEvidence(self.scale, moment=self.moment)
        ordered = [self.ordered and v.ordered for v in engine.variables]
        found = []
        for x, blanket in blankets:
            if numbers.isdisjoint(blanket):
                counts, flags = family_counts(engine, [(x, blanket)])[0], [ordered[v] for v in (*blanket, x)]
                found.append(logistic_term(counts, objective, interactions=self.order == 3, ordered=flags))
            else:
                rows = _rows_of(engine)
                effects = [rows.effect(v, ordered=self.ordered, ranks=self.ranks) for v in blanket]
                found.append(
                    row_term(
                        effects, rows.states(x), objective, interactions=self.order == 3, ordered=ordered[x]
                    )
                )
        return np.array(found)

    def _both(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        """Return a line for every blanket: what its logistic model is worth, and its table."""
        if isinstance(engine, ScoringEngine):
            return engine.evidence_terms(self._model, self.ess or 0.0, blankets)
        return np.column_stack([self._logistic(engine, blankets), self._tables(engine, blankets)])

    def _tables(self, engine: CountEngine, blankets: list[Blanket]) -> Matrix:
        ess = self.ess or 0.0
        if isinstance(engine, ScoringEngine):
            return engine.marginal_likelihoods(ess, blankets)
        return np.array([log_marginal_likelihood(counts, ess) for counts in family_counts(engine, blankets)])


def numbers_of(engine: CountEngine) -> set[int]:
    """Return the variables that are modelled as numbers; none where an engine only counts."""
    if not isinstance(engine, RowEngine):
        return set()
    return {i for i, v in enumerate(engine.variables) if is_number(v)}


def _rows_of(engine: CountEngine) -> RowEngine:
    """Return the engine as one that has rows as numbers."""
    if not isinstance(engine, RowEngine):
        raise DataError(f"{engine!r} counts states alone; score columns that are numbers by their table.")
    return engine
