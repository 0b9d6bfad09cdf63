"""Rows that are alike, merged: the distinct rows of some variables and how much each weighs.

Whatever can be counted of these variables can be counted here, and tests judge it to the bit as they would
judge all rows. So this is the one form in which counts travel, are held and are kept on disk.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from graphoid.counts.contingency import Counts, is_dense, tabulate
from graphoid.counts.native import NativeEngine, kernels
from graphoid.data.table import Codes, Table, Weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import Variable
    from graphoid.logic.assertion import Context


Batch = tuple[list["Codes"], "NDArray[np.int64] | None", int]
"""Codes of some variables, the units of the rows (None for ones), and their number."""

Block = tuple["NDArray[np.uint64]", "NDArray[np.int64] | None"]
"""Packed rows, a line for each word of all of them, and their units (None for ones)."""

BATCH = 2**17
"""Rows that are unpacked at a time when all are gone through."""


class Place(NamedTuple):
    """Where the code of a variable lies in a packed row."""

    word: int
    shift: int
    bits: int


def places_of(arities: Sequence[int]) -> list[Place]:
    """Return the places of variables: from the highest bits of the first word on, none in two words."""
    places = []
    word, free = 0, 64
    for arity in arities:
        bits = (arity - 1).bit_length()
        if bits > free:
            word, free = word + 1, 64
        free -= bits
        places.append(Place(word, free, bits))
    return places


def words_of(arities: Sequence[int]) -> int:
    """Return how many words a packed row takes."""
    return places_of(arities)[-1].word + 1 if arities else 1


def as_codes(values: NDArray[np.integer], arity: int) -> Codes:
    """Return codes in the narrowest type that holds them."""
    return values.astype(np.uint8) if arity <= 256 else values.astype(np.uint16)


def unpack(words: NDArray[np.uint64], place: Place, variable: Variable) -> Codes:
    """Return the codes of a variable from the words that have them."""
    codes = (words >> np.uint64(place.shift)) & np.uint64((1 << place.bits) - 1)
    return as_codes(codes, variable.arity)


class DistinctRows:
    """Distinct rows of some variables.

    Parameters
    ----------
    variables
        Positions, ascending.
    of
        The variables themselves, one for each.
    keys
        The rows, packed into 64-bit words; one row a line.
    units
        What each weighs, in units of ``unit``; none is zero.
    unit
        Weight of one unit: 1 where rows have no weights.
    """

    def __init__(
        self,
        variables: tuple[int, ...],
        of: Sequence[Variable],
        keys: NDArray[np.uint64],
        units: NDArray[np.int64],
        unit: float = 1.0,
    ) -> None:
        self.variables = variables
        self.of = tuple(of)
        self.keys = keys.reshape(len(units), -1)
        self.units = units
        self.unit = unit

    @classmethod
    def of_codes(
        cls,
        variables: tuple[int, ...],
        of: Sequence[Variable],
        codes: Sequence[Codes],
        units: NDArray[np.int64],
        unit: float,
    ) -> DistinctRows:
        """Return the merged rows of columns of codes."""
        merger = merger_of([v.arity for v in of])
        merger.add(list(codes), np.ascontiguousarray(units), len(units))
        keys, merged = merger.rows()
        return cls(variables, of, keys, merged, unit)

    def __len__(self) -> int:
        return len(self.units)

    @property
    def nbytes(self) -> int:
        """What the rows take, packed and unpacked."""
        return int(self.keys.nbytes + self.units.nbytes + len(self) * len(self.variables))

    @cached_property
    def total(self) -> int:
        """Sum of all units."""
        return int(self.units.sum())

    @cached_property
    def columns(self) -> list[Codes]:
        """The codes, a column for each variable."""
        return self._columns(range(len(self.of)), slice(None))

    def batches(self, wanted: Sequence[int]) -> Iterator[Batch]:
        """Yield the codes of some variables, what the rows weigh, and their number, some rows at a time."""
        at = [self.variables.index(v) for v in wanted]
        for start in range(0, len(self), BATCH):
            units = self.units[start : start + BATCH]
            yield self._columns(at, slice(start, start + BATCH)), units, len(units)

    def blocks(self) -> Iterator[Block]:
        """Yield the rows as they are packed, some at a time."""
        for start in range(0, len(self), BATCH):
            units = self.units[start : start + BATCH]
            yield self.keys[start : start + BATCH].T, units if (units != 1).any() else None

    def parts(self, wanted: Sequence[int]) -> Iterator[Iterator[Batch]]:
        """Yield the batches of its only part."""
        yield self.batches(wanted)

    def _columns(self, at: Iterable[int], rows: slice) -> list[Codes]:
        places = places_of([v.arity for v in self.of])
        return [unpack(self.keys[rows, places[k].word], places[k], self.of[k]) for k in at]

    @cached_property
    def engine(self) -> NativeEngine:
        """The kernels on these rows; positions are places among ``variables``."""
        weights = Weights(self.units, self.unit)
        return NativeEngine(Table(self.of, tuple(self.columns), len(self), weights=weights))

    def margin(self, variable: int) -> NDArray[np.int64]:
        """Return how many rows have each state of a variable, where rows have no weights."""
        k = self.variables.index(variable)
        margin = np.zeros(self.of[k].arity, dtype=np.int64)
        for (codes,), units, _ in self.batches([variable]):
            # sums below 2**53, which floating-point numbers hold exactly
            margin += np.bincount(codes, units, len(margin)).astype(np.int64)
        return margin

    def marginal(self, variables: Iterable[int]) -> DistinctRows:
        """Return the distinct rows of some of the variables."""
        wanted = tuple(sorted(variables))
        at = [self.variables.index(v) for v in wanted]
        columns = [self.columns[k] for k in at]
        return DistinctRows.of_codes(wanted, [self.of[k] for k in at], columns, self.units, self.unit)

    def counts(self, variables: tuple[int, ...], context: Context, n_rows: int) -> Counts:
        """Return counts as an engine gives them; by ``n_rows`` in all they are written out or listed."""
        at = [self.variables.index(v) for v in variables]
        shape = tuple(self.of[k].arity for k in at)
        if not context and kernels() is not None and is_dense(int(np.prod(shape, dtype=float)), n_rows):
            cells = self.engine.table_cells([tuple(at)]).reshape(shape)
            return Counts(variables, shape, cells, None, self.unit, n_rows)
        kept = np.ones(len(self), dtype=bool)
        for v, state in context:
            kept &= self.columns[self.variables.index(v)] == state
        rows = np.empty((int(kept.sum()), len(at)), dtype=np.uint16)
        for axis, k in enumerate(at):
            rows[:, axis] = self.columns[k][kept]
        return tabulate(variables, shape, rows, self.units[kept], self.unit, n_rows)


class Merger(Protocol):
    """Merges rows that are alike."""

    def add(self, columns: list[Codes], units: NDArray[np.int64] | None, n: int) -> bool:
        """Add rows; False once there are too many different ones."""

    def rows(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the distinct rows, packed, and what each weighs."""

    def __len__(self) -> int: ...


def merger_of(arities: Sequence[int], most: int = 2**31) -> Merger:
    """Return what merges rows: the kernel, or its reference in NumPy."""
    native = kernels()
    return PlainMerger(arities, most) if native is None else native.RowMerger(list(arities), most)


class PlainMerger:
    """Merges rows in NumPy: the specification of the kernel ``RowMerger``, up to the order of the rows."""

    def __init__(self, arities: Sequence[int], most: int) -> None:
        self._places = places_of(arities)
        self._words = words_of(arities)
        self._most = most
        self._keys = np.empty((0, self._words), dtype=np.uint64)
        self._units = np.empty(0, dtype=np.int64)

    def add(self, columns: list[Codes], units: NDArray[np.int64] | None, n: int) -> bool:
        """Add rows; False once there are too many different ones."""
        if len(self._units) > self._most:
            return False
        keys = np.zeros((n, self._words), dtype=np.uint64)
        for column, place in zip(columns, self._places, strict=True):
            keys[:, place.word] |= column.astype(np.uint64) << np.uint64(place.shift)
        weights = np.ones(n, dtype=np.int64) if units is None else units
        keys = np.concatenate([self._keys, keys[weights > 0]])
        weights = np.concatenate([self._units, weights[weights > 0]])
        self._keys, row = np.unique(keys, axis=0, return_inverse=True)
        self._units = np.zeros(len(self._keys), dtype=np.int64)
        np.add.at(self._units, row.reshape(-1), weights)
        return len(self._units) <= self._most

    def rows(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the distinct rows, packed, and what each weighs."""
        return self._keys.reshape(-1), self._units

    def __len__(self) -> int:
        return len(self._units)
