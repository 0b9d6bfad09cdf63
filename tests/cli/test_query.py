"""``graphoid query`` and ``graphoid sample``: what a model and a structure answer."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import graphoid as gd
from graphoid.cli.main import app
from graphoid.datasets.simulated import survey_graph


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("query")
    table = gd.datasets.load("survey")
    gd.MarkovNetwork.fit(survey_graph(), table).save(made / "model.json")
    gd.GSMN(test=gd.ChiSquare(alpha=0.001)).fit(table).structure_.save(made / "structure.json")
    numbers = gd.read({"size": [1, 2, 2, 1] * 10, "cost": np.linspace(0, 10, 40)}, discretize="auto")
    gd.MarkovNetwork.fit(gd.UndirectedGraph(["size", "cost"], [(0, 1)]), numbers).save(made / "numbers.json")
    mixed = gd.read({"size": [1, 2, 2, 1] * 10, "cost": np.linspace(0, 10, 40)}, discretize=None)
    gd.MarkovNetwork.fit(gd.UndirectedGraph(["size", "cost"], [(0, 1)]), mixed).save(made / "mixed.json")
    return made


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *arguments: CliRunner().invoke(app, [*map(str, arguments)])


def test_a_conditional_distribution_is_the_share_of_the_rows(run):
    done = run("query", "model.json", "bus", "--given", "region=city", "age=young", "--json")
    (answer,) = json.loads(done.stdout)["distributions"]
    assert answer["variables"] == ["bus"]
    assert answer["states"] == [["no"], ["yes"]]
    table = gd.datasets.load("survey")
    young = (table.column("region") == 0) & (table.column("age") == 0)
    share = (table.column("bus")[young] == 1).mean()
    assert answer["probabilities"][1] == pytest.approx(share, abs=0.02)
    assert sum(answer["probabilities"]) == pytest.approx(1)
    shown = run("query", "model.json", "bus", "--given", "region=city", "age=young").stdout
    assert f"│ bus      │ yes   │      {answer['probabilities'][1]:.4f} │" in shown


def test_given_may_be_said_once_or_often_and_other_options_may_follow(run):
    once = run("query", "model.json", "bus", "--given", "region=city", "age=young", "--json").stdout
    often = run(
        "query", "model.json", "bus", "--given", "region=city", "--given", "age=young", "--json"
    ).stdout
    before = run("query", "--json", "model.json", "bus", "--given", "region=city", "age=young").stdout
    assert once == often == before


def test_all_marginals_and_a_joint_distribution(run):
    done = json.loads(run("query", "model.json", "--given", "bus=yes", "--json").stdout)
    assert [answer["variables"] for answer in done["distributions"]] == [
        ["region"], ["age"], ["income"], ["car"], ["content"],
    ]  # fmt: skip
    (joint,) = json.loads(run("query", "model.json", "bus", "car", "--joint", "--json").stdout)[
        "distributions"
    ]
    assert joint["states"] == [["no", "no"], ["no", "yes"], ["yes", "no"], ["yes", "yes"]]
    assert sum(joint["probabilities"]) == pytest.approx(1)


def test_the_most_probable_row(run):
    best = json.loads(run("query", "model.json", "--map", "--given", "bus=yes", "--json").stdout)[
        "most_probable"
    ]
    model = gd.load("model.json")
    assert best["bus"] == "yes"
    assert best == model.most_probable({"bus": "yes"})
    shown = run("query", "model.json", "--map", "--given", "bus=yes").stdout
    assert "yes (given)" in shown


def test_an_estimate_comes_with_its_error(run):
    exact = json.loads(run("query", "model.json", "bus", "--json").stdout)["distributions"][0]
    done = json.loads(run("query", "model.json", "bus", "--estimate", "--seed", 3, "--json").stdout)
    (answer,) = done["distributions"]
    assert answer["probabilities"][1] == pytest.approx(
        exact["probabilities"][1], abs=6 * answer["errors"][1] + 1e-3
    )
    assert "± error" in run("query", "model.json", "bus", "--estimate").stdout


def test_separation_in_a_structure_and_in_a_model(run):
    for file in ("structure.json", "model.json"):
        done = run("query", file, "--separated", "income", "content", "--given", "bus")
        assert done.stdout == "yes: income tells nothing about content once bus is known.\n"
        done = run("query", file, "--separated", "income", "content")
        assert done.stdout.startswith("no: income tells something about content, along income – ")
    assert json.loads(run("query", "model.json", "--separated", "age", "bus", "--json").stdout) == {
        "x": "age", "y": "bus", "given": [], "independent": False,
    }  # fmt: skip


def test_why(run):
    done = run("query", "structure.json", "--why", "age", "income")
    assert done.stdout.startswith("age and income are joined: given")
    assert "Asked, in this order:" in done.stdout


def test_numbers_mean_the_state_or_the_bin_they_are_in(run):
    by_label = run("query", "numbers.json", "cost", "--given", "size=2", "--json").stdout
    assert by_label == run("query", "numbers.json", "cost", "--given", "size=2.0", "--json").stdout
    done = run("query", "numbers.json", "size", "--given", "cost=9.9", "--json")
    assert done.exit_code == 0, done.output
    last = gd.load("numbers.json").variables[1].states[-1]
    by_bin = run("query", "numbers.json", "size", "--given", f"cost={last}", "--json")
    assert json.loads(done.stdout)["distributions"] == json.loads(by_bin.stdout)["distributions"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["model.json", "boat"], "no variable is named 'boat'; there are 'region', 'age'"),
        (["model.json", "bus", "--given", "boat=1"], "no variable is named 'boat'"),
        (
            ["model.json", "bus", "--given", "age=ancient"],
            "'age' has no state 'ancient'; it has 'young', 'middle', 'old'",
        ),
        (["model.json", "bus", "--given", "age"], "is not NAME=STATE"),
        (["model.json", "bus", "--given", "age=old", "age=young"], "'age' is given twice"),
        (["model.json", "--joint"], "--joint needs the names"),
        (["structure.json", "bus"], "is a structure without probabilities; graphoid learn FILE --model"),
        (["model.json", "--why", "age", "bus"], "only a structure that graphoid learn --out wrote knows why"),
        (["none.json", "bus"], "there is no file 'none.json'; graphoid learn FILE --out none.json makes one"),
        ([".", "bus"], "'.' is a folder"),
    ],
)
def test_errors_are_one_line(run, arguments, said):
    done = run("query", *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["model.json", "--separated", "age"], ["model.json", "--why", "--map"], [], ["model.json", "--given"]],
)
def test_wrong_usage_is_2_or_an_empty_given(run, arguments):
    assert run("query", *arguments).exit_code == (0 if "--given" in arguments else 2)


def test_a_sample_has_the_rows_asked_for_and_the_same_seed_gives_it_again(run, folder):
    first = run("sample", "model.json", "-n", 2000, "--out", "rows.csv", "--seed", 5)
    assert first.exit_code == 0, first.output
    assert first.stderr.startswith("wrote rows.csv: 2,000 rows, simulated:")
    text = (folder / "rows.csv").read_text()
    run("sample", "model.json", "-n", 2000, "--out", "again.csv", "--seed", 5, "-q")
    assert (folder / "again.csv").read_text() == text
    table = gd.read("rows.csv")
    assert (table.n_rows, table.names) == (2000, survey_graph().names)
    share = (gd.datasets.load("survey").column("car") == 1).mean()
    assert (table.column("car") == 1).mean() == pytest.approx(share, abs=0.04)


def test_a_sample_to_the_terminal_and_as_json(run):
    done = run("sample", "model.json", "-n", 4, "--given", "region=city", "bus=yes")
    lines = done.stdout.splitlines()
    assert lines[0] == '"region","age","income","bus","car","content"'
    assert len(lines) == 5
    assert all(line.startswith('"city"') for line in lines[1:])
    columns = json.loads(run("sample", "model.json", "-n", 4, "--json").stdout)["columns"]
    assert set(columns["bus"]) <= {"no", "yes"}
    assert len(columns["bus"]) == 4


def test_only_a_model_can_be_sampled(run):
    done = run("sample", "structure.json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "is no model to draw from" in done.stderr


def test_numbers_are_asked_about_given_and_sampled(run, folder):
    done = run("query", "mixed.json", "cost", "--given", "size=2", "--json")
    (answer,) = json.loads(done.stdout)["numbers"]
    assert answer["variable"] == "cost"
    assert 0 < answer["quantiles"]["0.05"] < answer["mean"] < answer["quantiles"]["0.95"] < 10
    shown = run("query", "mixed.json", "cost", "--given", "size=2").stdout
    assert "number" in shown
    assert f"{answer['mean']:.4g}" in shown
    guess = json.loads(run("query", "mixed.json", "--estimate", "--json").stdout)
    assert guess["distributions"][0]["variables"] == ["size"]
    assert guess["numbers"][0]["standard_error"] > 0
    assert "± error" in run("query", "mixed.json", "cost", "--estimate").stdout
    given = json.loads(run("query", "mixed.json", "size", "--given", "cost=2.5", "--json").stdout)
    assert sum(given["distributions"][0]["probabilities"]) == pytest.approx(1)
    drawn = json.loads(run("sample", "mixed.json", "-n", "5", "--given", "size=1", "--json").stdout)
    assert drawn["columns"]["size"] == [1] * 5
    assert all(0 <= cost <= 10 for cost in drawn["columns"]["cost"])
    assert run("sample", "mixed.json", "-n", "3", "--out", "rows.csv").exit_code == 0
    assert len((folder / "rows.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["query", "mixed.json", "--given", "cost=dear"], "'cost' is a number, and 'dear' is none"),
        (["query", "mixed.json", "size", "cost", "--joint"], "--joint is for variables with states"),
        (["query", "mixed.json", "--map"], "has no most probable states"),
    ],
)
def test_what_numbers_cannot_answer_is_one_sentence(run, arguments, says):
    done = run(*arguments)
    assert done.exit_code == 1
    assert says in done.stderr.replace("\n", " ")
