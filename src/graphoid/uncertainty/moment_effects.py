"""Edge weights by second moments alone: partial correlations of columns whose rows stay at their source."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.moments import whiten
from graphoid.regression.sums import sum_engine
from graphoid.structure.effect import Effect
from graphoid.uncertainty.effects import NORMAL_95, signed_effect, size_interval, smaller_blanket

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.remote.table import RemoteTable
    from graphoid.structure.graph import Edge, UndirectedGraph

    Matrix = NDArray[np.float64]


class _Left(NamedTuple):
    """Covariances of the columns of two variables that what is given leaves."""

    x: Matrix
    y: Matrix
    across: Matrix
    rows: float
    """Less a column of what is given each."""


class MomentEffects:
    """Effects of pairs given the rest of the smaller blanket, from the second moments of all columns.

    Parameters
    ----------
    graph
        What is given: the blankets of both.
    table
        Whose rows stay at their source.
    """

    def __init__(self, graph: UndirectedGraph, table: RemoteTable) -> None:
        self._graph, self._variables = graph, table.variables
        self._moments = sum_engine(table).moments()

    def estimate(self, pair: Edge) -> tuple[Effect, float] | None:
        r"""Return the effect of a pair and its bits; None where too little is left of either.

        Of one column each, the partial correlation, with the interval of its :math:`\operatorname{artanh}`.
        Of more, squared canonical correlations add up; by chance, to one for a row and two columns.
        """
        left = self._left(pair)
        turns = [whiten(part) for part in (left.x, left.y)]
        if not all(len(turn) for turn in turns) or left.rows <= 3:
            return None
        correlations = turns[0] @ left.across @ turns[1].T
        squares = np.minimum(np.linalg.svd(correlations, compute_uv=False) ** 2, 1 - 1e-12)
        bits = -0.5 * float(np.log2(1 - squares).sum())
        if correlations.shape == (1, 1):
            # of two states the second counts as more, and the contrast of the first is the positive one
            sign = math.copysign(1.0, left.across[0, 0]) * math.prod(
                -1.0 if self._variables[v].arity == 2 else 1.0 for v in pair
            )
            z, error = sign * math.atanh(math.sqrt(squares[0])), left.rows**-0.5
            ends = (math.tanh(z + k * NORMAL_95 * error) for k in (0.0, -1.0, 1.0))
            return signed_effect(*ends), bits
        squared, bias = float(squares.sum()), correlations.size / left.rows
        low, high = size_interval(squared, bias, 1 / left.rows)
        size = math.sqrt(max(0.0, squared - bias))
        bits = max(0.0, bits - bias / (2 * math.log(2)))
        return Effect(size, min(size, math.sqrt(low)), max(size, math.sqrt(high))), bits

    def _left(self, pair: Edge) -> _Left:
        given = smaller_blanket(self._graph, pair, self._variables)
        own = [self._columns([v]) for v in pair]
        others = self._columns(given)
        every = [*own[0], *own[1]]
        c = self._moments.main_covariance
        left = c[np.ix_(every, every)]
        if others:
            across = c[np.ix_(others, every)]
            left = left - across.T @ np.linalg.pinv(c[np.ix_(others, others)]) @ across
        p, rows = len(own[0]), self._moments.n_rows - len(others) - 3
        return _Left(left[:p, :p], left[p:, p:], left[:p, p:], rows)

    def _columns(self, variables: Sequence[int]) -> list[int]:
        first = self._moments.first.tolist()
        return [i for v in variables for i in range(first[v], first[v + 1])]
