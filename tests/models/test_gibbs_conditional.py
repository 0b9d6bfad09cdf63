"""Marginals given evidence: against enumeration, and the kernel against plain Python."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from graphoid.errors import DataError, SettingsError
from graphoid.models import gibbs_conditional as module
from graphoid.models.gibbs_conditional import ConditionalGibbs
from tests.support.tables import needs_kernels, random_table

N = 8
HIDDEN = (5, 0, 2, 7)


def model(seed=0):
    """Return features of one to five members, positive and negative, and their weights."""
    rng = np.random.default_rng(seed)
    features = [
        tuple((int(v), int(rng.integers(2))) for v in np.sort(rng.choice(N, size, replace=False)))
        for size in (1, 2, 3, 4, 5)
        for _ in range(8)
    ]
    features.append(((0, 1), (2, 0), (5, 1), (7, 0)))  # four hidden members, no evidence
    return features, rng.normal(scale=0.7, size=len(features))


def enumerated(features, weights, row, hidden):
    """Return P(hidden = 1 | the rest of the row) by summing over all states of the hidden variables."""
    total, ones = 0.0, np.zeros(len(hidden))
    for states in itertools.product((0, 1), repeat=len(hidden)):
        x = list(row)
        for v, state in zip(hidden, states, strict=True):
            x[v] = state
        log_p = sum(w for f, w in zip(features, weights, strict=True) if all(x[v] == s for v, s in f))
        total += np.exp(log_p)
        ones += np.exp(log_p) * np.array(states)
    return ones / total


@needs_kernels
def test_marginals_are_those_of_enumeration():
    features, weights = model()
    table = random_table(30, (2,) * N, seed=1)
    found = ConditionalGibbs(n_chains=20, n_samples=3_000).marginals(
        features, weights, table, HIDDEN, np.random.default_rng(0)
    )
    expected = [enumerated(features, weights, row, HIDDEN) for row in table.codes.tolist()]
    # 60,000 correlated updates: a standard error of at most .5 / sqrt(60,000 / 10) = .006, mostly far less
    assert np.abs(found - expected).max() < 0.02
    assert np.sqrt(np.mean((found - expected) ** 2)) < 0.004


@needs_kernels
@pytest.mark.parametrize("hidden", [HIDDEN, (3,), tuple(range(N))])
def test_the_kernel_agrees_with_plain_python(hidden, monkeypatch):
    features, weights = model(2)
    weights[3] = 0.0
    table = random_table(4, (2,) * N, seed=3)
    sampler = ConditionalGibbs(n_chains=2, burn_in=3, n_samples=20)
    found = [
        ConditionalGibbs(n_chains=2, burn_in=3, n_samples=20, threads=threads).marginals(
            features, weights, table, hidden, np.random.default_rng(7)
        )
        for threads in (1, 3)
    ]
    np.testing.assert_array_equal(*found)
    monkeypatch.setattr(module, "kernels", lambda: None)
    plain = sampler.marginals(features, weights, table, hidden, np.random.default_rng(7))
    np.testing.assert_allclose(found[0], plain, rtol=1e-9)


def test_one_hidden_variable_is_exact():
    features, weights = model(4)
    table = random_table(5, (2,) * N, seed=5)
    once = ConditionalGibbs(n_chains=1, burn_in=0, n_samples=1)
    found = once.marginals(features, weights, table, [4], np.random.default_rng(0))
    expected = [enumerated(features, weights, row, [4]) for row in table.codes.tolist()]
    np.testing.assert_allclose(found, expected)


def test_what_cannot_be_sampled_is_refused():
    rng = np.random.default_rng(0)
    binary, mixed = random_table(5, (2, 2)), random_table(5, (2, 3))
    with pytest.raises(SettingsError, match="n_chains is 0"):
        ConditionalGibbs(n_chains=0).marginals([], np.array([]), binary, [0], rng)
    with pytest.raises(SettingsError, match="are different positions below 2"):
        ConditionalGibbs().marginals([], np.array([]), binary, [0, 0], rng)
    with pytest.raises(DataError, match="has 3 states"):
        ConditionalGibbs().marginals([], np.array([]), mixed, [0], rng)
