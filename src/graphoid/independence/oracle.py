"""A source that knows the true graph: independence is separation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.independence.questions import Resolver
from graphoid.logic.verdict import Verdict
from graphoid.structure.separation import separated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphoid.logic.source import Question
    from graphoid.structure.graph import UndirectedGraph


class Oracle:
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
        self._resolve = Resolver(graph.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in order of position."""
        return tuple(self.graph.names)

    def independent(self, x: int | str, y: int | str, given: Iterable[int | str] = ()) -> bool:
        """Answer one question."""
        return self.ask([(x, y, given)])[0].independent

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions, in order."""
        adjacency = self.graph.adjacency
        verdicts = []
        for question in questions:
            x, y, given = self._resolve(question)
            known = 0
            for z in given:
                known |= 1 << z
            verdicts.append(Verdict(x, y, given, separated(adjacency, x, y, known), source="oracle"))
        return verdicts
