"""Answers of an earlier run, so that nothing is paid for twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.independence.base import HasTest, Test
from graphoid.logic.names import Names
from graphoid.logic.source import IndependenceSource, Question, SourceWrapper

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphoid.logic.verdict import Verdict


class Remembering(SourceWrapper):
    """Wraps any source of answers and does not ask it what is known already.

    Parameters
    ----------
    ci
        Who answers the rest.
    known
        Verdicts by the same test on the same data. Those that a rule inferred are left out: rules infer them
        again.

    Examples
    --------
    >>> import graphoid as gd
    >>> ledger = gd.Ledger(gd.Oracle(gd.UndirectedGraph(3, [(0, 1)])))
    >>> known = ledger.ask([(0, 2, [1])])
    >>> Remembering(ledger, known).independent(2, 0, given=[1]), ledger.n_tests
    (True, 1)
    """

    def __init__(self, ci: IndependenceSource, known: Iterable[Verdict]) -> None:
        self.source, self.names = ci, tuple(ci.names)
        self._resolve = Names(self.names).resolve
        self._known = {_key(v.x, v.y, v.given): v for v in known if v.source in ("test", "oracle")}

    @property
    def test(self) -> Test | None:
        """The test of who answers, or None."""
        return self.source.test if isinstance(self.source, HasTest) else None

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer questions in order: from memory where possible, and the others in one batch."""
        resolved = [self._resolve(question) for question in questions]
        new = [question for question in resolved if _key(*question) not in self._known]
        self._known.update((_key(v.x, v.y, v.given), v) for v in (self.source.ask(new) if new else []))
        return [self._known[_key(x, y, given)]._replace(x=x, y=y, given=given) for x, y, given in resolved]


def _key(x: int, y: int, given: Sequence[int]) -> tuple[int, int, frozenset[int]]:
    """Return what a question is about, in whatever words."""
    return min(x, y), max(x, y), frozenset(given)
