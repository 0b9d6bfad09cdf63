"""Of a network that is too wide for a page, the strongest part."""

from __future__ import annotations

import json
import re

import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError, UnknownVariable
from graphoid.report import part
from graphoid.uncertainty.strength import strengths


@pytest.fixture(scope="module")
def found() -> gd.LearnedStructure:
    graph = gd.datasets.random_graph(12, 3, 4)
    network = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(0.3, 0.6), rng=4)
    return gd.learn(network.sample(2_000, 5))


def page_of(found: gd.LearnedStructure, path, **options: object) -> tuple[str, dict]:
    found.report(path, **options)
    text = path.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, flags=re.DOTALL)
    return text, json.loads(data.group(1))


@pytest.mark.parametrize("limit", ["MOST_VARIABLES", "MOST_EDGES"])
def test_a_wide_network_shows_its_strongest_edges_and_says_so(found, tmp_path, monkeypatch, limit):
    monkeypatch.setattr(part, limit, 5)
    monkeypatch.setattr(part, "STRONGEST", 4)
    text, data = page_of(found, tmp_path / "page.html")
    strongest = sorted(found.evidence_rows(), key=lambda row: -row.strength)[:4]
    nodes = {name for row in strongest for name in (row.x, row.y)}
    assert {node["key"] for node in data["nodes"]} == nodes
    assert len(data["edges"]) == 4
    assert f"has 12 variables and {found.graph.n_edges} edges" in text
    assert f"shows its 4 strongest edges and the {len(nodes)} variables" in " ".join(text.split())
    own = {(s.x, s.y): s for s in strengths(found, found.table)}  # given all neighbors, shown or not
    shown = {(row.x, row.y): own[row.x, row.y].weight for row in strongest}
    assert sorted(edge["weight"] for edge in data["edges"]) == pytest.approx(sorted(shown.values()), abs=1e-3)


def test_a_page_around_a_variable_shows_its_neighbors_and_theirs(found, tmp_path):
    graph = found.graph
    center = next(v for v in range(graph.n) if graph.blankets[v])
    near = {center, *graph.blankets[center]}
    near.update(w for v in graph.blankets[center] for w in graph.blankets[v])
    text, data = page_of(found, tmp_path / "page.html", around=graph.names[center])
    assert {node["key"] for node in data["nodes"]} == {graph.names[v] for v in near}
    assert len(data["edges"]) == sum(x in near and y in near for x, y in graph.edges)
    assert f"{graph.names[center]} with its neighbors" in text


def test_a_page_around_a_hub_keeps_to_its_neighbors(tmp_path, monkeypatch):
    monkeypatch.setattr(part, "STRONGEST", 3)
    chain = gd.GSMN().learn(gd.Oracle(gd.UndirectedGraph(9, [(i, i + 1) for i in range(8)])))
    _, data = page_of(chain, tmp_path / "page.html", around="4")
    assert {node["key"] for node in data["nodes"]} == {"3", "4", "5"}


def test_contexts_are_shown_whole(tmp_path):
    model = gd.CSGS().fit(gd.datasets.load("survey")).structure_
    with pytest.raises(SettingsError, match="around shows a part of one network, and this has several"):
        model.report(tmp_path / "page.html", around="bus")


def test_a_page_is_around_a_variable_that_there_is(found, tmp_path):
    with pytest.raises(UnknownVariable, match="no variable"):
        found.report(tmp_path / "page.html", around="nobody")
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_has_room_shows_everything(found, tmp_path):
    text, data = page_of(found, tmp_path / "page.html")
    assert len(data["nodes"]) == 12
    assert len(data["edges"]) == found.graph.n_edges
    assert "strongest edges" not in text


def test_a_bootstrap_of_everything_does_not_fit_a_part(found, tmp_path, monkeypatch):
    resampled = found.bootstrap(4, random_state=0)
    monkeypatch.setattr(part, "MOST_EDGES", 5)
    with pytest.raises(DataError, match="leave it out"):
        found.report(tmp_path / "page.html", bootstrap=resampled)


def test_questions_of_what_is_shown_stay(tmp_path, monkeypatch):
    graph = gd.datasets.random_graph(12, 3, 4)
    learned = gd.GSMN().learn(gd.Oracle(graph))
    monkeypatch.setattr(part, "MOST_EDGES", 5)
    monkeypatch.setattr(part, "STRONGEST", 3)
    text, data = page_of(learned, tmp_path / "page.html")
    assert len(data["edges"]) == 3
    assert "strongest edges" in text
