"""Columns as numbers: golden values, and sums that no order of the rows changes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import graphoid as gd
from graphoid.data.table import Weights
from graphoid.regression.coding import normal_scores, standard_scores
from graphoid.regression.embedding import SecondMoments, embed, exact_products

RNG = np.random.default_rng(7)


def mixed(rows: int = 200) -> gd.Table:
    x = RNG.normal(size=rows)
    return gd.read(
        {
            "height": x**3,
            "town": np.array(["a", "b", "c"])[RNG.integers(0, 3, rows)],
            "mood": (x > RNG.normal(size=rows)).astype(int) + RNG.integers(0, 3, rows),
            "weight": x + RNG.normal(size=rows),
        },
        discretize=None,
    )


def test_normal_scores_are_those_of_average_ranks() -> None:
    values = RNG.integers(0, 30, 100) / 7
    by_hand = stats.norm.ppf(stats.rankdata(values) / 101)
    np.testing.assert_allclose(normal_scores(values), by_hand, rtol=1e-13, atol=1e-13)


def test_a_weight_is_as_good_as_so_many_rows() -> None:
    values, times = RNG.normal(size=40).round(1), RNG.integers(0, 4, 40)
    repeated = normal_scores(np.repeat(values, times))
    weighted = normal_scores(values, Weights.of(times))
    np.testing.assert_array_equal(np.repeat(weighted, times), repeated)


@pytest.mark.parametrize("ranks", [True, False])
def test_scores_have_mean_zero_and_variance_one_half(ranks: bool) -> None:
    scores = standard_scores(1e9 + RNG.exponential(size=500), ranks=ranks)
    assert scores.mean() == pytest.approx(0, abs=1e-9)
    assert scores.var() == pytest.approx(0.5)
    assert not standard_scores(np.full(5, 3.0), ranks=ranks).any()


def test_every_kind_has_its_columns() -> None:
    table = mixed()
    assert [(e.columns.shape[1], e.main) for e in (embed(table, i) for i in range(4))] == [
        (1, 1),
        (2, 2),
        (3, 1),
        (1, 1),
    ]
    assert embed(table, 2, ordered=False).main == 3


def test_second_moments_are_means_of_products() -> None:
    table = mixed()
    moments = SecondMoments(table)
    columns = np.hstack([embed(table, i).columns for i in range(4)])
    np.testing.assert_allclose(moments.products, columns.T @ columns / table.n_rows, atol=1e-12)
    np.testing.assert_allclose(moments.covariance, np.cov(columns.T, bias=True), atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_order_of_rows_changes_no_digit(weighted: bool) -> None:
    order, left = RNG.permutation(3000), RNG.normal(size=(3000, 8)) * 10.0 ** np.arange(-4, 4)
    right = left * RNG.exponential(size=(3000, 1)) if weighted else left
    found = exact_products(left, right)
    np.testing.assert_array_equal(exact_products(left[order], right[order]), found)
    sizes = np.sqrt(np.outer((left**2).sum(axis=0), (right**2).sum(axis=0)))
    assert np.abs((found - left.T @ right) / sizes).max() < 1e-11


def test_moments_of_counts_are_those_of_rows():
    from graphoid.counts.native import engine_for
    from graphoid.regression.embedding import CountedMoments

    rng = np.random.default_rng(5)
    a = rng.integers(5, size=400)
    columns = {"b": (a + rng.integers(3, size=400)) % 5, "a": a, "c": rng.integers(2, size=400)}
    table = gd.read(columns)
    found, right = CountedMoments(engine_for(table)), SecondMoments(table)
    assert (found.main, found.columns, found.order) == (right.main, right.columns, right.order)
    np.testing.assert_allclose(found.means, right.means, atol=1e-12)
    np.testing.assert_allclose(found.products, right.products, atol=1e-12)
    # neither rows nor columns have an order that shows
    again = gd.read({name: column[::-1].copy() for name, column in columns.items()}).take([2, 1, 0])
    turned = CountedMoments(engine_for(again))
    order = [2, 1, 0]
    for x in range(3):
        for y in range(3):
            block = found.products[found.columns[order[x]], found.columns[order[y]]]
            assert np.array_equal(turned.products[turned.columns[x], turned.columns[y]], block)
