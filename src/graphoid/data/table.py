"""A table of codes and numbers: what every source becomes, and all that later packages see of the data."""

from __future__ import annotations

import hashlib
import math
import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

import numpy as np

from graphoid.data.encoding.discretize import AUTO_BINS, FEW, bins
from graphoid.data.propensity import inverse_probabilities
from graphoid.data.variables import NamedVariables, State, Variable
from graphoid.errors import ON_COMMAND_LINE, DataError, DiscretizedWarning, missing_extra, setting
from graphoid.logic.names import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray


Codes = np.ndarray[tuple[int], np.dtype[np.uint8] | np.dtype[np.uint16]]
"""One column: uint8, or uint16 where the variable has more than 256 states."""


MOST_SHOWN = 50
"""Variables that a notebook shows."""

KINDS_OF_FRAME = "graphoid kinds"
"""Where a data frame keeps the kinds that its values do not tell."""


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
    """Variables, and a column of codes for each, or of numbers where it has no states.

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
    holes
        Positions of the columns that may have missing cells: their code is the number of states, and no
        state; in numbers they are NaN. Most tables have none.
    missing
        How questions about columns with holes are answered: "available" or "weighted", as in
        :class:`~graphoid.data.options.ReadOptions`.
    engine
        Who counts: "native", "gpu", or "auto" for whichever is quicker. The answers are the same.
    reading
        The settings of :func:`graphoid.read` by which it was read, where they are not the usual ones.
    """

    variables: tuple[Variable, ...]
    columns: tuple[Codes | None, ...]
    n_rows: int
    values: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    weights: Weights | None = None
    notes: tuple[str, ...] = ()
    name: str = "table"
    holes: frozenset[int] = frozenset()
    missing: str = "available"
    engine: str = "auto"
    reading: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for column in self.columns:
            if column is not None:
                column.flags.writeable = False
        for value in self.values.values():
            value.flags.writeable = False

    @cached_property
    def codes(self) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """All codes as one array, ``n_rows`` x ``n``, column-major; two bytes wide if a column needs it.

        Numbers without states have the codes of :attr:`discretized`, and a warning says so.
        """
        counted = with_states(self)
        columns = [counted.column(i) for i in range(len(self.variables))]
        wide = any(column.dtype == np.uint16 for column in columns)
        codes = np.empty((self.n_rows, len(columns)), dtype=np.uint16 if wide else np.uint8, order="F")
        for i, column in enumerate(columns):
            codes[:, i] = column
        codes.flags.writeable = False
        return codes

    def column(self, variable: int | str) -> Codes:
        """Return the codes of one variable; refused where cells are missing, which have no state."""
        i = self.position(variable)
        if i in self.holes and self.absent(i).any():
            raise self._hole_error(i)
        return self.codes_of(i)

    def codes_of(self, variable: int | str) -> Codes:
        """Return the codes of one variable; a missing cell has the number of states as its code."""
        i = self.position(variable)
        column = self.columns[i]
        if column is None:
            v = self.variables[i]
            distinct = np.unique(self.values[i]).size
            raise DataError(
                f"{v.name!r} is {v.kind} ({distinct:,} different numbers in {self.n_rows:,} rows) and has "
                f"no states to count. Read it with {setting('discretize', 'auto')}, use the table's "
                f"discretized, or use PartialCorrelation."
            )
        return column

    def absent(self, variable: int | str) -> NDArray[np.bool_]:
        """Return which cells of a column are missing."""
        i = self.position(variable)
        codes = self.columns[i]
        if i not in self.holes:
            return np.zeros(self.n_rows, dtype=bool)
        return np.isnan(self.values[i]) if codes is None else np.asarray(codes == self.variables[i].arity)

    @cached_property
    def n_missing(self) -> int:
        """How many cells are missing."""
        return sum(int(self.absent(i).sum()) for i in sorted(self.holes))

    def complete_rows(self, variables: Sequence[int | str] | None = None) -> Table:
        """Return the rows in which no cell of some variables is missing, of all unless they are given.

        Those columns have no holes then, so that whatever needs every cell of them can be asked.
        """
        wanted = range(len(self.variables)) if variables is None else map(self.position, variables)
        some = self.holes.intersection(wanted)
        if not some:
            return self
        kept = np.ones(self.n_rows, dtype=bool)
        for i in some:
            kept &= ~self.absent(i)
        return replace(self.keep(kept), holes=self.holes - some)

    def rows_for(self, variables: Sequence[int]) -> Table:
        """Return some columns alone, with the rows that are complete for them: what a question is asked of.

        Where the policy is "weighted", rows count by the inverse of how likely they are to be complete.
        """
        rows = self.take(variables).complete_rows()
        incomplete = sorted(self.holes.intersection(variables))
        if self.missing != "weighted" or not incomplete:
            return rows
        kept = ~np.logical_or.reduce([self.absent(i) for i in incomplete])
        weights = np.prod([self._inverse_probabilities[i][kept] for i in incomplete], axis=0)
        if rows.weights is not None:
            weights = weights * rows.weights.values
        return replace(rows, weights=Weights.of(weights).effective() if weights.any() else rows.weights)

    @cached_property
    def _inverse_probabilities(self) -> dict[int, NDArray[np.float64]]:
        return inverse_probabilities(self)

    def keep(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> Table:
        """Return some of the rows as a table of their own."""
        weights = self.weights
        columns = tuple(None if column is None else column[rows] for column in self.columns)
        values = {i: numbers[rows] for i, numbers in self.values.items()}
        if weights is not None:
            weights = Weights(weights.units[rows], weights.unit)
        n_rows = int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows)
        return replace(self, columns=columns, values=values, weights=weights, n_rows=n_rows)

    def _hole_error(self, i: int) -> DataError:
        n, drop = int(self.absent(i).sum()), setting("missing", "drop")
        ways = [] if self.missing == "impute" else [f"learn with {setting('missing', 'impute')}"]
        ways += [] if ON_COMMAND_LINE.get() else ["complete the table by gd.impute"]
        ways.append(f"{'or ' if ways else ''}read it with {drop}")
        return DataError(
            f"{self.variables[i].name!r} has {n:,} missing cell(s), and what was asked for needs every cell: "
            f"{', '.join(ways) if len(ways) > 2 else ' '.join(ways)}."
        )

    @property
    def discretized(self) -> Table:
        """The same rows with states in every column: numbers are cut as ``discretize="auto"`` cuts them."""
        return self._discretized if any(v.continuous for v in self.variables) else self

    @cached_property
    def _discretized(self) -> Table:
        variables, columns = list(self.variables), list(self.columns)
        values, notes = dict(self.values), list(self.notes)
        for i, v in enumerate(self.variables):
            if v.continuous:
                absent = self.absent(i)
                cut = cut_numbers(self.values[i][~absent], v.name)
                if absent.any():
                    codes = np.full(self.n_rows, len(cut.states), dtype=np.uint8)
                    codes[~absent] = cut.codes
                    cut = cut._replace(codes=codes)
                columns[i] = cut.codes
                variables[i] = Variable(v.name, cut.states, cuts=cut.cuts, label=v.label, kind="ordered")
                notes += cut.notes
                if not cut.cuts:  # the states are the numbers
                    del values[i]
        return replace(
            self, variables=tuple(variables), columns=tuple(columns), values=values, notes=tuple(notes)
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a data frame of pandas: categories, ordered ones, and numbers.

        States keep their labels. :func:`graphoid.read` gives its columns the kinds that they have here.
        """
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("a data frame", "pandas") from None
        frame = pd.DataFrame({i: _series(self, i) for i in range(len(self.variables))}, range(self.n_rows))
        frame.columns = pd.Index(self.names)
        frame.attrs[KINDS_OF_FRAME] = {v.name: v.kind for v in self.variables if _needs_word(v)}
        return frame

    def numbers(self, variable: int | str) -> NDArray[np.float64]:
        """Return a column as numbers: the values it was read with, or its states where these are numbers."""
        i = self.position(variable)
        v = self.variables[i]
        if i in self.values:
            absent = int(np.isnan(self.values[i]).sum())
            if absent and i in self.holes:
                raise self._hole_error(i)
            if absent:
                raise DataError(
                    f"{v.name!r} has {absent:,} missing cell(s), a state of their own and no number. "
                    f"Read it with {setting('missing', 'drop')}."
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
            if i in self.holes:
                seen = seen[~self.absent(i)[rows]]
            # a look at some rows first: few columns are constant
            if (seen[:4096] == seen[:1]).all() and (seen == seen[:1]).all():
                found[i] = 0 if codes is None or not len(seen) else int(seen[0])
        return found

    @property
    def varying(self) -> Table:
        """The columns that are not constant, one at least, as a table: the same, so that engines stay."""
        return self._varying if self.constants else self

    @cached_property
    def _varying(self) -> Table:
        return self.take([i for i in range(len(self.variables)) if i not in self.constants] or [0])

    def take(self, positions: Sequence[int]) -> Table:
        """Return some columns as a table of their own."""
        return replace(
            self,
            variables=tuple(self.variables[i] for i in positions),
            columns=tuple(self.columns[i] for i in positions),
            values={k: self.values[i] for k, i in enumerate(positions) if i in self.values},
            holes=frozenset(k for k, i in enumerate(positions) if i in self.holes),
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
        if self.holes:
            digest.update(f"holes {sorted(self.holes)} {self.missing}".encode())
        return digest.hexdigest()

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th>{escape(v.name)}</th><td>{kind_in_words(v)}</td><td>{escape(_states(v))}</td></tr>"
            for v in self.variables[:MOST_SHOWN]
        )
        more = len(self.variables) - MOST_SHOWN
        rest = f"<p>and {more:,} more variables</p>" if more > 0 else ""
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return (
            f"<p><b>{escape(self.name)}</b>: {self.n_rows:,} rows x {len(self.variables):,} variables"
            f"{self._extras()}</p>"
            f"<table><tr><th>variable</th><th>kind</th><th>states</th></tr>{cells}</table>{rest}<ul>{notes}</ul>"
        )

    def __repr__(self) -> str:
        size = f"{self.n_rows:,} rows x {len(self.variables):,} variables"
        return f"<Table {self.name!r}: {size}{self._extras()}>"

    def _extras(self) -> str:
        weighted = ", weighted" if self.weights is not None else ""
        return weighted + (f", {self.n_missing:,} cells missing" if self.holes else "")


_said: WeakSet[Table] = WeakSet()
"""Tables of which it was said that their numbers are cut."""


def code_columns(codes: NDArray[np.integer], variables: Sequence[Variable]) -> tuple[Codes, ...]:
    """Return the columns of an array of codes, each as narrow as the states of its variable allow."""
    return tuple(
        np.ascontiguousarray(codes[:, i].astype(np.uint8 if v.arity <= 256 else np.uint16))
        for i, v in enumerate(variables)
    )


class CutNumbers(NamedTuple):
    """A column of numbers that was given states."""

    states: tuple[State, ...]
    codes: Codes
    cuts: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()


def cut_numbers(numbers: NDArray[np.float64], name: str) -> CutNumbers:
    """Return numbers with the states that reading with ``discretize="auto"`` gives them."""
    levels, ranks, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    cut = cut_levels(levels, counts, name)
    return cut._replace(codes=cut.codes[ranks])


def cut_levels(levels: NDArray[np.float64], counts: NDArray[np.int64], name: str) -> CutNumbers:
    """Return the same of the different numbers of a column, ascending, and how many rows have each."""
    if len(levels) <= FEW:
        whole = np.array_equal(levels, np.rint(levels))
        states = (levels.astype(np.int64) if whole else levels).tolist()
        return CutNumbers(tuple(states), np.arange(len(levels), dtype=np.uint8))
    found = bins(levels, counts, "auto", int(counts.sum()), name)
    note = f"{name!r} ({len(levels):,} different numbers) was {found.note}."
    return CutNumbers(found.labels, found.codes.astype(np.uint8), found.cuts, (note,))


def with_states(table: Table) -> Table:
    """Return a table whose every column can be counted: itself, or :attr:`Table.discretized`.

    For whatever counts states: the one place where numbers are given some, and that says so, once a table.
    """
    numbers = [v.name for v in table.variables if v.continuous]
    if numbers and table not in _said:
        _said.add(table)
        warnings.warn(
            f"{quote(numbers)} hold{'s' if len(numbers) == 1 else ''} numbers, and what was asked for counts "
            f"states: each is cut into {AUTO_BINS} bins of about equal frequency. Learners that know kinds, "
            f"such as gd.learn, use the numbers; {setting('discretize', 'auto')} cuts them on reading.",
            DiscretizedWarning,
            stacklevel=3,
        )
    return table.discretized


def kind_in_words(variable: Variable) -> str:
    """Return what sort of column it is, in a word."""
    return "binned" if variable.cuts else variable.kind


def _needs_word(variable: Variable) -> bool:
    """Say whether the values alone would not tell the kind: few numbers, or numbers with states."""
    return variable.kind in {"continuous", "count"}


def _series(table: Table, i: int) -> pd.Series:
    import pandas as pd

    variable = table.variables[i]
    if (variable.continuous or variable.kind == "count") and table.absent(i).any():
        return pd.Series(_numbers_with_holes(table, i))
    if variable.continuous or variable.kind == "count":
        numbers = table.numbers(i)
        whole = len(numbers) > 0 and np.array_equal(numbers, np.rint(numbers)) and variable.kind == "count"
        return pd.Series(numbers.astype(np.int64) if whole else numbers)
    states = pd.Index(variable.states, dtype=None if len({type(s) for s in variable.states}) == 1 else object)
    codes = np.where(table.absent(i), -1, table.codes_of(i).astype(np.int32))
    return pd.Series(pd.Categorical.from_codes(codes, states, ordered=variable.ordered))


def _numbers_with_holes(table: Table, i: int) -> NDArray[np.float64]:
    """Return a column of numbers, NaN where cells are missing."""
    if i in table.values:
        return table.values[i]
    return np.append(np.array(table.variables[i].states, dtype=np.float64), np.nan)[table.codes_of(i)]


def _states(variable: Variable) -> str:
    """Return the first few states, for a notebook."""
    return ", ".join(map(str, variable.states[:8])) + (" …" if variable.arity > 8 else "")
