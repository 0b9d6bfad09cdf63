"""Populations of graphs: the prior, resampling, information, and the kernels against plain Python."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from graphoid.counts import native
from graphoid.errors import SettingsError
from graphoid.learners.pfmn import population as particles
from graphoid.learners.pfmn import reference
from graphoid.learners.pfmn.population import Test as Question
from graphoid.learners.pfmn.reference import Asked

SIZE = 70  # more than a word of graphs, and not a multiple of one


@pytest.fixture
def graphs() -> particles.Graphs:
    return particles.drawn(8, SIZE, np.random.default_rng(1))


def random_tests(n: int, size: int, seed: int = 0) -> list[Question]:
    rng = np.random.default_rng(seed)
    tests = []
    for _ in range(size):
        x, y, *rest = rng.permutation(n).tolist()
        tests.append(Question(x, y, sum(1 << v for v in rest[: rng.integers(0, n - 1)])))
    return tests


def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(particles, "kernels", lambda: None)


def agree(monkeypatch: pytest.MonkeyPatch, action: Any) -> None:
    """Check that an action gives the same with the kernels and without."""
    if native.kernels() is None:
        pytest.skip("the kernels are not built or switched off")
    fast = action()
    without_kernels(monkeypatch)
    np.testing.assert_equal(action(), fast)


def test_a_population_from_the_prior_has_every_number_of_edges_alike() -> None:
    # with three variables there are 0 to 3 edges; 1 and 2 have three graphs each
    edges = particles.n_edges(particles.drawn(3, 4_000, np.random.default_rng(0)))
    assert np.bincount(edges) / 4_000 == pytest.approx([0.25] * 4, abs=0.03)
    assert particles.n_edges(particles.drawn(3, 200, np.random.default_rng(0), empty=False)).min() == 1


def test_the_prior_of_all_graphs_sums_to_one() -> None:
    for empty in (True, False):
        prior = particles.log_prior(4, empty=empty)[particles.n_edges(particles.all_graphs(4))]
        assert np.exp(prior).sum() == pytest.approx(1.0)
    assert particles.log_prior(4, empty=False)[0] == -math.inf
    # one of the fifteen graphs of two edges, of seven numbers of edges
    assert particles.log_prior(4)[2] == pytest.approx(-math.log(7 * 15))


def test_the_sparse_prior_sums_to_one_and_is_drawn_from() -> None:
    prior = particles.sparse_log_prior(4)
    assert np.exp(prior[particles.n_edges(particles.all_graphs(4))]).sum() == pytest.approx(1.0)
    # the empty graph: the mean of (1 - p)^6 over p up to a half, 2 (1 - 2^-7) / 7
    assert math.exp(prior[0]) == pytest.approx(2 * (1 - 2**-7) / 7)
    # the complete one: the mean of p^6
    assert math.exp(prior[6]) == pytest.approx(2 * 2**-7 / 7)
    edges = particles.n_edges(particles.sparsely_drawn(4, 8_000, np.random.default_rng(0)))
    assert (edges == 0).mean() == pytest.approx(math.exp(prior[0]), abs=0.02)
    assert (edges == 2).mean() == pytest.approx(15 * math.exp(prior[2]), abs=0.02)


def test_all_graphs_are_all_different() -> None:
    assert len(np.unique(particles.all_graphs(4), axis=0)) == 64
    with pytest.raises(SettingsError, match="up to 5 variables; there are 6"):
        particles.all_graphs(6)


def test_residual_resampling_takes_whole_shares_for_sure() -> None:
    # shares 2.5, 1.25, 0.25 and 0: two and one for sure, one more of the first three
    taken = particles.residual_resampling(np.array([0.625, 0.3125, 0.0625, 0.0]), np.random.default_rng(0))
    counts = np.bincount(taken, minlength=4)
    assert counts.sum() == 4
    assert counts[0] >= 2
    assert counts[1] >= 1
    assert counts[3] == 0


def test_residual_resampling_is_unbiased() -> None:
    rng = np.random.default_rng(0)
    weights = np.array([0.55, 0.3, 0.1, 0.05])
    counts = sum(np.bincount(particles.residual_resampling(weights, rng), minlength=4) for _ in range(4_000))
    assert counts / 16_000 == pytest.approx(weights, abs=0.01)


def test_information_by_hand() -> None:
    # four graphs of a quarter each in two classes; the test halves one class and leaves the other whole
    apart = np.array([[True, False, True, True]])
    weights, group = np.full(4, 0.25), np.array([0, 0, 1, 1], dtype=np.int32)
    assert particles.information_gains(apart, weights, group) == pytest.approx([0.5 * math.log(2)])
    assert particles.entropy_within(weights, group) == pytest.approx(math.log(2))


def test_equal_graphs_are_merged() -> None:
    graphs = np.array([[0, 0], [2, 1], [0, 0]], dtype=np.uint64)
    different, weights, first = particles.merged(graphs, np.array([0.2, 0.5, 0.3]))
    assert different.tolist() == [[0, 0], [2, 1]]
    assert weights == pytest.approx([0.5, 0.5])
    assert first.tolist() == [0, 1]


def test_separations_agree(graphs: particles.Graphs, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(monkeypatch, lambda: particles.separations(graphs, random_tests(8, 50)))


@pytest.mark.parametrize("size", [1, 64, 511, 513, 1100])
def test_separations_agree_for_any_number_of_graphs(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    many = particles.drawn(6, size, np.random.default_rng(size))
    agree(monkeypatch, lambda: particles.separations(many, random_tests(6, 5)))


def test_separations_agree_with_64_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    few = particles.drawn(64, 3, np.random.default_rng(0)) & particles.drawn(64, 3, np.random.default_rng(1))
    agree(monkeypatch, lambda: particles.separations(few, random_tests(64, 20)))


def asked_of(n: int, size: int = 12) -> list[Asked]:
    rng = np.random.default_rng(2)
    return [Asked(*t, float(g)) for t, g in zip(random_tests(n, size), rng.normal(0, 5, size), strict=True)]


@pytest.mark.parametrize("enough", [None, 2])
def test_moves_agree(graphs: particles.Graphs, monkeypatch: pytest.MonkeyPatch, enough: int | None) -> None:
    room, prior = particles.pairs(8), particles.log_prior(8)

    def action() -> particles.Graphs:
        rng = np.random.default_rng(3)
        return particles.moved(graphs, asked_of(8), room, prior, rng, alpha=1 / 28, steps=20, enough=enough)

    agree(monkeypatch, action)


def test_moves_leave_the_rest_alone(graphs: particles.Graphs) -> None:
    after = particles.moved(
        graphs, [], [(0, 1)], particles.log_prior(8), np.random.default_rng(0), alpha=0.5, steps=9
    )
    kept = ~np.uint64(0b11)
    assert ((graphs ^ after)[:, :2] & kept == 0).all()
    assert (graphs[:, 2:] == after[:, 2:]).all()


def test_moves_have_the_posterior_as_their_limit() -> None:
    # three variables, eight graphs: the frequencies after many moves are prior times likelihood
    asked = [Asked(0, 1, 0, -1.5), Asked(0, 2, 0b010, 1.0)]
    everything = particles.all_graphs(3)
    prior = particles.log_prior(3)
    log = particles.log_posterior(everything, prior, asked)
    exact = np.exp(log) / np.exp(log).sum()
    start = particles.drawn(3, 20_000, np.random.default_rng(0))
    found = particles.moved(
        start, asked, particles.pairs(3), prior, np.random.default_rng(1), alpha=1 / 3, steps=30
    )
    counts = [(found == graph).all(axis=1).mean() for graph in everything]
    assert counts == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize("room", [particles.pairs(8), particles.pairs(8)[::3], [(2, 5)], []])
def test_walks_agree(
    graphs: particles.Graphs, room: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    prior = particles.sparse_log_prior(8)

    def action() -> particles.Graphs:
        return particles.walked(graphs, asked_of(8), room, prior, np.random.default_rng(3), steps=60)

    changed = graphs ^ action()
    for x, y in set(particles.pairs(8)) - set(room):
        assert not (changed[:, x] >> np.uint64(y) & np.uint64(1)).any()
    agree(monkeypatch, action)


def test_walks_agree_with_64_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    few = particles.drawn(64, 3, np.random.default_rng(0)) & particles.drawn(64, 3, np.random.default_rng(1))
    room, prior = particles.pairs(64), particles.sparse_log_prior(64)
    agree(
        monkeypatch,
        lambda: particles.walked(few, asked_of(64), room, prior, np.random.default_rng(3), steps=10),
    )


@pytest.mark.parametrize("room", [particles.pairs(4), [(0, 1), (0, 2), (0, 3), (1, 2)]])
def test_walks_have_the_posterior_as_their_limit(room: list[tuple[int, int]]) -> None:
    # four variables: the frequencies after many steps are prior times likelihood, on the graphs within reach
    asked = [Asked(0, 1, 0, -1.5), Asked(0, 2, 0b1010, 1.0), Asked(1, 3, 0b0100, 0.7)]
    everything = particles.all_graphs(4)
    outside = [p for p in particles.pairs(4) if p not in room]
    reached = [all(not g[x] >> y & 1 for x, y in outside) for g in everything.tolist()]
    prior = particles.sparse_log_prior(4)
    log = np.where(reached, particles.log_posterior(everything, prior, asked), -np.inf)
    exact = np.exp(log) / np.exp(log).sum()
    start = np.zeros((40_000, 4), dtype=np.uint64)
    found = particles.walked(start, asked, room, prior, np.random.default_rng(1), steps=60)
    counts = [(found == graph).all(axis=1).mean() for graph in everything]
    assert counts == pytest.approx(exact, abs=0.006)


def test_repairs_agree_and_mend(graphs: particles.Graphs, monkeypatch: pytest.MonkeyPatch) -> None:
    # answers that one graph gives can all be agreed with
    true = particles.drawn(8, 1, np.random.default_rng(9))
    tests = random_tests(8, 15)
    answers = particles.separations(true, tests)[:, 0]
    asked = [Asked(*t, 9.0 if a else -9.0) for t, a in zip(tests, answers, strict=True)]

    def action() -> tuple[particles.Graphs, Any]:
        rng = np.random.default_rng(3)
        return particles.repaired(graphs, asked, particles.pairs(8), rng, sure=1.0, rounds=300)

    mended, wrong = action()
    assert (wrong == 0).mean() > 0.9
    good = particles.separations(mended[wrong == 0], tests)
    assert (good == answers[:, None]).all()
    agree(monkeypatch, action)


def test_smallest_separators_are_smallest() -> None:
    # against all subsets, on all graphs of five variables and a pair without and with an edge
    for graph in particles.all_graphs(5)[::7].tolist():
        for x, y in ((0, 1), (4, 2)):
            without = list(graph)
            if without[x] >> y & 1:
                reference.flip(without, x, y)
            found = reference.smallest_separator(graph, x, y)
            others = [v for v in range(5) if v not in (x, y)]
            sizes = [
                size
                for size in range(4)
                for given in combinations(others, size)
                if reference.separated(without, x, y, sum(1 << v for v in given))
            ]
            assert reference.separated(without, x, y, found)
            assert found.bit_count() == sizes[0]


def test_separators_agree(graphs: particles.Graphs, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(monkeypatch, lambda: particles.separators(graphs[:20], particles.pairs(8)))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_climb_agrees(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # pairs that cannot win are left at the empty set by the kernel, so only the winner is compared
    few = particles.drawn(6, 40, np.random.default_rng(seed))
    asked = particles.separations(few, random_tests(6, 2, seed))
    group = particles.classes(asked)
    price = np.arange(2.0, 7.0)

    def action() -> tuple[Question, float]:
        found = particles.climbed(few, np.full(40, 1 / 40), group, price, most_flips=3)
        test, score = max(found, key=lambda pair: pair[1])
        return test, round(score, 10)

    agree(monkeypatch, action)
