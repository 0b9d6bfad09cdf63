"""Whatever is thrown at reading, the answer is a sound table or one sentence."""

from __future__ import annotations

import datetime as dt
import decimal
import gzip

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

import graphoid as gd
from graphoid.data.check import check
from graphoid.errors import GraphoidError

pytestmark = pytest.mark.filterwarnings("ignore::graphoid.errors.LikelyMissingWarning")

missing = st.sampled_from(["error", "drop", "category"])
discretize = st.sampled_from(["auto", "scott", None])
names = st.one_of(
    st.text(max_size=4), st.integers(0, 3), st.sampled_from(["id", "a", "row", "", "x y", "é", "a.b"])
)

plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(["a", "b", "missing", "1", "NA", "", " a"]),
    st.binary(max_size=2),
    st.decimals(allow_nan=True, places=2),
    st.dates(),
    st.datetimes(),
)
odd = st.one_of(
    plain,
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=1), st.integers(), max_size=1),
)
cells = [
    st.booleans(),
    st.integers(0, 3),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.floats(0, 1),
    st.sampled_from([0.1, 0.25, 3.0]),
    st.sampled_from(["no", "yes"]),
    st.text(max_size=3),
    st.none(),
    st.one_of(st.none(), st.integers(0, 2)),
    st.one_of(st.none(), st.sampled_from(["a", "b"])),
    st.dates(dt.date(2000, 1, 1)),
    st.one_of(st.integers(0, 2), st.sampled_from(["a", "b"])),
    plain,
    odd,
]


@st.composite
def columns(draw, cells=cells):
    n_rows = draw(st.integers(0, 60))
    kinds = draw(st.lists(st.sampled_from(cells), max_size=4))
    return [(draw(names), draw(st.lists(kind, min_size=n_rows, max_size=n_rows))) for kind in kinds]


def sound(table, n_rows=None):
    """Check everything that a table promises."""
    assert isinstance(table, gd.Table)
    assert table.n_rows > 0
    if n_rows is not None:
        assert table.n_rows <= n_rows
    assert len(set(table.names)) == len(table.names)
    for i, (variable, codes) in enumerate(zip(table.variables, table.columns, strict=True)):
        assert isinstance(variable.name, str)
        if codes is None:
            assert variable.continuous
            assert np.isfinite(table.values[i]).all()
            continue
        assert codes.dtype == (np.uint8 if variable.arity <= 256 else np.uint16)
        assert codes.shape == (table.n_rows,)
        assert codes.flags.c_contiguous
        assert not codes.flags.writeable
        assert codes.max() < variable.arity
        assert len({(type(s), s) for s in variable.states}) == variable.arity
        assert all(type(s) in {bool, int, float, str} for s in variable.states)
        assert all(np.isfinite(s) for s in variable.states if isinstance(s, float))
        assert list(variable.cuts) == sorted(set(variable.cuts))
        if i in table.values:
            assert table.values[i].shape == (table.n_rows,)
    assert len(table.data_id) == 32
    assert all("\n" not in note for note in table.notes)


def read_or_say(source, n_rows=None, **settings):
    """Read; check that the table is sound or the error is one sentence, and that check agrees."""
    report = check(source, **settings)
    assert all(len(problem.splitlines()) == 1 and problem.endswith((".", "?")) for problem in report.problems)
    try:
        table = gd.read(source, **settings)
    except GraphoidError as error:
        said = str(error)
    else:
        said = None
    if said is not None:
        assert len(said.splitlines()) == 1
        assert not report.ok
        assert said.startswith(report.problems[0]) or "columns cannot be used as they are. " in said
        return
    sound(table, n_rows)
    assert report.ok
    assert report.n_rows_used == table.n_rows
    assert [c.n_states for c, v in zip(report.columns, table.variables, strict=True) if v.states] == [
        v.arity for v in table.variables if v.states
    ]
    cut = table.discretized
    sound(cut, n_rows)
    assert not any(v.continuous for v in cut.variables)


@given(columns(), missing, discretize)
def test_fuzz_dictionary(data, missing, discretize):
    read_or_say(dict(data), missing=missing, discretize=discretize)


@given(columns(), missing, discretize, st.booleans())
def test_fuzz_pandas(data, missing, discretize, categorical):
    frame = (
        pd.concat([pd.Series(c, dtype=object).infer_objects() for _, c in data], axis=1)
        if data
        else pd.DataFrame()
    )
    frame.columns = [name for name, _ in data]
    if categorical and data:
        try:
            frame.isetitem(0, pd.Categorical(data[0][1]))
        except (TypeError, decimal.InvalidOperation):
            return
    read_or_say(frame, missing=missing, discretize=discretize)


@given(columns(cells[:-3]), missing, discretize)  # polars itself panics on some mixtures
def test_fuzz_polars(data, missing, discretize):
    try:
        frame = pl.DataFrame({str(name): pl.Series(c, strict=False) for name, c in data})
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, decimal.InvalidOperation):
        return
    read_or_say(frame, missing=missing, discretize=discretize)


@given(columns(), missing, discretize, st.booleans())
def test_fuzz_arrow(data, missing, discretize, dictionary):
    arrays = []
    for _, c in data:
        try:
            array = pa.array(c)
            arrays.append(array.dictionary_encode() if dictionary else array)
        except (pa.ArrowException, OverflowError, UnicodeError, ValueError, TypeError):
            return
    read_or_say(
        pa.Table.from_arrays(arrays, names=[str(n) for n, _ in data]), missing=missing, discretize=discretize
    )


@given(
    st.sampled_from([np.int8, np.uint64, np.int64, np.float32, np.float64, bool, object, "U2"]),
    st.integers(0, 40),
    st.integers(0, 3),
    st.integers(0, 2**32 - 1),
    missing,
    discretize,
)
def test_fuzz_array(dtype, n_rows, n_columns, seed, missing, discretize):
    bits = np.random.default_rng(seed).integers(0, 256, (n_rows, n_columns, 8), dtype=np.uint8)
    array = bits[..., 0] % 3
    if dtype in (np.int64, np.uint64, np.float64):
        array = np.ascontiguousarray(bits).view(dtype)[..., 0]
    read_or_say(array.astype(dtype), n_rows, missing=missing, discretize=discretize)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


lines = st.lists(
    st.lists(
        st.one_of(
            st.sampled_from(["1", "0.50", "NA", "", "a", '"', '"x,y"', " b ", "\ufeff", "é", "\x00"]),
            st.text(max_size=3),
        ),
        max_size=3,
    ),
    max_size=40,
)


@given(lines, st.sampled_from([",", ";", "\t"]), st.sampled_from(["\n", "\r\n", "\r"]), missing, discretize)
def test_fuzz_csv_text(folder, rows, delimiter, newline, missing, discretize):
    path = folder / "text.csv"
    path.write_bytes(newline.join(delimiter.join(row) for row in rows).encode("utf-8", "surrogatepass"))
    read_or_say(path, missing=missing, discretize=discretize)


@given(st.binary(max_size=200), st.sampled_from([".csv", ".tsv.gz", ".parquet", ".arff", ".sav", ".txt"]))
def test_fuzz_bytes(folder, data, suffix):
    path = folder / f"bytes{suffix}"
    path.write_bytes(data)
    read_or_say(path)


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 400))
def test_fuzz_damaged_parquet_and_gzip(folder, noise, place, cut):
    whole = folder / "whole.parquet"
    if not whole.exists():
        pd.DataFrame({"a": ["x", "y"] * 20, "b": [1, 2] * 20}).to_parquet(whole)
    damaged = folder / "damaged.parquet"
    data = whole.read_bytes()
    damaged.write_bytes(data[: place % len(data)] + noise + data[place % len(data) + len(noise) :])
    read_or_say(damaged)
    packed = gzip.compress(b"a,b\n" + b"1,x\n2,y\n" * 30)
    short = folder / "short.csv.gz"
    short.write_bytes(packed[: cut % len(packed)] + noise)
    read_or_say(short)
