"""Answers of models against all joint states written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import CountsTooLarge, DataError, SettingsError, UnknownVariable
from graphoid.models import inference
from graphoid.models.factors import Factor
from tests.support.networks import (
    agreeing,
    enumerated,
    grid,
    marginal,
    random_evidence,
    random_network,
    variables_of,
)

NETWORKS = [random_network(seed, 7, zeros=seed % 3 == 0) for seed in range(8)]


@pytest.mark.parametrize("model", NETWORKS)
def test_probabilities_of_whole_rows(model: gd.MarkovNetwork) -> None:
    rows = np.array(list(itertools.product(*map(range, model.arities))))
    with np.errstate(divide="ignore"):
        expected = np.log(enumerated(model)).ravel()
    np.testing.assert_allclose(model.log_probability(rows), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", NETWORKS)
@pytest.mark.parametrize("n_rows", [3, 400])  # 400: common patterns get trees of their own, rare ones share
def test_queries_given_evidence_of_any_pattern(model: gd.MarkovNetwork, n_rows: int) -> None:
    p, rng = enumerated(model), np.random.default_rng(n_rows)
    evidence = random_evidence(model, rng, n_rows, share=0.25)
    evidence[: n_rows // 3, 0] = -1
    for over in [(0,), (4, 1), (2, 6, 3)]:
        found = model.query(over, evidence)
        for row, answer in zip(evidence, found, strict=True):
            kept = marginal(agreeing(p, row), over)
            np.testing.assert_allclose(answer, kept / kept.sum(), atol=1e-12)


@pytest.mark.parametrize("model", NETWORKS)
def test_evidence_explanations_and_marginals(model: gd.MarkovNetwork) -> None:
    p = enumerated(model)
    evidence = random_evidence(model, np.random.default_rng(0), 60)
    log_p, explained, marginals = (
        model.log_evidence(evidence),
        model.most_probable(evidence),
        model.marginals(evidence),
    )
    pair = model.most_probable(evidence, variables=["v3", 1])
    assert isinstance(log_p, np.ndarray)
    assert isinstance(explained, gd.Table)
    assert isinstance(pair, gd.Table)
    assert pair.names == ("v3", "v1")
    for k, row in enumerate(evidence):
        kept = agreeing(p, row)
        assert log_p[k] == pytest.approx(np.log(kept.sum()), abs=1e-10)
        assert p[tuple(explained.codes[k])] == pytest.approx(kept.max(), rel=1e-10)
        assert (row[row >= 0] == explained.codes[k][row >= 0]).all()
        both = marginal(kept, [3, 1])
        assert both[tuple(pair.codes[k])] == pytest.approx(both.max(), rel=1e-10)
        for v, name in enumerate(model.names):
            one = marginal(kept, [v])
            np.testing.assert_allclose(marginals[name][k], one / one.sum(), atol=1e-12)


def test_pseudo_log_likelihood_is_the_sum_of_conditionals() -> None:
    for model in NETWORKS:
        p = enumerated(model)
        rows = random_evidence(model, np.random.default_rng(1), 50, share=1.0)
        each = [
            np.log(p[tuple(row)] / p.sum(axis=v, keepdims=True)[(*row[:v], 0, *row[v + 1 :])])
            for row in rows
            for v in range(p.ndim)
        ]
        assert model.pseudo_log_likelihood(rows) == pytest.approx(sum(each), rel=1e-10)


def test_models_of_features_alone_give_the_same_pseudo_log_likelihood() -> None:
    for model in NETWORKS:
        rows = random_evidence(model, np.random.default_rng(1), 50, share=1.0)
        alone = gd.MarkovNetwork(model.variables, model.features, model.weights)
        nothing = gd.MarkovNetwork(
            model.variables, model.features, model.weights, (Factor((0,), np.zeros(model.arities[0])),)
        )
        assert alone.pseudo_log_likelihood(rows) == pytest.approx(
            nothing.pseudo_log_likelihood(rows), rel=1e-12
        )


def test_weighted_rows_count_by_their_weight() -> None:
    model = NETWORKS[1]
    rows = random_evidence(model, np.random.default_rng(1), 3, share=1.0)
    table = gd.Table(
        model.variables,
        tuple(np.ascontiguousarray(column, dtype=np.uint8) for column in rows.T),
        3,
        weights=gd.data.table.Weights.of([2, 0, 1]),
    )
    again = rows[[0, 0, 2]]
    assert model.pseudo_log_likelihood(table) == pytest.approx(model.pseudo_log_likelihood(again))


def test_one_row_gets_one_answer() -> None:
    model = NETWORKS[1]
    one = model.query("v2", {"v0": 1})
    assert one.shape == (model.arities[2],)
    np.testing.assert_allclose(one, model.query(2, {"v0": [1, 0]})[0])
    assert model.query(["v2", "v1"]).shape == (model.arities[2], model.arities[1])
    assert isinstance(model.log_evidence({"v0": 1}), float)
    explained = model.most_probable({"v0": 1})
    assert isinstance(explained, dict)
    assert explained["v0"] == 1
    assert model.query("v2", np.empty((0, 7), dtype=int)).shape == (0, model.arities[2])


def test_what_was_observed_is_certain() -> None:
    model = NETWORKS[1]
    np.testing.assert_allclose(model.query("v0", {"v0": 1}), np.eye(model.arities[0])[1])


def test_features_longer_than_a_table_would_be() -> None:
    """Twenty variables in a feature: listed, not tabulated; enumerated over the few that are asked about."""
    rng = np.random.default_rng(0)
    features = [tuple((v, int(rng.integers(2))) for v in range(20)) for _ in range(6)]
    features += [((v, 1),) for v in range(20)]
    model = gd.MarkovNetwork(variables_of([2] * 20), tuple(features), rng.normal(size=26) * 2)
    codes = np.array([[s for _, s in features[0]]])
    known = codes.copy()
    known[0, [3, 7]] = -1
    score = np.zeros((2, 2))
    for a, b in itertools.product(range(2), repeat=2):
        row = codes[0].copy()
        row[[3, 7]] = a, b
        score[a, b] = sum(
            w
            for feature, w in zip(features, model.weights, strict=True)
            if all(row[v] == s for v, s in feature)
        )
    expected = np.exp(score) / np.exp(score).sum()
    np.testing.assert_allclose(model.query([3, 7], known)[0], expected, atol=1e-12)


def test_strong_weights_do_not_overflow_or_vanish() -> None:
    # a chain of three; the states that the first factor makes e^-1600 of are all that the evidence leaves
    strong = np.array([[800.0, -800.0], [-800.0, 800.0]])
    model = gd.MarkovNetwork(
        variables_of([2] * 3), factors=(Factor((0, 1), strong), Factor((1, 2), strong / 2))
    )
    np.testing.assert_allclose(model.query(1, {0: 0, 2: 1}), [1.0, 0.0], atol=1e-300)
    assert model.log_evidence({0: 0, 2: 1}) == pytest.approx(-800 + np.log(0.5))


def test_impossible_evidence_is_named() -> None:
    zero = Factor((0, 1), np.array([[0.0, -np.inf], [0.0, 0.0]]))
    model = gd.MarkovNetwork(variables_of([2] * 2), factors=(zero,))
    with pytest.raises(DataError, match=r"\(v0 = 0, v1 = 1\) has probability zero\.$"):
        model.query(0, {0: 0, 1: 1})
    with pytest.raises(DataError, match="probability zero; 2 rows like it"):
        model.query(0, np.array([[0, 1], [1, 1], [0, 1]]))
    with pytest.raises(DataError, match="probability zero"):
        model.most_probable({0: 0, 1: 1})
    assert model.log_evidence({0: 0, 1: 1}) == -np.inf
    apart = gd.MarkovNetwork(variables_of([2] * 3), factors=(zero,))
    for ask in (apart.query, lambda v, given: apart.marginals(given)):  # of a variable that it does not touch
        with pytest.raises(DataError, match="probability zero"):
            ask(2, {0: 0, 1: 1})
    nothing = gd.MarkovNetwork(variables_of([2]), factors=(Factor((0,), np.array([-np.inf, -np.inf])),))
    with pytest.raises(DataError, match="contradict"):
        nothing.query(0)


def test_models_without_weights_are_uniform() -> None:
    model = gd.MarkovNetwork(variables_of([2, 3]))
    np.testing.assert_allclose(model.query([1, 0]), np.full((3, 2), 1 / 6))
    assert model.log_partition == pytest.approx(np.log(6))
    assert gd.MarkovNetwork(()).log_partition == 0.0


def test_evidence_cuts_a_large_model_to_size() -> None:
    # a grid of 30 x 30 is far too wide; with every second row observed it is thirty chains
    n = 30
    factors = tuple(Factor(edge, np.array([[0.5, 0.0], [0.0, 0.5]])) for edge in grid(n, n))
    model = gd.MarkovNetwork(variables_of([2] * n * n), factors=factors)
    with pytest.raises(CountsTooLarge, match=r"cluster of \d+ variables with [\d,]+ joint states .*MB"):
        model.query(0)
    given = {r * n + c: 0 for r in range(1, n, 2) for c in range(n)}
    assert model.query(0, given)[0] > 0.6


def test_rows_that_are_too_much_together_are_answered_apart() -> None:
    # all pairs of thirty: one row leaves ten unknown, the other eleven, both together twenty
    factors = [Factor(pair, 0.1 * np.eye(2)) for pair in itertools.combinations(range(30), 2)]
    model = gd.MarkovNetwork(variables_of([2] * 30), factors=tuple(factors), max_cells=2**11)
    evidence = np.full((2, 30), -1)
    evidence[0, 10:] = 1
    evidence[1, 1:20] = 1
    found = model.query(0, evidence)
    for row, answer in zip(evidence, found, strict=True):
        np.testing.assert_array_equal(model.query(0, row[None])[0], answer)


def test_the_bound_is_the_callers() -> None:
    factors = tuple(Factor(edge, np.zeros((2, 2))) for edge in grid(5, 5))
    small = gd.MarkovNetwork(variables_of([2] * 25), factors=factors, max_cells=16)
    with pytest.raises(CountsTooLarge, match="at most 16"):
        _ = small.log_partition
    with pytest.raises(CountsTooLarge, match="at most 16"):
        _ = small.tree


def test_answers_that_are_too_large_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "ANSWER", 100)
    model = gd.MarkovNetwork(variables_of([2] * 8))
    with pytest.raises(CountsTooLarge, match="the answer has 13 x 2 x 2 x 2 cells"):
        model.query([0, 1, 2], np.full((13, 8), -1))
    assert model.query([0, 1, 2], np.full((12, 8), -1)).shape == (12, 2, 2, 2)


def test_many_rows_are_answered_in_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    model = NETWORKS[2]
    evidence = random_evidence(model, np.random.default_rng(3), 200)
    whole = model.query([1, 5], evidence)
    monkeypatch.setattr(inference, "HELD", 100)
    np.testing.assert_array_equal(model.query([1, 5], evidence), whole)


def test_wrong_questions_are_refused() -> None:
    model = NETWORKS[0]
    with pytest.raises(SettingsError, match="different variables"):
        model.query([])
    with pytest.raises(SettingsError, match="different variables"):
        model.query(["v1", 1])
    with pytest.raises(UnknownVariable, match="zebra"):
        model.query("zebra")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"features": (((0, 1), (0, 0)),), "weights": [1.0]}, "different variables"),
        ({"features": ((),), "weights": [1.0]}, "one or more"),
        ({"features": (((0, 5),),), "weights": [1.0]}, "no variable's state"),
        ({"features": (((9, 0),),), "weights": [1.0]}, "no variable's state"),
        ({"features": (3,), "weights": [1.0]}, "partial assignment"),
        ({"features": (((0, 1),),), "weights": []}, "one finite weight"),
        ({"features": (((0, 1),),), "weights": [np.inf]}, "not all finite"),
        ({"factors": (Factor((0, 1), np.zeros(3)),)}, "shape"),
        ({"factors": (Factor((0,), np.array([np.nan, 0.0])),)}, "not finite"),
        ({"factors": (Factor((0,), np.array([np.inf, 0.0])),)}, "not finite"),
    ],
)
def test_what_makes_no_model_is_refused(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        gd.MarkovNetwork(variables_of([2, 2]), **arguments)
