"""``graphoid groups``."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from graphoid.cli.main import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Three groups of 200 rows; a and b are joined by opposite signs in the last."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    rng = np.random.default_rng(5)
    lines = ["country,sex,age,a,b,c"]
    for i in range(600):
        a, age = rng.normal(), rng.uniform(20, 80)
        b = (-1 if i % 3 == 2 else 1) * a + rng.normal()
        c = 0.7 * b + rng.normal()
        lines.append(f"{'xyz'[i % 3]},{'fm'[i // 3 % 2]},{age:.4f},{a:.5f},{b:.5f},{c:.5f}")
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    return lambda *arguments: CliRunner().invoke(app, [*map(str, arguments)])


def test_the_pair_that_differs_is_first_in_every_form(run, tmp_path):
    asked = ("groups", "rows.csv", "--by", "country", "--covariates", "age,sex", "--draws", "99")
    done = run(*asked, "--json", "--out", "g.csv", "--out", "g.json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["groups"] == ["x", "y", "z"]
    assert found["rows"] == [200, 200, 200]
    assert found["covariates"] == ["age", "sex"]
    assert found["files"] == ["g.csv", "g.json"]
    first = min(found["pairs"], key=lambda row: row["p_value"])
    assert (first["x"], first["y"]) == ("a", "b")
    assert first["effects"][0] > 0.5 > -0.5 > first["effects"][2]
    assert found["p_value"] < 0.05
    with (tmp_path / "g.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["x"], row["y"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert float(rows[0]["effect z"]) == first["effects"][2]
    kept = json.loads((tmp_path / "g.json").read_text())
    assert kept["pairs"] == found["pairs"]
    shown = run(*asked).stdout
    assert "1 of 3 pairs differs" in shown
    assert "global strength" in shown


def test_a_page_and_pictures_are_written(run, tmp_path):
    asked = ("groups", "rows.csv", "--by", "country", "--draws", "99", "--drop", "age,sex", "-q")
    done = run(*asked, "--report", "g.html", "--plot", "n.svg", "--plot", "differences=d.png")
    assert done.exit_code == 0, done.output
    assert "Networks by country" in (tmp_path / "g.html").read_text(encoding="utf-8")
    assert (tmp_path / "n.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")


def test_a_number_moderates_and_groups_are_estimated_together(run):
    asked = ("groups", "rows.csv", "--draws", "99", "--json", "--drop", "sex")
    found = json.loads(run(*asked, "--by", "age", "--covariates", "country").stdout)
    assert found["groups"] == sorted(found["groups"])
    assert len(found["groups"]) == 3
    assert found["p_value"] > 0.05
    found = json.loads(run(*asked, "--by", "country", "--shared", "--permutations", "79").stdout)
    assert 1 / 80 <= found["permutation_p_values"][0] <= 3 / 80  # each of three statistics has a largest


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--by", "land"), "land"),
        (("--by", "country", "--covariates", "height"), "height"),
        (("--by", "country", "--covariates", "country"), "cannot be a covariate"),
        (("--by", "country", "--columns", "country,a"), "nothing to compare"),
        (("--by", "age", "--shared"), "shared is for groups"),
        (("--by", "country", "--out", "g.png"), "--out"),
        (("--by", "country", "--report", "g.txt"), "--report 'g.txt' must end in .html"),
        (("--by", "country", "--plot", "g.txt"), "--plot 'g.txt' must end in .svg"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(run, asked, said):
    done = run("groups", "rows.csv", *asked)
    assert done.exit_code == 1
    assert said in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("group", "said"),
    [
        (lambda i: "x", "'g' is 'x' in all rows"),
        (lambda i: "y" if i == 7 else "x", "'g' is 'y' in 1 row"),
        (lambda i: "" if i == 7 else "xz"[i % 2], "missing"),
    ],
)
def test_groups_that_are_none_are_one_sentence(run, tmp_path, group, said):
    rows = [f"{group(i)},{i % 2},{i // 2 % 2}" for i in range(60)]
    (tmp_path / "odd.csv").write_text("\n".join(["g,a,b", *rows]) + "\n")
    done = run("groups", "odd.csv", "--by", "g")
    assert done.exit_code == 1
    assert said in done.stderr
