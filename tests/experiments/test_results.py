"""A table of results as text, CSV, Markdown, JSON and a picture."""

from __future__ import annotations

import csv
import io
import json

import pytest

from graphoid.experiments.plots import save_plot
from graphoid.experiments.results import Column, Plot, Results, Spread, paragraphs


@pytest.fixture
def results():
    return Results(
        "some",
        "Cost of A* | B",
        (Column("set"), Column("n"), Column("cost", 1), Column("printed", 2)),
        (("x", 10, Spread(1234.56, 7.89), 0.5), ("y", 2000, Spread(3.0, None), None), ("sum", None, None, 1)),
        notes=("A note.",),
        plot=Plot("n", {"cost": ("cost", "printed")}, panels=("set",)),
    )


def test_cells_have_their_columns_decimals_and_a_spread_where_there_is_one(results):
    assert results.texts() == [
        ["x", "10", "1,234.6 ± 7.9", "0.50"],
        ["y", "2,000", "3.0", ""],
        ["sum", "", "", "1.00"],
    ]


def test_csv_has_numbers_in_full_and_the_spread_beside_its_mean(results):
    rows = list(csv.DictReader(io.StringIO(results.to_csv())))
    assert rows[0] == {"set": "x", "n": "10", "cost": "1234.56", "cost sd": "7.89", "printed": "0.5"}
    assert rows[1]["cost sd"] == rows[2]["cost"] == ""


def test_markdown_escapes_what_would_break_a_table(results):
    lines = results.to_markdown().splitlines()
    assert lines[0] == "### Cost of A\\* | B"
    assert lines[2] == "| set | n | cost | printed |"
    assert lines[3] == "| --- | ---: | ---: | ---: |"
    assert lines[4] == "| x | 10 | 1,234.6 ± 7.9 | 0.50 |"
    assert lines[-1] == "- A note."


def test_json_is_plain(results):
    loaded = json.loads(json.dumps(results.to_json()))
    assert loaded["rows"][1] == {"set": "y", "n": 2000, "cost": 3.0, "cost sd": None, "printed": None}


def test_a_row_too_short_is_an_error():
    wrong = Results("some", "title", (Column("a"), Column("b")), ((1,),))
    with pytest.raises(ValueError, match="zip"):
        wrong.texts()


def test_spread():
    assert Spread.of([1, 2, 3]) == (2.0, 1.0)
    assert Spread.of([5]) == (5.0, None)


def test_paragraphs_become_lines():
    assert paragraphs("a\n   b\n\n   c") == ("a b", "c")


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("x", ["n", "set"])
def test_the_picture_is_a_png(results, tmp_path, x, log):
    pytest.importorskip("matplotlib")
    path = tmp_path / "some.png"
    plot = Plot(x, {"cost": ("cost",), "printed": ("printed", "cost")}, lines="set", log=log)
    save_plot(Results(results.name, results.title, results.columns, results.rows, plot=plot), path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_without_a_plot_nothing_is_written(results, tmp_path):
    save_plot(Results("some", "title", results.columns, results.rows), tmp_path / "none.png")
    assert not list(tmp_path.iterdir())


def test_a_dollar_sign_in_a_name_begins_no_formula(tmp_path):
    pytest.importorskip("matplotlib")
    bad = r"$\no such{ thing$"  # drawing it as a formula raises
    plot = Plot(x="net", y={bad: ("cost",)}, lines="who", panels=("where",))
    columns = tuple(Column(name) for name in ("where", "who", "net", "cost"))
    rows = ((bad, bad, bad, 1.0), (bad, bad, "other", 2.0))
    save_plot(Results("some", bad, columns, rows, plot=plot), tmp_path / "some.png")
    assert (tmp_path / "some.png").stat().st_size > 1_000
