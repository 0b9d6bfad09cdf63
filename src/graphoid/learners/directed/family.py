"""Directed or undirected: which family predicts rows that were held out better."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.native import engine_for
from graphoid.data.table import Table, Weights
from graphoid.learners.directed.search import QUICK, quick_parents
from graphoid.limits import check_time
from graphoid.structure.moral import moral_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphoid.scores.base import Score, Scorer
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.knowledge import KnownPairs

    Matrix = NDArray[np.float64]

HELD_OUT = 5
"""One row in so many is held out, of which there are as many parts."""

SETTLED = 30.0
"""Log score of all rows held out from which on no other part of them is: where families were near, parts
differed by up to 60 (insurance, water and hubs of 300 and 1,000 rows)."""

FAR = 0.5
"""Log score of the rows held out, for every variable, from which on directed graphs lead by far. Of 18 weak
fields of 12 to 40 variables and about 1,000 rows 5 were taken for directed with it, and 3 with four times as
much, by which climbs of some networks of many states take seconds."""

MOST_CELLS, LEAST_ROWS = 300_000, 2_000
"""Of a table with more cells so many rows are drawn as have them, and so many at least: which family predicts
better shows early."""

MOST_REINSERTIONS = 100
"""Of variables, all in all, in the search for the directed graph."""

CLEARLY = 3.0
"""Log score of all rows held out by which directed graphs have to be better: 20 to 1."""


class FamilyScores(NamedTuple):
    """What a row that was held out is worth to each family: the sum of log P(x | all others)."""

    directed: float
    undirected: float
    rows: float
    """How many were held out."""
    moral: bool = False
    """Whether an undirected graph was the moral one of the directed."""

    @property
    def better(self) -> str:
        """The family that predicts better: "directed" where it does so clearly, else "undirected"."""
        return "directed" if self.lead > CLEARLY else "undirected"

    @property
    def lead(self) -> float:
        """By how much all rows that were held out are worth more to directed graphs."""
        return (self.directed - self.undirected) * self.rows


def compare_families(
    table: Table,
    score: Score,
    guess: Callable[[Scorer], UndirectedGraph],
    climb: Callable[[Scorer, UndirectedGraph], UndirectedGraph],
    seed: int = 0,
    known: KnownPairs | None = None,
) -> FamilyScores:
    """Return how well a graph of each family, found in four fifths of the rows, predicts the others.

    The directed one is found by a quick search; the undirected one is the better, by its score, of the moral
    graph of that and of what ``guess`` returns in little time. Where directed ones lead, but not by far, it
    may be for that haste: then it is what ``climb`` finds from there. Both keep to what is ``known`` of
    pairs. One fifth after the other is held out, until a family leads by so much that the others would say
    the same.
    """
    table = table.complete_rows()
    most, found = max(LEAST_ROWS, MOST_CELLS // len(table.names)), list[FamilyScores]()
    for part in range(HELD_OUT):
        found.append(_compare_in(split_rows(table, seed, most, part), score, guess, climb, known))
        if abs(sum(scores.lead for scores in found)) > SETTLED:
            break
    return mean_scores(found)


def mean_scores(parts: Sequence[FamilyScores]) -> FamilyScores:
    """Return what a row is worth on average in several parts."""
    rows = math.fsum(part.rows for part in parts)
    directed = math.fsum(part.directed * part.rows for part in parts) / rows
    undirected = math.fsum(part.undirected * part.rows for part in parts) / rows
    return FamilyScores(directed, undirected, rows, any(part.moral for part in parts))


def _compare_in(
    split: Split,
    score: Score,
    guess: Callable[[Scorer], UndirectedGraph],
    climb: Callable[[Scorer, UndirectedGraph], UndirectedGraph],
    known: KnownPairs | None,
) -> FamilyScores:
    n, scorer = len(split.kept.names), score.on(split.kept)
    if known is not None:
        scorer.believe(known)
    parents = quick_parents(engine_for(split.kept), min(QUICK, MOST_REINSERTIONS / n), known)
    moral, guessed = moral_graph(scorer.names, parents), scorer.graph(guess(scorer).edges)
    better = scorer.value(moral) > scorer.value(guessed)
    graph = moral if better else guessed
    found = family_scores(split, parents, graph, scorer)
    if 0 < found.lead < FAR * n:
        found = family_scores(split, parents, climb(scorer, graph), scorer)
    return found._replace(moral=better)


def family_scores(
    split: Split, parents: Sequence[Sequence[int]], graph: UndirectedGraph, scorer: Scorer
) -> FamilyScores:
    r"""Return how well the conditionals of two structures predict one row in five from the other rows.

    Of a directed graph, tables with the posterior mean of the uniform Dirichlet prior of one row a
    configuration are estimated from four fifths of the rows, and

    .. math:: P(x \mid \text{others}) \propto P(x \mid \text{parents}) \prod_c P(c \mid \text{parents of } c)

    over the children c. Of an undirected one, the score has to be a log marginal likelihood of every variable
    given its blanket, such as :class:`graphoid.LogLinearEvidence`: what it is worth with all rows less what
    it is worth with four fifths is the log-probability of the others given these, so that nothing is fitted.

    Parameters
    ----------
    split
        The rows; every column has states.
    parents, graph
        The structures.
    scorer
        Of the undirected graph by the rows that are kept, with the terms that it knows.
    """
    kept, out, both = split
    rows = out.n_rows if out.weights is None else out.weights.total
    whole = scorer.score.on(both)
    if scorer.known is not None:
        whole.believe(scorer.known)
    gained = whole.value(graph) - scorer.value(graph)
    return FamilyScores(directed_log_score(parents, kept, out), gained / rows, rows)


class Split(NamedTuple):
    """Rows to learn from, rows held out, and both together."""

    kept: Table
    out: Table
    both: Table


def split_rows(table: Table, seed: int, most: int | None = None, part: int = 0) -> Split:
    """Return four fifths of ``most`` rows, and the fifth ``part``: the same in whatever order rows come."""
    keys: list[NDArray[np.integer]] = [table.column(name) for name in sorted(table.names)]
    if table.weights is not None:
        keys.insert(0, table.weights.units)
    order = np.lexsort(keys)
    drawn = order[np.random.default_rng(seed).permutation(table.n_rows)]
    if table.weights is not None:
        drawn = drawn[table.weights.units[drawn] > 0]
    drawn = drawn[:most]
    cut = len(drawn) // HELD_OUT
    out = np.arange(len(drawn)) // max(1, cut) == part
    return Split(*(_rows(table, np.sort(rows)) for rows in (drawn[~out], drawn[out], drawn)))


def directed_log_score(parents: Sequence[Sequence[int]], kept: Table, out: Table) -> float:
    """Return the mean over rows held out of the sum over variables of log P(x | all others)."""
    families = [_Conditional(v, tuple(own), kept) for v, own in enumerate(parents)]
    children: list[list[int]] = [[] for _ in parents]
    for v, own in enumerate(parents):
        for p in own:
            children[p].append(v)
    columns = [out.column(v).astype(np.intp) for v in range(len(parents))]
    weights = np.ones(out.n_rows) if out.weights is None else out.weights.values
    total = []
    for v, codes in enumerate(columns):
        check_time()
        arity = out.variables[v].arity
        logits = np.zeros((arity, out.n_rows))
        for state in range(arity):
            now = [*columns[:v], np.full(out.n_rows, state), *columns[v + 1 :]]
            for family in (v, *children[v]):
                logits[state] += families[family].log_probabilities(now)
        most = logits.max(axis=0)
        norm = most + np.log(np.exp(logits - most).sum(axis=0))
        total.append(float(((logits[codes, np.arange(out.n_rows)] - norm) * weights).sum()))
    return math.fsum(total) / float(weights.sum())


class _Conditional:
    """The table of a variable given its parents."""

    def __init__(self, v: int, parents: tuple[int, ...], table: Table) -> None:
        self.v, self.parents = v, parents
        self._arities = [table.variables[p].arity for p in parents]
        r = table.variables[v].arity
        weights = None if table.weights is None else table.weights.values
        lines, at = np.unique(
            self._lines([table.column(p) for p in parents], table.n_rows), return_inverse=True
        )
        cells = np.bincount(at.reshape(-1) * r + table.column(v), weights, minlength=len(lines) * r)
        counts = cells.reshape(len(lines), r) + 1 / r
        self._known = lines
        # a configuration that was not met says nothing: the last line
        self._log = np.log(np.vstack([counts / counts.sum(axis=1, keepdims=True), np.full(r, 1 / r)]))

    def log_probabilities(self, columns: Sequence[NDArray[np.intp]]) -> Matrix:
        lines = self._lines([columns[p] for p in self.parents], len(columns[self.v]))
        at = np.minimum(np.searchsorted(self._known, lines), len(self._known) - 1)
        at[self._known[at] != lines] = len(self._known)
        found: Matrix = self._log[at, columns[self.v]]
        return found

    def _lines(self, columns: Sequence[NDArray[np.integer]], n: int) -> NDArray[np.int64]:
        line = np.zeros(n, dtype=np.int64)
        for column, arity in zip(columns, self._arities, strict=True):
            line = line * arity + column
        return line


def _rows(table: Table, at: NDArray[np.intp]) -> Table:
    weights = None if table.weights is None else Weights(table.weights.units[at], table.weights.unit)
    columns = tuple(None if column is None else column[at] for column in table.columns)
    return replace(table, columns=columns, n_rows=len(at), weights=weights)
