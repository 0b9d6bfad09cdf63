"""Hill climbing: IBMAP-HC step by step as a plain implementation takes it, and by the best edge."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from tests.support import plain_scores as plain
from tests.support.scored_tables import TABLES
from tests.support.tables import needs_kernels, random_table, table_of

if TYPE_CHECKING:
    from graphoid.data.table import Table

PAIR_SCORES = {
    "IB": (gd.IBScore(), plain.ib, plain.ib_pair),
    "BJP": (gd.BJP(), plain.bjp, plain.bjp_pair),
}
SCORES = [gd.MPL(), gd.IBScore(), gd.BJP(), gd.LogLinearScore(), gd.LogLinearScore(order=3)]


def sampled(n: int, tau: float, n_rows: int, seed: int) -> Table:
    return gd.datasets.random_cliques(gd.datasets.random_graph(n, tau, seed), seed).sample(n_rows, seed)


@pytest.mark.parametrize("kind", PAIR_SCORES)
@pytest.mark.parametrize(
    "table",
    [sampled(6, tau, n_rows, seed) for seed, (tau, n_rows) in enumerate(itertools.product((1, 3), (80, 400)))]
    + [
        TABLES[name]
        for name in ("many states", "rare levels", "constant", "unobserved", "fractional weights")
    ],
    ids=lambda table: f"{len(table.variables)}x{table.n_rows}",
)
def test_ibmap_hc_takes_the_steps_that_the_plain_one_takes(kind: str, table: Table) -> None:
    score, value, pair = PAIR_SCORES[kind]
    at = [i for i in range(len(table.names)) if i not in table.constants]
    rows = plain.rows_of(table.take(at))
    edges, path = plain.ibmap_hc(rows.n, partial(value, rows), partial(pair, rows))
    found = gd.HillClimb(score, moves="lowest_pair").fit(table).structure_
    assert set(found.graph.edges) == {(at[x], at[y]) for x, y in edges}
    assert [move[:3] for move in found.scored.path] == [(at[x], at[y], added) for x, y, added, _ in path]
    assert [move.value for move in found.scored.path] == pytest.approx([step[3] for step in path], rel=1e-9)
    assert found.scored.value == pytest.approx(value(rows, edges), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", ["MPL", *PAIR_SCORES])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_edge_is_taken_first(kind: str, seed: int) -> None:
    table = sampled(5, 2, 150, seed)
    rows = plain.rows_of(table)
    score, value = (gd.MPL(), plain.mpl) if kind == "MPL" else PAIR_SCORES[kind][:2]
    expected = plain.best_climb(rows.n, partial(value, rows))
    found = gd.HillClimb(score, moves="best").fit(table).structure_
    assert set(found.graph.edges) == expected
    assert found.scored.value == pytest.approx(value(rows, expected), rel=1e-9)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_at_the_end_no_edge_gains_and_every_step_did(score: gd.Score) -> None:
    table = sampled(9, 3, 300, 7)
    found = gd.HillClimb(score, moves="best").fit(table).structure_
    scorer = score.on(table)
    pairs = list(itertools.combinations(range(9), 2))
    assert scorer.gains(found.graph, pairs).max() <= 1e-9
    graph, value = gd.UndirectedGraph(found.names), scorer.value(gd.UndirectedGraph(found.names))
    for x, y, added, reached in found.scored.path:
        assert added == (not graph.has_edge(x, y))
        gains = scorer.gains(graph, pairs)
        assert gains[pairs.index((x, y))] == pytest.approx(gains.max(), abs=1e-9)
        graph = graph.with_edge(x, y) if added else graph.without_edge(x, y)
        assert scorer.value(graph) == pytest.approx(reached, rel=1e-9)
        assert reached > value
        value = reached
    assert graph == found.graph
    assert found.stopped == "converged"


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_a_climb_begins_where_it_is_told(score: gd.Score) -> None:
    table = sampled(7, 2, 400, 3)
    first = gd.HillClimb(score, moves="best").fit(table).structure_
    again = gd.HillClimb(score, moves="best", start=first).fit(table).structure_
    assert again.graph == first.graph
    assert again.scored.path == ()
    complete = gd.UndirectedGraph(7, itertools.combinations(range(7), 2))
    down = gd.HillClimb(score, moves="best", start=complete).fit(table).structure_
    assert down.scored.value >= score.value(complete, table)
    assert not down.scored.path[0].added


@needs_kernels
def test_threads_and_the_order_of_rows_lead_to_the_same_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    table = sampled(12, 3, 500, 5)
    rows = np.random.default_rng(0).permutation(500)
    turned = table_of([table.column(i)[rows] for i in range(12)], [2] * 12)
    for learner in (
        gd.HillClimb(gd.BJP()),
        gd.HillClimb(gd.IBScore()),
        gd.HillClimb(gd.LogLinearScore(), moves="best"),
        gd.TwoPhase(gd.MPL()),
    ):
        found = []
        for threads, data in (("1", table), ("2", table), ("2", turned)):
            monkeypatch.setenv("GRAPHOID_THREADS", threads)
            found.append(learner.fit(data).structure_)
        assert found[0].graph.edges == found[1].graph.edges == found[2].graph.edges
        assert found[0].scored.path == found[1].scored.path == found[2].scored.path
        assert found[0].scored.gains == found[1].scored.gains


def test_progress_hears_every_step() -> None:
    heard: list[Any] = []
    table = sampled(8, 2, 500, 6)
    for moves in ("lowest_pair", "best"):
        heard.clear()
        found = gd.HillClimb(gd.BJP(), moves=moves).fit(table, progress=heard.append).structure_
        assert [step.done for step in heard] == list(range(1, len(found.scored.path) + 1))


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("moves", ["lowest_pair", "best"])
def test_few_variables_are_no_trouble(n: int, moves: str) -> None:
    for table in (random_table(50, [2] * n, seed=60), table_of([[]] * n, [2] * n)):
        assert gd.HillClimb(gd.BJP(), moves=moves).fit(table).structure_.graph.n == n


@pytest.mark.parametrize(
    ("learner", "error", "says"),
    [
        (
            gd.HillClimb(gd.BJP(), moves="up"),
            SettingsError,
            "moves must be 'lowest_pair' or 'best', not 'up'",
        ),
        (gd.HillClimb(gd.MPL()), SettingsError, "needs a score that is a sum over pairs"),
        (gd.HillClimb("bjp"), SettingsError, r"score must be a score such as BJP\(\), not 'bjp'"),
        (gd.HillClimb(gd.BJP), SettingsError, "score must be a score"),
        (gd.HillClimb(gd.BJP(), start=[(0, 1)]), SettingsError, "start must be a graph"),
        (gd.HillClimb(gd.BJP(), start=gd.UndirectedGraph(3)), DataError, "start has 3 variables"),
        (gd.HillClimb(gd.BJP(), random_state=-1), SettingsError, "random_state must be"),
        (gd.HillClimb(gd.BJP(), random_state="x"), SettingsError, "random_state must be"),
    ],
)
def test_wrong_settings_are_told_when_fitting(learner: Any, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        learner.fit(TABLES["binary"])
    with pytest.raises(AttributeError, match=r"call fit\(table\) first"):
        _ = learner.structure_


def test_settings_are_recorded_and_nothing_given_is_changed() -> None:
    start = gd.UndirectedGraph(4, [(0, 1)])
    learner = gd.HillClimb(gd.BJP(prior=gd.SparsePrior(0.2)), moves="best", start=start, random_state=3)
    found = learner.fit(TABLES["binary"]).structure_
    assert start.edges == ((0, 1),)
    assert found.settings["learner"] == "HillClimb"
    assert found.settings["moves"] == "best"
    assert found.settings["score"]["name"] == "BJP"
    assert found.seed == 3
    assert found.data_id == TABLES["binary"].data_id
