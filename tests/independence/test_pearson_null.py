"""Thin tables: what Pearson's statistic does by chance, exactly, and tests that know it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from graphoid.independence.pearson_null import null_moments, pearson
from tests.support.tables import random_table, table_of
from tests.support.verdicts import name_of

CORRECTED = [gd.GTest(), gd.GTest(dof="full"), gd.GTest(dof="adjusted"), gd.ChiSquare(dof="adjusted")]


@pytest.mark.parametrize("n", range(2, 8))
def test_mean_and_variance_are_those_of_all_tables_with_the_same_margins(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(4):
        x, y = rng.integers(0, 3, (2, n))
        statistics = []
        for order in itertools.permutations(range(n)):
            table = np.zeros((1, 3, 3))
            np.add.at(table[0], (x, y[list(order)]), 1)
            statistics.append(pearson(table, table.sum(axis=2), table.sum(axis=1)))
        mean, variance, _, _ = null_moments(table.sum(axis=2), table.sum(axis=1))
        assert mean == pytest.approx(np.mean(statistics), abs=1e-12)
        assert variance == pytest.approx(np.var(statistics), abs=1e-12)


def test_one_statistic_for_all_tables_says_nothing() -> None:
    pairs = np.array([[[1, 1], [0, 0]], [[1, 0], [0, 1]]], dtype=np.float64)  # two rows a slice
    assert null_moments(pairs.sum(axis=2), pairs.sum(axis=1)).scale(4.0) == (0, 0)


@pytest.mark.parametrize("test", CORRECTED, ids=name_of)
@pytest.mark.parametrize("weights", [None, "whole"])
def test_kernels_and_numpy_agree_on_thin_tables(test: Any, weights: str | None) -> None:
    questions = [(0, 1, (2, 3)), (0, 1, (2, 3, 4)), (1, 4, (0, 2, 3)), (2, 3, ()), (0, 5, (1,))]
    for n_rows, arities in ((200, [3, 4, 3, 4, 3, 60]), (2_000, [2, 6, 5, 5, 4, 300])):
        table = random_table(n_rows, arities, seed=3, weights=weights)
        fast, plain = (gd.Tester(test, data).ask(questions) for data in (table, ReferenceEngine(table)))
        assert any(v.thin for v in fast)
        for a, b in zip(fast, plain, strict=True):
            assert (a.independent, a.thin) == (b.independent, b.thin)
            assert a.statistic == pytest.approx(b.statistic, rel=1e-9)
            assert a.dof == pytest.approx(b.dof, rel=1e-9)
            assert a.log_p == pytest.approx(b.log_p, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("test", CORRECTED, ids=name_of)
@pytest.mark.parametrize(("states", "given"), [(4, 2), (6, 3)])
def test_true_independences_are_rejected_as_often_as_alpha_says(test: Any, states: int, given: int) -> None:
    rng = np.random.default_rng([states, given])
    rejected = []
    for _ in range(10):
        table = table_of(rng.integers(0, states, (10 + given, 1_000)), [states] * (10 + given))
        z = tuple(range(10, 10 + given))
        questions = [(x, y, z) for x, y in itertools.combinations(range(10), 2)]
        rejected += [not v.independent for v in gd.Tester(test, table).ask(questions)]
    assert np.mean(rejected) < 0.08  # of 450, three standard errors above .05; G was at .31 and 1.00


def test_power_comes_back_where_slices_lose_it() -> None:
    rng = np.random.default_rng(5)
    found = {"slices": 0, "adjusted": 0}
    for _ in range(20):
        z = rng.integers(0, 4, (3, 400))
        x = rng.integers(0, 4, 400)
        y = np.where(rng.random(400) < 0.35, x, rng.integers(0, 4, 400))
        table = table_of([x, y, *z], [4] * 5)
        for dof in found:
            found[dof] += not gd.Tester(gd.ChiSquare(dof=dof), table).independent(0, 1, [2, 3, 4])
    assert found["adjusted"] >= found["slices"] + 5
