r"""Whether a network is the same in two groups: for every pair one statistic and what it says.

A pair's term is estimated in each group by itself, given the rest of a blanket in the union of the graphs of
both groups and of all rows together. Constants and other terms are each group's own, so that neither other
margins nor a neighbor's other edge look like a difference of this pair.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from graphoid.data.read import read
from graphoid.data.table import Table
from graphoid.errors import DataError, SettingsError
from graphoid.learners.recommended import recommend_search
from graphoid.limits import map_threads
from graphoid.regression.coding import standard_scores
from graphoid.settings import Number, RandomState, check_setting
from graphoid.structure.graph import UndirectedGraph
from graphoid.uncertainty.gaussian_model import correlate
from graphoid.uncertainty.pair_terms import (
    ConditionalModel,
    Term,
    contrast_code,
    invert,
    score_code,
)
from graphoid.uncertainty.replicates import graph_of
from graphoid.uncertainty.resampling import seed_of
from graphoid.uncertainty.strength import has_direction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.variables import State, Variable
    from graphoid.learners.base import AnyLearner

    Matrix = NDArray[np.float64]

PRIOR_SPREAD = 0.5
"""Standard deviation of a difference, for a standard deviation of each variable, if there is one: that of
partial correlations of .25 and -.25, or of log odds ratios of 1 and -1."""

LEAST_INFORMATION = 1e-6
"""On a direction of a difference: with less, the standard error is a thousand."""

SHARES = (np.arange(200) + 0.5) / 200
"""Of pairs that differ, each as probable as the other beforehand."""


class PairComparison(NamedTuple):
    """One pair of variables in two groups."""

    x: str
    y: str
    measure: str
    """"log_odds" of two variables of two states; "fisher_z" of the partial correlation of two of numbers;
    "linear_by_linear", the log odds ratio for a standard deviation of each, of others with an order; "size",
    the root mean square of a pair's log potential, without sign, where states have no order."""
    effects: tuple[float | None, float | None]
    """One a group; None where it cannot be told."""
    difference: float | None
    """The first less the second; of sizes, the size of the difference."""
    error: float | None
    """Its standard error; None of a size."""
    statistic: float
    """The square of the difference in standard errors."""
    dof: int
    """Its degrees of freedom: the numbers in a term."""
    p_value: float
    """That chi-square is as large."""
    p_adjusted: float
    """That the largest statistic of all pairs is so large if none differs: holds for all pairs at once."""
    bayes_factor: float | None
    """For a difference against none; see :func:`log_bayes_factor`."""
    probability: float | None
    """That it differs, if any share of the pairs may."""


class GroupComparison(NamedTuple):
    """Two groups compared."""

    groups: tuple[State, State]
    rows: tuple[int, int]
    graph: UndirectedGraph
    """With the edges of either group and of all rows together."""
    pairs: list[PairComparison]
    p_value: float
    """That all pairs are alike: that of the largest statistic."""
    n: int
    seed: int


class _Difference(NamedTuple):
    """Of a pair's term."""

    terms: tuple[Term, Term]
    statistic: float
    dof: int
    information: Matrix
    unit: float
    """From standard deviations to the states themselves, for log odds ratios."""
    chance: NDArray[np.float32]
    """The statistic in draws of what chance alone would give."""


def compare_groups(
    table: object,
    by: str,
    *,
    learner: AnyLearner | None = None,
    n: int = 500,
    n_jobs: int = 1,
    random_state: RandomState = None,
) -> GroupComparison:
    """Compare the networks of two groups of rows.

    Parameters
    ----------
    table
        Anything that :func:`graphoid.read` takes.
    by
        The column that says which group a row belongs to; it must have two states.
    learner
        Who learns the graphs, which say what is given for each pair; the search over undirected
        graphs that we recommend if None.
    n
        Draws of what chance gives all pairs together, for ``p_adjusted`` and the p-value of all.
    n_jobs
        Threads. The result does not depend on it.
    random_state
        Seed.

    Examples
    --------
    >>> import graphoid as gd
    >>> table = gd.datasets.load("survey")
    >>> found = gd.compare_groups(table, "region", learner=gd.GSMN(), n=200, random_state=1)
    >>> [(row.x, row.y) for row in found.pairs if row.p_adjusted < 0.05]
    [('age', 'bus')]
    """
    table = table if isinstance(table, Table) else read(table)
    check_setting("n", n, Number(least=1, whole=True, noun="number of draws"))
    group, member, rest = _split(table, by)
    learner = recommend_search(rest)[0] if learner is None else learner  # as its rates were measured
    if not hasattr(learner, "fit"):
        raise SettingsError(f"compare_groups: learner must be a learner such as GSIMN(), not {learner!r}.")
    graph = _union([graph_of(learner, part) for part in (rest, _rows(rest, member), _rows(rest, ~member))])
    seed = seed_of(random_state)
    draws = np.random.default_rng(seed).standard_normal((n, rest.n_rows), dtype=np.float32)
    pairs, p = _judge(rest.variables, _compare_terms(rest, graph, member, draws, n_jobs))
    sizes = int(member.sum()), int((~member).sum())
    return GroupComparison((group.states[0], group.states[1]), sizes, graph, pairs, p, n, seed)


def _split(table: Table, by: str) -> tuple[Variable, NDArray[np.bool_], Table]:
    """Return the variable that says the group, which rows are in its first, and all other columns."""
    if table.weights is not None:
        raise DataError("compare_groups compares rows that all count the same; this table has weights.")
    at = table.position(by)
    if len(table.names) == 1:
        raise DataError(f"there is no column but {by!r}, which says the groups; there is nothing to compare.")
    group, member = table.variables[at], table.column(at) == 0
    if group.arity != 2:
        raise DataError(
            f"{by!r} has {group.arity:,} states; groups are compared two at a time: keep two of them."
        )
    if member.all() or not member.any():
        raise DataError(
            f"all rows have {by} = {group.states[int(not member.any())]!r}; there is nothing to compare."
        )
    return group, member, drop_column(table, at)


def _rows(table: Table, kept: NDArray[np.bool_]) -> Table:
    """Return a table with some of the rows."""
    columns = tuple(None if column is None else column[kept] for column in table.columns)
    values = {i: numbers[kept] for i, numbers in table.values.items()}
    return replace(table, columns=columns, values=values, n_rows=int(kept.sum()))


def _union(graphs: list[UndirectedGraph]) -> UndirectedGraph:
    return UndirectedGraph(graphs[0].names, sorted({edge for graph in graphs for edge in graph.edges}))


class _Coding(NamedTuple):
    """A column as it enters models."""

    shares: Matrix
    """Of its states; empty for a continuous one."""
    code: Matrix
    """Numbers for each state."""
    numbers: Matrix
    """Numbers for each row."""

    @classmethod
    def of(cls, table: Table, at: int) -> _Coding:
        variable = table.variables[at]
        if variable.continuous:
            scores = standard_scores(table.numbers(at)) * math.sqrt(2)
            return cls(np.zeros(0), np.zeros((0, 1)), scores[:, None])
        codes = table.column(at)
        shares = np.bincount(codes, minlength=variable.arity) / table.n_rows
        code = score_code(shares) if has_direction(variable) or variable.arity == 2 else contrast_code(shares)
        return cls(shares, code, code[codes])


def _compare_terms(
    table: Table, graph: UndirectedGraph, member: NDArray[np.bool_], draws: NDArray[np.float32], n_jobs: int
) -> dict[tuple[int, int], _Difference]:
    """Return by how much the term of every pair differs."""
    codings = [_Coding.of(table, v) for v in range(graph.n)]
    blankets = [graph.blanket(v) for v in range(graph.n)]
    units = [float(np.diff(c.code[:, 0])[0]) if c.code.shape == (2, 1) else 1.0 for c in codings]

    def weights(y: int, x: int) -> float:
        """Return how many a model of y has beside x; a continuous y is one only of a continuous x."""
        given = sum(codings[z].code.shape[1] for z in blankets[y] if z != x)
        states = len(codings[y].shares)
        return states + codings[y].code.shape[1] * given if states or not len(codings[x].shares) else math.inf

    partners: list[list[int]] = [[] for _ in blankets]
    for x in range(graph.n):
        for y in range(x + 1, graph.n):
            response, other = (x, y) if weights(x, y) <= weights(y, x) else (y, x)
            partners[response].append(other)

    def terms(y: int, rows: NDArray[np.bool_]) -> list[Term]:
        numbers = {z: codings[z].numbers[rows] for z in {*blankets[y], *partners[y], y}}
        if table.variables[y].continuous:
            nothing = np.zeros((int(rows.sum()), 0))
            given = {x: [numbers[z] for z in blankets[y] if z != x] for x in partners[y]}
            return [_fisher_z(numbers[x], numbers[y], np.hstack([nothing, *given[x]])) for x in partners[y]]
        model = ConditionalModel(
            table.column(y)[rows], codings[y].shares, codings[y].code, {z: numbers[z] for z in blankets[y]}
        )
        return [model.term(x, numbers[x]) for x in partners[y]]

    def differences(y: int) -> list[_Difference]:
        both = zip(terms(y, member), terms(y, ~member), strict=True)
        return [
            _difference(first, second, member, draws, units[x] * units[y])
            for x, (first, second) in zip(partners[y], both, strict=True)
        ]

    found = map_threads(differences, range(graph.n), n_jobs)
    return {
        (min(x, y), max(x, y)): one
        for y in range(graph.n)
        for x, one in zip(partners[y], found[y], strict=True)
    }


def _fisher_z(x: Matrix, y: Matrix, given: Matrix) -> Term:
    """Return the partial correlation of two columns of numbers, on Fisher's scale, as a term."""
    known = correlate(x[:, 0], y[:, 0], given, np.ones(len(x)))
    if known is None:
        return Term(np.zeros(1), np.zeros((1, 1)), np.zeros((len(x), 1)))
    z, error, influence = known
    return Term(np.array([z]), np.array([[error**-2]]), influence[:, None])


def _difference(
    first: Term, second: Term, member: NDArray[np.bool_], draws: NDArray[np.float32], unit: float
) -> _Difference:
    r"""Return the statistic of two terms, and what it is in draws.

    .. math:: T = d^\top (I_1^{-1} + I_2^{-1})^{-1} d

    for the difference d of terms with information I; directions of which one group tells nothing are left
    out. A draw multiplies each row's influence on the difference by a normal number, the same for all pairs,
    so that draws are as correlated as the pairs are ([Chernozhukov2013]_); their spread is set to one.
    """
    information = (
        first.information
        - first.information @ invert(first.information + second.information) @ first.information
    )
    sizes, axes = np.linalg.eigh(information)
    axes = axes[:, sizes > LEAST_INFORMATION]
    difference = first.value - second.value
    statistic = float(difference @ information @ difference)
    influence = np.empty((len(member), axes.shape[1]))
    influence[member], influence[~member] = first.influence @ axes, -second.influence @ axes
    basis = np.linalg.qr(influence)[0]
    chance = ((draws @ basis.astype(np.float32)) ** 2).sum(axis=1)
    return _Difference((first, second), statistic, axes.shape[1], information, unit, chance)


def _judge(
    variables: tuple[Variable, ...], found: dict[tuple[int, int], _Difference]
) -> tuple[list[PairComparison], float]:
    """Return the rows of all pairs, and the p-value that none differs."""
    pairs = sorted(pair for pair in found if found[pair].dof)
    statistics = np.array([found[pair].statistic for pair in pairs])
    dof = np.array([found[pair].dof for pair in pairs])
    log_factors = np.array([log_bayes_factor(*found[pair][1:4]) for pair in pairs])
    chance = np.array([found[pair].chance for pair in pairs])
    largest = _normal_scores(chance, dof[:, None]).max(axis=0, initial=-np.inf) if pairs else np.zeros(0)
    count = 1 + len(largest)  # the groups as they are belong to the draws
    together = (1 + (largest >= _normal_scores(statistics, dof)[:, None]).sum(axis=1)) / count
    alone = special.chdtrc(dof, statistics)
    factors, probability = np.exp(np.minimum(log_factors, 700.0)), probabilities(log_factors)
    rows = {pair: _row(variables[pair[0]], variables[pair[1]], found[pair]) for pair in sorted(found)}
    for pair, p, q, factor, share in zip(pairs, alone, together, factors, probability, strict=True):
        rows[pair] = rows[pair]._replace(
            p_value=float(p), p_adjusted=float(q), bayes_factor=float(factor), probability=float(share)
        )
    return list(rows.values()), float(together.min(initial=1.0))


def _row(x: Variable, y: Variable, found: _Difference) -> PairComparison:
    """Return the effects of a pair, without verdict."""
    first, second = found.terms
    signed = len(first.value) == 1
    if x.continuous and y.continuous:
        measure = "fisher_z"
    elif x.arity == y.arity == 2:
        measure = "log_odds"
    else:
        measure = "linear_by_linear" if signed else "size"
    unit = found.unit if measure == "log_odds" else 1.0
    known = [bool(term.information.trace() > LEAST_INFORMATION) for term in (first, second)]
    if signed:
        effects = [float(term.value[0]) * unit for term in (first, second)]
        difference = effects[0] - effects[1]
    else:
        effects = [_size(term.value, invert(term.information)) for term in (first, second)]
        difference = _size(first.value - second.value, invert(found.information))
    return PairComparison(
        x.name,
        y.name,
        measure,
        (effects[0] if known[0] else None, effects[1] if known[1] else None),
        difference if found.dof else None,
        unit / math.sqrt(float(found.information[0, 0])) if signed and found.dof else None,
        found.statistic,
        found.dof,
        p_value=1.0,
        p_adjusted=1.0,
        bayes_factor=None,
        probability=None,
    )


def _size(value: Matrix, covariance: Matrix) -> float:
    """Return the norm of a term less what its error adds."""
    return math.sqrt(max(0.0, float(value @ value - covariance.trace())))


def _normal_scores(statistic: NDArray[np.floating], dof: NDArray[np.integer]) -> NDArray[np.floating]:
    """Return chi-square statistics on one scale, about normal, whatever their degrees of freedom.

    The cube root of [Wilson1931]_; it orders statistics of one number of degrees as they are.
    """
    error = 2 / (9 * dof)
    scores: NDArray[np.floating] = (np.cbrt(statistic / dof) - (1 - error)) / np.sqrt(error)
    return scores


def log_bayes_factor(statistic: float, dof: int, information: Matrix) -> float:
    r"""Return the log Bayes factor of a difference against none.

    .. math:: \log \mathrm{BF} = \frac{T}{2} \frac{g}{1 + g} - \frac{k}{2} \log(1 + g)

    with T the statistic, k its degrees of freedom, and a prior of the difference g times as wide in every
    direction as its covariance ([Johnson2005]_), such that it has :data:`PRIOR_SPREAD` in all: for one
    number, a normal prior with that standard deviation. Where rows tell little, the factor is near one.

    >>> round(math.exp(log_bayes_factor(0.0, 1, np.array([[4 * 99.0]]))), 6)
    0.1
    """
    g = PRIOR_SPREAD**2 * float(information.trace()) / dof**2
    return statistic / 2 * g / (1 + g) - dof / 2 * math.log1p(g)


def probabilities(log_factors: Matrix) -> Matrix:
    """Return how probable each pair differs, where any share of them may: averaged over :data:`SHARES`.

    >>> probabilities(np.array([0.0])).round(6).tolist()
    [0.5]
    """
    odds = log_factors[:, None] + np.log(SHARES / (1 - SHARES))
    likelihood = np.logaddexp(log_factors[:, None] + np.log(SHARES), np.log(1 - SHARES)).sum(axis=0)
    weight = np.exp(likelihood - likelihood.max())
    found: Matrix = special.expit(odds) @ (weight / weight.sum())
    return found


def drop_column(table: Table, at: int) -> Table:
    """Return a table without one column."""
    kept = [i for i in range(len(table.variables)) if i != at]
    return Table(
        tuple(table.variables[i] for i in kept),
        tuple(table.columns[i] for i in kept),
        table.n_rows,
        {kept.index(i): values for i, values in table.values.items() if i != at},
        name=table.name,
    )
