"""One pair, one verdict, one probability, one weight: wherever a result is shown."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import graphoid as gd
from graphoid.cli.main import app
from graphoid.counts.native import kernels
from graphoid.errors import DataError


def ordinal_field(seed, n=6, rows=500):
    """Return items of four points, each following one before it."""
    rng = np.random.default_rng(seed)
    scores = np.arange(4) - 1.5
    items = [rng.integers(0, 4, rows)]
    for _ in range(n - 1):
        leader = items[rng.integers(len(items))]
        utility = rng.choice([-0.5, 0.25, 0.5]) * scores[leader][:, None] * scores
        items.append((utility + rng.gumbel(size=(rows, 4))).argmax(axis=1))
    return gd.read(np.stack(items, axis=1))


N_FIELDS = 1 if kernels() is None else 3  # without kernels one takes half a minute
TABLES = [gd.datasets.load("titanic"), gd.datasets.load("survey"), *map(ordinal_field, range(N_FIELDS))]
LEARNERS = [None, gd.GSIMN()]


def edges_of_page(path):
    """Return the edges that a page has as data, by the names of their ends."""
    page = path.read_text(encoding="utf-8")
    data = json.loads(
        re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1]
    )
    names = [node["name"] for node in data["nodes"]]
    return {(names[e["x"]], names[e["y"]]): e for e in data["edges"]}


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
@pytest.mark.parametrize("learner", LEARNERS, ids=["recommended", "GSIMN"])
def test_a_pair_has_one_verdict(table, learner, tmp_path):
    found = gd.learn(table, learner)
    said = {(row.x, row.y): row for row in found.pairs()}
    assert {(row.x, row.y): row for row in found.edges()} == {k: r for k, r in said.items() if r.joined}
    found.save(tmp_path / "s.json")
    again = {(row.x, row.y): row for row in gd.load(tmp_path / "s.json").pairs()}
    found.report(tmp_path / "s.html")
    run = found.bootstrap(6, random_state=0)
    found.report(tmp_path / "b.html", bootstrap=run)
    bare, resampled = edges_of_page(tmp_path / "s.html"), edges_of_page(tmp_path / "b.html")
    weights = found.weights()
    for (x, y), row in said.items():
        assert (again[x, y].verdict, again[x, y].probability) == (row.verdict, row.probability)
        assert found.verdict(x, y) == row.verdict
        if row.joined:
            assert (bare[x, y]["verdict"], bare[x, y].get("probability")) == (row.verdict, row.probability)
            weight = weights[found.graph.position(x), found.graph.position(y)]
            assert weight == row.weight or (row.weight is None and np.isnan(weight))
    for row in run.edges():
        if learner is None:
            assert row.verdict == said[row.x, row.y].verdict
        if row.joined:
            assert resampled[row.x, row.y]["verdict"] == row.verdict


@pytest.mark.parametrize("table", TABLES, ids=lambda t: t.name)
@pytest.mark.parametrize("learner", ["auto", "gsimn"])
def test_a_command_says_the_same(table, learner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {
        v.name: [str(v.states[code]) for code in table.column(i)] for i, v in enumerate(table.variables)
    }
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    wanted = ["t.csv", "--learner", learner, "--json", "--out", "s.json", "--report", "s.html"]
    done = CliRunner().invoke(app, ["learn", *wanted, "--bootstrap", "6", "--seed", "0"])
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    found, page = gd.load(tmp_path / "s.json"), edges_of_page(tmp_path / "s.html")
    resampled = {(row["x"], row["y"]): row for row in printed["bootstrap"]}
    assert {(row["x"], row["y"]) for row in printed["edges"]} == {(r.x, r.y) for r in found.edges()}
    said = {(row.x, row.y): row for row in found.pairs()}
    for row in printed["edges"]:
        pair = row["x"], row["y"]
        for name in ("verdict", "probability", "strength", "weight"):
            assert row[name] == getattr(said[pair], name)
        assert page[pair]["verdict"] == resampled[pair]["verdict"]
    if learner == "auto":
        assert {pair: row["verdict"] for pair, row in resampled.items()} == {
            pair: row.verdict for pair, row in said.items()
        }


def test_a_page_refuses_the_bootstrap_of_another_learner(tmp_path):
    table = gd.datasets.load("survey")
    found = gd.learn(table)
    for learner in (gd.GSMN(), gd.GSMN(test=gd.ChiSquare(alpha=1e-300))):  # the same graph, and another
        other = gd.Bootstrap(learner, n=3, random_state=0).fit(table)
        with pytest.raises(DataError, match="two verdicts"):
            found.report(tmp_path / "r.html", bootstrap=other)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A file with numbers and states, some of both missing."""
    rng = np.random.default_rng(0)
    age = rng.normal(50, 10, 400)
    size = 0.06 * age + rng.normal(size=400)
    stage = np.clip(np.round(1.2 * size - 1.6 + rng.normal(size=400)), 0, 4).astype(int)
    drug = np.where(rng.random(400) < 1 / (1 + np.exp(stage - 2.0)), "old", "new")
    columns = {"age": np.round(age, 1), "size": np.round(size, 2), "stage": stage, "drug": drug}
    cells = [
        ["" if rng.random() < 0.1 else str(v) for v in row] for row in zip(*columns.values(), strict=True)
    ]
    rows = [",".join(row) for row in [list(columns), *cells]]
    path = tmp_path_factory.mktemp("clinic") / "clinic.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_effects_pooled_over_completed_tables_are_the_same_wherever_they_are_shown(clinic, tmp_path):
    places = {end: tmp_path / f"f.{end}" for end in ("json", "csv", "html", "png")}
    wanted = [
        "--out",
        places["json"],
        "--out",
        places["csv"],
        "--report",
        places["html"],
        "--plot",
        places["png"],
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        done = CliRunner().invoke(app, ["learn", str(clinic), "--missing", "impute", *map(str, wanted)])
    assert done.exit_code == 0, done.output
    found, page = gd.load(places["json"]), edges_of_page(places["html"])
    rows = found.edges()
    assert {row.x + row.y for row in rows} >= {"agesize", "sizestage", "stagedrug"}
    for row in rows:
        shown = f"{row.size:.2f} ({row.low:.2f}, {row.high:.2f})"
        if row.weight is not None:
            shown = f"{row.weight:+.2f} ({row.weight_low:.2f}, {row.weight_high:.2f})"
        assert shown in done.output
        assert page[row.x, row.y]["size"] == pytest.approx(row.size, abs=1e-3)
        assert page[row.x, row.y]["interval"] == pytest.approx([row.low, row.high], abs=1e-3)
    assert "completed tables learned from" in done.output
    table = gd.read(clinic, missing="impute")
    again = gd.learn(table, random_state=0)
    assert (
        [s.size for s in gd.strengths(again, table)]
        == [row.size for row in again.edges()]
        == [r.size for r in rows]
    )
    assert "<svg" in again._repr_html_()
    unpooled = gd.strengths(again.graph, table)
    assert [s.size for s in unpooled] != [row.size for row in rows]  # else nothing was checked
