"""Data that stay where they are: what a relation must be able to say, and the table that stands for it."""

from __future__ import annotations

import hashlib
import json
import math
import time
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphoid.data.encoding import missing as missing_values
from graphoid.data.encoding.columns import Text, Undeclared, encode
from graphoid.data.encoding.encode import Encoded
from graphoid.data.encoding.plan import finish, plan
from graphoid.data.remote.cache import Shelf
from graphoid.data.source import choose
from graphoid.data.table import Table
from graphoid.errors import DataError
from graphoid.logic.names import shown
from graphoid.structure.learned import Discovery

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.data.source import Chosen
    from graphoid.data.table import Codes
    from graphoid.data.variables import Variable
    from graphoid.progress import Listener

MOST_VALUES = 1_000_000
"""Different values of a column that are fetched to decide about its states: some 16 megabytes."""


@dataclass(frozen=True, eq=False)
class Values:
    """The different values of a column and how many rows have each.

    Parameters
    ----------
    found
        The values; a null among them stands for missing cells.
    times
        Rows that have each.
    form
        How to understand them: "plain" by their type; "undeclared" strings; "text" of a file to be
        interpreted, "text;" of one separated by semicolons; "declared" states; "cast" from their text to the
        type of the dictionary.
    dictionary, ordered
        The declared states, and whether their order means something; None if batches declared different ones.
    """

    found: pa.Array
    times: NDArray[np.int64]
    form: str = "plain"
    dictionary: pa.Array | None = None
    ordered: bool = False

    @property
    def raw(self) -> Any:
        """The values in a form that :func:`graphoid.data.encoding.columns.encode` knows."""
        if self.form == "plain":
            return self.found
        if self.form == "declared":
            if self.dictionary is not None:
                indices = pc.index_in(self.found, value_set=self.dictionary)
                return pa.DictionaryArray.from_arrays(indices, self.dictionary, ordered=self.ordered)
            # two dictionaries tell the encoder that there is no common one
            parts = [self.found.slice(0, len(self.found) - 1), self.found.slice(len(self.found) - 1)]
            return pa.chunked_array([part.dictionary_encode() for part in parts])
        if self.form == "cast":
            return self.found.cast(self.dictionary.type) if self.dictionary is not None else self.found
        cells = pa.chunked_array([self.found.dictionary_encode()])
        if self.form == "undeclared":
            return Undeclared(cells)
        return Text(cells, decimal_comma=self.form == "text;")


@dataclass(frozen=True)
class WeightSummary:
    """What has to be known of a column of row weights before rows can be weighed."""

    total: float
    whole: bool
    """Whether all are whole numbers."""
    n_bad: int
    """Rows whose weight is missing, negative or infinite."""


@dataclass(frozen=True, eq=False)
class Census:
    """The answer to one query about all columns."""

    n_rows: int
    n_complete: int
    """Rows without a missing cell."""
    columns: Sequence[Values]
    gaps: Sequence[int] = ()
    """Positions in the relation of the columns, among those asked for, that have missing cells."""
    weights: WeightSummary | None = None


class Relation(Protocol):
    """A table somewhere. Engines in :mod:`graphoid.counts` count it."""

    kind: str
    """Which engine counts it: "stream", "duckdb", "ibis", "spark" or "sites"."""
    name: str
    """For reports; never has a user, a password or a host in it."""
    names: Sequence[str]

    @property
    def identity(self) -> str:
        """What tells this relation from others."""
        ...

    @property
    def snapshot(self) -> str | None:
        """What tells this state of it from earlier ones, or None if it cannot know."""
        ...


class CensusedRelation(Relation, Protocol):
    """A table somewhere that can say what values it has."""

    def census(self, columns: Sequence[int], weights: int | None, *, complete: bool) -> Census:
        """Return the different values of each column; if ``complete``, of rows without a missing cell."""
        ...


@dataclass(frozen=True, eq=False)
class Coding:
    """How the values of a column become codes.

    Parameters
    ----------
    position
        Of the column in the relation.
    values, codes
        The different values and the code of each; a missing cell is a null among them.
    cuts
        Inner cut points where the states are bins of a number; values then need not be looked up.
    missing
        The code of a missing cell, or None where there is none.
    """

    position: int
    values: pa.Array
    codes: NDArray[Any]
    cuts: tuple[float, ...] = ()
    missing: int | None = None


@dataclass(frozen=True)
class Weighing:
    """Row weights in a column of the relation: a row counts ``rint(weight / unit)`` units."""

    position: int
    unit: float = 1.0


@dataclass(frozen=True, eq=False, repr=False)
class RemoteTable(Table):
    """A table whose rows stay where they are; only counts travel.

    Made by :func:`graphoid.read`. It has variables and a digest as any table has, and every learner takes it;
    what needs the rows themselves (``codes``, fitting weights) says so.

    Parameters
    ----------
    relation
        Where the rows are.
    codings
        How the values of each variable become codes.
    margins
        How many rows have each state, by which a change of the data is noticed.
    complete
        Whether rows with a missing cell are left out.
    gaps
        Positions in the relation of the columns whose missing cells decide that.
    weighing
        Row weights, or None.
    cache
        A file that keeps counts from run to run, or None.
    version
        What the caller calls this state of the data, or None.
    prices
        What reading and moving costs, or None.
    progress
        Hears how far a pass over the rows has come.
    discovery
        What it took to find out the states.
    """

    relation: Any = None
    codings: tuple[Coding, ...] = ()
    margins: tuple[tuple[int, ...], ...] = ()
    complete: bool = False
    gaps: tuple[int, ...] = ()
    weighing: Weighing | None = None
    cache: str | os.PathLike[str] | None = None
    version: str | None = None
    prices: Any = None
    progress: Listener | None = None
    discovery: Discovery = field(default_factory=Discovery)

    @cached_property
    def data_id(self) -> str:
        """Digest of what is known of the data without reading them again: identity, states and margins."""
        digest = hashlib.blake2b(digest_size=16)
        # a declared version stands for the identity: the same data may be reached in several ways
        told = (
            f"{self.relation.identity} {self.relation.snapshot}"
            if self.version is None
            else f"version {self.version}"
        )
        digest.update(f"graphoid relation 1\n{self.n_rows}\n{told}\n{self.complete} {self.gaps}\n".encode())
        digest.update(repr((self.variables, self.margins)).encode())
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
            f"What was asked for needs the rows: read them with where='memory'."
        )

    def __repr__(self) -> str:
        weighted = ", weighted" if self.weighing is not None else ""
        many = f"{self.n_rows:,} rows x {len(self.variables):,} variables"
        return f"<RemoteTable {self.name!r} ({self.relation.kind}): {many}{weighted}>"


@dataclass(frozen=True, eq=False, slots=True)
class Tallied(Encoded):
    """The different values of a column as levels and codes, and how many rows each of them stands for."""

    times: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.times.sum())

    def counts(self) -> NDArray[np.int64]:
        """Return how many rows have each level; one more entry for missing cells."""
        counts = np.zeros(len(self.levels) + 1, dtype=np.int64)
        np.add.at(counts, self.codes.astype(np.intp), self.times)
        return counts


def tallied(values: Values, name: str) -> Tallied:
    """Return the levels of a column: its different values encoded as a column of them would be."""
    column = encode(values.raw, name)
    told = {key: getattr(column, key) for key in ("declared", "ordered", "label", "spelled", "notes")}
    n_missing = int(values.times[column.codes == len(column.levels)].sum())
    return Tallied(column.levels, column.codes, n_missing, times=values.times, **told)


def related(
    relation: CensusedRelation,
    *,
    columns: Any = None,
    discretize: Any = "auto",
    missing: str = "error",
    name: str | None = None,
    weights: str | None = None,
    **handling: Any,
) -> RemoteTable:
    """Return the table that stands for a relation: its states are discovered by one query.

    Parameters are those of :func:`graphoid.read`; ``handling`` has ``cache``, ``version``, ``prices`` and
    ``progress``.
    """
    if weights is not None and not isinstance(weights, str):
        raise DataError(
            "row weights of data that stay where they are must be the name of one of their columns."
        )
    chosen = choose(relation.names, columns, weights)
    if chosen.problems:
        raise chosen.problems[0]
    drop = missing == "drop"
    census, discovery = counted(
        relation, chosen, complete=drop, cache=handling.get("cache"), version=handling.get("version")
    )
    if not census.n_rows:
        raise DataError(f"{relation.name} has {len(relation.names):,} column(s) and no rows.")
    found = [tallied(values, label) for values, label in zip(census.columns, chosen.names, strict=True)]
    if drop and not census.n_complete:
        raise DataError(
            "every row has a missing cell, so missing='drop' leaves none. Choose missing='category'."
        )
    notes = list(chosen.notes)
    if drop and census.n_complete < census.n_rows:
        lost = census.n_rows - census.n_complete
        notes.append(f"{lost:,} of {census.n_rows:,} rows had missing cells and were dropped.")
    plans = [
        plan(column, label, discretize=discretize, missing=missing)
        for column, label in zip(found, chosen.names, strict=True)
    ]
    for planned, label in zip(plans, chosen.names, strict=True):
        if planned.problem is not None:
            raise planned.problem
        if planned.continuous:
            raise DataError(
                f"{label!r} is continuous, and only counts travel: read it with discretize='auto'."
            )
    if missing == "error" and any(column.n_missing for column in found):
        raise missing_values.missing_error(chosen.names, found, census.n_rows, census.n_complete)
    variables: list[Variable] = []
    codings, margins = [], []
    for i, (column, planned) in enumerate(zip(found, plans, strict=True)):
        done = finish(column, planned, chosen.names[i], missing=missing)
        assert done.codes is not None  # noqa: S101 - continuous columns were refused above
        absent = done.codes[column.codes == len(column.levels)]
        variables.append(done.variable)
        codings.append(
            Coding(
                chosen.positions[i],
                census.columns[i].found,
                done.codes,
                done.variable.cuts,
                int(absent[0]) if absent.size else None,
            )
        )
        margin = np.zeros(done.variable.arity, dtype=np.int64)
        np.add.at(margin, done.codes.astype(np.intp), column.times)
        margins.append(tuple(margin.tolist()))
        notes += done.notes
    constant = [v.name for v in variables if v.arity == 1]
    if constant:
        notes.append(f"{len(constant):,} column(s) are constant: {shown(constant)}.")
    return RemoteTable(
        tuple(variables),
        (None,) * len(variables),
        census.n_complete if drop else census.n_rows,
        notes=tuple(notes),
        name=relation.name if name is None else name,
        relation=relation,
        codings=tuple(codings),
        margins=tuple(margins),
        complete=drop,
        gaps=tuple(census.gaps) if drop else (),
        weighing=_weighing(census.weights, chosen.weights, weights),
        discovery=discovery,
        **handling,
    )


def counted(
    relation: CensusedRelation,
    chosen: Chosen,
    *,
    complete: bool,
    cache: Any = None,
    version: str | None = None,
) -> tuple[Census, Discovery]:
    """Return the different values of columns, and what that took.

    They come from the cache if they cannot have changed, else they are asked for.
    """
    state = relation.snapshot if version is None else f"version {version}"
    if cache is None or state is None:
        return _asked(relation, chosen, complete=complete)
    shelf = Shelf(cache, f"{relation.identity} {state}")
    name = f"census {chosen.positions} {chosen.weights} {complete}"
    body = shelf.get(name)
    if body is not None:
        return unpacked(body), Discovery()
    census, discovery = _asked(relation, chosen, complete=complete)
    shelf.put([(name, 1, packed(census))])
    return census, discovery


def _asked(relation: CensusedRelation, chosen: Chosen, *, complete: bool) -> tuple[Census, Discovery]:
    """Ask for the different values of columns."""
    started = time.perf_counter()
    census = relation.census(chosen.positions, chosen.weights, complete=complete)
    seconds = time.perf_counter() - started
    positions = [*chosen.positions, *([] if chosen.weights is None else [chosen.weights])]
    size_of = getattr(relation, "size_of", lambda these: 8 * census.n_rows * len(these))
    return census, Discovery(1, census.n_rows, int(size_of(positions)), seconds)


def packed(census: Census) -> bytes:
    """Return a census as bytes: its numbers, then every column in Arrow's stream format."""
    weights = None if census.weights is None else asdict(census.weights)
    told = {
        "n_rows": census.n_rows,
        "n_complete": census.n_complete,
        "gaps": list(census.gaps),
        "weights": weights,
    }
    parts = [json.dumps(told).encode()]
    for values in census.columns:
        dictionary = b"" if values.dictionary is None else _ipc(values.dictionary)
        how = json.dumps([values.form, values.ordered]).encode()
        parts += [_ipc(values.found), values.times.astype("<i8").tobytes(), how, dictionary]
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def unpacked(body: bytes) -> Census:
    """Return the census that :func:`packed` wrote."""
    parts, at = [], 0
    while at < len(body):
        size = int.from_bytes(body[at : at + 8], "little")
        parts.append(body[at + 8 : at + 8 + size])
        at += 8 + size
    told = json.loads(parts[0])
    columns = []
    for k in range(1, len(parts), 4):
        found, times, how, dictionary = parts[k : k + 4]
        form, ordered = json.loads(how)
        states = _array(dictionary) if dictionary else None
        columns.append(
            Values(_array(found), np.frombuffer(times, "<i8").astype(np.int64), form, states, ordered)
        )
    weights = None if told["weights"] is None else WeightSummary(**told["weights"])
    return Census(told["n_rows"], told["n_complete"], columns, told["gaps"], weights)


def _ipc(array: pa.Array) -> bytes:
    batch = pa.record_batch([array], names=["values"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def _array(body: bytes) -> pa.Array:
    return pa.ipc.open_stream(body).read_next_batch().column(0)


def _weighing(summary: WeightSummary | None, position: int | None, name: str | None) -> Weighing | None:
    """Return how rows are weighed: in the unit that :class:`~graphoid.data.table.Weights` would choose."""
    if summary is None or position is None:
        return None
    if summary.n_bad:
        raise DataError(
            f"{name!r}, the column of weights, has {summary.n_bad:,} row(s) without a finite number >= 0. "
            f"Every row needs a weight."
        )
    if summary.total >= 2.0**61:
        raise DataError(
            f"the weights add up to {summary.total:.3g}; the most is 2**61. Divide them by a constant."
        )
    if summary.whole:
        return Weighing(position)
    return Weighing(position, 2.0 ** -min(1074, 60 - math.ceil(math.log2(summary.total))))


def narrowed(table: RemoteTable, columns: Any, name: str | None, **handling: Any) -> RemoteTable:
    """Return some columns of a remote table, or all of them under another name or with another handling."""
    if columns is None and name in {None, table.name} and not handling:
        return table
    chosen = choose(table.names, columns)
    return replace(
        table,
        variables=tuple(table.variables[i] for i in chosen.positions),
        columns=(None,) * len(chosen.positions),
        codings=tuple(table.codings[i] for i in chosen.positions),
        margins=tuple(table.margins[i] for i in chosen.positions),
        name=table.name if name is None else name,
        **handling,
    )
