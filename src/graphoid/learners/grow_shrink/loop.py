r"""The grow-shrink loop: Algorithm 3 of [Bromberg2009]_, shared by GSMN* and the learners built on it.

For every variable X the loop learns a Markov blanket S: it grows S by each variable that depends on X given
the S so far, and shrinks it by each that does not depend on X given the rest. Who answers the questions is
not its concern: data, an oracle, or rules that know the answer already.

Names in the paper and here: :math:`\pi` is ``order``, :math:`\lambda_X` is ``candidates``, S is
``blanket``, :math:`\log p_{XY}` is ``strength[x][y]``; T and F are the keys of ``known``, whose values answer
"are they independent?" with False and True.

Notes
-----
Readings of points that the paper leaves open or that were lost in print:

- Line 16: members of T keep their place in the grow order; moving them would contradict Fig. 5.
- Line 22 is a setting, ``skip_independent``; line 23 lost its "not".
- Lines 26-28: X first, then S from the last but one down to the first, come to the front of Y's grow
  order, which gives the [3, 4, 6, 5, 2, 0, 1] of Fig. 5.
- Lines 29-33 come once, after the grow loop.
- A grow test is executed even when it repeats an initial one.
- Ties are broken by name, so that the result does not depend on the order of the columns.

Beyond the paper: ``rule``, ``max_given`` and ``regrow``; see :class:`~graphoid.GSMN`.

The loop is a generator. It yields batches, lists of questions (x, y, given); is sent the verdicts on them, in
order; and returns the blankets. :meth:`graphoid.learners.questions.Questions.run` drives it to its end. Who
wants to see each question before it is asked, or to stop in between, steps it:

>>> steps = grow_shrink(3)
>>> batch = next(steps)
>>> [*batch]
[(0, 1, ()), (0, 2, ()), (1, 2, ())]
>>> steps.send([Verdict(x, y, given, independent=True) for x, y, given in batch])
[(0, 1, ())]
"""

from __future__ import annotations

import math
from array import array
from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Literal

from graphoid.counts.engine import refuse_many_variables
from graphoid.learners.questions import AllPairs, Ask, Executed, Steps
from graphoid.logic.verdict import Verdict
from graphoid.structure.knowledge import KNOWLEDGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


CERTAIN = 1e9
"""The evidence of an answer without a number; finite, so that two that contradict each other cancel out."""

Matrix = Sequence[MutableSequence[float]]
Blanket = tuple[int, ...]
Rule = Literal["either", "both"]
Promoted = dict[int, list[list[int]]]
"""Who is put first in the grow orders of variables that are yet to be examined, one time after the other: of
thousands of variables all grow orders at once would take much memory."""

BYTES_A_PAIR = 110.0
"""What is kept of each pair: the first answer and that from either end, as columns, and its strength."""


def ignore(*_: object) -> None:
    """Hear, and do nothing."""


def grow_shrink(
    n: int,
    *,
    propagate: bool = True,
    skip_independent: bool = False,
    rule: Rule = "either",
    max_given: int | None = None,
    regrow: int = 0,
    rank: Sequence[int] = (),
    note: Callable[[Verdict], object] = ignore,
    tell: Callable[[str, int, int], object] = ignore,
) -> Steps[dict[int, Blanket]]:
    """Yield questions, receive verdicts, and return the Markov blanket of each of ``n`` variables.

    Parameters
    ----------
    n
        How many variables there are.
    propagate, skip_independent
        Take over what is known of X and Y from the blanket of Y, if Y was examined before X (lines 13-17). Do
        not ask about X and Y if they are unconditionally independent (line 22).
    rule
        With "both", only an absence from a blanket is taken over: either variable has to find the other.
    max_given, regrow
        Most variables given in a question (:meth:`Examination.given`), and how many more times a blanket is
        grown and shrunk, as long as that changes it.
    rank, note, tell
        The place of each variable among equals, its position if empty; who hears of answers by propagation,
        and of how many variables are examined.
    """
    refuse_many_variables(n, BYTES_A_PAIR)
    initial = yield AllPairs(n)
    strength, independent = pair_matrices(initial, n, log_p)
    order = examination_order(strength, rank or range(n))
    promoted: Promoted = {x: [] for x in range(n)}
    blankets: dict[int, Blanket] = {}
    while order:
        tell("examining variables", len(blankets), n)
        x = order.pop(0)
        # Propagation phase
        known = {y: x not in blanket for y, blanket in blankets.items()} if propagate else {}
        if rule == "both":
            known = {y: True for y, absent in known.items() if absent}
        candidates = grow_order(strength, x, rank or range(n), promoted.pop(x))
        candidates = sorted(candidates, key=lambda y: known.get(y, False))  # line 17: F to the end
        if skip_independent:
            candidates = [y for y in candidates if not independent[x][y]]
        examine = Examination(x, known, strength, max_given, note)
        blanket = yield from examine.grow(candidates, promoted)
        # Change examination order: the last grown that is yet to be examined comes next
        following = [w for w in reversed(blanket) if w in promoted]
        order = promote(order, following[:1])
        blanket = yield from examine.shrink(blanket)
        for _ in range(regrow):
            larger = yield from examine.regrow(blanket, candidates)
            if larger == blanket:
                break
            blanket = yield from examine.shrink(larger)
        blankets[x] = blanket
    return blankets


@dataclass(frozen=True)
class Examination:
    """The phases in which one variable X is examined, and how they ask."""

    x: int
    known: Mapping[int, bool]
    strength: Matrix
    max_given: int | None
    note: Callable[[Verdict], object]

    def grow(self, candidates: Iterable[int], promoted: Promoted) -> Steps[Blanket]:
        """Return the blanket of what X depends on given the blanket so far (lines 19-28)."""
        blanket: Blanket = ()
        for y in candidates:
            verdict = yield from self.ask(y, blanket)
            if not verdict.independent:
                if y in promoted:
                    promoted[y].append([*blanket, self.x])
                blanket = (*blanket, y)
        return blanket

    def shrink(self, blanket: Blanket) -> Steps[Blanket]:
        """Return a blanket without the members that X does not depend on given the rest (lines 34-37)."""
        for y in reversed(blanket):
            rest = tuple([w for w in blanket if w != y])
            verdict = yield from self.ask(y, rest)
            if verdict.independent:
                blanket = rest
        return blanket

    def regrow(self, blanket: Blanket, candidates: Iterable[int]) -> Steps[Blanket]:
        """Return a blanket with all that X depends on given it.

        What this is for, a dependence that only shows given others, contradicts Strong Union; so tests are
        executed, whatever rules would say. That goes back to the restarts of Algorithm 2, line 6.
        """
        for y in candidates:
            if y not in blanket and y not in self.known:
                verdict = yield from self.ask(y, blanket, Executed)
                if not verdict.independent:
                    blanket = (*blanket, y)
        return blanket

    def ask(self, y: int, blanket: Blanket, batch: type[list[Ask]] = list) -> Steps[Verdict]:
        """Return the answer on X and Y given a blanket: from that of Y, where it is known (Algorithm 4)."""
        if y in self.known:
            verdict = Verdict(self.x, y, blanket, self.known[y], source="propagation")
            self.note(verdict)
            return verdict
        given = blanket if self.max_given is None else self.given(y, blanket)
        (verdict,) = yield batch([(self.x, y, given)])
        return verdict

    def given(self, y: int, blanket: Blanket) -> Blanket:
        """Return what is given in a question about X and Y: the blanket, or the best part of a large one.

        Those members stay that depend most on both X and Y unconditionally, by the weaker of the two: they
        are the likeliest to come between them. Ties go by their place in the blanket.
        """
        if self.max_given is None or len(blanket) <= self.max_given:
            return blanket
        best = likeliest_between(self.strength, self.x, y, blanket)[: self.max_given]
        return tuple([w for w in blanket if w in best])


def likeliest_between(strength: Matrix, x: int, y: int, others: Sequence[int]) -> list[int]:
    """Return other variables, those first that both X and Y depend on most, by the weaker of the two."""
    of_x, of_y = strength[x], strength[y]
    return sorted(others, key=lambda w: max(of_x[w], of_y[w]))


def pair_matrices(
    verdicts: Iterable[Verdict], n: int, strength_of: Callable[[Verdict], float]
) -> tuple[Matrix, list[bytearray]]:
    """Return ``strength[x][y]``, the smaller the more dependent, and ``independent[x][y]`` of all pairs."""
    strength = [array("d", bytes(8 * n)) for _ in range(n)]
    independent = [bytearray(n) for _ in range(n)]
    for v in verdicts:
        strength[v.x][v.y] = strength[v.y][v.x] = strength_of(v)
        independent[v.x][v.y] = independent[v.y][v.x] = v.independent
    return strength, independent


def log_p(v: Verdict) -> float:
    """Return the logarithm of the p-value, or what stands for it; smaller means more dependent.

    A Bayesian test has no p-value: the log odds of independence take its place. An answer without any number,
    such as an oracle's, counts as -1 if dependent and 0 if independent, so that the variable with most
    dependences is examined first. An edge that is known comes before all that tests say.
    """
    if v.log_p is not None:
        return v.log_p
    if v.log_odds is not None:
        return v.log_odds
    if v.source == KNOWLEDGE and not v.independent:
        return -CERTAIN
    return 0.0 if v.independent else -1.0


def examination_order(strength: Matrix, rank: Sequence[int]) -> list[int]:
    """Return the variables by average log p-value, the most dependent first (line 5)."""
    # all averages have the same divisor; fsum does not depend on the order of its terms
    total = [math.fsum(p for y, p in enumerate(row) if y != x) for x, row in enumerate(strength)]
    return sorted(range(len(strength)), key=lambda x: (total[x], rank[x]))


def grow_order(
    strength: Matrix, x: int, rank: Sequence[int], promoted: Iterable[list[int]] = ()
) -> list[int]:
    """Return the other variables by their log p-value with ``x``, the most dependent first (lines 8-9).

    Then those come to the front that were promoted, one time after the other (lines 26-28).
    """
    of_x = strength[x]
    order = sorted((y for y in range(len(strength)) if y != x), key=lambda y: (of_x[y], rank[y]))
    return reduce(promote, promoted, order)


def promote(queue: list[int], front: list[int]) -> list[int]:
    """Return the queue with some of its members put first, in the order given.

    >>> promote([2, 6, 3, 0, 4, 1, 5], [3, 4, 6, 5])
    [3, 4, 6, 5, 2, 0, 1]
    """
    first = set(front)
    return front + [w for w in queue if w not in first]
