"""The evidence of logistic models: against numerical integration, and what may not change it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import integrate, optimize

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import SettingsError
from graphoid.regression.objective import LaplaceEvidence

RNG = np.random.default_rng(20)


def simulated(states: int, n: int = 4, rows: int = 300) -> gd.Table:
    codes = RNG.integers(0, states, size=(rows, n))
    codes[:, 1] = np.where(RNG.random(rows) < 0.6, codes[:, 0], codes[:, 1])
    codes[:, 3] = np.where(RNG.random(rows) < 0.7, (codes[:, 1] + codes[:, 2]) % states, codes[:, 3])
    codes[:states] = np.arange(states)[:, None]  # every state occurs
    return gd.read(codes, discretize=None)


def log_likelihood(table: gd.Table, constant: float, effect: float) -> float:
    """Of the first of two binary variables given the second, as written in the docstring, row by row."""
    x, y = table.codes[:, 0], table.codes[:, 1]
    unit = math.sqrt(0.5)
    eta = constant + effect * np.where(y == 0, unit, -unit)
    utility = np.stack([unit * eta, -unit * eta])
    return float((utility[x, np.arange(len(x))] - np.logaddexp(*utility)).sum())


def test_laplace_is_near_the_integral_over_all_effects() -> None:
    table = gd.read(np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [40, 25, 20, 35], axis=0))
    score = gd.LogLinearEvidence(order=2, ess=None, scale=1.5)
    top = log_likelihood(table, 0, 0)

    def density(constant: float, effect: float) -> float:
        prior = -0.5 * ((constant / 7.5) ** 2 + (effect / 1.5) ** 2) - math.log(2 * math.pi * 7.5 * 1.5)
        return math.exp(log_likelihood(table, constant, effect) - top + prior)

    whole, _ = integrate.dblquad(density, -3, 3, -3, 3)
    assert score.on(table).local(0, 0b10) == pytest.approx(top + math.log(whole), abs=0.02)


def test_contrasts_are_orthonormal() -> None:
    for r in (2, 3, 5):
        c = LaplaceEvidence.code(r)
        np.testing.assert_allclose(c.T @ c, np.eye(r - 1), atol=1e-12)
        np.testing.assert_allclose(c.sum(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("states", [2, 3, 5, 6])
@pytest.mark.parametrize(
    "score",
    [
        gd.LogLinearEvidence(),
        gd.LogLinearEvidence(order=2, ess=None),
        gd.LogLinearEvidence(ess=None, scale=3.0),
    ],
    ids=["both", "main effects", "products"],
)
@pytest.mark.parametrize("ordered", [(), (0, 1, 2, 3), (1, 3)], ids=["nominal", "ordered", "some ordered"])
def test_kernels_agree_with_numpy(states: int, ordered: tuple[int, ...], score: gd.LogLinearEvidence) -> None:
    table = simulated(states)
    table = replace(
        table, variables=[replace(v, ordered=i in ordered) for i, v in enumerate(table.variables)]
    )
    fast, plain = score.on(table), score.on(ReferenceEngine(table))
    for x, mask in [(0, 0), (0, 0b0110), (3, 0b0111), (1, 0b1101)]:
        assert fast.local(x, mask) == pytest.approx(plain.local(x, mask), rel=1e-9)


def test_names_of_states_do_not_matter_unless_they_are_ordered() -> None:
    table = simulated(3)
    turned = gd.read((table.codes.astype(int) + 1) % 3, discretize=None)
    graph = gd.UndirectedGraph(4, [(0, 1), (1, 3), (2, 3), (1, 2)])
    score = gd.LogLinearEvidence(ordered=False)
    assert score.value(graph, turned) == pytest.approx(score.value(graph, table), rel=1e-10)


def ordinal(effect: float, rows: int = 600) -> gd.Table:
    """Two columns of five states: the second follows the first's scores with this effect per deviation."""
    rng = np.random.default_rng(3)
    x = rng.integers(0, 5, rows)
    scores = (np.arange(5) - x.mean()) / x.std()
    utility = effect * scores[x][:, None] * scores + rng.gumbel(size=(rows, 5))
    return gd.read(np.stack([x, utility.argmax(axis=1)], axis=1))


def test_two_ordered_columns_have_one_effect() -> None:
    """Worked independently: the adjacent-category model with one slope, by SciPy's minimizer."""
    table = ordinal(0.3)
    x, y = table.codes.T.astype(int)
    t, z = ((np.arange(5) - c.mean()) / c.std() / math.sqrt(2) for c in (y, x))
    contrasts = LaplaceEvidence.code(5)[:, 1:]

    def loss(w: np.ndarray) -> float:
        eta = contrasts @ w[2:] + t * w[0] + np.outer(z[x], t) * w[1]
        fit = eta[np.arange(len(y)), y] - np.logaddexp.reduce(eta, axis=1)
        return float(-fit.sum())

    def log_evidence(free: list[int]) -> float:
        def of(w: np.ndarray) -> float:
            return loss(np.bincount(free, w, 5))

        best = optimize.minimize(of, np.zeros(len(free)), tol=1e-10).x
        steps = 1e-3 * np.eye(len(free))
        hessian = [
            [
                (of(best + a + b) - of(best + a - b) - of(best - a + b) + of(best - a - b)) / 4e-6
                for b in steps
            ]
            for a in steps
        ]
        return float(-of(best) - 0.5 * np.linalg.slogdet(hessian)[1] - math.log(100) * (1 in free))

    score = gd.LogLinearEvidence(order=2, ess=None, scale=100.0).on(table)
    gained = score.local(1, 0b1) - score.local(1, 0)
    assert gained == pytest.approx(log_evidence([0, 1, 2, 3, 4]) - log_evidence([0, 2, 3, 4]), abs=0.01)


def test_order_is_given_up_where_the_data_do_not_follow_it() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 5, 800)
    y = np.where(rng.random(800) < 0.5, np.array([3, 0, 4, 1, 2])[x], rng.integers(0, 5, 800))
    table = gd.read(np.stack([x, y], axis=1))
    for score in (gd.LogLinearEvidence(ess=None), gd.LogLinearEvidence(ess=None, ordered=False)):
        assert score.gain(gd.UndirectedGraph(2), (0, 1), table) > 100


def test_products_see_what_main_effects_cannot() -> None:
    rows = np.array([(x, y, x ^ y) for x, y in product((0, 1), repeat=2)] * 50)
    table = gd.read(rows, discretize=None)
    both = gd.LogLinearEvidence(ess=None).on(table)
    main = gd.LogLinearEvidence(order=2, ess=None).on(table)
    assert both.local(2, 0b11) > both.local(2, 0) + 50
    assert main.local(2, 0b11) < main.local(2, 0)


def test_bad_settings_get_one_sentence() -> None:
    for settings in ({"order": 4}, {"scale": 0}, {"ess": -1.0}):
        with pytest.raises(SettingsError):
            gd.LogLinearEvidence(**settings)  # type: ignore[arg-type]


def test_models_of_many_effects_leave_the_field_to_the_table() -> None:
    """Of 12 x 12 states there are 121 effects: the term is the table's, and half of the prior is lost."""
    rng = np.random.default_rng(8)
    x = rng.integers(0, 12, 3000)
    y = np.where(rng.random(3000) < 0.5, x, rng.integers(0, 12, 3000))
    table = gd.read({"x": [f"a{v}" for v in x], "y": [f"b{v}" for v in y]})
    table_alone = gd.MPL(ess=4.0).on(table).local(0, 0b10)
    found = gd.LogLinearEvidence().on(table)
    assert found.local(0, 0b10) == pytest.approx(table_alone - math.log(2))
    assert found.local(0, 0b10) > found.local(0, 0)
