"""``graphoid learn``: from a file to a network, by every learner, to every kind of file, and again."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

import graphoid as gd
from graphoid.cli.learners import LEARNERS
from graphoid.cli.main import app
from graphoid.datasets.simulated import survey_graph
from graphoid.errors import DiscretizedWarning


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    assert CliRunner().invoke(app, ["datasets", "survey", "--out", "survey.csv", "-q"]).exit_code == 0

    def called(*arguments):
        return CliRunner().invoke(app, ["learn", *map(str, arguments)])

    return called


def edges(done):
    """The edges in the JSON that a command printed."""
    assert done.exit_code == 0, done.output
    return {(row["x"], row["y"]) for row in json.loads(done.stdout)["edges"]}


TRUE = {(survey_graph().names[x], survey_graph().names[y]) for x, y in survey_graph().edges}


TRUSTING = ("pfmn", "pfmn-published", "gsimn", "gsimn-fch")


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name not in TRUSTING])
def test_every_learner_finds_the_network_behind_the_survey(run, learner):
    strict = ["--alpha", 0.001] if learner in ("gsmn", "csgs", "cspc") else []
    found = edges(run("survey.csv", "--learner", learner, "--json", *strict))
    assert found >= TRUE
    # contexts: joined somewhere; the network has a circle without chords, which no directed graph has
    assert len(found - TRUE) <= (4 if learner in ("csgs", "cspc") else 1 if learner == "directed" else 0)


@pytest.mark.parametrize("learner", TRUSTING)
def test_learners_that_trust_every_answer_find_what_they_find_in_python(run, learner):
    # what is inferred from a false answer is false as well, so not all of the network
    done = run("survey.csv", "--learner", learner, "--json")
    python = {
        "pfmn": gd.PFMN(random_state=0),
        "pfmn-published": gd.PublishedPFMN(random_state=0),
        "gsimn": gd.GSIMN(),
        "gsimn-fch": gd.GSIMN(chaining="forward"),
    }[learner]
    graph = python.fit(gd.read("survey.csv")).structure_.graph
    assert edges(done) == {(graph.names[x], graph.names[y]) for x, y in graph.edges}


def test_the_method_of_pfmn_is_a_learner_of_its_own(run):
    short = ("--budget", 20, "--set", "max_flips=2", "--json")
    by_method = run("survey.csv", "--learner", "pfmn", "--set", "method=paper", *short)
    assert edges(by_method) == edges(run("survey.csv", "--learner", "pfmn-published", *short))
    assert run("survey.csv", "--learner", "pfmn", *short).exit_code == 1


def test_the_table_says_which_edges_are_sure_and_what_it_cost(run):
    done = run("survey.csv")
    assert done.exit_code == 0, done.output
    assert "6 variables, 7 edges, learned by Search with LogLinearEvidence" in done.stdout
    assert "│ age        │ income     │ present │" in done.stdout
    assert "present: inclusion probability of .95 or more; undecided: more rows would tell." in done.stdout
    assert "cost: score" in done.stdout
    assert "keep it: graphoid learn survey.csv --out survey.json" in done.stderr


def test_what_rests_on_few_rows_is_not_called_sure(run, tmp_path):
    rows = (tmp_path / "survey.csv").read_text().splitlines()
    (tmp_path / "few.csv").write_text("\n".join(rows[:60]) + "\n")
    done = run(
        "few.csv", "--learner", "posterior", "--score", "mpl", "--set", "max_rounds=400", "--out", "few.json"
    )
    doubtful = [row for row in gd.load("few.json").pairs() if row.verdict == "undecided"]
    assert doubtful
    for row in doubtful:
        assert re.search(rf"{row.x} +│ {row.y} +│ undecided|{row.x} – {row.y} \(0\.", done.stdout)


def test_settings_reach_the_learner(run):
    done = run(
        *("survey.csv", "--learner", "gsmn", "--test", "g", "--alpha", 0.002, "--json"),
        *("--set", "test.dof=adjusted", "--set", "max_given=2", "--set", "test.thin=independent"),
    )
    settings = json.loads(done.stdout)["settings"]
    assert settings["max_given"] == 2
    assert (settings["test"]["name"], settings["test"]["alpha"]) == ("GTest", 0.002)
    assert (settings["test"]["dof"], settings["test"]["thin"]["answer"]) == ("adjusted", "independent")
    robust = json.loads(run("survey.csv", "--learner", "gsimn", "--preset", "robust", "--json").stdout)
    assert robust["settings"]["test"]["name"] == "MantelHaenszel"
    budget = json.loads(run("survey.csv", "--learner", "pfmn", "--budget", 10, "--json").stdout)
    assert (budget["stopped"], budget["cost"]["weighted"] <= 10) == ("budget", True)
    score = json.loads(
        run("survey.csv", "--learner", "search", "--score", "mpl", "--set", "score.ess=2", "--json").stdout
    )
    assert (score["settings"]["score"]["name"], score["settings"]["score"]["ess"]) == ("MPL", 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--budget", "5"], "--budget means nothing to auto; it is for pfmn"),
        (["--learner", "gsmn", "--score", "mpl"], "--score means nothing to gsmn"),
        (["--learner", "mpl", "--alpha", "0.1"], "--alpha means nothing to mpl"),
        (["--learner", "gsmn", "--set", "effort=2"], "gsmn has no setting 'effort' to --set; it has fdr,"),
        (["--learner", "gsmn", "--set", "test.gamma=2"], "chi-square has no setting 'gamma'; it has alpha,"),
        (["--learner", "pfmn", "--alpha", "0.1"], "--alpha means nothing to the bayesian test"),
        (["--set", "effort=2"], "the recommended learner has no setting 'effort'"),
        (["--set", "effort"], "is not NAME=VALUE"),
        (["--learner", "gsmn", "--alpha", "7"], "alpha is 7.0"),
        (["--columns", "age,nothing"], "'nothing'"),
        (["--out", "no/such/folder.json"], "there is no folder"),
        (["--out", "s.pickle"], "must end in .json or .graphml or .csv"),
        (["--model", "m.graphml"], "must end in .json or .uai"),
        (["--config", "none.toml"], "cannot be read"),
        (["--resume", "none.json"], "there is no file 'none.json'"),
    ],
)
def test_what_means_nothing_is_refused_in_one_line(run, arguments, said):
    done = run("survey.csv", *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["survey.csv", "--learner", "magic"],
        ["survey.csv", "--test", "magic"],
        ["survey.csv", "--missing", "guess"],
        ["survey.csv", "--budget", "-1"],
        ["--config", "a.toml", "--resume", "b.json"],
    ],
)
def test_wrong_usage_is_2(run, arguments):
    assert run(*arguments).exit_code == 2


def test_files_for_others(run, tmp_path):
    done = run("survey.csv", "--out", "s.json", "--out", "s.graphml", "--out", "s.csv", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    found = gd.load("s.json")
    assert found.graph == survey_graph()
    graph = nx.read_graphml("s.graphml")
    assert {frozenset(edge) for edge in graph.edges} == {frozenset(edge) for edge in TRUE}
    assert graph.edges["age", "income"]["verdict"] == "present"
    assert graph.edges["age", "income"]["probability"] == pytest.approx(1)
    with (tmp_path / "s.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["x"], row["y"]) for row in rows} == TRUE


def test_contexts_are_shown_in_words_and_kept(run):
    done = run("survey.csv", "--learner", "csgs", "--out", "c.json", "--out", "c.graphml")
    assert done.exit_code == 0, done.output
    assert "independences that the graphs say are undecided; --json has them, too" in done.stdout
    (first, *_) = json.loads(run("survey.csv", "--learner", "csgs", "--json").stdout)["independences"]
    assert first["sentence"].startswith("given region = country, age tells nothing about bus")
    assert (first["n_rows"], first["verdict"]) == (2_365, "undecided")
    assert first["probability"] == gd.load("c.json").independences(undecided=True)[0].probability
    assert "rows in which they are joined" in done.stdout
    assert isinstance(gd.load("c.json"), gd.CanonicalModel)
    assert 0 < nx.read_graphml("c.graphml").edges["age", "bus"]["share"] < 1


def test_a_result_carries_the_run_that_made_it(run, tmp_path):
    arguments = ("--learner", "gsmn", "--test", "g", "--alpha", 0.01, "--set", "max_given=3")
    first = run("survey.csv", *arguments, "--out", "s.json", "--save-config", "run.toml", "--json")
    values = tomllib.loads((tmp_path / "run.toml").read_text())
    assert values["alpha"] == 0.01
    assert values["set"] == {"max_given": 3}
    again = run("--config", "run.toml", "--json")
    assert edges(again) == edges(first)
    by_result = run("--config", "s.json", "--json")
    for done in (again, by_result):
        mine, other = json.loads(done.stdout), json.loads(first.stdout)
        for varying in ("cost", "files"):
            mine.pop(varying), other.pop(varying)
        assert mine == other
    changed = json.loads(run("--config", "run.toml", "--alpha", 0.05, "--json").stdout)
    assert changed["settings"]["run"]["alpha"] == 0.05


def test_a_configuration_is_found_from_elsewhere_and_changed_data_are_noticed(run, tmp_path, monkeypatch):
    run("survey.csv", "--learner", "gsmn", "--save-config", "run.toml", "-q")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = run("--config", "../run.toml")
    assert done.exit_code == 0, done.output
    assert "no longer" not in done.stderr
    with (tmp_path / "survey.csv").open("a") as file:
        file.write("city,young,low,yes,no,yes\n")
    assert "no longer what the run was made from" in run("--config", "../run.toml").stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("alpha = [", "is not TOML"),
        ("speed = 3", "has a setting 'speed'"),
        ("alpha = 'much'", "alpha is 'much'; expected a float"),
        ("learner = 'magic'", "expected one of auto, gsmn"),
        ("seed = true", "seed is True"),
    ],
)
def test_a_bad_configuration_is_one_sentence(run, tmp_path, text, said):
    (tmp_path / "run.toml").write_text(text)
    done = run("survey.csv", "--config", "run.toml")
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr


def test_a_dry_run_says_what_it_would_cost_and_learns_nothing(run, tmp_path):
    done = run("survey.csv", "--learner", "gsmn", "--dry-run", "--out", "s.json")
    assert done.exit_code == 0, done.output
    assert "gsmn on 4,000 rows of 6 variables: 30 to 120 tests" in done.stdout
    assert not (tmp_path / "s.json").exists()
    found = json.loads(run("survey.csv", "--dry-run", "--json").stdout)
    assert found["least"] <= found["most"]
    assert all(seconds > 0 for seconds in found["seconds"])


def test_the_dry_run_of_tests_brackets_what_is_asked(run):
    for learner in ("gsmn", "gsimn"):
        guess = json.loads(run("survey.csv", "--learner", learner, "--dry-run", "--json").stdout)
        asked = json.loads(run("survey.csv", "--learner", learner, "--json").stdout)["cost"]["n_tests"]
        assert guess["least"] / 2 <= asked <= guess["most"]


def test_missing_cells_are_a_choice(run, tmp_path):
    (tmp_path / "holes.csv").write_text("a,b\n" + "0,1\n1,0\n,1\n" * 20)
    done = run("holes.csv", "--learner", "gsmn")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "20 cell(s) are missing: 'a' 20" in done.stderr
    done = run("holes.csv", "--learner", "gsmn", "--missing", "drop")
    assert done.exit_code == 0
    assert "note: " in done.stderr


@pytest.fixture
def mixed(tmp_path):
    rng = np.random.default_rng(0)
    size = rng.normal(size=400)
    rows = zip(size, np.rint(np.exp(3 + size)), np.where(size > 0, "yes", "no"), strict=True)
    (tmp_path / "mixed.csv").write_text("size,n,big\n" + "".join(f"{s},{n:.0f},{b}\n" for s, n, b in rows))
    return "mixed.csv"


def test_numbers_are_learned_from_and_cut_aloud_where_states_are_counted(run, mixed, tmp_path):
    gsmn = (mixed, "--learner", "gsmn", "--test", "chi-square")
    with pytest.warns(DiscretizedWarning, match="'size', 'n' hold numbers"):
        done = run(*gsmn, "--out", "s.json", "--model", "m.json", "--report", "r.html", "--json")
    assert edges(done) == edges(run(*gsmn, "--discretize", "auto", "--json"))
    found = gd.load("s.json")
    assert found.settings["discretized"] == ["size", "n"]
    assert found.data_id == gd.read("mixed.csv").data_id
    assert any("'size' (400 different numbers) was cut" in note for note in json.loads(done.stdout)["notes"])
    assert "of another table" not in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert run(*gsmn, "--quiet", "--out", "t.json").output == ""
    # the run that made it, again
    with pytest.warns(DiscretizedWarning):
        again = run("--config", "s.json", "--json")
    assert edges(again) == edges(done)
    with pytest.warns(DiscretizedWarning):
        dry = run(*gsmn, "--dry-run")
    assert "gsmn on 400 rows of 3 variables" in dry.stdout


def test_kinds_are_part_of_a_run(run, mixed):
    done = run(mixed, "--kind", "n=ordered", "--kind", "size=continuous", "--test", "partial-correlation",
               "--learner", "gsmn", "--columns", "size,n", "--save-config", "k.toml", "--json")  # fmt: skip
    assert edges(done) == {("size", "n")}
    assert '[kind]\n"n" = "ordered"\n"size" = "continuous"\n' in Path("k.toml").read_text(encoding="utf-8")
    assert (
        json.loads(run("--config", "k.toml", "--json").stdout)["data_id"]
        == json.loads(done.stdout)["data_id"]
    )


def test_a_network_without_edges_explains_itself(run, tmp_path):
    (tmp_path / "flat.csv").write_text("a,b\n" + "0,0\n0,1\n1,0\n1,1\n" * 20)
    done = run("flat.csv", "--learner", "gsmn")
    assert "2 variables, 0 edges" in done.stdout
    assert "No edge: every pair was found independent" in done.stdout


def test_the_number_of_threads_does_not_change_the_answer(run, monkeypatch):
    monkeypatch.delenv("GRAPHOID_THREADS", raising=False)
    answers = []
    for threads in (1, 3):
        monkeypatch.setenv("GRAPHOID_THREADS", "1")  # so that it is restored afterwards
        answers.append(edges(run("survey.csv", "--learner", "gsmn", "--threads", threads, "--json")))
    assert answers[0] == answers[1]


def test_a_bootstrap_says_how_often_each_edge_is_found_again(run, tmp_path):
    arguments = ("survey.csv", "--learner", "gsmn", "--alpha", 0.001, "--bootstrap", 20, "--seed", 4)
    found = json.loads(run(*arguments, "--json").stdout)
    python = gd.Bootstrap(gd.GSMN(test=gd.ChiSquare(alpha=0.001)), n=20, random_state=4).fit(
        gd.read("survey.csv")
    )
    rows = python.edges()
    assert [row["frequency"] for row in found["bootstrap"]] == [row.frequency for row in rows]
    assert [row["verdict"] for row in found["bootstrap"]] == [row.verdict for row in rows]
    done = run(*arguments, "--report", "r.html")
    assert re.search(r"age +│ income +│ present +│ +100% │ 0\.\d+ \(0\.\d+, 0\.\d+\) +│", done.stdout)
    assert "share of 20 resamples" in done.stdout
    assert "resample" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("*bootstrap*"))
    refused = run("survey.csv", "--learner", "csgs", "--bootstrap", 5)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "learners of one graph" in refused.stderr


def test_columns_that_cannot_be_used_are_left_out(run, tmp_path):
    rows = "".join(f"{i},{i % 2},{i % 2},1\n" for i in range(60))
    (tmp_path / "ids.csv").write_text("id,a,b,w\n" + rows)
    done = run("ids.csv", "--learner", "gsmn")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "looks like an identifier" in done.stderr
    found = json.loads(run("ids.csv", "--learner", "gsmn", "--drop", "id", "--weights", "w", "--json").stdout)
    assert found["variables"] == ["a", "b"]
    assert CliRunner().invoke(app, ["check", "ids.csv", "--drop", "id,w"]).exit_code == 0
    refused = run("ids.csv", "--drop", "ident")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "--drop has 'ident', and no column is named so; there are 'id', 'a', 'b', 'w'." in refused.stderr


def test_rows_that_stay_where_they_are_give_the_same_network(run):
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv("survey.csv"), "survey.parquet")
    here = edges(run("survey.csv", "--learner", "gsimn", "--json"))
    there = ("survey.parquet", "--where", "source", "--cache", "counts.sqlite", "--learner", "gsimn")
    assert edges(run(*there, "--json", "--out", "there.json", "--report", "there.html")) == here
    page = Path("there.html").read_text(encoding="utf-8")
    assert "Edges" in page
    assert "How well it predicts" not in page  # that would take rows
    again = run("--config", "there.json", "--json")
    assert edges(again) == here
    assert json.loads(again.stdout)["cost"]["queries"] == 0  # all of it was kept


def test_what_counting_elsewhere_would_take(run):
    import duckdb

    with duckdb.connect("survey.duckdb") as database:
        database.execute("create table survey as select * from read_csv('survey.csv')")
    done = run("survey.duckdb", "--dry-run")
    assert done.exit_code == 0, done.output
    assert "4,000 rows of 6 variables, counted where they are: roughly 1 to 19 queries" in done.stdout
    said = json.loads(run("survey.duckdb", "--dry-run", "--json").stdout)
    assert (said["least"]["queries"], said["most"]["queries"]) == (1, 19)
    without = run("survey.duckdb", "--drop", "car", "--learner", "gsmn", "--json")
    assert not any("car" in edge for edge in edges(without))
    assert "has no table or view 'nope'; it has 'survey'" in run("survey.duckdb", "--table", "nope").output


def test_a_directed_graph_by_name(run):
    settings = ["--learner", "directed", "--set", "score=bdeu", "--set", "ess=5", "--seed", "1"]
    done = run("survey.csv", *settings, "--out", "found.json", "--report", "page.html")
    assert done.exit_code == 0, done.output
    own = gd.DirectedSearch("bdeu", ess=5.0, random_state=1).fit("survey.csv").structure_
    assert gd.load("found.json").details == own.details
    assert "reinsertion of one variable" in Path("page.html").read_text()
    refused = run("survey.csv", "--learner", "directed", "--alpha", "0.1")
    assert refused.exit_code == 1
    assert "--alpha means nothing to directed" in refused.output
    assert "arcs tried" in run("survey.csv", "--learner", "directed", "--dry-run").output
