"""Samples against exact marginals, chains against each other, and the kernel against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from graphoid.models import estimate, gibbs, gibbs_multistate
from graphoid.models.estimate import r_hat
from graphoid.models.factors import Factor
from graphoid.models.gibbs import GibbsSampler
from graphoid.models.gibbs_multistate import run_chains, state_conditionals
from tests.support.networks import agreeing, enumerated, grid, marginal, random_network, variables_of
from tests.support.tables import needs_kernels

STATES = random_network(1, 6, arity=4, strength=0.7)
BINARY = random_network(2, 6, arity=2, strength=0.7)
HUB = gd.MarkovNetwork(  # six neighbors of four states: too many configurations for one table
    variables_of([4] * 7),
    factors=tuple(Factor((0, v), np.random.default_rng(v).normal(size=(4, 4)) * 0.5) for v in range(1, 7)),
)
LONG = gd.MarkovNetwork(  # a feature of eight variables of three states: listed, not tabulated
    variables_of([3] * 8),
    (tuple((v, v % 3) for v in range(8)), tuple((v, 0) for v in range(8)), *(((v, 1),) for v in range(8))),
    np.array([4.0, 5.0, *[0.5] * 8]),
)
MODELS = {"states": STATES, "binary": BINARY, "hub": HUB, "long": LONG}
CHAINS = GibbsSampler(burn_in=100, thin=10, n_chains=4096)


def z_scores(model: gd.MarkovNetwork, table: gd.Table, p: np.ndarray) -> np.ndarray:
    """Return how many standard errors the share of every state of every pair is off its probability."""
    found = []
    for x, y in itertools.combinations(range(p.ndim), 2):
        expected = marginal(p, [x, y]).ravel()
        cells = np.ravel_multi_index([table.column(x), table.column(y)], (p.shape[x], p.shape[y]))
        share = np.bincount(cells, minlength=expected.size) / table.n_rows
        usable = expected > 1e-4
        spread = np.sqrt(expected * (1 - expected) / table.n_rows)[usable]
        found.append((share - expected)[usable] / spread)
        assert share[expected == 0].sum() == 0
    return np.concatenate(found)


@pytest.mark.parametrize("sampler", [None, CHAINS], ids=["exact", "Gibbs"])
@pytest.mark.parametrize("name", MODELS)
def test_every_pair_has_the_frequencies_of_its_distribution(name: str, sampler: GibbsSampler | None) -> None:
    model = MODELS[name]
    table = model.sample(40_000, 0, sampler=sampler)
    z = z_scores(model, table, enumerated(model))
    # up to 500 correlated scores; rows of a chain are not quite independent, which the factor allows for
    assert np.abs(z).max() < 5.5
    assert np.sqrt((z**2).mean()) < (1.3 if sampler is None else 1.6)
    assert ("Gibbs" in table.notes[0]) == (sampler is not None)


def test_frequencies_of_another_distribution_are_told() -> None:
    table = MODELS["states"].sample(40_000, 0)
    other = random_network(1, 6, arity=4, strength=0.8)
    assert np.abs(z_scores(other, table, enumerated(other))).max() > 6


def test_exact_samples_respect_what_is_impossible() -> None:
    model = random_network(3, 6, zeros=True)
    z = z_scores(model, model.sample(40_000, 0), enumerated(model))
    assert np.abs(z).max() < 5.5


@pytest.mark.parametrize("sampler", [None, CHAINS], ids=["exact", "Gibbs"])
def test_samples_given_evidence(sampler: GibbsSampler | None) -> None:
    table = STATES.sample(20_000, 1, evidence={"v1": 1}, sampler=sampler)
    assert set(table.column("v1")) == {1}
    kept = agreeing(enumerated(STATES), np.array([-1, 1, -1, -1, -1, -1]))
    z = z_scores(STATES, table, kept / kept.sum())
    assert np.abs(z[np.isfinite(z)]).max() < 5.5


@needs_kernels
@pytest.mark.parametrize("name", ["states", "hub", "long"])
@pytest.mark.parametrize("n_rows", [1, 200])
def test_the_kernel_and_numpy_draw_the_same_sample(
    name: str, n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler = GibbsSampler(burn_in=7, thin=3, n_chains=128)
    by_kernel = MODELS[name].sample(n_rows, 5, sampler=sampler)
    monkeypatch.setattr(gibbs_multistate, "kernels", lambda: None)
    np.testing.assert_array_equal(by_kernel.codes, MODELS[name].sample(n_rows, 5, sampler=sampler).codes)


def test_tables_are_fused_where_they_fit_and_summed_where_not() -> None:
    plans = {name: state_conditionals(MODELS[name].potentials, MODELS[name].arities) for name in MODELS}
    assert plans["states"].fused.all()
    assert plans["hub"].fused.tolist() == [0, 1, 1, 1, 1, 1, 1]
    assert not plans["long"].fused.any()
    assert plans["long"].listed.size


def test_samples_depend_on_the_seed_and_not_on_threads() -> None:
    def codes(seed: int, threads: int | None) -> np.ndarray:
        return HUB.sample(300, seed, sampler=GibbsSampler(burn_in=5, threads=threads)).codes

    np.testing.assert_array_equal(codes(0, 1), codes(0, 3))
    assert (codes(0, 1) != codes(1, 1)).any()
    np.testing.assert_array_equal(HUB.sample(50, 3).codes, HUB.sample(50, 3).codes)


def test_a_model_too_wide_for_a_tree_is_sampled_by_chains() -> None:
    factors = tuple(Factor(edge, 0.2 * np.eye(2)) for edge in grid(6, 6))
    model = gd.MarkovNetwork(variables_of([2] * 36), factors=factors, max_cells=32)
    table = model.sample(1_280, 0)
    assert "Gibbs" in table.notes[0]
    assert abs(table.codes.mean() - 0.5) < 0.03
    found = model.estimate([0, 1], random_state=0)
    assert found.probabilities.sum() == pytest.approx(1)
    assert found.r_hat < 1.05
    expected = gd.MarkovNetwork(model.variables, factors=factors).query([0, 1])
    assert (np.abs(found.probabilities - expected) < 4.5 * found.standard_error).all()


def test_estimates_are_within_their_errors() -> None:
    expected = STATES.query(["v0", "v2"], {"v4": 1})
    found = STATES.estimate(["v0", "v2"], {"v4": 1}, random_state=0)
    assert (np.abs(found.probabilities - expected) < 4.5 * found.standard_error + 1e-12).all()
    assert found.standard_error.max() < 0.01
    assert found.r_hat < 1.02
    assert 1_000 < found.effective_size <= found.n_rows == 64_000
    assert "R-hat 1.0" in repr(found)
    np.testing.assert_allclose(STATES.estimate("v4", {"v4": 1}).probabilities, [0, 1, 0, 0])


def test_errors_of_estimates_are_the_spread_of_repeated_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "SWEEPS", 100)
    sampler = GibbsSampler(burn_in=50, thin=1, n_chains=64)
    found = [BINARY.estimate("v0", sampler=sampler, random_state=seed) for seed in range(30)]
    spread = np.std([f.probabilities[1] for f in found], ddof=1)
    told = np.mean([f.standard_error[1] for f in found])
    assert 0.6 < spread / told < 1.6  # thirty repetitions give the spread to an eighth


def test_chains_that_do_not_meet_are_told() -> None:
    stuck = gd.MarkovNetwork(variables_of([2, 2]), factors=(Factor((0, 1), 20.0 * np.eye(2)),))
    assert stuck.estimate(0, random_state=0).r_hat > 2


def test_r_hat_by_hand() -> None:
    # four halves of length 5, in the cell 1, 2, 3 and 4 times: W = (4 + 6 + 6 + 4) / 25 / 4 * 5 / 4 = 1 / 4;
    # the variance of 0.2, 0.4, 0.6, 0.8 is 0.2 / 3
    shares = np.array([0.2, 0.4, 0.6, 0.8]).reshape(2, 2, 1)
    assert r_hat(shares, 5) == pytest.approx(np.sqrt(4 / 5 + 0.2 / 3 / 0.25))
    both = np.concatenate([shares, 1 - shares], axis=2)
    assert r_hat(both, 5) == pytest.approx(r_hat(shares, 5))
    assert r_hat(np.ones((2, 3, 1)), 5) == pytest.approx(np.sqrt(4 / 5))  # all agree
    assert (
        r_hat(np.array([0.0, 1.0, 0.0, 1.0]).reshape(2, 2, 1), 5) == np.inf
    )  # nobody moves, and they differ


def test_what_cannot_be_sampled_is_refused() -> None:
    model = random_network(3, 6, zeros=True)
    with pytest.raises(SettingsError, match="impossible"):
        model.sample(10, 0, sampler=GibbsSampler())
    with pytest.raises(SettingsError, match="cannot be -1"):
        model.sample(-1)
    with pytest.raises(SettingsError, match="one row of evidence"):
        model.sample(1, evidence={"v0": [0, 1]})
    with pytest.raises(SettingsError, match="one row of evidence"):
        model.estimate("v0", {"v1": [0, 1]})
    with pytest.raises(SettingsError, match="thin is 0"):
        STATES.sample(5, sampler=GibbsSampler(thin=0))
    impossible = gd.MarkovNetwork(variables_of([2]), factors=(Factor((0,), np.array([0.0, -np.inf])),))
    with pytest.raises(DataError, match="probability zero"):
        impossible.sample(3, evidence={0: 1})
    assert model.sample(0, 0).n_rows == 0
    assert STATES.sample(0, 0, sampler=GibbsSampler()).n_rows == 0


def test_chains_start_from_all_states_alike() -> None:
    drawn = run_chains((), [4, 3], GibbsSampler(burn_in=0, n_chains=4096), 1, np.random.default_rng(0))
    for states, arity in zip(drawn[:, 0], [4, 3], strict=True):
        counts = np.bincount(states, minlength=arity)
        assert np.abs(counts - 4096 / arity).max() < 5 * np.sqrt(4096 / arity)
    assert gibbs.GROUP == 64
