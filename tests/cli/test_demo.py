"""``graphoid demo`` shows a network and always the same one, and writes its report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphoid.cli.main import app


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return lambda *arguments: CliRunner().invoke(app, ["demo", *arguments])


def test_the_demo_shows_edges_a_gap_the_cost_a_check_and_what_next(run):
    done = run()
    assert done.exit_code == 0, done.output
    shown = done.stdout
    assert "2,201 people on board, 4 variables: class, sex, age, survived" in shown
    assert re.search(
        r"sex +│ survived +│ beyond doubt +│ \+0\.\d+ \(0\.\d+, 0\.\d+\) +│ p = \d\.?\d*e-8\d given", shown
    )
    assert "sex and age are not joined: given" in shown
    assert "above alpha = 0.001" in shown
    assert re.search(r"cost: 17 tests \(weighted \d+, 6 initial\), 11 answers inferred without a test", shown)
    assert "7 edges right, 0 too many, 0 missing" in shown
    assert "graphoid learn survey.csv" in shown


def test_the_demo_ends_with_a_report_that_needs_no_network(run, tmp_path):
    shown = run().stdout
    (page,) = re.findall(r"^(/.*titanic\.html)$", shown, re.MULTILINE)
    assert page.startswith(str(tmp_path))
    text = Path(page).read_text(encoding="utf-8")
    assert "survived" in text
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", text)


def test_the_demo_is_the_same_every_time_but_for_the_clock_and_the_folder(run):
    def timeless(text):
        return re.sub(r"/\S+titanic.html|[\d.e-]+ s\b", "", text)

    assert timeless(run().stdout) == timeless(run().stdout)


def test_the_demo_speaks_json_and_writes_where_it_is_told(run, tmp_path):
    done = run("--json", "--out", str(tmp_path / "page.html"))
    found = json.loads(done.stdout)
    assert found["files"] == [str(tmp_path / "page.html")]
    assert {(row["x"], row["y"]) for row in found["edges"]} >= {("sex", "survived")}
    assert run("--quiet").stdout == ""
