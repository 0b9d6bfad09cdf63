"""Rules first, data second: answers what follows from earlier answers, and asks for the rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Protocol, cast

from graphoid.counts.native import kernels
from graphoid.errors import DataError
from graphoid.logic.axioms import RULES
from graphoid.logic.closure import AXIOMS, Closure
from graphoid.logic.knowledge import Knowledge
from graphoid.logic.names import Names
from graphoid.logic.sets import mask
from graphoid.logic.source import IndependenceSource, Question, SourceWrapper
from graphoid.logic.trace import Trace
from graphoid.logic.verdict import Fact, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


_NO_NUMBERS = (None, None, None, None, None, None, False)
"""What an inferred verdict has in the place of statistic, p-value and the like."""


CHECK_BELOW = 1e-6
"""The p-value up to which a dependence is beyond doubt on data: the 5,000 pairs of a hundred independent
variables have one in one of 200 tables. Any limit from 1e-10 to .001 is as good on alarm and the like."""


Answer = Verdict | Literal[False] | None
"""What follows; None if nothing does, and False for what is no question by positions."""


class Rules(Protocol):
    """Answers from earlier answers."""

    def answer(self, x: int | str, y: int | str, given: Iterable[int | str], /) -> Answer:
        """Return what follows, or None; False unless these are positions and a tuple of some."""

    def remember(self, verdicts: list[Verdict], /) -> None:
        """Take note of answers of the source."""

    def facts(self) -> list[Fact]:
        """Return all that is known."""


class Inferring(SourceWrapper):
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
    rules
        Who infers; :func:`one_step` if None.
    check_below
        Two variables whose first test given nothing has a p-value (a posterior odds of independence) of at
        most this are called independent only if a test of the two, given the same or less, was; rules about
        others are not enough. None infers as published.

    Notes
    -----
    The questions of one batch are answered from what was known before it; those left go to the source in one
    batch. So the initial tests of a learner, put to a new ``Inferring``, are all executed, and its knowledge
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

    def __init__(
        self, ci: IndependenceSource, rules: Rules | None = None, *, check_below: float | None = None
    ) -> None:
        self.source, self.names = ci, tuple(ci.names)
        self._resolve = Names(self.names).resolve
        self._rules = one_step(len(self.names)) if rules is None else rules
        self._begun = False
        self._strong = StrongPairs(check_below)

    def __getstate__(self) -> object:
        raise DataError(
            "an Inferring cannot be copied or pickled: what it knows lives in a kernel. Make another of its "
            "source."
        )

    @property
    def known(self) -> tuple[Fact, ...]:
        """All that is known so far: answers of the source and conclusions drawn from several of them."""
        return tuple(sorted(self._rules.facts()))

    def ask(self, questions: Sequence[Question]) -> list[Verdict]:
        """Answer many questions, in order: by a rule, or else by the source in one batch."""
        if not self._begun:  # nothing is known yet
            return self.execute(questions)
        verdicts: list[Verdict | None] = []
        left: list[Question] = []
        answer, doubts = self._rules.answer, self._strong.doubts
        for question in questions:
            verdict = answer(*question) if len(question) == 3 else False
            if verdict is False:
                question = self._resolve(question)  # noqa: PLW2901 - the same, in positions
                verdict = cast("Verdict | None", answer(*question))
            if verdict is not None and verdict.independent and doubts(verdict):
                verdict = None
            verdicts.append(verdict)
            if verdict is None:
                left.append(question)
        if not left:
            return cast("list[Verdict]", verdicts)
        answers = iter(self.execute(left))
        return [next(answers) if v is None else v for v in verdicts]

    def execute(self, questions: Sequence[Question]) -> list[Verdict]:
        """Put questions to the source, whatever the rules say, and remember the answers."""
        verdicts = self.source.ask(questions) if questions else []
        self._rules.remember(verdicts)
        self._strong.remember(verdicts)
        self._begun = True
        return verdicts


class StrongPairs:
    """Pairs that depend on each other beyond doubt, which no rule takes apart without a test of their own.

    ``below`` is the p-value, or the posterior odds of independence, up to which there is no doubt.
    """

    def __init__(self, below: float | None) -> None:
        self._limit = log_limit(below)
        self._separators: dict[frozenset[int], list[int]] = {}
        """Of every such pair, what was given where a test found it independent."""

    def remember(self, verdicts: Iterable[Verdict]) -> None:
        """Take note of tests."""
        if self._limit == -math.inf:
            return
        for v in verdicts:
            number = v.log_odds if v.log_p is None else v.log_p
            if v.independent:
                if (separators := self._separators.get(frozenset((v.x, v.y)))) is not None:
                    separators.append(mask(v.given))
            elif not v.given and number is not None and number <= self._limit:
                self._separators.setdefault(frozenset((v.x, v.y)), [])

    def doubts(self, v: Verdict) -> bool:
        """Say whether an inferred independence contradicts a strong dependence, and no test bears it out."""
        separators = self._separators.get(frozenset((v.x, v.y)))
        return separators is not None and not any(z & ~mask(v.given) == 0 for z in separators)


def log_limit(below: float | None) -> float:
    """Return the logarithm of a limit, of which there may be none."""
    return -math.inf if below is None else math.log(below)


def one_step(n: int) -> Rules:
    """Return the rules of :mod:`graphoid.logic.axioms` for ``n`` variables: compiled, where that is there."""
    native = kernels()
    if native is None:
        return OneStep(n)
    rules = tuple(name for name, _, _ in RULES)
    return cast("Rules", native.Inference(n, Verdict, Fact, rules, _NO_NUMBERS, Trace()))


class OneStep:
    """One backward step by the rules of :mod:`graphoid.logic.axioms`; the compiled kernel does the same."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._bit = {i: 1 << i for i in range(n)}
        self._known = Knowledge(n)
        self._last: tuple[tuple[int, ...], int] = ((), 0)

    def answer(self, x: int | str, y: int | str, given: Iterable[int | str], /) -> Answer:
        """Return what follows, or None; False unless these are positions and a tuple of some."""
        s = self.conditioning(x, y, given)
        if s < 0:
            return False
        x, y, given = cast("tuple[int, int, tuple[int, ...]]", (x, y, given))
        for name, independent, rule in RULES:
            found = rule(self._known, x, y, s)
            if found is not None:
                holds, because, verdict = found
                if len(because) > 1:  # a conclusion of Strong Union would say nothing new
                    self._known.add(Fact(x, y, holds, independent))
                elif holds == s and verdict is not None:  # asked before
                    return verdict._replace(x=x, y=y, given=given, source=name, because=because)
                return Verdict(x, y, given, independent, source=name, because=because)
        return None

    def remember(self, verdicts: list[Verdict]) -> None:
        """Take note of answers of the source."""
        for v in verdicts:
            self._known.add(Fact.of(v.x, v.y, v.given, independent=v.independent), v)

    def facts(self) -> list[Fact]:
        """Return all that is known."""
        return self._known.facts()

    def conditioning(self, x: object, y: object, given: object) -> int:
        """Return the mask of the conditioning set, or -1 unless all are different positions."""
        if not (isinstance(x, int) and isinstance(y, int) and isinstance(given, tuple)):
            return -1
        s = self._mask(given)
        if x == y or not (0 <= x < self._n and 0 <= y < self._n) or s < 0 or (s >> x | s >> y) & 1:
            return -1
        return s

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

    def __init__(
        self, ci: IndependenceSource, axioms: Collection[str] = AXIOMS, *, check_below: float | None = None
    ) -> None:
        super().__init__(ci, AllSteps(len(ci.names), axioms), check_below=check_below)


class AllSteps:
    """All that follows by the axioms of :mod:`graphoid.logic.closure`."""

    def __init__(self, n: int, axioms: Collection[str]) -> None:
        self._closure = Closure(n, axioms)
        self._given = OneStep(n)

    def answer(self, x: int | str, y: int | str, given: Iterable[int | str], /) -> Answer:
        """Return what is known to follow, or None; False unless these are positions."""
        s = self._given.conditioning(x, y, given)
        if s < 0:
            return False
        x, y, given = cast("tuple[int, int, tuple[int, ...]]", (x, y, given))
        found = self._closure.find(x, y, s)
        if found is None:
            return None
        independent, axiom, because = found
        return Verdict(x, y, given, independent, source=axiom, because=because)

    def remember(self, verdicts: list[Verdict]) -> None:
        """Take note of answers of the source, and draw all conclusions."""
        self._given.remember(verdicts)
        for v in verdicts:
            self._closure.add(v.x, v.y, mask(v.given), independent=v.independent)

    def facts(self) -> list[Fact]:
        """Return all that the source answered."""
        return self._given.facts()
