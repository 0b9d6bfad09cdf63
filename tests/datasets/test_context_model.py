"""The simulation in which dependences have a switch: what it promises, by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from graphoid import datasets
from graphoid.errors import SettingsError


@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize("theta", [1.0, -0.5])
def test_log_odds_ratios_given_all_others(n, theta):
    log_p = np.log(datasets.context_model(n, rng=7, theta=theta).probabilities)
    for a, b in itertools.combinations(range(n), 2):
        moved = np.moveaxis(log_p, (a, b), (0, 1)).reshape(2, 2, -1)
        ratios = (moved[0, 0] + moved[1, 1] - moved[0, 1] - moved[1, 0]).reshape((2,) * (n - 2))
        if a == 0:  # with the switch the interactions of the others come and go
            continue
        # the first axis left is that of the switch
        np.testing.assert_allclose(ratios[0], theta)
        np.testing.assert_allclose(ratios[1], 0, atol=1e-12)


def ratios_with_the_switch(network):
    """The log-odds ratio of the switch and each other variable, in every state of the rest."""
    log_p = np.log(network.probabilities)
    for b in range(1, network.graph.n):
        moved = np.moveaxis(log_p, (0, b), (0, 1)).reshape(2, 2, -1)
        yield moved[0, 0] + moved[1, 1] - moved[0, 1] - moved[1, 0]


@pytest.mark.parametrize(("n", "theta"), [(3, 1.0), (4, 1.0), (7, 1.0), (6, -0.5)])
def test_the_switch_depends_on_everyone_in_every_context(n, theta):
    for ratios in ratios_with_the_switch(datasets.context_model(n, rng=1, theta=theta)):
        assert ratios.min() == pytest.approx(abs(theta) / 2)
        assert ratios.max() == pytest.approx(abs(theta) * (n - 1.5))


def test_a_weak_pull_is_balanced_somewhere():
    # of four others three are 1 and one is 0: they pull with 2 / 2, and the switch with 1
    for ratios in ratios_with_the_switch(datasets.context_model(6, rng=1, pull=1.0)):
        assert np.isclose(ratios, 0, atol=1e-12).sum() == 4


@pytest.mark.parametrize("n", [3, 6, 10])
def test_the_log_odds_of_the_switch_are_its_own(n):
    p = datasets.context_model(n, rng=5, theta=0.8).probabilities.reshape(2, -1).sum(axis=1)
    assert np.log(p[1] / p[0]) == pytest.approx(np.random.default_rng(5).uniform(-1, 1, n)[0])


def test_samples_and_seeds():
    network = datasets.context_model(6, rng=3)
    table = network.sample(20_000, random_state=4)
    assert table.names == ("0", "1", "2", "3", "4", "5")
    observed = np.zeros((2,) * 6)
    np.add.at(observed, tuple(table.codes.T.astype(int)), 1 / 20_000)
    assert abs(observed - network.probabilities).max() < 0.01
    again = datasets.context_model(6, rng=3)
    np.testing.assert_array_equal(again.probabilities, network.probabilities)
    assert not np.array_equal(datasets.context_model(6, rng=4).probabilities, network.probabilities)


def test_the_terms_make_up_the_distribution():
    network = datasets.context_model(4, rng=0)
    states = np.indices((2,) * 4).reshape(4, -1).T
    features = np.array([[all(s[v] == code for v, code in term) for term in network.terms] for s in states])
    log_p = np.log(network.probabilities.ravel())
    design = np.column_stack([features, np.ones(len(states))])
    residual = log_p - design @ np.linalg.lstsq(design, log_p, rcond=None)[0]
    assert abs(residual).max() < 1e-9


@pytest.mark.parametrize("n", [2, 0, -1, 4.0, True, "6"])
def test_too_few_variables_are_refused(n):
    with pytest.raises(SettingsError, match="three variables or more"):
        datasets.context_model(n, rng=0)
