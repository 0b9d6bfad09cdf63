"""Tables with missing cells on the command line: learned, measured and shown on a page."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import graphoid as gd
from tests.support.terminal import graphoid

N = 600


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A chain a - b - c of three states, and a number that goes with b; a tenth of the cells are missing."""
    folder, rng = tmp_path_factory.mktemp("missing"), np.random.default_rng(0)
    a = rng.integers(3, size=N)
    b = (a + (rng.random(N) < 0.3)) % 3
    c = (b + (rng.random(N) < 0.3)) % 3
    age = (30 + 8 * b + rng.normal(0, 5, N)).round(1)
    for name, columns in {"states.csv": (a, b, c), "mixed.csv": (a, b, age)}.items():
        names = ["a", "b", "c" if columns[2] is c else "age"]
        cells = [["" if rng.random() < 0.1 else str(x) for x in row] for row in zip(*columns, strict=True)]
        (folder / name).write_text("\n".join(map(",".join, [names, *cells])) + "\n")
    return folder


@pytest.mark.parametrize("policy", ["available", "weighted", "impute"])
def test_a_table_of_states_is_learned_measured_and_shown(folder, policy):
    done = graphoid(
        *("learn", "states.csv", "--missing", policy, "--out", "s.json", "--report", "r.html"), cwd=folder
    )
    assert done.returncode == 0, done.stderr
    found = gd.load(folder / "s.json")
    assert found.graph.has_edge("a", "b")
    assert found.graph.has_edge("b", "c")
    assert all(row.low < row.size < row.high for row in found.edges())
    assert (folder / "r.html").stat().st_size > 10_000
    how = "drawn from learned models" if policy == "impute" else "rows that are complete for it"
    assert how in done.stderr


def test_numbers_are_drawn_too(folder):
    done = graphoid("learn", "mixed.csv", "--missing", "impute", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    edges = {frozenset((row["x"], row["y"])) for row in json.loads(done.stdout)["edges"]}
    assert {frozenset(("a", "b")), frozenset(("b", "age"))} <= edges


def test_an_edge_is_measured_in_the_rows_complete_for_it():
    rng = np.random.default_rng(1)
    x = rng.integers(2, size=400)
    y = np.where(rng.random(400) < 0.8, x, 1 - x)
    columns = {"x": x.tolist(), "y": y.tolist(), "z": [*([None] * 390), *([0, 1] * 5)]}
    table = gd.read(columns, missing="available")
    graph = gd.UndirectedGraph(table.names, [("x", "y")])
    alone = gd.read({"x": columns["x"], "y": columns["y"]})
    expected = gd.strengths(gd.UndirectedGraph(alone.names, [("x", "y")]), alone)[0]
    assert gd.strengths(graph, table)[0].weight == pytest.approx(expected.weight)


def test_policies_that_are_proposed_for_numbers_are_those_that_learning_takes(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{'' if i % 7 == 0 else i % 11 + i / 100},{i % 3},{i % 2}" for i in range(90)]
    path.write_text("a,b,c\n" + "\n".join(rows) + "\n", encoding="utf-8")
    said = graphoid("learn", path).stderr
    assert re.findall(r"--missing (\w+)", said) == ["impute", "drop"]
    assert "Others need columns of states: --discretize auto makes bins." in said
    for policy in ("impute", "drop"):
        assert graphoid("learn", path, "--missing", policy).returncode == 0
    cut = graphoid("learn", path, "--discretize", "auto").stderr
    assert re.findall(r"--missing (\w+)", cut)[0] == "available"
    assert graphoid("learn", path, "--discretize", "auto", "--missing", "available").returncode == 0


def test_row_names_of_r_can_be_left_out_by_the_name_that_is_said(tmp_path):
    path = tmp_path / "r.csv"
    rows = [f'"{i}",{"NA" if i % 15 == 0 else i % 5},{i % 3}' for i in range(1, 121)]
    path.write_text('"","a","b"\n' + "\n".join(rows) + "\n", encoding="utf-8")
    said = graphoid("learn", path, "--missing", "drop").stderr  # rows that are dropped leave gaps
    assert (
        "'column 1' looks like an identifier: a different integer in every row, 1 to 119 with 7 left out."
        in said
    )
    assert "Leave it out with --drop 'column 1'" in said
    done = graphoid("learn", path, "--missing", "drop", "--drop", "column 1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["variables"] == ["a", "b"]
    assert gd.read(path, columns=["column 1", "b"], kinds={"column 1": "nominal"}).names == ("column 1", "b")
