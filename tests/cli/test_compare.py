"""``graphoid compare`` and ``graphoid datasets``."""

from __future__ import annotations

import json

import networkx as nx
import pytest
from typer.testing import CliRunner

import graphoid as gd
from graphoid.cli.main import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    names = ["a", "b", "c", "d"]
    gd.LearnedStructure(gd.UndirectedGraph(names, [(0, 1), (1, 2)])).save("one.json")
    gd.LearnedStructure(gd.UndirectedGraph(names[::-1], [("a", "b"), ("c", "d"), ("b", "d")])).save(
        "two.json"
    )
    nx.write_graphml(nx.Graph([("a", "b"), ("c", "d")]), "drawn.graphml")
    (tmp_path / "list.csv").write_text("x,y\na,b\nb,c\n")
    return lambda *arguments: CliRunner().invoke(app, [*map(str, arguments)])


def test_shared_edges_and_distances_worked_by_hand(run):
    # a-b in both; b-c in one; c-d and b-d in two: Hamming 3 of 6 pairs, precision 1/2, recall 1/3, F1 2/5
    found = json.loads(run("compare", "one.json", "two.json", "--json").stdout)
    assert found["shared"] == [["b", "a"]]
    assert (len(found["only_a"]), len(found["only_b"])) == (1, 2)
    assert (found["hamming"], found["hamming_normalized"]) == (3, 0.5)
    assert (found["precision"], found["recall"], found["f1"]) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    shown = run("compare", "one.json", "two.json").stdout
    assert "1 edges in both, 1 in A only, 2 in B only; Hamming distance 3 (0.5 of all pairs)" in shown
    assert "A only (one.json)" in shown


def test_a_structure_equals_itself_in_every_form(run):
    assert json.loads(run("compare", "one.json", "one.json", "--json").stdout)["f1"] == 1
    done = run("compare", "one.json", "list.csv", "--json")
    assert json.loads(done.stdout)["hamming"] == 0
    assert "1 variables are in one of them only, such as d" in done.stderr
    assert json.loads(run("compare", "two.json", "drawn.graphml", "--json").stdout)["hamming"] == 1


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("bad.graphml", "<graphml>", "is not GraphML that can be read"),
        ("bad.csv", "u,v\na,b\n", "has no columns x and y"),
        ("bad.json", "{}", "is JSON, but not"),
        ("loop.csv", "x,y\na,a\n", "to itself means nothing"),
    ],
)
def test_files_that_hold_no_graph_are_one_sentence(run, tmp_path, file, text, said):
    (tmp_path / file).write_text(text)
    done = run("compare", "one.json", file)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_data_sets_are_listed_described_and_written(run, tmp_path):
    listed = json.loads(run("datasets", "--json").stdout)
    assert [row["name"] for row in listed] == list(gd.datasets.names())
    assert all(row["what"] and row["needs"] for row in listed)
    assert "titanic" in run("datasets").stdout
    shown = run("datasets", "titanic").stdout
    assert "titanic: 2,201 rows of 4 variables" in shown
    assert "1st, 2nd, 3rd, crew" in shown
    assert run("datasets", "titanic", "--out", "titanic.csv").exit_code == 0
    table, again = gd.datasets.load("titanic"), gd.read("titanic.csv")
    assert again.n_rows == table.n_rows
    for v in table.variables:
        labels = {v.states[code] for code in table.column(v.name)}
        assert {
            again.variables[again.position(v.name)].states[code] for code in again.column(v.name)
        } == labels
    first = [v.states[table.column(v.name)[7]] for v in table.variables]
    assert first == [v.states[again.column(v.name)[7]] for v in again.variables]


def test_numbers_are_written_as_numbers(run):
    pytest.importorskip("sklearn")
    assert run("datasets", "iris", "--out", "iris.csv").exit_code == 0
    table, again = gd.datasets.load("iris"), gd.read("iris.csv")
    i = table.position(table.names[0])
    assert again.numbers(again.names[0]).tolist() == table.values[i].tolist()


def test_an_unknown_data_set_is_one_sentence(run):
    done = run("datasets", "nothing")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no data set is named 'nothing'" in done.stderr
    assert run("datasets", "--out", "x.csv").exit_code == 1
