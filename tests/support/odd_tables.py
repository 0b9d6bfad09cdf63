"""Tables that are whole and unusual, as files of every format that is read."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.hostile_names import HOSTILE

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

NAMES = (*HOSTILE, "a", "a ", "A", "ä", "", " ", "x,y", "0", "nan", "\ufeff", "\u0130", "a" * 5000, "_", "#")
NUMBERS = (
    0.0,
    -0.0,
    1.5,
    1e308,
    -1e308,
    5e-324,
    float("inf"),
    -float("inf"),
    float("nan"),
    2.0**53 + 2,
    1e-9,
)
TEXTS = ("", " ", "NA", "null", "?", "x", "X", "ß", "0", "0.0", "1e5", "inf", "-", '"', "'", "\u202e", "=1+1")


def odd_columns(rng: Random) -> list[tuple[str, list[Any]]]:
    """Return a few columns, some as usual and some not; two may share a name."""
    n_rows = rng.choice([0, 1, 1, 2, 3, 20, 60, 60, 200])
    names = [
        f"v{i}" if rng.random() < 0.7 else rng.choice(NAMES) for i in range(rng.choice([1, 1, 2, 3, 4, 6]))
    ]
    odd = rng.choice([1.0, 1.0, 0.3, 0.0])  # few tables of six odd columns can be read
    return [(name, (_column if rng.random() < odd else _usual)(n_rows, rng)) for name in names]


def _usual(n: int, rng: Random) -> list[Any]:
    """Return a column of any kind as most tables have it."""
    how = rng.randrange(5)
    if how == 0:
        return [rng.gauss(0, 1) for _ in range(n)]
    if how == 1:
        return [int(rng.expovariate(0.3)) for _ in range(n)]
    return [rng.choice("abcdefgh"[:how]) if i else "ab"[i] for i in range(n)]


def _column(n: int, rng: Random) -> list[Any]:
    pick, how = rng.choice, rng.randrange(13)
    if how <= 2:  # as usual
        return [pick("ab") for _ in range(n)] if how else [pick([0, 1, 2]) for _ in range(n)]
    if how == 3:
        return [pick([None, pick(TEXTS)]) for _ in range(n)]
    if how == 4:  # a level for every row
        return [f"level {i}" for i in range(n)]
    if how == 5:
        return [pick([7, pick([None, 7])])] * n
    if how == 6:
        return [None] * n
    if how == 7:
        return [pick(NUMBERS) for _ in range(n)]
    if how == 8:
        return [rng.gauss(0, 10 ** rng.randrange(-300, 300)) for _ in range(n)]
    if how == 9:
        return [pick(["x" * pick([10, 10_000, 70_000]), "y"]) for _ in range(n)]
    if how == 10:
        return [pick([2**53, 2**62, -(2**63), 0, 2**63 - 1]) for _ in range(n)]
    if how == 11:
        return [pick([1, "1", 1.0, True, None, "x"]) for _ in range(n)]
    return [pick([True, False, None]) for _ in range(n)]


def _uniform(cells: list[Any]) -> pa.Array:
    """Return cells as Arrow holds them; of several types, as text."""
    try:
        return pa.array(cells)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if cell is None else str(cell) for cell in cells])


def to_csv(path: Path, rng: Random) -> None:
    """Write columns as text, with separators, quotes and line ends of all sorts."""
    columns, page = odd_columns(rng), io.StringIO(newline="")
    writer = csv.writer(
        page,
        delimiter=rng.choice([",", ",", ",", ";", "\t", "|"]),
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        lineterminator=rng.choice(["\n", "\r\n", "\r"]),
    )
    writer.writerow([name for name, _ in columns])
    writer.writerows(zip(*(cells for _, cells in columns), strict=True))
    content = page.getvalue().encode(rng.choice([*["utf-8"] * 8, "utf-8-sig", "utf-16"]), "replace")
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def to_parquet(path: Path, rng: Random) -> None:
    """Write columns with types of all sorts, also such as cannot be a variable."""
    columns = [(name, _typed(_uniform(cells), rng)) for name, cells in odd_columns(rng)]
    table = pa.Table.from_arrays([c for _, c in columns], names=[name for name, _ in columns])
    if path.suffix == ".arrow":
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    else:
        pq.write_table(table, path, row_group_size=rng.choice([1, 7, 1000]))


def _typed(array: pa.Array, rng: Random) -> pa.Array:
    how = rng.randrange(30)
    try:
        if how == 0 and array.type != pa.null():
            return array.dictionary_encode()
        if how == 1:
            return array.cast(pa.float16())
        if how == 2:
            return array.cast(pa.decimal128(38, 5))
        if how == 3:
            return array.cast(pa.large_string())
        if how == 4:
            return array.cast(pa.int64()).cast(
                rng.choice([pa.timestamp("ns"), pa.duration("s"), pa.date64()])
            )
        if how == 5:
            return array.cast(pa.binary())
    except pa.ArrowException:
        return array
    nested = {6: [[x] for x in range(len(array))], 7: [{"x": 1}] * len(array), 8: [b"\xff\0"] * len(array)}
    return pa.array(nested[how]) if how in nested and len(array) else array


def to_arff(path: Path, rng: Random) -> None:
    """Write columns as attributes, declared well or badly."""
    columns, lines = odd_columns(rng), ["@RELATION t"]
    for name, cells in columns:
        states = ",".join(sorted({f"'{cell}'" for cell in cells if cell is not None}))
        numbers = all(cell is None or isinstance(cell, (int, float)) for cell in cells)
        fitting = "NUMERIC" if numbers and rng.random() < 0.7 else f"{{{states}}}" if states else "STRING"
        kind = fitting if rng.random() < 0.9 else rng.choice(["NUMERIC", "STRING", "DATE", "{}", "{a,b}"])
        lines.append(f"@ATTRIBUTE '{name}' {kind}")
    rows = zip(*(cells for _, cells in columns), strict=True)
    lines += ["@DATA", *(",".join("?" if cell is None else f"'{cell}'" for cell in row) for row in rows)]
    path.write_text("\n".join(lines), encoding="utf-8", errors="replace")


def to_spss(path: Path, rng: Random) -> None:
    """Write columns with labels, measures and missing values of all sorts."""
    import pandas as pd
    import pyreadstat

    columns = [(f"v{i}", _uniform(cells)) for i, (_, cells) in enumerate(odd_columns(rng))]
    numbers = {name: pa.types.is_integer(c.type) or pa.types.is_floating(c.type) for name, c in columns}
    frame = pd.DataFrame(
        {
            name: [float(x) if x is not None else None for x in c.to_pylist()]
            if numbers[name]
            else ["" if x is None else str(x)[:3000] for x in c.to_pylist()]
            for name, c in columns
        }
    )
    labels = {
        name: {float(i) if is_number else f"v{i}": rng.choice(["same", f"label {i}"]) for i in range(3)}
        for name, is_number in numbers.items()
        if rng.random() < 0.5 and frame[name].astype(bool).any()  # the writer tells the type by the cells
    }
    ranges = {name: [{"lo": 1.0, "hi": 7.0}] for name in numbers if numbers[name] and rng.random() < 0.3}
    packing: dict[str, bool] = rng.choice([{}, {"row_compress": True}, {"compress": True}])
    pyreadstat.write_sav(
        frame,
        str(path),
        column_labels=[rng.choice(["", "a label", "ä" * 100]) for _ in columns],
        variable_value_labels=labels,
        missing_ranges=ranges,
        **packing,
    )


def to_duckdb(path: Path, rng: Random) -> None:
    """Write columns as a table of a database."""
    import duckdb

    path.unlink(missing_ok=True)
    named = {f"v{i}": _uniform(cells) for i, (_, cells) in enumerate(odd_columns(rng))}
    rows = pa.table({name: c.cast(pa.string()) if c.type == pa.null() else c for name, c in named.items()})
    with duckdb.connect(str(path)) as connection:
        connection.register("given", rows)
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
