r"""The edge weight of every pair: its term in the models of both of its variables, with an interval.

Each variable is modelled given its blanket (:mod:`graphoid.uncertainty.blanket_model`), and the term of a
pair is the mean of what it is in the models of its two ends. Rows move both, so that the covariance comes
from how much every row moves their mean (the sandwich of [Huber1967]_), which is right for a wrong model too.

Where both variables are ordered, numbers or have two states the term is a number with a sign, the **weight**.
Else it is a matrix, and its **size**, the norm, has no sign: :math:`\|\hat W\|^2` is about a multiple c of a
noncentral chi-square with :math:`\operatorname{tr} V / c` degrees of freedom, of which the size less its bias
and the interval come. Of two columns of numbers, the weight is their partial correlation. Numbers enter by
their normal scores, so that neither units nor skewness count.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.regression.coding import standard_scores
from graphoid.structure.effect import Effect
from graphoid.uncertainty.association import information, log_odds
from graphoid.uncertainty.blanket_model import BlanketModel, Term
from graphoid.uncertainty.gaussian_model import GaussianModel, correlate
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

MOST_ROW_WEIGHTS = 60
"""The same of states given numbers, where every row is a configuration of its own."""


class Sample(NamedTuple):
    """Rows, or different rows and how often each of them occurs."""

    columns: Mapping[int, Codes]
    """States of a variable by row; of a column of numbers, which of its values a row has."""
    weights: Matrix
    scores: Mapping[int, Matrix] = MappingProxyType({})
    """Of columns of numbers: normal scores of their values, with standard deviation one."""


def sample_of(table: Table, at: Sequence[int] | None = None) -> Sample:
    """Return the rows of a table that count; its columns have other places where ``at`` says so."""
    places = range(len(table.variables)) if at is None else at
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.values
    rows = slice(None) if weights.all() else weights > 0
    columns: dict[int, Codes] = {}
    scores: dict[int, Matrix] = {}
    for i, (place, v) in enumerate(zip(places, table.variables, strict=True)):
        if v.continuous:
            every = standard_scores(table.numbers(i), table.weights)[rows] * math.sqrt(2)
            scores[place], columns[place] = np.unique(every, return_inverse=True)
        else:
            columns[place] = table.column(i)[rows]
    return Sample(columns, weights[rows], scores)


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
    meeting: Meeting | None
    """None where one of the two has no states."""


class _Fit(NamedTuple):
    """The model of a variable, and the configuration of its blanket in every row."""

    model: BlanketModel | GaussianModel
    counts: Matrix
    """Of states, by configuration; none of numbers."""
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
    """Effects of pairs of variables, whether or not the graph joins them.

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
        if all(v in self._sample.scores for v in pair):
            return self._correlation(pair)
        sample, ends = self._sample, self._ends(pair)
        if not ends:
            return None
        value = np.mean([end.value for end in ends], axis=0)
        influence = np.mean([end.influence for end in ends], axis=0)
        covariance = (sample.weights[:, None] * influence).T @ influence
        if not np.trace(covariance) > 0:  # a constant has no term
            return None
        covariance *= max(1.0, _least_variance(ends, sample) / np.trace(covariance))
        codes = [self._numbers(v) for v in pair]
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
        rest = without[0]
        if not isinstance(rest, BlanketModel) or ends[0].other in sample.scores:
            return Contribution(bits, None)
        return Contribution(bits, self._meeting(ends[0], rest, pair))

    def state_effects(self, pair: Edge) -> Matrix | None:
        """Return how much higher the second of a pair, a number, is with each state of the first."""
        ends = [end for end in self._ends(pair) if end.response == pair[1]]
        return self._code(pair[0]) @ ends[0].value if ends else None

    def _correlation(self, pair: Edge) -> Estimate | None:
        """Return the partial correlation of two columns of numbers given the rest of the smaller blanket."""
        given = smaller_blanket(self._graph, pair, self._variables)
        columns = np.hstack([np.zeros((len(self._sample.weights), 0)), *map(self._numbers, given)])
        x, y = (self._numbers(v)[:, 0] for v in pair)
        known = correlate(x, y, columns, self._sample.weights)
        if known is None:
            return None
        z, error, influence = known
        r, low, high = (math.tanh(z + k * NORMAL_95 * error) for k in (0.0, -1.0, 1.0))
        p_value = math.erfc(abs(z) / error / math.sqrt(2))
        return Estimate(signed_effect(r, low, high), p_value, influence * (1 - r * r))

    def slices(self, pair: Edge, given: Sequence[int]) -> Matrix:
        """Return the counts of a pair in every slice: configurations of what is given x states x states."""
        columns, arities = self._sample.columns, [self._variables[v].arity for v in pair]
        group, first = group_rows([columns[z] for z in given], len(self._sample.weights))
        cells = (group * arities[0] + columns[pair[0]]) * arities[1] + columns[pair[1]]
        counts = np.bincount(cells, self._sample.weights, len(first) * math.prod(arities))
        return np.asarray(counts.reshape(-1, *arities))

    def log_odds(self, pair: Edge, given: Sequence[int]) -> tuple[float, float] | None:
        """Return the log odds ratio of two variables of two states and its standard error; None without.

        That of the slices of what is given; where numbers are among them, that of the models of both.
        """
        if any(self._variables[v].arity != 2 for v in pair):
            return None
        if not any(z in self._sample.scores for z in given):
            ratio = log_odds(self.slices(pair, given))
            return None if np.isnan(ratio.value) else (float(ratio.value), float(ratio.error))
        estimate = self.estimate(pair)
        if estimate is None or estimate.effect.weight is None:
            return None
        unit = math.prod(float(np.diff(self._code(v)[:, 0])[0]) for v in pair)
        error = math.sqrt(float(self._sample.weights @ estimate.influence**2))
        return estimate.effect.weight * unit, error * unit

    def bits_of_slices(self, pair: Edge, given: Sequence[int]) -> float | None:
        """Return the mutual information of a pair within slices; None where these have too few rows.

        It also sees an association that differs from slice to slice, of which no model of pairs knows.
        """
        sample = self._sample
        if any(v in sample.scores for v in (*pair, *given)):
            return None
        _, first = group_rows([sample.columns[z] for z in given], len(sample.weights))
        free = len(first) * math.prod(self._variables[v].arity - 1 for v in pair)
        if sample.weights.sum() < ROWS_A_WEIGHT * free:
            return None
        return max(0.0, float(information(self.slices(pair, given)).corrected))

    def why_not(self, pair: Edge) -> str:
        """Return in words why a pair has no estimate."""
        for v in pair:
            if not self._code(v).any():
                return f"all rows have the same {self._variables[v].name}"
        least = min(self._n_weights(*ends) for ends in (pair, pair[::-1]))
        total = self._sample.weights.sum()
        if total < ROWS_A_WEIGHT * least:
            return f"a model of either has {least:,} weights or more, too many for {total:,.0f} rows"
        most = max(self._most_weights(*ends) for ends in (pair, pair[::-1]))
        if least > most:
            return f"a model of either has {least:,} weights or more, and {most:,} are the most"
        return "others of the blankets say the same as one of the two"

    def _n_weights(self, response: int, other: int) -> int:
        """Return how many weights the model of a variable given its blanket and another has."""
        given = {*self._graph.blanket(response), other}
        slopes = self._code(response).shape[1] * sum(self._code(z).shape[1] for z in given)
        constants = 2 if response in self._sample.scores else int(self._occurs(response).sum()) - 1
        return constants + int(slopes)

    def _most_weights(self, response: int, other: int) -> int:
        """Return the most weights of a model of a variable given its blanket and another."""
        scores = self._sample.scores
        by_row = response not in scores and any(z in scores for z in (*self._graph.blanket(response), other))
        return MOST_ROW_WEIGHTS if by_row else MOST_WEIGHTS

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
            influence = term.influence
            if response not in self._sample.scores:
                influence = influence[fit.group, self._state(response)]
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
        if not self._code(response).shape[1] or least > min(most, self._most_weights(response, other)):
            return None
        if response not in self._fits:
            self._fits[response] = self._fit_given(response, blanket)
        if other in blanket:
            return self._fits[response]
        return self._fit_given(response, (*blanket, other), self._fits[response].model.weights)

    def _fit_given(self, response: int, given: Sequence[int], start: Matrix | None = None) -> _Fit:
        sample, n = self._sample, len(self._sample.weights)
        if response in sample.scores:
            columns = {z: self._numbers(z) for z in given}
            model = GaussianModel(self._numbers(response)[:, 0], columns, sample.weights)
            return _Fit(model, np.zeros((n, 0)), np.arange(n), np.arange(n))
        k = int(self._occurs(response).sum())
        group, first = group_rows([sample.columns[z] for z in given], n)
        cells = group * k + self._state(response)
        counts = np.bincount(cells, sample.weights, len(first) * k).reshape(-1, k).astype(np.float64)
        columns = {z: self._code(z)[sample.columns[z][first]] for z in given}
        own = self._code(response)[self._occurs(response)]
        return _Fit(BlanketModel(counts, own, columns, start), counts, group, first)

    def _numbers(self, v: int) -> Matrix:
        """Return a variable by row, a column for each of its codes."""
        return np.asarray(self._code(v)[self._sample.columns[v]])

    def _occurs(self, v: int) -> NDArray[np.bool_]:
        return np.asarray(np.bincount(self._sample.columns[v], minlength=self._variables[v].arity) > 0)

    def _state(self, v: int) -> NDArray[np.intp]:
        """Return the state of every row, numbered among those that occur."""
        return np.asarray((np.cumsum(self._occurs(v)) - 1)[self._sample.columns[v]])

    def _code(self, v: int) -> Matrix:
        """Return the numbers for each state or value of a variable."""
        if v in self._sample.scores:
            return self._sample.scores[v][:, None]
        if v not in self._codes:
            variable = self._variables[v]
            counts = np.bincount(self._sample.columns[v], self._sample.weights, variable.arity)
            shares = counts / counts.sum()
            scored = variable.ordered or np.count_nonzero(counts) <= 2
            self._codes[v] = score_code(shares) if scored else contrast_code(shares)
        return self._codes[v]


def smaller_blanket(graph: UndirectedGraph, pair: Edge, variables: Sequence[Variable]) -> tuple[int, ...]:
    """Return what a pair is looked at given: the rest of the smaller of the two blankets, by position.

    Given either, all other variables tell nothing more if the graph is right; the smaller leaves more rows to
    a slice. Ties go to fewer slices, then to the first of the pair.
    """
    x, y = pair
    rests = [tuple(z for z in graph.blanket(a) if z != b) for a, b in ((x, y), (y, x))]
    return min(rests, key=lambda rest: (len(rest), math.prod([max(1, variables[z].arity) for z in rest])))


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
