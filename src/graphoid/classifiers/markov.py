"""A classifier whose interactions can be seen: class probabilities from a Markov network ([Jakulin2006]_)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self, TypeGuard

import numpy as np

from graphoid.classifiers.columns import learn_attribute
from graphoid.classifiers.discriminative import fit_potentials
from graphoid.classifiers.estimator import (
    BaseEstimator,
    ClassifierMixin,
    check_classification_targets,
    check_consistent_length,
    check_is_fitted,
    check_sample_weight,
    check_y,
    validate_data,
)
from graphoid.classifiers.explain import Explanation, explain_row
from graphoid.classifiers.likelihood import likelihood
from graphoid.classifiers.mixture import average_structures, best_structure
from graphoid.classifiers.search import PRIORS, Settings, climb
from graphoid.classifiers.structures import Structure, best_regions, path, structures
from graphoid.classifiers.submodels import Submodels, fastest
from graphoid.counts.native import available_threads
from graphoid.data.read import open_source
from graphoid.data.source import Source
from graphoid.data.table import Table
from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import quote
from graphoid.settings import Number

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray
    from sklearn.utils import Tags

CHUNK = 2**16
"""Rows predicted at a time: their codes take two bytes an attribute, their scores 16 a class."""

MOST_ORDER = 8
"""Largest ``max_order``: a term is a sum over all subsets of a hyperedge, and tables grow as fast."""


class MarkovNetworkClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Class probabilities from a Markov network over attributes and class.

    A structure is a set of hyperedges, each the class with one or more attributes that matter together.
    Structures are found by a greedy climb of their posterior, in stages of growing hyperedges, and
    predictions take all structures that were evaluated into account ([Jakulin2006]_).

    Attributes may be of any kind: text, categories, truth values and whole numbers of few values are taken as
    they are, other numbers are cut where the class changes (:class:`MDLPDiscretizer`, on the rows learned
    from). A missing value is a value. A level that was not seen says nothing when it is met later.

    Parameters
    ----------
    max_order : int, default=4
        The most members of a hyperedge, the class included; 2 is a naive Bayes model of selected attributes.
    averaging : bool, default=True
        Whether all structures that were evaluated enter, by their posterior, or the best one alone.
    prior : {"aicc", "exp"}, default="aicc"
        How structures are weighed by their degrees of freedom: Akaike's criterion with the correction for
        small samples (Eq. 5), or :math:`e^{-df}`.
    theta : float, default=1.0
        Rows that the prior of the submodels spreads evenly over all cells.
    candidates : int, default=1000
        How many hyperedges of a cardinality are looked at, the most promising ones.
    acyclic : bool, default=False
        Whether only hypertrees are allowed.
    discretize : {"auto", "mdlp", None}, default="auto"
        Which numbers are cut: all but whole numbers of at most ten values, all, or none.
    preset : {None, "paper"}, default=None
        None fits potentials to the conditional likelihood, with the counted ones as their prior
        (:mod:`graphoid.classifiers.discriminative`), on the faces of all structures that matter (or of
        the best one). "paper" predicts by the counted potentials, averaged over structures, as
        [Jakulin2006]_ does. The structures and their posterior are the same.
    n_jobs : int, optional
        How many threads; None is one. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    hyperedges_ : list of Hyperedge
        The hyperedges of the best structure, in the order they were taken: ``attributes``, ``order``,
        ``step``, ``information`` (interaction information as a share of the entropy of the class),
        ``log_posterior`` and ``dof`` of the structure after the step, ``covered`` by a larger one.
    posterior_ : list of Structure
        All structures that were evaluated, the likeliest first: ``probability``, ``log_posterior``, ``dof``
        and ``hyperedges``, the maximal ones.
    path_ : list of Hyperedge
        All hyperedges that were taken, also those after the best structure.
    regions_ : dict
        The regions of the best structure with their counting numbers; the class is part of each and is not
        written.
    log_posterior_, dof_ : float
        Of the best structure, the former up to a constant.
    attributes_ : list
        The attributes: ``name``, ``size``, ``values``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Departs from [Jakulin2006]_ in what the reading of open points made of it: regions are those of
    :func:`~graphoid.classifiers.regions.region_graph`; ties go by position; attributes with a single value
    are left out. :math:`m` in Eq. 5 is the sum of the weights where rows have weights.

    Examples
    --------
    >>> import graphoid as gd
    >>> rows = [["first", "female"], ["third", "male"], ["first", "male"], ["third", "female"]] * 20
    >>> survived = ["yes", "no", "no", "yes"] * 20
    >>> model = gd.MarkovNetworkClassifier().fit(rows, survived)
    >>> [(h.attributes, h.order) for h in model.hyperedges_]
    [(('X1',), 2)]
    >>> model.predict([["third", "female"]])
    array(['yes'], dtype='<U3')
    """

    def __init__(
        self,
        max_order: int = 4,
        averaging: bool = True,  # noqa: FBT001, FBT002 - scikit-learn's settings come by name
        prior: str = "aicc",
        theta: float = 1.0,
        candidates: int = 1000,
        acyclic: bool = False,  # noqa: FBT001, FBT002
        discretize: str | None = "auto",
        preset: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.max_order = max_order
        self.averaging = averaging
        self.prior = prior
        self.theta = theta
        self.candidates = candidates
        self.acyclic = acyclic
        self.discretize = discretize
        self.preset = preset
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Table | pd.DataFrame | ArrayLike,
        y: str | ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn structures and potentials.

        Parameters
        ----------
        X : data frame, table or array-like of shape (n_rows, n_attributes)
            Attributes of any kind.
        y : array-like of shape (n_rows,)
            Classes. Of a table, the name of their column will do.
        sample_weight : array-like of shape (n_rows,), optional
            How many rows each row stands for.
        """
        self._check_settings()
        if isinstance(X, Table):
            X, y, sample_weight = _split_table(X, y, sample_weight)
        source, rows = self._open(X, reset=True)
        target = np.asarray(check_y(y, estimator=self))
        check_consistent_length(rows, target)
        kept, weights = np.arange(source.n_rows), None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
            kept = np.flatnonzero(weights > 0)
            weights = None if (weights[kept] == 1.0).all() else weights[kept]
        self.classes_, classes = _classes(target[kept])
        self.attributes_ = []
        columns = []
        for name, raw in zip(self._names(source), source.load(range(len(source.names))), strict=True):
            attribute, codes = learn_attribute(
                raw, name, kept, classes, len(self.classes_), weights=weights, discretize=self.discretize
            )
            self.attributes_.append(attribute)
            columns.append(codes)
        sizes = [attribute.size for attribute in self.attributes_]
        of = fastest(
            Submodels(columns, sizes, classes, len(self.classes_), weights=weights, theta=float(self.theta))
        )
        settings = Settings(self.max_order, self.candidates, self.prior, bool(self.acyclic))
        self._climb = climb(of, likelihood(of, n_threads=self._n_threads()), settings)
        names = [attribute.name for attribute in self.attributes_]
        self.path_ = path(self._climb, of, names)
        self.hyperedges_ = self.path_[: self._climb.best]
        self.regions_ = best_regions(self._climb, names)
        best = self.hyperedges_[-1] if self.hyperedges_ else self._climb  # the class alone
        self.log_posterior_, self.dof_ = best.log_posterior, best.dof
        if self.preset == "paper":
            self._single = best_structure(self._climb, of)
            self._mixture = average_structures(self._climb, of) if self.averaging else self._single
        else:
            self._single = self._mixture = fit_potentials(self._climb, of, averaging=bool(self.averaging))
        return self

    def predict_proba(self, X: Table | pd.DataFrame | ArrayLike) -> NDArray[np.float64]:
        """Return a line of class probabilities for every row, in the order of :attr:`classes_`.

        Rows are taken in chunks, so that little more than the result is held in memory.
        """
        check_is_fitted(self)
        source, rows = self._open(X, reset=False)
        predictor = self._mixture.predictor(self._n_threads())
        out = np.empty((source.n_rows, len(self.classes_)))
        for first in range(0, source.n_rows, CHUNK):
            chunk = _slice(rows, first, first + CHUNK) if source.n_rows > CHUNK else rows
            codes = self._codes(open_source(chunk))
            out[first : first + CHUNK] = predictor.predict(codes, len(codes[0]))
        out /= out.sum(axis=1, keepdims=True)
        return out

    def predict_log_proba(self, X: Table | pd.DataFrame | ArrayLike) -> NDArray[np.float64]:
        """Return the logarithms of the class probabilities."""
        with np.errstate(divide="ignore"):
            logs: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logs

    def predict(self, X: Table | pd.DataFrame | ArrayLike) -> NDArray[np.generic]:
        """Return the likeliest class of every row."""
        p = self.predict_proba(X)
        likeliest: NDArray[np.generic] = self.classes_[p.argmax(axis=1)]
        return likeliest

    def explain(
        self,
        row: pd.DataFrame | NDArray[np.generic] | Mapping[str, object] | Sequence[object],
        *,
        predicted: object = None,
        against: object = None,
    ) -> Explanation:
        """Say what each hyperedge contributed to the prediction of one row, in log-odds.

        With averaged structures (``preset="paper"``) this is the prediction of the best of them.

        Parameters
        ----------
        row
            One row: a list of values, or a data frame or array with one row.
        predicted, against
            The two classes; the two likeliest by default.
        """
        check_is_fitted(self)
        source = self._one_row(row)
        if len(self.classes_) < 2:
            raise DataError(f"all rows learned from had the class {self.classes_[0]!r}: nothing to explain.")
        codes = self._codes(source)
        likely = np.argsort(-self._single.predictor().predict(codes, 1)[0], kind="stable")
        first = likely[0] if predicted is None else self._class(predicted)
        others = likely[likely != first]
        second = others[0] if against is None else self._class(against)
        return explain_row(
            self._single, self.attributes_, [int(c[0]) for c in codes], self.classes_, int(first), int(second)
        )

    def draw(
        self, *, positions: Mapping[str, tuple[float, float]] | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draw the hyperedges of the best structure with matplotlib, which is an extra.

        Parameters
        ----------
        positions
            Where each attribute stands; on a circle by default.
        ax
            Axes to draw on; a new figure by default.

        Returns
        -------
        Axes
            What was drawn on; ``.figure.savefig(path)`` writes it to a file.
        """
        from graphoid.report.hyperedges import draw_hyperedges

        check_is_fitted(self)
        names = [attribute.name for attribute in self.attributes_]
        axes: Axes = draw_hyperedges(self.hyperedges_, names, positions=positions, ax=ax)
        return axes

    @property
    def posterior_(self) -> list[Structure]:
        """All structures that were evaluated, the likeliest first."""
        check_is_fitted(self)
        return structures(self._climb, [attribute.name for attribute in self.attributes_])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _open(
        self, X: Table | pd.DataFrame | ArrayLike, *, reset: bool
    ) -> tuple[Source, pd.DataFrame | NDArray[np.generic]]:
        """Return checked rows as a source, and in the form they came in."""
        if isinstance(X, Table):
            X = X.to_frame()
            if not reset and set(self.feature_names_in_) < set(X.columns):
                X = X[list(self.feature_names_in_)]  # without the class, and what it did not learn from
        if _is_lazy(X):
            X = X.collect()
        if _is_frame(X):  # its columns keep their types
            rows = validate_data(self, X, skip_check_array=True, reset=reset)
        else:
            rows = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=reset)
        source = open_source(rows)
        if source.n_rows == 0:
            raise DataError("Found array with 0 sample(s): there is no row to learn from or to predict.")
        if not source.names:
            raise DataError("Found array with 0 feature(s): there is no column to learn from.")
        return source, rows

    def _one_row(
        self, row: pd.DataFrame | NDArray[np.generic] | Mapping[str, object] | Sequence[object]
    ) -> Source:
        """Return a row, in whatever form it comes, as a source."""
        if not isinstance(row, Mapping) and (_is_frame(row) or np.asarray(row, dtype=object).ndim == 2):
            source, _ = self._open(row, reset=False)
            if source.n_rows != 1:
                raise DataError(
                    f"explain takes one row, not {source.n_rows:,}; pass X.iloc[[i]] or X[i : i + 1]."
                )
            return source
        names = [attribute.name for attribute in self.attributes_]
        if isinstance(row, Mapping):
            absent = [name for name in names if name not in row]
            if absent:
                raise DataError(f"explain was given no value of {quote(absent)}.")
            row = [row[name] for name in names]
        values = list(row)
        if len(values) != len(names):
            raise DataError(f"explain was given {len(values)} values; the model has {len(names)} attributes.")
        return Source(names, 1, lambda positions: ([values[i]] for i in positions))

    def _names(self, source: Source) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", source.names)]

    def _codes(self, source: Source) -> list[NDArray[np.uint16]]:
        raw = source.load(range(len(source.names)))
        return [attribute.codes(column) for attribute, column in zip(self.attributes_, raw, strict=True)]

    def _class(self, label: object) -> int:
        found = np.flatnonzero(self.classes_ == label)
        if not len(found):
            raise DataError(f"{label!r} is not a class; the classes are {self.classes_.tolist()}.")
        return int(found[0])

    def _n_threads(self) -> int:
        if self.n_jobs is None:
            return 1
        return available_threads() if self.n_jobs == -1 else int(self.n_jobs)

    def _check_settings(self) -> None:
        for name, number, least in (("max_order", self.max_order, 2), ("candidates", self.candidates, 1)):
            if number not in Number(least=least, whole=True):
                raise SettingsError(f"{name} is {number!r}; it must be a whole number of at least {least}.")
        if self.max_order > MOST_ORDER:
            raise SettingsError(f"max_order is {self.max_order}; the most is {MOST_ORDER}.")
        for name, value, choices in (
            ("prior", self.prior, PRIORS),
            ("discretize", self.discretize, ("auto", "mdlp", None)),
            ("preset", self.preset, (None, "paper")),
        ):
            if value not in choices:
                raise SettingsError(f"{name} is {value!r}; expected one of {', '.join(map(repr, choices))}.")
        if not isinstance(self.theta, (int, float, np.number)) or not 0 < self.theta < math.inf:
            raise SettingsError(f"theta is {self.theta!r}; it must be a positive number.")
        if self.n_jobs not in Number(least=-1, whole=True, optional=True) or self.n_jobs == 0:
            raise SettingsError(
                f"n_jobs is {self.n_jobs!r}; it must be at least 1, None for one, or -1 for all processors."
            )


def _classes(target: NDArray[np.generic]) -> tuple[NDArray[np.generic], NDArray[np.intp]]:
    """Return the different classes in order, and every row's as a position."""
    if target.dtype != object:
        check_classification_targets(target)
        return np.unique(target, return_inverse=True)
    labels = target.tolist()  # told apart by their hashes: sorting them all takes ten times as long
    if set(map(type, labels)) != {str}:
        n_missing = sum(label is None for label in labels)
        if n_missing:
            raise DataError(f"{n_missing:,} rows have no class; leave them out.")
        check_classification_targets(target)
    levels = sorted(set(labels))
    places = {level: place for place, level in enumerate(levels)}
    codes = np.fromiter((places[label] for label in labels), np.intp, len(labels))
    return np.array(levels, dtype=object), codes


def _split_table(
    table: Table, y: str | ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Table, ArrayLike, ArrayLike | None]:
    """Return the attributes of a table, the classes in the column of that name, and the weights of rows."""
    if sample_weight is None and table.weights is not None:
        sample_weight = table.weights.values
    if not isinstance(y, str):
        return table, y, sample_weight
    at = table.position(y)
    states = table.variables[at].states
    if not states:
        raise DataError(f"{y!r} holds numbers; a class has states. Read it with kinds={{{y!r}: 'nominal'}}.")
    classes = np.array(states)[table.column(at)]
    return table.take([i for i in range(len(table.names)) if i != at]), classes, sample_weight


def _is_lazy(X: object) -> TypeGuard[pl.LazyFrame]:
    return hasattr(X, "collect") and hasattr(X, "collect_schema")


def _is_frame(X: object) -> TypeGuard[pd.DataFrame]:
    return hasattr(X, "columns")


def _slice(
    rows: pd.DataFrame | NDArray[np.generic], first: int, last: int
) -> pd.DataFrame | NDArray[np.generic]:
    if isinstance(rows, np.ndarray):
        return rows[first:last]
    import narwhals.stable.v2 as nw

    return nw.from_native(rows, eager_only=True)[first:last].to_native()
