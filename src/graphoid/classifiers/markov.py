"""A classifier whose interactions can be seen: class probabilities from a Markov network ([Jakulin2006]_)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from graphoid.classifiers.columns import learned
from graphoid.classifiers.estimator import (
    BaseEstimator,
    ClassifierMixin,
    check_classification_targets,
    check_is_fitted,
    check_sample_weight,
    column_or_1d,
    validate_data,
)
from graphoid.classifiers.likelihood import likelihood
from graphoid.classifiers.mixture import averaged, best_structure
from graphoid.classifiers.search import Settings, climb
from graphoid.classifiers.submodels import Submodels
from graphoid.data.sources import open_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.classifiers.columns import Attribute

CHUNK = 2**16
"""Rows predicted at a time: their codes take two bytes an attribute."""


class MarkovNetworkClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    def __init__(
        self,
        max_order: int = 4,
        averaging: bool = True,
        prior: str = "aicc",
        theta: float = 1.0,
        candidates: int = 1000,
        acyclic: bool = False,
        discretize: str | None = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.max_order = max_order
        self.averaging = averaging
        self.prior = prior
        self.theta = theta
        self.candidates = candidates
        self.acyclic = acyclic
        self.discretize = discretize
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X = self._checked(X, reset=True)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        source = open_source(X)
        if len(y) != source.n_rows:
            raise ValueError("rows")
        self.classes_, classes = np.unique(y, return_inverse=True)
        rows = np.arange(len(y))
        weights = None
        names = list(getattr(self, "feature_names_in_", source.names))
        self.attributes_ = [
            learned(raw, n, rows, classes, len(self.classes_), weights=weights, discretize=self.discretize)
            for n, raw in zip(names, source.load(range(len(names))), strict=True)
        ]
        columns = [
            a.codes(raw) for a, raw in zip(self.attributes_, source.load(range(len(names))), strict=True)
        ]
        self._submodels = Submodels(columns, [a.size for a in self.attributes_], classes, len(self.classes_), weights=weights, theta=self.theta)
        self.climb_ = climb(self._submodels, likelihood(self._submodels), Settings(self.max_order, self.candidates, self.prior, self.acyclic))
        self.mixture_ = (averaged if self.averaging else best_structure)(self.climb_, self._submodels)
        return self

    def predict_proba(self, X):
        X = self._checked(X, reset=False)
        source = open_source(X)
        columns = [
            a.codes(raw) for a, raw in zip(self.attributes_, source.load(range(len(self.attributes_))), strict=True)
        ]
        p = self.mixture_.predictor().predict(columns, source.n_rows)
        return p / p.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(1)]

    def _checked(self, X, *, reset):
        if hasattr(X, "columns"):
            return validate_data(self, X, skip_check_array=True, reset=reset)
        return validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=reset)
