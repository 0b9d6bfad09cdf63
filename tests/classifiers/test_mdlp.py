"""Fayyad and Irani's cuts against a plain recursion, and by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_iris, load_wine

import graphoid as gd
from graphoid.classifiers.mdlp import mdlp_cuts


def entropy(labels):
    n = len(labels)
    return -sum(k / n * math.log2(k / n) for k in Counter(labels).values())


def plain_cuts(pairs):
    """All cuts of (value, class) pairs, by trying every boundary at every level."""
    pairs = sorted(pairs)
    n = len(pairs)
    labels = [label for _, label in pairs]
    best = None
    for i in range(1, n):
        if pairs[i - 1][0] == pairs[i][0]:
            continue
        within = (i * entropy(labels[:i]) + (n - i) * entropy(labels[i:])) / n
        if best is None or within < best[0] - 1e-12:
            best = within, i
    if best is None:
        return []
    within, i = best
    left, right = labels[:i], labels[i:]
    k, k1, k2 = len(set(labels)), len(set(left)), len(set(right))
    delta = math.log2(3**k - 2) - (k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(labels) - within <= (math.log2(n - 1) + delta) / n:
        return []
    cut = (pairs[i - 1][0] + pairs[i][0]) / 2
    return [*plain_cuts(pairs[:i]), cut, *plain_cuts(pairs[i:])]


@pytest.mark.parametrize("seed", range(30))
def test_the_same_cuts_as_a_plain_recursion(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 200)), int(rng.integers(2, 5))
    values = np.round(rng.normal(size=n), int(rng.integers(0, 3)))
    classes = np.where(
        rng.random(n) < 0.7, np.digitize(values, [-0.8, 0.1, 0.9])[:n] % k, rng.integers(0, k, n)
    )
    expected = plain_cuts(list(zip(values.tolist(), classes.tolist(), strict=True)))
    np.testing.assert_allclose(mdlp_cuts(values, classes, k), expected)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_same_cuts_on_real_columns(load):
    X, y = load(return_X_y=True)
    for column, cuts in zip(X.T, gd.MDLPDiscretizer().fit(X, y).cuts_, strict=True):
        np.testing.assert_allclose(cuts, plain_cuts(list(zip(column.tolist(), y.tolist(), strict=True))))


def test_by_hand():
    # 4 + 4 rows, cut in the middle: gain 1 bit; (log2 7 + log2 7 - 2) / 8 = .45
    values = np.arange(8.0)
    assert mdlp_cuts(values, np.array([0] * 4 + [1] * 4), 2).tolist() == [3.5]
    # 1 + 1 rows: gain 1 bit; (log2 1 + log2 7 - 2) / 2 = .40
    assert mdlp_cuts(np.array([0.0, 1.0]), np.array([0, 1]), 2).tolist() == [0.5]
    # a class that alternates is not worth a cut; nor is a single value or a single class
    assert mdlp_cuts(values, np.arange(8) % 2, 2).tolist() == []
    assert mdlp_cuts(np.zeros(8), np.arange(8) % 2, 2).tolist() == []
    assert mdlp_cuts(values, np.zeros(8, dtype=int), 2).tolist() == []
    assert mdlp_cuts(np.empty(0), np.empty(0, dtype=int), 2).tolist() == []


def test_cuts_between_very_large_numbers_are_finite():
    largest = np.finfo(float).max
    values = np.array([largest * 0.9] * 5 + [largest] * 5)
    assert np.isfinite(mdlp_cuts(values, np.repeat([0, 1], 5), 2)).all()


def test_whole_weights_are_repeated_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] > 0.3).astype(int)
    weights = rng.integers(0, 4, 80)
    one = gd.MDLPDiscretizer().fit(X, y, sample_weight=weights)
    two = gd.MDLPDiscretizer().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for a, b in zip(one.cuts_, two.cuts_, strict=True):
        np.testing.assert_array_equal(a, b)


def test_missing_numbers_stay_missing():
    X = np.array([[0.0], [1.0], [np.nan], [10.0], [11.0], [np.nan]])
    mdlp = gd.MDLPDiscretizer().fit(X, [0, 0, 1, 1, 1, 0])
    assert mdlp.cuts_[0].tolist() == [5.5]
    np.testing.assert_array_equal(mdlp.transform(X).ravel(), [0, 0, np.nan, 1, 1, np.nan])
    assert mdlp.get_feature_names_out().tolist() == ["x0"]
