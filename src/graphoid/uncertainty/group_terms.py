r"""The terms of all pairs, by group or along a moderator, and by how much each of them differs.

A pair's term is estimated in each group by itself, given the rest of a blanket and the covariates. Constants
and other terms are each group's own, so that neither other margins nor a neighbor's other edge look like a
difference of this pair. With a numeric moderator m all of them are linear in it, :math:`\beta + \gamma m`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from graphoid.limits import map_threads
from graphoid.regression.coding import standard_scores
from graphoid.uncertainty.gaussian_model import correlate
from graphoid.uncertainty.pair_terms import (
    ConditionalModel,
    Term,
    contrast_code,
    invert,
    score_code,
)
from graphoid.uncertainty.strength import has_direction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.structure.graph import Edge, UndirectedGraph

    Matrix = NDArray[np.float64]

LEAST_INFORMATION = 1e-6
"""On a direction of a difference: with less, the standard error is a thousand."""

AS_GROUPS = 2.0
"""Two equal groups are a standard deviation off the mean: their difference is twice the change along it."""

MODERATOR = -1
"""What a moderator is called among the columns of a model; covariates come below."""


class Effect(NamedTuple):
    """A pair's term in one group, or at one value of a moderator."""

    value: Matrix
    covariance: Matrix
    """Zero in directions of which nothing is known."""
    influence: Matrix
    """By how much each row of the table moves it."""

    @property
    def known(self) -> bool:
        """Whether the rows tell anything of it."""
        return bool(self.covariance.trace() > 0 and self.covariance.trace() < 1 / LEAST_INFORMATION)

    @property
    def size(self) -> float:
        """Its norm less what its error adds."""
        return math.sqrt(max(0.0, float(self.value @ self.value - self.covariance.trace())))


class Difference(NamedTuple):
    """By how much a pair's term differs."""

    effects: tuple[Effect, ...]
    """One a group, or a value of the moderator."""
    statistic: float
    """The squared differences in standard errors, of which :math:`d` is the degrees of freedom."""
    dof: int
    information: Matrix
    """On the difference of two groups; of more groups, and of moderators, what is as much."""
    influence: Matrix
    """By how much each row moves the difference, along axes of which something is known."""
    span: float | None = None
    """Of a moderator, how many standard deviations of it the last effect is from the first."""


class Split(Protocol):
    """How rows are told apart."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    def differences(self, columns: PairColumns, y: int) -> list[Difference]:
        """Return by how much the terms of a response and its partners differ."""

    def permute(self, rng: np.random.Generator) -> Split:
        """Return rows told apart at random, as many in each group."""


class Coding(NamedTuple):
    """A column as it enters models."""

    shares: Matrix
    """Of its states; empty for a continuous one."""
    code: Matrix
    """Numbers for each state."""
    numbers: Matrix
    """Numbers for each row."""

    @classmethod
    def of(cls, table: Table, at: int) -> Coding:
        """Return the coding of a column: normal scores of numbers, scores of grades, contrasts of states."""
        variable = table.variables[at]
        if variable.continuous:
            scores = standard_scores(table.numbers(at)) * math.sqrt(2)
            return cls(np.zeros(0), np.zeros((0, 1)), scores[:, None])
        codes = table.column(at)
        shares = np.bincount(codes, minlength=variable.arity) / table.n_rows
        code = score_code(shares) if has_direction(variable) or variable.arity == 2 else contrast_code(shares)
        return cls(shares, code, code[codes])


class PairColumns:
    """Columns and what each pair is modelled given: the blankets of a graph, and covariates.

    Parameters
    ----------
    table
        The variables of the graph, and the covariates after them.
    graph
        Whose blankets are given.
    """

    def __init__(self, table: Table, graph: UndirectedGraph) -> None:
        self.codings = [Coding.of(table, v) for v in range(len(table.variables))]
        self._codes = [None if v.continuous else table.column(i) for i, v in enumerate(table.variables)]
        covariates = tuple(range(graph.n, len(table.variables)))
        self.given = [(*graph.blanket(v), *covariates) for v in range(graph.n)]
        self.partners = self._partners(graph.n)

    def _partners(self, n: int) -> list[list[int]]:
        """Return for each response the variables whose terms are taken from its model: the smaller one's.

        A continuous response is one only of a continuous variable.
        """
        codings = self.codings

        def weights(y: int, x: int) -> float:
            given = sum(codings[z].code.shape[1] for z in self.given[y] if z != x)
            states = len(codings[y].shares)
            few = states or not len(codings[x].shares)
            return states + codings[y].code.shape[1] * given if few else math.inf

        partners: list[list[int]] = [[] for _ in range(n)]
        for x in range(n):
            for y in range(x + 1, n):
                response, other = (x, y) if weights(x, y) <= weights(y, x) else (y, x)
                partners[response].append(other)
        return partners

    def unit(self, x: int, y: int) -> float:
        """Return what turns a term for standard deviations into one for states: log odds, of two of them."""
        codes = (self.codings[x].code, self.codings[y].code)
        return math.prod(float(np.diff(code[:, 0])[0]) if code.shape == (2, 1) else 1.0 for code in codes)

    def numbers(self, y: int, rows: NDArray[np.bool_] | slice) -> dict[int, Matrix]:
        """Return the columns that a response is modelled by, in some rows."""
        return {z: self.codings[z].numbers[rows] for z in {*self.given[y], *self.partners[y]}}

    def model(
        self, y: int, given: Mapping[int, Matrix], rows: NDArray[np.bool_] | slice
    ) -> ConditionalModel | None:
        """Return the model of a response given columns; None for numbers, which are correlated."""
        codes, coding = self._codes[y], self.codings[y]
        if codes is None:
            return None
        return ConditionalModel(codes[rows], coding.shares, coding.code, given)


class GroupSplit(NamedTuple):
    """Rows in groups."""

    member: NDArray[np.integer]
    """The group of each row."""
    n_groups: int

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.member)

    def permute(self, rng: np.random.Generator) -> GroupSplit:
        """Return the same groups with other rows."""
        return self._replace(member=rng.permutation(self.member))

    def differences(self, columns: PairColumns, y: int) -> list[Difference]:
        """Return by how much the terms of a response and its partners differ between groups."""
        rows = [self.member == g for g in range(self.n_groups)]
        by_group = zip(*(_terms(columns, y, mine) for mine in rows), strict=True)
        return [group_difference(terms, rows) for terms in by_group]


def _terms(columns: PairColumns, y: int, rows: NDArray[np.bool_]) -> list[Term]:
    """Return the terms of a response and its partners in some rows."""
    numbers, given = columns.numbers(y, rows), columns.given[y]
    model = columns.model(y, {z: numbers[z] for z in given}, rows)
    if model is not None:
        return [model.term(x, numbers[x]) for x in columns.partners[y]]
    own = columns.codings[y].numbers[rows]
    nothing = np.zeros((len(own), 0))
    return [
        _fisher_z(numbers[x], own, np.hstack([nothing, *(numbers[z] for z in given if z != x)]))
        for x in columns.partners[y]
    ]


def _fisher_z(x: Matrix, y: Matrix, given: Matrix) -> Term:
    """Return the partial correlation of two columns of numbers, on Fisher's scale, as a term."""
    known = correlate(x[:, 0], y[:, 0], given, np.ones(len(x)))
    if known is None:
        return Term(np.zeros(1), np.zeros((1, 1)), np.zeros((len(x), 1)))
    z, error, influence = known
    return Term(np.array([z]), np.array([[error**-2]]), influence[:, None])


def group_difference(terms: Sequence[Term], rows: Sequence[NDArray[np.bool_]]) -> Difference:
    r"""Return by how much terms of several groups differ from what they have in common.

    .. math:: T = \sum_g (b_g - \bar b)^\top I_g (b_g - \bar b), \quad
              \bar b = \Bigl(\sum_g I_g\Bigr)^{-1} \sum_g I_g b_g

    for terms b with information I; directions of which at most one group tells anything are left out.
    """
    d, k, n = len(terms[0].value), len(terms), len(rows[0])
    stacked = np.concatenate([term.information for term in terms], axis=0)
    whole = -stacked @ invert(sum((term.information for term in terms), np.zeros((d, d)))) @ stacked.T
    influence = np.zeros((n, k * d))
    effects = []
    for g, (term, mine) in enumerate(zip(terms, rows, strict=True)):
        own = slice(g * d, (g + 1) * d)
        whole[own, own] += term.information
        influence[mine, own] = term.influence
        effects.append(Effect(term.value, invert(term.information), influence[:, own]))
    value = np.concatenate([term.value for term in terms])
    return _difference(tuple(effects), value, whole, influence, (k - 1) / 2)


def _difference(
    effects: tuple[Effect, ...], value: Matrix, information: Matrix, influence: Matrix, scale: float
) -> Difference:
    """Return the difference along the axes of which there is information, scaled to that on two groups."""
    sizes, axes = np.linalg.eigh((information + information.T) / 2)
    seen = sizes > LEAST_INFORMATION
    along = axes[:, seen] * np.sqrt(sizes[seen])
    statistic = float(((value @ along) ** 2).sum())
    return Difference(effects, statistic, int(seen.sum()), np.diag(sizes[seen]) * scale, influence @ along)


class ModeratorSplit(NamedTuple):
    """Rows that differ by a number."""

    numbers: Matrix
    """For each row, with mean 0 and variance 1."""
    values: tuple[float, ...]
    """Of it, at which effects are given."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.numbers)

    def permute(self, rng: np.random.Generator) -> ModeratorSplit:
        """Return the same numbers in other rows."""
        return self._replace(numbers=rng.permutation(self.numbers))

    def differences(self, columns: PairColumns, y: int) -> list[Difference]:
        """Return by how much the terms of a response and its partners change with the moderator."""
        m = self.numbers[:, None]
        numbers = {z: np.hstack([own, own * m]) for z, own in columns.numbers(y, slice(None)).items()}
        given = {z: numbers[z] for z in columns.given[y]}
        model = columns.model(y, {MODERATOR: m, **given}, slice(None))
        if model is not None:
            return [self._difference(model.term(x, numbers[x])) for x in columns.partners[y]]
        own = columns.codings[y].numbers
        return [
            self._difference(
                _moderated_z(
                    columns.codings[x].numbers, own, np.hstack([m, *(given[z] for z in given if z != x)]), m
                )
            )
            for x in columns.partners[y]
        ]

    def _difference(self, term: Term) -> Difference:
        """Return the change of a term, whose first half is that at the mean, with the moderator."""
        d = len(term.value) // 2
        covariance = invert(term.information)
        effects = []
        for value in self.values:
            at = np.vstack([np.eye(d), value * np.eye(d)])
            effects.append(Effect(term.value @ at, at.T @ covariance @ at, term.influence @ at))
        first, across = term.information[:d, :d], term.information[:d, d:]
        information = term.information[d:, d:] - across.T @ invert(first) @ across
        change = term.influence[:, d:]
        found = _difference(tuple(effects), term.value[d:], information, change, 1 / AS_GROUPS**2)
        return found._replace(span=self.values[-1] - self.values[0])


def _moderated_z(x: Matrix, y: Matrix, given: Matrix, m: Matrix) -> Term:
    """Return Fisher's z of two columns of numbers at the mean of a moderator, and its change with it.

    What rows add to z is regressed on the moderator: of first order, a spread of either column that changes
    with it is no change of z.
    """
    n = len(x)
    known = correlate(x[:, 0], y[:, 0], given, np.ones(n))
    if known is None:
        return Term(np.zeros(2), np.zeros((2, 2)), np.zeros((n, 2)))
    z, error, influence = known
    change = n * influence * m[:, 0]
    value = float(change.mean())
    both = np.column_stack([influence, (change - value * m[:, 0] ** 2) / n])
    return Term(np.array([z, value]), np.eye(2) * error**-2, both)


class Strengths(NamedTuple):
    """How strong a pair is in each group."""

    sizes: Matrix
    along: Matrix
    """Of each effect, how far it goes along what all have in common, as far as their differences are known.

    Unlike a size it does not move more than the effect does, and a group of few rows has no longer ones.
    """
    common: float
    """The same of what they have in common."""
    moves: NDArray[np.float32]
    """By how much each row moves what goes along: a column an effect."""

    @property
    def known(self) -> bool:
        """Whether the rows tell anything of each effect."""
        return bool(self.moves.any(axis=0).all())


class Compared(NamedTuple):
    """A difference, with what chance alone would give."""

    difference: Difference
    """Without the influence of rows."""
    chance: NDArray[np.float32]
    """The statistic in draws."""
    strength: Strengths | None
    """None for pairs that are not joined."""


def compare_terms(
    columns: PairColumns, graph: UndirectedGraph, split: Split, draws: NDArray[np.float32], n_jobs: int = 1
) -> dict[Edge, Compared]:
    """Return by how much the term of every pair differs.

    Those that ``graph`` joins have a strength. A draw multiplies each row's influence on the difference by a
    normal number, the same for all pairs, so that draws are as correlated as the pairs are
    ([Chernozhukov2013]_); their spread is set to one.
    """

    def compare(y: int) -> list[Compared]:
        found = split.differences(columns, y)
        return [
            _compare(one, draws, joined=graph.has_edge(x, y))
            for x, one in zip(columns.partners[y], found, strict=True)
        ]

    found = map_threads(compare, range(graph.n), n_jobs)
    return {
        (min(x, y), max(x, y)): one
        for y, mine in enumerate(columns.partners)
        for x, one in zip(mine, found[y], strict=True)
    }


def _compare(found: Difference, draws: NDArray[np.float32], *, joined: bool) -> Compared:
    basis = np.linalg.qr(found.influence)[0].astype(np.float32)
    chance = ((draws @ basis) ** 2).sum(axis=1)
    strength = _strengths(found.effects) if joined else None
    nothing = np.zeros((0, 0))
    effects = tuple(effect._replace(influence=nothing) for effect in found.effects)
    return Compared(found._replace(effects=effects, influence=nothing), chance, strength)


def _strengths(effects: Sequence[Effect]) -> Strengths:
    """Return how strong effects are.

    What rows do is scaled to the error that the model gives: of few rows it is too small by itself.
    """
    precisions = [invert(effect.covariance) for effect in effects]
    common = invert(np.sum(precisions, axis=0)) @ np.sum(
        [p @ effect.value for p, effect in zip(precisions, effects, strict=True)], axis=0
    )
    way = invert(np.sum([effect.covariance for effect in effects], axis=0)) @ common
    way /= float(np.linalg.norm(way)) or 1.0
    moves = []
    for effect in effects:
        move = effect.influence @ way
        spread = float(np.linalg.norm(move))
        error = math.sqrt(max(0.0, float(way @ effect.covariance @ way)))
        moves.append(move * (error / spread if spread else 0.0))
    return Strengths(
        np.array([effect.size for effect in effects]),
        np.array([float(effect.value @ way) for effect in effects]),
        float(common @ way),
        np.column_stack(moves).astype(np.float32),
    )
