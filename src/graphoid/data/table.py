"""A table of codes: what every source becomes, and all that the packages below see of the data."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.variables import NamedVariables, Variable
from graphoid.errors import DataError
from graphoid.logic.names import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


Codes = np.ndarray[tuple[int], np.dtype[np.uint8] | np.dtype[np.uint16]]
"""One column: uint8, or uint16 where the variable has more than 256 states."""


MOST_SHOWN = 50
"""Variables that a notebook shows."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Row weights in fixed point, so that sums do not depend on the order of the rows or of the threads.

    The weight of row ``i`` is ``units[i] * unit``; ``unit`` is a power of two and the sum of all units stays
    below 2**62. Whole-number weights have ``unit == 1`` and are exact.
    """

    units: NDArray[np.int64]
    unit: float = 1.0

    @classmethod
    def of(cls, weights: ArrayLike) -> Weights:
        """Return weights from any array of finite, non-negative numbers."""
        w = np.asarray(weights, dtype=np.float64)
        if w.ndim != 1:
            raise DataError(f"weights must be one number a row; got an array of shape {w.shape}.")
        bad = np.flatnonzero(~np.isfinite(w) | (w < 0))
        if bad.size:
            raise DataError(
                f"weight {w[bad[0]]} in row {bad[0]} is not a finite number >= 0; "
                f"{bad.size:,} row(s) like it. Mend or drop them."
            )
        unit = unit_for(float(w.sum()), whole=np.array_equal(w, np.rint(w)))
        return cls(np.rint(w / unit).astype(np.int64), unit)

    def effective(self) -> Weights:
        """Return the weights scaled to the effective number of rows of [Kish1965]_.

        >>> Weights.of([3.0, 1.0, 0.0]).effective().total
        1.6
        """
        w = self.values
        return Weights.of(w * (w.sum() / (w**2).sum()))

    @property
    def total(self) -> float:
        """Sum of all weights."""
        return int(self.units.sum()) * self.unit

    @property
    def values(self) -> NDArray[np.float64]:
        """The weights as floating-point numbers."""
        return self.units * np.float64(self.unit)


def refuse_no_weight(total: float) -> None:
    """Raise if weights that were read add up to nothing; those of a resample may."""
    if total <= 0:
        raise DataError("all weights are 0: no row would count. Give some rows a weight above 0, or none.")


def unit_for(total: float, *, whole: bool) -> float:
    """Return the unit of weights with this sum: one if all are whole numbers, else as fine as it may be."""
    if total >= 2.0**61:
        raise DataError(f"the weights add up to {total:.3g}; the most is 2**61. Divide them by a constant.")
    if whole:
        return 1.0
    # 2**-shift is the finest unit for which the total still fits into 62 bits, and is itself a double
    return 2.0 ** -min(1074, 60 - math.ceil(math.log2(total)))


@dataclass(frozen=True, eq=False, repr=False)
class Table(NamedVariables):
    """Variables with states, and a column of codes for each.

    Made by :func:`graphoid.read`. Arrays are read-only: a table can be shared and its digest stays true.

    Parameters
    ----------
    variables
        In the order of the columns.
    columns
        One contiguous array of codes a variable; None for a continuous one.
    n_rows
        Number of rows.
    values
        The numbers behind columns that are continuous or were binned, by position.
    weights
        Row weights, or None.
    notes
        What reading changed: dropped rows, bins, merged levels.
    name
        Where it came from, for reports.
    """

    variables: tuple[Variable, ...]
    columns: tuple[Codes | None, ...]
    n_rows: int
    values: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    weights: Weights | None = None
    notes: tuple[str, ...] = ()
    name: str = "table"

    def __post_init__(self) -> None:
        for column in self.columns:
            if column is not None:
                column.flags.writeable = False
        for value in self.values.values():
            value.flags.writeable = False

    @cached_property
    def codes(self) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """All codes as one array, ``n_rows`` x ``n``, column-major; two bytes wide if a column needs it."""
        columns = [self.column(i) for i in range(len(self.variables))]
        wide = any(column.dtype == np.uint16 for column in columns)
        codes = np.empty((self.n_rows, len(columns)), dtype=np.uint16 if wide else np.uint8, order="F")
        for i, column in enumerate(columns):
            codes[:, i] = column
        codes.flags.writeable = False
        return codes

    def column(self, variable: int | str) -> Codes:
        """Return the codes of one variable."""
        i = self.position(variable)
        column = self.columns[i]
        if column is None:
            v = self.variables[i]
            distinct = np.unique(self.values[i]).size
            raise DataError(
                f"{v.name!r} is continuous ({distinct:,} different numbers in {self.n_rows:,} rows) and has "
                f"no states to count. Read it with discretize='auto' or 'scott', or use PartialCorrelation."
            )
        return column

    def numbers(self, variable: int | str) -> NDArray[np.float64]:
        """Return a column as numbers: the values it was read with, or its states where these are numbers."""
        i = self.position(variable)
        v = self.variables[i]
        if i in self.values:
            absent = int(np.isnan(self.values[i]).sum())
            if absent:
                raise DataError(
                    f"{v.name!r} has {absent:,} missing cell(s), a state of their own and no number. "
                    f"Read it with missing='drop'."
                )
            return self.values[i]
        if not all(isinstance(state, (bool, int, float)) for state in v.states):
            raise DataError(
                f"{v.name!r} has states {quote([str(s) for s in v.states], 4)}, which are not all numbers."
            )
        return np.array(v.states, dtype=np.float64)[self.column(i)]

    @cached_property
    def constants(self) -> dict[int, int]:
        """Columns that are the same in all rows that count, by position, and the code that they have."""
        rows = slice(None) if self.weights is None else np.flatnonzero(self.weights.units)
        found = {}
        for i, codes in enumerate(self.columns):
            column = self.values[i] if codes is None else codes
            seen = column[rows]
            # a look at some rows first: few columns are constant
            if (seen[:4096] == seen[:1]).all() and (seen == seen[:1]).all():
                found[i] = 0 if codes is None or not len(seen) else int(seen[0])
        return found

    @cached_property
    def varying(self) -> Table:
        """The columns that are not constant, one at least, as a table: the same, so that engines stay."""
        return self.take([i for i in range(len(self.variables)) if i not in self.constants] or [0])

    def take(self, positions: Sequence[int]) -> Table:
        """Return some columns as a table of their own."""
        return replace(
            self,
            variables=tuple(self.variables[i] for i in positions),
            columns=tuple(self.columns[i] for i in positions),
            values={k: self.values[i] for k, i in enumerate(positions) if i in self.values},
        )

    @cached_property
    def data_id(self) -> str:
        """Digest of all codes, numbers, weights and variables: any changed cell changes it."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(f"graphoid table 1\n{self.n_rows}\n".encode())
        for i, (variable, column) in enumerate(zip(self.variables, self.columns, strict=True)):
            digest.update(repr(variable).encode())
            if column is not None:
                digest.update(column.dtype.str.encode())
                digest.update(np.ascontiguousarray(column).data)
            if i in self.values:
                digest.update(b"values")
                digest.update(np.ascontiguousarray(self.values[i]).data)
        if self.weights is not None:
            digest.update(f"weights {self.weights.unit!r}".encode())
            digest.update(np.ascontiguousarray(self.weights.units).data)
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th>{escape(v.name)}</th><td>{_kind(v)}</td><td>{escape(_states(v))}</td></tr>"
            for v in self.variables[:MOST_SHOWN]
        )
        more = len(self.variables) - MOST_SHOWN
        rest = f"<p>and {more:,} more variables</p>" if more > 0 else ""
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            f"<p><b>{escape(self.name)}</b>: {self.n_rows:,} rows x {len(self.variables):,} variables"
            f"{', weighted' if self.weights is not None else ''}</p>"
            f"<table><tr><th>variable</th><th>kind</th><th>states</th></tr>{cells}</table>{rest}<ul>{notes}</ul>"
        )

    def __repr__(self) -> str:
        weighted = ", weighted" if self.weights is not None else ""
        return f"<Table {self.name!r}: {self.n_rows:,} rows x {len(self.variables):,} variables{weighted}>"


def code_columns(codes: NDArray[np.integer], variables: Sequence[Variable]) -> tuple[Codes, ...]:
    """Return the columns of an array of codes, each as narrow as the states of its variable allow."""
    return tuple(
        np.ascontiguousarray(codes[:, i].astype(np.uint8 if v.arity <= 256 else np.uint16))
        for i, v in enumerate(variables)
    )


def _kind(variable: Variable) -> str:
    """Return what sort of column it is, in a word."""
    if variable.continuous:
        return "continuous"
    return "binned" if variable.cuts else "ordered" if variable.ordered else "nominal"


def _states(variable: Variable) -> str:
    """Return the first few states, for a notebook."""
    return ", ".join(map(str, variable.states[:8])) + (" …" if variable.arity > 8 else "")
