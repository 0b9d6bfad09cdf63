"""Rows packed into words in a file of their own: at hand for every pass after the first.

Most of a pass over a source is decoding it. So the pass that a learner begins with leaves all rows behind:
merged, in memory, while the different ones are few; beyond that packed, in a temporary file of some bytes a
row, in which rows that are alike are merged where that makes it much shorter.
"""

from __future__ import annotations

import shutil
import tempfile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.counts.remote.distinct_rows import (
    Batch,
    Block,
    DistinctRows,
    merger_of,
    places_of,
    unpack,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphoid.data.table import Codes
    from graphoid.data.variables import Variable

BLOCK = 2**17
"""Rows written and read at a time: their codes stay in the caches."""

WORTHWHILE = 2
"""Rows that must become one, on average, for merging to be worth its time."""

SPARE = 2
"""How many times the room that a file may need has to be free where it is put."""


class Piece(NamedTuple):
    """A piece of the file."""

    part: int
    start: int
    """Its first byte."""
    n_rows: int
    weighed: bool
    """Whether units follow the rows; else each counts one."""


class PackedRows:
    """Rows in a temporary file, block by block, word by word; some may be alike.

    Parameters
    ----------
    variables
        Positions.
    of
        The variables themselves, one for each.
    """

    def __init__(self, variables: tuple[int, ...], of: Sequence[Variable]) -> None:
        self.variables, self.of = variables, tuple(of)
        self.nbytes = 0
        self._places = places_of([v.arity for v in of])
        self._words = words_of([v.arity for v in of])
        self._blocks: list[Piece] = []
        # has no name on most systems, so that nothing is left behind even by a process that is killed
        self._file = tempfile.TemporaryFile(prefix="graphoid-")  # noqa: SIM115 - lives as long as this

    def __del__(self) -> None:
        if "_file" in self.__dict__:  # it may not have been opened
            self._file.close()

    def __len__(self) -> int:
        return sum(block.n_rows for block in self._blocks)

    def append(self, keys: NDArray[np.uint64], units: NDArray[np.int64], part: int = 0) -> None:
        """Add packed rows and what each weighs."""
        for start in range(0, len(units), BLOCK):
            rows, weights = keys[start : start + BLOCK], units[start : start + BLOCK]
            weighed = bool((weights != 1).any())
            self._blocks.append(Piece(part, self.nbytes, len(rows), weighed))
            self._file.seek(self.nbytes)
            for piece in (rows.T, weights) if weighed else (rows.T,):
                self._file.write(np.ascontiguousarray(piece).data)
                self.nbytes += piece.nbytes
        self._file.flush()

    def batches(self, wanted: Sequence[int], part: int | None = None) -> Iterator[Batch]:
        """Yield the rows, of one part or of all: the codes of some variables, batch after batch."""
        at = [self.variables.index(v) for v in wanted]
        for block in self._blocks:
            if part is None or block.part == part:
                words, units = self._read(block)
                yield (
                    [unpack(words[self._places[k].word], self._places[k], self.of[k]) for k in at],
                    units,
                    block.n_rows,
                )

    def blocks(self) -> Iterator[Block]:
        """Yield the rows as they are packed, some at a time."""
        return map(self._read, self._blocks)

    def parts(self, wanted: Sequence[int]) -> Iterator[Iterator[Batch]]:
        """Yield the batches of one part after the other."""
        for part in sorted({block.part for block in self._blocks}):
            yield self.batches(wanted, part)

    def _read(self, block: Piece) -> Block:
        n = block.n_rows
        found = np.empty((self._words + block.weighed) * n, dtype=np.uint64)
        self._file.seek(block.start)
        self._file.readinto(found.view(np.uint8).data)
        rows = found[: self._words * n].reshape(self._words, n)
        return rows, found[self._words * n :].view(np.int64) if block.weighed else None


class Gathering:
    """Rows as they come: merged in memory while the different ones are few, in a file once they are many.

    Parameters
    ----------
    variables, of
        Positions, and the variables themselves.
    most
        Different rows that may be in memory.
    n_rows
        How many rows will come, at most.
    unit
        Weight of one unit.
    leading, n_parts
        Into how many parts the rows of the file are put: rows that agree in so many of the first variables
        come into the same one.
    """

    def __init__(
        self,
        variables: tuple[int, ...],
        of: Sequence[Variable],
        most: int,
        *,
        n_rows: int,
        unit: float = 1.0,
        leading: int = 0,
        n_parts: int = 1,
    ) -> None:
        self._variables, self._of, self._unit = variables, tuple(of), unit
        self._arities = [v.arity for v in of]
        self._most, self._n_rows, self._n_parts = most, n_rows, n_parts
        self._masks = np.zeros(
            words_of([v.arity for v in of]), dtype=np.uint64
        )  # bits of the leading variables
        for place in places_of(self._arities)[:leading]:
            self._masks[place.word] |= np.uint64(((1 << place.bits) - 1) << place.shift)
        self._merger = merger_of(self._arities)
        self._n_added = 0
        self._file: PackedRows | None = None
        self._fits = True

    def add(self, codes: list[Codes], units: NDArray[np.int64] | None, n: int) -> None:
        """Take a batch of rows."""
        if not self._fits:
            return
        self._merger.add(codes, units, n)
        self._n_added += n
        if len(self._merger) > self._most:
            self._spill()

    def rows(self) -> DistinctRows | PackedRows | None:
        """Return the rows; None if they are too many for memory and for the disk."""
        if self._fits and (self._file is not None or self._n_parts > 1):  # parts are wanted one by one
            self._spill()
        if self._file is not None or not self._fits:
            return self._file
        keys, units = self._merger.rows()
        return DistinctRows(self._variables, self._of, keys, units, self._unit)

    def _spill(self) -> None:
        """Write what was merged so far to the file, and begin anew."""
        keys, units = self._merger.rows()
        try:
            self._file = self._open_file() if self._file is None else self._file
            if self._file is not None:
                self._write(self._file, keys.reshape(len(units), len(self._masks)), units)
        except OSError:  # no room, or no permission: the source is still there
            self._file = None
        self._fits = self._file is not None
        if self._n_parts == 1 and self._n_added < WORTHWHILE * len(units):
            self._most = 0  # nearly all rows differ: each batch is merged by itself, within the caches
        self._merger, self._n_added = merger_of(self._arities), 0

    def _open_file(self) -> PackedRows | None:
        """Return a file, or None where there is too little room for all rows that may come."""
        most = 8 * (len(self._masks) + 1) * self._n_rows
        if SPARE * most > shutil.disk_usage(tempfile.gettempdir()).free:
            return None
        return PackedRows(self._variables, self._of)

    def _write(self, file: PackedRows, keys: NDArray[np.uint64], units: NDArray[np.int64]) -> None:
        if self._n_parts == 1:
            file.append(keys, units)
            return
        parts = parts_of(keys & self._masks, self._n_parts)
        order = np.argsort(parts, kind="stable")
        bounds = np.searchsorted(parts[order], np.arange(self._n_parts + 1))
        for part in range(self._n_parts):
            rows = order[bounds[part] : bounds[part + 1]]
            if len(rows):
                file.append(keys[rows], units[rows], part)


def parts_of(keys: NDArray[np.uint64], n_parts: int) -> NDArray[np.uint16]:
    """Return a number below ``n_parts`` for every packed row, the same for rows that are alike."""
    mixed = np.zeros(len(keys), dtype=np.uint64)
    odd = np.uint64(0xD6E8FEB86659FD93)  # with about as many ones as zeros
    for word in keys.T:
        mixed = (mixed ^ word) * odd
        mixed ^= mixed >> np.uint64(32)
    # variables lie in the high bits of a word, so that only the high bits of a product depend on all of them
    return ((mixed * odd >> np.uint64(32)) % np.uint64(n_parts)).astype(np.uint16)
