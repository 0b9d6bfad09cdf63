r"""The grow-shrink loop: Algorithm 3 of [Bromberg2009]_, shared by GSMN* and the learners built on it.

For every variable X the loop learns a Markov blanket S: it grows S by each variable that depends on X given
the S so far, and shrinks it by each that does not depend on X given the rest. Who answers the questions is
not its concern: data, an oracle, or rules that know the answer already.

Names in the paper and here: :math:`\pi` is ``order``, :math:`\lambda_X` is ``grow_orders[x]``, S is
``blanket``, :math:`\log p_{XY}` is ``strength[x][y]``; T and F are the keys of ``known``, whose values answer
"are they independent?" with False and True.

Notes
-----
Readings of points that the paper leaves open or that were lost in print:

- Line 16: members of T keep their place in the grow order; moving them would contradict Fig. 5.
- Line 22 is a setting, ``skip_independent``; line 23 lost its "not".
- Lines 26-28: X first, then S from the last but one down to the first, are moved to the front of Y's grow
  order, which gives the [3, 4, 6, 5, 2, 0, 1] of Fig. 5.
- Lines 29-33 come once, after the grow loop.
- A grow test is executed even when it repeats an initial one.
- Ties are broken by position. That, and nothing else, makes the result depend on the order of the columns.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from graphoid.logic.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.learners.base import Questions

Matrix = list[list[float]]


def grow_shrink(
    questions: Questions, *, propagate: bool = True, skip_independent: bool = False
) -> dict[int, list[int]]:
    """Return the Markov blanket of every variable.

    Parameters
    ----------
    questions
        Asks, and keeps the trace.
    propagate
        Take over what is known of X and Y from the blanket of Y, if Y was examined before X (lines 13-17).
    skip_independent
        Do not ask about X and Y if they are unconditionally independent (line 22).
    """
    n = len(questions.names)
    strength, independent = initial_tests(questions, n)
    order = examination_order(strength)
    grow_orders = {x: grow_order(strength, x) for x in range(n)}
    blankets: dict[int, list[int]] = {}

    while order:
        x = order.pop(0)
        # Propagation phase
        known = {y: x not in blanket for y, blanket in blankets.items()} if propagate else {}
        candidates = sorted(grow_orders.pop(x), key=lambda y: known.get(y, False))  # line 17: F to the end
        # Grow phase
        blanket: list[int] = []
        for y in candidates:
            if skip_independent and independent[x][y]:
                continue
            if not is_independent(questions, known, x, y, blanket):
                blanket.append(y)
                if y in grow_orders:
                    grow_orders[y] = promoted(grow_orders[y], [*blanket[:-1], x])
        # Change examination order: the last grown that is yet to be examined comes next
        following = next((w for w in reversed(blanket) if w in grow_orders), None)
        if following is not None:
            order = promoted(order, [following])
        # Shrink phase
        for y in reversed(blanket.copy()):
            rest = [w for w in blanket if w != y]
            if is_independent(questions, known, x, y, rest):
                blanket = rest
        blankets[x] = blanket
    return blankets


def is_independent(
    questions: Questions, known: Mapping[int, bool], x: int, y: int, given: Sequence[int]
) -> bool:
    """Answer by propagation if possible, else ask (Algorithm 4)."""
    if y in known:
        verdict = Verdict(x, y, tuple(given), independent=known[y], source="propagation")
        return questions.note(verdict).independent
    return questions.ask_one(x, y, given).independent


def initial_tests(questions: Questions, n: int) -> tuple[Matrix, list[list[bool]]]:
    """Ask about all pairs unconditionally, in one batch (lines 3-4).

    Returns
    -------
    tuple
        ``strength[x][y]``, the smaller the more dependent, and ``independent[x][y]``.
    """
    strength = [[0.0] * n for _ in range(n)]
    independent = [[False] * n for _ in range(n)]
    for v in questions.ask([(x, y, ()) for x in range(n) for y in range(x + 1, n)]):
        strength[v.x][v.y] = strength[v.y][v.x] = log_p(v)
        independent[v.x][v.y] = independent[v.y][v.x] = v.independent
    return strength, independent


def log_p(v: Verdict) -> float:
    """Return the logarithm of the p-value, or what stands for it; smaller means more dependent.

    A Bayesian test has no p-value: the log odds of independence take its place. An answer without any number,
    such as an oracle's, counts as -1 if dependent and 0 if independent, so that the variable with most
    dependences is examined first.
    """
    if v.log_p is not None:
        return v.log_p
    if v.log_odds is not None:
        return v.log_odds
    return 0.0 if v.independent else -1.0


def examination_order(strength: Matrix) -> list[int]:
    """Return the variables by average log p-value, the most dependent first (line 5)."""
    # all averages have the same divisor; fsum does not depend on the order of its terms
    total = [math.fsum(p for y, p in enumerate(row) if y != x) for x, row in enumerate(strength)]
    return sorted(range(len(strength)), key=total.__getitem__)


def grow_order(strength: Matrix, x: int) -> list[int]:
    """Return the other variables by their log p-value with ``x``, the most dependent first (lines 8-9)."""
    return sorted((y for y in range(len(strength)) if y != x), key=strength[x].__getitem__)


def promoted(queue: list[int], front: list[int]) -> list[int]:
    """Return the queue with some of its members moved to the front, in the order given.

    >>> promoted([2, 6, 3, 0, 4, 1, 5], [3, 4, 6, 5])
    [3, 4, 6, 5, 2, 0, 1]
    """
    moved = set(front)
    return front + [w for w in queue if w not in moved]
