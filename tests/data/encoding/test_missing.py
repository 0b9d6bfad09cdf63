"""Missing values, bins, identifiers, weights: what is decided by name when reading."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import graphoid as gd
from graphoid.data.encoding.discretize import (
    bin_labels,
    equal_frequency,
    equal_width,
    format_cuts,
    scott_bins,
)
from graphoid.errors import DataError, LikelyMissingWarning, SettingsError

HOLES = {"a": ["x", None, "y", "x"], "b": [1, 2, None, 3], "c": [True, True, False, True]}


def test_missing_error_names_columns_counts_and_remedies():
    with pytest.raises(DataError) as caught:
        gd.read(HOLES)
    said = str(caught.value)
    assert "2 cell(s) are missing: 'a' 1, 'b' 1." in said
    assert "missing='drop' leaves 2 of 4 rows" in said
    assert "missing='category'" in said


def test_missing_drop_forgets_states_that_are_gone():
    table = gd.read(HOLES, missing="drop")
    assert [v.states for v in table.variables] == [("x",), (1, 3), (True,)]
    assert "2 of 4 rows had missing cells and were dropped." in table.notes
    declared = pd.DataFrame({"a": pd.Categorical(["x", "y"]), "b": [1, None]})
    assert gd.read(declared, missing="drop").variables[0].states == ("x", "y")


def test_missing_drop_to_nothing():
    with pytest.raises(DataError, match=r"leaves none\. Leave out 'a'"):
        gd.read({"a": [None, None], "b": [1, 2]}, missing="drop")


def test_missing_category_is_the_last_state():
    table = gd.read(HOLES, missing="category")
    assert [v.states for v in table.variables] == [("x", "y", "missing"), (1, 2, 3, "missing"), (False, True)]
    assert table.column("a").tolist() == [0, 2, 1, 0]
    with pytest.warns(LikelyMissingWarning, match="1 cell\\(s\\) 'missing', which may stand for missing"):
        twice = gd.read({"a": ["missing", None]}, missing="category")
    assert twice.variables[0].states == ("missing", "missing value")
    assert gd.read({"a": [None, None]}, missing="category").variables[0].states == ("missing",)


def test_missing_category_beside_bins():
    numbers = np.arange(100) * 1.5
    numbers[7] = np.nan
    table = gd.read({"x": numbers}, missing="category")
    assert table.variables[0].arity == 6
    assert table.variables[0].states[-1] == "missing"
    assert table.column("x")[7] == 5
    assert np.isnan(table.values[0][7])
    assert "of about equal frequency at" in table.notes[0]
    assert table.notes[0].endswith(", because its missing cells have no number.")
    assert table.variables[0].kind == "nominal"
    asked = gd.read({"x": numbers}, missing="category", discretize="auto")
    assert asked.variables == table.variables
    with pytest.raises(DataError, match="'x' is to be continuous and has 1 missing cell"):
        gd.read({"x": numbers}, missing="category", kinds={"x": "continuous"})


def test_256_states_and_missing_take_two_bytes():
    column = [f"s{i}" for i in range(256)] * 2
    assert gd.read({"a": column}).column("a").dtype == np.uint8
    assert gd.read({"a": [*column, None]}, missing="category").column("a").dtype == np.uint16
    assert gd.read({"a": [*column, None]}, missing="drop").column("a").dtype == np.uint8
    assert gd.read({"a": [*column, "s256"]}).column("a").dtype == np.uint16


def test_unknown_settings():
    with pytest.raises(SettingsError, match="missing is 'ignore'"):
        gd.read(HOLES, missing="ignore")
    for setting in ("equal", 5, object()):
        with pytest.raises(SettingsError, match="expected 'auto', 'scott', None"):
            gd.read(HOLES, discretize=setting)


def test_auto_leaves_few_numbers_alone_and_cuts_many():
    data = {"few": np.arange(100) % 20, "many": (np.arange(100) * 7) % 100 + 0.5, "text": ["a", "b"] * 50}
    table = gd.read(data, discretize="auto")
    few, many, _ = table.variables
    assert few.arity == 20
    # levels 0.5 ... 99.5, one row each: a fifth of the rows lies at or below 19.5
    assert many.cuts == (19.5, 39.5, 59.5, 79.5)
    assert many.states == ("<= 19.5", "(19.5, 39.5]", "(39.5, 59.5]", "(59.5, 79.5]", "> 79.5")
    assert many.ordered
    np.testing.assert_array_equal(np.bincount(table.column("many")), [20] * 5)
    np.testing.assert_array_equal(table.values[1], data["many"])
    assert 0 not in table.values
    (note,) = table.notes
    assert note.startswith(
        "'many' (100 different numbers) was cut into 5 bins of about equal frequency at 19.5, 39"
    )


@pytest.mark.parametrize(("where", "states"), [("low", ("<= 0", "> 0")), ("high", ("<= 38", "> 38"))])
def test_a_value_with_most_rows_makes_fewer_bins(where, states):
    tail = np.arange(1, 40)
    numbers = (
        np.concatenate([np.zeros(500), tail])
        if where == "low"
        else np.concatenate([np.full(500, 39), tail - 1])
    )
    table = gd.read({"x": numbers}, discretize="auto")
    assert table.variables[0].states == states
    assert np.bincount(table.column("x")).min() > 0


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=21, max_size=80, unique=True),
    st.sampled_from(["auto", "scott"]),
)
def test_bins_follow_their_cuts(numbers, how):
    table = gd.read({"x": np.array(numbers) + 0.5}, discretize=how)
    variable = table.variables[0]
    if not variable.cuts:
        return
    np.testing.assert_array_equal(
        table.column("x"), np.searchsorted(np.array(variable.cuts), table.values[0], side="left")
    )
    assert len(set(variable.states)) == len(variable.cuts) + 1


@given(st.integers(2, 9), st.lists(st.integers(1, 9), min_size=2, max_size=40))
def test_equal_frequency_is_the_quantile_of_the_data(n_bins, counts):
    levels = np.arange(len(counts), dtype=np.float64)
    cuts = equal_frequency(levels, np.array(counts), n_bins)
    rows = np.repeat(levels, counts)
    shares = np.arange(1, n_bins) / n_bins
    expected = {np.sort(rows)[int(np.ceil(round(share * len(rows), 9))) - 1] for share in shares}
    assert cuts.tolist() == sorted({min(cut, levels[-2]) for cut in expected})


def test_scott_keeps_all_its_bins():
    assert [scott_bins(n) for n in (1, 2, 3, 100, 1024, 1_000_000)] == [1, 2, 2, 7, 11, 20]
    numbers = np.append(np.linspace(0, 1, 99), 7)
    table = gd.read({"x": numbers, "few": np.arange(100) % 7}, discretize="scott")
    assert table.variables[0].cuts == tuple(float(k) for k in range(1, 7))
    assert table.variables[0].states[:2] == ("<= 1", "(1, 2]")
    np.testing.assert_array_equal(np.bincount(table.column("x"), minlength=7), [99, 0, 0, 0, 0, 0, 1])
    assert table.variables[1].states == tuple(range(7))
    assert np.isfinite(equal_width(np.array([-1e308, 1e308]), 5)).all()


def test_none_keeps_numbers():
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=50), "few": rng.choice([0.5, 1.5], 50), "n": rng.integers(0, 1000, 50)}
    table = gd.read(data)
    assert table.data_id == gd.read(data, discretize=None).data_id
    assert table.variables[0].continuous
    assert table.columns[0] is None
    np.testing.assert_array_equal(table.values[0], data["x"])
    assert table.variables[1].states == (0.5, 1.5)
    assert table.variables[2].kind == "count"
    np.testing.assert_array_equal(table.values[2], data["n"])
    with pytest.raises(DataError, match="is continuous"):
        table.column("x")


def test_labels_are_short_and_different():
    assert bin_labels(["2"], right_closed=False) == ("< 2", ">= 2")
    assert bin_labels([], right_closed=True) == ("all",)
    assert format_cuts(np.array([1234567.0, 0.1 + 0.2])) == ["1234567", "0.3"]
    assert format_cuts(np.array([1.0000001, 1.0000002])) == ["1.0000001", "1.0000002"]
    close = np.array([0.1, np.nextafter(0.1, 1)])
    assert len(set(format_cuts(close))) == 2


def test_transformers_are_copied_and_their_edges_kept():
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    cutter = preprocessing.KBinsDiscretizer(n_bins=4, encode="ordinal", strategy="uniform")
    numbers = np.arange(41) / 4
    table = gd.read({"x": numbers, "few": np.arange(41) % 3}, discretize=cutter)
    assert not hasattr(cutter, "bin_edges_")
    variable = table.variables[0]
    assert variable.states == ("< 2.5", "[2.5, 5)", "[5, 7.5)", ">= 7.5")
    np.testing.assert_array_equal(table.column("x"), np.minimum(numbers // 2.5, 3))
    np.testing.assert_array_equal(table.column("x"), np.searchsorted(np.array(variable.cuts), numbers))
    assert table.variables[1].states == (0, 1, 2)
    with pytest.raises(DataError, match="did not give one column of bins for 'x'"):
        gd.read({"x": numbers}, discretize=preprocessing.KBinsDiscretizer(n_bins=4, encode="onehot"))
    with pytest.raises(DataError, match="a bin is a whole number"):
        gd.read({"x": numbers}, discretize=preprocessing.StandardScaler())


class Halves:
    """Not of scikit-learn, only of its shape; bins without edges."""

    def fit_transform(self, x):
        return (x > np.median(x)).astype(int) * 5


class Parity:
    def fit_transform(self, x):
        return (x * 4) % 2


class Failing:
    def fit_transform(self, x):
        raise ValueError("too\nhard")


def test_transformers_of_any_kind():
    numbers = np.arange(41) / 4
    table = gd.read({"x": numbers}, discretize=Halves())
    assert table.variables[0].states == ("<= 5", "> 5")
    assert table.variables[0].cuts == (5.0,)
    assert gd.read({"x": numbers}, discretize=Parity()).variables[0].states == ("bin 0", "bin 1")
    with pytest.raises(DataError, match="Failing cannot cut 'x': too hard"):
        gd.read({"x": numbers}, discretize=Failing())


def test_infinite_numbers_are_refused():
    for how in ("auto", "scott", None):
        with pytest.raises(DataError, match=r"'x' has 2 infinite value\(s\), first in row 1"):
            gd.read({"x": [0.5, np.inf, -np.inf]}, discretize=how)


def test_identifiers_are_refused_with_a_remedy():
    n = 40
    texts = [f"person {i}" for i in range(n)]
    for data in (
        {"x": texts},
        {"x": np.arange(n)[::-1] + 1000},
        {"customer_id": np.arange(n) * 3},
        {"customerId": np.arange(n) * 3.0},
    ):
        for how in ("auto", "scott", None):
            with pytest.raises(
                DataError, match=r"looks like an identifier.*columns=\[\.\.\.\], or make it categorical"
            ):
                gd.read(data, discretize=how)
    twice = np.append(np.arange(n - 3) * 3, [0, 3, 6])
    with pytest.raises(DataError, match="identifier: 37 integers in 40 rows, and its name says so"):
        gd.read({"id": twice})
    assert gd.read({"x": twice}).variables[0].kind == "count"
    assert gd.read({"x": pd.Categorical(texts)}).variables[0].arity == n
    assert gd.read({"x": texts[:20]}).variables[0].arity == 20
    assert gd.read({"idle": np.arange(n) * 3}).variables[0].kind == "count"
    assert gd.read({"x": texts, "y": [0, 1] * 20}, columns=["y"]).names == ("y",)
    assert gd.read({"x": np.arange(n) / 2 + 0.25}).variables[0].kind == "continuous"
    for kind in ("nominal", "ordered", "continuous", "count"):  # whoever says what it is knows better
        assert gd.read({"x": np.arange(n)}, kinds={"x": kind}).variables[0].kind == kind


def test_too_many_states_are_refused():
    rng = np.random.default_rng(0)
    numbers = rng.permutation(np.repeat(np.arange(0, 140_000, 2), 2))
    with pytest.raises(
        DataError, match=r"'x' has 70,000 states in 140,000 rows; the most is 65,536\. Leave its kind"
    ):
        gd.read({"x": numbers}, kinds={"x": "ordered"})
    with pytest.raises(
        DataError, match=r"'x' has 70,000 states in 140,000 rows; the most is 65,536\. Merge rare"
    ):
        gd.read({"x": numbers.astype(str)})
    most = np.repeat(np.arange(65_536), 2)
    table = gd.read({"x": most}, kinds={"x": "nominal"})
    assert table.variables[0].arity == 65_536
    np.testing.assert_array_equal(table.column("x"), most)


def test_constant_columns_and_one_row():
    table = gd.read({"a": ["x"], "b": [1], "c": [2.5]})
    assert table.n_rows == 1
    assert [v.arity for v in table.variables] == [1, 1, 1]
    assert table.notes == ("3 column(s) are constant: 'a', 'b', 'c'.",)


def test_weights_by_name_and_by_array():
    data = {"a": ["x", "y", None], "w": [1.5, 2, 3]}
    table = gd.read(data, weights="w", missing="drop")
    assert table.names == ("a",)
    np.testing.assert_array_equal(table.weights.values, [1.5, 2])
    assert gd.read({"a": ["x", "y"]}, weights=[1, 2]).weights.total == 3
    assert gd.read({"a": ["x", None]}, weights=[1, np.nan], missing="drop").weights.total == 1
    for weights, said in [
        ("v", "no column is named 'v'"),
        ([1, 2], r"the shape \(2,\); expected one number for each of 3"),
        ([1, 2, np.nan], r"missing number\(s\), first in row 2"),
        ([1, 2, -1], "not a finite number >= 0"),
        ("a", "does not hold numbers"),
        (object(), "name of a column or an array"),
    ]:
        with pytest.raises(gd.errors.GraphoidError, match=said):
            gd.read({"a": ["x", "y", "z"], "w": [1, 2, 3]}, weights=weights)


def test_arrays_are_read_only():
    table = gd.read({"a": np.array([0, 1], dtype=np.uint8), "x": [0.5, 1.5]})
    with pytest.raises(ValueError, match="read-only"):
        table.columns[0][0] = 1


def test_the_caller_keeps_a_writable_array():
    mine = np.array([0, 1, 2], dtype=np.uint8)
    numbers = np.arange(50) + 0.5
    table = gd.read({"a": mine})
    mine[0] = 2
    assert table.column("a").tolist() == [0, 1, 2]
    table = gd.read({"x": numbers})
    numbers[0] = 99
    assert table.values[0][0] == 0.5


def test_missing_numbers_are_best_imputed() -> None:
    numbers = [None, None, *(0.37 * i for i in range(58))]
    with pytest.raises(DataError, match="the recommended one first: missing='impute'"):
        gd.read({"a": numbers, "b": [0, 1] * 30})
    with pytest.raises(DataError, match="the recommended one first: missing='available'"):
        gd.read({"a": [None, None, *[0, 1] * 29], "b": [0, 1] * 30})
