"""Kinds of columns: from the source, from the values, as told, and what is refused."""

from __future__ import annotations

import json
import pickle
from dataclasses import asdict, replace

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

import graphoid as gd
from graphoid.data.check import check
from graphoid.data.variables import KINDS, Variable
from graphoid.errors import DataError, DiscretizedWarning, SettingsError, UnknownVariable
from graphoid.models.io import from_body, to_body

N = 60
RNG = np.random.default_rng(7)
COLUMNS = {
    "text": ["red", "green", "blue"] * 20,
    "truth": [True, False] * 30,
    "likert": np.arange(N) % 5 + 1,
    "binary": np.arange(N) % 2,
    "halves": np.arange(N) % 4 / 2,
    "visits": RNG.permutation(N) * 3,
    "change": RNG.permutation(N) * 3 - 50,
    "blood": RNG.normal(size=N),
}
FOUND = {
    "text": ("nominal", "text"),
    "truth": ("nominal", "truth values"),
    "likert": ("ordered", "5 different numbers"),
    "binary": ("ordered", "2 different numbers"),
    "halves": ("ordered", "4 different numbers"),
    "visits": ("count", "60 different whole numbers"),
    "change": ("continuous", "60 different whole numbers"),
    "blood": ("continuous", "60 different numbers"),
}


def kinds_of(table):
    return {v.name: v.kind for v in table.variables}


def test_values_tell_the_kind_and_check_says_why():
    table = gd.read(COLUMNS)
    assert kinds_of(table) == {name: kind for name, (kind, _) in FOUND.items()}
    assert {c.name: (c.kind, c.why) for c in check(COLUMNS).columns} == FOUND
    assert table.notes == ()
    for name in ("visits", "change", "blood"):
        i = table.position(name)
        assert table.variables[i].continuous
        assert not table.variables[i].ordered
        assert table.columns[i] is None
        np.testing.assert_array_equal(table.values[i], COLUMNS[name])
    # the limit between few and many
    assert gd.read({"x": np.arange(100) % 20}).variables[0].kind == "ordered"
    assert gd.read({"x": np.arange(100) % 21}).variables[0].kind == "count"
    assert gd.read({"x": np.arange(100) % 21 - 1}).variables[0].kind == "continuous"


def test_the_source_tells_the_kind():
    grades = pd.Categorical(["low", "high"], categories=["low", "mid", "high"])
    frame = pd.DataFrame({"a": grades, "b": grades.as_ordered(), "c": pd.Categorical([3, 1])})
    assert kinds_of(gd.read(frame)) == {"a": "nominal", "b": "ordered", "c": "nominal"}
    assert [c.why for c in check(frame).columns] == ["categories", "ordered categories", "categories"]
    enum = pl.DataFrame({"a": pl.Series(["x", "y"], dtype=pl.Enum(["y", "x"]))})
    assert gd.read(enum).variables[0].states == ("y", "x")


@pytest.fixture
def spss(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    code = np.arange(N) % 3 + 1.0
    names = ["region", "agree", "ladder", "score", "weight", "people", "yes", "unsaid", "codes"]
    frame = pd.DataFrame(
        {
            "region": code,
            "agree": code,
            "ladder": code,
            "score": code,
            "weight": np.arange(N) / 7,
            "people": np.arange(N) * 2.0,
            "yes": np.arange(N) % 2.0,
            "unsaid": code,
            "codes": np.arange(N) // 2 * 3.0,
        }
    )
    levels = ["nominal", "ordinal", "scale", "scale", "scale", "scale", "scale", "unknown", "nominal"]
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "t.sav"),
        variable_value_labels={"ladder": {1: "low", 2: "mid", 3: "high"}},
        variable_measure=dict(zip(names, levels, strict=True)),
    )
    return tmp_path / "t.sav"


def test_spss_measure_levels(spss):
    table = gd.read(spss)
    assert kinds_of(table) == {
        "region": "nominal",
        "agree": "ordered",
        "ladder": "ordered",  # its values have labels and so are states
        "score": "continuous",
        "weight": "continuous",
        "people": "count",
        "yes": "ordered",  # two numbers tell no more than two states
        "unsaid": "ordered",
        "codes": "nominal",
    }
    assert table.variables[2].states == ("low", "mid", "high")
    assert table.variables[8].arity == 30
    why = {c.name: c.why for c in check(spss).columns}
    assert why["region"] == "measure level nominal"
    assert why["score"] == "measure level scale"
    assert why["unsaid"] == "3 different numbers"
    assert gd.read(spss, kinds={"codes": "count"}).variables[8].kind == "count"
    # states are not cut, numbers are
    assert [v.arity for v in gd.read(spss, discretize="auto").variables] == [3, 3, 3, 3, 5, 5, 2, 3, 30]


@pytest.mark.parametrize(
    ("name", "kind", "arity"),
    [
        ("text", "ordered", 3),
        ("truth", "ordered", 2),
        ("likert", "nominal", 5),
        ("likert", "continuous", 0),
        ("likert", "count", 5),
        ("halves", "continuous", 0),
        ("halves", "nominal", 4),
        ("visits", "continuous", 0),
        ("visits", "ordered", N),
        ("visits", "nominal", N),
        ("change", "ordered", N),
        ("blood", "ordered", N),
    ],
)
def test_kinds_as_told(name, kind, arity):
    table = gd.read(COLUMNS, kinds={name: kind})
    variable = table.variables[table.position(name)]
    assert (variable.kind, variable.arity) == (kind, arity)
    assert variable.ordered == (arity > 0 and kind != "nominal")
    others = {other: found for other, (found, _) in FOUND.items() if other != name}
    assert {k: v for k, v in kinds_of(table).items() if k != name} == others
    reported = {c.name: c for c in check(COLUMNS, kinds={name: kind}).columns}[name]
    assert (reported.kind, reported.why) == (kind, "as told")
    if not isinstance(COLUMNS[name], list):
        np.testing.assert_array_equal(table.numbers(name), COLUMNS[name])
    # and the same of a table that was read before
    again = gd.read(gd.read(COLUMNS), kinds={name: kind})
    assert again.data_id == table.data_id


@pytest.mark.parametrize(
    ("kinds", "error", "says"),
    [
        ({"agee": "count"}, UnknownVariable, "kinds has 'agee', and no column is named so; there are 'text'"),
        ({0: "count"}, UnknownVariable, "kinds has 0, and no column is named so"),
        (
            {"likert": "interval"},
            SettingsError,
            "'likert' is to be 'interval'; a kind is one of nominal, ord",
        ),
        ({"likert": None}, SettingsError, "'likert' is to be None; a kind is one of"),
        (["likert"], SettingsError, r"kinds is \['likert'\]; expected a dictionary"),
        ({"text": "continuous"}, DataError, "'text' cannot be continuous: it holds text, such as 'blue'"),
        ({"text": "count"}, DataError, "'text' cannot be count: it holds text"),
        ({"truth": "continuous"}, DataError, "'truth' cannot be continuous: it holds truth values"),
        ({"halves": "count"}, DataError, r"'halves' cannot be a count: it holds 0\.5, and counts are whole"),
        ({"change": "count"}, DataError, "'change' cannot be a count: it holds -50, and counts are whole"),
        ({"blood": "count"}, DataError, "'blood' cannot be a count: it holds -"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(kinds, error, says):
    for source in (COLUMNS, gd.read(COLUMNS)):
        with pytest.raises(error, match=says) as caught:
            gd.read(source, kinds=kinds)
        assert len(str(caught.value).splitlines()) == 1


def test_check_reports_an_impossible_kind():
    report = check(COLUMNS, kinds={"text": "continuous", "change": "count"})
    assert [c.kind for c in report.columns if c.problem] == ["unusable", "unusable"]
    assert len(report.problems) == 2


def test_kinds_of_columns_that_are_not_read_do_not_matter():
    table = gd.read(COLUMNS, columns=["likert", "text"], kinds={"blood": "continuous", "likert": "nominal"})
    assert kinds_of(table) == {"likert": "nominal", "text": "nominal"}


def test_numbers_that_are_categories_can_be_numbers_again():
    size = pd.Categorical([30, 10, 20, 10] * 15, categories=[30, 10, 20])
    assert gd.read({"x": size}).variables[0].states == (30, 10, 20)
    table = gd.read({"x": size}, kinds={"x": "continuous"})
    np.testing.assert_array_equal(table.values[0], [30, 10, 20, 10] * 15)
    for settings in ({"kinds": {"x": "count"}}, {"kinds": {"x": "continuous"}, "discretize": "auto"}):
        table = gd.read({"x": size}, **settings)
        assert table.variables[0].states == (10, 20, 30)
        assert table.column("x").tolist() == [2, 0, 1, 0] * 15


def test_discretize_cuts_numbers_and_not_states():
    kinds = {"visits": "nominal", "change": "ordered", "blood": "continuous"}
    table = gd.read(COLUMNS, kinds=kinds, discretize="auto")
    assert [table.variables[table.position(name)].arity for name in kinds] == [N, N, 5]
    scott = gd.read(COLUMNS, discretize="scott")
    assert scott.variables[scott.position("visits")].arity == 6  # 1 + log2 60
    assert scott.variables[scott.position("likert")].arity == 5


def test_one_word_for_the_kind():
    assert Variable("x", ("a", "b")).kind == "nominal"
    assert Variable("x", ("a", "b"), True).kind == "ordered"
    assert Variable("x", ("a", "b"), ordered=True) == Variable("x", ("a", "b"), kind="ordered")
    assert Variable("x", ()).kind == "continuous"
    assert Variable("x", (), kind="count").continuous
    counted = Variable("x", (0, 1), kind="count")
    assert counted.ordered
    assert not counted.continuous
    for states, kind in (((), "nominal"), ((), "ordered"), ((1, 2), "continuous"), ((1, 2), "other")):
        with pytest.raises(DataError, match="'x' has"):
            Variable("x", states, kind=kind)
    for variable in (counted, Variable("x", ()), Variable("x", ("a",), cuts=(), label="l")):
        assert replace(variable, name="y").kind == variable.kind
        assert pickle.loads(pickle.dumps(variable)) == variable  # noqa: S301 - our own
        assert Variable(**asdict(variable)) == variable
    assert hash(counted) == hash(Variable("x", (0, 1), kind="count"))


def test_digests_know_kinds_and_numbers_and_those_of_states_are_what_they_were():
    ids = {gd.read(COLUMNS, kinds={"likert": kind}).data_id for kind in KINDS}
    assert len(ids) == 4
    ids = {gd.read(COLUMNS, kinds={"visits": kind}).data_id for kind in ("continuous", "count")}
    assert len(ids) == 2
    changed = {**COLUMNS, "blood": COLUMNS["blood"].copy()}
    changed["blood"][3] = np.nextafter(changed["blood"][3], 9)
    assert gd.read(changed).data_id != gd.read(COLUMNS).data_id
    # as the first edition gave it, which results, counts and checkpoints on disk carry
    table = gd.read({"x": ["b", "a", "b"], "y": [1, 2, 2]})
    assert table.data_id == "395d575da26fa8135b1fdb6f6ee9a06b"
    binned = gd.read({"x": np.arange(50) / 7}, discretize="auto")
    assert binned.data_id == "f6221dfc43a3ee8f0da7c3a55de103bf"


@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=25, max_size=60),
    st.sampled_from(["continuous", "count", None]),
    st.booleans(),
)
def test_the_discretized_table_is_the_one_that_auto_reads(numbers, kind, whole):
    column = np.abs(np.rint(numbers)) if whole or kind == "count" else np.array(numbers)
    source = {"x": column + 0.0, "y": [0, 1] * (len(numbers) // 2) + [0] * (len(numbers) % 2)}
    try:
        table = gd.read(source, kinds={} if kind is None else {"x": kind})
    except DataError:  # an identifier, by chance
        return
    cut, auto = table.discretized, gd.read(source, discretize="auto", kinds={"x": kind} if kind else {})
    if kind == "count" and not table.variables[0].continuous:
        assert cut is table
        return
    assert cut.variables == auto.variables
    assert cut.notes == auto.notes
    assert cut.data_id == auto.data_id
    assert cut.discretized is cut
    assert table.discretized is cut


def test_what_counts_states_says_once_that_it_cuts_numbers():
    table = gd.read(COLUMNS)
    cut = table.discretized
    with pytest.warns(DiscretizedWarning) as said:
        found = gd.GSMN(test=gd.ChiSquare()).fit(table).structure_
    assert str(said[0].message) == (
        "'visits', 'change', 'blood' hold numbers, and what was asked for counts states: each is cut into "
        "5 bins of about equal frequency. Learners that know kinds, such as gd.learn, use the numbers; "
        "discretize='auto' cuts them on reading."
    )
    assert len(said) == 1
    # warnings are errors in tests: nothing is said again
    gd.GSMN(test=gd.ChiSquare()).fit(table)
    gd.Tester(gd.ChiSquare(), table)
    assert gd.MPL().value(found.graph, table) == gd.MPL().value(found.graph, cut)
    codes = table.codes
    assert found.settings["discretized"] == ["visits", "change", "blood"]
    assert found.data_id == table.data_id
    assert found.graph == gd.GSMN(test=gd.ChiSquare()).fit(cut).structure_.graph
    np.testing.assert_array_equal(codes, cut.codes)
    # a model of the bins has states for the numbers of the table
    model = gd.MarkovNetwork.fit(found, cut)
    np.testing.assert_array_equal(model.log_probability(table), model.log_probability(cut))
    assert "discretized" not in gd.GSMN().fit(cut).structure_.settings


def test_tests_of_numbers_take_them_as_they_are():
    numbers = gd.read(COLUMNS, columns=["visits", "change", "blood", "likert"])
    found = gd.GSMN(test=gd.PartialCorrelation()).fit(numbers).structure_
    assert "discretized" not in found.settings
    assert found.table is numbers


def test_a_frame_of_the_same_kinds():
    for kinds in ({}, {"likert": "count", "halves": "continuous", "visits": "continuous", "text": "ordered"}):
        table = gd.read(COLUMNS, kinds=kinds)
        frame = table.to_frame()
        assert list(frame.columns) == list(COLUMNS)
        assert frame["text"].cat.ordered == (kinds.get("text") == "ordered")
        assert frame["text"].tolist() == COLUMNS["text"]
        np.testing.assert_array_equal(frame["likert"].astype(int), COLUMNS["likert"])
        np.testing.assert_array_equal(frame["blood"], COLUMNS["blood"])
        again = gd.read(frame)
        assert again.variables == table.variables
        assert again.data_id == table.data_id
        assert (
            gd.read(frame[["halves", "text"]]).variables
            == gd.read(table, columns=["halves", "text"]).variables
        )
    binned = gd.read(COLUMNS, discretize="auto").to_frame()
    assert binned["blood"].cat.ordered
    assert gd.read(gd.datasets.load("titanic").to_frame()).data_id == gd.datasets.load("titanic").data_id
    text = table.to_frame().assign(halves="now text")  # what the frame remembers no longer holds
    assert gd.read(text).variables[4].kind == "nominal"


def test_columns_weights_and_pickles_of_numbers():
    table = gd.read({**COLUMNS, "w": np.arange(N)}, weights="w", kinds={"likert": "continuous"})
    some = gd.read(table, columns=["blood", "text", "likert"], name="some")
    assert kinds_of(some) == {"blood": "continuous", "text": "nominal", "likert": "continuous"}
    assert some.data_id == table.take([7, 0, 2]).data_id
    again = pickle.loads(pickle.dumps(table))  # noqa: S301 - our own
    assert again.data_id == table.data_id
    assert again.discretized.data_id == table.discretized.data_id
    assert table.discretized.weights is table.weights
    by_likert = gd.read(table, columns=["text"], weights="likert")
    assert by_likert.weights.total == COLUMNS["likert"].sum()
    constant = gd.read({"x": [2.5] * 40, "y": [0, 1] * 20}, kinds={"x": "continuous"})
    assert constant.constants == {0: 0}
    assert constant.notes == ("1 column(s) are constant: 'x'.",)
    shown = table._repr_html_()
    for kind in ("nominal", "ordered", "continuous", "count"):
        assert f"<td>{kind}</td>" in shown


def test_models_keep_kinds_and_those_of_the_first_edition_load(tmp_path):
    table = gd.read({"x": ["a", "b"] * 20, "n": [0, 1, 1, 2] * 10}, kinds={"n": "count"})
    model = gd.MarkovNetwork.fit(gd.UndirectedGraph(["x", "n"], [(0, 1)]), table)
    model.save(tmp_path / "m.json")
    assert gd.load(tmp_path / "m.json").variables == table.variables
    body = json.loads(json.dumps(to_body(model)))
    for variable in body["variables"]:
        variable["ordered"] = variable.pop("kind") != "nominal"
    assert [v.kind for v in from_body(body).variables] == ["nominal", "ordered"]
    body["variables"][1]["kind"] = "continuous"
    with pytest.raises(DataError, match="'n' has 3 states and cannot be continuous"):
        from_body(body)
    body["variables"][1]["kind"] = "other"
    with pytest.raises(ValueError, match="other"):
        from_body(body)


@given(
    st.lists(st.integers(0, 120), min_size=40, max_size=60),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 6, 121]),
)
def test_neither_dtype_nor_order_nor_library_changes_kinds_or_results(numbers, seed, modulus):
    column = np.array(numbers) % modulus
    rng = np.random.default_rng(seed)
    other = (column + rng.integers(0, 3, len(column))) % 7
    order = rng.permutation(len(column))
    dtypes = ("int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64")
    tables = [{"x": column.astype(dtype), "y": other.astype(dtype)} for dtype in dtypes]
    frame = pd.DataFrame(tables[5])
    tables += [frame, frame.astype("Int64"), frame.astype("Float64")]
    tables += [frame.convert_dtypes(dtype_backend="pyarrow"), {"x": column.tolist(), "y": other.tolist()}]
    tables += [pl.DataFrame(tables[5]), pl.DataFrame(tables[0]), pa.table(tables[2])]
    tables += [np.stack([column, other], 1), {"x": column[order], "y": other[order]}]
    read = [gd.read(table) for table in tables]
    named = [[replace(v, name="") for v in table.variables] for table in read]
    assert all(variables == named[0] for variables in named)
    cut = [table.discretized for table in read]
    verdicts = [gd.Tester(gd.ChiSquare(), table).ask([(0, 1, ())]) for table in cut]
    assert all(verdict == verdicts[0] for verdict in verdicts)


def test_text_files_give_the_kinds_of_their_columns(tmp_path):
    frame = pd.DataFrame(COLUMNS)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    expected = gd.read(COLUMNS)
    for path in ("t.csv", "t.parquet"):
        table = gd.read(tmp_path / path)
        assert table.variables == expected.variables
        assert table.data_id == expected.data_id


def test_rows_that_stay_at_their_source_have_the_same_kinds(tmp_path):
    pd.DataFrame(COLUMNS).to_parquet(tmp_path / "t.parquet")
    table = gd.read(tmp_path / "t.parquet", where="source")
    assert table.variables == gd.read(COLUMNS).variables
    assert gd.read(tmp_path / "t.parquet", where="source", discretize=None).data_id == table.data_id
    asked = gd.read(tmp_path / "t.parquet", where="source", discretize="auto")
    assert asked.variables == gd.read(COLUMNS, discretize="auto").variables
    assert table.discretized.variables == gd.read(COLUMNS).discretized.variables
    kinds = {"visits": "ordered", "likert": "nominal", "binary": "count"}
    told = gd.read(tmp_path / "t.parquet", where="source", kinds=kinds)
    assert {name: kind for name, kind in kinds_of(told).items() if name in kinds} == kinds
    assert told.variables[told.position("visits")].arity == N
    for kind in ("continuous", "count"):
        told = gd.read(tmp_path / "t.parquet", where="source", kinds={"visits": kind})
        assert told.variables == gd.read(COLUMNS, kinds={"visits": kind}).variables
    binned = gd.read(tmp_path / "t.parquet", where="source", kinds={"visits": "count"}, discretize="auto")
    assert binned.variables == asked.variables
    with pytest.raises(SettingsError, match="stays where it is"):
        gd.read(table, kinds={"visits": "ordered"})
    with pytest.raises(UnknownVariable, match="kinds has 'x'"):
        gd.read(tmp_path / "t.parquet", where="source", kinds={"x": "ordered"})


def test_a_table_of_numbers_can_be_cut_later():
    table = gd.read(COLUMNS)
    assert gd.read(table, discretize="auto").data_id == table.discretized.data_id
    assert gd.read(table, discretize="scott").variables == gd.read(COLUMNS, discretize="scott").variables
    back = gd.read(table.discretized, kinds={name: kind for name, (kind, _) in FOUND.items()})
    assert back.variables == table.variables
    assert back.notes == ()
    assert gd.read(table) is table
    assert check(table).ok
    assert [c.kind for c in check(table).columns] == [kind for kind, _ in FOUND.values()]


def test_complex_numbers_and_sparse_matrices_are_refused() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(DataError, match="'X0' holds complex numbers"):
        gd.read(np.ones((3, 1)) * 1j)
    with pytest.raises(DataError, match="sparse input is not supported"):
        gd.read(sparse.eye(3).tocsr())


def test_every_column_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownVariable, match="no columns are named 'x', 'y'; there are 'a'"):
        gd.read({"a": [0, 1]}, columns=["x", "a", "y"])
