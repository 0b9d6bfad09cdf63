"""Algorithm 5 as one would write it down first: sets in lists, no masks. What the fast way is held to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import graphoid as gd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.logic.source import IndependenceSource, Question

Known = tuple[frozenset[int], bool]


class PlainInference:
    """Wraps a source; the first batch, a learner's initial tests, is executed."""

    def __init__(self, ci: IndependenceSource) -> None:
        self.names = ci.names
        self._ci = ci
        self._known: dict[frozenset[int], list[Known]] = {}

    def independent(self, x: int | str, y: int | str, given: Sequence[int | str] = ()) -> bool:
        return self.ask([(x, y, given)])[0].independent

    def ask(self, questions: Sequence[Question]) -> list[gd.Verdict]:
        first = not self._known
        return [self._answer(int(x), int(y), tuple(map(int, z)), first=first) for x, y, z in questions]

    def _k(self, x: int, y: int) -> list[Known]:
        return self._known.setdefault(frozenset((x, y)), [])

    def _answer(self, x: int, y: int, given: tuple[int, ...], *, first: bool) -> gd.Verdict:
        inferred = None if first else self._infer(x, y, frozenset(given))
        if inferred is not None:
            return gd.Verdict(x, y, given, inferred[0], source=inferred[1])
        verdict = self._ci.ask([(x, y, given)])[0]
        self._k(x, y).append((frozenset(given), verdict.independent))
        return verdict

    def _infer(self, x: int, y: int, s: frozenset[int]) -> tuple[bool, str] | None:
        if any(not t and a >= s for a, t in self._k(x, y)):
            return False, "D-SU"
        for w in range(len(self.names)):
            for a, t in self._k(x, w) if w not in (x, y) else ():
                for b, u in self._k(w, y):
                    if not t and not u and a >= s and b >= s:
                        self._k(x, y).append((a & b, False))
                        return False, "D-triangle"
        if any(t and a <= s for a, t in self._k(x, y)):
            return True, "I-SU"
        for one, other in ((x, y), (y, x)):
            for w in sorted(s):
                for a, t in self._k(one, w):
                    for b, u in self._k(w, other):
                        if t and not u and a <= s and b >= a:
                            self._k(x, y).append((a, True))
                            return True, "I-triangle"
        return None
