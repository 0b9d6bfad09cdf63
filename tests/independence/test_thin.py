"""Too little data: flagged, answered by policy, and never a NaN."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import SettingsError
from tests.support.tables import random_table, table_of
from tests.support.verdicts import CLASSICAL, DISCRETE, name_of

every_test = pytest.mark.parametrize("test", DISCRETE, ids=name_of)


@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.GTest(dof="full")], ids=name_of)
def test_five_rows_a_cell_are_enough_and_one_less_is_thin(test: Any) -> None:
    for n_rows, thin in ((20, False), (19, True)):
        codes = np.arange(n_rows)
        table = table_of([codes % 2, codes // 2 % 2], [2, 2])
        for data in (table, ReferenceEngine(table)):
            assert gd.Tester(test, data).ask([(0, 1, ())])[0].thin is thin


def test_only_slices_that_occur_take_rows() -> None:
    codes = np.arange(40)
    both, one = codes // 4 % 2, np.zeros(40)
    for z, thin in ((one, False), (both, False)):
        table = table_of([codes % 2, codes // 2 % 2, z], [2, 2, 2])
        assert gd.Tester(gd.ChiSquare(), table).ask([(0, 1, (2,))])[0].thin is thin
    table = table_of([codes % 2, codes // 2 % 2, codes // 4 % 3], [2, 2, 3])
    assert gd.Tester(gd.ChiSquare(), table).ask([(0, 1, (2,))])[0].thin


def test_the_number_of_rows_a_cell_is_a_setting() -> None:
    table = random_table(100, [5, 5])
    for rows_per_cell, thin in ((4, False), (4.01, True), (0, False), (math.inf, True)):
        test = gd.GTest(thin=gd.ThinData(rows_per_cell=rows_per_cell))
        assert gd.Tester(test, table).ask([(0, 1, ())])[0].thin is thin


@pytest.mark.parametrize("kind", [gd.ChiSquare, gd.GTest, gd.BayesianTest])
def test_thin_verdicts_are_answered_by_policy_and_others_are_not(kind: type) -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 100)
    table = table_of([x, x, rng.integers(0, 2, 100), np.arange(100) % 50], [2, 2, 2, 50])
    questions = [(0, 1, ()), (0, 2, ()), (0, 1, (3,)), (0, 2, (3,))]
    plain = gd.Tester(kind(thin=gd.ThinData()), table).ask(questions)
    near_prior = kind is gd.BayesianTest  # 100 rows of two independent columns say little
    assert [v.thin for v in plain] == [False, near_prior, True, True]
    for answer in ("independent", "dependent", "test"):
        policy = gd.ThinData(answer=answer)
        found = gd.Tester(kind(thin=policy), table).ask(questions)
        instead = {"independent": True, "dependent": False}.get(answer)
        for verdict, usual in zip(found, plain, strict=True):
            expected = usual.independent if instead is None or not usual.thin else instead
            assert verdict == usual._replace(independent=expected)


def test_a_posterior_near_its_prior_claims_no_dependence() -> None:
    rng = np.random.default_rng(1)
    said = {"independent": [], "test": []}
    for _ in range(20):
        table = table_of(rng.integers(0, 2, (8, 3_000)), [2] * 8)
        for answer, dependent in said.items():
            test = gd.BayesianTest(thin=gd.ThinData(answer=answer))
            verdict = gd.Tester(test, table).ask([(0, 1, (2, 3, 4, 5, 6, 7))])[0]
            assert verdict.thin == (abs(verdict.log_odds) < math.log(3))
            dependent.append(not verdict.independent)
    assert gd.BayesianTest().thin.answer == "independent"
    assert sum(said["test"]) > 10  # as published: a coin, and not a fair one
    assert sum(said["independent"]) <= 4


@pytest.mark.parametrize("test", CLASSICAL, ids=name_of)
def test_no_degrees_of_freedom_mean_independent_and_thin(test: Any) -> None:
    n = 1000
    x = np.arange(n) % 2
    table = table_of([x, np.zeros(n), x, np.full(n, 1)], [2, 1, 2, 2])
    for data in (table, ReferenceEngine(table)):
        verdict = gd.Tester(test, data).ask([(0, 1, ())])[0]
        assert (verdict.dof, verdict.statistic, verdict.p_value, verdict.log_p) == (0, 0, 1, 0)
        assert verdict.independent
        assert verdict.thin
        # a column that could vary and does not: no degrees of freedom if those are adjusted
        other = gd.Tester(test, data).ask([(0, 3, ())])[0]
        assert other.dof == (0 if test.dof == "adjusted" else 1)
        assert other.thin is (test.dof == "adjusted")
        assert other.independent


@pytest.mark.parametrize("test", CLASSICAL, ids=name_of)
def test_x_constant_within_every_slice_has_nothing_to_say(test: Any) -> None:
    x = np.arange(1000) % 3
    table = table_of([x, np.arange(1000) % 2, x], [3, 2, 3])
    for data in (table, ReferenceEngine(table)):
        verdict = gd.Tester(test, data).ask([(0, 1, (2,))])[0]
        assert (verdict.statistic, verdict.p_value) == (0, 1)
        assert verdict.dof == (0 if test.dof == "adjusted" else 6)


@every_test
@pytest.mark.parametrize("weights", [None, "zero"])
def test_no_rows_at_all(test: Any, weights: str | None) -> None:
    n_rows = 0 if weights is None else 5
    table = table_of([np.zeros(n_rows)] * 3, [2, 3, 2], weights=None if weights is None else np.zeros(5))
    for data in (table, ReferenceEngine(table)):
        for given in ((), (2,)):
            verdict = gd.Tester(test, data).ask([(0, 1, given)])[0]
            assert verdict.thin
            assert verdict.n_rows == 0
            if verdict.log_odds is None:
                assert verdict.independent
                assert verdict.p_value == 1
            else:  # the prior
                assert verdict.posterior == pytest.approx(test.prior)


@every_test
def test_degenerate_tables_never_give_a_nan(test: Any) -> None:
    columns = [[0, 0, 0], [1, 1, 1], [0, 1, 2], [0, 1, 2], [0, 0, 1]]
    table = table_of(columns, [1, 2, 3, 300, 2])
    questions = [(a, b, z) for a in range(5) for b in range(5) for z in ((), (4,), (3, 0)) if a != b]
    questions = [q for q in questions if q[0] not in q[2] and q[1] not in q[2]]
    for data in (table, ReferenceEngine(table)):
        for verdict in gd.Tester(test, data).ask(questions):
            numbers = [verdict.statistic, verdict.dof, verdict.p_value, verdict.log_p, verdict.log_odds]
            assert all(math.isfinite(v) for v in numbers if v is not None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rows_per_cell": -1}, "rows_per_cell is -1; it must be a number of at least 0."),
        ({"rows_per_cell": math.nan}, "rows_per_cell is nan"),
        ({"answer": "maybe"}, "answer is 'maybe'; it must be 'test', 'independent' or 'dependent'."),
    ],
)
def test_a_policy_that_is_none_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        gd.ThinData(**settings)
    assert message in str(caught.value)
