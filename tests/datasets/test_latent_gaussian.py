"""Gaussian variables behind what is seen: the precision matrix, the margins, and the published protocol."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from graphoid.datasets import factor_blocks, gaussian, hub_graph, mixed_copula, random_graph
from graphoid.datasets.latent import LatentGaussian, Margin
from graphoid.errors import SettingsError


def test_sampled_correlations_are_those_of_the_precision_matrix():
    # by hand, its inverse is [[1.5, -1, .5], [-1, 2, -1], [.5, -1, 1.5]]
    precision = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]])
    network = LatentGaussian(precision, (Margin(),) * 3)
    assert network.graph.edges == ((0, 1), (1, 2))
    table = network.sample(40_000, 0)
    seen = np.corrcoef([table.numbers(v) for v in range(3)])
    r = -1 / np.sqrt(3)
    expected = np.array([[1, r, 1 / 3], [r, 1, r], [1 / 3, r, 1]])
    np.testing.assert_allclose(seen, expected, atol=0.02)  # standard errors are at most .005
    np.testing.assert_allclose([table.numbers(v).std() for v in range(3)], 1.0, atol=0.02)


def test_margins_are_monotone_functions_of_the_same_latent_variables():
    network = LatentGaussian(np.eye(3), (Margin(), Margin(power=3), Margin((-0.5, 1.0))))
    latent, table = network.latent(500, 7), network.sample(500, 7)
    np.testing.assert_array_equal(table.numbers(0), latent[:, 0])
    np.testing.assert_array_equal(table.numbers(1), latent[:, 1] ** 3)
    np.testing.assert_array_equal(table.column(2), (latent[:, 2] > -0.5).astype(int) + (latent[:, 2] > 1.0))
    assert [v.continuous for v in table.variables] == [True, True, False]


def test_items_of_a_block_share_a_factor():
    items = factor_blocks(2, 4, loading=0.9)
    assert items.graph.edges == tuple(
        (b + x, b + y) for b in (0, 4) for x in range(4) for y in range(x + 1, 4)
    )
    covariance = np.linalg.inv(items.precision)
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    assert correlation[0, 3] == pytest.approx(0.81 / 1.81)
    assert correlation[0, 4] == pytest.approx(0.0)
    shares = np.bincount(items.sample(40_000, 0).column(5), minlength=5) / 40_000
    # latent variance 1.81, cut at -1.5, -.5, .5, 1.5
    below = norm.cdf(np.array([-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf]) / np.sqrt(1.81))
    np.testing.assert_allclose(shares, np.diff(below), atol=0.01)


def test_gaussian_networks_have_the_partial_correlations_asked_for():
    graph = hub_graph(20)
    network = gaussian(graph, 0, weakest=0.1, strongest=0.2)
    assert network.graph == graph
    sizes = np.abs([network.precision[edge] for edge in graph.edges])
    assert 0.1 <= sizes.min() <= sizes.max() <= 0.2
    assert {float(np.sign(network.precision[edge])) for edge in graph.edges} == {-1.0, 1.0}
    dense = gaussian(random_graph(40, 12, 0), 0)
    assert np.linalg.eigvalsh(dense.precision)[0] == pytest.approx(0.1)


@pytest.mark.parametrize(("n", "n_edges"), [(50, 200), (100, None)])
def test_the_protocol_has_about_as_many_edges_as_said(n, n_edges):
    counts = [mixed_copula(n, seed, n_edges=n_edges).graph.n_edges for seed in range(20)]
    assert np.mean(counts) == pytest.approx(n_edges or n, rel=0.05)


def test_the_protocol_has_its_margins():
    table = mixed_copula(60, 0).sample(50_000, 1)
    assert [v.kind for v in table.variables] == ["continuous"] * 30 + ["ordered", "ordered", "count"] * 10
    binary, ordered, count = (range(first, 60, 3) for first in (30, 31, 32))
    shares = [table.column(v).mean() for v in binary]
    rare = [s for s in shares if s < 0.2]
    assert len(rare) == 2
    assert all(0.04 < s < 0.11 for s in rare)
    assert all(0.38 < s < 0.62 for s in shares if s not in rare)
    for v in ordered:
        levels = table.variables[v].arity
        assert 3 <= levels <= 7
        expected = np.arange(1, levels + 1) / (levels * (levels + 1) / 2)
        shares = np.bincount(table.column(v), minlength=levels) / 50_000
        np.testing.assert_allclose(shares, expected, atol=0.01)
    for v in count:
        assert table.numbers(v).mean() == pytest.approx(6, abs=0.06)
        assert table.numbers(v).var() == pytest.approx(6, abs=0.25)


def test_counts_are_read_as_a_file_of_them_would_be():
    network = LatentGaussian(
        np.eye(2), (Margin((-0.5, 0.5), kind="count"), Margin(tuple(np.linspace(-2, 2, 40)), kind="count"))
    )
    few, many = network.sample(2_000, 0).variables
    assert few.states == (0, 1, 2)
    assert many.states == ()
    assert network.sample(2_000, 0).numbers(1).max() == 40


def test_cubes_are_of_the_same_rows():
    plain, cubed = mixed_copula(20, 3).sample(100, 4), mixed_copula(20, 3, cubed=True).sample(100, 4)
    np.testing.assert_allclose(plain.numbers(0) ** 3, cubed.numbers(0))
    np.testing.assert_array_equal(plain.column(15), cubed.column(15))


def test_the_same_seed_gives_the_same_table():
    network = mixed_copula(30, 5)
    np.testing.assert_array_equal(network.precision, mixed_copula(30, 5).precision)
    assert network.sample(50, 1).data_id == network.sample(50, np.random.default_rng(1)).data_id
    assert network.sample(50, 1).data_id != network.sample(50, 2).data_id
    assert network.sample(0, 1).n_rows == 0


def test_what_is_no_network_is_refused():
    with pytest.raises(SettingsError, match="row for each of the 3 margins"):
        LatentGaussian(np.eye(2), (Margin(),) * 3)
    with pytest.raises(SettingsError, match="positive definite"):
        LatentGaussian(np.array([[1.0, 2.0], [2.0, 1.0]]), (Margin(),) * 2)
    with pytest.raises(SettingsError, match="between 0 and 489"):
        mixed_copula(50, 0, n_edges=600)
    with pytest.raises(SettingsError, match="-1"):
        factor_blocks().sample(-1)
