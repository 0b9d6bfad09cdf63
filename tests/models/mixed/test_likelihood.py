"""Conditional densities and the derivatives of their sum."""

from __future__ import annotations

import math

import numpy as np
import pytest

from graphoid.data.variables import Variable
from graphoid.models.mixed.layout import Layout, pairs_of, polynomials
from graphoid.models.mixed.likelihood import PairwiseLikelihood, distinct_rows
from tests.support.mixed import GRID, KINDS, plain_log_density, random_model


def rows(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.integers(0, 3, n), rng.integers(0, 4, n), rng.normal(size=n), rng.normal(size=n)]
    ).astype(float)


def test_conditionals_worked_by_hand():
    # coin (codes +-sqrt(1/2)) joined to a number z, z joined to y. With a = .3 for the coin, .2 and .5 for z
    # and y, curvatures 1 + 1 and 1 + .25, w(coin, z) = .8, w(z, y) = .6:
    # P(heads | z) = 1 / (1 + exp(-sqrt(2) (.3 + .8 z))), z | coin, y ~ N((.2 + .8 c + .6 y) / 2, 1 / 2),
    # y | z ~ N((.5 + .6 z) / 1.25, 1 / 1.25)
    variables = (Variable("coin", ("heads", "tails")), Variable("z", ()), Variable("y", ()))
    model = random_model(0, variables, [(0, 1), (1, 2)])
    weights = np.array([0.3, 0.2, 0.5, 1.0, 0.25, 0.8, 0.6])
    model = type(model)(variables, weights=weights, scales=model.scales, pairs=model.pairs)
    z, y, c = 0.7, -1.2, math.sqrt(0.5)
    heads = 1 / (1 + math.exp(-math.sqrt(2) * (0.3 + 0.8 * z)))

    def log_normal(value: float, mean: float, precision: float) -> float:
        return 0.5 * math.log(precision / (2 * math.pi)) - 0.5 * precision * (value - mean) ** 2

    expected = [math.log(heads), log_normal(z, (0.2 + 0.8 * c + 0.6 * y) / 2, 2.0)]
    expected.append(log_normal(y, (0.5 + 0.6 * z) / 1.25, 1.25))
    row = {"coin": "heads", "z": z, "y": y}
    np.testing.assert_allclose(model.conditional_log_scores(row)[0], expected, atol=1e-12)
    np.testing.assert_allclose(
        model.log_conditionals("coin", row)[:, 0], [math.log(heads), math.log(1 - heads)], atol=1e-12
    )
    assert model.log_conditionals("z", row)[0, 0] == pytest.approx(expected[1])
    assert model.pseudo_log_likelihood(row) == pytest.approx(sum(expected))


def test_conditionals_are_those_of_the_joint_density():
    model = random_model(3)
    values = rows(5, 1)
    found = model.conditional_log_scores(values)
    np.testing.assert_allclose(model.log_potential(values), plain_log_density(model, values), atol=1e-12)
    for r, row in enumerate(values):
        for x, v in enumerate(model.variables):
            options = GRID if v.continuous else np.arange(v.arity)
            changed = np.repeat(row[None, :], len(options), axis=0)
            changed[:, x] = options
            log = plain_log_density(model, changed)
            width = GRID[1] - GRID[0] if v.continuous else 1.0
            total = math.log(np.exp(log).sum() * width)
            here = plain_log_density(model, row[None, :])[0]
            assert found[r, x] == pytest.approx(here - total, abs=1e-9)


@pytest.mark.parametrize("bent", [(), ((1, 2), (0, 1))])
def test_derivatives_are_those_of_the_value(bent: tuple[tuple[int, int], ...]):
    layout = Layout(KINDS, pairs_of(KINDS, [(0, 1), (0, 2), (1, 2), (2, 3)], bent))
    likelihood = PairwiseLikelihood(layout, distinct_rows(rows(40, 2), np.arange(40) % 3, 0.5))
    rng = np.random.default_rng(0)
    weights, step = 0.2 * rng.normal(size=layout.n_weights), 1e-6
    point = likelihood.at(weights)
    assert point is not None
    for f in range(layout.n_weights):
        move = step * np.eye(layout.n_weights)[f]
        up, down = likelihood.at(weights + move), likelihood.at(weights - move)
        assert up is not None
        assert down is not None
        assert point.gradient[f] == pytest.approx((up.value - down.value) / (2 * step), abs=1e-6)
        product = likelihood.hessian_product(point, np.eye(layout.n_weights)[f])
        np.testing.assert_allclose(product, (up.gradient - down.gradient) / (2 * step), atol=1e-6)
    # each row's derivatives add up to all, but for the row of independent scores that is added
    added = np.zeros(layout.n_weights)
    covariance = np.linalg.inv(layout.precision(weights))
    added[layout.first_curvature : layout.first_pair] = (np.diag(covariance) - 1) / 2
    added[-1] = -covariance[0, 1]  # the last pair is of both scores
    by_row = likelihood.rows.weights @ likelihood.row_gradients(point)
    np.testing.assert_allclose(by_row + added, point.gradient, atol=1e-9)


def test_the_diagonal_is_that_of_the_second_derivatives():
    layout = Layout(KINDS, pairs_of(KINDS, [(0, 1), (0, 2), (1, 3)]))  # the scores are not joined
    likelihood = PairwiseLikelihood(layout, distinct_rows(rows(300, 2), np.ones(300, dtype=int), 1.0))
    point = likelihood.at(np.zeros(layout.n_weights))
    assert point is not None
    diagonal = [-likelihood.hessian_product(point, e) @ e for e in np.eye(layout.n_weights)]
    near = likelihood.diagonal(point)  # less the added row
    np.testing.assert_allclose(near, diagonal, atol=1.0)
    assert np.abs(near - diagonal).max() > 0.4


def test_scores_without_a_joint_distribution_are_told():
    layout = Layout(KINDS, pairs_of(KINDS, [(2, 3)]))
    likelihood = PairwiseLikelihood(layout, distinct_rows(rows(10, 0), np.ones(10, dtype=int), 1.0))
    weights = np.zeros(layout.n_weights)
    weights[-1] = 1.0  # a precision of [[1, -1], [-1, 1]]
    assert likelihood.at(weights) is None


@pytest.mark.parametrize("r", [1, 2, 3, 5, 70])
def test_polynomials_are_orthogonal_and_begin_with_a_line(r: int):
    code = polynomials(r)
    assert code.shape == (r, r - 1)
    np.testing.assert_allclose(code.T @ code, np.eye(r - 1) * r / 2, atol=1e-9)
    np.testing.assert_allclose(code.sum(axis=0), 0, atol=1e-9)
    if r > 1:
        np.testing.assert_allclose(np.diff(code[:, 0]), code[1, 0] - code[0, 0], atol=1e-12)
        assert code[1, 0] > code[0, 0]
