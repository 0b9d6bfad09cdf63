"""Tail probabilities against 50-digit arithmetic, in both tails and far beyond what a double can hold."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import mpmath
import pytest

from graphoid.independence.tail import log_beta_cdf, log_chi2_sf, log_normal_two_sided
from tests.support.tables import NATIVE

if TYPE_CHECKING:
    from collections.abc import Callable

WAYS = [pytest.param(log_chi2_sf, id="plain")]
if NATIVE is not None:
    WAYS.append(pytest.param(NATIVE.log_chi2_sf, id="native"))
both_ways = pytest.mark.parametrize("log_sf", WAYS)

# Few and many; on both sides of 40, where the kernels go over from finite sums to general formulas.
DEGREES = [1, 2, 3, 4, 7, 10, 39, 40, 41, 42, 100, 101, 999, 5000, 20_001, 99_999, 100_000]


def exact(x: float, dof: float) -> mpmath.mpf:
    """Return log P(X > x) for X chi-square in 50 digits."""
    with mpmath.workdps(50):
        a, h = mpmath.mpf(dof) / 2, mpmath.mpf(x) / 2
        if h < a:
            return mpmath.log1p(-mpmath.gammainc(a, 0, h, regularized=True))
        return mpmath.log(mpmath.gammainc(a, h, mpmath.inf, regularized=True))


def points(dof: int) -> list[float]:
    """Return x over all the range, about the middle of the distribution, and where p leaves the doubles."""
    deviations = (-8, -3, -1, -0.1, 0, 0.1, 1, 3, 8, 20, 36, 38)
    shares = (0.5, 0.9, 0.999, 1, 1.001, 1.2, 5)
    found = [10.0**k for k in (-10, -7, -3, -1, 0, 1, 2, 3, 4, 5, 7)]
    found += (
        [dof + d * math.sqrt(2 * dof) for d in deviations]
        + [s * dof for s in shares]
        + [1199.9, 1200.1, 2900]
    )
    return sorted({x for x in found if 1e-10 <= x <= 1e7})


@both_ways
@pytest.mark.parametrize("dof", DEGREES)
def test_the_upper_tail_of_chi_square(log_sf: Callable[[float, float], float], dof: int) -> None:
    compared = 0
    for x in points(dof):
        try:
            right = exact(x, dof)
        except mpmath.NoConvergence:
            continue
        found = log_sf(x, dof)
        error = abs(mpmath.mpf(found) - right)
        compared += 1
        assert math.isfinite(found)
        assert found <= 0
        if right > -700:  # p is a double: relative to p
            assert error < 1e-10
        assert error < 1e-12 * abs(right) + 5e-14  # the last where p is near 1
    assert compared > 20


@both_ways
def test_a_p_value_of_one_in_ten_to_the_five_thousand(log_sf: Callable[[float, float], float]) -> None:
    for dof in (1, 2, 5, 41, 1000):
        x = 2 * 5000 * math.log(10) + dof * math.log(1e4)
        found = log_sf(x, dof)
        assert found < -4900 * math.log(10)
        assert abs(found - exact(x, dof)) < 1e-12 * abs(found)


@both_ways
def test_the_ends_of_the_range(log_sf: Callable[[float, float], float]) -> None:
    assert log_sf(0.0, 3) == 0
    assert log_sf(5.0, math.inf) == 0
    for dof in (1, 2, 3, 40, 41, 1000):
        assert log_sf(5e-324, dof) == pytest.approx(0, abs=1e-15)
        assert -math.inf < log_sf(1e300, dof) < -1e299


@both_ways
@pytest.mark.parametrize("dof", [1, 2, 7, 40, 41, 300])
def test_it_falls_as_the_statistic_grows(log_sf: Callable[[float, float], float], dof: int) -> None:
    values = [log_sf(1.02**k, dof) for k in range(-200, 900)]
    assert all(a >= b for a, b in itertools.pairwise(values))


def test_both_tails_of_the_normal_distribution() -> None:
    with mpmath.workdps(50):
        for z in (0.0, 1e-12, 0.1, 1.0, 1.96, 5.0, 37.0, 39.0, 200.0, 1e6):
            right = mpmath.log(mpmath.erfc(mpmath.mpf(z) / mpmath.sqrt(2)))
            for signed in (z, -z):
                found = log_normal_two_sided(signed)
                assert abs(found - right) <= 1e-13 * abs(right) + 2e-16
                assert found <= 0


@pytest.mark.parametrize("a", [0.5, 1.0, 7.5, 49.0, 2499.5])
@pytest.mark.parametrize("b", [0.5, 1.0, 3.0, 18.0])
def test_the_beta_distribution(a: float, b: float) -> None:
    for x in (1e-300, 1e-12, 1e-3, 0.1, 0.5, 0.9, 0.99, 0.999999):
        with mpmath.workdps(400):
            exact_log = mpmath.log(mpmath.betainc(a, b, 0, x, regularized=True))
        assert log_beta_cdf(x, a, b) == pytest.approx(float(exact_log), rel=1e-9, abs=1e-12)
    assert log_beta_cdf(1.0, a, b) == 0.0
