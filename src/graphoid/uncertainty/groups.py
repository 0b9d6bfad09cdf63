r"""Whether a network is the same in several groups, or along a number: for every pair what it says.

The terms of pairs, and by how much they differ, are of :mod:`graphoid.uncertainty.group_terms`; given is the
rest of a blanket in the union of the graphs of all groups and of all rows together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from graphoid.data.read import read
from graphoid.data.table import Table
from graphoid.errors import DataError, SettingsError, setting
from graphoid.learners.recommended import recommend_search
from graphoid.logic.names import quote
from graphoid.progress import track
from graphoid.settings import Number, RandomState, check_setting
from graphoid.structure.graph import UndirectedGraph
from graphoid.uncertainty.effects import NORMAL_95, TAIL
from graphoid.uncertainty.group_result import GroupComparison, PairComparison
from graphoid.uncertainty.group_terms import (
    AS_GROUPS,
    Compared,
    Difference,
    Effect,
    GroupSplit,
    ModeratorSplit,
    PairColumns,
    Split,
    compare_terms,
)
from graphoid.uncertainty.omnibus import Network, judge_network, normal_scores, together
from graphoid.uncertainty.pair_terms import invert
from graphoid.uncertainty.replicates import graph_of
from graphoid.uncertainty.resampling import seed_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import State, Variable
    from graphoid.learners.base import AnyLearner
    from graphoid.progress import Listener
    from graphoid.structure.graph import Edge

    Matrix = NDArray[np.float64]
    _Parts = tuple[Split, tuple[State, ...], tuple[int, ...], list[NDArray[np.bool_]]]
    """How rows are told apart: see :class:`_Problem`."""

PRIOR_SPREAD = 0.5
"""Standard deviation of a difference, for a standard deviation of each variable, if there is one: that of
partial correlations of .25 and -.25, or of log odds ratios of 1 and -1."""

SHARES = (np.arange(200) + 0.5) / 200
"""Of pairs that differ, each as probable as the other beforehand."""

LEAST_ROWS = 10
"""Of a group: in fewer, no model of three variables has a row for each of its weights."""

QUANTILES = (0.1, 0.5, 0.9)
"""Of a moderator, at which effects are given."""


def compare_groups(
    table: object,
    by: str,
    *,
    learner: AnyLearner | None = None,
    covariates: Sequence[str] = (),
    shared: bool = False,
    n: int = 500,
    permutations: int = 0,
    n_jobs: int = 1,
    random_state: RandomState = None,
    seconds: float | None = None,
    progress: Listener | None = None,
) -> GroupComparison:
    """Compare the networks of groups of rows, or of rows along a number.

    Parameters
    ----------
    table
        Anything that :func:`graphoid.read` takes.
    by
        The column that says the group of a row; one of numbers is a moderator, in which terms are linear.
    learner
        Who learns the graphs, which say what a pair is given; the search that we recommend if None.
    covariates
        Columns that every pair is given, and that are not compared: what they explain is no effect.
    shared
        Whether groups are estimated together: an effect is that of all groups as far as the pair is probably
        the same in them, its own as far as it differs; ``graphs`` likewise. Tests do not depend on it.
    n
        Draws of what chance gives all pairs together, for ``p_adjusted`` and the p-value of all.
    permutations
        How often rows are dealt to the groups at random, as a check of both p-values of the network.
    n_jobs
        Threads. The result does not depend on it.
    random_state
        Seed.
    seconds
        Time that the recommended learner may take for all graphs.
    progress
        Hears of every graph, and of every permutation.

    Examples
    --------
    >>> import graphoid as gd
    >>> table = gd.datasets.load("survey")
    >>> found = gd.compare_groups(table, "region", learner=gd.GSMN(), n=200, random_state=1)
    >>> [(row.x, row.y) for row in found.pairs if row.p_adjusted < 0.05]
    [('age', 'bus')]
    """
    check_setting("n", n, Number(least=1, whole=True, noun="number of draws"))
    check_setting("permutations", permutations, Number(least=0, whole=True, noun="number of permutations"))
    problem = _problem(table if isinstance(table, Table) else read(table), by, covariates, shared=shared)
    graphs = _learn(problem, learner, seconds, progress)
    seed = seed_of(random_state)
    return _compare(problem, graphs, n, permutations, n_jobs, seed, progress, shared=shared)


def _learn(
    problem: _Problem, learner: AnyLearner | None, seconds: float | None, progress: Listener | None
) -> list[UndirectedGraph]:
    """Return the graph of all rows, then those of the groups, without the covariates."""
    if learner is not None and not hasattr(learner, "fit"):
        raise SettingsError(f"compare_groups: learner must be a learner such as GSIMN(), not {learner!r}.")
    parts = [problem.table, *(problem.table.keep(rows) for rows in problem.parts)]
    if learner is None:
        learner = recommend_search(problem.table)[0]  # as its rates were measured
        if seconds is not None:
            learner = learner.with_params(seconds=seconds / len(parts))
    graphs = [graph_of(learner, part) for part in track(parts, "learning graphs", progress)]
    return [_restrict(graph, problem.n_compared) for graph in graphs]


def _compare(
    problem: _Problem,
    graphs: list[UndirectedGraph],
    n: int,
    permutations: int,
    n_jobs: int,
    seed: int,
    progress: Listener | None,
    *,
    shared: bool,
) -> GroupComparison:
    """Return what the rows say of differences, given the graphs of all rows and of the groups."""
    variables, graph = problem.table.variables, _union(graphs)
    rng = np.random.default_rng(seed)
    columns = PairColumns(problem.table, graph)
    draws = rng.standard_normal((n, problem.table.n_rows), dtype=np.float32)
    # which edges all rows have does not depend on who is in which group: sums over them have no favorite
    found = compare_terms(columns, graphs[0], problem.split, draws, n_jobs)
    pairs, network = _judge(variables, columns, found), judge_network(found, draws, problem.split)
    if shared:
        pairs, graphs = _share(variables, columns, found, pairs, graphs)
    check = None
    if permutations:
        times = track(range(permutations), "permuting", progress)
        check = _permute(columns, graphs[0], problem.split, network, rng, times, n_jobs)
    return GroupComparison(
        problem.by,
        problem.labels,
        problem.rows,
        graph,
        tuple(graphs[1:]),
        pairs,
        network.p_value,
        network.strengths,
        network.strength_p_value,
        check,
        problem.table.names[problem.n_compared :],
        n,
        seed,
    )


def difference_p_values(first: Table, second: Table, graph: UndirectedGraph) -> dict[Edge, float]:
    """Return for every pair the p-value that its term is the same in the rows of two tables.

    Both have the variables of the graph, whose blankets are given; constants and other terms are each
    table's own, so that other margins are no difference. A pair of which one of them tells nothing has 1.
    """
    rows = first.n_rows + second.n_rows
    columns = tuple(
        None if a is None or b is None else np.concatenate([a, b])
        for a, b in zip(first.columns, second.columns, strict=True)
    )
    values = {
        i: np.concatenate([numbers, second.values[i]])
        for i, numbers in first.values.items()
        if columns[i] is None
    }
    both = Table(first.variables, columns, rows, values)
    split = GroupSplit(np.repeat([0, 1], [first.n_rows, second.n_rows]), 2)
    found = compare_terms(PairColumns(both, graph), graph, split, np.zeros((0, rows), np.float32))
    return {
        pair: float(special.chdtrc(one.difference.dof, one.difference.statistic))
        if one.difference.dof
        else 1.0
        for pair, one in sorted(found.items())
    }


class _Problem(NamedTuple):
    """Rows and how they are told apart."""

    table: Table
    """The columns that are compared, then the covariates."""
    n_compared: int
    by: str
    split: Split
    labels: tuple[State, ...]
    rows: tuple[int, ...]
    parts: list[NDArray[np.bool_]]
    """Rows that a graph is learned from."""


def _problem(table: Table, by: str, covariates: Sequence[str], *, shared: bool) -> _Problem:
    """Return the columns to compare, and how rows are told apart: by a number, or by states."""
    rest, n_compared = _columns(table, by, covariates)
    continuous = table.variables[table.position(by)].continuous
    if shared and continuous:
        raise SettingsError(
            f"{by!r} is a number: shared is for groups; along a number rows are shared anyway."
        )
    split, labels, rows, parts = _moderator(table, by) if continuous else _groups(table, by)
    return _Problem(rest, n_compared, by, split, labels, rows, parts)


def _columns(table: Table, by: str, covariates: Sequence[str]) -> tuple[Table, int]:
    """Return the columns that are compared, then the covariates, and how many are compared."""
    if table.weights is not None:
        raise DataError("compare_groups compares rows that all count the same; this table has weights.")
    at = table.position(by)
    given = [table.position(name) for name in ([covariates] if isinstance(covariates, str) else covariates)]
    if at in given:
        raise SettingsError(f"{by!r} says the groups, and cannot be a covariate as well.")
    compared = [v for v in range(len(table.variables)) if v != at and v not in given]
    if len(compared) < 2:
        left = quote([table.names[v] for v in compared]) or "no column"
        used = quote([table.names[v] for v in (at, *given)])
        raise DataError(f"beside {used} there is {left}; there is nothing to compare.")
    if table.absent(at).any():
        raise DataError(
            f"{by!r}, which says the groups, has {int(table.absent(at).sum()):,} missing cell(s), and a row "
            f"without a group cannot be compared: read it with {setting('missing', 'drop')}, or "
            f"{setting('missing', 'category')} to make them a group."
        )
    return table.take([*compared, *dict.fromkeys(given)]), len(compared)


def _groups(table: Table, by: str) -> _Parts:
    """Return rows told apart by the states of a column."""
    at = table.position(by)
    codes, states = table.column(at), table.variables[at].states
    occur, member, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    labels = tuple(states[code] for code in occur.tolist())
    if len(labels) < 2:
        raise DataError(
            f"{by!r} is {labels[0]!r} in all rows; there is nothing to compare."
            if labels
            else "there are no rows to compare."
        )
    small = int(sizes.argmin())
    if sizes[small] < LEAST_ROWS:
        raise DataError(
            f"{by!r} is {labels[small]!r} in {sizes[small]:,} row(s), and a group needs {LEAST_ROWS} at "
            "least: leave these rows out, or join them to another group."
        )
    parts = [member == g for g in range(len(labels))]
    return GroupSplit(member, len(labels)), labels, tuple(sizes.tolist()), parts


def _moderator(table: Table, by: str) -> _Parts:
    """Return rows told apart by a column of numbers."""
    numbers = table.numbers(by)
    spread = float(numbers.std())
    if not len(numbers) or not spread > 0:
        raise DataError(f"{by!r} is the same in all rows; there is nothing to compare.")
    at = np.quantile(numbers, QUANTILES)
    values = tuple(((at - numbers.mean()) / spread).tolist())
    upper = numbers > np.median(numbers)
    split = ModeratorSplit((numbers - numbers.mean()) / spread, values)
    return split, tuple(at.tolist()), (table.n_rows,), [~upper, upper]


def _restrict(graph: UndirectedGraph, n: int) -> UndirectedGraph:
    """Return a graph of its first variables: what holds given the others."""
    return UndirectedGraph(graph.names[:n], [(x, y) for x, y in graph.edges if x < n and y < n])


def _union(graphs: Sequence[UndirectedGraph]) -> UndirectedGraph:
    return UndirectedGraph(graphs[0].names, sorted({edge for graph in graphs for edge in graph.edges}))


def _judge(
    variables: tuple[Variable, ...], columns: PairColumns, found: Mapping[Edge, Compared]
) -> list[PairComparison]:
    """Return the rows of all pairs."""
    pairs = sorted(pair for pair in found if found[pair].difference.dof)
    differences = [found[pair].difference for pair in pairs]
    statistics, dof, largest = _scores(found, pairs)
    alone = special.chdtrc(dof, np.array([one.statistic for one in differences]))
    together = (1 + (largest >= statistics[:, None]).sum(axis=1)) / (1 + len(largest))
    log_factors = np.array([log_bayes_factor(one.statistic, one.dof, one.information) for one in differences])
    factors, probability = np.exp(np.minimum(log_factors, 700.0)), probabilities(log_factors)
    rows = {}
    for x, y in sorted(found):
        rows[x, y] = _row(variables[x], variables[y], found[x, y].difference, columns.unit(x, y))
    for pair, p, q, factor, share in zip(pairs, alone, together, factors, probability, strict=True):
        rows[pair] = rows[pair]._replace(
            p_value=float(p), p_adjusted=float(q), bayes_factor=float(factor), probability=float(share)
        )
    return list(rows.values())


def _scores(
    found: Mapping[Edge, Compared], pairs: Sequence[Edge]
) -> tuple[NDArray[np.floating], NDArray[np.integer], NDArray[np.floating]]:
    """Return statistics on one scale, their degrees of freedom, and the largest of each draw."""
    dof = np.array([found[pair].difference.dof for pair in pairs])
    statistics = np.array([found[pair].difference.statistic for pair in pairs])
    if not pairs:
        return statistics, dof, np.zeros(0)
    chance = normal_scores(np.array([found[pair].chance for pair in pairs]), dof[:, None])
    return normal_scores(statistics, dof), dof, chance.max(axis=0)


def _permute(
    columns: PairColumns,
    graph: UndirectedGraph,
    split: Split,
    seen: Network,
    rng: np.random.Generator,
    times: Iterable[int],
    n_jobs: int,
) -> tuple[float, float]:
    """Return the p-values that permuted groups give what all pairs say together, and global strength."""
    nothing = np.zeros((0, split.n_rows), np.float32)
    figures = [seen.figures]
    for _ in times:
        found = compare_terms(columns, graph, split.permute(rng), nothing, n_jobs)
        figures.append(judge_network(found, nothing, split).figures)
    *differences, strength = np.array(figures).T
    more = np.count_nonzero(strength >= strength[0])
    return together(np.array(differences)), float(more / len(strength))


def _row(x: Variable, y: Variable, found: Difference, unit: float) -> PairComparison:
    """Return the effects of a pair, without verdict."""
    signed = len(found.effects[0].value) == 1
    if x.continuous and y.continuous:
        measure = "fisher_z"
    elif x.arity == y.arity == 2:
        measure = "log_odds"
    else:
        measure = "linear_by_linear" if signed else "size"
    unit = unit if measure == "log_odds" else 1.0
    effects = tuple(_effect(one, unit) if one.known else None for one in found.effects)
    error = None
    if signed and found.dof and (len(effects) == 2 or found.span):
        error = unit / math.sqrt(float(found.information[0, 0])) / (AS_GROUPS if found.span else 1.0)
    return PairComparison(
        x.name,
        y.name,
        measure,
        effects,
        tuple(_interval(one, unit) if one.known else None for one in found.effects),
        _spread(found, unit) if found.dof else None,
        error,
        found.statistic,
        found.dof,
        p_value=1.0,
        p_adjusted=1.0,
        bayes_factor=None,
        probability=None,
    )


def _effect(effect: Effect, unit: float) -> float:
    """Return an effect as a number."""
    return float(effect.value[0]) * unit if len(effect.value) == 1 else effect.size


def _interval(effect: Effect, unit: float) -> tuple[float, float]:
    """Return what covers an effect with a probability of .95; of a size, by the noncentral chi-square."""
    if len(effect.value) == 1:
        middle, error = float(effect.value[0]) * unit, math.sqrt(float(effect.covariance[0, 0])) * abs(unit)
        return middle - NORMAL_95 * error, middle + NORMAL_95 * error
    spread = float(effect.covariance.trace()) / len(effect.value)
    statistic = float(effect.value @ effect.value) / spread
    ends = []
    for tail in (1 - TAIL, TAIL):
        inside = special.chdtr(len(effect.value), statistic) > tail  # else zero is not excluded on this side
        ends.append(float(special.chndtrinc(statistic, len(effect.value), tail)) if inside else 0.0)
    return math.sqrt(ends[0] * spread), math.sqrt(ends[1] * spread)


def _spread(found: Difference, unit: float) -> float | None:
    """Return by how much effects differ, as a number."""
    if found.span:
        change = (found.effects[-1].value - found.effects[0].value) / found.span
        if len(change) == 1:
            return float(change[0]) * unit
        bias = float((1 / np.diag(found.information)).sum()) / AS_GROUPS**2
        return math.sqrt(max(0.0, float(change @ change) - bias))
    known = [effect for effect in found.effects if effect.known]
    if len(found.effects) == 2:
        first, second = found.effects
        if len(first.value) == 1:
            return float(first.value[0] - second.value[0]) * unit
        apart = first.value - second.value
        return Effect(apart, first.covariance + second.covariance, first.influence).size
    values = [_effect(effect, unit) for effect in known]
    return max(values) - min(values) if values else None


def _share(
    variables: tuple[Variable, ...],
    columns: PairColumns,
    found: Mapping[Edge, Compared],
    pairs: Sequence[PairComparison],
    graphs: Sequence[UndirectedGraph],
) -> tuple[list[PairComparison], list[UndirectedGraph]]:
    """Return the pairs with effects estimated together, and the graph of each group likewise.

    A pair that probably differs is joined in a group where the group's own graph joins it, any other where
    the graph of all rows does.
    """
    rows, edges = [], [set(graph.edges) for graph in graphs]
    shared: list[set[Edge]] = [set() for _ in graphs[1:]]
    for pair, row in zip(sorted(found), pairs, strict=True):
        differ = row.probability or 0.0
        difference = _shrink(found[pair].difference, differ)
        own = _row(variables[pair[0]], variables[pair[1]], difference, columns.unit(*pair))
        rows.append(row._replace(effects=own.effects, intervals=own.intervals, difference=own.difference))
        for mine, alone in zip(shared, edges[1:], strict=True):
            if pair in (alone if differ > 0.5 else edges[0]):
                mine.add(pair)
    return rows, [graphs[0], *(UndirectedGraph(graphs[0].names, sorted(mine)) for mine in shared)]


def _shrink(found: Difference, differ: float) -> Difference:
    r"""Return effects of groups as far as they differ, and what they have in common for the rest.

    The mean of both answers by how probable they are: one effect :math:`\bar b` for all groups; or one for
    each, :math:`\bar b + \frac{g}{1 + g} (b_g - \bar b)` under the prior of :func:`log_bayes_factor`.
    """
    precisions = [invert(effect.covariance) for effect in found.effects]
    common = invert(np.sum(precisions, axis=0))
    middle = common @ np.sum([p @ e.value for p, e in zip(precisions, found.effects, strict=True)], axis=0)
    g = _prior_odds(found.dof, found.information) if found.dof else 0.0
    own = g / (1 + g)
    effects = []
    for effect in found.effects:
        known = invert(effect.covariance) @ effect.covariance  # nothing is known along the others
        away = own * (known @ (effect.value - middle))
        spread = own * effect.covariance + (1 - own) * common
        covariance = (1 - differ) * common + differ * spread + differ * (1 - differ) * np.outer(away, away)
        effects.append(Effect(middle + differ * away, covariance, effect.influence))
    return found._replace(effects=tuple(effects))


def log_bayes_factor(statistic: float, dof: int, information: Matrix) -> float:
    r"""Return the log Bayes factor of a difference against none.

    .. math:: \log \mathrm{BF} = \frac{T}{2} \frac{g}{1 + g} - \frac{k}{2} \log(1 + g)

    with T the statistic, k its degrees of freedom, and a prior of the difference g times as wide in every
    direction as its covariance ([Johnson2005]_), such that it has :data:`PRIOR_SPREAD` in all: for one
    number, a normal prior with that standard deviation. Where rows tell little, the factor is near one.

    >>> round(math.exp(log_bayes_factor(0.0, 1, np.array([[4 * 99.0]]))), 6)
    0.1
    """
    g = _prior_odds(dof, information)
    return statistic / 2 * g / (1 + g) - dof / 2 * math.log1p(g)


def _prior_odds(dof: int, information: Matrix) -> float:
    """Return how much wider the prior of a difference is than its covariance."""
    return PRIOR_SPREAD**2 * float(information.trace()) / dof**2


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
