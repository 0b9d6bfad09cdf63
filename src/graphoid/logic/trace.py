"""Verdicts in the order they came: objects while they are few, columns of numbers once they are millions.

A learner of thousands of variables hears of tens of millions of pairs, and an object with its numbers takes
over half a kilobyte. In columns it takes some thirty bytes, and is made again when somebody looks at it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from graphoid.logic.verdict import NamedVerdict, Verdict, verdict_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_OBJECTS = 1 << 20
"""Verdicts that are kept as objects; of more, none is."""

BLOCK = 1 << 16
"""Verdicts that become columns together."""


class Tally(NamedTuple):
    """How many verdicts came from a source, with so many variables given and so many rows."""

    source: str
    n_given: int
    n_rows: float | None
    times: int


class Answers(NamedTuple):
    """What verdicts say of their pairs."""

    x: NDArray[np.int32]
    y: NDArray[np.int32]
    independent: NDArray[np.bool_]
    propagated: NDArray[np.bool_]
    """Whether it only repeats what is known of the other end."""

    @classmethod
    def of(cls, verdicts: Sequence[Verdict]) -> Answers:
        """Return what they say."""
        x, y = (np.array([v[i] for v in verdicts], dtype=np.int32) for i in (0, 1))
        independent = np.array([v.independent for v in verdicts], dtype=bool)
        return cls(x, y, independent, np.array([v.source == "propagation" for v in verdicts], dtype=bool))


class Trace(Sequence[Verdict]):
    """Verdicts in order; grows at its end like a list, and cannot be changed elsewhere.

    >>> trace = Trace([Verdict(0, 1, (), True)])
    >>> trace.append(Verdict(0, 2, (1,), False))
    >>> len(trace), trace[-1].given, trace == [*trace]
    (2, (1,), True)
    """

    def __init__(self, verdicts: Iterable[Verdict] = ()) -> None:
        self._blocks: list[_Block] = []
        self._starts: list[int] = []
        self._tail: list[Verdict] = list(verdicts)
        self._compress()

    def append(self, verdict: Verdict) -> None:
        """Add one verdict."""
        self._tail.append(verdict)
        if len(self._tail) >= BLOCK:
            self._compress()

    def __iadd__(self, verdicts: Iterable[Verdict]) -> Trace:  # noqa: PYI034 - as of a list
        self._tail += verdicts
        if len(self._tail) >= BLOCK:
            self._compress()
        return self

    def _compress(self) -> None:
        if not self._blocks and len(self._tail) <= MOST_OBJECTS:
            return
        whole = len(self._tail) // BLOCK * BLOCK
        for first in range(0, whole, BLOCK):
            self._starts.append(len(self._blocks) * BLOCK)
            self._blocks.append(_Block(self._tail[first : first + BLOCK]))
        del self._tail[:whole]

    def done(self) -> Sequence[Verdict]:
        """Return the verdicts as a result keeps them: a tuple while they are few."""
        return self if self._blocks else tuple(self._tail)

    def __len__(self) -> int:
        return len(self._blocks) * BLOCK + len(self._tail)

    def __iter__(self) -> Iterator[Verdict]:
        return chain(chain.from_iterable(self._blocks), self._tail)

    @overload
    def __getitem__(self, at: int) -> Verdict: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Verdict, ...]: ...
    def __getitem__(self, at: int | slice) -> Verdict | tuple[Verdict, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        place = at + len(self) if at < 0 else at
        if not 0 <= place < len(self):
            raise IndexError(f"there is no verdict {at} of {len(self)}")
        block = bisect_right(self._starts, place) - 1
        if block < 0 or place >= len(self._blocks) * BLOCK:
            return self._tail[place - len(self._blocks) * BLOCK]
        return self._blocks[block][place - self._starts[block]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Trace of {len(self):,} verdicts>"

    def about(self, x: int, y: int) -> list[int]:
        """Return the places of all verdicts on two variables."""
        found = [
            start + i
            for start, block in zip(self._starts, self._blocks, strict=True)
            for i in block.about(x, y).tolist()
        ]
        first = len(self._blocks) * BLOCK
        return found + [first + i for i, v in enumerate(self._tail) if {v.x, v.y} == {x, y}]

    def tallies(self) -> Iterator[Tally]:
        """Yield how many verdicts there are of every kind that differs in what it cost."""
        yield from chain.from_iterable(block.tallies() for block in self._blocks)
        yield from tallies_of(self._tail)

    def answers(self) -> Iterator[Answers]:
        """Yield what was answered, of some verdicts at a time."""
        for block in self._blocks:
            yield block.answers
        if self._tail:
            yield Answers.of(self._tail)


def places_about(verdicts: Sequence[Verdict], x: int, y: int) -> list[int]:
    """Return the places of all verdicts on two variables."""
    if isinstance(verdicts, Trace):
        return verdicts.about(x, y)
    return [i for i, v in enumerate(verdicts) if {v.x, v.y} == {x, y}]


def tallies_of(verdicts: Iterable[Verdict]) -> Iterator[Tally]:
    """Yield how many verdicts there are of every kind that differs in what it cost, as far as is known."""
    if isinstance(verdicts, Trace):
        return verdicts.tallies()
    return (Tally(v.source, len(v.given), v.n_rows, 1) for v in verdicts)


class _Block:
    """Some verdicts as columns."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        kinds = {type(v) for v in verdicts}
        first = verdicts[0]
        named = isinstance(first, NamedVerdict) and len(kinds) == 1
        self.names = tuple(first.names or ()) if named else None
        self.answers = Answers.of(verdicts)
        fields = list(zip(*verdicts, strict=True))
        self.given = _Distinct(fields[2])
        self.rest = [_column(values) for values in fields[4:]]

    def __len__(self) -> int:
        return len(self.answers.x)

    def __iter__(self) -> Iterator[Verdict]:
        x, y, independent, _ = self.answers
        columns = [x.tolist(), y.tolist(), iter(self.given), independent.tolist()]
        return map(tuple.__new__, repeat(self._kind), zip(*columns, *map(iter, self.rest), strict=True))

    def __getitem__(self, at: int) -> Verdict:
        x, y, independent, _ = self.answers
        own = int(x[at]), int(y[at]), self.given[at], bool(independent[at])
        return tuple.__new__(self._kind, (*own, *(column[at] for column in self.rest)))

    @property
    def _kind(self) -> type[Verdict]:
        return Verdict if self.names is None else verdict_of(self.names)

    def about(self, x: int, y: int) -> NDArray[np.intp]:
        of_x, of_y, *_ = self.answers
        return np.flatnonzero(((of_x == x) & (of_y == y)) | ((of_x == y) & (of_y == x)))

    def tallies(self) -> Iterator[Tally]:
        of = dict(zip(Verdict._fields[4:], self.rest, strict=True))
        kinds = Counter(zip(of["source"], map(len, self.given), of["n_rows"], strict=True))
        return (Tally(*kind, count) for kind, count in kinds.items())


def _column(values: tuple[Any, ...]) -> Sequence[Any]:
    """Return the values of a field, held in few bytes."""
    return _Numbers(values) if set(map(type, values)) == {float} else _Distinct(values)


class _Numbers(Sequence[float]):
    """Numbers with a point."""

    def __init__(self, values: Sequence[float]) -> None:
        # most tests of a table have one number of degrees of freedom
        same = values.count(values[0]) == len(values) and values[0] != 0
        self._values, self._n = np.array(values[:1] if same else values), len(values)

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[float]:
        if len(self._values) < self._n:
            return repeat(float(self._values[0]), self._n)
        return iter(self._values.tolist())

    def __getitem__(self, at: Any) -> Any:
        return float(self._values[at if len(self._values) == self._n else 0])


class _Distinct(Sequence[Any]):
    """Values of which few differ, or that are no numbers."""

    def __init__(self, values: Sequence[Any]) -> None:
        places: dict[tuple[type, Any], int] = {}
        codes = [places.setdefault((type(value), value), len(places)) for value in values]
        self._values, self._n = [value for _, value in places], len(values)
        self._codes = np.array(codes, dtype=np.int32) if len(places) > 1 else None

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[Any]:
        if self._codes is None:
            return repeat(self._values[0], self._n)
        return map(self._values.__getitem__, self._codes.tolist())

    def __getitem__(self, at: Any) -> Any:
        return self._values[0 if self._codes is None else self._codes[at]]
