"""The two-phase search: blankets and graph as a plain implementation finds them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.learners.scored.two_phase import best_blanket
from tests.support import plain_scores as plain
from tests.support.scored_tables import TABLES
from tests.support.tables import random_table

if TYPE_CHECKING:
    from graphoid.data.table import Table


def sampled(seed: int, n: int = 7, n_rows: int = 300) -> Table:
    graph = gd.datasets.random_graph(n, 3, seed)
    return gd.datasets.random_cliques(graph, seed).sample(n_rows, seed)


def plain_graph(table: Table) -> plain.Edges:
    rows = plain.rows_of(table)
    return plain.two_phase(rows.n, lambda x, members: plain.mpl_local(rows, x, tuple(sorted(members))))


@pytest.mark.parametrize("seed", range(6))
def test_the_graph_that_the_plain_one_finds(seed: int) -> None:
    table = sampled(seed)
    found = gd.TwoPhase(gd.MPL()).fit(table).structure_
    assert set(found.graph.edges) == plain_graph(table)
    assert found.scored.value == pytest.approx(plain.mpl(plain.rows_of(table), plain_graph(table)), rel=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table(name: str) -> None:
    found = gd.TwoPhase(gd.MPL()).fit(TABLES[name]).structure_
    assert set(found.graph.edges) == plain_graph(TABLES[name])


def test_the_second_phase_decides_about_disputed_edges_only() -> None:
    disputed_somewhere = False
    for seed in range(8):
        table = sampled(seed, n=8, n_rows=150)
        scorer = gd.MPL().on(table)
        wanted = [best_blanket(scorer, x) for x in range(8)]
        found = gd.TwoPhase(gd.MPL()).fit(table).structure_.graph
        for x, y in itertools.combinations(range(8), 2):
            ends = (wanted[x] >> y & 1) + (wanted[y] >> x & 1)
            disputed_somewhere |= ends == 1
            if ends != 1:
                assert found.has_edge(x, y) == (ends == 2)
    assert disputed_somewhere


@pytest.mark.parametrize("score", [gd.MPL(), gd.IBScore(), gd.LogLinearScore()], ids=repr)
def test_no_single_variable_improves_a_blanket(score: gd.Score) -> None:
    scorer = score.on(sampled(3))
    for x in range(7):
        blanket = best_blanket(scorer, x)
        for y in set(range(7)) - {x}:
            if not blanket >> y & 1 or blanket.bit_count() > 2:
                assert scorer.local(x, blanket ^ 1 << y) <= scorer.local(x, blanket) + 1e-9


def test_progress_and_path() -> None:
    heard: list[object] = []
    found = gd.TwoPhase(gd.MPL()).fit(sampled(1), progress=heard.append).structure_
    assert heard
    assert found.settings["learner"] == "TwoPhase"
    for move in found.scored.path:
        assert move.added  # the second phase starts from the edges that both ends want


def test_a_score_without_terms_of_blankets_is_refused() -> None:
    with pytest.raises(
        SettingsError, match=r"TwoPhase needs a sum over blankets, such as MPL.*; BJP is not one"
    ):
        gd.TwoPhase(gd.BJP()).fit(random_table(20, [2, 2], seed=80))
