r"""What follows from what: Strong Union and the Triangle theorem of [Bromberg2009]_, one backward step each.

In a distribution faithful to an undirected graph these hold for single variables X, Y, W and sets of others:

====================== =========================================================================
Strong Union (I-SU)    :math:`(X ⊥ Y | A) ⟹ (X ⊥ Y | S)` for :math:`A ⊆ S`
Strong Union (D-SU)    :math:`(X \not⊥ Y | A) ⟹ (X \not⊥ Y | S)` for :math:`A ⊇ S`
D-triangle             :math:`(X \not⊥ W | A) ∧ (W \not⊥ Y | B) ⟹ (X \not⊥ Y | A ∩ B)`
I-triangle             :math:`(X ⊥ W | A) ∧ (W \not⊥ Y | B) ⟹ (X ⊥ Y | A)` for :math:`A ⊆ B`
====================== =========================================================================

Each function looks for the antecedents of a conclusion about ``x`` and ``y`` given S, the mask ``s``, and
returns them with the mask that the conclusion holds given, or None. Which of several is found first depends
on positions and on the order of discovery alone: a W that helped x before is tried before the others.

Notes
-----
- D-triangle: W ranges over all variables. The printed "W in S" can never fire, since A and B contain S and
  not W.
- I-triangle: either of X and Y may be the one known to be independent of W, and W ranges over S.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphoid.logic.knowledge import Knowledge
    from graphoid.logic.verdict import Fact, Verdict

Antecedents = tuple[int, "tuple[Fact, ...]", "Verdict | None"]
"""The mask that a conclusion holds given, what it follows from, and the verdict if that is only one."""

D_SU, D_TRIANGLE, I_SU, I_TRIANGLE = "D-SU", "D-triangle", "I-SU", "I-triangle"
"""Names of the rules, as in the paper; the ``source`` of a verdict that one of them gave."""


def strong_union_dependence(known: Knowledge, x: int, y: int, s: int) -> Antecedents | None:
    """Dependent given S, because dependent given a superset (D-SU)."""
    for a, fact, verdict in known.dependences[x][y]:
        if not s & ~a:
            return a, (fact,), verdict
    return None


def strong_union_independence(known: Knowledge, x: int, y: int, s: int) -> Antecedents | None:
    """Independent given S, because independent given a subset (I-SU)."""
    for a, fact, verdict in known.independences[x][y]:
        if not a & ~s:
            return a, (fact,), verdict
    return None


def triangle_dependence(known: Knowledge, x: int, y: int, s: int) -> Antecedents | None:
    """Dependent given S, because both depend on one W given supersets (D-triangle)."""
    of_x, of_y = known.dependences[x], known.dependences[y]
    w = known.between[x]  # nearly always the same in a grow phase: the variable examined before
    for a, first, _ in of_x[w]:
        if not s & ~a:
            for b, second, _ in of_y[w]:
                if not s & ~b:
                    return a & b, (first, second), None
    for w in known.both_depend_on(x, y, s):
        for a, first, _ in of_x[w]:
            if not s & ~a:
                for b, second, _ in of_y[w]:
                    if not s & ~b:
                        known.between[x] = w
                        return a & b, (first, second), None
    return None


def triangle_independence(known: Knowledge, x: int, y: int, s: int) -> Antecedents | None:
    """Independent given S: one is independent of a W in S that the other depends on (I-triangle)."""
    outside = ~s
    for one, other in ((x, y), (y, x)):
        independences, dependences = known.independences[one], known.dependences[other]
        candidates = s & known.independent[one] & known.dependent[other]
        while candidates:
            low = candidates & -candidates
            w = low.bit_length() - 1
            for a, first, _ in independences[w]:
                if not a & outside:
                    for b, second, _ in dependences[w]:
                        if not a & ~b:
                            return a, (first, second), None
            candidates ^= low
    return None


RULES = (
    (D_SU, False, strong_union_dependence),
    (D_TRIANGLE, False, triangle_dependence),
    (I_SU, True, strong_union_independence),
    (I_TRIANGLE, True, triangle_independence),
)
"""(name, what it concludes, rule), in the order in which Algorithm 5 tries them."""
