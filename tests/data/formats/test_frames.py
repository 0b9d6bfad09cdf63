"""Tables in memory: one meaning whatever library they come from."""

from __future__ import annotations

import datetime as dt
import decimal

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given

import graphoid as gd
from graphoid.data.check import check
from graphoid.errors import DataError

ROWS = st.lists(
    st.tuples(
        st.integers(-2, 2),
        st.sampled_from(["b", "a", "é", "x y", "Z"]),
        st.sampled_from([0.1, 0.25, 3.5]),
        st.booleans(),
        st.floats(-1e6, 1e6, width=64),
    ),
    min_size=1,
    max_size=60,
)
NAMES = ["i", "s", "f", "b", "x"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("frames")


@given(ROWS)
def test_same_data_same_digest_whatever_the_source(folder, rows):
    data = {name: list(column) for name, column in zip(NAMES, zip(*rows, strict=True), strict=True)}
    frame = pd.DataFrame(data)
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet")
    polars = pl.DataFrame(data)
    sources = [data, frame, polars, polars.lazy(), pa.table(data), folder / "t.csv", folder / "t.parquet"]
    digests = {gd.read(source).data_id for source in sources}
    assert len(digests) == 1


@given(ROWS, st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(rows, random):
    shuffled = rows.copy()
    random.shuffle(shuffled)
    one, two = (gd.read(pd.DataFrame(r, columns=NAMES)) for r in (rows, shuffled))
    assert one.variables == two.variables
    for i, numbers in one.values.items():
        np.testing.assert_array_equal(sorted(numbers), sorted(two.values[i]))
    one, two = one.discretized, two.discretized
    assert one.variables == two.variables
    np.testing.assert_array_equal(
        sorted(map(tuple, one.codes.tolist())), sorted(map(tuple, two.codes.tolist()))
    )


@given(ROWS, st.data())
def test_one_changed_cell_changes_the_digest(rows, data):
    i = data.draw(st.integers(0, len(rows) - 1))
    k = data.draw(st.integers(0, 4))
    others = [-2, -1, 0, 1, 2], ["b", "a", "é", "x y", "Z"], [0.1, 0.25, 3.5], [False, True], [-7.25, 8.5]
    value = data.draw(st.sampled_from([other for other in others[k] if other != rows[i][k]]))
    changed = rows.copy()
    changed[i] = (*rows[i][:k], value, *rows[i][k + 1 :])
    one, two = (gd.read(pd.DataFrame(r, columns=NAMES)) for r in (rows, changed))
    assert one.data_id != two.data_id
    assert one.data_id == gd.read(pd.DataFrame(rows, columns=NAMES)).data_id


def test_categories_keep_order_and_those_that_do_not_occur():
    column = pd.Categorical(["high", "low"], categories=["low", "mid", "high"])
    for ordered in (False, True):
        frame = pd.DataFrame({"x": column.set_ordered(ordered)})
        for source in (frame, pa.Table.from_pandas(frame), {"x": frame["x"]}, {"x": frame["x"].array}):
            table = gd.read(source)
            assert table.variables[0] == gd.Variable("x", ("low", "mid", "high"), ordered=ordered)
            assert table.column("x").tolist() == [2, 0]


def test_polars_enum_declares_and_categorical_does_not(tmp_path):
    enum = pl.Series("x", ["high", "low"], dtype=pl.Enum(["low", "mid", "high"]))
    assert gd.read(pl.DataFrame([enum])).variables[0].states == ("low", "mid", "high")
    frame = pl.DataFrame([pl.Series("x", ["b", "a", None], dtype=pl.Categorical)])
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (frame, tmp_path / "t.parquet", frame.to_arrow()):
        assert gd.read(source, missing="drop").variables[0].states == ("a", "b")


def test_categories_of_numbers_intervals_and_missing():
    frame = pd.DataFrame(
        {"n": pd.Categorical([3, 1, None], categories=[3, 2, 1]), "i": pd.cut([1, 2, 9], [0, 5, 10])}
    )
    table = gd.read(frame, missing="category")
    assert table.variables[0].states == (3, 2, 1, "missing")
    assert table.variables[1] == gd.Variable("i", ("(0, 5]", "(5, 10]"), ordered=True)
    np.testing.assert_array_equal(table.codes, [[0, 0], [2, 0], [3, 1]])


def test_arrow_dictionaries_with_repeated_and_null_values():
    dictionary = pa.DictionaryArray.from_arrays([0, 1, 2, 3, None], ["b", "a", "b", None])
    table = gd.read(pa.table({"x": dictionary}), missing="category")
    assert table.variables[0].states == ("b", "a", "missing")
    assert table.column("x").tolist() == [0, 1, 0, 2, 2]


def test_chunks_with_different_dictionaries_are_sorted():
    chunks = pa.chunked_array(
        [pa.array(["c", "b"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]
    )
    assert gd.read(pa.table({"x": chunks})).variables[0].states == ("a", "b", "c")


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "Float64", "float64"])
def test_nullable_integers_are_integers(dtype):
    frame = pd.DataFrame({"x": pd.array([3, None, 1], dtype=dtype)})
    table = gd.read(frame, missing="category")
    assert table.variables[0].states == (1, 3, "missing")
    assert table.column("x").tolist() == [1, 2, 0]


def test_integers_near_the_limits_of_their_type():
    low, high = -(2**63), 2**63 - 1
    assert gd.read({"x": np.array([high, low, 0])}).variables[0].states == (low, 0, high)
    assert gd.read({"x": np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64)}).variables[0].states == (
        2**64 - 2,
        2**64 - 1,
    )
    assert gd.read({"x": np.array([127, -128], dtype=np.int8)}).column("x").tolist() == [1, 0]
    assert gd.read({"x": np.array([5, -120, 100], dtype=np.int8)}).column("x").tolist() == [1, 0, 2]


def test_four_byte_numbers_keep_their_short_names():
    assert gd.read({"x": np.array([0.1, 2.5], dtype=np.float32)}).variables[0].states == (0.1, 2.5)
    assert gd.read({"x": np.array([0.5, 0.25], dtype=np.float16)}).variables[0].states == (0.25, 0.5)


def test_negative_zero_is_zero():
    assert gd.read({"x": [0.0, 1.5]}).data_id == gd.read({"x": [-0.0, 1.5]}).data_id


def test_dates_decimals_bytes_and_times():
    data = {
        "date": [dt.date(2020, 1, 2), dt.date(2019, 1, 2)],
        "decimal": [decimal.Decimal("0.10"), decimal.Decimal(2)],
        "bytes": [b"b", b"a"],
    }
    for source in (data, pd.DataFrame(data), pa.table(data)):
        assert [v.states for v in gd.read(source).variables] == [
            ("2019-01-02", "2020-01-02"),
            (0.1, 2.0),
            ("a", "b"),
        ]


def test_points_in_time_are_days():
    days = [dt.datetime(2020, 1, 2), dt.datetime(2019, 1, 2)]  # noqa: DTZ001 - local time is meant
    hours = [day + dt.timedelta(hours=12) for day in days]
    data = {"day": days, "hour": hours}
    for source in (data, pd.DataFrame(data), pl.DataFrame(data), pa.table(data)):
        day, hour = gd.read(source).variables
        assert day.states == ("2019-01-02", "2020-01-02")
        assert hour.states == day.states
        assert hour.kind == day.kind == "ordered"
    within = [days[0] + dt.timedelta(hours=k) for k in (3, 4)]  # the hours are all there is to tell
    assert gd.read({"hour": within}).variables[0].states == ("2020-01-02 03:00:00", "2020-01-02 04:00:00")
    spans = {"span": [dt.timedelta(seconds=90), dt.timedelta(seconds=1.5)]}
    for source in (spans, pd.DataFrame(spans), pl.DataFrame(spans)):
        assert gd.read(source).variables[0].states == (1.5, 90.0)


def test_types_of_one_library_only():
    frame = pd.DataFrame(
        {
            "period": pd.period_range("2020-01", periods=2, freq="M"),
            "sparse": pd.arrays.SparseArray([0, 1]),
            "interval": pd.arrays.IntervalArray.from_breaks([0, 1, 2]),
        }
    )
    assert [v.states for v in gd.read(frame).variables] == [
        ("2020-01", "2020-02"),
        (0, 1),
        ("(0, 1]", "(1, 2]"),
    ]
    runs = pc.run_end_encode(pa.array(["b", "b", "a"]))
    view = pa.array(["b", "b", "a"], pa.string_view())
    for column in (runs, view, pa.array(["b", "b", "a"], pa.large_string())):
        assert gd.read(pa.table({"x": column})).column("x").tolist() == [1, 1, 0]


def test_mixed_objects_become_text_and_are_noted():
    table = gd.read(pd.DataFrame({"x": [1, "a", None, 2.5]}), missing="category")
    assert table.variables[0].states == ("1", "2.5", "a", "missing")
    assert "mixes float and int and str values" in table.notes[0]
    assert gd.read({"x": [True, 2, 0.5]}).variables[0].states == (0.5, 1.0, 2.0)


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, object(), {1, 2}, np.zeros(2)])
def test_nested_values_are_refused_by_name(value):
    with pytest.raises(DataError, match="'x' holds"):
        gd.read({"x": [value, value], "y": [0, 1]})
    with pytest.raises(DataError, match="'x' holds"):
        gd.read({"x": ["a", value], "y": [0, 1]})


def test_arrays():
    table = gd.read(np.array([[0, 5], [1, 7], [0, 7]]))
    assert table.names == ("X0", "X1")
    assert [v.states for v in table.variables] == [(0, 1), (5, 7)]
    np.testing.assert_array_equal(table.codes, [[0, 0], [1, 1], [0, 1]])
    assert gd.read(np.array([[True], [False]])).variables[0].states == (False, True)
    assert gd.read(np.array([["b"], ["a"]])).variables[0].states == ("a", "b")
    named = np.array([(1, "x"), (0, "y")], dtype=[("n", "i4"), ("s", "U1")])
    assert gd.read(named).names == ("n", "s")
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    with pytest.raises(DataError, match="'X1' 1"):
        gd.read(masked)
    for shape in ((3,), (2, 2, 2), ()):
        with pytest.raises(DataError, match="is not a table"):
            gd.read(np.zeros(shape))
    with pytest.raises(DataError, match="no rows"):
        gd.read(np.zeros((0, 2)))


def test_column_major_and_other_strides_give_the_same():
    codes = np.random.default_rng(0).integers(0, 3, (50, 4))
    assert (
        gd.read(codes).data_id
        == gd.read(np.asfortranarray(codes)).data_id
        == gd.read(codes[::-1][::-1]).data_id
    )


def test_dictionaries():
    with pytest.raises(DataError, match="'a' has 2 rows and 'b' has 1"):
        gd.read({"a": [1, 2], "b": [1]})
    with pytest.raises(DataError, match="'a' is 1, not a column"):
        gd.read({"a": 1})
    with pytest.raises(DataError, match="'a' is 'text', not a column"):
        gd.read({"a": "text"})
    with pytest.raises(DataError, match="no columns"):
        gd.read({})
    assert gd.read({"a": (x for x in "ba"), 3: range(2)}).names == ("a", "3")


def test_names_that_repeat_or_are_no_strings():
    with pytest.raises(DataError, match="used more than once: 'a'"):
        gd.read(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DataError, match="used more than once: 'a'"):
        gd.read(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(DataError, match="used more than once: '1'"):
        gd.read(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    assert gd.read(pd.DataFrame([[1, 2]], columns=[0, 1])).names == ("0", "1")
    assert gd.read(pd.DataFrame([[1, 2]], columns=["a", "a"]), columns=[1]).names == ("a",)


def test_duckdb_relation():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select * from (values (1, 'b', 0.5), (2, 'a', 0.25)) t(x, y, z)")
    assert gd.read(relation).data_id == gd.read({"x": [1, 2], "y": ["b", "a"], "z": [0.5, 0.25]}).data_id
    assert gd.read(relation, columns=["z", "x"]).names == ("z", "x")
    assert gd.read(duckdb.sql("select 'a'::enum('z', 'a') as e")).variables[0].states == ("z", "a")


def test_lazy_frames_read_only_what_is_asked():
    lazy = pl.LazyFrame({"a": [1, 2], "b": ["x", "y"]}).with_columns(c=pl.col("a") + 1)
    assert gd.read(lazy, columns=["c", "a"]).names == ("c", "a")
    assert gd.read(lazy, weights="a").names == ("b", "c")
    assert gd.read(lazy, columns=["c"], weights="a").weights.total == 3


@pytest.mark.parametrize("source", [None, 3, [[0, 1]], object(), pd.Series([1, 2])])
def test_what_cannot_be_read_is_said(source):
    with pytest.raises(DataError, match="cannot be read; expected a path"):
        gd.read(source)


def test_tables_pass_through():
    table = gd.read({"a": [0, 1, 1], "x": np.array([0.5, 1.5, 2.5]), "w": [1, 2, 3]}, name="mine")
    assert gd.read(table) is table
    part = gd.read(table, columns=["x"])
    assert part.names == ("x",)
    assert part.name == "mine"
    weighted = gd.read(table, weights="w", name="other")
    assert weighted.names == ("a", "x")
    assert weighted.weights.total == 6
    assert weighted.name == "other"
    assert gd.read(table, weights=[1, 1, 1]).weights.total == 3
    with pytest.raises(DataError, match="expected one number for each of 3"):
        gd.read(table, weights=[1, 2])
    assert [column.n_states for column in check(table).columns] == [2, 3, 3]


def test_a_text_column_without_a_single_value_is_all_missing():
    table = gd.read({"a": ["x", "y"], "b": pa.array([None, None], pa.string())}, missing="category")
    assert table.variables[1].arity == 1
