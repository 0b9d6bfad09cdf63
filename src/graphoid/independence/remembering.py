"""Answers of an earlier run, so that nothing is paid for twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphoid.independence.questions import Resolver
from graphoid.logic.source import rows_per_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphoid.logic.source import IndependenceSource, Question
    from graphoid.logic.verdict import Verdict


class Remembering:
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
        self._ci = ci
        self._resolve = Resolver(ci.names)
        self._known = {_key(v.x, v.y, v.given): v for v in known if v.source in ("test", "oracle")}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in order of position."""
        return self._ci.names

    @property
    def test(self) -> Any:
        """The test of who answers, or None."""
        return getattr(self._ci, "test", None)

    def independent(self, x: int | str, y: int | str, given: Iterable[int | str] = ()) -> bool:
        """Answer one question."""
        return self.ask([(x, y, given)])[0].independent

    def rows_per_cell(self, variables: Sequence[int]) -> float:
        """Return how many rows there are for each cell of a table."""
        return rows_per_cell(self._ci, variables)

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer questions in order: from memory where possible, and the others in one trip."""
        asked = [self._resolve(question) for question in questions]
        new = [question for question in asked if _key(*question) not in self._known]
        self._known.update((_key(v.x, v.y, v.given), v) for v in (self._ci.ask(new) if new else []))
        return [self._known[_key(x, y, given)]._replace(x=x, y=y, given=given) for x, y, given in asked]


def _key(x: int, y: int, given: Sequence[int]) -> tuple[int, int, frozenset[int]]:
    """Return what a question is about, in whatever words."""
    return min(x, y), max(x, y), frozenset(given)
