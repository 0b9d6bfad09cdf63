"""The density learner: it finds the features behind the data, and stops where they do not pay."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from graphoid.models.pseudo_likelihood import PseudoLikelihood
from tests.support.tables import needs_kernels, random_table, table_of

N = 7
TRIPLE = ((0, 1), (1, 1), (2, 0))
TRUE = {((v, 1),): 0.2 * (v - 3) for v in range(N)} | {
    TRIPLE: 2.5,
    ((3, 1), (4, 1)): 1.5,
    ((5, 1), (6, 1)): -1.0,
}


def sampled(n_rows, seed, features=TRUE, arities=(2,) * N):
    """Return rows drawn from the joint distribution of a log-linear model, by enumeration."""
    states = list(itertools.product(*map(range, arities)))
    p = np.exp([sum(w for f, w in features.items() if all(x[v] == s for v, s in f)) for x in states])
    rows = np.random.default_rng(seed).choice(len(states), size=n_rows, p=p / p.sum())
    return table_of(np.array(states)[rows].T, arities)


def loss(model, table):
    likelihood = PseudoLikelihood(model.features, table)
    return -likelihood.value(model.weights) / table.n_rows / len(table.variables)


@needs_kernels
def test_a_conjunction_behind_the_data_is_found():
    train, valid, test = sampled(4_000, 1), sampled(2_000, 2), sampled(4_000, 3)
    learner = gd.DensityLearner(strengths=(50.0, 20.0)).fit(train, valid)
    pairs = gd.DensityLearner(strengths=(50.0, 20.0), max_order=2).fit(train, valid)
    assert {len(f) for f in pairs.model_.features} == {1, 2}
    assert max(map(len, learner.model_.features)) > 2
    # the model behind the rows is the best there is; pairs alone cannot come near it
    true = loss(gd.MarkovNetwork(train.variables, tuple(TRUE), np.array(list(TRUE.values()))), test)
    assert loss(learner.model_, test) < true + 0.25 * (loss(pairs.model_, test) - true)
    assert loss(pairs.model_, test) > true + 0.004


@needs_kernels
def test_independent_variables_get_no_pairs():
    features = {((v, 1),): 0.3 * v for v in range(N)}
    learner = gd.DensityLearner().fit(sampled(2_000, 4, features), sampled(1_000, 5, features))
    large = [w for f, w in zip(learner.model_.features, learner.model_.weights, strict=True) if len(f) > 1]
    assert np.square(large).sum() < 0.3  # of 22 noisy pairs; one true pair alone has more


@needs_kernels
def test_stages_tell_the_search_and_the_best_is_kept():
    train, valid = sampled(1_500, 6), sampled(700, 7)
    learner = gd.DensityLearner(max_rounds=4).fit(train, valid)
    stages = learner.stages_
    assert [s.strength for s in stages[:2]] == [100.0, 50.0]
    assert {s.name for s in stages} >= {"pairs", "round 1"}
    accepted = min(stages, key=lambda s: s.validation)
    assert loss(learner.model_, valid) == pytest.approx(accepted.validation, abs=learner.patience)
    assert (learner.model_.weights != 0).all()
    reached = [s for s in stages if s.n_features == len(learner.model_.features)]
    assert loss(learner.model_, train) == pytest.approx(reached[-1].training)


@needs_kernels
def test_variables_of_several_states_and_any_number_of_threads():
    arities = (3, 2, 4, 2)
    features = {((0, 2), (1, 1)): 1.5, ((0, 1), (2, 3)): 1.2, ((1, 1), (2, 0), (3, 1)): 1.5}
    tables = sampled(3_000, 8, features, arities), sampled(1_500, 9, features, arities)
    one, two = (gd.DensityLearner(threads=t).fit(*tables).model_ for t in (1, 2))
    assert one.features == two.features
    np.testing.assert_array_equal(one.weights, two.weights)
    true = gd.MarkovNetwork(tables[0].variables, tuple(features), np.array(list(features.values())))
    assert true.kl(one) < 0.02


def test_progress_is_told():
    heard = []
    gd.DensityLearner(strengths=(9.0, 5.0), max_rounds=1).fit(
        sampled(200, 1), sampled(100, 2), progress=heard.append
    )
    assert {step.phase for step in heard} == {"pairs", "conjunctions"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"strengths": ()}, "strengths must be positive"),
        ({"strengths": (1.0, 0.0)}, "strengths must be positive"),
        ({"max_order": 1}, "max_order is 1"),
        ({"n_joining": 0.5}, "n_joining is 0.5"),
        ({"caution": 0.0}, "caution is 0.0"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(SettingsError, match=message):
        gd.DensityLearner(**settings).fit(sampled(50, 1), sampled(50, 2))


def test_tables_of_different_variables_are_refused():
    with pytest.raises(DataError, match="differ in their variables or states"):
        gd.DensityLearner().fit(random_table(50, (2, 2)), random_table(50, (2, 3)))
