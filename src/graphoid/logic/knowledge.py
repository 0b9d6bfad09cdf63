r"""What is known about every pair of variables: the knowledge base :math:`K_{XY}` of [Bromberg2009]_.

Two arrays of n x n lists, one of dependences and one of independences (section 4.6). A list holds the
conditioning sets in the order in which they became known, each with what it was learned as. Lists are short:
one or two entries come from the grow and the shrink phase of either variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphoid.logic.sets import members
from graphoid.logic.verdict import Fact, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Known = list[tuple[int, Fact, "Verdict | None"]]
"""Conditioning sets as masks, with what was found given them, and the verdict if it was not inferred."""

_MOST_ROWS = 256
"""Up to so many variables the n rows of one variable, 8 KiB then, are compared faster than one by one."""


class Knowledge:
    """Known dependences and independences of single variables, looked up by pair.

    Parameters
    ----------
    n
        Number of variables.

    Examples
    --------
    >>> known = Knowledge(3)
    >>> known.add(Fact.of(0, 1, [2], independent=True))
    >>> [str(fact) for _, fact, _ in known.independences[1][0]]
    ['0 ⊥ 1 | 2']
    """

    __slots__ = ("_rows", "between", "dependences", "dependent", "independences", "independent", "n")

    def __init__(self, n: int) -> None:
        self.n = n
        self.dependences: list[list[Known]] = _symmetric(n)
        """``dependences[x][y]`` is the same list as ``dependences[y][x]``."""
        self.independences: list[list[Known]] = _symmetric(n)
        self.dependent = [0] * n
        """Mask of the variables that x is known to depend on, whatever was given."""
        self.independent = [0] * n
        """Mask of the variables that x is known to be independent of, whatever was given."""
        self.between = list(range(n))
        """The W that last showed by a triangle what x depends on; x itself if none did."""
        self._rows = _Rows(n) if n <= _MOST_ROWS else None

    def add(self, fact: Fact, verdict: Verdict | None = None) -> None:
        """Remember a fact, and the verdict that says so if it was not inferred."""
        x, y, z, independent = fact
        known = (self.independences if independent else self.dependences)[x][y]
        for entry in known:
            if entry[0] == z:
                return
        known.append((z, fact, verdict))
        if independent:
            self.independent[x] |= 1 << y
            self.independent[y] |= 1 << x
        else:
            self.dependent[x] |= 1 << y
            self.dependent[y] |= 1 << x
            if self._rows is not None:
                self._rows.add(x, y, z)

    def both_depend_on(self, x: int, y: int, s: int) -> Iterable[int]:
        """Return, by position, every W whose dependences on x and y may be known given supersets of S."""
        if self._rows is None:
            return members(self.dependent[x] & self.dependent[y] & ~s)
        return self._rows.common(x, y, s)

    def __bool__(self) -> bool:
        return any(self.dependent) or any(self.independent)

    def facts(self) -> list[Fact]:
        """Return all that is known, by pair."""
        return [
            fact
            for x in range(self.n)
            for y in range(x + 1, self.n)
            for known in (self.dependences[x][y], self.independences[x][y])
            for _, fact, _ in known
        ]


class _Rows:
    """For every x one integer of n rows; row w is the union of all sets given which x depends on w.

    A row has two bits more than there are variables: the first says that some dependence is known at all,
    the second is zero. That makes it possible to compare all rows at once: the rows that lack a member of a
    set are subtracted from rows in which only the last bit is one, which survives where nothing was lacking.
    """

    __slots__ = ("_guards", "_known", "_ones", "_rows", "_wanted", "_width")

    def __init__(self, n: int) -> None:
        self._width = n + 2
        self._known = 1 << n
        self._ones = sum(1 << w * self._width for w in range(n))
        self._guards = self._ones << (n + 1)
        self._rows = [0] * n
        self._wanted = (0, self._known * self._ones)

    def add(self, x: int, y: int, given: int) -> None:
        row = given | self._known
        self._rows[x] |= row << y * self._width
        self._rows[y] |= row << x * self._width

    def common(self, x: int, y: int, s: int) -> Iterable[int]:
        """Return the w whose rows of x and of y both contain ``s``, smallest first."""
        of, wanted = self._wanted
        if of != s:
            wanted = self._for(s, of ^ s, wanted)
        lacking = wanted ^ (wanted & self._rows[x] & self._rows[y])
        whole = (self._guards - lacking) & self._guards
        return self._positions(whole) if whole else ()

    def _for(self, s: int, new: int, wanted: int) -> int:
        """Return rows that are all ``s``; by what is new in it, if that is little."""
        if new.bit_count() > 2:
            wanted = (s | self._known) * self._ones
        else:  # a set that grew by one, or in which one took the place of another
            for z in members(new):
                wanted ^= self._ones << z
        self._wanted = (s, wanted)
        return wanted

    def _positions(self, whole: int) -> Iterator[int]:
        while whole:
            low = whole & -whole
            yield (low.bit_length() - 1) // self._width
            whole ^= low


def _symmetric(n: int) -> list[list[Known]]:
    """Return an n x n array of empty lists in which a pair has the same list in either order."""
    lower: list[list[Known]] = [[[] for _ in range(x + 1)] for x in range(n)]
    return [lower[x] + [lower[y][x] for y in range(x + 1, n)] for x in range(n)]
