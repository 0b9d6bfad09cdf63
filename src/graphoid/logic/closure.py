r"""All that follows from what is known: forward chaining of the axioms over single variables.

The axioms of [Bromberg2009]_, Eqs. (1), for single variables x, y, w and a set z without them, each also in
its contrapositive forms:

=============  ==========================================================================================
Strong Union   :math:`(x ⊥ y | z) ⟹ (x ⊥ y | z ∪ w)`
Transitivity   :math:`(x ⊥ y | z) ⟹ (x ⊥ w | z) ∨ (w ⊥ y | z)`
Intersection   :math:`(x ⊥ y | z ∪ w) ∧ (x ⊥ w | z ∪ y) ⟹ (x ⊥ y | z) ∧ (x ⊥ w | z)`
=============  ==========================================================================================

There are :math:`\binom{n}{2} 2^{n-2}` assertions about single variables, and all are held: for small n only.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from graphoid.errors import SettingsError
from graphoid.logic.sets import members
from graphoid.logic.verdict import Fact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

STRONG_UNION, TRANSITIVITY, INTERSECTION = "Strong Union", "Transitivity", "Intersection"
AXIOMS = (STRONG_UNION, TRANSITIVITY, INTERSECTION)
"""Names of the axioms; the ``source`` of a verdict that one of them gave."""

LARGEST = 13
"""Most variables: 159,744 assertions, a few seconds; each variable more takes more than twice that."""

Held = tuple[int, int, int]
"""x < y and the mask of what is given."""
Step = tuple[str, Held, bool, tuple[Held, ...]]
"""An axiom, what it concludes, whether that is an independence, and from what."""


class Closure:
    """Known facts together with all that follows from them.

    Where facts contradict each other, which answers from data may, what was known first stays.

    Parameters
    ----------
    n
        Number of variables, at most :data:`LARGEST`.
    axioms
        Names of the axioms used; all of :data:`AXIOMS` by default.

    Examples
    --------
    >>> closure = Closure(3)
    >>> closure.add(0, 1, 0b100, independent=False)
    >>> closure.add(1, 2, 0, independent=False)
    >>> independent, axiom, because = closure.find(0, 2, 0)
    >>> independent, axiom, " and ".join(map(str, because))
    (False, 'Transitivity', '1 ~ 2 and 0 ~ 1')
    """

    def __init__(self, n: int, axioms: Collection[str] = AXIOMS) -> None:
        if n > LARGEST:
            raise SettingsError(
                f"forward chaining holds every assertion about {n:,} variables, more than 2^{n - 2} for each "
                f"pair; it takes at most {LARGEST} variables. Use chaining='backward', which infers nearly "
                f"as much."
            )
        self._n = n
        self._answers: dict[Held, bool] = {}
        self._reasons: dict[Held, tuple[str, tuple[Held, ...]]] = {}
        rules = {
            STRONG_UNION: self._by_strong_union,
            TRANSITIVITY: self._by_transitivity,
            INTERSECTION: self._by_intersection,
        }
        self._rules = [rules[name] for name in axioms]

    def __len__(self) -> int:
        return len(self._answers)

    def add(self, x: int, y: int, given: int, *, independent: bool) -> None:
        """Add a fact and all that follows from it."""
        start = _key(x, y, given)
        if start in self._answers:
            return
        self._answers[start] = independent
        todo = deque([start])
        while todo:
            fact = todo.popleft()
            for rule in self._rules:
                for axiom, conclusion, answer, antecedents in rule(fact):
                    if conclusion not in self._answers:
                        self._answers[conclusion] = answer
                        self._reasons[conclusion] = (axiom, antecedents)
                        todo.append(conclusion)

    def find(self, x: int, y: int, given: int) -> tuple[bool, str, tuple[Fact, ...]] | None:
        """Return whether x and y are independent, the axiom that says so and its antecedents, if known."""
        held = _key(x, y, given)
        answer = self._answers.get(held)
        if answer is None:
            return None
        # what was added follows from itself: Strong Union with nothing added
        axiom, antecedents = self._reasons.get(held, (STRONG_UNION, (held,)))
        return answer, axiom, tuple(Fact(*a, self._answers[a]) for a in antecedents)

    def _others(self, x: int, y: int, z: int) -> Iterator[int]:
        return members((1 << self._n) - 1 & ~(z | 1 << x | 1 << y))

    def _by_strong_union(self, fact: Held) -> Iterator[Step]:
        x, y, z = fact
        if self._answers[fact]:
            for w in self._others(x, y, z):
                yield STRONG_UNION, (x, y, z | 1 << w), True, (fact,)
        else:
            for w in members(z):
                yield STRONG_UNION, (x, y, z & ~(1 << w)), False, (fact,)

    def _by_transitivity(self, fact: Held) -> Iterator[Step]:
        """Of the three pairs of x, y and w, one alone is never independent."""
        x, y, z = fact
        known, independent = self._answers, self._answers[fact]
        for w in self._others(x, y, z):
            xw, wy = _key(x, w, z), _key(w, y, z)
            for one, other in ((xw, wy), (wy, xw)):
                answer = known.get(one)
                if answer is not None and not (answer and independent):
                    antecedents = (fact, one) if independent or not answer else (one, fact)
                    yield TRANSITIVITY, other, answer or independent, antecedents

    def _by_intersection(self, fact: Held) -> Iterator[Step]:
        """Never (a ⊥ b | z ∪ w), (a ⊥ w | z ∪ b), and a dependence of a on b or w given z."""
        x, y, z = fact
        known = self._answers
        for a, b in ((x, y), (y, x)):
            if known[fact]:
                for w in members(z):
                    rest = z & ~(1 << w)
                    partner, ends = _key(a, w, rest | 1 << b), (_key(a, b, rest), _key(a, w, rest))
                    if known.get(partner):
                        for end in ends:
                            yield INTERSECTION, end, True, (fact, partner)
                    for end in ends:
                        if known.get(end) is False:
                            yield INTERSECTION, partner, False, (end, fact)
            else:
                for w in self._others(x, y, z):
                    one, other = _key(a, b, z | 1 << w), _key(a, w, z | 1 << b)
                    if known.get(one):
                        yield INTERSECTION, other, False, (fact, one)
                    if known.get(other):
                        yield INTERSECTION, one, False, (fact, other)


def _key(x: int, y: int, given: int) -> Held:
    return (x, y, given) if x < y else (y, x, given)
