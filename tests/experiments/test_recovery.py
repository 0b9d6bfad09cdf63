"""Estimators of others do what their papers say, and the search for rows needed finds them."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.experiments.experiment import Run
from graphoid.experiments.ising_recovery import IsingRecovery, Spec
from graphoid.experiments.l1_logistic import L1Logistic
from graphoid.experiments.potts_recovery import PottsRecovery, _multinomial, potts
from graphoid.experiments.recovery import Network, Recovery
from graphoid.experiments.spins import (
    PENALTY,
    Spins,
    _log_rise,
    _loss,
    _rise,
    _rple,
    couplings,
    fit,
    l0_neighbors,
    l1_neighbors,
    logistic,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

RING = gd.UndirectedGraph(5, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)])
COUPLINGS = [0.5, -0.5, -0.4, 0.6, 0.5]  # in the order of the edges
NETWORK = gd.datasets.ising(RING, COUPLINGS)
TABLE = NETWORK.sample(4_000, 3)


def test_spins_are_the_rows_with_how_often_they_are_seen():
    spins = Spins.of(TABLE)
    assert len(spins.rows) == 32
    assert spins.shares.sum() == pytest.approx(1)
    means = [2 * np.mean(TABLE.column(i)) - 1 for i in range(5)]
    assert np.allclose(spins.shares @ spins.rows, means)


@pytest.mark.parametrize("loss", [_rise, _log_rise, _rple])
def test_slopes_of_the_objectives(loss):
    rng = np.random.default_rng(0)
    margin, shares = rng.normal(size=6), rng.dirichlet(np.ones(6))
    _, slope = loss(margin, shares)
    step = 1e-6 * np.eye(6)
    numeric = [(loss(margin + s, shares)[0] - loss(margin - s, shares)[0]) / 2e-6 for s in step]
    assert np.allclose(slope, numeric, atol=1e-8)


def test_objectives_at_a_margin_worked_by_hand():
    margin, shares = np.array([0.5, -1.0]), np.array([0.25, 0.75])
    rise = 0.25 * np.exp(-0.5) + 0.75 * np.exp(1.0)
    assert _rise(margin, shares)[0] == pytest.approx(rise)
    assert _log_rise(margin, shares)[0] == pytest.approx(np.log(rise))
    assert _rple(margin, shares)[0] == pytest.approx(
        0.25 * np.log(1 + np.exp(-1.0)) + 0.75 * np.log(1 + np.exp(2.0))
    )


@pytest.mark.parametrize("objective", list(PENALTY))
def test_couplings_are_found_from_many_rows(objective):
    found = couplings(Spins.of(NETWORK.sample(200_000, 1)), objective)
    true = np.zeros((5, 5))
    for (x, y), value in zip(RING.edges, COUPLINGS, strict=True):
        true[x, y] = true[y, x] = value
    assert np.abs(found - true).max() < 0.03


@pytest.mark.parametrize("objective", list(PENALTY))
def test_penalized_minima_have_no_slope_but_the_penalty(objective):
    spins, penalty = Spins.of(TABLE), 0.05
    weights = fit(spins, 0, [1, 2, 3, 4], objective, penalty)
    loss = {"RISE": _rise, "logRISE": _log_rise, "RPLE": _rple}[objective]
    design = spins.rows[:, [0]] * np.column_stack([np.ones(len(spins.rows)), spins.rows[:, 1:]])
    slope = loss(design @ weights, spins.shares)[1] @ design
    assert abs(slope[0]) < 1e-4
    for weight, at in zip(weights[1:], slope[1:], strict=True):
        assert (
            at == pytest.approx(-penalty * np.sign(weight), abs=2e-4) if weight else abs(at) <= penalty + 1e-6
        )


def test_logistic_regressions_are_those_of_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    spins = Spins.of(TABLE)
    ours = logistic(spins, 2, [1, 3])
    model = linear_model.LogisticRegression(C=1e10, tol=1e-10, max_iter=1_000)
    model.fit(spins.rows[:, [1, 3]], spins.rows[:, 2], sample_weight=spins.shares * spins.n_rows)
    # log odds of a spin are twice its local field
    assert np.allclose(2 * ours, [model.intercept_[0], *model.coef_[0]], atol=1e-4)


def test_l1_regressions_choose_as_the_ones_of_scikit_learn_do():
    pytest.importorskip("sklearn")
    table = gd.datasets.ising(gd.datasets.random_graph(10, 2, 4), 0.4).sample(1_500, 4)
    found = dict(enumerate(l1_neighbors(Spins.of(table))))
    ours = gd.UndirectedGraph.from_blankets(found, table.names, rule="both")
    assert gd.compare(ours, L1Logistic().graph(table)).hamming <= 1  # what is just above zero differs


def test_l0_regressions_find_the_best_set_of_its_size():
    table = gd.datasets.ising(gd.datasets.random_graph(8, 3, 2), 0.3).sample(400, 5)
    spins = Spins.of(table)
    for i, of in enumerate(l0_neighbors(spins)):
        others = [j for j in range(8) if j != i]
        best = min(
            combinations(others, len(of)), key=lambda some: _loss(spins, i, some, logistic(spins, i, some))
        )
        assert tuple(of) == best


def test_l0_regressions_choose_as_abess_does():
    abess = pytest.importorskip("abess")
    table = gd.datasets.ising(gd.datasets.random_graph(10, 2, 4), 0.4).sample(1_500, 4)
    spins = np.array([table.column(i) for i in range(10)]).T
    for i, of in enumerate(l0_neighbors(Spins.of(table))):
        others = [j for j in range(10) if j != i]
        model = abess.LogisticRegression(ic_type="gic")
        model.fit(2.0 * spins[:, others] - 1, spins[:, i])
        assert [j for j, weight in zip(others, model.coef_.ravel(), strict=True) if weight] == of


def test_multinomial_regressions_are_those_of_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    table = potts(gd.datasets.grid_graph(2), 4, np.random.default_rng(1)).sample(2_000, 2)
    onehot = [(table.column(i)[:, None] == np.arange(4)).astype(float) for i in range(3)]
    design = np.concatenate([np.ones((2_000, 1)), onehot[1], onehot[2]], axis=1)
    ours = design @ _multinomial(design, onehot[0], np.full(2_000, 1 / 2_000), 4, 0.0)
    model = linear_model.LogisticRegression(C=1e8, tol=1e-10, max_iter=5_000).fit(
        design[:, 1:], table.column(0)
    )
    theirs = model.decision_function(design[:, 1:])
    assert (
        np.abs((ours - ours.mean(1, keepdims=True)) - (theirs - theirs.mean(1, keepdims=True))).max() < 0.01
    )


def test_weights_of_potts_networks_are_even():
    network = potts(gd.datasets.grid_graph(3), 6, np.random.default_rng(0))
    assert len(network.factors) == 12
    for factor in network.factors:
        assert {*np.abs(factor.log_values).ravel()} == {0.2}
        assert np.allclose(factor.log_values.sum(0), 0)
        assert np.allclose(factor.log_values.sum(1), 0)


class Threshold(Recovery):
    """Methods that need a number of rows that is known."""

    NAME = "threshold"
    TITLE = "Rows needed"
    METHODS: ClassVar[Mapping[str, object]] = {
        "gd.learn": lambda table, _: RING.edges if table.n_rows >= 300 else (),
        "later": lambda table, _: RING.edges if table.n_rows >= 1_300 else (),
        "never": lambda table, _: (),
    }

    def about(self):
        return "Nothing."

    def networks(self, run):
        del run
        return {"ring": Network(RING, NETWORK.sample, 0.2)}


def test_the_search_finds_the_first_number_of_the_grid_that_is_enough():
    found = Threshold(repetitions=6, most_rows=3_000).run(seed=2)
    # of 10 ** (k / 10), 316 is the first from 300 on, and 1,585 the first from 1,300 on
    assert found.rows == (
        ("ring", "gd.learn", 316, 6, "fewest"),
        ("ring", "later", 1_585, 0, "more"),
        ("ring", "never", None, 0, "more than were tried"),
    )
    assert "on 1 of 1 networks; on 1 every other" in found.notes[-1]


def test_a_difference_of_a_step_or_of_few_data_sets_is_none():
    recovery = Threshold(repetitions=45)
    assert recovery._verdict(398, 316, 44) == "a step more"
    assert recovery._verdict(501, 316, 41) == "more, within two standard errors"
    assert recovery._verdict(501, 316, 40) == "more"
    assert recovery._verdict(np.inf, 316, 41) == "more than were tried, within two standard errors"
    assert (
        recovery._verdict(np.inf, 316, 40)
        == recovery._verdict(np.inf, np.inf, None)
        == "more than were tried"
    )


def test_a_method_that_does_not_exist_is_refused():
    with pytest.raises(SettingsError, match="'RISEN'; there are"):
        IsingRecovery(methods=("RISEN",)).run()


def test_data_sets_are_the_same_for_every_method_and_differ_from_each_other():
    spec, run = Spec("regular", 6, 3, 0.4, signs=True), Run(seed=4)
    assert spec.network(run).graph == spec.network(run).graph
    assert {len(spec.network(run).graph.blanket(x)) for x in range(6)} == {3}
    first, again, other = (
        IsingRecovery(specs=(spec,)).networks(run)[spec.name].sample(50, run.stream(i)) for i in (1, 1, 2)
    )
    assert first.data_id == again.data_id != other.data_id


def test_small_runs_have_a_row_for_every_network_and_method():
    few = {"repetitions": 1, "steps": 2, "most_rows": 500}
    ising = IsingRecovery(specs=(Spec("grid", 4, 2, 0.5),), **few).run(seed=1)
    assert [row[1] for row in ising.rows] == list(IsingRecovery.METHODS)
    assert any(row[2] for row in ising.rows)
    found = PottsRecovery(arities=(2,), side=2, methods=("gd.learn", "group l1 logistic"), **few).run(seed=1)
    assert len(found.rows) == 2
