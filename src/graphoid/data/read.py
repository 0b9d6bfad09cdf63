"""The door for data: a file, a data frame, a relation, an array, a dictionary becomes a table."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.profile import profile_source, weigh
from graphoid.data.formats.delimited import from_delimited
from graphoid.data.formats.files import clear_errors, not_a_file
from graphoid.data.formats.frames import from_array, from_arrow, from_columns, from_frame, from_table
from graphoid.data.formats.labelled import from_arff, from_spss
from graphoid.data.options import HOLES, ReadOptions, RemoteOptions, Transformer
from graphoid.data.remote.sources import relation_of
from graphoid.data.remote.table import RemoteTable, remote_table
from graphoid.data.source import Source, choose
from graphoid.data.table import Table, Weights
from graphoid.errors import (
    ON_COMMAND_LINE,
    DataError,
    LikelyMissingWarning,
    SettingsError,
    as_option,
    setting,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from graphoid.data.variables import Kind
    from graphoid.progress import Listener

PACKED = (".csv", ".tsv", ".txt", ".arff")
"""Files that may have been packed with gzip and be called .csv.gz, ..."""


def read(
    source: object,
    *,
    columns: Iterable[str | int] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    discretize: str | Transformer | None = None,
    missing: str = "error",
    name: str | None = None,
    weights: str | ArrayLike | None = None,
    weighting: str = "frequency",
    na_values: Iterable[str | float] = (),
    decimal: str = ".",
    engine: str = "auto",
    where: str = "auto",
    table: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    version: str | None = None,
    prices: object = None,
    progress: Listener | None = None,
) -> Table:
    """Read a source into a table, or into a handle to data that stay where they are.

    Parameters
    ----------
    source
        A path (.csv .tsv .txt, also with .gz; .parquet .arff .sav .arrow .feather .duckdb), a data frame, an
        Arrow table, a dictionary of columns, a two-dimensional array, a DuckDB relation, an Ibis table, a
        PySpark data frame, or a table.
    columns, kinds, discretize, missing, weights, weighting, na_values, decimal, name, engine
        What is read, what becomes of it, and who counts: see :class:`~graphoid.data.options.ReadOptions`.
    where
        "memory" reads all rows into codes. "source" leaves them where they are: only counts travel. "auto"
        is "source" for databases, Ibis tables, Spark frames, Arrow files, Parquet beyond 500 million cells.
    table
        Of a ``.duckdb`` database, the name of the table or view; not needed if there is only one.
    cache, version, prices, progress
        For data that stay at their source: see :class:`~graphoid.data.options.RemoteOptions`.

    Returns
    -------
    Table
        Variables have kinds. States are in the order that the source declares; otherwise numbers ascend and
        text is sorted by code point, whatever the order of the rows. ``notes`` says what reading changed.

    Examples
    --------
    >>> table = read({"smokes": ["no", "yes", "no"], "age": [31, 54, 47]}, kinds={"age": "continuous"})
    >>> table.variables[0].states, [v.kind for v in table.variables]
    (('no', 'yes'), ['nominal', 'continuous'])
    """
    of_values = (kinds or {}, na_values, decimal, engine)
    options = ReadOptions(columns, discretize, missing, weights, name, weighting, *of_values)
    remote = RemoteOptions(cache, version, prices, progress)
    _check_where(where)
    if isinstance(source, RemoteTable):
        return _select_remote(source, options, remote, where)
    relation = None if where == "memory" else relation_of(source, table, always=where == "source")
    return (
        _in_memory(source, options, remote) if relation is None else remote_table(relation, options, remote)
    )


def _check_where(where: str) -> None:
    if where not in ("auto", "memory", "source"):
        raise SettingsError(f"where is {where!r}; expected 'auto', 'memory' or 'source'.")


def _select_remote(table: RemoteTable, options: ReadOptions, remote: RemoteOptions, where: str) -> Table:
    if where == "memory" or options.weights is not None or options.kinds or not options.spelling.usual:
        raise SettingsError("the table stays where it is; read its source again with other settings.")
    if options.engine != "auto":
        raise SettingsError(
            f"engine={options.engine!r} is for rows in memory, and these stay at their source."
        )
    return table.select(options, remote)


def _in_memory(source: object, options: ReadOptions, remote: RemoteOptions) -> Table:
    """Read all rows."""
    for name, value in vars(remote).items():
        if value is not None:
            raise SettingsError(
                f"{as_option('--' + name, name)} is for data that stay where they are, and these are read "
                f"into memory; leave it out, or give {setting('where', 'source')}."
            )
    if isinstance(source, Table):
        return _select(source, options)
    opened = open_source(source, options)
    found = profile_source(opened, options)
    columns, notes = found.finish()
    if found.doubts and not ON_COMMAND_LINE.get():  # where notes are shown
        more = f" And {len(found.doubts) - 1:,} more; table.notes has all." if len(found.doubts) > 1 else ""
        warnings.warn(found.doubts[0] + more, LikelyMissingWarning, stacklevel=3)
    return Table(
        tuple(column.variable for column in columns),
        tuple(column.codes for column in columns),
        found.n_rows,
        {i: column.values for i, column in enumerate(columns) if column.values is not None},
        *_row_weights(found.weights, notes, options),
        opened.name if options.name is None else options.name,
        found.holes,
        options.missing if found.holes else "available",
        options.engine,
        options.arguments(),
    )


def _select(table: Table, options: ReadOptions) -> Table:
    """Return some columns of a table, or all of them with other kinds, bins, weights or another name."""
    weights, name = options.weights, options.name
    table = _reread(table, options)
    if table.holes and options.missing == "drop":
        table = table.complete_rows()
    elif table.holes and options.missing in HOLES:
        table = replace(table, missing=options.missing)
    if options.engine not in ("auto", table.engine):
        table = replace(table, engine=options.engine)
    if options.columns is None and weights is None and name in {None, table.name}:
        return table
    chosen = choose(table.names, options)
    row_weights = table.weights
    if chosen.weights is not None:
        row_weights = weigh(from_table(table), None, table.numbers(chosen.weights))
    elif weights is not None:
        row_weights = weigh(from_table(table), None, weights)
    row_weights, notes = _row_weights(row_weights, table.notes, options)
    selected = replace(table.take(chosen.positions), reading={**table.reading, **options.arguments()})
    return replace(selected, weights=row_weights, notes=notes, name=table.name if name is None else name)


def _reread(table: Table, options: ReadOptions) -> Table:
    """Return a table with columns of other kinds, or with numbers cut, as far as that is asked for."""
    choose(table.names, options)  # refuses what is not there
    wanted = {i: options.kinds.get(v.name, v.kind) for i, v in enumerate(table.variables)}
    variables, codes, values = list(table.variables), list(table.columns), dict(table.values)
    again = []
    for i, v in enumerate(table.variables):
        if wanted[i] in {"nominal", "ordered"} and not v.continuous:
            variables[i] = replace(v, kind=wanted[i])
        elif wanted[i] != v.kind or (v.continuous and options.discretize is not None):
            again.append(i)
    new = replace(table, variables=tuple(variables))
    if not again:
        return new if new.variables != table.variables else table
    source = from_table(table.take(again), numbers=True)
    kinds = {table.names[i]: wanted[i] for i in again}
    columns, notes = profile_source(
        source,
        replace(
            options,
            columns=None,
            weights=None,
            weighting="frequency",
            kinds=kinds,
            missing=table.missing if table.holes else options.missing,
        ),
    ).finish()
    outdated = tuple(f"{table.names[i]!r} (" for i in again)  # how they were cut
    for i, column in zip(again, columns, strict=True):
        variables[i], codes[i] = column.variable, column.codes
        values.pop(i, None)
        if column.values is not None:
            values[i] = column.values
    return replace(
        table,
        variables=tuple(variables),
        columns=tuple(codes),
        values=values,
        notes=(*(note for note in table.notes if not note.startswith(outdated)), *notes),
    )


SCALED = "rows with sampling weights count as"
"""What a table says of weights that reading scaled."""


def _row_weights(
    weights: Weights | None, notes: tuple[str, ...], options: ReadOptions
) -> tuple[Weights | None, tuple[str, ...]]:
    """Return weights as they count, and what is said about them."""
    if weights is None or options.weighting != "sampling":
        return weights, notes
    scaled, used = weights.effective(), int(np.count_nonzero(weights.units))
    said = f"{used:,} {SCALED} {scaled.total:,.0f}, Kish's effective number of rows."
    return scaled, (*notes, said)


def open_source(source: object, options: ReadOptions | None = None) -> Source:
    """Return any source with its columns ready to be loaded; of lazy ones, those that the options name."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        suffix = path.suffix.lower()
        if suffix == ".gz" and Path(path.stem).suffix.lower() in PACKED:
            suffix = Path(path.stem).suffix.lower()
        with clear_errors(path):
            if not path.is_file():
                raise not_a_file(path)
            if suffix not in OPENERS:
                raise DataError(f"{path.name} ends in {suffix!r}; expected one of {', '.join(SUFFIXES)}.")
            return replace(OPENERS[suffix](path), name=path.name)
    if isinstance(source, Table):
        return from_table(source)
    if isinstance(source, np.ndarray):
        return from_array(source)
    if isinstance(source, dict):
        return from_columns(source)
    import pyarrow as pa

    if isinstance(source, (pa.Table, pa.RecordBatch)):
        return from_arrow(source)
    wanted = None
    if options is not None and isinstance(options.columns, (list, tuple)) and options.columns:
        wanted = [*options.columns, *([options.weights] if isinstance(options.weights, str) else [])]
    frame = from_frame(source, wanted)
    if frame is None and hasattr(source, "toarray"):
        raise DataError(
            f"a {type(source).__name__} is sparse, and sparse input is not supported; give all its cells: "
            "matrix.toarray()."
        )
    if frame is None:
        raise DataError(
            f"a {type(source).__name__} cannot be read; expected a path, a data frame, an Arrow table, "
            f"a DuckDB relation, a dictionary of columns or a two-dimensional array."
        )
    return frame


def _from_parquet(path: Path) -> Source:
    from graphoid.data.formats.parquet import from_parquet  # brings a library of its own

    return from_parquet(path)


OPENERS: Mapping[str, Callable[[Path], Source]] = {
    ".csv": from_delimited,
    ".tsv": from_delimited,
    ".txt": from_delimited,
    ".arff": from_arff,
    ".parquet": _from_parquet,
    ".sav": from_spss,
}
"""Which function opens a file, by the end of its name."""

SUFFIXES = (*OPENERS, *(f"{suffix}.gz" for suffix in PACKED))
