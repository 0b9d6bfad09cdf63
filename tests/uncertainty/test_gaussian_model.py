"""Models of numbers given a blanket, against least squares written out, and effects of mixed pairs."""

import numpy as np
import pytest
from scipy import stats

import graphoid as gd
from graphoid.regression.coding import normal_scores
from graphoid.uncertainty.effects import Effects, sample_of
from graphoid.uncertainty.gaussian_model import GaussianModel, correlate
from graphoid.uncertainty.strength import strengths


def left_of(v, given):
    design = np.column_stack([np.ones(len(v)), given])
    return v - design @ np.linalg.lstsq(design, v, rcond=None)[0]


def test_a_correlation_is_that_of_residuals():
    rng = np.random.default_rng(2)
    z = rng.normal(size=(50, 2))
    x, y = z.sum(axis=1) + rng.normal(size=(2, 50))
    found, error, influence = correlate(x, y, z, np.ones(50))
    assert np.tanh(found) == pytest.approx(stats.pearsonr(left_of(x, z), left_of(y, z))[0])
    assert error == pytest.approx((50 - 2 - 3) ** -0.5)
    assert influence.sum() == pytest.approx(0, abs=1e-12)
    # a column twice says nothing new
    assert correlate(x, y, z[:, [0, 1, 1]], np.ones(50))[:2] == pytest.approx((found, error))
    assert correlate(z[:, 0], y, z, np.ones(50)) is None
    assert correlate(x[:4], y[:4], z[:4], np.ones(4)) is None


def test_weights_are_as_good_as_rows():
    rng = np.random.default_rng(3)
    x, y, z = rng.normal(size=(3, 40))
    weights = rng.integers(0, 4, size=40)
    rows = np.repeat(np.arange(40), weights)
    long = correlate(x[rows], y[rows], z[rows, None], np.ones(len(rows)))
    short = correlate(x, y, z[:, None], weights.astype(float))
    assert short[:2] == pytest.approx(long[:2])
    plain = GaussianModel(y[rows], {0: x[rows, None], 1: z[rows, None]}, np.ones(len(rows)))
    weighted = GaussianModel(y, {0: x[:, None], 1: z[:, None]}, weights.astype(float))
    assert weighted.term(0).value == pytest.approx(plain.term(0).value)
    assert weighted.log_likelihood == pytest.approx(plain.log_likelihood)


def test_a_term_is_the_slope_over_the_variance():
    rng = np.random.default_rng(0)
    n, u, v = 400, *rng.normal(size=(2, 400))
    y = 0.5 * u - v + 2 * rng.normal(size=400)
    term = GaussianModel(y, {7: u[:, None], 9: v[:, None]}, np.ones(n)).term(7)
    design = np.column_stack([np.ones(n), u, v])
    slopes, squares = np.linalg.lstsq(design, y, rcond=None)[:2]
    assert term.value == pytest.approx(slopes[1] * (n - 3 - 2) / squares)
    # what rows add is the derivative by their weights
    row = int(np.argmax(np.abs(term.influence)))
    up = np.ones(n)
    up[row] += 1e-6
    moved = GaussianModel(y, {7: u[:, None], 9: v[:, None]}, up).term(7).value
    assert (moved - term.value) / 1e-6 == pytest.approx(term.influence[row], rel=0.03)
    assert GaussianModel(y, {7: u[:, None], 9: u[:, None]}, np.ones(n)).term(7) is None
    assert GaussianModel(u + v, {7: u[:, None], 9: v[:, None]}, np.ones(n)).term(7) is None


def conditional_gaussian(seed, n, effect):
    """A state a, and numbers u and v: u is higher by ``effect`` standard deviations with a than without."""
    rng = np.random.default_rng(seed)
    a = rng.integers(2, size=n)
    u = effect * a + rng.normal(size=n)
    v = u + rng.normal(size=n)
    return gd.read({"a": a, "u": u, "v": v}, discretize=None)


def test_both_ends_of_a_mixed_pair_estimate_one_number():
    # log odds of a by u are effect * u: per standard deviation of u, sqrt(1 + effect^2 / 4), and of a, 1/2
    table = conditional_gaussian(1, 40_000, 0.8)
    graph = gd.UndirectedGraph(table.names, [("a", "u"), ("u", "v")])
    effects = Effects(graph, table.variables, sample_of(table))
    expected = 0.8 * (1 + 0.16) ** 0.5 / 2
    ends = effects._ends((0, 1))
    assert len(ends) == 2
    for end in ends:
        assert end.value == pytest.approx(expected, abs=0.02)
    found = effects.estimate((0, 1)).effect
    assert found.weight_low < expected < found.weight_high
    # given u, v tells nothing of a
    assert abs(effects.estimate((0, 2)).effect.weight) < 0.03


@pytest.mark.parametrize("effect", [0.0, 0.5, 1.5])
def test_coverage_of_mixed_pairs(effect):
    expected = effect * (1 + effect**2 / 4) ** 0.5 / 2
    held = []
    for seed in range(100):
        table = conditional_gaussian(seed, 200, effect)
        graph = gd.UndirectedGraph(table.names, [("a", "u"), ("u", "v")])
        found = Effects(graph, table.variables, sample_of(table)).estimate((0, 1)).effect
        assert found.weight_low < found.weight < found.weight_high
        held.append(found.weight_low <= expected <= found.weight_high)
    assert 0.89 <= np.mean(held) <= 1.0


def test_nominal_states_have_a_size_and_a_sentence():
    rng = np.random.default_rng(0)
    a = rng.integers(3, size=600)
    u = np.array([0.0, 1.0, -1.0])[a] + rng.normal(size=600)
    table = gd.read({"a": np.array(["red", "green", "blue"])[a], "u": u**3}, discretize=None)
    (edge,) = strengths(gd.UndirectedGraph(table.names, [(0, 1)]), table)
    assert edge.weight is edge.sign is None
    assert 0 < edge.low < edge.size < edge.high
    assert edge.bits > 0.2
    assert "u is highest with a = 'green' and lowest with a = 'blue'" in edge.sentence


def test_numbers_go_by_their_ranks():
    table = conditional_gaussian(4, 300, 1.0)
    curved = gd.read(
        {"a": table.column(0), "u": np.exp(table.values[1]), "v": table.values[2] ** 3}, discretize=None
    )
    graph = gd.UndirectedGraph(table.names, [("a", "u"), ("u", "v")])
    for plain, bent in zip(strengths(graph, table), strengths(graph, curved), strict=True):
        assert (plain.weight, plain.low, plain.bits) == pytest.approx((bent.weight, bent.low, bent.bits))
    r = stats.pearsonr(
        left_of(normal_scores(table.values[1]), table.column(0)),
        left_of(normal_scores(table.values[2]), table.column(0)),
    )[0]
    # v's blanket is the smaller: nothing but u
    marginal = stats.pearsonr(normal_scores(table.values[1]), normal_scores(table.values[2]))[0]
    assert strengths(graph, table)[1].partial_correlation == pytest.approx(marginal)
    full = gd.UndirectedGraph(table.names, [("a", "u"), ("u", "v"), ("a", "v")])
    assert strengths(full, table)[2].partial_correlation == pytest.approx(r)


def test_odds_of_two_binary_columns_given_a_number_come_from_models():
    rng = np.random.default_rng(6)
    n = 20_000
    z = rng.normal(size=n)
    a = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    b = (rng.random(n) < 1 / (1 + np.exp(-(1.2 * a + z - 0.6)))).astype(int)
    table = gd.read({"a": a, "b": b, "z": z}, discretize=None)
    graph = gd.UndirectedGraph(table.names, [(0, 1), (0, 2), (1, 2)])
    edge = strengths(graph, table)[0]
    assert edge.given == ("z",)
    assert edge.log_odds == pytest.approx(1.2, abs=3 * edge.log_odds_error)
    assert edge.log_odds_error < 0.05
    assert "times as high with a = 1" in edge.sentence
