"""Rules first, data second: answers what follows from earlier answers, and asks for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.independence.questions import Resolver
from graphoid.logic.axioms import RULES
from graphoid.logic.closure import AXIOMS, Closure
from graphoid.logic.knowledge import Knowledge
from graphoid.logic.sets import mask
from graphoid.logic.verdict import Fact, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from graphoid.logic.source import IndependenceSource, Question

_NO_NUMBERS = (None, None, None, None, None, None, False)
"""What an inferred verdict has in the place of statistic, p-value and the like."""

_Asked = tuple[int, int, tuple[int, ...], int]
"""x, y, given, and the mask of given."""


class Inferring:
    r"""Wraps any source of answers and infers what it can from the answers so far.

    Algorithm 5 of [Bromberg2009]_ without its propagation: D-SU, D-triangle, I-SU and I-triangle are tried in
    this order (:mod:`graphoid.logic.axioms`), one backward step each; what none of them answers is asked of
    the source and remembered. A conclusion of a triangle rule is remembered too.

    A verdict that was inferred has the name of the rule as its ``source``, and what the rule followed from in
    ``because``. If the same was asked before, it has the numbers of that answer too.

    Parameters
    ----------
    ci
        Who is asked if no rule has the answer.

    Notes
    -----
    The questions of one batch are answered from what was known before it; those left go to the source in one
    trip. So the initial tests of a learner, put to a new ``Inferring``, are all executed, and its knowledge
    starts with them.

    The rules hold for distributions faithful to an undirected graph. On data an error of the source spreads
    to what is inferred from it.

    Examples
    --------
    >>> import graphoid as gd
    >>> ci = gd.Inferring(gd.Oracle(gd.UndirectedGraph(3, [(0, 1), (1, 2)])))
    >>> ci.independent(0, 1, given=[2]), ci.independent(1, 2)
    (False, False)
    >>> print(ci.ask([(0, 2, ())])[0])
    0 ~ 2  (D-triangle from 0 ~ 1 | 2 and 1 ~ 2)
    """

    def __init__(self, ci: IndependenceSource) -> None:
        self.source = ci
        self._names = tuple(ci.names)
        self._resolve = Resolver(self._names)
        self._n = len(self._names)
        self._bit = {i: 1 << i for i in range(self._n)}
        self._known = Knowledge(self._n)
        self._last: tuple[tuple[int, ...], int] = ((), 0)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in order of position."""
        return self._names

    @property
    def known(self) -> tuple[Fact, ...]:
        """All that is known so far, by pair: answers of the source and conclusions of the triangle rules."""
        return tuple(self._known.facts())

    def independent(self, x: int | str, y: int | str, given: Iterable[int | str] = ()) -> bool:
        """Answer one question."""
        return self.ask([(x, y, given)])[0].independent

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions, in order: by a rule, or else by the source in one trip."""
        if len(questions) == 1:
            x, y, given, s = self._positions(questions[0])
            verdict = self._inferred(x, y, given, s)
            if verdict is None:
                (verdict,) = self.source.ask([(x, y, given)])
                self._remember(verdict, s)
            return [verdict]
        many = [self._positions(question) for question in questions]
        nothing: list[Verdict | None] = [None] * len(many)
        verdicts = [self._inferred(*asked) for asked in many] if self._known else nothing
        answers = iter(self._tested([q for q, v in zip(many, verdicts, strict=True) if v is None]))
        return [next(answers) if v is None else v for v in verdicts]

    def execute(self, questions: Sequence[Question]) -> list[Verdict]:
        """Put questions to the source, whatever the rules say, and remember the answers."""
        return self._tested([self._positions(question) for question in questions])

    def _inferred(self, x: int, y: int, given: tuple[int, ...], s: int) -> Verdict | None:
        """Return what follows by one step from what is known, or None."""
        known = self._known
        for name, independent, rule in RULES:
            found = rule(known, x, y, s)
            if found is not None:
                holds, because, verdict = found
                if len(because) > 1:  # a conclusion of Strong Union would say nothing new
                    known.add(tuple.__new__(Fact, (x, y, holds, independent)))
                elif holds == s and verdict is not None:  # asked before
                    return verdict._replace(x=x, y=y, given=given, source=name, because=because)
                return tuple.__new__(Verdict, (x, y, given, independent, *_NO_NUMBERS, name, because))
        return None

    def _tested(self, questions: list[_Asked]) -> list[Verdict]:
        """Ask the source in one trip and remember its answers."""
        if not questions:
            return []
        verdicts = self.source.ask([question[:3] for question in questions])
        for verdict, question in zip(verdicts, questions, strict=True):
            self._remember(verdict, question[3])
        return verdicts

    def _remember(self, verdict: Verdict, s: int) -> None:
        self._known.add(tuple.__new__(Fact, (verdict[0], verdict[1], s, verdict[3])), verdict)

    def _positions(self, question: Question) -> _Asked:
        """Return x, y and given as positions, and the mask of given.

        What a learner asks is recognized in a few steps; all else is for the resolver to accept or refuse.
        """
        if len(question) == 3:
            x, y, given = question
            if type(x) is int and type(y) is int and type(given) is tuple:
                s = self._mask(given)
                if x != y and 0 <= x < self._n and 0 <= y < self._n and s >= 0 and not (s >> x | s >> y) & 1:
                    return x, y, given, s
        x, y, given = self._resolve(question)
        return x, y, given, mask(given)

    def _mask(self, given: tuple[int, ...]) -> int:
        """Return the mask of a conditioning set, or -1 if its members are not different positions."""
        last, s = self._last
        if given is last:  # a learner asks about many variables given the same set, or one that grew by one
            return s
        try:
            bit = self._bit
            s = s | bit[given[-1]] if given[:-1] == last and given else sum(map(bit.__getitem__, given))
        except (TypeError, LookupError):  # names, or no positions
            return -1
        if s.bit_count() < len(given):
            return -1
        self._last = (given, s)
        return s


class Chaining(Inferring):
    r"""Wraps any source of answers and infers all that follows from them, by forward chaining.

    Algorithm 6 of [Bromberg2009]_: after every answer all conclusions of Strong Union, Transitivity and
    Intersection over single variables are drawn (:mod:`graphoid.logic.closure`). For few variables only.

    Parameters
    ----------
    ci
        Who is asked if the answer is not known.
    axioms
        Names of the axioms used.

    Examples
    --------
    >>> import graphoid as gd
    >>> ci = Chaining(gd.Oracle(gd.UndirectedGraph(3, [(0, 1), (1, 2)])))
    >>> ci.independent(0, 1, given=[2]), ci.independent(1, 2)
    (False, False)
    >>> print(ci.ask([(0, 2, ())])[0])
    0 ~ 2  (Transitivity from 1 ~ 2 and 0 ~ 1)
    """

    def __init__(self, ci: IndependenceSource, axioms: Collection[str] = AXIOMS) -> None:
        super().__init__(ci)
        self._closure = Closure(self._n, axioms)

    def _inferred(self, x: int, y: int, given: tuple[int, ...], s: int) -> Verdict | None:
        """Return what is known to follow, or None."""
        found = self._closure.find(x, y, s)
        if found is None:
            return None
        independent, axiom, because = found
        return Verdict(x, y, given, independent, source=axiom, because=because)

    def _remember(self, verdict: Verdict, s: int) -> None:
        super()._remember(verdict, s)
        self._closure.add(verdict.x, verdict.y, s, independent=verdict.independent)
