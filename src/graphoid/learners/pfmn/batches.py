r"""Several questions at once, where an access to the data costs more than a test.

Each is the best one beside those chosen before it. The answers to these divide the population into groups
that nothing chosen tells apart, and a question is worth the entropy of its answer within the groups,

.. math:: H(Y \mid Y_1, \ldots, Y_j) = \sum_g \frac{n_g}{n} H(Y \mid g)

for its price: one whose answer another of the batch would give is worth next to nothing. Nor is a question
asked whose answer would follow if the others were answered as the population expects.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from graphoid.logic.verdict import Fact

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.learners.pfmn.population import Query
    from graphoid.learners.pfmn.proofs import Bounds


class Expected:
    """What a population expects to be answered, and what is left to ask if it is.

    Parameters
    ----------
    apart
        A line for each candidate: which graphs of the population separate its two variables.
    bounds
        What is proved.
    """

    def __init__(self, apart: NDArray[np.bool_], bounds: Bounds) -> None:
        self._apart, self._bounds = apart, bounds
        self._group = np.zeros(apart.shape[1], dtype=np.int64)
        self._chosen: set[Query] = set()

    def add(self, test: Query, at: int) -> None:
        """Choose a question, the candidate of that place."""
        own = self._apart[at]
        self._group = np.unique(2 * self._group + own, return_inverse=True)[1].reshape(-1)
        self._chosen.add(test)
        fact = Fact(test.x, test.y, test.given, 2 * int(own.sum()) > len(own))
        self._bounds = self._bounds.add(fact)

    def leaves_open(self, test: Query) -> bool:
        """Return whether a question is another than those chosen, and does not follow from them."""
        return test not in self._chosen and self._bounds.answer(*test) is None

    def information(self) -> NDArray[np.float64]:
        """Return the entropy of every candidate's answer if those to the chosen ones are known, in nats."""
        size = self._apart.shape[1]
        order = np.argsort(self._group, kind="stable")
        sizes = np.bincount(self._group)
        firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        counts = np.add.reduceat(self._apart[:, order], firsts, axis=1, dtype=np.int64)
        found = np.zeros(len(self._apart))
        for n, apart in zip(sizes.tolist(), counts.T, strict=True):
            found += _entropies(n, size)[np.minimum(apart, n - apart)]
        return found


def _entropies(n: int, size: int) -> NDArray[np.float64]:
    """Return the entropy of an answer by how many of n graphs give the rarer one, times their share.

    Half a graph of all on either side is spread over them: a population that agrees may still be wrong.
    """
    rarer = ((k * size + n / 2) / (n * (size + 1)) for k in range(n // 2 + 1))
    return np.array([n / size * binary_entropy(p) for p in rarer])


def binary_entropy(p: float) -> float:
    """Return the entropy of an answer, in nats."""
    return -(p * math.log(p) + (1 - p) * math.log1p(-p))
