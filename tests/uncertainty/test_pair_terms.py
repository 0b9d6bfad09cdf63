"""Terms of pairs against plain maximization of the same posterior."""

import numpy as np
import pytest
from scipy import optimize

from graphoid.uncertainty.pair_terms import ConditionalModel, contrast_code, score_code

SHARES = np.array([0.2, 0.5, 0.3])


def rows_of(seed, n=80):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 1))
    x = rng.choice(3, p=SHARES, size=n)
    y = np.digitize(0.8 * x + 0.5 * z[:, 0] + rng.normal(size=n), (0.3, 1.5))
    return x, y, z


def plain_mode(y, code, columns):
    """Weights at the largest log-likelihood plus half the log determinant of the information, row by row."""
    states, m = code.shape

    def pieces(weights):
        value, information = 0.0, np.zeros((len(weights), len(weights)))
        for k, u in zip(y, columns, strict=True):
            design = np.array([np.append(np.eye(states)[s, 1:], np.outer(u, code[s])) for s in range(states)])
            p = np.exp(design @ weights)
            p /= p.sum()
            value += np.log(p[k])
            information += design.T @ (np.diag(p) - np.outer(p, p)) @ design
        return value, information

    def loss(weights):
        value, information = pieces(weights)
        return -value - np.linalg.slogdet(information)[1] / 2

    start = np.zeros(states - 1 + m * columns.shape[1])
    weights = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).x
    return weights, np.linalg.inv(pieces(weights)[1])


@pytest.mark.parametrize("code_of", [score_code, contrast_code])
def test_a_term_is_that_of_the_posterior_mode(code_of):
    x, y, z = rows_of(0)
    code = code_of(SHARES)
    model = ConditionalModel(y, SHARES, code, {0: code[x], 1: z})
    weights, covariance = plain_mode(y, code, np.hstack([code[x], z]))
    own = slice(2, 2 + code.shape[1] ** 2)
    found = model.term(0, code[x])
    assert found.value == pytest.approx(weights[own], abs=1e-3)
    assert np.linalg.inv(found.information) == pytest.approx(covariance[own, own], rel=1e-2)


def test_a_strong_term_is_the_same_outside_of_the_blanket():
    x, y, z = rows_of(1)
    code = contrast_code(SHARES)
    inside = ConditionalModel(y, SHARES, code, {0: code[x], 1: z}).term(0, code[x])
    outside = ConditionalModel(y, SHARES, code, {1: z}).term(0, code[x])
    assert outside.value == pytest.approx(inside.value, abs=1e-3)
    assert outside.information == pytest.approx(inside.information, rel=1e-2)


def test_a_state_that_never_meets_another_has_a_finite_term():
    x = np.repeat([0, 1], 20)
    code = score_code(np.array([0.5, 0.5]))
    found = ConditionalModel(x, np.array([0.5, 0.5]), code, {0: code[x]}).term(0, code[x])
    # half a row in every cell; codes are -1 and 1
    assert found.value == pytest.approx([np.log(20.5**2 / 0.5**2) / 4], abs=1e-4)


@pytest.mark.parametrize("code_of", [score_code, contrast_code])
def test_codes_are_standardized(code_of):
    code = code_of(SHARES)
    assert SHARES @ code == pytest.approx(np.zeros(code.shape[1]), abs=1e-12)
    assert code.T @ (SHARES[:, None] * code) == pytest.approx(np.eye(code.shape[1]))
