"""The look before learning: all problems at once, nothing raised."""

from __future__ import annotations

import json

import numpy as np
import pytest

import graphoid as gd
from graphoid.data.check import check
from graphoid.errors import DataError, SettingsError

N = 60
DATA = {
    "fine": ["yes", "no"] * 30,
    "rare": ["often"] * 57 + ["seldom"] * 3,
    "same": [1] * N,
    "name": [f"person {i}" for i in range(N)],
    "row": np.arange(N),
    "size": np.arange(N) ** 2 * 0.25,
    "nested": [[1]] * N,
    "holes": [None, "a", "b"] * 20,
    "endless": [0.5, np.inf] * 30,
}


def test_all_problems_are_listed_and_read_names_every_column():
    report = check(DATA)
    assert not report.ok
    assert [p.split()[0] for p in report.problems] == ["'name'", "'row'", "'nested'", "'endless'", "20"]
    with pytest.raises(DataError) as caught:
        gd.read(DATA)
    said = str(caught.value)
    assert said.startswith("4 columns cannot be used as they are. ")
    assert [said.index(f"{name!r}") for name in ("name", "row", "nested", "endless")]
    assert said.endswith("Or leave these columns out with columns=[...].")


def test_columns_are_described():
    columns = {column.name: column for column in check(DATA).columns}
    assert {name: column.kind for name, column in columns.items()} == {
        "fine": "nominal",
        "rare": "nominal",
        "same": "constant",
        "name": "identifier",
        "row": "identifier",
        "size": "continuous",
        "nested": "unusable",
        "holes": "nominal",
        "endless": "unusable",
    }
    rare = columns["rare"]
    assert (rare.n_states, rare.rarest, rare.rarest_rows) == (2, "seldom", 3)
    assert columns["holes"].n_missing == 20
    assert columns["size"].action == "kept as numbers"
    assert columns["size"].why == "60 different numbers"
    assert columns["fine"].why == "text"
    cut = check(DATA, columns=["size"], discretize="auto").columns[0]
    assert (cut.kind, cut.action) == ("binned", "cut into 5 bins")
    assert columns["fine"].action == "kept, with 2 states"
    assert columns["name"].problem is not None
    assert columns["fine"].problem is None


def test_observations_name_column_level_and_count():
    report = check(DATA)
    assert "'rare' has 1 rare state(s), with fewer than 5 rows: 'seldom' 3." in report.observations
    assert "1 column(s) are constant: 'same'." in report.observations
    cut = check(DATA, discretize="auto").observations
    assert any(said.startswith("'size' (60 different numbers) was cut") for said in cut)
    thin = check({"x": [f"s{i % 20}" for i in range(50)]})
    assert thin.observations == ("'x' has 20 states for 50 rows, fewer than 5 rows a state.",)


def test_settings_are_those_of_read():
    some = ["fine", "holes", "size"]
    assert not check(DATA, columns=some).ok
    dropped = check(DATA, columns=some, missing="drop")
    assert dropped.ok
    assert (dropped.n_rows, dropped.n_rows_used, dropped.n_rows_complete) == (60, 40, 40)
    continuous = check(DATA, columns=["size"])
    assert continuous.columns[0].kind == "continuous"
    assert continuous.columns[0].n_states == 60
    assert check({"a": [0, 1], "w": [1, 2]}, weights="w").columns[0].name == "a"
    assert "negative" not in check({"a": [0, 1]}, weights=[1, -1]).problems[0]
    with pytest.raises(SettingsError):
        check(DATA, missing="ignore")


def test_what_cannot_be_opened_is_a_report_too(tmp_path):
    report = check(tmp_path / "none.csv")
    assert report.problems[0].startswith("there is no file")
    assert report.columns == ()


def test_several_problems_of_a_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,a,b\n1,2,x\n1,2\n3,4,NA\n")
    report = check(path)
    assert [p[:14] for p in report.problems] == [
        "1 row(s) of t.",
        "1 column name(",
        "1 cell(s) are ",
    ]
    assert report.n_rows == 2


def test_report_as_json():
    report = json.loads(json.dumps(check(DATA).to_dict()))
    assert list(report) == [
        "ok",
        "n_columns",
        "name",
        "n_rows",
        "n_rows_used",
        "n_rows_complete",
        "columns",
        "problems",
        "observations",
    ]
    assert list(report["columns"][0]) == [
        "name",
        "kind",
        "n_states",
        "rarest",
        "rarest_rows",
        "n_missing",
        "action",
        "problem",
        "why",
    ]


def test_dates_are_told_from_names():
    days = [f"2024-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(60)] * 2
    (said,) = check({"seen": days, "x": [0, 1] * 60}).observations
    assert said == "'seen' holds dates from 2024-01-01 to 2024-03-04, taken by month."
