"""Populations of graphs: the prior, resampling, information, and the kernels against plain Python."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from graphoid.counts import native
from graphoid.errors import SettingsError
from graphoid.learners.pfmn.information import (
    answer_classes,
    climb_pairs_by_size,
    conditional_entropy,
    information_gains,
)
from graphoid.learners.pfmn.moves import Target, edge_moves, flip_moves, repair
from graphoid.learners.pfmn.population import (
    Evidence,
    Graphs,
    Query,
    all_graphs,
    log_posterior,
    merge_equal,
    n_edges,
    pairs,
    residual_resampling,
    separations,
)
from graphoid.learners.pfmn.priors import log_prior, sample_prior, sample_sparse_prior, sparse_log_prior
from graphoid.learners.pfmn.reference import flip
from graphoid.learners.pfmn.separators import separators, smallest_separator
from graphoid.structure.separation import separated
from tests.support.kernels import without_kernels

SIZE = 70  # more than a word of graphs, and not a multiple of one


@pytest.fixture
def graphs() -> Graphs:
    return sample_prior(8, SIZE, np.random.default_rng(1))


def random_tests(n: int, size: int, seed: int = 0) -> list[Query]:
    rng = np.random.default_rng(seed)
    tests = []
    for _ in range(size):
        x, y, *rest = rng.permutation(n).tolist()
        tests.append(Query(x, y, sum(1 << v for v in rest[: rng.integers(0, n - 1)])))
    return tests


def agree(monkeypatch: pytest.MonkeyPatch, action: Any) -> None:
    """Check that an action gives the same with the kernels and without."""
    if native.kernels() is None:
        pytest.skip("the kernels are not built or switched off")
    fast = action()
    without_kernels(monkeypatch)
    np.testing.assert_equal(action(), fast)


def test_a_population_from_the_prior_has_every_number_of_edges_alike() -> None:
    # with three variables there are 0 to 3 edges; 1 and 2 have three graphs each
    edges = n_edges(sample_prior(3, 4_000, np.random.default_rng(0)))
    assert np.bincount(edges) / 4_000 == pytest.approx([0.25] * 4, abs=0.03)
    assert n_edges(sample_prior(3, 200, np.random.default_rng(0), empty=False)).min() == 1


def test_the_prior_of_all_graphs_sums_to_one() -> None:
    for empty in (True, False):
        prior = log_prior(4, empty=empty)[n_edges(all_graphs(4))]
        assert np.exp(prior).sum() == pytest.approx(1.0)
    assert log_prior(4, empty=False)[0] == -math.inf
    # one of the fifteen graphs of two edges, of seven numbers of edges
    assert log_prior(4)[2] == pytest.approx(-math.log(7 * 15))


def test_the_sparse_prior_sums_to_one_and_is_drawn_from() -> None:
    prior = sparse_log_prior(4)
    assert np.exp(prior[n_edges(all_graphs(4))]).sum() == pytest.approx(1.0)
    # the empty graph: the mean of (1 - p)^6 over p up to a half, 2 (1 - 2^-7) / 7
    assert math.exp(prior[0]) == pytest.approx(2 * (1 - 2**-7) / 7)
    # the complete one: the mean of p^6
    assert math.exp(prior[6]) == pytest.approx(2 * 2**-7 / 7)
    edges = n_edges(sample_sparse_prior(4, 8_000, np.random.default_rng(0)))
    assert (edges == 0).mean() == pytest.approx(math.exp(prior[0]), abs=0.02)
    assert (edges == 2).mean() == pytest.approx(15 * math.exp(prior[2]), abs=0.02)


def test_all_graphs_are_all_different() -> None:
    assert len(np.unique(all_graphs(4), axis=0)) == 64
    with pytest.raises(SettingsError, match="up to 5 variables; there are 6"):
        all_graphs(6)


def test_residual_resampling_takes_whole_shares_for_sure() -> None:
    # shares 2.5, 1.25, 0.25 and 0: two and one for sure, one more of the first three
    kept = residual_resampling(np.array([0.625, 0.3125, 0.0625, 0.0]), np.random.default_rng(0))
    counts = np.bincount(kept, minlength=4)
    assert counts.sum() == 4
    assert counts[0] >= 2
    assert counts[1] >= 1
    assert counts[3] == 0


def test_residual_resampling_is_unbiased() -> None:
    rng = np.random.default_rng(0)
    weights = np.array([0.55, 0.3, 0.1, 0.05])
    counts = sum(np.bincount(residual_resampling(weights, rng), minlength=4) for _ in range(4_000))
    assert counts / 16_000 == pytest.approx(weights, abs=0.01)


def test_information_by_hand() -> None:
    # four graphs of a quarter each in two classes; the test halves one class and leaves the other whole
    apart = np.array([[True, False, True, True]])
    weights, group = np.full(4, 0.25), np.array([0, 0, 1, 1], dtype=np.int32)
    assert information_gains(apart, weights, group) == pytest.approx([0.5 * math.log(2)])
    assert conditional_entropy(weights, group) == pytest.approx(math.log(2))


def test_equal_graphs_are_merged() -> None:
    graphs = np.array([[0, 0], [2, 1], [0, 0]], dtype=np.uint64)
    different, weights, first = merge_equal(graphs, np.array([0.2, 0.5, 0.3]))
    assert different.tolist() == [[0, 0], [2, 1]]
    assert weights == pytest.approx([0.5, 0.5])
    assert first.tolist() == [0, 1]


def test_separations_agree(graphs: Graphs, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(monkeypatch, lambda: separations(graphs, random_tests(8, 50)))


@pytest.mark.parametrize("size", [1, 64, 511, 513, 1100])
def test_separations_agree_for_any_number_of_graphs(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    many = sample_prior(6, size, np.random.default_rng(size))
    agree(monkeypatch, lambda: separations(many, random_tests(6, 5)))


def test_separations_agree_with_64_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    few = sample_prior(64, 3, np.random.default_rng(0)) & sample_prior(64, 3, np.random.default_rng(1))
    agree(monkeypatch, lambda: separations(few, random_tests(64, 20)))


def evidence_of(n: int, size: int = 12) -> list[Evidence]:
    rng = np.random.default_rng(2)
    return [
        Evidence(*t, float(g)) for t, g in zip(random_tests(n, size), rng.normal(0, 5, size), strict=True)
    ]


@pytest.mark.parametrize("enough", [None, 2])
def test_flip_moves_agree(graphs: Graphs, monkeypatch: pytest.MonkeyPatch, enough: int | None) -> None:
    free, prior = pairs(8), log_prior(8)

    def action() -> Graphs:
        rng = np.random.default_rng(3)
        return flip_moves(
            graphs, Target(evidence_of(8), free, prior), rng, alpha=1 / 28, steps=20, enough=enough
        )

    agree(monkeypatch, action)


def test_flip_moves_leave_the_rest_alone(graphs: Graphs) -> None:
    after = flip_moves(
        graphs, Target([], [(0, 1)], log_prior(8)), np.random.default_rng(0), alpha=0.5, steps=9
    )
    kept = ~np.uint64(0b11)
    assert ((graphs ^ after)[:, :2] & kept == 0).all()
    assert (graphs[:, 2:] == after[:, 2:]).all()


def test_flip_moves_have_the_posterior_as_their_limit() -> None:
    # three variables, eight graphs: the frequencies after many moves are prior times likelihood
    evidence = [Evidence(0, 1, 0, -1.5), Evidence(0, 2, 0b010, 1.0)]
    everything = all_graphs(3)
    prior = log_prior(3)
    log = log_posterior(everything, prior, evidence)
    exact = np.exp(log) / np.exp(log).sum()
    start = sample_prior(3, 20_000, np.random.default_rng(0))
    found = flip_moves(
        start, Target(evidence, pairs(3), prior), np.random.default_rng(1), alpha=1 / 3, steps=30
    )
    counts = [(found == graph).all(axis=1).mean() for graph in everything]
    assert counts == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize("free", [pairs(8), pairs(8)[::3], [(2, 5)], []])
def test_edge_moves_agree(
    graphs: Graphs, free: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    prior = sparse_log_prior(8)

    def action() -> Graphs:
        return edge_moves(graphs, Target(evidence_of(8), free, prior), np.random.default_rng(3), steps=60)

    changed = graphs ^ action()
    for x, y in set(pairs(8)) - set(free):
        assert not (changed[:, x] >> np.uint64(y) & np.uint64(1)).any()
    agree(monkeypatch, action)


def test_edge_moves_agree_with_64_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    few = sample_prior(64, 3, np.random.default_rng(0)) & sample_prior(64, 3, np.random.default_rng(1))
    free, prior = pairs(64), sparse_log_prior(64)
    agree(
        monkeypatch,
        lambda: edge_moves(few, Target(evidence_of(64), free, prior), np.random.default_rng(3), steps=10),
    )


@pytest.mark.parametrize("free", [pairs(4), [(0, 1), (0, 2), (0, 3), (1, 2)]])
def test_edge_moves_have_the_posterior_as_their_limit(free: list[tuple[int, int]]) -> None:
    # four variables: the frequencies after many steps are prior times likelihood, on the graphs within reach
    evidence = [Evidence(0, 1, 0, -1.5), Evidence(0, 2, 0b1010, 1.0), Evidence(1, 3, 0b0100, 0.7)]
    everything = all_graphs(4)
    outside = [p for p in pairs(4) if p not in free]
    reached = [all(not g[x] >> y & 1 for x, y in outside) for g in everything.tolist()]
    prior = sparse_log_prior(4)
    log = np.where(reached, log_posterior(everything, prior, evidence), -np.inf)
    exact = np.exp(log) / np.exp(log).sum()
    start = np.zeros((40_000, 4), dtype=np.uint64)
    found = edge_moves(start, Target(evidence, free, prior), np.random.default_rng(1), steps=60)
    counts = [(found == graph).all(axis=1).mean() for graph in everything]
    assert counts == pytest.approx(exact, abs=0.006)


def test_repairs_agree_and_resolve(graphs: Graphs, monkeypatch: pytest.MonkeyPatch) -> None:
    # answers that one graph gives can all be agreed with
    true = sample_prior(8, 1, np.random.default_rng(9))
    tests = random_tests(8, 15)
    answers = separations(true, tests)[:, 0]
    evidence = [Evidence(*t, 9.0 if a else -9.0) for t, a in zip(tests, answers, strict=True)]

    def action() -> tuple[Graphs, Any]:
        rng = np.random.default_rng(3)
        return repair(graphs, Target(evidence, pairs(8), log_prior(8)), rng, sure=1.0, rounds=300)

    repaired, wrong = action()
    assert (wrong == 0).mean() > 0.9
    good = separations(repaired[wrong == 0], tests)
    assert (good == answers[:, None]).all()
    agree(monkeypatch, action)


def test_smallest_separators_are_smallest() -> None:
    # against all subsets, on all graphs of five variables and a pair without and with an edge
    for graph in all_graphs(5)[::7].tolist():
        for x, y in ((0, 1), (4, 2)):
            without = list(graph)
            if without[x] >> y & 1:
                flip(without, x, y)
            found = smallest_separator(graph, x, y)
            others = [v for v in range(5) if v not in (x, y)]
            sizes = [
                size
                for size in range(4)
                for given in combinations(others, size)
                if separated(without, x, y, sum(1 << v for v in given))
            ]
            assert separated(without, x, y, found)
            assert found.bit_count() == sizes[0]


def test_separators_agree(graphs: Graphs, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(monkeypatch, lambda: separators(graphs[:20], pairs(8)))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_climb_agrees(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # pairs that cannot win are left at the empty set by the kernel, so only the winner is compared
    few = sample_prior(6, 40, np.random.default_rng(seed))
    answers = separations(few, random_tests(6, 2, seed))
    group = answer_classes(answers)
    price = np.arange(2.0, 7.0)

    def action() -> tuple[Query, float]:
        found = climb_pairs_by_size(few, np.full(40, 1 / 40), group, price, max_flips=3)
        test, score = max(found, key=lambda of: of.score)
        return test, round(score, 10)

    agree(monkeypatch, action)
