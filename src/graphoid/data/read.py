"""The door for data: a file, a data frame, a relation, an array, a dictionary becomes a table of codes."""

from __future__ import annotations

import gzip
import importlib
import os
import zlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.data.encoding import discretize as discretizing
from graphoid.data.encoding import missing as missing_values
from graphoid.data.encoding.plan import finish
from graphoid.data.encoding.survey import survey, weigh
from graphoid.data.formats.files import check_encoding
from graphoid.data.formats.frames import from_array, from_arrow, from_columns, from_frame, from_table
from graphoid.data.remote.relation import RemoteTable, narrowed, related
from graphoid.data.remote.sources import relation_of
from graphoid.data.source import choose
from graphoid.data.table import Table, Weights
from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphoid.data.source import Source
    from graphoid.progress import Listener

OPENERS = {
    ".csv": ("delimited", "from_delimited"),
    ".tsv": ("delimited", "from_delimited"),
    ".txt": ("delimited", "from_delimited"),
    ".arff": ("labelled", "from_arff"),
    ".parquet": ("parquet", "from_parquet"),
    ".sav": ("labelled", "from_spss"),
}
"""Which function opens a file, by the end of its name. Loaded when needed: each brings its own library."""

PACKED = (".csv", ".tsv", ".txt", ".arff")
"""Files that may have been packed with gzip and be called .csv.gz, ..."""

LONGEST = 200
"""Characters of a path shown in a message: longer ones are mostly data that were taken for a path."""

SUFFIXES = (*OPENERS, *(f"{suffix}.gz" for suffix in PACKED))


def read(
    source: Any,
    *,
    columns: Iterable[str | int] | None = None,
    discretize: Any = "auto",
    missing: str = "error",
    name: str | None = None,
    weights: Any = None,
    where: str = "auto",
    table: str | None = None,
    cache: str | os.PathLike[str] | None = None,
    version: str | None = None,
    prices: Any = None,
    progress: Listener | None = None,
) -> Table:
    r"""Read a source into a table of codes, or into a handle to data that stay where they are.

    Parameters
    ----------
    source
        A path (.csv .tsv .txt, also with .gz; .parquet .arff .sav), a pandas or polars data frame or any
        other that narwhals knows, an Arrow table, a DuckDB relation, a dictionary of columns, a
        two-dimensional array, or a table, which passes through. Also what is too large for memory or lives
        elsewhere: a ``.duckdb`` database, an Arrow file (.arrow .feather), an Ibis table, a PySpark data
        frame.
    columns
        Names or positions of the columns to read; all by default.
    discretize
        "auto" leaves numbers with at most 20 different values alone and cuts others into 5 bins of about
        equal frequency; "scott" cuts those with more than :math:`k = 1 + \log_2 N` values into :math:`k` bins
        of equal width; None cuts nothing, and numbers that are not whole stay continuous if they have more
        than 20 different values. A scikit-learn transformer is copied and fitted to each column that "auto"
        would cut.
    missing
        "error" raises, naming columns and counts; "drop" leaves out rows with a missing cell, before states
        and bins are determined; "category" makes missing cells the last state of their column.
    name
        For reports; the file's name by default.
    weights
        The name of a column of row weights, which is then no variable, or an array of one number a row.
    where
        "memory" reads all rows into codes. "source" leaves them where they are: files are streamed, databases
        asked, and only counts travel; learners take such a table as any other. "auto" is "source" for
        databases, Ibis tables and Spark frames and for Parquet and Arrow files beyond 500 million cells, and
        "memory" for everything else.
    table
        Of a ``.duckdb`` database, the name of the table or view; not needed if there is only one.
    cache
        With the data at their source: a file that keeps counts from run to run. A run that was stopped goes
        on from there, and another learner or alpha asks only for what is new. Processes may share it.
    version
        With the data at their source: your name for this state of them, such as a snapshot or a date. Without
        it, they are told apart by what the source says of itself, their states and their marginal counts.
    prices
        With the data at their source: a :class:`~graphoid.PriceList`, for ``structure_.cost.money``.
    progress
        With the data at their source: hears how far a pass over a file has come.

    Returns
    -------
    Table
        States are in the order that the source declares (categoricals, SPSS, ARFF); otherwise numbers ascend
        and text is sorted by code point, so that the order of the rows does not matter. Whole numbers are
        integers whatever their type was. ``notes`` says what reading changed.

    Raises
    ------
    DataError
        If the data cannot be used; :func:`graphoid.data.check.check` lists all reasons at once.

    Examples
    --------
    >>> table = read({"smokes": ["no", "yes", "no"], "packs": [0, 2, 0]})
    >>> table.variables[0].states, table.column("packs").tolist()
    (('no', 'yes'), [0, 1, 0])
    """
    discretizing.check_setting(discretize)
    missing_values.check_setting(missing)
    if where not in ("auto", "memory", "source"):
        raise SettingsError(f"where is {where!r}; expected 'auto', 'memory' or 'source'.")
    handling = {"cache": cache, "version": version, "prices": prices, "progress": progress}
    if isinstance(source, RemoteTable):
        if where == "memory" or weights is not None:
            raise SettingsError("the table stays where it is; read its source again with other settings.")
        return narrowed(source, columns, name, **{k: v for k, v in handling.items() if v is not None})
    relation = None if where == "memory" else relation_of(source, table, always=where == "source")
    if relation is not None:
        settings = {"columns": columns, "discretize": discretize, "missing": missing, "weights": weights}
        return related(relation, name=name, **settings, **handling)
    for setting, value in handling.items():
        if value is not None:
            raise SettingsError(
                f"{setting} is for data that stay where they are, and these are read into memory; "
                f"leave it out, or give where='source'."
            )
    if isinstance(source, Table):
        return _narrowed(source, columns, name, weights)
    opened = open_source(source, columns, weights)
    found = survey(opened, columns=columns, discretize=discretize, missing=missing, weights=weights)
    if found.problems:
        raise found.problems[0]
    variables, codes, values = [], [], {}
    notes = list(found.notes)
    constant = []
    for i, (column, planned) in enumerate(zip(found.columns, found.plans, strict=True)):
        assert column is not None  # noqa: S101 - a column that is None has a problem, raised above
        done = finish(column, planned, found.names[i], missing=missing)
        variables.append(done.variable)
        codes.append(done.codes)
        if done.values is not None:
            values[i] = done.values
        notes += done.notes
        if done.variable.arity == 1:
            constant.append(done.variable.name)
    if constant:
        notes.append(f"{len(constant):,} column(s) are constant: {shown(constant)}.")
    return Table(
        tuple(variables),
        tuple(codes),
        found.n_rows,
        values,
        found.weights,
        tuple(notes),
        opened.name if name is None else name,
    )


def open_source(source: Any, columns: Any = None, weights: Any = None) -> Source:
    """Return any source with its columns ready to be loaded."""
    if isinstance(source, (str, os.PathLike)):
        return _open_file(Path(source))
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
    if isinstance(columns, (list, tuple)) and columns:
        wanted = [*columns, weights] if isinstance(weights, str) else columns
    frame = from_frame(source, wanted)
    if frame is None:
        raise DataError(
            f"a {type(source).__name__} cannot be read; expected a path, a data frame, an Arrow table, "
            f"a DuckDB relation, a dictionary of columns or a two-dimensional array."
        )
    return frame


def _open_file(path: Path) -> Source:
    suffix = path.suffix.lower()
    if suffix == ".gz" and Path(path.stem).suffix.lower() in PACKED:
        suffix = Path(path.stem).suffix.lower()
    where = repr(str(path)) if len(str(path)) <= LONGEST else repr(str(path)[:LONGEST]) + "..."
    try:
        if not path.exists():
            raise DataError(f"there is no file {where}.")
        if path.is_dir():
            raise DataError(f"{where} is a directory; expected a file.")
        if suffix not in OPENERS:
            raise DataError(f"{path.name} ends in {suffix!r}; expected one of {', '.join(SUFFIXES)}.")
        room, opener = OPENERS[suffix]
        try:
            opened: Source = getattr(importlib.import_module(f"graphoid.data.formats.{room}"), opener)(path)
        except UnicodeDecodeError:
            check_encoding(path)
            raise
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path.name} is not a whole gzip file: {error}. Fetch or pack it again.") from error
    except OSError as error:
        raise DataError(f"{where} cannot be read: {error.strerror or error}.") from error
    return replace(opened, name=path.name)


def _narrowed(table: Table, columns: Any, name: str | None, weights: Any) -> Table:
    """Return some columns of a table, or all of them with other weights or another name."""
    if columns is None and weights is None and name in {None, table.name}:
        return table
    chosen = choose(table.names, columns, weights if isinstance(weights, str) else None)
    if chosen.weights is not None:
        row_weights: Weights | None = Weights.of(table.numbers(chosen.weights))
    else:
        row_weights = table.weights if weights is None else weigh(from_table(table), None, weights, None)
    return Table(
        tuple(table.variables[i] for i in chosen.positions),
        tuple(table.columns[i] for i in chosen.positions),
        table.n_rows,
        {k: table.values[i] for k, i in enumerate(chosen.positions) if i in table.values},
        row_weights,
        table.notes,
        table.name if name is None else name,
    )
