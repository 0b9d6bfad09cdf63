"""GSMN*: the Markov network from the Markov blankets of its variables, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphoid.learners.base import IndependenceLearner, Questions
from graphoid.learners.grow_shrink import grow_shrink
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from graphoid.logic.source import IndependenceSource


def gsmn(
    ci: IndependenceSource | Questions, *, propagate: bool = True, skip_independent: bool = False
) -> UndirectedGraph:
    """Return the graph that joins each variable to the members of its blanket (Algorithm 3, lines 10-40).

    Exact if the answers are those of a distribution faithful to an undirected graph.
    """
    questions = ci if isinstance(ci, Questions) else Questions(ci)
    blankets = grow_shrink(questions, propagate=propagate, skip_independent=skip_independent)
    return UndirectedGraph.from_blankets(blankets, questions.names, rule="either")


@dataclass(kw_only=True, eq=False)
class GSMN(IndependenceLearner):
    r"""GSMN*, the grow-shrink Markov network learner ([Bromberg2009]_, section 4.2).

    First every pair is tested unconditionally, in one batch. Variables are then examined, beginning with the
    one of the strongest dependences. The blanket of each is grown by every variable that depends on it given
    the blanket so far, strongest first, and shrunk by every member that does not depend on it given the rest.

    With n variables it executes :math:`O(n^2)` tests. The cost of a test is 2 + ``|given|``, also where it
    repeats an initial one.

    Parameters
    ----------
    test
        The independence test for :meth:`fit`; ``ChiSquare()`` if None.
    propagate
        Take over from variables already examined whether they have this one in their blanket, and do not ask
        again.
    skip_independent
        Do not ask about pairs found independent unconditionally, in reliance on Strong Union (line 22 of
        Algorithm 3).

    Notes
    -----
    Readings of the paper are listed in :mod:`graphoid.learners.grow_shrink`. On data the learner inherits
    every error of a test: an early false dependence enlarges all later conditioning sets.

    Examples
    --------
    >>> import graphoid as gd
    >>> chain = gd.UndirectedGraph(["rain", "wet", "slippery"], [("rain", "wet"), ("wet", "slippery")])
    >>> found = gd.GSMN().learn(gd.Oracle(chain))
    >>> found.graph == chain
    True
    >>> found.cost.n_tests, found.cost.weighted
    (8, 19)
    """

    propagate: bool = True
    skip_independent: bool = False

    def _search(self, questions: Questions) -> tuple[UndirectedGraph, int]:
        n = len(questions.names)
        graph = gsmn(questions, propagate=self.propagate, skip_independent=self.skip_independent)
        return graph, n * (n - 1) // 2
