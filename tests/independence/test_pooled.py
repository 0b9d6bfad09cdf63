"""Questions that rows cannot bear in slices: answered from pairs of variables, with rare states merged."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.native import engine_for
from graphoid.counts.reference import ReferenceEngine
from graphoid.independence.partial_association import CountedProducts, PartialAssociation
from graphoid.independence.pooled import Pooled
from tests.support.tables import random_table, table_of


def partial(table: gd.Table) -> PartialAssociation:
    return PartialAssociation(CountedProducts(engine_for(table)), 0.05)


def test_without_others_it_is_mantel_and_haenszels_statistic() -> None:
    table = random_table(500, [2, 3, 4], seed=1)
    for x, y in itertools.combinations(range(3), 2):
        ours = partial(table).ask([(x, y, ())])[0]
        theirs = gd.Tester(gd.MantelHaenszel(), table).ask([(x, y, ())])[0]
        assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9)
        assert (ours.dof, ours.log_p) == (theirs.dof, pytest.approx(theirs.log_p, rel=1e-9))


def test_two_states_each_are_a_partial_correlation() -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, (5, 400))
    table = table_of(codes, [2] * 5)
    verdict = partial(table).ask([(0, 1, (2, 3, 4))])[0]
    z = np.vstack([np.ones(400), codes[2:]]).T
    x, y = (c - z @ np.linalg.lstsq(z, c, rcond=None)[0] for c in codes[:2].astype(float))
    assert verdict.statistic == pytest.approx((400 - 4) * (x @ y) ** 2 / (x @ x) / (y @ y), rel=1e-9)
    assert verdict.dof == 1


def test_what_the_given_determine_says_nothing() -> None:
    x = np.arange(300) % 3
    table = table_of([x, np.arange(300) // 3 % 2, x, x], [3, 2, 3, 3])
    verdict = partial(table).ask([(0, 1, (2, 3))])[0]
    assert verdict.thin
    assert verdict.independent


def test_true_independences_are_rejected_as_often_as_alpha_says() -> None:
    rng = np.random.default_rng(4)
    rejected = []
    for _ in range(20):
        z = rng.integers(0, 5, (3, 300))
        noise = rng.integers(-1, 2, (6, 300))
        columns = [np.clip(z[i % 3] + noise[i], 0, 4) for i in range(6)]
        table = table_of([*columns, *z], [5] * 9)
        questions = [(x, y, (6, 7, 8)) for x, y in itertools.combinations(range(6), 2)]
        rejected += [not v.independent for v in partial(table).ask(questions)]
    assert np.mean(rejected) < 0.09  # of 300; three standard errors above .05


def test_rare_states_are_merged_before_a_dependence_is_believed() -> None:
    rng = np.random.default_rng(6)
    weights = np.arange(1, 21) ** -1.5
    table = table_of([rng.choice(20, 300, p=weights / weights.sum()) for _ in range(12)], [20] * 12)
    pairs = [(x, y, ()) for x, y in itertools.combinations(range(12), 2)]
    alone = [v.log_p for v in gd.Tester(gd.MantelHaenszel(), table).ask(pairs)]
    pooled = [v.log_p for v in Pooled(gd.MantelHaenszel(), table).ask(pairs)]
    assert min(alone) < np.log(1e-6) < min(pooled)


def test_ordered_states_are_scored_and_a_slope_is_found_in_few_rows() -> None:
    rng = np.random.default_rng(7)
    found = {True: 0, False: 0}
    for _ in range(20):
        x = rng.integers(0, 7, 120)
        y = np.clip(x // 2 + rng.integers(0, 6, 120), 0, 6)
        for ordered in found:
            variables = tuple(gd.Variable(name, tuple(range(7)), ordered=ordered) for name in "xy")
            table = gd.Table(variables, (x.astype(np.uint8), y.astype(np.uint8)), 120)
            found[ordered] += partial(table).ask([(0, 1, ())])[0].p_value < 1e-6
    assert found[True] >= found[False] + 5


def test_the_engine_makes_no_difference() -> None:
    table = random_table(300, [5, 4, 5, 3, 5], seed=8)
    questions = [(0, 1, (2,)), (0, 2, (1, 3, 4)), (3, 4, ()), (1, 3, (0, 2))]
    first, second = (
        Pooled(gd.MantelHaenszel(), data).ask(questions) for data in (table, ReferenceEngine(table))
    )
    for a, b in zip(first, second, strict=True):
        assert a.log_p == pytest.approx(b.log_p, rel=1e-9)
