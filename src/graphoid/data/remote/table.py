"""The table that stands for data that stay where they are."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from graphoid.data.encoding.profile import profile_columns
from graphoid.data.options import HOLES, ReadOptions, RemoteOptions
from graphoid.data.remote.census import WeightSummary, take_census
from graphoid.data.remote.relation import CensusRelation, JoinedRelation
from graphoid.data.source import choose
from graphoid.data.table import Codes, Table, cut_levels, refuse_no_weight, unit_for
from graphoid.data.variables import Variable
from graphoid.errors import DataError, setting
from graphoid.structure.learned import Discovery

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.encoding.plan import Column
    from graphoid.data.remote.census import ValueCounts


@dataclass(frozen=True, eq=False)
class Coding:
    """How the values of a column become codes."""

    position: int
    """Of the column in the relation."""
    values: pa.Array
    codes: NDArray[np.integer]
    """The different values and the code of each; a missing cell is a null among them."""
    cuts: tuple[float, ...] = ()
    """Inner cut points where the states are bins of a number; values then need not be looked up."""
    missing: int | None = None
    """The code of a missing cell, or None where there is none."""
    levels: NDArray[np.float64] | None = None
    """Of a column of numbers, which has no states: the numbers that codes stand for, ascending."""


@dataclass(frozen=True)
class Weighing:
    """Row weights in a column of the relation: a row counts ``rint(weight / unit)`` units."""

    position: int
    unit: float = 1.0

    @classmethod
    def of(cls, summary: WeightSummary, position: int, name: str) -> Weighing:
        """Return how rows are weighed: in the unit that weights in memory would have."""
        if summary.n_bad:
            raise DataError(
                f"{name!r}, the column of weights, has {summary.n_bad:,} row(s) without "
                f"a finite number >= 0. Every row needs a weight."
            )
        refuse_no_weight(summary.total)
        return cls(position, unit_for(summary.total, whole=summary.whole))


@dataclass(frozen=True, eq=False, repr=False)
class RemoteTable(RemoteOptions, Table):
    """A table whose rows stay where they are; only counts travel.

    Made by :func:`graphoid.read`. It has variables and a digest as any table has, and every learner takes it;
    what needs the rows themselves (``codes``, fitting weights) says so. How it is asked is in its options.
    """

    relation: Any = None  # of the kind that its engine counts
    """Where the rows are."""
    codings: tuple[Coding, ...] = ()
    """How the values of each variable become codes."""
    margins: tuple[tuple[int, ...], ...] = ()
    """How many rows have each state, by which a change of the data is noticed."""
    complete: bool = False
    """Whether rows with a missing cell are left out."""
    gaps: tuple[int, ...] = ()
    """Positions in the relation of the columns whose missing cells decide that."""
    weighing: Weighing | None = None
    """Row weights, or None."""
    discovery: Discovery = field(default_factory=Discovery)
    """What it took to find out the states."""

    @cached_property
    def data_id(self) -> str:
        """Digest of what is known of the data without reading them again: identity, states and margins."""
        digest = hashlib.blake2b(digest_size=16)
        # a declared version stands for the identity: the same data may be reached in several ways
        identity = (
            f"{self.relation.identity} {self.relation.snapshot}"
            if self.version is None
            else f"version {self.version}"
        )
        digest.update(
            f"graphoid relation 1\n{self.n_rows}\n{identity}\n{self.complete} {self.gaps}\n".encode()
        )
        digest.update(repr((self.variables, self.margins)).encode())
        for coding in self.codings:
            if coding.levels is not None:
                digest.update(coding.levels.tobytes())
        if self.weighing is not None:
            digest.update(
                f"weights {self.relation.names[self.weighing.position]} {self.weighing.unit!r}".encode()
            )
        return digest.hexdigest()

    @property
    def codes(self) -> NoReturn:
        """Not there: the rows stay where they are."""
        self._refuse()

    def column(self, variable: int | str) -> Codes:
        """Not there: the rows stay where they are."""
        self.position(variable)
        self._refuse()

    def numbers(self, variable: int | str) -> NDArray[np.float64]:
        """Not there: the rows stay where they are."""
        self.position(variable)
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise DataError(
            f"the {self.n_rows:,} rows of {self.name!r} stay where they are and only counts travel. "
            f"What was asked for needs the rows: read them with {setting('where', 'memory')}."
        )

    def select(self, options: ReadOptions, remote: RemoteOptions) -> RemoteTable:
        """Return some columns, or all of them under another name or with another handling."""
        handling = {setting: value for setting, value in vars(remote).items() if value is not None}
        if options.columns is None and options.name in {None, self.name} and not handling:
            return self
        chosen = self.take(choose(self.names, options).positions)
        return replace(chosen, name=self.name if options.name is None else options.name, **handling)

    @cached_property
    def constants(self) -> dict[int, int]:
        """Columns that are the same in all rows, by position, and the code that they have."""
        margins = self.margins or [(1,) * v.arity for v in self.variables]
        return {
            i: margin.index(max(margin)) for i, margin in enumerate(margins) if sum(map(bool, margin)) < 2
        }

    @property
    def discretized(self) -> RemoteTable:
        """The same rows with states in every column: numbers are cut as ``discretize="auto"`` cuts them."""
        return self._discretized if any(v.continuous for v in self.variables) else self

    @cached_property
    def _discretized(self) -> RemoteTable:
        variables, codings = list(self.variables), list(self.codings)
        margins, notes = list(self.margins), list(self.notes)
        for i, (v, coding) in enumerate(zip(self.variables, self.codings, strict=True)):
            if coding.levels is not None:
                cut = cut_levels(coding.levels, np.array(margins[i]), v.name)
                codings[i] = replace(coding, codes=cut.codes[coding.codes], cuts=cut.cuts, levels=None)
                variables[i] = Variable(v.name, cut.states, cuts=cut.cuts, label=v.label, kind="ordered")
                counts = np.bincount(cut.codes, margins[i], len(cut.states)).astype(np.int64)
                margins[i] = tuple(counts.tolist())
                notes += cut.notes
        return replace(
            self,
            variables=tuple(variables),
            codings=tuple(codings),
            margins=tuple(margins),
            notes=tuple(notes),
        )

    def take(self, positions: Sequence[int]) -> RemoteTable:
        """Return some columns as a table of their own."""
        joined = isinstance(self.relation, JoinedRelation)
        return replace(
            self,
            relation=self.relation.take(positions) if joined else self.relation,
            variables=tuple(self.variables[i] for i in positions),
            columns=(None,) * len(positions),
            codings=tuple(self.codings[i] for i in positions) if self.codings else (),
            margins=tuple(self.margins[i] for i in positions) if self.margins else (),
        )

    def __repr__(self) -> str:
        weighted = ", weighted" if self.weighing is not None else ""
        many = f"{self.n_rows:,} rows x {len(self.variables):,} variables"
        return f"<RemoteTable {self.name!r} ({self.relation.kind}): {many}{weighted}>"


def _refuse_what_takes_rows(options: ReadOptions) -> None:
    """Raise if something is asked for that only rows in memory can give."""
    if options.weights is not None and not isinstance(options.weights, str):
        raise DataError(
            "row weights of data that stay where they are must be the name of one of their columns."
        )
    if options.missing in HOLES:
        raise DataError(
            f"{setting('missing', options.missing)} takes the rows, and these stay where they are: read them "
            f"with {setting('where', 'memory')}, or choose 'drop' or 'category'."
        )
    if options.weighting == "sampling":
        raise DataError(
            "sampling weights are scaled by the sum of their squares, which takes the rows: read them with "
            f"{setting('where', 'memory')}."
        )
    if options.missing == "drop" and options.na_values:
        raise DataError(
            "rows are dropped where the data are, and codes for missing values are known here: read them "
            f"with {setting('where', 'memory')}, or choose another policy for missing cells."
        )


def remote_table(relation: CensusRelation, options: ReadOptions, remote: RemoteOptions) -> RemoteTable:
    """Return the table that stands for a relation: its states are discovered by one query."""
    _refuse_what_takes_rows(options)
    chosen = choose(relation.names, options)
    if chosen.problems:
        raise chosen.problems[0]
    drop = options.missing == "drop"
    census, discovery = take_census(
        relation, chosen, complete=drop, cache=remote.cache, version=remote.version
    )
    if not census.n_rows:
        raise DataError(f"{relation.name} has {len(relation.names):,} column(s) and no rows.")
    encoded = [
        counts.encode(name, options.spelling)
        for counts, name in zip(census.columns, chosen.names, strict=True)
    ]
    found = profile_columns(chosen, encoded, options, census.n_rows, census.n_complete)
    columns, notes = found.finish()
    weighing = None
    if census.weights is not None and chosen.weights is not None:
        weighing = Weighing.of(census.weights, chosen.weights, relation.names[chosen.weights])
    codings, margins = [], []
    for position, known, levels, column in zip(
        chosen.positions, census.columns, found.columns, columns, strict=True
    ):
        if levels is None:  # has a problem, raised above
            continue
        coding, margin = _code(position, known, levels, column)
        codings.append(coding)
        margins.append(tuple(margin.tolist()))
    return RemoteTable(
        tuple(column.variable for column in columns),
        (None,) * len(columns),
        found.n_rows,
        notes=notes,
        name=relation.name if options.name is None else options.name,
        relation=relation,
        codings=tuple(codings),
        margins=tuple(margins),
        complete=drop,
        gaps=tuple(census.gaps) if drop else (),
        weighing=weighing,
        discovery=discovery,
        **vars(remote),
    )


def _code(
    position: int, known: ValueCounts, levels: Encoded, column: Column
) -> tuple[Coding, NDArray[np.int64]]:
    """Return how the values of a column become codes, and how many rows have each code."""
    if column.codes is None:
        numbers = np.asarray(levels.levels, dtype=np.float64)
        return Coding(position, known.values, levels.codes, levels=numbers), levels.counts()[:-1]
    absent = column.codes[levels.missing()]
    missing = int(absent[0]) if absent.size else None
    coding = Coding(position, known.values, column.codes, column.variable.cuts, missing)
    return coding, np.bincount(column.codes, levels.times, column.variable.arity).astype(np.int64)
