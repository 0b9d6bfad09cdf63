"""Arrow arrays become codes: what a batch of a stream goes through before it is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphoid.counts.native import kernels
from graphoid.counts.remote.distinct_rows import as_codes
from graphoid.data.encoding.encode import cuts_for
from graphoid.errors import DataChanged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.remote.table import Coding
    from graphoid.data.table import Codes
    from graphoid.data.variables import Variable

WIDEST_SPAN = 1 << 16
"""Integers that span less are looked up in a table; wider ones are searched for."""


class Recoder:
    """Turns the values of one variable into codes.

    Parameters
    ----------
    coding
        Which value has which code.
    variable
        The variable, for the width of a code and for messages.
    """

    def __init__(self, coding: Coding, variable: Variable) -> None:
        self._coding = coding
        self._name = variable.name
        self._arity = variable.arity
        present = coding.values.is_valid()
        self._values = coding.values.filter(present)
        codes = np.asarray(coding.codes)[present.to_numpy(zero_copy_only=False)]
        self._codes = as_codes(codes, variable.arity)
        self._dictionary: tuple[pa.Array, NDArray[np.int64]] | None = None
        self._table = self._table_of_integers()

    def _table_of_integers(self) -> tuple[int, Codes, bool] | None:
        """Return the lowest value, the codes from there on, and whether these count up from 0."""
        if not len(self._values) or not pa.types.is_integer(self._values.type):
            return None
        numbers = self._values.cast(pa.int64(), safe=False).to_numpy()
        low, high = int(numbers.min()), int(numbers.max())
        if high - low >= WIDEST_SPAN or high - low + 1 != len(numbers):
            return None  # a gap may hide a value that is new
        table = as_codes(np.zeros(high - low + 1, dtype=np.int64), self._arity)
        table[numbers - low] = self._codes
        return low, table, bool(np.array_equal(table, np.arange(len(table))))

    def codes(self, cells: pa.Array) -> Codes:
        """Return the codes of a batch."""
        if pa.types.is_dictionary(cells.type):
            return self._of_dictionary(cells)
        if cells.null_count == 0 and self._table is not None and pa.types.is_integer(cells.type):
            return self._of_integers(cells.to_numpy(zero_copy_only=False), *self._table)
        if self._coding.cuts and pa.types.is_floating(cells.type):
            return self._of_bins(cells)
        return self._look_up(cells)

    def _of_integers(self, values: NDArray[np.integer], low: int, table: Codes, plain: bool) -> Codes:  # noqa: FBT001 - as the kernel has it
        native = kernels()
        if native is not None and values.dtype != np.uint64:
            codes, strangers = native.recode(values, low, table, plain)
        else:
            places = values.astype(np.int64) - low
            outside = (places < 0) | (places >= len(table))
            codes, strangers = table[np.where(outside, 0, places)], int(outside.sum())
        if strangers:
            self._refuse(strangers)
        return codes

    def _of_dictionary(self, cells: pa.Array) -> Codes:
        if self._dictionary is None or not self._dictionary[0].equals(cells.dictionary):
            # what a dictionary holds need not occur: it is refused when it does
            places = pc.index_in(cells.dictionary, value_set=self._values)
            known = places.is_valid().to_numpy(zero_copy_only=False)
            table = np.full(len(cells.dictionary) + 1, -1, dtype=np.int64)
            table[:-1][known] = self._codes[places.fill_null(0).to_numpy(zero_copy_only=False)[known]]
            if self._coding.missing is not None:
                table[-1] = self._coding.missing
            self._dictionary = cells.dictionary, table
        table = self._dictionary[1]
        indices = cells.indices.fill_null(len(table) - 1) if cells.null_count else cells.indices
        places = indices.to_numpy(zero_copy_only=False)
        if (table >= 0).all() or (not cells.null_count and (table[:-1] >= 0).all()):
            return self._of_integers(places, 0, as_codes(table, self._arity), plain=False)
        codes = table[places]
        if (codes < 0).any():
            self._refuse(int((codes < 0).sum()))
        return as_codes(codes, self._arity)

    def _of_bins(self, cells: pa.Array) -> Codes:
        numbers = cells.to_numpy(zero_copy_only=False)  # null comes as NaN
        cuts = cuts_for(self._coding.cuts, numbers.dtype)
        codes = as_codes(np.searchsorted(cuts, numbers.astype(np.float64), side="left"), self._arity)
        absent = np.isnan(numbers)
        if absent.any():
            codes[absent] = self._code_of_missing(int(absent.sum()))
        return codes

    def _look_up(self, cells: pa.Array) -> Codes:
        if pa.types.is_floating(cells.type) and self._coding.missing is not None:
            cells = pc.if_else(pc.is_nan(cells), pa.scalar(None, cells.type), cells)
        if not self._values.type.equals(cells.type):
            # databases tell values by their text
            self._values = self._values.cast(cells.type)
        places = pc.index_in(cells, value_set=self._values)
        absent = cells.is_null().to_numpy(zero_copy_only=False) if cells.null_count else None
        unknown = places.null_count - cells.null_count
        if unknown:
            self._refuse(unknown)
        known = self._codes if len(self._codes) else as_codes(np.zeros(1, dtype=np.int64), self._arity)
        codes: Codes = known[places.fill_null(0).to_numpy(zero_copy_only=False)]
        if absent is not None:
            codes[absent] = self._code_of_missing(int(absent.sum()))
        return codes

    def _code_of_missing(self, n: int) -> int:
        if self._coding.missing is None:
            self._refuse(n)
        return int(self._coding.missing or 0)

    def _refuse(self, n: int) -> None:
        raise DataChanged(
            f"{self._name!r} has {n:,} value(s) that were not there when its states were determined: "
            f"the data have changed. Read them again."
        )


def numbers_in(cells: pa.Array, coding: Coding, name: str) -> NDArray[np.float64]:
    """Return the numbers of a batch of a column that has no states."""
    if pa.types.is_float64(cells.type) or pa.types.is_integer(cells.type):
        numbers: NDArray[np.float64] = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return numbers + 0.0  # -0.0 is 0.0
    values = coding.values.filter(coding.values.is_valid())
    places = pc.index_in(
        cells, value_set=values if values.type.equals(cells.type) else values.cast(cells.type)
    )
    if places.null_count:
        raise DataChanged(
            f"{name!r} has {places.null_count:,} value(s) that were not there when it was read: the data "
            f"have changed. Read them again."
        )
    codes = np.asarray(coding.codes)[coding.values.is_valid().to_numpy(zero_copy_only=False)]
    levels: NDArray[np.float64] = np.asarray(coding.levels)
    found: NDArray[np.float64] = levels[codes[places.to_numpy()]]
    return found
