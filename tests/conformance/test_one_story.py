"""One pair, one verdict, one probability, one weight: wherever a result is shown."""

import json
import re

import numpy as np
import pytest

import graphoid as gd
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


TABLES = [gd.datasets.load("titanic"), gd.datasets.load("survey"), *map(ordinal_field, range(3))]
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


def test_a_page_refuses_the_bootstrap_of_another_learner(tmp_path):
    table = gd.datasets.load("survey")
    found = gd.learn(table)
    for learner in (gd.GSMN(), gd.GSMN(test=gd.ChiSquare(alpha=1e-300))):  # the same graph, and another
        other = gd.Bootstrap(learner, n=3, random_state=0).fit(table)
        with pytest.raises(DataError, match="two verdicts"):
            found.report(tmp_path / "r.html", bootstrap=other)
