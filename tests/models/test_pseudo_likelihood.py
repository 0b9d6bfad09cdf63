"""The pseudo-likelihood against enumeration of joint states, its derivatives against finite differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from graphoid.errors import DataError, SettingsError
from graphoid.models import pseudo_likelihood as module
from graphoid.models.pseudo_likelihood import DistinctRows, PseudoLikelihood
from tests.support.tables import needs_kernels, random_table, table_of

ARITIES = (2, 3, 2, 4)
FEATURES = [
    ((0, 1),),
    ((1, 2),),
    ((2, 0),),
    ((0, 1), (1, 0)),
    ((0, 0), (2, 1)),
    ((1, 1), (3, 3)),
    ((0, 1), (1, 2), (3, 0)),
    ((0, 0), (1, 1), (2, 1), (3, 2)),
]
WEIGHTS = np.array([0.3, -0.7, 0.2, 1.1, -0.4, 0.9, -1.3, 2.0])


def enumerated(features, weights, arities, rows, counts):
    """Return the log pseudo-likelihood from the joint probabilities of all states, by the definition."""
    p = {}
    for x in itertools.product(*map(range, arities)):
        p[x] = np.exp(sum(w for f, w in zip(features, weights, strict=True) if all(x[v] == s for v, s in f)))
    total = 0.0
    for row, count in zip(rows, counts, strict=True):
        for v in range(len(arities)):
            alike = [p[(*row[:v], state, *row[v + 1 :])] for state in range(arities[v])]
            total += count * np.log(p[tuple(row)] / sum(alike))
    return total


@pytest.fixture(params=["kernel", "numpy"])
def way(request, monkeypatch):
    if request.param == "numpy":
        monkeypatch.setattr(module, "kernels", lambda: None)
    elif module.kernels() is None:
        pytest.skip("the compiled kernels are missing or switched off")
    return request.param


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_the_value_is_that_of_enumeration(way, weights):
    table = random_table(300, ARITIES, seed=1, weights=weights)
    counts = np.ones(300) if table.weights is None else table.weights.values
    found = PseudoLikelihood(FEATURES, table).value(WEIGHTS)
    expected = enumerated(FEATURES, WEIGHTS, ARITIES, table.codes.tolist(), counts)
    assert found == pytest.approx(expected, rel=1e-12)


def test_two_coins_by_hand(way):
    # one feature, both heads, weight log 2: P = (1, 1, 1, 2) / 5 for TT, TH, HT, HH;
    # a row HH has log(2/3) from each coin, a row TT log(1/2) from each
    table = table_of([[1, 0, 0], [1, 0, 0]], [2, 2])
    likelihood = PseudoLikelihood([((0, 1), (1, 1))], table)
    value, gradient = likelihood.value_and_gradient(np.log([2.0]))
    assert value == pytest.approx(2 * np.log(2 / 3) + 4 * np.log(1 / 2))
    # each coin of the row HH: 1 - 2/3; of the rows TT the feature cannot hold
    assert gradient == pytest.approx([2 / 3])


def test_derivatives_are_those_of_finite_differences(way):
    likelihood = PseudoLikelihood(FEATURES, random_table(500, ARITIES, seed=2, weights="fractional"))
    gradient = likelihood.value_and_gradient(WEIGHTS)[1]
    step = 1e-5
    for f, along in enumerate(np.eye(len(FEATURES)) * step):
        above, below = (likelihood.value_and_gradient(WEIGHTS + s * along) for s in (1, -1))
        assert gradient[f] == pytest.approx((above[0] - below[0]) / (2 * step), rel=1e-6, abs=1e-5)
        product = likelihood.hessian_product(WEIGHTS, along / step)
        assert product == pytest.approx((above[1] - below[1]) / (2 * step), rel=1e-5, abs=1e-5)


def test_row_gradients_add_up_to_the_gradient(way):
    rows = DistinctRows(random_table(200, ARITIES, seed=3, weights="whole"))
    likelihood = PseudoLikelihood(FEATURES, rows)
    sums = rows.weights @ likelihood.row_gradients(WEIGHTS)
    assert sums == pytest.approx(likelihood.value_and_gradient(WEIGHTS)[1])


def test_features_outside_have_the_derivatives_they_would_have_with_weight_zero(way):
    rows = DistinctRows(random_table(200, ARITIES, seed=4))
    inside, outside = PseudoLikelihood(FEATURES[:5], rows), PseudoLikelihood(FEATURES[5:], rows)
    whole, weights = PseudoLikelihood(FEATURES, rows), np.array([*WEIGHTS[:5], 0, 0, 0])
    slope, curvature = inside.derivatives_of(outside, WEIGHTS[:5])
    assert slope == pytest.approx(whole.value_and_gradient(weights)[1][5:])
    hessian = np.array([whole.hessian_product(weights, along) for along in np.eye(len(FEATURES))])
    assert curvature == pytest.approx(np.diag(hessian)[5:])
    assert inside.only(np.array([1, 3])).features == (FEATURES[1], FEATURES[3])


def test_equal_rows_are_merged():
    rows = DistinctRows(table_of([[0, 1, 0, 1], [1, 1, 1, 0]], weights=[2, 1, 3, 0]))
    assert [column.tolist() for column in rows.columns] == [[0, 1], [1, 1]]
    assert rows.weights.tolist() == [5.0, 1.0]


@needs_kernels
@pytest.mark.parametrize("n_rows", [1, 63, 512, 5_000])
def test_the_kernel_agrees_with_numpy(n_rows):
    arities = (2, 2, 3, 2, 5, 2, 2, 300)
    table = random_table(n_rows, arities, seed=5, weights="fractional" if n_rows > 63 else None)
    rng = np.random.default_rng(n_rows)
    features = [
        tuple(
            (int(v), int(rng.integers(min(arities[v], 6))))
            for v in np.sort(rng.choice(len(arities), rng.integers(1, 5), replace=False))
        )
        for _ in range(80)
    ]
    likelihood = PseudoLikelihood(features, table)
    weights, along = rng.normal(scale=3.0, size=(2, len(features)))
    for direction in (None, along):
        value, out = likelihood._evaluate(weights, direction, likelihood)
        expected = module._evaluate(likelihood, weights, direction, likelihood)
        assert value == pytest.approx(expected[0], rel=1e-12)
        np.testing.assert_allclose(out, expected[1], rtol=1e-10, atol=1e-10 * n_rows)


@needs_kernels
def test_large_logits_stay_finite():
    table = table_of([[0, 1, 1], [1, 0, 1]])
    for weight in (50.0, -800.0, 2_000.0):
        likelihood = PseudoLikelihood([((0, 1),), ((0, 1), (1, 1))], table)
        value, gradient = likelihood.value_and_gradient(np.array([weight, -weight / 2]))
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


@needs_kernels
def test_the_sums_do_not_depend_on_threads():
    table = random_table(3_000, (2, 3, 2, 2, 4, 2), seed=6)
    features = [((u, 1), (v, 1)) for u, v in itertools.combinations(range(6), 2)]
    weights = np.linspace(-1, 1, len(features))
    one, many = (PseudoLikelihood(features, table, threads=t).value_and_gradient(weights) for t in (1, 5))
    assert one[0] == many[0]
    np.testing.assert_array_equal(one[1], many[1])


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ((), "one or more different variables"),
        (((0, 1), (0, 0)), "one or more different variables"),
        (((0, 2),), "has 2 states"),
        (((7, 0),), "there are 4 variables"),
    ],
)
def test_a_feature_that_cannot_be_is_refused(feature, message):
    with pytest.raises(SettingsError, match=message):
        PseudoLikelihood([feature], random_table(10, ARITIES))


def test_a_table_without_weight_is_refused():
    with pytest.raises(DataError, match="no rows with weight"):
        DistinctRows(table_of([[0, 1]], weights=[0, 0]))
