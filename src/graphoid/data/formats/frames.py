"""Tables in memory as sources: data frames of any library, Arrow tables, dictionaries of columns, arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

import numpy as np
import pyarrow as pa

from graphoid.data.encoding.columns import Undeclared
from graphoid.data.encoding.encode import Factor
from graphoid.data.source import Source
from graphoid.data.table import KINDS_OF_FRAME
from graphoid.errors import DataError, sentence

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from graphoid.data.encoding.columns import RawColumn
    from graphoid.data.encoding.encode import Array
    from graphoid.data.table import Table


@runtime_checkable
class PandasCategorical(Protocol):
    """A bare Categorical of pandas."""

    categories: Iterable[object]
    codes: NDArray[np.integer]
    ordered: bool


def from_array(array: Array) -> Source:
    """Return a two-dimensional or a structured array as a source; unnamed columns are X0, X1, ..."""
    if array.dtype.names is not None and array.ndim == 1:
        return from_columns({name: array[name] for name in array.dtype.names})
    if array.ndim != 2:
        raise DataError(
            f"an array of shape {array.shape} is not a table; expected two dimensions, rows x columns. "
            f"A single column is read as {{'name': array}}."
        )
    names = [f"X{i}" for i in range(array.shape[1])]
    return Source(names, array.shape[0], lambda positions: (array[:, i] for i in positions))


def from_columns(columns: Mapping[object, object]) -> Source:
    """Return a dictionary of columns as a source."""
    names = [str(name) for name in columns]
    cells = [_column(column, name) for name, column in zip(names, columns.values(), strict=True)]
    lengths = {name: len(column) for name, column in zip(names, cells, strict=True)}
    if len(set(lengths.values())) > 1:
        (a, n), (b, m) = next(
            (one, two) for one in lengths.items() for two in lengths.items() if one[1] != two[1]
        )
        raise DataError(f"columns differ in length: {a!r} has {n:,} rows and {b!r} has {m:,}.")
    n_rows = next(iter(lengths.values()), 0)
    return Source(names, n_rows, lambda positions: (_raw(cells[i]) for i in positions))


def _column(column: object, name: str) -> Sized:
    if not isinstance(column, (str, bytes)):
        try:
            return column if isinstance(column, Sized) else list(cast("Iterable[object]", column))
        except TypeError:
            pass
    raise DataError(f"{name!r} is {column!r}, not a column of values.")


def _raw(column: Sized) -> RawColumn:
    """Return a column of a dictionary in a form that the encoder knows."""
    if isinstance(column, (np.ndarray, pa.Array, pa.ChunkedArray)):
        return column
    import narwhals.stable.v2 as nw

    if isinstance(column, PandasCategorical):
        return Factor(np.asarray(column.codes), list(column.categories), bool(column.ordered))
    if isinstance(nw.from_native(cast("Any", column), series_only=True, pass_through=True), nw.Series):
        return _series(column)
    return column if isinstance(column, (list, tuple)) else list(cast("Iterable[object]", column))


def from_table(table: Table, *, numbers: bool = False) -> Source:
    """Return a table as a source, its states declared; with ``numbers``, bins are the numbers behind them."""

    def load(positions: Sequence[int]) -> Iterator[RawColumn]:
        for i in positions:
            codes, variable = table.columns[i], table.variables[i]
            if codes is None or (numbers and i in table.values):
                yield table.values[i]
            else:
                yield Factor(codes.astype(np.int32), variable.states, variable.ordered, variable.label)

    kinds = {v.name: v.kind for v in table.variables}
    return Source(table.names, table.n_rows, load, name=table.name, kinds=kinds)


def from_arrow(table: pa.Table | pa.RecordBatch) -> Source:
    """Return an Arrow table as a source."""

    def load(positions: Sequence[int]) -> Iterator[RawColumn]:
        return (arrow_column(table.column(i), table.schema.field(i)) for i in positions)

    return Source(table.schema.names, table.num_rows, load)


def arrow_column(cells: pa.ChunkedArray | pa.Array, field: pa.Field) -> RawColumn:
    """Return an Arrow column; a polars Categorical is only a way to store strings and declares nothing."""
    if pa.types.is_dictionary(cells.type) and any(b"_PL_CATEGORICAL" in key for key in field.metadata or {}):
        return Undeclared(cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells]))
    return cells


def from_frame(frame: object, columns: Sequence[str | int] | None = None) -> Source | None:
    """Return any data frame that narwhals knows as a source, or None; lazy ones are collected.

    Parameters
    ----------
    frame
        A pandas, polars, ... data frame, a DuckDB relation.
    columns
        Names that will be asked for: a lazy frame then computes these only.
    """
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import NarwhalsError

    if hasattr(frame, "iloc") and hasattr(frame, "columns"):
        # By position: pandas allows names that repeat or are no strings, narwhals does not.
        pandas = cast("pd.DataFrame", frame)
        names = [str(name) for name in pandas.columns]
        known = pandas.attrs.get(KINDS_OF_FRAME, {})  # from a table's to_frame
        numbers = [getattr(dtype, "kind", "") in "iuf" for dtype in pandas.dtypes]
        kinds = {n: known[n] for n, number in zip(names, numbers, strict=True) if number and n in known}
        load = lambda positions: (_series(pandas.iloc[:, i]) for i in positions)  # noqa: E731 - as below
        return Source(names, len(pandas), load, kinds=kinds)
    try:
        native = nw.from_native(cast("Any", frame), pass_through=True)
    except NarwhalsError as error:
        raise DataError(f"the {type(frame).__name__} cannot be read: {sentence(error)}") from error
    if isinstance(native, nw.LazyFrame):
        if columns is not None and set(native.collect_schema().names()).issuperset(columns):
            native = native.select(*dict.fromkeys(map(str, columns)))
        lazy = nw.get_native_namespace(native)
        native = native.collect() if lazy.__name__ == "polars" else native.collect(backend="pyarrow")
    if not isinstance(native, nw.DataFrame):
        return None
    if isinstance(native.to_native(), pa.Table):
        return from_arrow(native.to_native())
    series = [native.get_column(name).to_native() for name in native.columns]
    return Source(native.columns, len(native), lambda positions: (_series(series[i]) for i in positions))


def _series(native: pd.Series) -> RawColumn:
    """Return a column of a data frame in a form that the encoder knows, without a copy where there is one."""
    import narwhals.stable.v2 as nw

    dtype = native.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return native.to_numpy()
    if dtype == np.dtype(object):
        return native.to_list()
    if type(dtype).__name__ == "StringDtype":  # pandas; Arrow holds it, or knows how to
        return pa.array(native.array, from_pandas=True)
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # pandas and its kin
        return Factor(native.cat.codes.to_numpy(), list(native.cat.categories), bool(native.cat.ordered))
    series = nw.from_native(native, series_only=True)
    if series.dtype in {nw.Object, nw.Unknown}:  # Python objects; pandas' periods, intervals, sparse columns
        return series.to_list()
    if series.dtype == nw.Categorical:
        return Undeclared(pa.chunked_array([series.alias("").cast(nw.String).to_arrow()]).dictionary_encode())
    return series.alias("").to_arrow()  # polars panics at names with a NUL character
