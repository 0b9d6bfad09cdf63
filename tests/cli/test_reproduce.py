"""``graphoid reproduce``: a table on the terminal, files in a folder, one sentence where data are missing."""

from __future__ import annotations

import json
import re
import sys

import pytest
from typer.testing import CliRunner

from graphoid.cli.main import app
from graphoid.experiments.catalog import EXPERIMENTS, Entry
from graphoid.experiments.gsimn_exact import Exact


@pytest.fixture
def run(monkeypatch):
    monkeypatch.delenv("GRAPHOID_DATA", raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    small = Exact(sizes=(10,), degrees=(1, 2), repetitions=2)
    entry = Entry(Exact(sizes=(12,), degrees=(1,), repetitions=3), small)
    monkeypatch.setitem(EXPERIMENTS, "gsimn-exact", entry)

    def called(*arguments, **environment):
        return CliRunner().invoke(app, ["reproduce", *map(str, arguments)], env=environment)

    return called


def test_the_table_and_its_notes_are_printed(run):
    done = run("gsimn-exact", "--quick")
    assert done.exit_code == 0, done.output
    assert "Exact learning: weighted cost of GSIMN over GSMN* (Fig. 6)" in done.stdout
    assert len(re.findall(r"│ +[12] │ 10 │ +[\d,]+ ± \d+ │", done.stdout)) == 2
    assert "over 2 random graphs each; seed 0" in done.stdout
    assert "wrote" not in done.output


def test_settings_reach_the_experiment(run):
    done = run("gsimn-exact", "--seed", 5, "--repetitions", 4)
    assert "over 4 random graphs each; seed 5" in done.stdout
    assert run("gsimn-exact").stdout != done.stdout


def test_json_can_be_read_back(run):
    done = run("gsimn-exact", "--quick", "--json")
    found = json.loads(done.stdout)
    assert found["name"] == "gsimn-exact"
    assert [row["tau"] for row in found["rows"]] == [1, 2]


def test_files_are_written_into_a_new_folder(run, tmp_path):
    out = tmp_path / "new" / "folder"
    done = run("gsimn-exact", "--quick", "--out", out)
    assert done.exit_code == 0, done.output
    assert (out / "gsimn-exact.csv").read_text(encoding="utf-8").startswith("tau,n,cost GSIMN,cost GSIMN sd,")
    assert (out / "gsimn-exact.md").read_text(encoding="utf-8").startswith("### Exact learning")
    assert "wrote" in done.stderr


def test_without_matplotlib_there_is_no_picture_and_a_note(run, tmp_path, monkeypatch):
    for name in ["matplotlib", *(name for name in sys.modules if name.startswith("matplotlib."))]:
        monkeypatch.setitem(sys.modules, name, None)
    done = run("gsimn-exact", "--quick", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert "graphoid[plot]" in done.stderr
    assert [path.suffix for path in sorted(tmp_path.iterdir())] == [".csv", ".md"]


@pytest.mark.parametrize("name", ["density", "gsimn-uci", "gsimn-networks"])
def test_missing_data_are_one_sentence_and_exit_code_1(run, tmp_path, name):
    done = run(name, "--quick")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "--data DIR" in done.stderr
    done = run(name, "--quick", GRAPHOID_DATA=str(tmp_path))
    assert done.exit_code == 1
    assert "has no folder" in done.stderr


def test_an_unknown_experiment_is_wrong_usage(run):
    assert run("gsimn-nothing").exit_code == 2


def test_a_folder_that_cannot_be_made_is_an_error_before_the_work(run, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = run("gsimn-exact", "--quick", "--out", tmp_path / "file" / "folder")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "--out" in done.stderr
