"""A log-linear model learned for its density: pairs first, then conjunctions where they pay."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from graphoid.errors import DataError, SettingsError
from graphoid.models.maximum_pseudo_likelihood import L1, maximize
from graphoid.models.network import MarkovNetwork
from graphoid.models.pseudo_likelihood import DistinctRows, PseudoLikelihood
from graphoid.progress import Listener, track
from graphoid.settings import POSITIVE, Allowed, Number, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.logic.assertion import Context

    Vector = NDArray[np.float64]

TOLERANCE = 1e-4
"""Largest derivative left while searching, per row: likelihoods are then right to five digits."""


class Stage(NamedTuple):
    """What one step of the search left behind."""

    name: str
    """"pairs", or the number of a round of growing."""
    strength: float
    n_features: int
    """Those with a weight."""
    training: float
    """Mean negative log pseudo-likelihood of a variable of a row."""
    validation: float
    """The same of rows the weights were not fitted to."""


class _Model(NamedTuple):
    """Features and their weights, none of them zero."""

    features: tuple[Context, ...]
    weights: Vector


@dataclass(kw_only=True)
class DensityLearner(Settings):
    r"""Learns features and weights of a Markov network from rows, judged by rows set aside.

    1. *Pairs.* Every state of a variable but its first has a feature, and so has every pair of such states.
       L1-penalized pseudo-likelihood is maximized for weaker and weaker penalties, each from the weights of
       the one before, until the rows set aside are explained no better.
    2. *Conjunctions.* Every strong feature is extended by every state of every other variable. With the
       derivative :math:`g` and the curvature :math:`-h` of such a candidate at weight zero, its weight alone
       would gain about :math:`(|g| - \lambda)^2 / 2h`; the best extension of each feature joins, all weights
       are fitted again, and those that become zero leave. This is repeated while it pays.

    All weights are those of one network: a feature counts in the conditional of each of its members.

    Parameters
    ----------
    strengths
        L1 penalties on the sum over rows to try, strongest first.
    caution
        How many times the penalty of pairs a larger conjunction pays.
    max_order
        Most variables in a feature; 2 leaves it at pairs.
    max_rounds
        Most rounds of extending.
    n_parents, n_joining
        How many features, those of largest weight, are extended in a round, and how many candidates may join.
    patience
        Least gain of a stage on the rows set aside, per variable and row, for the search to go on.
    threads
        How many threads; None for all processors. The model does not depend on it.

    Attributes
    ----------
    model_ : MarkovNetwork
        The best model on the rows set aside; fitted to the training rows.
    stages_ : tuple of Stage
        How it was reached.

    Notes
    -----
    Adding features by their derivative is grafting ([Perkins2003]_), here with conjunctions as candidates, as
    in the feature induction of [DellaPietra1997]_; pseudo-likelihood takes the place of the likelihood.
    """

    strengths: Sequence[float] = (100.0, 50.0, 30.0, 20.0, 15.0, 10.0, 7.0, 5.0, 3.0, 2.0, 1.0)
    caution: float = 2.0
    max_order: int = 8
    max_rounds: int = 6
    n_parents: int = 1_000
    n_joining: int = 1_000
    patience: float = 5e-5
    threads: int | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "caution": POSITIVE,
        "max_order": Number(least=2, whole=True),
        "max_rounds": Number(least=0, whole=True),
        "n_parents": Number(least=1, whole=True),
        "n_joining": Number(least=1, whole=True),
    }

    def fit(self, table: Table, validation: Table, *, progress: Listener | None = None) -> DensityLearner:
        """Learn from a table; choose by a second one with the same variables."""
        if not self.strengths or any(not 0 < s < float("inf") for s in self.strengths):
            raise SettingsError(f"strengths must be positive numbers, at least one; got {self.strengths!r}.")
        self.check()
        if [v.states for v in table.variables] != [v.states for v in validation.variables]:
            raise DataError("the table and the one it is judged by differ in their variables or states.")
        search = _Search(self, DistinctRows(table), DistinctRows(validation))
        best, strength = search.pairs(progress)
        if self.max_order > 2:
            best = search.grow(best, strength, progress)
        self.stages_ = tuple(search.stages)
        self.model_ = MarkovNetwork(table.variables, best.features, best.weights)
        return self


class _Search:
    """The search at work on one pair of tables."""

    def __init__(self, settings: DensityLearner, rows: DistinctRows, aside: DistinctRows) -> None:
        self.settings, self.rows, self.aside = settings, rows, aside
        self.stages: list[Stage] = []

    def pairs(self, progress: Listener | None) -> tuple[_Model, float]:
        """Return the best model of pairs and its penalty."""
        states = [(v, s) for v, arity in enumerate(self.rows.arities) for s in range(1, arity)]
        alone: list[Context] = [(literal,) for literal in states]
        both: list[Context] = [(a, b) for a, b in itertools.combinations(states, 2) if a[0] != b[0]]
        likelihood = self._likelihood([*alone, *both])
        weights = np.zeros(len(likelihood.features))
        best, chosen = _Model((), np.empty(0)), 0.0
        for strength in track(sorted(self.settings.strengths, reverse=True), "pairs", progress):
            weights = maximize(likelihood, L1(strength), start=weights, tolerance=TOLERANCE).weights
            model = _without_zeros(likelihood.features, weights)
            if not self._pays("pairs", strength, model):
                break
            best, chosen = model, strength
        return best, chosen

    def grow(self, best: _Model, strength: float, progress: Listener | None) -> _Model:
        """Return the best model that conjunctions make of it."""
        for number in track(range(1, self.settings.max_rounds + 1), "conjunctions", progress):
            joining = self._joining(best, strength)
            if not joining:
                break
            features = (*best.features, *joining)
            start = np.concatenate([best.weights, np.zeros(len(joining))])
            relative = np.array([self.settings.caution if len(f) > 2 else 1.0 for f in features])
            found = maximize(
                self._likelihood(features), L1(strength), start=start, tolerance=TOLERANCE, relative=relative
            )
            model = _without_zeros(features, found.weights)
            if not self._pays(f"round {number}", strength, model):
                break
            best = model
        return best

    def _joining(self, model: _Model, strength: float) -> list[Context]:
        """Return the best extension of each strong feature, the most promising ones."""
        order = sorted(range(len(model.features)), key=lambda f: (-abs(model.weights[f]), model.features[f]))
        large = [model.features[f] for f in order if 1 < len(model.features[f]) < self.settings.max_order]
        known, extensions = set(model.features), {}
        for parent in large[: self.settings.n_parents]:
            extensions[parent] = [e for e in _extensions(parent, self.rows.arities) if e not in known]
        candidates = sorted(set(itertools.chain.from_iterable(extensions.values())))
        slope, curvature = self._likelihood(model.features).derivatives_of(
            self._likelihood(candidates), model.weights
        )
        excess = np.maximum(np.abs(slope) - self.settings.caution * strength, 0.0)
        gain = dict(zip(candidates, (excess**2 / np.maximum(-2 * curvature, 1e-12)).tolist(), strict=True))
        best = {max(found, key=gain.__getitem__) for found in extensions.values() if found}
        paying = sorted((e for e in best if gain[e] > 0), key=lambda e: (-gain[e], e))
        return paying[: self.settings.n_joining]

    def _pays(self, name: str, strength: float, model: _Model) -> bool:
        """Write a stage down and return whether it explains the rows set aside better than the last."""
        stage = Stage(
            name, strength, len(model.features), self._loss(model, self.rows), self._loss(model, self.aside)
        )
        last = self.stages[-1].validation if self.stages else float("inf")
        self.stages.append(stage)
        return stage.validation < last - self.settings.patience

    def _likelihood(self, features: Sequence[Context]) -> PseudoLikelihood:
        return PseudoLikelihood(features, self.rows, threads=self.settings.threads)

    def _loss(self, model: _Model, rows: DistinctRows) -> float:
        value = PseudoLikelihood(model.features, rows, threads=self.settings.threads).value(model.weights)
        return -value / rows.total / len(rows.arities)


def _without_zeros(features: Sequence[Context], weights: Vector) -> _Model:
    kept = np.flatnonzero(weights).tolist()
    return _Model(tuple(features[f] for f in kept), weights[kept])


def _extensions(feature: Context, arities: Sequence[int]) -> Iterator[Context]:
    """Yield the feature with one more variable in one of its states."""
    inside = {v for v, _ in feature}
    for v, arity in enumerate(arities):
        if v not in inside:
            for state in range(arity):
                yield tuple(sorted((*feature, (v, state))))
