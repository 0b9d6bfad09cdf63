"""The search we recommend: against the best of all graphs, within its budget, the same for the same seed."""

from __future__ import annotations

import os

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.learners.scored import screen
from graphoid.learners.scored.hill_climb import steepest_ascent
from graphoid.learners.scored.local_search import LazyNeighborhood, Neighborhood
from graphoid.scores.closures import ClosureScore

SCORES = [gd.BJP(), gd.IBScore(), gd.MPL(), gd.LogLinearScore(), gd.LogLinearEvidence(order=2)]


def cliques(n: int, tau: float, seed: int, rows: int = 500) -> gd.Table:
    rng = np.random.default_rng(seed)
    graph = gd.datasets.random_graph(n, tau, rng)
    return gd.datasets.random_cliques(graph, rng).sample(rows, seed)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: type(score).__name__)
@pytest.mark.parametrize("seed", range(3))
def test_it_finds_the_best_of_all_graphs(score: gd.MPL, seed: int) -> None:
    table = cliques(5, 3, seed)
    best = gd.ExhaustiveSearch(score).fit(table).structure_
    found = gd.Search(score, random_state=seed).fit(table).structure_
    assert found.scored is not None
    assert best.scored is not None
    assert found.scored.value == pytest.approx(best.scored.value, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("score", [gd.BJP(), gd.IBScore()], ids=["BJP", "IB"])
def test_six_variables_with_triangles(score: gd.BJP) -> None:
    hits = 0
    for seed in range(40):
        table = cliques(6, 3, 100 + seed, rows=(500, 2_000, 8_000)[seed % 3])
        best = gd.ExhaustiveSearch(score).fit(table).structure_.scored
        found = gd.Search(score, random_state=seed).fit(table).structure_.scored
        assert best is not None
        assert found is not None
        hits += found.value > best.value - 1e-7
    assert hits >= 39


@pytest.mark.parametrize("score", [gd.BJP(), gd.LogLinearScore()], ids=["BJP", "log-linear"])
def test_never_below_the_climbs(score: gd.BJP) -> None:
    table = cliques(12, 3, 7)
    found = gd.Search(score, effort=0.1, random_state=0).fit(table).structure_.scored
    climbs = [gd.HillClimb(score, moves="best")]
    if isinstance(score, ClosureScore):
        climbs.append(gd.HillClimb(score))
    for climb in climbs:
        reached = climb.fit(table).structure_.scored
        assert found is not None
        assert reached is not None
        assert found.value >= reached.value - 1e-9


def test_same_seed_same_graph_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    table = cliques(8, 2, 3)
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("GRAPHOID_THREADS", threads)
        fresh = gd.read(np.asarray(table.codes), discretize=None)  # an engine of its own
        found.append(gd.Search(gd.LogLinearScore(), effort="quick", random_state=5).fit(fresh).structure_)
    assert os.environ["GRAPHOID_THREADS"] == "2"
    assert found[0].graph == found[1].graph
    assert found[0].scored == found[1].scored


def test_many_variables_are_screened_and_nothing_is_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "ALL_PAIRS", 5)
    monkeypatch.setattr(screen, "PARTNERS", 1)
    table = cliques(10, 3, 11, rows=2_000)
    found = gd.Search(gd.LogLinearScore(), effort=0, random_state=0).fit(table).structure_
    assert found.scored is not None
    assert len(found.scored.gains) == 45
    assert max(found.scored.gains.values()) <= 1e-9


def test_residuals_show_what_a_screen_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many variables no pair is scored that does not stand out, and nothing is overlooked all the same."""
    table = cliques(12, 3, 11, rows=2_000)
    learner = gd.Search(gd.LogLinearEvidence(), effort=0, random_state=0)
    every = learner.fit(table).structure_
    for name, value in (("ALL_PAIRS", 5), ("PARTNERS", 1), ("MOST_TO_LOOK_AGAIN", 5)):
        monkeypatch.setattr(screen, name, value)
    found = learner.fit(table).structure_
    assert found.scored is not None
    assert every.scored is not None
    assert found.graph == every.graph
    assert found.settings["second_look"] == "pairs that stand out by the correlation of residuals"
    assert found.scored.gains == every.scored.gains
    assert found.scored.n_terms < every.scored.n_terms
    monkeypatch.setattr(screen.SecondLook, "conspicuous_pairs", lambda *_: [])
    assert learner.fit(table).structure_.graph != every.graph


@pytest.mark.parametrize("seed", range(6))
def test_steps_that_lead_together_end_where_steps_one_by_one_end(seed: int) -> None:
    """All gains up to date: an edge that is best at both ends is taken before anything changes about it."""
    scorer = gd.LogLinearEvidence(order=2).on(cliques(14, 2, seed, rows=500))
    empty = gd.UndirectedGraph(scorer.names)
    one, lazy = Neighborhood(scorer, empty), LazyNeighborhood(scorer, empty)
    steepest_ascent(one)
    while lazy.climb():
        lazy.refresh(np.arange(len(lazy.edges)))
    assert lazy.graph == one.graph
    assert lazy.value == pytest.approx(one.value, rel=1e-12)
    assert lazy.steps >= lazy.graph.n_edges


def test_a_budget_stops_it_with_a_graph() -> None:
    table = cliques(8, 3, 4)
    none = gd.Search(gd.BJP(), max_steps=3, random_state=0).fit(table).structure_
    assert none.stopped == "budget"
    assert none.graph.n_edges > 0


def test_a_listener_hears_of_it_and_the_seed_is_kept() -> None:
    heard: list[object] = []
    table = cliques(5, 2, 1)
    learner = gd.Search(gd.MPL(), effort="quick").fit(table, progress=heard.append)
    assert heard
    again = gd.Search(gd.MPL(), effort="quick", random_state=learner.structure_.seed).fit(table)
    assert again.structure_.graph == learner.structure_.graph


@pytest.mark.parametrize(
    "settings",
    [{"effort": "much"}, {"effort": -1}, {"seconds": "1"}, {"max_steps": -2}, {"random_state": -3}],
)
def test_bad_settings_get_one_sentence(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        gd.Search(gd.BJP(), **settings).fit(cliques(4, 2, 0))  # type: ignore[arg-type]


def test_a_class_is_no_score() -> None:
    with pytest.raises(SettingsError, match="must be a score such as"):
        gd.Search(gd.BJP).fit(cliques(4, 2, 0))  # type: ignore[arg-type]
