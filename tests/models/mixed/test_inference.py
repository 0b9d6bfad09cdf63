"""Exact answers of mixed models, against sums and integrals on a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphoid.data.variables import Variable
from graphoid.errors import CountsTooLarge, SettingsError
from graphoid.models.gibbs import GibbsSampler
from graphoid.models.mixed.answers import LEVELS, NumberAnswer
from graphoid.models.mixed.inference import mixture
from tests.support.mixed import EDGES, KINDS, grid_of, random_model

if TYPE_CHECKING:
    import graphoid as gd

EVIDENCE = [{}, {"color": "green"}, {"age": 0.7}, {"grade": 2, "size": -1.1}, {"age": 0.2, "size": 1.0}]


def row_of(model: gd.MixedNetwork, evidence: dict[str, object]) -> np.ndarray:
    """Return codes and scores; on identity scales a value is its score."""
    row = np.full(len(model.variables), np.nan)
    for name, value in evidence.items():
        x = model.position(name)
        v = model.variables[x]
        row[x] = value if v.continuous else v.states.index(value)
    return row


@pytest.mark.parametrize("evidence", EVIDENCE)
@pytest.mark.parametrize("seed", [0, 1])
def test_answers_are_sums_over_the_grid(seed: int, evidence: dict[str, object]):
    model = random_model(seed)
    row = row_of(model, evidence)
    values, log = grid_of(model, row)
    mass = np.exp(log)
    assert model.reduce(row).log_total() == pytest.approx(np.log(mass.sum()), abs=1e-9)
    mass /= mass.sum()
    table = np.zeros((3, 4))
    np.add.at(table, (values[:, 0].astype(int), values[:, 1].astype(int)), mass)
    np.testing.assert_allclose(model.query(["color", "grade"], evidence), table, atol=1e-9)
    for x in (2, 3):
        if np.isnan(row[x]):
            found = mixture(model.layout, model.reduce(row), x)
            mean, square = found.probabilities @ found.means, found.probabilities @ found.means**2
            assert mean == pytest.approx(mass @ values[:, x], abs=1e-9)
            assert square + found.deviation**2 == pytest.approx(mass @ values[:, x] ** 2, abs=1e-9)
            answer = model.query(x, evidence)
            assert isinstance(answer, NumberAnswer)
            assert answer.mean == pytest.approx(mean, abs=1e-9)  # on an identity scale
            np.testing.assert_allclose(
                found.cumulative(np.array(list(answer.quantiles.values()))), LEVELS, atol=1e-9
            )


def test_log_evidence_and_log_probability_are_densities():
    model = random_model(2)
    nothing = np.log(np.exp(grid_of(model, np.full(4, np.nan))[1]).sum())
    for evidence in EVIDENCE[1:]:
        log = np.log(np.exp(grid_of(model, row_of(model, evidence))[1]).sum())
        assert model.log_evidence(evidence) == pytest.approx(log - nothing, abs=1e-9)
    whole = {"color": "red", "grade": 3, "age": 0.1, "size": 0.4}
    assert model.log_probability(whole)[0] == pytest.approx(model.log_evidence(whole), abs=1e-9)


def test_numbers_alone_are_normal():
    variables = tuple(Variable(f"z{i}", ()) for i in range(3))
    model = random_model(4, variables, [(0, 1), (1, 2)])
    covariance = np.linalg.inv(model.precision)
    mean = covariance @ model.weights[:3]
    # z0 given z1 = .5, by the usual formula from the covariance
    slope = covariance[0, 1] / covariance[1, 1]
    expected = mean[0] + slope * (0.5 - mean[1])
    deviation = np.sqrt(covariance[0, 0] - slope * covariance[0, 1])
    answer = model.query("z0", {"z1": 0.5})
    assert answer.mean == pytest.approx(expected, abs=1e-9)
    assert answer.quantiles[0.975] == pytest.approx(expected + 1.959963984540054 * deviation, abs=1e-9)
    assert model.query("z1", {"z1": 0.5}).mean == 0.5


def test_many_rows_of_evidence_are_answered_one_by_one():
    model = random_model(5)
    evidence = {"age": [0.0, 1.0, None], "color": ["red", None, "blue"]}
    table = model.query("grade", evidence)
    assert table.shape == (3, 4)
    np.testing.assert_allclose(table[1], model.query("grade", {"age": 1.0}))
    numbers = model.query("size", evidence)
    assert [a.mean for a in numbers] == [
        model.query("size", {"age": 0.0, "color": "red"}).mean,
        model.query("size", {"age": 1.0}).mean,
        model.query("size", {"color": "blue"}).mean,
    ]
    both = model.marginals({"age": 1.0})
    assert list(both) == list(model.names)
    np.testing.assert_allclose(both["grade"], table[1])


def test_estimates_agree_with_exact_answers():
    model = random_model(6, strength=0.5)
    evidence = {"size": 0.8}
    guess = model.estimate(["color", "age", "grade"], evidence, random_state=1)
    exact = model.query(["color", "grade"], evidence)
    off = np.abs(guess.probabilities - exact) / guess.standard_error
    assert off.max() < 4.5
    assert 0.2 < np.sqrt((off**2).mean()) < 2.0
    age, found = model.query("age", evidence), guess.numbers["age"]
    assert abs(found.mean - age.mean) < 4.5 * found.standard_error
    assert 0 < found.standard_error < 0.02
    assert found.quantile_errors is not None
    for level in LEVELS:
        assert abs(found.quantiles[level] - age.quantiles[level]) < 5 * found.quantile_errors[level] + 0.01
    assert guess.r_hat < 1.02
    assert "Estimate from 64,000 rows" in repr(guess)


@pytest.mark.parametrize("sampler", [None, GibbsSampler(burn_in=60, thin=10)])
def test_samples_have_the_moments_of_the_model(sampler: GibbsSampler | None):
    model = random_model(7, strength=0.4)
    rows = model.sample(20_000, 3, sampler=sampler)
    n = rows.n_rows
    for name in ("color", "grade"):
        share = np.bincount(rows.column(name), minlength=3) / n
        p = model.query(name)
        assert (np.abs(share - p) < 4.5 * np.sqrt(p / n)).all()
    values, log = grid_of(model, np.full(4, np.nan))
    mass = np.exp(log - np.log(np.exp(log).sum()))
    product = rows.numbers("age") * rows.numbers("size")
    assert abs(product.mean() - mass @ (values[:, 2] * values[:, 3])) < 4.5 * product.std() / np.sqrt(n)
    by_grade = np.array([rows.numbers("age")[rows.column("grade") == k].mean() for k in range(4)])
    expected = [model.query("age", {"grade": k}).mean for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(by_grade, expected, atol=0.08)
    assert ("independent rows" in rows.notes[0]) == (sampler is None)


def test_states_alone_are_sampled_as_a_network_of_states_is():
    # without numbers among the neighbors the marginals are those of the discrete network with the same tables
    variables = (*KINDS[:2], Variable("lonely", ()))
    model = random_model(8, variables, [(0, 1)], strength=0.8)
    p = model.query(["color", "grade"])
    rows = model.sample(20_000, 0, sampler=GibbsSampler(burn_in=50, thin=5))
    share = np.zeros((3, 4))
    np.add.at(share, (rows.column("color"), rows.column("grade")), 1 / rows.n_rows)
    assert (np.abs(share - p) < 4.5 * np.sqrt(p / rows.n_rows)).all()


def test_what_cannot_be_had_exactly_says_so():
    variables = (Variable("z", ()), *(Variable(f"s{i}", tuple(range(4))) for i in range(20)))
    model = random_model(9, variables, [(0, i) for i in range(1, 21)], strength=0.2)
    with pytest.raises(CountsTooLarge, match=r"no exact answer can be had: with its numbers.*estimate\(\)"):
        model.query("s0")
    with pytest.raises(CountsTooLarge, match=r"depends on 20 variables with .* joint states.*estimate\(\)"):
        model.query("z")
    assert model.query("s0", {"z": 0.3}).sum() == pytest.approx(1)  # z known, the states are independent
    assert "Gibbs" in model.sample(10, 0).notes[0]
    guess = model.estimate("s0", random_state=0, sampler=GibbsSampler(burn_in=20, thin=1, n_chains=64))
    assert guess.probabilities.sum() == pytest.approx(1)


def test_questions_about_several_numbers_go_to_estimate():
    model = random_model(0)
    with pytest.raises(SettingsError, match="ask about each number by itself, or use estimate"):
        model.query(["age", "size"])
    assert set(model.estimate(["age", "size"], random_state=0).numbers) == {"age", "size"}
    assert len(EDGES) == len(model.graph.edges)
