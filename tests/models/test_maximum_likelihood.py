"""Exact maximum likelihood: its derivatives, its solution and its errors, against other ways to find them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid import datasets
from graphoid.errors import CountsTooLarge, SettingsError
from graphoid.models.maximum_likelihood import Likelihood, fit_exactly
from graphoid.models.maximum_pseudo_likelihood import L1, L2
from graphoid.structure.cliques import clique_features
from tests.support.networks import enumerated, random_network, variables_of
from tests.support.tables import random_table

TABLE = random_table(400, [2, 3, 2, 2], seed=1)
FEATURES = (
    ((0, 1),),
    ((1, 2),),
    ((0, 1), (1, 1)),
    ((1, 0), (2, 1)),
    ((2, 0), (3, 1)),
    ((0, 0), (2, 1), (3, 1)),
)


def test_derivatives_are_those_of_the_value() -> None:
    likelihood = Likelihood(FEATURES, TABLE)
    weights = np.random.default_rng(0).normal(size=len(FEATURES))
    value, gradient = likelihood.value_and_gradient(weights)
    model = gd.MarkovNetwork(TABLE.variables, FEATURES, weights)
    assert value == pytest.approx(model.log_probability(TABLE).sum())
    step = 1e-5
    for k in range(len(FEATURES)):
        shift = step * np.eye(len(FEATURES))[k]
        up, down = (likelihood.value_and_gradient(weights + s)[0] for s in (shift, -shift))
        assert gradient[k] == pytest.approx((up - down) / (2 * step), abs=1e-4)


def test_covariance_is_that_of_all_joint_states() -> None:
    weights = np.random.default_rng(1).normal(size=len(FEATURES))
    p = enumerated(gd.MarkovNetwork(TABLE.variables, FEATURES, weights)).ravel()
    states = np.array(list(itertools.product(*(range(v.arity) for v in TABLE.variables))))
    holds = np.stack([np.all([states[:, v] == s for v, s in f], axis=0) for f in FEATURES], axis=1).astype(
        float
    )
    expected = holds.T @ (p[:, None] * holds) - np.outer(p @ holds, p @ holds)
    np.testing.assert_allclose(Likelihood(FEATURES, TABLE).covariance(weights), expected, atol=1e-12)


def test_a_decomposable_graph_has_the_closed_form() -> None:
    # a chain: P(a, b, c) = N(a, b) N(b, c) / N(b) / N; a penalty as good as none
    table = random_table(2_000, [2, 3, 2], seed=3)
    graph = gd.UndirectedGraph(table.names, [(0, 1), (1, 2)])
    model = gd.MarkovNetwork.fit(graph, table, 1e-9, method="exact")
    counts = np.zeros((2, 3, 2))
    np.add.at(counts, tuple(table.codes.T), 1)
    expected = counts.sum(2)[:, :, None] * counts.sum(0)[None] / counts.sum((0, 2))[None, :, None] / 2_000
    np.testing.assert_allclose(enumerated(model), expected, atol=1e-6)
    assert model.provenance["converged"]


def test_no_other_weights_are_better() -> None:
    fit = fit_exactly(FEATURES, TABLE, penalty=L2(1.0))
    likelihood = Likelihood(FEATURES, TABLE)

    def objective(weights: np.ndarray) -> float:
        return likelihood.value_and_gradient(weights)[0] - 0.5 * weights @ weights

    assert fit.objective == pytest.approx(objective(fit.weights))
    rng = np.random.default_rng(0)
    assert all(objective(fit.weights + 0.05 * rng.normal(size=6)) < fit.objective for _ in range(20))


def test_standard_errors_are_the_spread_of_repeated_samples() -> None:
    truth = gd.MarkovNetwork(
        variables_of([2] * 4), (((0, 1), (1, 1)), ((1, 1), (2, 1)), ((3, 1),)), [1.0, -0.5, 0.4]
    )
    rng = np.random.default_rng(0)
    fits = [fit_exactly(truth.features, truth.sample(500, rng), penalty=L2(0.0)) for _ in range(40)]
    spread = np.std([fit.weights for fit in fits], axis=0, ddof=1)
    ratio = spread / np.mean([fit.standard_errors for fit in fits[:10]], axis=0)
    assert (np.abs(ratio - 1) < 0.35).all()  # forty repetitions give a spread to a ninth


def test_the_pseudo_likelihood_comes_near_with_many_rows() -> None:
    network = datasets.pairwise_binary(datasets.random_graph(7, 2, 0), 1.0, rng=1)
    table = network.sample(20_000, 0)
    exact = gd.MarkovNetwork.fit(network.graph, table, method="exact")
    pseudo = gd.MarkovNetwork.fit(network.graph, table)
    assert network.to_markov_network().kl(exact) < 0.002
    assert exact.kl(pseudo) < 0.001


def test_what_cannot_be_fitted_exactly_is_refused() -> None:
    with pytest.raises(SettingsError, match="L2 penalty only"):
        fit_exactly(FEATURES, TABLE, penalty=L1(1.0))
    with pytest.raises(SettingsError, match="at least 0"):
        fit_exactly(FEATURES, TABLE, penalty=L2(-1.0))
    with pytest.raises(CountsTooLarge, match="at most 2"):
        fit_exactly(FEATURES, TABLE, penalty=L2(1.0), max_cells=2)
    table = random_network(0, 7).sample(50, 0)
    complete = gd.UndirectedGraph(table.names, itertools.combinations(range(7), 2))
    with pytest.raises(CountsTooLarge, match="7 variables"):
        gd.MarkovNetwork.fit(complete, table, method="exact", max_cells=100)
    assert len(clique_features(complete, [v.arity for v in table.variables]))
