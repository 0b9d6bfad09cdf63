"""Exhaustive search: the best of all graphs, as a plain implementation finds it, and within a second."""

from __future__ import annotations

import itertools
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

import graphoid as gd
from graphoid.errors import DataError
from tests.support import plain_scores as plain
from tests.support.clock import pace
from tests.support.scored_tables import TABLES
from tests.support.tables import needs_kernels, random_table

if TYPE_CHECKING:
    from collections.abc import Callable

SCORES: dict[str, tuple[gd.Score, Callable[..., float]]] = {
    "MPL": (gd.MPL(), plain.mpl),
    "IB": (gd.IBScore(), plain.ib),
    "BJP": (gd.BJP(), plain.bjp),
}


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("name", ["binary", "many states", "rare levels", "unobserved", "fractional weights"])
def test_the_best_of_all_graphs(kind: str, name: str) -> None:
    score, value = SCORES[kind]
    table = TABLES[name]
    rows = plain.rows_of(table)
    edges, best = plain.exhaustive(4, partial(value, rows))
    found = gd.ExhaustiveSearch(score).fit(table).structure_
    assert found.scored.value == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert set(found.graph.edges) == edges
    assert found.scored.path == ()
    assert max(found.scored.gains.values()) <= 1e-9


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("seed", range(4))
def test_sampled_networks(kind: str, seed: int) -> None:
    score, value = SCORES[kind]
    table = gd.datasets.random_cliques(gd.datasets.random_graph(4, 2, seed), seed).sample(300, seed)
    edges, _ = plain.exhaustive(4, partial(value, plain.rows_of(table)))
    assert set(gd.ExhaustiveSearch(score).fit(table).structure_.graph.edges) == edges


@pytest.mark.parametrize("score", [gd.MPL(), gd.IBScore(), gd.BJP(), gd.LogLinearScore(order=3)], ids=repr)
def test_no_search_beats_it(score: gd.Score) -> None:
    for seed in range(3):
        table = gd.datasets.random_cliques(gd.datasets.random_graph(5, 3, seed), seed).sample(200, seed)
        best = gd.ExhaustiveSearch(score).fit(table).structure_.scored.value
        climbed = gd.HillClimb(score, moves="best").fit(table).structure_.scored.value
        assert climbed <= best + 1e-9


def test_a_prior_moves_the_best_graph() -> None:
    table = random_table(60, [2, 2, 2], seed=70)
    sure = dict.fromkeys(itertools.combinations(range(3), 2), 0.999999)
    complete = gd.ExhaustiveSearch(gd.BJP(prior=gd.EdgePrior(sure))).fit(table).structure_
    assert complete.graph.n_edges == 3
    empty = gd.ExhaustiveSearch(gd.BJP(prior=gd.SparsePrior(1e-9))).fit(table).structure_
    assert empty.graph.n_edges == 0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_variables(n: int) -> None:
    heard: list[object] = []
    found = gd.ExhaustiveSearch(gd.MPL()).fit(random_table(40, [2] * n, seed=71), progress=heard.append)
    assert found.structure_.graph.n == n
    assert heard


def test_too_many_variables_are_refused() -> None:
    with pytest.raises(DataError, match=r"8 variables have 2\*\*28 graphs; .* up to 7. Use Search"):
        gd.ExhaustiveSearch(gd.BJP()).fit(random_table(100, [2] * 8, seed=72))


@needs_kernels
@pytest.mark.parametrize("score", [gd.MPL(), gd.IBScore(), gd.BJP(), gd.LogLinearScore()], ids=repr)
def test_all_32768_graphs_of_six_variables_within_a_second(score: gd.Score) -> None:
    network = gd.datasets.random_cliques(gd.datasets.random_graph(6, 3, rng=0), rng=0)
    table = network.sample(8_000, 1)

    def seconds() -> float:
        started = time.process_time()
        gd.ExhaustiveSearch(score).fit(table)
        return time.process_time() - started

    assert min(seconds() for _ in range(3)) < max(1.0, pace())
