"""The dictionary of an SPSS file, looked through before a library reads it.

ReadStat believes what a file says of itself: labels of a variable that is not there end the process, and a
damaged number of rows takes gigabytes.
"""

from __future__ import annotations

import contextlib
import math
import struct
from typing import TYPE_CHECKING, BinaryIO

from graphoid.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE, LABELS, LABELLED, DOCUMENTS, EXTENSION, END = 2, 3, 4, 6, 7, 999
"""Records of the dictionary."""

ENCODING = 20
"""The extension that names the encoding of texts."""

TEXTS = (1, 2)
"""The formats that show text: A and AHEX."""

VALUE = 8
"""Bytes of a number, and of a part of a text."""

LONGEST = 255
"""Bytes of the longest text that the record of a variable describes."""

LEAST = {1: 1, 2: 1 / 1032}
"""Bytes that a value takes at least, as one code, or as such codes deflated (1,032 to 1)."""

MOST = {0: VALUE, 1: 1 + VALUE}
"""Bytes that a value takes at most, as it is, or with a code; deflated it may take any number."""


def check_sav(path: Path) -> None:
    """Raise one clear error if the dictionary of an SPSS file contradicts itself."""
    with path.open("rb") as file:
        try:
            _Dictionary(file, path.stat().st_size).check()
        except ValueError as error:
            raise DataError(f"{path.name} cannot be read as SPSS: {error}. Is it damaged?") from None


class _Dictionary:
    """What the records before the rows say, one after the other."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size
        self._order = "<"
        self._encoding = "latin-1"  # takes all bytes for text
        self._labelled_texts: list[bytes] = []
        self._widths: list[int] = []  # of every eight bytes of a row: 0 a number, -1 the rest of a text

    def check(self) -> None:
        """Walk through all records."""
        if self._take(4) not in (b"$FL2", b"$FL3"):
            raise ValueError("it does not begin as such a file does")
        self._take(60)
        if self._take(4)[:1] == b"\0":  # a small number, which begins with its large end
            self._order = ">"
        self._take(4)
        packed, _, n_rows = self._ints(3)
        self._take(92)
        while (kind := self._int()) != END:
            if kind == VARIABLE:
                self._variable()
            elif kind == LABELS:
                self._labels()
            elif kind == DOCUMENTS:
                self._take(80 * self._int())
            elif kind == EXTENSION:
                self._extension()
            else:
                raise ValueError(f"there is no record {kind}")
        self._take(4)
        self._check_texts()
        self._check_rows(n_rows, packed)

    def _check_rows(self, n_rows: int, packed: int) -> None:
        """Raise if what is left of the file cannot be so many rows; below 0 nothing is promised."""
        wide, left = len(self._widths), self._size - self._file.tell()
        if n_rows * wide * LEAST.get(packed, VALUE) > left:
            raise ValueError(f"it promises {n_rows:,} rows and is too small for them")
        if wide and n_rows >= 0 and left >= (n_rows + 1) * wide * MOST.get(packed, math.inf):
            raise ValueError(f"it promises {n_rows:,} rows and holds more")

    def _take(self, n: int) -> bytes:
        if not 0 <= n <= self._size - self._file.tell():
            raise ValueError("it ends too early")
        return self._file.read(n)

    def _ints(self, n: int) -> tuple[int, ...]:
        return struct.unpack(f"{self._order}{n}i", self._take(4 * n))

    def _int(self) -> int:
        return self._ints(1)[0]

    def _variable(self) -> None:
        width, labelled, n_missing, *formats = self._ints(5)
        number_as_text = width == 0 and any((shown >> 16 & 0xFF) in TEXTS for shown in formats)
        if not -1 <= width <= LONGEST or number_as_text or labelled not in (0, 1) or abs(n_missing) > 3:
            raise ValueError(f"the record of variable {len(self._widths) + 1} is none")
        self._widths.append(width)
        self._take(8)
        if labelled:
            self._take(-(-self._int() // 4) * 4)
        self._take(VALUE * abs(n_missing))

    def _labels(self) -> None:
        values = []
        for _ in range(self._int()):
            values.append(self._take(VALUE))
            length = self._take(1)[0]
            self._take(length + -(length + 1) % VALUE)
        if self._int() != LABELLED:
            raise ValueError("labels belong to no variable")
        for place in self._ints(self._int()):
            if not 1 <= place <= len(self._widths) or self._widths[place - 1] < 0:
                raise ValueError(f"labels belong to a variable {place}, which is not there")
            if self._widths[place - 1]:
                self._labelled_texts += values

    def _extension(self) -> None:
        kind, size, n = self._ints(3)
        content = self._take(size * n)
        if kind == ENCODING:
            self._encoding = content.decode("ascii")

    def _check_texts(self) -> None:
        """Raise unless a text goes on for as many records as it is wide, and what is labelled is text."""
        rest = 0
        for width in self._widths:
            if (width < 0) != (rest > 0):
                raise ValueError("its texts are not as wide as it says")
            rest = rest - 1 if width < 0 else max(0, -(-width // VALUE) - 1)
        for text in self._labelled_texts:
            if b"\0" in text:
                raise ValueError(f"{text!r} has a label and is no text")
            with contextlib.suppress(LookupError):  # an encoding that Python does not know
                text.decode(self._encoding)
