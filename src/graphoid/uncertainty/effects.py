r"""The edge weight of every pair: its term in the models of both of its variables, with an interval.

Each variable is modelled given its blanket (:mod:`graphoid.uncertainty.blanket_model`), and the term of a
pair is the mean of what it is in the models of its two ends. Rows move both, so that the covariance comes
from how much every row moves their mean (the sandwich of [Huber1967]_), which is right for a wrong model too.

Where both variables are ordered or have two states the term is a number with a sign, the **weight**. Else it
is a matrix, and its **size**, the norm, has no sign: :math:`\|\hat W\|^2` is about a multiple c of a
noncentral chi-square with :math:`\operatorname{tr} V / c` degrees of freedom, of which the size less its bias
and the interval come.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.structure.effect import Effect
from graphoid.uncertainty.association import information
from graphoid.uncertainty.blanket_model import BlanketModel, Term
from graphoid.uncertainty.pair_terms import contrast_code, score_code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.data.table import Table
    from graphoid.data.variables import Variable
    from graphoid.structure.graph import Edge, UndirectedGraph

    Matrix = NDArray[np.float64]
    Codes = NDArray[np.integer]

NORMAL_95 = 1.959964
"""Standard errors either side of an estimate that make an interval of 95 %."""

TAIL = 0.025
"""Beyond each end of an interval."""

ROWS_A_WEIGHT = 5.0
"""Fewer rows than this for every weight of a model cannot carry it: see ``benchmarks/truth/intervals.py``."""


MOST_WEIGHTS = 300
"""A model with more, of columns of very many states, would take minutes."""


class Sample(NamedTuple):
    """Rows, or different rows and how often each of them occurs."""

    columns: Mapping[int, Codes]
    weights: Matrix


def sample_of(table: Table) -> Sample:
    """Return the rows of a table that count."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.values
    discrete = [i for i, v in enumerate(table.variables) if not v.continuous]
    if weights.all():
        return Sample({i: table.column(i) for i in discrete}, weights)
    return Sample({i: table.column(i)[weights > 0] for i in discrete}, weights[weights > 0])


def count_sample(counts: Counts) -> Sample:
    """Return the different rows that an engine has counted."""
    configurations, weights = counts.occurring()
    return Sample(dict(zip(counts.variables, configurations.T, strict=True)), weights.astype(np.float64))


class Estimate(NamedTuple):
    """An effect, and what each row of the sample adds to it."""

    effect: Effect
    p_value: float
    """That there is none."""
    influence: Matrix
    """Of a row on the weight, or on the square of the size where there is no weight."""


class Meeting(NamedTuple):
    """How often the states of two variables meet, and would if the pair had no term."""

    observed: Matrix
    expected: Matrix
    residual: Matrix
    """The difference in standard deviations."""


class Contribution(NamedTuple):
    """What a pair's term does in the models of its variables."""

    bits: float
    """By how much the term tells about either variable beyond its blanket, less what chance would give."""
    meeting: Meeting


class _Fit(NamedTuple):
    """The model of a variable, and the configuration of its blanket in every row."""

    model: BlanketModel
    counts: Matrix
    group: NDArray[np.intp]
    first: NDArray[np.intp]
    """A row of every configuration."""


class _End(NamedTuple):
    """A pair in the model of one of its variables."""

    fit: _Fit
    response: int
    other: int
    term: Term
    influence: Matrix
    """Of every row of the sample; codes of the first variable of the pair are major, here and in value."""
    value: Matrix


class Effects:
    """Effects of pairs of discrete variables, whether or not the graph joins them.

    Parameters
    ----------
    graph
        What is given: the blankets of both.
    variables
        Of the graph, in order.
    sample
        Rows, with at least the variables of the pairs to be asked for and of their blankets.
    """

    def __init__(self, graph: UndirectedGraph, variables: Sequence[Variable], sample: Sample) -> None:
        self._graph, self._variables, self._sample = graph, variables, sample
        self._codes: dict[int, Matrix] = {}
        self._fits: dict[int, _Fit] = {}

    def estimate(self, pair: Edge) -> Estimate | None:
        """Return the effect of a pair; None where it cannot be estimated from these rows."""
        sample, ends = self._sample, self._ends(pair)
        if not ends:
            return None
        value = np.mean([end.value for end in ends], axis=0)
        influence = np.mean([end.influence for end in ends], axis=0)
        covariance = (sample.weights[:, None] * influence).T @ influence
        covariance *= max(1.0, _least_variance(ends, sample) / np.trace(covariance))
        codes = [self._code(v)[sample.columns[v]] for v in pair]
        if len(value) == 1:
            return _weight_estimate(value, covariance, influence, codes, sample.weights)
        return _norm_estimate(value, covariance, influence, codes, sample.weights)

    def contribution(self, pair: Edge) -> Contribution | None:
        """Return what the term of a pair does; None where it cannot be estimated from these rows."""
        sample, ends = self._sample, self._ends(pair)
        if not ends:
            return None
        without = [end.fit.model.without(end.other) for end in ends]
        gains = [
            end.fit.model.log_likelihood - model.log_likelihood - len(end.value) / 2
            for end, model in zip(ends, without, strict=True)
        ]
        bits = max(0.0, float(np.mean(gains) / sample.weights.sum()) / math.log(2))
        return Contribution(bits, self._meeting(ends[0], without[0], pair))

    def slices(self, pair: Edge, given: Sequence[int]) -> Matrix:
        """Return the counts of a pair in every slice: configurations of what is given x states x states."""
        columns, arities = self._sample.columns, [self._variables[v].arity for v in pair]
        group, first = group_rows([columns[z] for z in given], len(self._sample.weights))
        cells = (group * arities[0] + columns[pair[0]]) * arities[1] + columns[pair[1]]
        counts = np.bincount(cells, self._sample.weights, len(first) * math.prod(arities))
        return np.asarray(counts.reshape(-1, *arities))

    def bits_of_slices(self, pair: Edge, given: Sequence[int]) -> float | None:
        """Return the mutual information of a pair within slices; None where these have too few rows.

        It also sees an association that differs from slice to slice, of which no model of pairs knows.
        """
        sample = self._sample
        _, first = group_rows([sample.columns[z] for z in given], len(sample.weights))
        free = len(first) * math.prod(self._variables[v].arity - 1 for v in pair)
        if sample.weights.sum() < ROWS_A_WEIGHT * free:
            return None
        return max(0.0, float(information(self.slices(pair, given)).corrected))

    def why_not(self, pair: Edge) -> str:
        """Return in words why a pair has no estimate."""
        for v in pair:
            if not self._code(v).shape[1]:
                return f"all rows have the same {self._variables[v].name}"
        least = min(self._n_weights(*ends) for ends in (pair, pair[::-1]))
        total = self._sample.weights.sum()
        if total < ROWS_A_WEIGHT * least:
            return f"a model of either has {least:,} weights or more, too many for {total:,.0f} rows"
        if least > MOST_WEIGHTS:
            return f"a model of either has {least:,} weights or more, and {MOST_WEIGHTS:,} are the most"
        return "others of the blankets say the same as one of the two"

    def _n_weights(self, response: int, other: int) -> int:
        """Return how many weights the model of a variable given its blanket and another has."""
        given = {z for z in (*self._graph.blanket(response), other) if not self._variables[z].continuous}
        slopes = self._code(response).shape[1] * sum(self._code(z).shape[1] for z in given)
        return int(self._occurs(response).sum()) - 1 + int(slopes)

    def _meeting(self, end: _End, without: BlanketModel, pair: Edge) -> Meeting:
        """Return how often states meet, all states included, beside what a model without the pair expects."""
        fit, arities = end.fit, [self._variables[v].arity for v in (end.response, end.other)]
        other = np.eye(arities[1])[self._sample.columns[end.other][fit.first]]
        totals = fit.counts.sum(axis=1)
        occurs = np.flatnonzero(self._occurs(end.response))
        cells = np.zeros((3, *arities))
        cells[0, occurs] = fit.counts.T @ other
        cells[1, occurs] = (totals[:, None] * without.probabilities).T @ other
        cells[2, occurs] = without.residual_variances(other)
        observed, expected, variance = cells if end.response == pair[0] else cells.transpose(0, 2, 1)
        spread = np.sqrt(np.where(variance > 1e-9, variance, np.inf))
        return Meeting(observed, expected, (observed - expected) / spread)

    def _ends(self, pair: Edge) -> list[_End]:
        """Return the models of either variable in which the pair has a term that rows can carry."""
        found = []
        for response, other in (pair, pair[::-1]):
            fit = self._fit(response, other)
            term = None if fit is None else fit.model.term(other)
            if fit is None or term is None:
                continue
            states = self._state(response)
            influence = term.influence[fit.group, states]
            order = np.arange(len(term.value))
            if response != pair[0]:
                p = self._code(response).shape[1]
                order = order.reshape(p, -1).T.reshape(-1)
            found.append(_End(fit, response, other, term, influence[:, order], term.value[order]))
        return found

    def _fit(self, response: int, other: int) -> _Fit | None:
        """Return the model of a variable given its blanket and another; None if it has too many weights."""
        blanket = self._graph.blanket(response)
        least, most = self._n_weights(response, other), self._sample.weights.sum() / ROWS_A_WEIGHT
        if not self._code(response).shape[1] or least > min(most, MOST_WEIGHTS):
            return None
        if response not in self._fits:
            self._fits[response] = self._fit_given(response, blanket)
        if other in blanket:
            return self._fits[response]
        return self._fit_given(response, (*blanket, other), self._fits[response].model.weights)

    def _fit_given(self, response: int, blanket: Sequence[int], start: Matrix | None = None) -> _Fit:
        sample = self._sample
        given = [z for z in blanket if not self._variables[z].continuous]
        codes = {z: self._code(z) for z in (response, *given)}
        k = int(self._occurs(response).sum())
        group, first = group_rows([sample.columns[z] for z in given], len(sample.weights))
        cells = group * k + self._state(response)
        counts = np.bincount(cells, sample.weights, len(first) * k).reshape(-1, k).astype(np.float64)
        columns = {z: codes[z][sample.columns[z][first]] for z in given}
        own = codes[response][self._occurs(response)]
        return _Fit(BlanketModel(counts, own, columns, start), counts, group, first)

    def _occurs(self, v: int) -> NDArray[np.bool_]:
        return np.asarray(np.bincount(self._sample.columns[v], minlength=self._variables[v].arity) > 0)

    def _state(self, v: int) -> NDArray[np.intp]:
        """Return the state of every row, numbered among those that occur."""
        return np.asarray((np.cumsum(self._occurs(v)) - 1)[self._sample.columns[v]])

    def _code(self, v: int) -> Matrix:
        """Return the numbers for each state of a variable."""
        if v not in self._codes:
            variable = self._variables[v]
            counts = np.bincount(self._sample.columns[v], self._sample.weights, variable.arity)
            shares = counts / counts.sum()
            scored = variable.ordered or np.count_nonzero(counts) <= 2
            self._codes[v] = score_code(shares) if scored else contrast_code(shares)
        return self._codes[v]


def group_rows(columns: Sequence[Codes], n_rows: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for every row its configuration, by number, and for every configuration a row."""
    key, most = np.zeros(n_rows, dtype=np.int64), 1
    for column in columns:
        states = int(column.max(initial=0)) + 1
        if most * states >= 2**62:
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            most = int(key.max(initial=0)) + 1
        key, most = key * states + column, most * states
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    return group.reshape(-1), first


def _least_variance(ends: Sequence[_End], sample: Sample) -> float:
    """Return the variance of the mean of both ends as their models have it.

    Rows cannot show less: where two states hardly meet, those few rows do not show how much they vary.
    """
    own = float(np.mean([np.trace(end.term.covariance) for end in ends]))
    if len(ends) == 1:
        return own
    a, b = (end.influence for end in ends)
    w = sample.weights[:, None]
    alone, both = (w * (a * a + b * b)).sum(), (w * a * b).sum()
    return own * float((alone + 2 * both) / (2 * alone))


def _weight_estimate(
    value: Matrix, covariance: Matrix, influence: Matrix, codes: Sequence[Matrix], weights: Matrix
) -> Estimate:
    """Return the effect of a term that is one number; scores are in standard deviations, which vary too."""
    b, total = float(value[0]), weights.sum()
    inflation = float(covariance[0, 0]) / float(weights @ influence[:, 0] ** 2)
    scale = sum(code[:, 0] ** 2 - 1.0 for code in codes) / (2 * total)
    moves = influence[:, 0] * math.sqrt(inflation) + b * scale
    error = math.sqrt(float(weights @ moves**2))
    effect = signed_effect(b, b - NORMAL_95 * error, b + NORMAL_95 * error)
    return Estimate(effect, math.erfc(abs(b) / error / math.sqrt(2)), moves)


def signed_effect(weight: float, low: float, high: float) -> Effect:
    """Return the effect of a weight with its interval: its size lies between the ends without their signs."""
    return Effect(abs(weight), max(0.0, low, -high), max(-low, high), weight, low, high)


def _norm_estimate(
    value: Matrix, covariance: Matrix, influence: Matrix, codes: Sequence[Matrix], weights: Matrix
) -> Estimate:
    """Return the effect of a term that is a matrix: its norm."""
    from scipy.special import chdtrc

    squared, total = float(value @ value), weights.sum()
    term = value.reshape(codes[0].shape[1], codes[1].shape[1])
    own = ((codes[0] @ term) ** 2).sum(axis=1) + ((codes[1] @ term.T) ** 2).sum(axis=1)
    inflation = float(np.trace(covariance) / (weights @ (influence**2).sum(axis=1)))
    moves = 2 * (influence @ value) * math.sqrt(inflation) + (own - 2 * squared) / total
    bias, twice = float(np.trace(covariance)), float((covariance**2).sum())
    along = float(weights @ moves**2) / (4 * squared) if squared > 0 else twice / bias
    size = max(0.0, squared - bias)
    low, high = size_interval(squared, bias, (twice + 2 * size * along) / (bias + 2 * size))
    p_value = float(chdtrc(bias * bias / twice, squared * bias / twice))
    return Estimate(Effect(math.sqrt(size), math.sqrt(low), math.sqrt(high)), p_value, moves)


def size_interval(squared: float, bias: float, unit: float) -> tuple[float, float]:
    r"""Return the interval of a squared norm from its estimate.

    The estimate is ``unit`` times a noncentral chi-square whose mean is ``bias`` more than the truth. The
    lower end leaves .025 above the estimate, at zero .05: as those of :math:`|b|` do if :math:`b \pm 1.96`
    standard errors is the interval of a number b. An estimate below its bias has the upper end of its bias.

    >>> low, high = size_interval(25.0, 1.0, 1.0)  # of 5 with a standard error of 1
    >>> round(low**0.5, 2), round(high**0.5, 2)
    (3.04, 6.96)
    """
    from scipy.special import chndtr, ndtr

    free = bias / unit

    def solve(at: float, tail: Callable[[float], float], *, above: bool) -> float:
        """Return the noncentrality, by halving."""
        a, b = 0.0, max(at, 1.0)
        if above:
            b = at + 40.0 + 20.0 * math.sqrt(at)
        for _ in range(60):
            middle = (a + b) / 2
            below = float(chndtr(at, free, middle))
            further = 1.0 - below < tail(middle) if not above else below > tail(middle)
            a, b = (middle, b) if further else (a, middle)
        return a

    def both(noncentrality: float) -> float:
        return TAIL + float(ndtr(-NORMAL_95 - 2 * math.sqrt(noncentrality)))

    low = solve(squared / unit, both, above=False)
    high = solve(max(squared, bias) / unit, lambda _: TAIL, above=True)
    return low * unit, high * unit
