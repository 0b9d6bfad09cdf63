r"""Models of one variable given others, each in the family of its kind, and what one more variable adds.

============== =============================== =================================================
kind           as predictor                    as response
============== =============================== =================================================
nominal        contrasts of its states         multinomial logit
ordered        the score of its states         adjacent-category logit: one effect a predictor
numbers        its normal score                Gaussian
============== =============================== =================================================

A pair takes the product of the numbers of columns of both ends, whichever of them is the response. So that
there is one answer to X ⊥ Y | Z and Y ⊥ X | Z, the response is the end with numbers, whose test is exact;
else the end of fewer columns, then of fewer states, then of the rarer ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.moments import EXPLAINED, whiten
from graphoid.independence.canonical import canonical
from graphoid.independence.partial_association import CELLS_PER_NUMBER, EXPECTED, merge_rare
from graphoid.independence.tail import log_beta_cdf, log_chi2_sf
from graphoid.regression.coding import contrasts, ordered_code
from graphoid.regression.embedding import SecondMoments, embed
from graphoid.regression.model import Design, Model
from graphoid.regression.objective import Objective
from graphoid.regression.response import MultinomialLogit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.counts.engine import Positions
    from graphoid.data.table import Table

    Matrix = NDArray[np.float64]
    Groups = NDArray[np.intp]

ROWS_PER_STATE = 5.0
"""Rows of a state that gets an effect of its own on a score: fewer, and one row decides."""
MOST_PARAMETERS = 400
"""Of a fit by Newton's method, which takes seconds beyond; rare states are merged until there are no more."""
MOST_NULLS = 4096
"""Models without Y that are kept, so that the next question about X given the same need not fit it again."""
PRECISION = 1e-6
"""Of effects a priori: all but none, and still they stay finite where a predictor separates the states."""


class Comparison(NamedTuple):
    """What Y adds to a model of X given Z."""

    statistic: float
    """Twice the difference of the log-likelihoods."""
    dof: float
    log_p: float
    parameters: float
    """Of the larger model; 0 where the p-value is exact however many there are."""
    says: bool
    """Whether rows and columns leave something to compare."""


class AllButFlat(Objective):
    """The log-likelihood, with a prior so wide that it only keeps effects finite."""

    @staticmethod
    def code(r: int) -> Matrix:
        """Return orthonormal contrasts, one line a state."""
        return contrasts(r)

    def precision(self, constants: int, weights: int) -> Matrix:  # noqa: ARG002 - the same for all
        """Return the precision of the normal prior of weights."""
        return np.full(weights, PRECISION)

    def worth(self, reached: float, _hessian: Matrix, _precision: Matrix, /) -> float:
        """Return the log-likelihood reached."""
        return reached

    def promise(self, gain: float, _information: Matrix, /) -> float:
        """Return what is gained."""
        return gain


class Families:
    """The models of all variables of a table.

    Parameters
    ----------
    table
        In memory; columns of any kinds. A row of weight k is as good as k rows.
    rows_per_parameter
        A question for which there are fewer rows is not looked into; 0 to look into all.
    """

    def __init__(self, table: Table, rows_per_parameter: float = 0.0) -> None:
        self._table = canonical(table)
        self._moments = SecondMoments(self._table)
        self._enough = rows_per_parameter
        self.n_rows = self._moments.n_rows
        weights = self._table.weights
        self._weights = np.ones(self._table.n_rows) if weights is None else weights.values
        self._numbers = [v.continuous for v in self._table.variables]
        self._scored = [v.ordered and v.arity > 2 for v in self._table.variables]
        self._margins = [
            np.zeros(0) if v.continuous else self._count(self._table.column(i), v.arity)
            for i, v in enumerate(self._table.variables)
        ]
        self._effects: dict[int, Matrix] = {}
        self._nulls: dict[tuple[int, bytes, tuple[int, ...]], tuple[float, Matrix]] = {}

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return for how many rows of a cell those stand that each column of a regression has."""
        return CELLS_PER_NUMBER * self.n_rows / (1 + self._n_columns(variables))

    def compare(self, questions: Sequence[Positions]) -> list[Comparison]:
        """Return what Y adds for each question (x, y, given), solving once for each conditioning set."""
        by_given: dict[tuple[int, ...], list[int]] = {}
        for i, (_, _, given) in enumerate(questions):
            by_given.setdefault(tuple(sorted(given)), []).append(i)
        found: dict[int, Comparison] = {}
        for given, members in by_given.items():
            wanted = sorted({v for i in members for v in questions[i][:2]})
            left = Residuals(self._moments, wanted, given)
            for i in members:
                x, y = sorted(questions[i][:2])
                if self._numbers[x] or self._numbers[y]:
                    ends = (x, y) if self._numbers[x] else (y, x)
                    found[i] = self._gaussian(*ends, left)
                else:
                    ends = (x, y) if self._rank(x) <= self._rank(y) else (y, x)
                    found[i] = self._logistic(*ends, given, left)
        return [found[i] for i in range(len(questions))]

    def _n_columns(self, variables: Sequence[int]) -> int:
        """Return how many columns some variables have as predictors."""
        return sum(self._moments.main[v] for v in variables)

    def _rank(self, v: int) -> tuple[int, int, list[float], int]:
        """Return what is least of the end that is the response."""
        margin = self._margins[v]
        return self._moments.main[v], len(margin), sorted(margin.tolist()), v

    def _count(self, codes: NDArray[np.integer], states: int) -> Matrix:
        """Return the rows of each code; whole units are added up, so that their order has no say."""
        weights = self._table.weights
        if weights is None:
            return np.bincount(codes, minlength=states).astype(np.float64)
        units = np.zeros(states, dtype=np.int64)
        np.add.at(units, codes, weights.units)
        return units * np.float64(weights.unit)

    def _gaussian(self, x: int, y: int, left: Residuals) -> Comparison:
        """Return the comparison of Gaussian models of x: the F test in terms of what Y leaves of x."""
        own, across, other = left.between(x, x)[0, 0], left.between(y, x)[:, 0], left.between(y, y)
        white = whiten_relative(other, left.whole(y))
        dof, free = len(white), self.n_rows - 1 - left.rank
        if dof == 0 or free - dof < 1 or own <= EXPLAINED * left.whole(x)[0]:
            return Comparison(0.0, float(dof), 0.0, 0.0, says=False)
        explained = float(((white @ across) ** 2).sum()) / own
        share = max(1 - explained, np.finfo(float).eps)  # an exact fit has a large statistic, not infinite
        log_p = log_beta_cdf(share, (free - dof) / 2, dof / 2)
        return Comparison(-self.n_rows * math.log(share), float(dof), log_p, 0.0, says=True)

    def _logistic(self, x: int, y: int, given: tuple[int, ...], left: Residuals) -> Comparison:
        r"""Return the comparison of logistic models of x.

        The statistic is multiplied by :math:`(N - p - (k + m + 1) / 2) / N` before it is compared with
        chi-square, with p columns in Z and the constant, k in Y and m of X: Bartlett's factor of the
        multivariate linear model ([Bartlett1938]_).
        """
        to_x, to_y = self._group(x, y, given)
        code = self._code(x, to_x)
        effect = self._code(y, to_y)
        states, main = len(code), 1 if self._scored[x] else code.shape[1]
        if not self._scored[y]:
            turn = contrasts(len(to_y)).T @ effect[to_y]
            effect_left = turn.T @ left.between(y, y) @ turn
            whole = ((turn.T @ left.covariance_of(y)) * turn.T).sum(axis=1)
        else:
            effect, effect_left, whole = effect[:, :1], left.between(y, y), left.whole(y)
        k = len(whiten_relative(effect_left, whole))
        parameters = float(states - 1 + main * (left.rank + k))
        dof = float(main * k)
        factor = (self.n_rows - 1 - left.rank - (k + main + 1) / 2) / max(self.n_rows, 1.0)
        nothing = Comparison(0.0, dof, 0.0, parameters, says=False)
        if dof <= 0 or factor <= 0 or (given and parameters > MOST_PARAMETERS):
            return nothing
        if self.n_rows < self._enough * parameters:
            return nothing
        if not given and not self._scored[x] and not self._scored[y]:
            statistic = self._g(x, y, to_x, to_y)
        else:
            null, weights = self._null(x, to_x, code, main, given)
            if -null <= EXPLAINED * self.n_rows:
                return nothing  # Z says all
            extra = np.zeros(main * effect.shape[1])
            best = self._fit(x, to_x, code, main, given, np.append(weights, extra), (y, to_y, effect))[0]
            statistic = max(0.0, 2 * (best - null))
        return Comparison(statistic, dof, log_chi2_sf(factor * statistic, dof), parameters, says=True)

    def _code(self, v: int, groups: Groups) -> Matrix:
        """Return the codes of grouped states, a line each."""
        if self._scored[v]:
            return ordered_code(self._margins[v])
        return contrasts(int(groups.max(initial=0)) + 1)

    def _group(self, x: int, y: int, given: tuple[int, ...]) -> tuple[Groups, Groups]:
        """Return a group for every state of two variables; rare states of nominal ones are merged."""
        names = [v for v in (x, y) if not self._scored[v]]
        groups = {v: np.arange(len(self._margins[v])) for v in (x, y)}
        least = {v: float(self._margins[v].min(initial=math.inf)) for v in (x, y)}
        if len(names) == 2 and least[x] * least[y] < EXPECTED * self.n_rows:
            rows = EXPECTED * self.n_rows
            for v, other in ((x, y), (y, x)):
                groups[v] = merge_rare(self._margins[v], rows / max(least[other], math.sqrt(rows)))
        elif len(names) == 1 and least[names[0]] < ROWS_PER_STATE:
            groups[names[0]] = merge_rare(self._margins[names[0]], ROWS_PER_STATE)
        while given and names:
            sizes = {v: int(groups[v].max(initial=0)) for v in names}
            columns = [1 if self._scored[v] else sizes[v] for v in (x, y)]
            if columns[0] * (1 + self._n_columns(given) + columns[1]) <= MOST_PARAMETERS:
                break
            most = max(names, key=lambda v: sizes[v])
            if sizes[most] < 2:
                break
            margin = np.bincount(groups[most], self._margins[most]).astype(np.float64)
            groups[most] = merge_rare(margin, float(np.sort(margin)[:2].sum()))[groups[most]]
        return groups[x], groups[y]

    def _g(self, x: int, y: int, to_x: Groups, to_y: Groups) -> float:
        """Return twice the gain of log-likelihood where nothing is given, which is the G statistic."""
        r, s = int(to_x.max()) + 1, int(to_y.max()) + 1
        joint = to_x[self._table.column(x)] * s + to_y[self._table.column(y)]
        cells = self._count(joint, r * s).reshape(r, s)
        expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
        some = cells > 0
        return max(0.0, 2 * float((cells[some] * np.log(cells[some] / expected[some])).sum()))

    def _null(
        self, x: int, to_x: Groups, code: Matrix, main: int, given: tuple[int, ...]
    ) -> tuple[float, Matrix]:
        """Return the log-likelihood and the weights of the model of x given Z, once for all Y."""
        key = x, to_x.tobytes(), given
        if key not in self._nulls:
            if len(self._nulls) >= MOST_NULLS:
                self._nulls.clear()
            start = np.zeros(code.shape[1] + main * self._n_columns(given))
            self._nulls[key] = self._fit(x, to_x, code, main, given, start)
        return self._nulls[key]

    def _fit(
        self,
        x: int,
        to_x: Groups,
        code: Matrix,
        main: int,
        given: tuple[int, ...],
        start: Matrix,
        *more: tuple[int, Groups, Matrix],
    ) -> tuple[float, Matrix]:
        """Return the log-likelihood and the weights of a model of x; ``more`` are predictors in groups."""
        blocks = [self._effect(z) for z in given]
        blocks += [effect[to_y[self._table.column(y)]] for y, to_y, effect in more]
        states = to_x[self._table.column(x)]
        configuration = self._configurations([*given, *(y for y, _, _ in more)])
        if configuration is None:
            table = np.zeros((len(states), len(code)))
            table[np.arange(len(states)), states] = self._weights
        else:
            joint = configuration * len(code) + states
            n = int(configuration.max(initial=0)) + 1
            table = self._count(joint, n * len(code)).reshape(n, len(code))
            first = np.zeros(n, dtype=np.intp)
            first[configuration[::-1]] = np.arange(len(states))[::-1]
            blocks = [block[first] for block in blocks]
        ones = np.ones((len(table), 1))
        every, effects = range(code.shape[1]), range(main)
        design = Design.of((ones, every), *[(block, effects) for block in blocks])
        return Model(MultinomialLogit(table, code), AllButFlat()).fit(design, start)

    def _configurations(self, predictors: Sequence[int]) -> NDArray[np.intp] | None:
        """Return which configuration of some variables each row has; None where there are too many."""
        if any(self._numbers[v] for v in predictors):
            return None
        if math.prod(len(self._margins[v]) for v in predictors) > self._table.n_rows / 2:
            return None
        codes = np.zeros(self._table.n_rows, dtype=np.intp)
        for v in predictors:
            codes = codes * len(self._margins[v]) + self._table.column(v)
        occur = np.bincount(codes) > 0
        return (np.cumsum(occur) - 1)[codes]

    def _effect(self, v: int) -> Matrix:
        """Return the columns of a variable as a predictor."""
        if v not in self._effects:
            effect = embed(self._table, v)
            self._effects[v] = np.ascontiguousarray(effect.columns[:, : effect.main])
        return self._effects[v]


class Residuals:
    """The covariances of the columns of some variables that a regression on others leaves."""

    def __init__(self, moments: SecondMoments, wanted: Sequence[int], given: Sequence[int]) -> None:
        def columns(v: int) -> range:
            first = moments.columns[v].start
            return range(first, first + moments.main[v])

        at = [c for v in wanted for c in columns(v)]
        z = [c for v in given for c in columns(v)]
        self._whole = moments.covariance[np.ix_(at, at)]
        white = whiten(moments.covariance[np.ix_(z, z)]) if z else np.zeros((0, 0))
        projected = white @ moments.covariance[np.ix_(z, at)]
        self._left = self._whole - projected.T @ projected
        self.rank = len(white)
        ends = np.cumsum([0, *(moments.main[v] for v in wanted)]).tolist()
        self._at = {v: slice(a, b) for v, a, b in zip(wanted, ends, ends[1:], strict=False)}

    def between(self, u: int, v: int) -> Matrix:
        """Return what is left of the covariance of the columns of two variables."""
        return self._left[self._at[u], self._at[v]]

    def covariance_of(self, v: int) -> Matrix:
        """Return the covariance of the columns of a variable itself."""
        return self._whole[self._at[v], self._at[v]]

    def whole(self, v: int) -> Matrix:
        """Return the variance of every column of a variable itself."""
        return np.diag(self.covariance_of(v))


def whiten_relative(left: Matrix, whole: Matrix) -> Matrix:
    """Return what whitens columns; those of which nothing is left of their whole variance are left out."""
    keep = np.diag(left) > EXPLAINED * whole
    scale = 1 / np.sqrt(whole[keep])
    return whiten(left[np.ix_(keep, keep)] * np.outer(scale, scale)) * scale @ np.eye(len(whole))[keep]
