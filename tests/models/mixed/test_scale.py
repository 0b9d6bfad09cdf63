"""Numbers to scores and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from graphoid.data.table import Weights
from graphoid.models.mixed.scale import KNOTS, Scale


def test_scores_worked_by_hand():
    # five rows 1 1 3 4 5: ranks 1.5 1.5 3 4 5 of 6, so that scores are the normal quantiles of these sixths
    scale = Scale.of(np.array([3.0, 1.0, 4.0, 1.0, 5.0]))
    raw = norm.ppf(np.array([1.5, 1.5, 3, 4, 5]) / 6)
    expected = (raw - raw.mean()) / raw.std()
    np.testing.assert_allclose(scale.encode(np.array([1.0, 1, 3, 4, 5])), expected, atol=1e-12)
    # half way between two values is half way between their scores; outside, the nearest counts
    np.testing.assert_allclose(scale.encode(np.array([3.5, -7.0])), [expected[2:4].mean(), expected[0]])
    # 1 fills ranks one and two: whatever lies between their quantiles goes back to it
    between = norm.ppf([1 / 6, 1.7 / 6, 2 / 6])
    assert scale.decode(between).tolist() == [1.0, 1.0, 1.0]


def test_what_goes_back_is_distributed_as_it_was():
    rng = np.random.default_rng(0)
    values = np.where(rng.random(4000) < 0.6, 0.0, rng.poisson(5.0, 4000)).astype(float)
    scale = Scale.of(values)
    back = scale.decode(rng.standard_normal(200_000))
    assert scale.whole
    assert np.array_equal(back, np.rint(back))
    for k in range(10):
        share = float((values == k).mean())
        assert abs(float((back == k).mean()) - share) < 5 * np.sqrt(share / 200_000) + 1e-3


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_order_and_range_are_kept(values: list[float]):
    column = np.array(values)
    scale = Scale.of(column)
    scores = scale.encode(np.sort(column))
    assert (np.diff(scores) >= 0).all()
    back = scale.decode(np.linspace(-12, 12, 50))
    assert (np.diff(back) >= 0).all()
    assert column.min() <= back.min() <= back.max() <= column.max()
    if len(set(values)) > 1 and scale.spread > 0:
        scores = scale.encode(column)
        assert abs(scores.mean()) < 1e-9
        assert abs(scores.std() - 1) < 1e-9
    else:
        assert not scores.any()


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(1)
    values, times = rng.normal(size=30).round(1), rng.integers(0, 4, 30)
    a, b = Scale.of(values, Weights.of(times)), Scale.of(np.repeat(values, times))
    np.testing.assert_allclose(a.scores, b.scores, atol=1e-12)
    np.testing.assert_array_equal(a.values, b.values)


def test_long_columns_are_kept_short():
    values = np.random.default_rng(2).lognormal(size=50_000)
    values[:20_000] = 1.0  # what many rows share stays
    scale = Scale.of(values)
    assert len(scale.values) <= 4 * KNOTS
    assert {values.min(), values.max(), 1.0} <= set(scale.values.tolist())
    raw = norm.ppf((np.searchsorted(np.sort(values), values) + 1) / 50_001)
    others = values != 1.0
    assert np.abs(scale.encode(values)[others] * scale.spread + scale.center - raw[others]).max() < 0.05


def test_a_constant_has_no_scores():
    scale = Scale.of(np.full(5, 3.25))
    assert scale.encode(np.array([3.25, 9.0])).tolist() == [0.0, 0.0]
    assert scale.decode(np.array([-2.0, 2.0])) == pytest.approx([3.25, 3.25])
