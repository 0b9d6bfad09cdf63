r"""Whether a network is the same in two groups: for every pair a permutation test and a Bayes factor.

Groups are compared in the same layout: each pair given the rest of its smaller blanket in the graph of all
rows together. A pair differs by its log odds ratio or Fisher's z of its partial correlation, where there is
one, else by the root of its bits, on which the spread hardly depends on the value. Bits also depend on how
even the states are, so that they may differ between groups in which one state is rarer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.data.read import read
from graphoid.data.table import Table, Weights
from graphoid.errors import DataError
from graphoid.learners.recommended import recommend
from graphoid.settings import Number, RandomState, check_setting
from graphoid.uncertainty.checkpoint import number
from graphoid.uncertainty.replicates import Measured, graph_of, in_table, measure_resamples
from graphoid.uncertainty.resampling import Resampler, seed_of
from graphoid.uncertainty.strength import crossings_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.variables import State, Variable
    from graphoid.learners.base import AnyLearner
    from graphoid.structure.graph import UndirectedGraph


class PairComparison(NamedTuple):
    """One pair of variables in two groups."""

    x: str
    y: str
    measure: str
    """"log_odds", "fisher_z" or "root_bits"."""
    first: float | None
    second: float | None
    difference: float | None
    p_value: float
    """By permuting who belongs to which group."""
    p_adjusted: float
    """The same against the largest difference of all pairs: holds for all pairs at once."""
    bayes_factor: float | None
    """For a difference against none; see :func:`bayes_factor`."""


class GroupComparison(NamedTuple):
    """Two groups compared."""

    groups: tuple[State, State]
    rows: tuple[int, int]
    graph: UndirectedGraph
    """Of all rows together."""
    pairs: list[PairComparison]
    p_value: float
    """That all pairs are alike: the sum of all standardized differences among permutations."""
    n: int
    seed: int


class _Complement(Resampler):
    """The rows that a case-dropping resample leaves out."""

    def weights(self, r: int) -> NDArray[np.number]:
        return self.counts - super().weights(r)


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
        Who learns the graph of all rows, which says what is given for each pair; the recommended one if None.
    n
        Permutations.
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
    [('age', 'bus'), ('income', 'car')]
    """
    table = table if isinstance(table, Table) else read(table)
    check_setting("n", n, Number(least=1, whole=True, noun="number of permutations"))
    group, member, rest = _split(table, by)
    sizes = int(member.sum()), int((~member).sum())
    learner = recommend(len(rest.variables))[0] if learner is None else learner
    graph = graph_of(learner, rest)
    crossings = crossings_of(graph, rest.variables)
    seed, share = seed_of(random_state), (sizes[0] / rest.n_rows,)
    halves = [
        measure_resamples(kind(rest, "cases", seed, share), range(n), crossings, n_jobs)
        for kind in (Resampler, _Complement)
    ]
    parts = [replace(rest, weights=Weights(own.astype(np.int64))) for own in (member, ~member)]
    observed = [Measured(*in_table(part, crossings).T[:, None, :]) for part in parts]
    signed = np.isfinite(observed[0].signed[0]) & np.isfinite(observed[1].signed[0])
    continuous = np.array([rest.variables[x].continuous for x, _, _ in crossings], dtype=bool)
    first, second = (comparable(of, signed, continuous)[0] for of in observed)
    chance = comparable(halves[0], signed, continuous) - comparable(halves[1], signed, continuous)
    rows, p = permutation_tests(first - second, chance, sizes)
    measure = np.where(signed, np.where(continuous, "fisher_z", "log_odds"), "root_bits")
    names = graph.names
    pairs = [
        PairComparison(names[x], names[y], str(measure[i]), number(first[i]), number(second[i]), *rows[i])
        for i, (x, y, _) in enumerate(crossings)
    ]
    return GroupComparison((group.states[0], group.states[1]), sizes, graph, pairs, p, n, seed)


def _split(table: Table, by: str) -> tuple[Variable, NDArray[np.bool_], Table]:
    """Return the variable that says the group, which rows are in its first, and all other columns."""
    if table.weights is not None:
        raise DataError("compare_groups permutes rows that all count the same; this table has weights.")
    at = table.position(by)
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


def comparable(
    strengths: Measured, signed: NDArray[np.bool_], continuous: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the strengths on the scales on which they are compared."""
    limit = 1 - np.finfo(float).eps
    fisher = np.arctanh(np.clip(np.where(continuous, strengths.signed, 0.0), -limit, limit))
    roots = np.sqrt(np.maximum(strengths.bits - strengths.bias, 0.0))
    return np.where(signed, np.where(continuous, fisher, strengths.signed), roots)


def permutation_tests(
    difference: NDArray[np.float64], chance: NDArray[np.float64], sizes: tuple[int, int]
) -> tuple[list[tuple[float | None, float, float, float | None]], float]:
    """Return difference, both p-values and the Bayes factor of every pair, and the p-value of all."""
    usable = np.isfinite(difference) & (np.isfinite(chance).sum(axis=0) * 2 > len(chance))
    spread = np.ones(len(difference))
    spread[usable] = np.nanstd(chance[:, usable], axis=0)
    usable &= spread > 0
    z = np.where(usable, difference / np.where(spread > 0, spread, 1.0), 0.0)
    null = np.where(usable & np.isfinite(chance), chance / np.where(spread > 0, spread, 1.0), 0.0)
    count = len(chance) + 1  # the groups as they are belong to their permutations
    alone = (1 + (np.abs(null) >= np.abs(z) - 1e-12).sum(axis=0)) / count
    largest = np.abs(null).max(axis=1, initial=0.0)
    together = (1 + (largest[:, None] >= np.abs(z) - 1e-12).sum(axis=0)) / count
    everything = float((1 + (np.abs(null).sum(axis=1) >= np.abs(z).sum() - 1e-12).sum()) / count)
    rows: list[tuple[float | None, float, float, float | None]] = [
        (float(d), float(alone[i]), float(together[i]), bayes_factor(float(z[i]), sizes))
        if usable[i]
        else (None, 1.0, 1.0, None)
        for i, d in enumerate(difference)
    ]
    return rows, everything


def bayes_factor(z: float, sizes: tuple[int, int]) -> float:
    r"""Return the Bayes factor of a difference against none, under a prior worth one row.

    .. math:: \mathrm{BF} = \frac{1}{\sqrt{1 + N}} \exp \frac{z^2 N}{2 (1 + N)}

    with z the difference over its standard deviation and N the harmonic mean of both numbers of rows: the
    unit-information prior of [Kass1995]_.

    >>> round(bayes_factor(0.0, (99, 99)), 6)
    0.1
    """
    n = 2.0 / (1.0 / sizes[0] + 1.0 / sizes[1])
    return float(np.exp(min(700.0, z * z / 2 * n / (1 + n))) / np.sqrt(1 + n))


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
