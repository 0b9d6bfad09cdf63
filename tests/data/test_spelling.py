"""What stands for missing, decimal marks, dates, and columns that look like identifiers."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import graphoid as gd
from graphoid.data.check import check
from graphoid.errors import DataError, LikelyMissingWarning, SettingsError

CODED = {"age": [31, -99, 47, 52], "income": ["1,5", "k.A.", "2,25", "3"], "sex": ["f", "m", "n/a", "f"]}
CODES = {"na_values": ["-99", "k.A.", "n/a"], "decimal": ",", "missing": "category"}
EXPECTED = [(31, 47, 52, "missing"), (1.5, 2.25, 3.0, "missing"), ("f", "m", "missing")]


def states(table):
    return [v.states for v in table.variables]


@pytest.mark.parametrize(
    "kind", ["csv", "tsv", "csv.gz", "parquet", "arff", "pandas", "polars", "arrow", "dict"]
)
def test_codes_and_commas_in_every_source(tmp_path, kind):
    frame = pd.DataFrame(CODED)
    path = tmp_path / f"t.{kind}"
    source: object = path
    if kind.startswith("csv"):
        frame.to_csv(path, index=False)
    elif kind == "tsv":
        frame.to_csv(path, index=False, sep="\t")
    elif kind == "parquet":
        frame.to_parquet(path)
    elif kind == "arff":
        rows = "\n".join(f"{a},'{i}',{s}" for a, i, s in zip(*CODED.values(), strict=True))
        head = "@relation t\n@attribute age numeric\n@attribute income string\n@attribute sex {f,m,n/a}\n"
        path.write_text(f"{head}@data\n{rows}\n")
    else:
        made = {"pandas": frame, "polars": pl.DataFrame(CODED), "arrow": pa.table(CODED), "dict": CODED}
        source = made[kind]
    assert states(gd.read(source, **CODES)) == EXPECTED
    report = check(source, **CODES)
    assert [column.n_missing for column in report.columns] == [1, 1, 1]


def test_a_number_that_stands_for_missing_does_so_however_it_is_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n-99.0,1\n1.5,2\n-99,3\n")
    table = gd.read(path, na_values=[-99], missing="drop")
    assert states(table) == [(1.5,), (2,)]
    ordered = pd.Categorical(["low", "-99", "high"], ["low", "high", "-99"], ordered=True)
    assert gd.read({"x": ordered}, na_values="-99", missing="drop").variables[0].states == ("low", "high")


def test_points_that_group_thousands():
    table = gd.read({"x": ["1.234,50", "12,5", "2.000,00"]}, decimal=",")
    assert states(table) == [(12.5, 1234.5, 2000.0)]


@pytest.mark.parametrize("wrong", [{"na_values": [None]}, {"na_values": 3j}, {"decimal": ";"}])
def test_settings_that_cannot_be(wrong):
    with pytest.raises(SettingsError, match="expected"):
        gd.read({"x": [1, 2]}, **wrong)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2, 3, 4, 5, -9], "-9"),
        ([18, 44, 80, 999], "999"),
        ([0.5, 36.6, 9999], "9999"),
        ([1, 2, 3, -99], "-99"),
        (["yes", "no", "k.A."], "k.A."),
        (["12", "13", "15", "19", "weiss nicht"], "weiss nicht"),
        ([-12, -9, 3, 20], None),  # temperatures
        ([18, 44, 80, 99], None),  # ages
        ([-1, 0, 1], None),
        (["low", "high", "none"], None),
    ],
)
def test_likely_codes_are_noted(values, found, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{value},{k}\n" for k, value in enumerate(values * 3)))
    if found is None:
        table = gd.read(path)
        assert not any("missing" in note for note in table.notes)
        return
    with pytest.warns(LikelyMissingWarning, match="may stand for missing"):
        table = gd.read(path)
    shown = found if found.lstrip("-").isdigit() else repr(found)
    said = f"'x' has 3 cell(s) {shown}, which may stand for missing; "
    assert any(note.startswith(f"{said}na_values=['{found}']") for note in table.notes)
    assert any(note.startswith(said) for note in check(path).observations)
    assert not any("stand for" in note for note in gd.read(path, na_values=[found], missing="drop").notes)


def test_decimal_commas_are_noted_and_no_identifiers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f'"{k},5",{k % 2}\n' for k in range(12)))
    with pytest.warns(LikelyMissingWarning, match=r"such as 0,5; decimal=',' reads them as numbers"):
        gd.read(path)
    many = tmp_path / "many.csv"
    many.write_text("x,y\n" + "".join(f'"{k},{k % 7}",{k % 2}\n' for k in range(60)) + "k.A.,1\n")
    with pytest.raises(DataError, match=r"61 different texts, which are numbers.*'k.A.'.*decimal=','"):
        gd.read(many)
    assert gd.read(many, decimal=",", na_values=["k.A."], missing="drop").variables[0].kind == "continuous"


DAYS = [dt.date(2023, 1, 1) + dt.timedelta(days=k) for k in range(0, 400, 5)]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d 08:30", None])
def test_dates_are_ordered_by_month(form):
    column = DAYS if form is None else [day.strftime(form) for day in DAYS]
    table = gd.read({"when": column, "x": [0, 1] * 40})
    when = table.variables[0]
    assert (when.kind, when.states[:2], when.arity) == ("ordered", ("2023-01", "2023-02"), 13)
    assert "'when' holds dates from 2023-01-01 to 2024-01-31, taken by month." in table.notes
    assert [when.states[c] for c in table.column(0)] == [f"{day:%Y-%m}" for day in DAYS]
    days = gd.read({"when": column}, kinds={"when": "continuous"})
    assert np.ptp(days.numbers(0)) == 395


def test_dates_by_day_and_by_year(tmp_path):
    few = gd.read({"when": DAYS[:5] * 3})
    assert few.variables[0].states == tuple(str(day) for day in DAYS[:5])
    born = [dt.date(1950 + k % 50, 1 + k % 12, 1) for k in range(200)]
    path = tmp_path / "t.parquet"
    pd.DataFrame({"born": pd.to_datetime(born), "x": [0, 1] * 100}).to_parquet(path)
    table = gd.read(path)
    assert table.variables[0].kind == "count"
    assert table.numbers(0)[:3].tolist() == [1950, 1951, 1952]
    there = gd.read(path, where="source")
    assert there.variables[0] == table.variables[0]


def test_dates_that_are_not_clear_are_refused():
    unclear = {"when": ["03/04/2021", "05/06/2021"]}
    with pytest.raises(DataError, match=r"'when' holds dates such as '03/04/2021'.*Write them as 2024-03-31"):
        gd.read(unclear)
    assert gd.read(unclear, kinds={"when": "nominal"}).variables[0].arity == 2
    assert gd.read({"x": ["2021-13-45", "2021-13-46"]}).variables[0].kind == "nominal"  # no such days


@pytest.mark.parametrize(
    ("name", "values", "identifier"),
    [
        ("id", list(range(1, 25)), True),
        ("id", [f"data_{k % 25}" for k in range(40)], True),
        ("respondent_id", [1000 + 7 * (k % 30) for k in range(40)], True),
        ("comment", [f"text {k}" for k in range(40)], True),
        ("row", list(range(40)), True),
        ("width", [0.37 * k for k in range(40)], False),
        ("height", [150 + 3 * k % 97 for k in range(40)], False),
        ("key", ["a", "b", "c"] * 14, False),
        ("id_known", [0, 1] * 20, False),
    ],
)
def test_identifiers(name, values, identifier):
    data = {name: values, "x": [k % 2 for k in range(len(values))]}
    if identifier:
        with pytest.raises(DataError, match=f"'{name}' looks like an identifier.*Leave it out"):
            gd.read(data)
    else:
        assert gd.read(data).n_rows == len(values)


def test_spss_missing_ranges_are_missing(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"agree": [1.0, 2, 3, -8, -9, 2], "income": [900.5, 1000, -99, 1500, 99999, 800]})
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "t.sav"),
        variable_value_labels={"agree": {1: "no", 2: "maybe", 3: "yes", -8: "refused", -9: "not asked"}},
        missing_ranges={"agree": [{"lo": -9, "hi": -8}], "income": [{"lo": 9000, "hi": 1e9}, -99]},
        variable_measure={"agree": "ordinal", "income": "scale"},
    )
    table = gd.read(tmp_path / "t.sav", missing="drop")
    assert table.n_rows == 3
    assert table.variables[0].states == ("no", "maybe", "yes")
    assert table.numbers("income").tolist() == [900.5, 1000, 800]
    report = check(tmp_path / "t.sav")
    assert [column.n_missing for column in report.columns] == [2, 2]
