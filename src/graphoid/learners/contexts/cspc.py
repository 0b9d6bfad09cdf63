r"""CSPC: a canonical model by the PC search for a skeleton, in the context of every assignment.

Notes
-----
Readings of CSPC as [Edera2014]_ describes it: graphs are complete at first; for m = 0, 1, ... and every a and
b in the order of the columns that are still joined, contexts of m of a's neighbors at that moment, b left
out, are tried in lexicographic order until one makes a and b independent; then the edge goes, at once. Either
direction of a pair is visited. It ends when no variable has enough neighbors left.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.learners.contexts.base import Blankets, CanonicalGraphs, CanonicalLearner, context_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.independence.contexts import ContextTester, PlainContexts
    from graphoid.progress import Listener


def pc_strategy(ci: PlainContexts, assignment: Sequence[int]) -> Blankets:
    """Return the canonical graph of one assignment by the PC search."""
    nodes = range(len(assignment))
    neighbors: Blankets = {a: {b for b in nodes if b != a} for a in nodes}
    m = 0
    while any(len(neighbors[a]) > m for a in nodes):
        for a in nodes:
            for b in sorted(neighbors[a]):
                for given in combinations(sorted(neighbors[a] - {b}), m):
                    if ci.independent(a, b, context_of(assignment, given)):
                        neighbors[a].discard(b)
                        neighbors[b].discard(a)
                        break
        m += 1
    return neighbors


def cspc(ci: ContextTester, graphs: CanonicalGraphs, progress: Listener | None = None) -> None:
    """Learn the canonical graphs of all assignments: the same steps, taken by all of them together."""
    rounds = list(product(range(len(ci.names) - 1), graphs.nodes))
    for m, a in graphs.rounds(rounds, "contexts of growing size", progress):
        if a == 0 and graphs.adjacency.sum(axis=2).max() <= m:
            break
        for b in graphs.others(a):
            for neighbors, at in graphs.by_blanket(a, graphs.adjacency[:, a, b]):
                rest = [w for w in neighbors if w != b]
                graphs.part(a, b, separable(ci, a, b, combinations(rest, m), at))


def separable(
    ci: ContextTester, a: int, b: int, contexts: Iterable[tuple[int, ...]], at: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return those of the assignments that find a context in which a and b are independent."""
    found, left = [], at
    for given in contexts:
        independent = ci.independent(a, b, given, left)
        found.append(left[independent])
        left = left[~independent]
        if not left.size:
            break
    return np.concatenate([at[:0], *found])


@dataclass(kw_only=True, eq=False)
class CSPC(CanonicalLearner):
    r"""CSPC, the context-specific PC learner, as [Edera2014]_ compares it with CSGS.

    Every distinct row :math:`x^i` of the data is a canonical assignment with a graph of its own, complete at
    first. An edge goes when the row has a context among the neighbors of either end, tried smallest first, in
    which the ends are independent. The result is a :class:`~graphoid.CanonicalModel`.

    Questions are counted as in :class:`~graphoid.CSGS`; in the worst case their number grows exponentially
    with that of the variables.

    Parameters
    ----------
    test
        As for :class:`~graphoid.CSGS`.
    seconds
        Stop after so much time, with the graphs as they are then; ``stopped`` is "budget".
    start
        As for :class:`~graphoid.CSGS`.

    See Also
    --------
    CSGS : asks less.

    Examples
    --------
    >>> import graphoid as gd
    >>> table = gd.datasets.context_model(4, rng=0).sample(5_000, random_state=0)
    >>> gd.CSPC().fit(table).structure_.cost.n_tests > gd.CSGS().fit(table).structure_.cost.n_tests
    True
    """

    complete: ClassVar[bool] = True

    def _search(self, ci: ContextTester, graphs: CanonicalGraphs, progress: Listener | None) -> None:
        cspc(ci, graphs, progress)
