"""``graphoid update``."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import graphoid as gd
from graphoid.cli.main import app

BATCHES = {"old": (1_500, 0.85), "feb": (300, 0.85), "mar": (800, 0.5)}
"""Rows of each file, and the share of them in which x and y agree."""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Files of rows of x - y and z; in the last, x and y are no longer joined."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    rng = np.random.default_rng(7)
    for name, (n, share) in BATCHES.items():
        x, z = rng.integers(2, size=(2, n))
        y = np.where(rng.random(n) < share, x, 1 - x)
        rows = [f"{i},{'ab'[a]},{'cd'[b]},{'ef'[c]}" for i, (a, b, c) in enumerate(zip(x, y, z, strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,x,y,z", *rows]) + "\n")

    def call(*arguments):
        return CliRunner().invoke(app, [*map(str, arguments)])

    learned = call("learn", "old.csv", "--drop", "id", "--learner", "gsmn", "--out", "s.json", "-q")
    assert learned.exit_code == 0, learned.output
    return call


def test_an_update_is_what_all_files_give_and_says_what_changed(run):
    done = run("update", "s.json", "feb.csv", "mar.csv", "--out", "new.json", "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert [one["rows"] for one in said["batches"]] == [1_800, 2_600]
    assert said["files"] == ["new.json"]
    alarms = [[(row["x"], row["y"]) for row in one["drift"] if row["alarm"]] for one in said["batches"]]
    assert alarms == [[], [("x", "y")]]
    found = gd.load("new.json")
    again = run("learn", "--config", "new.json", "--out", "again.json", "-q")
    assert again.exit_code == 0, again.output
    whole = gd.load("again.json")
    assert found.data_id == whole.data_id
    assert found.evidence_rows() == whole.evidence_rows()
    shown = run("update", "s.json", "feb.csv", "mar.csv").stdout
    assert "drift: no alarm" in shown
    assert "x – y is no longer what it was, most probably since row 1," in shown  # 1,500 or 1,800


def test_batches_one_by_one_are_batches_together(run):
    assert run("update", "s.json", "feb.csv", "mar.csv", "--out", "both.json", "-q").exit_code == 0
    assert run("update", "s.json", "feb.csv", "--out", "s.json", "-q").exit_code == 0  # in its own place
    assert run("update", "s.json", "mar.csv", "--out", "s.json", "-q").exit_code == 0
    one, both = gd.load("s.json"), gd.load("both.json")
    assert one.graph == both.graph
    assert one.details == both.details


def test_what_the_recommended_learner_found_is_updated(run):
    assert run("learn", "old.csv", "--drop", "id", "--out", "auto.json", "-q").exit_code == 0
    done = run("update", "auto.json", "feb.csv", "--out", "auto.json", "-q")
    assert done.exit_code == 0, done.output
    found = gd.load("auto.json")
    assert "reason" in found.settings
    assert found.probability("x", "y") > 0.95


def test_a_state_not_seen_before_is_said(run, tmp_path):
    (tmp_path / "odd.csv").write_text("id,x,y,z\n1,new,c,e\n2,a,d,f\n")
    done = run("update", "s.json", "odd.csv")
    assert done.exit_code == 0, done.output
    assert "'x': 'new' had not been seen before." in done.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("s.json", "none.csv"), "none.csv"),
        (("s.json", "short.csv"), "no column 'z'"),
        (("s.json", "wide.csv"), "a column 'w', which the table does not have"),
        (("s.json", "feb.csv", "--data", "mar.csv"), "does not have the rows"),
        (("s.json", "feb.csv", "--out", "feb.csv"), "would replace 'feb.csv'"),
        (("s.json", "feb.csv", "--alpha", "2"), "alpha"),
        (("old.csv", "feb.csv"), "old.csv"),
    ],
)
def test_what_cannot_be_added_is_one_sentence(run, tmp_path, asked, said):
    (tmp_path / "short.csv").write_text("id,x,y\n1,a,c\n")
    (tmp_path / "wide.csv").write_text("id,x,y,z,w\n1,a,c,e,1\n")
    done = run("update", *asked)
    assert done.exit_code == 1, done.output
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_rows_that_moved_are_named(run, tmp_path):
    (tmp_path / "old.csv").rename(tmp_path / "moved.csv")
    assert run("update", "s.json", "feb.csv").exit_code == 1
    done = run("update", "s.json", "feb.csv", "--data", "moved.csv", "-q")
    assert done.exit_code == 0, done.output
