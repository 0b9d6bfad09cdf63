r"""The pseudo-likelihood of a log-linear model, with its derivatives by the weights.

A feature is a partial assignment :math:`f`, and the model is

.. math:: P(x) = \frac{1}{Z} \exp \sum_f w_f \, [x \text{ agrees with } f].

Given all other variables, state :math:`k` of variable :math:`v` has the logit :math:`z_{vk}(x)`, the sum of
:math:`w_f` over the features that say :math:`v = k` and whose other members agree with :math:`x`. No
:math:`Z` is needed for

.. math:: \ell(w) = \sum_r n_r \sum_v \log P(x_{rv} \mid x_{r,-v})
          = \sum_r n_r \sum_v \Bigl( z_{v x_{rv}}(x_r) - \log \sum_k e^{z_{vk}(x_r)} \Bigr),

a concave function ([Besag1975]_). Equal rows are merged: :math:`n_r` is how often row :math:`r` occurs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.native import available_threads, kernels
from graphoid.errors import DataError
from graphoid.models.potentials import check_feature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphoid._native import DistinctRows as CompiledRows, Terms as CompiledTerms
    from graphoid.data.table import Codes, Table
    from graphoid.logic.assertion import Context

    Vector = NDArray[np.float64]


class DistinctRows:
    """The different rows of a table, each with how often it occurs (or the sum of its weights).

    Parameters
    ----------
    table
        Discrete columns only.
    """

    def __init__(self, table: Table) -> None:
        self.variables = table.variables
        self.arities = tuple(v.arity for v in table.variables)
        self.columns, self.weights = _merge_rows(table)
        self.total = float(self.weights.sum())
        """The number of rows, or the sum of their weights."""
        native = kernels()
        self.native: CompiledRows | None = (
            None if native is None else native.DistinctRows(self.columns, self.arities, self.weights)
        )


class Members(NamedTuple):
    """Features laid out: feature ``f`` fixes ``variable[i]`` to ``state[i]`` for its stretch of ``i``."""

    first: NDArray[np.int64]
    """Where the stretch of each feature begins, and at the end where the last one ends."""
    variable: NDArray[np.int32]
    state: NDArray[np.int32]


def feature_members(features: Sequence[Context], arities: Sequence[int]) -> Members:
    """Return checked features laid out in arrays."""
    for feature in features:
        check_feature(feature, arities)
    flat = np.array([pair for feature in features for pair in feature], dtype=np.int32).reshape(-1, 2)
    first = np.cumsum([0, *(len(feature) for feature in features)], dtype=np.int64)
    return Members(first, flat[:, 0].copy(), flat[:, 1].copy())


class PseudoLikelihood:
    """The log pseudo-likelihood of rows as a function of the weights of features.

    Parameters
    ----------
    features
        Partial assignments, one weight each.
    rows
        A table, or its distinct rows where several sets of features are tried on them.
    threads
        How many threads; None for all processors. The sums do not depend on it.
    """

    def __init__(
        self, features: Sequence[Context], rows: Table | DistinctRows, *, threads: int | None = None
    ) -> None:
        self.rows = rows if isinstance(rows, DistinctRows) else DistinctRows(rows)
        self.features = tuple(features)
        self.members = feature_members(self.features, self.rows.arities)
        self.threads = available_threads(threads)
        native, compiled = kernels(), self.rows.native
        self._terms: CompiledTerms | None = (
            None if native is None or compiled is None else native.Terms(compiled, *self.members)
        )

    def only(self, kept: NDArray[np.intp]) -> PseudoLikelihood:
        """Return the pseudo-likelihood of some of the features, by position, on the same rows."""
        features = [self.features[f] for f in kept]
        return PseudoLikelihood(features, self.rows, threads=self.threads)

    def value(self, weights: Vector) -> float:
        """Return the log pseudo-likelihood, summed over rows and variables."""
        return self._evaluate(weights, None, self.only(np.empty(0, dtype=np.intp)))[0]

    def value_and_gradient(self, weights: Vector) -> tuple[float, Vector]:
        """Return the log pseudo-likelihood and its derivatives by the weights."""
        return self._evaluate(weights, None, self)

    def hessian_product(self, weights: Vector, direction: Vector) -> Vector:
        """Return the matrix of second derivatives times a direction."""
        return self._evaluate(weights, direction, self)[1]

    def derivatives_of(self, others: PseudoLikelihood, weights: Vector) -> tuple[Vector, Vector]:
        """Return first and second derivatives by the weights of other features, each alone and at 0."""
        weights = np.ascontiguousarray(weights, dtype=np.float64)
        native, rows, terms, scored = kernels(), self.rows.native, self._terms, others._terms
        if native is None or rows is None or terms is None or scored is None:
            return _derivatives(self, weights, others)
        return native.pseudo_likelihood_gains(rows, terms, weights, scored, self.threads)

    def row_gradients(self, weights: Vector) -> Vector:
        """Return the derivatives for one occurrence of each distinct row, a line each."""
        residuals = [
            (_states(self.rows, v) - p).T for v, p in enumerate(_conditionals(self, np.asarray(weights)))
        ]
        out = np.zeros((len(self.rows.weights), len(self.features)))
        for f, v, state, agree in _terms(self):
            out[agree, f] += residuals[v][state][agree]
        return out

    def _evaluate(
        self, weights: Vector, direction: Vector | None, scored: PseudoLikelihood
    ) -> tuple[float, Vector]:
        weights = np.ascontiguousarray(weights, dtype=np.float64)
        if direction is not None:
            direction = np.ascontiguousarray(direction, dtype=np.float64)
        native, rows, terms, others = kernels(), self.rows.native, self._terms, scored._terms
        if native is None or rows is None or terms is None or others is None:
            return _evaluate(self, weights, direction, scored)
        return native.pseudo_likelihood(rows, terms, weights, direction, others, self.threads)


def _merge_rows(table: Table) -> tuple[list[Codes], Vector]:
    """Return the columns of the distinct rows that have any weight, and their weights."""
    codes = np.ascontiguousarray(table.codes)
    if table.weights is None:
        units, unit = np.ones(table.n_rows, dtype=np.int64), 1.0
    else:
        units, unit = table.weights.units, table.weights.unit
    if not units.any():
        raise DataError(f"{table.name!r} has no rows with weight; a model needs some to be fitted to.")
    whole = codes.view(np.dtype((np.void, codes.itemsize * codes.shape[1]))).ravel()
    _, first, line = np.unique(whole, return_index=True, return_inverse=True)
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, line, units)
    kept = first[total > 0]
    columns = [table.column(v)[kept] for v in range(len(table.variables))]
    return columns, total[total > 0] * np.float64(unit)


# The kernel's work in NumPy: the specification, and what runs without the kernels.


def _evaluate(
    model: PseudoLikelihood, weights: Vector, direction: Vector | None, scored: PseudoLikelihood
) -> tuple[float, Vector]:
    rows = model.rows
    value, residuals = 0.0, []
    moves = None if direction is None else _logits(model, direction)
    for v, p in enumerate(_conditionals(model, weights)):
        here = _states(rows, v)
        value += float(rows.weights @ np.log(p[here]))
        slope = here - p
        if moves is not None:
            slope = -p * (moves[v] - (p * moves[v]).sum(axis=1, keepdims=True))
        residuals.append((rows.weights[:, None] * slope).T)
    out = np.zeros(len(scored.features))
    for f, v, state, agree in _terms(scored):
        out[f] += residuals[v][state][agree].sum()
    return value, out


def _derivatives(model: PseudoLikelihood, weights: Vector, others: PseudoLikelihood) -> tuple[Vector, Vector]:
    rows = model.rows
    slope, curvature = np.zeros((2, len(others.features)))
    conditionals = _conditionals(model, weights)
    residuals = [(rows.weights[:, None] * (_states(rows, v) - p)).T for v, p in enumerate(conditionals)]
    bends = [(rows.weights[:, None] * -p * (1 - p)).T for p in conditionals]
    for f, v, state, agree in _terms(others):
        slope[f] += residuals[v][state][agree].sum()
        curvature[f] += bends[v][state][agree].sum()
    return slope, curvature


def _logits(model: PseudoLikelihood, weights: Vector) -> list[Vector]:
    """Return for each variable the logit of every state in every row."""
    logits = [np.zeros((len(model.rows.weights), arity)) for arity in model.rows.arities]
    for f, v, state, agree in _terms(model):
        logits[v][agree, state] += weights[f]
    return logits


def _conditionals(model: PseudoLikelihood, weights: Vector) -> list[Vector]:
    """Return for each variable the probability of every state in every row, given the others."""
    found = []
    for logits in _logits(model, weights):
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        found.append(p / p.sum(axis=1, keepdims=True))
    return found


def _states(rows: DistinctRows, v: int) -> NDArray[np.bool_]:
    """Return for every row and every state of a variable whether the row has it."""
    states: NDArray[np.bool_] = rows.columns[v][:, None] == np.arange(rows.arities[v])
    return states


def _terms(model: PseudoLikelihood) -> Iterator[tuple[int, int, int, NDArray[np.bool_]]]:
    """Yield each feature seen from each of its members: (feature, variable, state, rows where it applies)."""
    columns = model.rows.columns
    for f, feature in enumerate(model.features):
        agree = [columns[v] == state for v, state in feature]
        for i, (v, state) in enumerate(feature):
            rest = np.ones(len(model.rows.weights), dtype=bool)
            for j, holds in enumerate(agree):
                if j != i:
                    rest &= holds
            yield f, v, state, rest
