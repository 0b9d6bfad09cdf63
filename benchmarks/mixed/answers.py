"""What a method says of a table, how right that is, and how many CPU seconds it took."""

from __future__ import annotations

import resource
import time
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    import graphoid as gd

    Matrix = NDArray[np.float64]
    Edge = tuple[int, int]


class Answer(NamedTuple):
    """How strongly every pair is believed to be joined, and which pairs are."""

    score: Matrix | None
    edges: frozenset[Edge] | None


class Measured(NamedTuple):
    """One answer held against the truth."""

    value: float
    """F1, or the area under the curve."""
    seconds: float
    """CPU time, that of processes started included."""


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it has waited for."""
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + child.ru_utime + child.ru_stime


def measure(
    method: Callable[[gd.Table], Answer], table: gd.Table, value: Callable[[Answer], float]
) -> Measured:
    """Let a method answer, and hold it against the truth."""
    start = cpu_seconds()
    answer = method(table)
    taken = cpu_seconds() - start
    return Measured(value(answer), taken)


def f1(answer: Answer, graph: gd.UndirectedGraph) -> float:
    """Return the F1 of the edges."""
    found, true = answer.edges or frozenset(), set(graph.edges)
    return 2 * len(true & found) / (len(true) + len(found)) if true or found else 1.0


def auc(answer: Answer, graph: gd.UndirectedGraph) -> float:
    """Return the probability that an edge is ranked above a pair that is none."""
    if answer.score is None:
        raise ValueError("this method ranks no pairs")
    above = np.triu_indices(graph.n, 1)
    true = np.zeros((graph.n, graph.n), bool)
    for edge in graph.edges:
        true[edge] = True
    ranks, hits = rankdata(answer.score[above]), true[above]
    n_true, n_false = hits.sum(), (~hits).sum()
    return float((ranks[hits].sum() - n_true * (n_true + 1) / 2) / (n_true * n_false))


def joined(matrix: NDArray[np.bool_]) -> frozenset[Edge]:
    """Return the pairs of a symmetric matrix that are true."""
    return frozenset(pair for pair in combinations(range(len(matrix)), 2) if matrix[pair])


def symmetric(n: int, rows: Iterable[tuple[int, int, float]]) -> Matrix:
    """Return a matrix from entries for pairs."""
    matrix = np.zeros((n, n))
    for x, y, value in rows:
        matrix[x, y] = matrix[y, x] = value
    return matrix


def numbers(table: gd.Table, v: int) -> NDArray[np.float64]:
    """Return a column as numbers; the codes, where its states are not."""
    variable = table.variables[v]
    if not variable.continuous and any(isinstance(state, str) for state in variable.states):
        return table.column(v).astype(float)
    return table.numbers(v)


def rank_normal(table: gd.Table) -> Matrix:
    """Return standardized normal scores of the ranks, ties sharing theirs."""
    scores = np.column_stack(
        [ndtri(rankdata(numbers(table, v)) / (table.n_rows + 1)) for v in range(len(table.variables))]
    )
    scores -= scores.mean(axis=0)
    spread = scores.std(axis=0)
    return scores / np.where(spread > 0, spread, 1.0)
