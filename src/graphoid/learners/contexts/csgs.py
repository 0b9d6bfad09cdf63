r"""CSGS: a canonical model by growing and shrinking blankets in the context of every assignment.

Names in the paper and here: :math:`x^i` is ``assignment``, :math:`G(x^i)` one of ``graphs``,
:math:`MB(a : G(x^i))` is ``blanket``, :math:`\mathcal{X}` the assignments of ``ci``.

Notes
-----
Readings of Algorithm 2 of [Edera2014]_: one grow and one shrink pass for each node; nodes and candidates in
the order of the columns, on which the result depends therefore; the candidates of a loop are those when it
begins, the blanket that is given is the one at the moment of asking. An edge belongs to both of its ends.

Going through the candidates once departs from the grow-shrink algorithm itself ([Margaritis2000]_), whose
blankets grow as long as anyone outside depends: what the first questions cannot see, as the blanket is still
small, is not asked again. ``repeat`` goes on as that algorithm does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.learners.contexts.base import Blankets, CanonicalGraphs, CanonicalLearner, context_of
from graphoid.limits import within_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.independence.contexts import ContextTester, PlainContexts
    from graphoid.progress import Listener


def gs_strategy(ci: PlainContexts, assignment: Sequence[int], *, repeat: bool = False) -> Blankets:
    """Return the canonical graph of one assignment: Algorithm 2, word by word (unless it is to repeat)."""
    nodes = range(len(assignment))
    blankets: Blankets = {a: set() for a in nodes}
    for a in nodes:
        # Grow phase
        growing = True
        while growing:
            outside = [b for b in nodes if b != a and b not in blankets[a]]
            for b in outside:
                if not ci.independent(a, b, context_of(assignment, blankets[a])):
                    blankets[a].add(b)
                    blankets[b].add(a)
            growing = repeat and not blankets[a].isdisjoint(outside)
        # Shrink phase
        for b in sorted(blankets[a]):
            if ci.independent(a, b, context_of(assignment, blankets[a] - {b})):
                blankets[a].discard(b)
                blankets[b].discard(a)
    return blankets


def csgs(
    ci: ContextTester, graphs: CanonicalGraphs, progress: Listener | None = None, *, repeat: bool = False
) -> None:
    """Learn the canonical graphs of all assignments: the same steps, taken by all of them together."""
    for a in graphs.rounds(graphs.nodes, "growing and shrinking blankets", progress):
        # Grow phase
        growing = np.ones(len(ci.assignments), dtype=bool)
        while growing.any():
            outside = ~graphs.neighbors(a) & growing[:, None]
            for b in within_time(graphs.others(a)):
                for blanket, at in graphs.by_blanket(a, outside[:, b]):
                    graphs.join(a, b, at[~ci.independent(a, b, blanket, at)])
            growing[:] = (outside & graphs.neighbors(a)).any(axis=1) & repeat
        # Shrink phase
        inside = graphs.neighbors(a)
        for b in graphs.others(a):
            for blanket, at in graphs.by_blanket(a, inside[:, b]):
                rest = [w for w in blanket if w != b]
                graphs.part(a, b, at[ci.independent(a, b, rest, at)])


@dataclass(kw_only=True, eq=False)
class CSGS(CanonicalLearner):
    r"""CSGS, the context-specific grow-shrink learner ([Edera2014]_, Algorithms 1 and 2).

    Every distinct row :math:`x^i` of the data is a canonical assignment with a graph of its own, empty at
    first. Variable after variable, its blanket is grown by every variable that depends on it in the context
    that :math:`x^i` gives the blanket so far, and shrunk by every member that does not in the context of the
    others. The result is a :class:`~graphoid.CanonicalModel`.

    A question is :math:`I(X_a, X_b \mid x_W)`: the test of X and Y among the rows that agree with
    :math:`x_W`. Every graph asks its own, and ``cost.n_tests`` counts them as the paper does; ``n_distinct``
    counts the different ones. With A assignments of n variables there are at most :math:`2 A n (n-1)`, unless
    the grow phase repeats.

    Parameters
    ----------
    test
        A :class:`~graphoid.ChiSquare` (if None), :class:`~graphoid.GTest` or
        :class:`~graphoid.BayesianTest`. In a context, states that do not occur cost no degrees of freedom,
        and what does not vary is independent.
    seconds
        Stop after so much time, with the graphs as they are then; ``stopped`` is "budget".
    start
        What was kept of a run that Ctrl-C ended (the ``structure`` of the
        :class:`~graphoid.errors.Interrupted`), to go on from: only the node at hand is asked about again.
        ``cost`` is that of both runs; a question asked in both counts twice among the different ones.
    repeat
        Whether a blanket grows until no one outside depends, instead of once through the candidates as in the
        paper. Takes a few more questions and finds edges that a blanket still incomplete hides: with a weak
        switch, divergences several times smaller ("The experiments behind CSGS" has the figures).

    See Also
    --------
    CSPC : asks more, with smaller contexts.

    Examples
    --------
    Pairs depend on each other where variable 0 is 0, and not where it is 1:

    >>> import graphoid as gd
    >>> table = gd.datasets.context_model(4, rng=0).sample(5_000, random_state=0)
    >>> model = gd.CSGS().fit(table).structure_
    >>> model.graph_for([1, 0, 0, 0]).has_edge(1, 2), model.graph_for([0, 0, 0, 0]).has_edge(1, 2)
    (False, True)

    What the graphs say in words, with the rows behind it and how probable it is. A table of two by two needs
    many rows to exclude a weak dependence:

    >>> for found in model.independences(undecided=True):
    ...     print(f"{found} ({found.evidence})")
    given 0 = 1, 1 tells nothing about 2; elsewhere it does (2,824 rows, undecided: 0.580)
    given 0 = 1, 1 tells nothing about 3; elsewhere it does (2,824 rows, undecided: 0.569)
    given 0 = 1, 2 tells nothing about 3; elsewhere it does (2,824 rows, undecided: 0.597)
    """

    repeat: bool = False

    complete: ClassVar[bool] = False

    def _search(self, ci: ContextTester, graphs: CanonicalGraphs, progress: Listener | None) -> None:
        csgs(ci, graphs, progress, repeat=self.repeat)
