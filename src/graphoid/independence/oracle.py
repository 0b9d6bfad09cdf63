"""A source that knows the true graph: independence is separation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.logic.names import Names
from graphoid.logic.sets import mask
from graphoid.logic.source import BatchSource, Question
from graphoid.logic.verdict import Verdict, name_verdicts
from graphoid.structure.separation import separated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.structure.graph import UndirectedGraph


class Oracle(BatchSource):
    """Answers from a known graph, without error and without data.

    Examples
    --------
    >>> import graphoid as gd
    >>> chain = gd.UndirectedGraph(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> ci = gd.Oracle(chain)
    >>> ci.independent("a", "c"), ci.independent("a", "c", given=["b"])
    (False, True)
    """

    def __init__(self, graph: UndirectedGraph) -> None:
        self.graph = graph
        self.names = tuple(graph.names)
        self._resolve = Names(graph.names).resolve

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions, in order."""
        adjacency = self.graph.adjacency
        verdicts = []
        for question in questions:
            x, y, given = self._resolve(question)
            apart = separated(adjacency, x, y, mask(given))
            verdicts.append(Verdict(x, y, given, apart, source="oracle"))
        return name_verdicts(verdicts, self.names)
