"""Knowledge on the command line: kept to, held against the data, and repeated without its file."""

from __future__ import annotations

import json

import pytest

import graphoid as gd
from tests.support.terminal import graphoid

KNOWN = """
required = [["age", "content"]]
forbidden = [["age", "income"]]

[[prior]]
pair = ["bus", "content"]
probability = 0.9

[blocks]
first = ["age", "income"]
second = ["bus", "content"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("knowledge")
    gd.datasets.load("survey").to_frame().to_csv(folder / "survey.csv", index=False)
    (folder / "known.toml").write_text(KNOWN, encoding="utf-8")
    return folder


@pytest.mark.parametrize("learner", ["gsmn", "gsimn", "search", "csgs", "pfmn", "directed", "auto"])
def test_a_run_keeps_to_it_and_says_what_the_data_say(folder, learner):
    out = folder / f"{learner}.json"
    done = graphoid(
        "learn", "survey.csv", "--learner", learner, "--knowledge", "known.toml", "--out", out, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    found = gd.load(out)
    assert found.graph.has_edge("age", "content")
    assert not found.graph.has_edge("age", "income")
    assert found.settings["knowledge"] == gd.Knowledge.read(folder / "known.toml").to_values()
    assert "known beforehand: 3 facts" in done.stdout
    assert "age – content, required: the data contradict this" in " ".join(done.stdout.split())


def test_it_is_repeated_without_its_file(folder, tmp_path):
    first, second, config = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "run.toml"
    run = ("learn", "survey.csv", "--learner", "gsmn", "--knowledge", "known.toml", "--out", first)
    assert graphoid(*run, "--save-config", config, cwd=folder).returncode == 0
    (folder / "known.toml").rename(folder / "gone.toml")
    try:
        for source in (first, config):
            done = graphoid("learn", "--config", source, "--out", second, cwd=folder)
            assert done.returncode == 0, done.stderr
            assert gd.load(second).graph == gd.load(first).graph
            assert gd.load(second).knowledge == gd.load(first).knowledge
    finally:
        (folder / "gone.toml").rename(folder / "known.toml")


def test_json_and_the_report_have_it(folder, tmp_path):
    page = tmp_path / "r.html"
    done = graphoid(
        *(
            "learn",
            "survey.csv",
            "--learner",
            "gsmn",
            "--knowledge",
            "known.toml",
            "--json",
            "--report",
            page,
        ),
        cwd=folder,
    )
    rows = json.loads(done.stdout)["knowledge"]
    assert [row["fact"] for row in rows] == ["required", "forbidden", "probability 0.9"]
    assert rows[0]["verdict"] == "the data contradict this"
    text = page.read_text(encoding="utf-8")
    assert "Known beforehand" in text
    assert "knowledge=gd.Knowledge(required=" in text


def test_a_name_that_is_not_there_is_one_sentence(folder, tmp_path):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('required = [["age", "height"]]', encoding="utf-8")
    done = graphoid("learn", "survey.csv", "--knowledge", wrong, cwd=folder)
    assert done.returncode == 1
    assert "an edge is required of 'height', and no variable is called so" in done.stderr
