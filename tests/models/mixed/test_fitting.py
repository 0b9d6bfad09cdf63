"""Weights of mixed models from tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import graphoid as gd
from graphoid.data.table import Table, Weights
from graphoid.data.variables import Variable
from graphoid.errors import DiscretizedWarning, SettingsError
from graphoid.models.maximum_pseudo_likelihood import L1, L2, CrossValidated
from graphoid.models.mixed.fitting import maximize, scales_of
from graphoid.models.mixed.likelihood import PairwiseLikelihood, distinct_rows
from tests.support.mixed import KINDS, MIXED_GRAPH, mixed_table, plain_log_density, random_model


def drawn(model: gd.MixedNetwork, n: int, seed: int) -> PairwiseLikelihood:
    """Return the likelihood of rows drawn from a model, its scores as they are."""
    rows = model.sample(n, seed)
    values = np.column_stack(
        [
            rows.numbers(x) if v.continuous else rows.column(x).astype(float)
            for x, v in enumerate(model.variables)
        ]
    )
    return PairwiseLikelihood(model.layout, distinct_rows(values, np.ones(n, dtype=np.int64), 1.0))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_weights_of_a_known_model_come_back(seed: int):
    model = random_model(seed)
    fit = maximize(drawn(model, 5_000, seed + 10), L2(1e-6))
    assert fit.converged
    off = (fit.weights - model.weights) / fit.standard_errors
    assert np.abs(off).max() < 4.0
    assert 0.4 < np.sqrt((off**2).mean()) < 1.7  # errors are neither too small nor too large


def test_weights_are_where_the_definition_has_its_maximum():
    model = random_model(3)
    likelihood = drawn(model, 60, 0)
    values, layout = likelihood.rows.values, model.layout

    def loss(w: np.ndarray) -> float:
        """The sum over rows and variables of log f(x | others), each by summing or Gauss's integral."""
        other = type(model)(model.variables, weights=w, scales=model.scales, pairs=model.pairs)
        total = -0.5 * (w**2).sum()
        for x, v in enumerate(model.variables):
            here = plain_log_density(other, values)
            if v.continuous:
                # a parabola in x through three points: its integral is known
                three = []
                for z in (-1.0, 0.0, 1.0):
                    changed = values.copy()
                    changed[:, x] = z
                    three.append(plain_log_density(other, changed))
                a = (three[0] + three[2]) / 2 - three[1]
                b = (three[2] - three[0]) / 2
                total += (here - (three[1] - b**2 / (4 * a) + 0.5 * np.log(np.pi / -a))).sum()
            else:
                each = []
                for state in range(v.arity):
                    changed = values.copy()
                    changed[:, x] = state
                    each.append(plain_log_density(other, changed))
                total += (here - np.logaddexp.reduce(each)).sum()
        precision = layout.precision(w)
        return -(total + 0.5 * np.linalg.slogdet(precision)[1] - 0.5 * np.trace(precision))

    fit = maximize(likelihood, L2(1.0))
    assert fit.objective == pytest.approx(-loss(fit.weights), abs=1e-8)
    for move in 1e-5 * np.eye(len(fit.weights)):  # it is flat there
        slope = (loss(fit.weights + move) - loss(fit.weights - move)) / 2e-5
        assert slope == pytest.approx(0, abs=1e-5)
    assert loss(fit.weights + 0.01) > loss(fit.weights)


def test_gaussian_tables_have_the_precision_of_their_scores():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(4000, 3)) @ np.array([[1, 0.6, 0], [0, 1, 0.5], [0, 0, 1.0]])
    variables = tuple(Variable(f"z{i}", ()) for i in range(3))
    table = Table(variables, (None,) * 3, 4000, dict(enumerate(z.T.copy())))
    whole = gd.UndirectedGraph(table.names, [(0, 1), (0, 2), (1, 2)])
    model = gd.MarkovNetwork.fit(whole, table, penalty=0.0)
    scales = scales_of(table)
    scores = np.column_stack([scales[i].encode(z[:, i]) for i in range(3)])
    # on a complete graph pseudo-likelihood and likelihood agree in the limit: the inverse of correlations
    np.testing.assert_allclose(model.precision, np.linalg.inv(np.cov(scores.T)), atol=0.02)


def test_l1_leaves_out_and_cross_validation_chooses():
    table = mixed_table(400, 0)
    complete = gd.UndirectedGraph(table.names, [(x, y) for y in range(5) for x in range(y)])
    strict = gd.MarkovNetwork.fit(complete, table, penalty=L1(20.0))
    assert isinstance(strict, gd.MixedNetwork)
    pairs = strict.weights[strict.layout.first_pair :]
    assert 0 < (pairs == 0).sum() < len(pairs)
    point = strict.estimated.likelihood.at(strict.weights)
    zero = strict.weights == 0
    assert np.abs(point.gradient[zero]).max() <= 20.0 + 1e-4
    np.testing.assert_allclose(point.gradient[~zero], 20.0 * np.sign(strict.weights[~zero]), atol=1e-4)
    assert np.isnan(strict.standard_errors[zero]).all()
    chosen = gd.MarkovNetwork.fit(complete, table, penalty=CrossValidated((L2(1e4), L2(3.0)), n_folds=3))
    assert chosen.provenance["penalty"] == {"name": "L2", "strength": 3.0}


def test_order_of_rows_and_weights_change_nothing():
    table = mixed_table(200, 1)
    model = gd.MarkovNetwork.fit(MIXED_GRAPH, table)
    order = np.random.default_rng(0).permutation(200)
    shuffled = replace(
        table,
        columns=tuple(None if c is None else c[order].copy() for c in table.columns),
        values={x: v[order].copy() for x, v in table.values.items()},
    )
    again = gd.MarkovNetwork.fit(MIXED_GRAPH, shuffled)
    np.testing.assert_array_equal(model.weights, again.weights)
    twice = replace(table, weights=Weights.of(np.where(np.arange(200) < 50, 2.0, 1.0)))
    rows = np.concatenate([np.arange(200), np.arange(50)])
    repeated = replace(
        table,
        n_rows=250,
        columns=tuple(None if c is None else c[rows].copy() for c in table.columns),
        values={x: v[rows].copy() for x, v in table.values.items()},
    )
    weighted = gd.MarkovNetwork.fit(MIXED_GRAPH, twice)
    np.testing.assert_allclose(
        weighted.weights, gd.MarkovNetwork.fit(MIXED_GRAPH, repeated).weights, atol=1e-9
    )
    assert weighted.pseudo_log_likelihood(twice) == pytest.approx(weighted.pseudo_log_likelihood(repeated))


def ordered_pair(bend: bool, n: int = 600) -> Table:
    rng = np.random.default_rng(4)
    level = rng.integers(0, 5, n)
    mean = (level - 2.0) ** 2 if bend else 1.0 * level
    z = mean + rng.normal(size=n)
    variables = (Variable("level", tuple(range(5)), ordered=True), Variable("z", ()))
    return Table(variables, (level.astype(np.uint8), None), n, {1: z})


def test_ordered_variables_bend_only_where_the_data_ask_for_it():
    graph = gd.UndirectedGraph(["level", "z"], [(0, 1)])
    straight = gd.MarkovNetwork.fit(graph, ordered_pair(bend=False))
    assert len(straight.pairs) == 1
    bent = gd.MarkovNetwork.fit(graph, ordered_pair(bend=True))
    assert len(bent.pairs) == 4
    means = [bent.query("z", {"level": k}).mean for k in range(5)]
    assert means[0] > means[1] > means[2] < means[3] < means[4]


def test_nominal_variables_are_joined_by_all_contrasts():
    table = mixed_table(300, 2)
    model = gd.MarkovNetwork.fit(MIXED_GRAPH, table)
    assert set(model.graph.edges) == set(MIXED_GRAPH.edges)
    tables = model.interaction("color", "age")
    assert tables.shape == (3, 1)
    assert tables.sum() == pytest.approx(0)
    assert tables[1, 0] == tables.max()  # green ones are older
    assert model.interaction("age", "size").shape == (1, 1)
    assert model.interaction("age", "size")[0, 0] == pytest.approx(-model.precision[0, 1])


def test_the_right_graph_explains_new_rows_better():
    table, new = mixed_table(500, 3), mixed_table(500, 4)
    right = gd.MarkovNetwork.fit(MIXED_GRAPH, table).pseudo_log_likelihood(new)
    empty = gd.MarkovNetwork.fit(gd.UndirectedGraph(table.names), table).pseudo_log_likelihood(new)
    assert right > empty + 100


def test_what_is_not_fitted_says_so():
    table = mixed_table(50, 0)
    with pytest.raises(SettingsError, match="one with numbers is fitted by method='pseudo'"):
        gd.MarkovNetwork.fit(MIXED_GRAPH, table, method="exact")
    with pytest.warns(DiscretizedWarning, match="'age', 'size', 'visits' hold numbers"):
        cut = gd.MarkovNetwork.fit([((0, 1),)], table)  # features speak of states
    assert not isinstance(cut, gd.MixedNetwork)
    with pytest.raises(SettingsError, match="a penalty's strength"):
        gd.MarkovNetwork.fit(MIXED_GRAPH, table, penalty=-1.0)
    assert len(KINDS) == 4
