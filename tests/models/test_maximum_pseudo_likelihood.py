"""Fitted weights: known solutions, optimality conditions, and an independent optimization by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from graphoid.errors import SettingsError
from graphoid.models.maximum_pseudo_likelihood import (
    L1,
    L2,
    CrossValidated,
    ElasticNet,
    fit_weights,
    maximize,
)
from graphoid.models.pseudo_likelihood import PseudoLikelihood
from tests.models.test_pseudo_likelihood import ARITIES, FEATURES, enumerated
from tests.support.tables import needs_kernels, random_table, table_of

PAIRS = [((v, 1),) for v in range(8)] + [((u, 1), (v, 1)) for u, v in itertools.combinations(range(8), 2)]


def test_one_coin_by_hand():
    # three heads of four; without a penalty the weight is the log-odds, log 3
    table = table_of([[1, 1, 1, 0]])
    found = fit_weights([((0, 1),)], table, penalty=L2(0.0))
    assert found.converged
    assert found.weights == pytest.approx([np.log(3)])
    assert found.objective == pytest.approx(3 * np.log(3 / 4) + np.log(1 / 4))
    # the error of log-odds is sqrt(1/3 + 1/1)
    assert found.standard_errors == pytest.approx([np.sqrt(4 / 3)])
    # with L1 of strength 1/2 the derivative 3 - 4p is 1/2: p = 5/8
    found = fit_weights([((0, 1),)], table, penalty=L1(0.5))
    assert found.weights == pytest.approx([np.log(5 / 3)])
    # the derivative at zero is 1: a penalty from there on leaves the weight at exactly zero
    found = fit_weights([((0, 1),)], table, penalty=L1(1.0))
    assert found.weights.tolist() == [0.0]
    assert np.isnan(found.standard_errors).all()


def test_the_default_is_what_another_optimizer_finds_by_enumeration():
    table = random_table(60, ARITIES, seed=7)
    rows = table.codes.tolist()

    def loss(weights):
        return 0.5 * weights @ weights - enumerated(FEATURES, weights, ARITIES, rows, np.ones(60))

    expected = minimize(loss, np.zeros(len(FEATURES)), method="BFGS", options={"gtol": 1e-4}).x
    found = fit_weights(FEATURES, table)
    assert found.converged
    assert found.weights == pytest.approx(expected, abs=1e-4)
    assert found.objective == pytest.approx(-loss(found.weights))


def test_features_that_say_the_same_share_their_weight():
    # two equal features: L2 splits the weight evenly; the solution is unique, whatever the start
    table = random_table(400, (2, 2), seed=8)
    twice = [((0, 1), (1, 1)), ((0, 1), (1, 1))]
    found = fit_weights(twice, table)
    assert found.weights[0] == pytest.approx(found.weights[1], abs=1e-6)


@pytest.mark.parametrize("penalty", [L1(5.0), ElasticNet(5.0, 2.0), L1(40.0), ElasticNet(0.0, 3.0)])
def test_the_conditions_of_an_optimum_hold(penalty):
    likelihood = PseudoLikelihood(PAIRS, random_table(600, (2,) * 8, seed=9))
    found = maximize(likelihood, penalty)
    assert found.converged
    w = found.weights
    slope = likelihood.value_and_gradient(w)[1] - penalty.l2 * w
    assert slope[w != 0] == pytest.approx(penalty.l1 * np.sign(w[w != 0]), abs=1e-5)
    assert (np.abs(slope[w == 0]) <= penalty.l1 + 1e-5).all()
    assert penalty.l1 == 0 or 0 < (w == 0).sum() < len(w)
    again = maximize(likelihood, penalty, start=np.random.default_rng(0).normal(size=len(w)))
    assert again.weights == pytest.approx(w, abs=1e-5)


def test_weights_do_not_depend_on_threads():
    table = random_table(600, (2,) * 8, seed=9)
    one, two = (fit_weights(PAIRS, table, penalty=ElasticNet(3.0, 1.0), threads=t) for t in (1, 2))
    np.testing.assert_array_equal(one.weights, two.weights)


@needs_kernels
def test_standard_errors_are_the_spread_of_repeated_samples():
    # pseudo-likelihood of two dependent coins: errors from the curvature alone would be 1/sqrt(2) of these
    rng = np.random.default_rng(10)
    p = np.exp([0.0, 0.5, -0.2, 1.3])
    features = [((0, 1),), ((1, 1),), ((0, 1), (1, 1))]
    weights, errors = [], []
    for _ in range(60):
        cells = rng.choice(4, size=400, p=p / p.sum())
        found = fit_weights(features, table_of([cells // 2, cells % 2], [2, 2]), penalty=L2(1e-6))
        weights.append(found.weights)
        errors.append(found.standard_errors)
    ratio = np.std(weights, axis=0) / np.mean(errors, axis=0)
    assert ratio == pytest.approx(np.ones(3), abs=0.27)  # three standard errors of a spread from 60 samples


@needs_kernels
def test_the_strength_is_chosen_by_rows_left_out():
    noise = random_table(80, (2,) * 8, seed=11)
    choice = CrossValidated((L1(1000.0), L1(2.0), L1(0.1)))
    # independent coins: everything but the strong penalty fits noise
    coins = table_of(np.random.default_rng(0).integers(0, 2, size=(8, 80)))
    assert choice.choose(PAIRS, coins) == L1(1000.0)
    assert fit_weights(PAIRS, noise, penalty=choice).penalty == L1(2.0)


@pytest.mark.parametrize("penalty", [L2(-1.0), L1(float("nan")), ElasticNet(1.0, float("inf"))])
def test_a_strength_that_cannot_be_is_refused(penalty):
    with pytest.raises(SettingsError, match="finite number of at least 0"):
        fit_weights(PAIRS, random_table(10, (2,) * 8), penalty=penalty)


def test_folds_that_cannot_be_are_refused():
    for choice in (CrossValidated(()), CrossValidated(n_folds=1), CrossValidated(n_folds=11)):
        with pytest.raises(SettingsError, match="cross-validation needs"):
            fit_weights(PAIRS, random_table(10, (2,) * 8), penalty=choice)
