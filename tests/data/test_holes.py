"""Missing cells that stay in a table: what it holds, what it refuses, and what reading says of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError

COLUMNS = {
    "age": [31.5, None, 47.25, 20.0, 61.0, 33.0],
    "smokes": ["no", "yes", None, "no", "yes", "no"],
    "sex": ["f", "m", "f", "f", "m", "m"],
}


def test_a_missing_cell_is_no_state() -> None:
    table = gd.read(COLUMNS, missing="available", kinds={"age": "continuous"})
    assert table.variables[1].states == ("no", "yes")
    assert table.codes_of("smokes").tolist() == [0, 1, 2, 0, 1, 0]
    assert table.absent("smokes").tolist() == [False, False, True, False, False, False]
    assert math.isnan(table.values[0][1])
    assert (table.holes, table.n_missing, table.missing) == (frozenset({0, 1}), 2, "available")
    assert "2 of 18 cells (11.1%) are missing, in 2 of 6 rows" in table.notes[0]


def test_what_needs_every_cell_is_refused_in_a_sentence() -> None:
    table = gd.read(COLUMNS, missing="available", kinds={"age": "continuous"})
    codes = table.take([1, 2])
    for ask in (lambda: table.column("smokes"), lambda: table.numbers("age"), lambda: codes.codes):
        with pytest.raises(DataError, match=r"has 1 missing cell\(s\), and what was asked for needs"):
            ask()
    assert table.column("sex").tolist() == [0, 1, 0, 0, 1, 1]


def test_complete_rows_are_those_of_some_variables() -> None:
    table = gd.read(COLUMNS, missing="available", kinds={"age": "continuous"})
    assert table.complete_rows(["sex"]) is table
    assert table.complete_rows(["smokes"]).column("smokes").tolist() == [0, 1, 0, 1, 0]
    both = table.complete_rows()
    assert both.n_rows == 4
    assert not both.holes
    assert both.numbers("age").tolist() == [31.5, 20.0, 61.0, 33.0]


def test_a_frame_keeps_the_holes() -> None:
    table = gd.read(COLUMNS, missing="available", kinds={"age": "continuous"})
    again = gd.read(table.to_frame(), missing="available")
    assert again.n_missing == 2
    assert again.codes_of("smokes").tolist() == table.codes_of("smokes").tolist()


def test_a_table_can_be_read_again_with_another_policy() -> None:
    table = gd.read(COLUMNS, missing="available", kinds={"age": "continuous"})
    assert gd.read(table, missing="drop").n_rows == 4
    weighted = gd.read(table, missing="weighted")
    assert weighted.missing == "weighted"
    assert weighted.data_id != table.data_id


def test_256_states_and_a_hole_take_two_bytes() -> None:
    labels = [f"s{i:03}" for i in range(256)]
    table = gd.read({"a": [*labels * 2, None], "b": [0, 1] * 256 + [1]}, missing="available")
    assert table.codes_of("a").dtype == np.uint16
    assert table.codes_of("a")[-1] == 256
    assert gd.Tester(gd.ChiSquare(), table).ask([("a", "b", ())])[0].n_rows == 512


def test_numbers_with_holes_are_cut_by_those_that_are_there() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=200)
    numbers[:20] = np.nan
    table = gd.read({"a": numbers, "b": rng.integers(0, 2, 200)}, missing="available")
    with pytest.warns(gd.errors.DiscretizedWarning):
        (verdict,) = gd.Tester(gd.ChiSquare(), table).ask([("a", "b", ())])
    assert verdict.n_rows == 180
    cut = table.discretized
    assert np.bincount(cut.codes_of("a")).tolist() == [36, 36, 36, 36, 36, 20]


def test_a_column_without_a_value_is_named() -> None:
    with pytest.raises(DataError, match="'a' is missing in every row"):
        gd.read({"a": [None, None], "b": [0, 1]}, missing="available")


def test_the_error_offers_what_each_way_keeps() -> None:
    with pytest.raises(DataError) as caught:
        gd.read(COLUMNS)
    said = str(caught.value)
    assert "missing='available' uses 88.9% of the cells" in said
    assert "missing='drop' leaves 4 of 6 rows" in said
    assert said.index("available") < said.index("drop")


def test_unknown_policies_are_refused() -> None:
    with pytest.raises(SettingsError, match="missing is 'guess'; expected one of error, drop, category"):
        gd.read(COLUMNS, missing="guess")


def test_weights_mend_what_depends_on_what_is_seen() -> None:
    # y is hidden in seven of ten rows where z = 1, and never where z = 0. Where z = 1, y is 1 in nine rows of
    # ten, else in one: in half of all rows, and in (.3 * .9 + .1) / 1.3 = .285 of those that are left.
    rng = np.random.default_rng(1)
    z = rng.integers(0, 2, 20_000)
    y = (rng.random(20_000) < np.where(z == 1, 0.9, 0.1)).astype(object)
    y[(z == 1) & (rng.random(20_000) < 0.7)] = None
    table = gd.read({"y": y, "z": z}, missing="weighted")
    rows = table.rows_for([0])
    weights = rows.weights.values
    assert rows.column(0).mean() == pytest.approx(0.285, abs=0.02)
    assert np.average(rows.column(0), weights=weights) == pytest.approx(0.5, abs=0.02)
    assert rows.weights.total < rows.n_rows  # Kish's effective number
    (verdict,) = gd.Tester(gd.GTest(), table).ask([("y", "z", ())])
    assert verdict.n_rows == pytest.approx(table.rows_for([0, 1]).weights.total)


def test_rows_that_stay_at_their_source_are_refused(tmp_path) -> None:
    path = tmp_path / "a.parquet"
    gd.read(COLUMNS, missing="available", kinds={"age": "continuous"}).to_frame().to_parquet(path)
    with pytest.raises(DataError, match="takes the rows, and these stay where they are"):
        gd.read(path, where="source", missing="available")
