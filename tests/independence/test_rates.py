"""Tests err as often as they say they do, and see what is there to be seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphoid as gd
from tests.support.tables import random_table, table_of, table_of_numbers
from tests.support.verdicts import DISCRETE, name_of, same_verdicts

N_TESTS = 2000


def null_tables(seed: int) -> list[tuple[gd.Table, list[tuple[int, int, tuple[int, ...]]]]]:
    """Return tables in which each of ``N_TESTS`` pairs is independent given z, though z moves both."""
    rng = np.random.default_rng(seed)
    n = 1000
    batches = []
    for _ in range(N_TESTS // 200):
        z = rng.integers(0, 2, n)
        columns = [(rng.random(n) < 0.3 + 0.4 * z).astype(int) + (rng.random(n) < 0.3) for _ in range(400)]
        batches.append(
            (table_of([z, *columns], [2, *[3] * 400]), [(1 + 2 * k, 2 + 2 * k, (0,)) for k in range(200)])
        )
    return batches


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("kind", [gd.ChiSquare, gd.GTest])
def test_errors_of_the_first_kind_come_at_rate_alpha(kind: type, alpha: float) -> None:
    rejected = 0
    for table, questions in null_tables(seed=1):
        rejected += sum(not v.independent for v in gd.Tester(kind(alpha=alpha), table).ask(questions))
    deviation = (N_TESTS * alpha * (1 - alpha)) ** 0.5
    assert abs(rejected - N_TESTS * alpha) < 3.5 * deviation


def test_ignoring_what_moves_both_is_seen() -> None:
    table, questions = null_tables(seed=1)[0]
    blind = gd.Tester(gd.ChiSquare(), table).ask([(x, y, ()) for x, y, _ in questions])
    assert sum(not v.independent for v in blind) > 100  # without z the pairs are dependent


@pytest.mark.parametrize("kind", [gd.ChiSquare, gd.GTest, gd.BayesianTest])
def test_dependence_is_seen(kind: type) -> None:
    rng = np.random.default_rng(2)
    n = 1000
    columns = []
    for _ in range(100):
        x = rng.integers(0, 2, n)
        columns += [x, np.where(rng.random(n) < 0.3, x, rng.integers(0, 2, n))]
    ci = gd.Tester(kind(), table_of(columns, [2] * 200))
    assert sum(not v.independent for v in ci.ask([(2 * k, 2 * k + 1, ()) for k in range(100)])) == 100


def test_the_bayesian_test_grows_sure_of_independence() -> None:
    rng = np.random.default_rng(3)
    medians = []
    for n in (100, 1000, 10_000):
        ci = gd.Tester(gd.BayesianTest(), table_of(rng.integers(0, 2, (100, n)), [2] * 100))
        medians.append(np.median([v.log_odds for v in ci.ask([(2 * k, 2 * k + 1, ()) for k in range(50)])]))
    assert 0 < medians[0] < medians[1] < medians[2]


def test_partial_correlation_errs_at_rate_alpha_and_sees_dependence() -> None:
    rng = np.random.default_rng(5)
    z = rng.normal(size=500)
    numbers = z + rng.normal(size=(400, 500))
    ci = gd.Tester(gd.PartialCorrelation(), table_of_numbers([z, *numbers]))
    null = ci.ask([(x, y, (0,)) for x in range(1, 51) for y in range(51, 91)])
    rejected = sum(not v.independent for v in null)
    assert abs(rejected - 100) < 3.5 * 95**0.5
    assert not any(v.independent for v in ci.ask([(1, y, ()) for y in range(2, 50)]))


@pytest.mark.parametrize("test", DISCRETE, ids=name_of)
def test_whole_weights_are_repeated_rows(test: Any) -> None:
    table = random_table(300, [2, 3, 2, 4], weights="whole")
    repeated = table_of([np.repeat(table.column(i), table.weights.units) for i in range(4)], [2, 3, 2, 4])
    questions = [(0, 1, ()), (1, 3, (0,)), (0, 1, (2, 3)), (3, 2, (1, 0))]
    same_verdicts(gd.Tester(test, table).ask(questions), gd.Tester(test, repeated).ask(questions), 1e-12)


@pytest.mark.parametrize("test", [gd.LikelihoodRatio(), gd.DegenerateGaussian()])
def test_columns_of_any_kinds_err_at_rate_alpha(test: Any) -> None:
    # a star: what hangs on its center is independent given it; 25 tables of 300 rows
    kinds = ["nominal", "continuous", "ordered", "nominal", "ordered", "continuous", "count"]
    star = gd.UndirectedGraph(7, [(1, v) for v in (0, 2, 3, 4, 5, 6)])
    leaves = [(x, y, (1,)) for x in range(7) for y in range(x) if 1 not in (x, y)]
    rejected = []
    for seed in range(25):
        network = gd.datasets.pairwise_mixed(star, kinds, seed, n_states=4, weakest=0.2, strongest=0.3)
        ci = gd.Tester(test, network.sample(300, random_state=seed))
        rejected += [not v.independent for v in ci.ask(leaves) if not v.thin]
    assert len(rejected) > 300
    deviation = (0.05 * 0.95 / len(rejected)) ** 0.5
    assert abs(np.mean(rejected) - 0.05) < 3.5 * deviation
