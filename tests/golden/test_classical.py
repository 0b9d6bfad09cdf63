"""Chi-square and G: numbers worked by hand, by SciPy, and in exact fractions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
import numpy as np
import pytest
from scipy import stats

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from tests.support.tables import random_table, table_of

if TYPE_CHECKING:
    from graphoid.data.table import Table
    from graphoid.logic.verdict import Verdict

# Z has three states. In the first slice the table and, in brackets, what independence expects:
#
#     z = 0          y = 0      y = 1                 z = 1    y = 0   y = 1
#     x = 0        10 (12)    20 (18)    30           x = 0        0       0     0
#     x = 1        30 (28)    40 (42)    70           x = 1       15       5    20
#                       40         60   100                       15       5    20
#
# Row x = 0 of the second slice is empty, and z = 2 never occurs.
#   chi-square = 4 (1/12 + 1/18 + 1/28 + 1/42) = 4 * 50/252 = 50/63, and 0 from the second slice
#   G = 2 (10 log 10/12 + 20 log 20/18 + 30 log 30/28 + 40 log 40/42), and 0 from the second slice
#   degrees of freedom: slices 1 * 1 * 2 = 2; adjusted 1 + 0 = 1; full 1 * 1 * 3 = 3
BY_HAND = (
    [(0, 0, 0)] * 10
    + [(0, 1, 0)] * 20
    + [(1, 0, 0)] * 30
    + [(1, 1, 0)] * 40
    + [(1, 0, 1)] * 15
    + [(1, 1, 1)] * 5
)
CHI_SQUARE = 50 / 63
G = 2 * (10 * math.log(10 / 12) + 20 * math.log(20 / 18) + 30 * math.log(30 / 28) + 40 * math.log(40 / 42))


def by_hand() -> Table:
    return table_of(np.array(BY_HAND).T, [2, 2, 3])


def survival(x: float, dof: int) -> float:
    """Return the upper tail of chi-square with 1, 2 or 3 degrees of freedom, from their closed forms."""
    one = math.erfc(math.sqrt(x / 2))
    return {1: one, 2: math.exp(-x / 2), 3: one + math.sqrt(2 * x / math.pi) * math.exp(-x / 2)}[dof]


@pytest.mark.parametrize(("dof", "degrees"), [("slices", 2), ("adjusted", 1), ("full", 3)])
@pytest.mark.parametrize(("kind", "statistic"), [(gd.ChiSquare, CHI_SQUARE), (gd.GTest, G)])
def test_a_table_worked_by_hand(kind: type, statistic: float, dof: str, degrees: int) -> None:
    for data in (by_hand(), ReferenceEngine(by_hand())):
        verdict = gd.Tester(kind(dof=dof), data).ask([(0, 1, (2,))])[0]
        assert verdict.statistic == pytest.approx(statistic, rel=1e-13)
        assert verdict.dof == degrees
        assert verdict.p_value == pytest.approx(survival(statistic, degrees), rel=1e-13)
        assert verdict.log_p == pytest.approx(math.log(survival(statistic, degrees)), rel=1e-13)
        assert verdict.independent
        assert verdict.n_rows == 120


def test_the_conventions_can_turn_a_verdict() -> None:
    # the table by hand ten times over: 500/63 = 7.94 is beyond 5 % for 1 and 2 degrees of freedom and for 3,
    # but beyond 2 % only for the first two: 7.82 and 9.84 are the points for 2 and 3
    table = table_of(np.array(BY_HAND * 10).T, [2, 2, 3])
    answers = {
        dof: gd.Tester(gd.ChiSquare(alpha=0.02, dof=dof), table).independent(0, 1, [2])
        for dof in ("slices", "adjusted", "full")
    }
    assert answers == {"slices": False, "adjusted": False, "full": True}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("kind", "power"), [(gd.ChiSquare, "pearson"), (gd.GTest, "log-likelihood")])
def test_unconditional_tables_as_scipy_has_them(kind: type, power: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rx, ry = (int(r) for r in rng.integers(2, 7, 2))
    observed = rng.integers(0, 10 ** int(rng.integers(1, 5)), (rx, ry))
    observed[:, 0] += 1  # no empty row
    observed[0, :] += 1  # and no empty column, which SciPy does not take
    x, y = np.divmod(np.repeat(np.arange(rx * ry), observed.ravel()), ry)
    expected = stats.chi2_contingency(observed, correction=False, lambda_=power)
    verdict = gd.Tester(kind(), table_of([x, y], [rx, ry])).ask([(0, 1, ())])[0]
    if kind is gd.GTest and williams(observed) > 0.1 * math.sqrt(2 * expected.dof):
        return  # G is not chi-square there; what is said instead is worked out in fractions below
    assert verdict.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert verdict.dof == expected.dof
    assert verdict.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    if expected.pvalue > 0:
        assert verdict.log_p == pytest.approx(math.log(expected.pvalue), rel=1e-10, abs=1e-12)


def williams(observed: np.ndarray) -> float:
    """Return by how much G exceeds its degrees of freedom on average, to first order."""
    n = observed.sum()
    return float(((n / observed.sum(axis=0)).sum() - 1) * ((n / observed.sum(axis=1)).sum() - 1) / (6 * n))


def haldane(margin_x: list[int], margin_y: list[int]) -> tuple[Fraction, Fraction, Fraction]:
    """Return mean and variance of Pearson's statistic given the margins of a slice, and the bias of G."""
    n = sum(margin_x)
    x, y = [m for m in margin_x if m], [m for m in margin_y if m]
    if n < 2 or len(x) < 2 or len(y) < 2:
        return Fraction(0), Fraction(0), Fraction(0)
    i, j = (sum(Fraction(n, m) for m in margin) for margin in (x, y))
    v, t = (Fraction((len(m) - 1) * (n - len(m)), n - 1) for m in (x, y))
    w, u = ((s - len(m) ** 2) / (n - 2) if n > 2 else Fraction(0) for s, m in ((i, x), (j, y)))
    variance = Fraction(n * n, n - 1) * w * u + (Fraction(2 * n, n - 3) * (v - w) * (t - u) if n > 3 else 0)
    return Fraction(n, n - 1) * (len(x) - 1) * (len(y) - 1), variance, (i - 1) * (j - 1) / (6 * n)


def worked(
    table: Table, x: int, y: int, given: tuple[int, ...]
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return both statistics with all degrees of freedom, slice by slice, in fractions and 40 digits."""
    rows = zip(*(table.column(v).tolist() for v in (*given, x, y)), strict=True)
    cells: Counter[tuple[int, ...]] = Counter()
    weights = [1] * table.n_rows if table.weights is None else table.weights.units.tolist()
    for row, weight in zip(rows, weights, strict=True):
        cells[row] += weight
    arity = [table.variables[v].arity for v in (*given, x, y)]
    rx, ry = arity[-2:]
    chi_square, g, dof = Fraction(0), mpmath.mpf(0), Counter({"slices": 0, "adjusted": 0})
    null = [Fraction(0)] * 3
    for z in {row[:-2] for row, weight in cells.items() if weight}:
        margin_x = [sum(cells[*z, i, j] for j in range(ry)) for i in range(rx)]
        margin_y = [sum(cells[*z, i, j] for i in range(rx)) for j in range(ry)]
        n = sum(margin_x)
        null = [a + b for a, b in zip(null, haldane(margin_x, margin_y), strict=True)]
        for i, r in enumerate(margin_x):
            for j, k in enumerate(margin_y):
                c = cells[*z, i, j]
                if r and k:
                    chi_square += (c - Fraction(r * k, n)) ** 2 / Fraction(r * k, n)
                if c:
                    g += 2 * c * mpmath.log(mpmath.mpf(c * n) / (r * k))
        dof["slices"] += (rx - 1) * (ry - 1)
        dof["adjusted"] += (sum(map(bool, margin_x)) - 1) * (sum(map(bool, margin_y)) - 1)
    dof["full"] = (rx - 1) * (ry - 1) * math.prod(arity[:-2])
    mean, variance, bias = map(float, null)
    spread = 0.1 * math.sqrt(2 * dof["adjusted"])
    scaled = (float(chi_square) * 2 * mean / variance, 2 * mean**2 / variance) if variance else None
    off = abs(2 * mean**2 - dof["adjusted"] * variance) > 0.1 * dof["adjusted"] * variance
    right = {("ChiSquare", k): (float(chi_square), dof[k]) for k in dof}
    right |= {("GTest", k): scaled if scaled and bias > spread else (float(g), dof[k]) for k in dof}
    if scaled and (mean - dof["adjusted"] > spread or off):
        right["ChiSquare", "adjusted"] = scaled
    return right


CASES = [
    ([2, 2, 2], 300, [(0, 1, (2,)), (1, 2, ())]),
    ([2, 3, 4, 2], 2000, [(0, 1, (2, 3)), (1, 2, (0,)), (2, 3, (1, 0))]),
    ([3, 3, 3, 3, 3], 200, [(0, 1, (2, 3, 4)), (4, 0, (1, 2))]),  # most slices hold a row or two
    ([2, 2, 5, 4, 3, 2], 20_000, [(0, 1, (2, 3, 4, 5)), (2, 3, (0, 1)), (2, 3, ())]),
    ([12, 9, 4], 5000, [(0, 1, (2,)), (0, 2, (1,))]),
    ([2, 2, 300], 3000, [(0, 1, (2,)), (0, 2, (1,))]),
]


@pytest.mark.parametrize(("arities", "n_rows", "questions"), CASES)
@pytest.mark.parametrize("weights", [None, "whole"])
def test_conditional_tables_worked_in_fractions(
    arities: list[int], n_rows: int, questions: list[tuple[int, int, tuple[int, ...]]], weights: str | None
) -> None:
    table = random_table(n_rows, arities, seed=11, weights=weights)
    with mpmath.workdps(40):
        expected = [worked(table, *q) for q in questions]
    for kind in (gd.ChiSquare, gd.GTest):
        for dof in ("slices", "adjusted", "full"):
            verdicts: list[Verdict] = gd.Tester(kind(dof=dof), table).ask(questions)
            for verdict, right in zip(verdicts, expected, strict=True):
                statistic, degrees = right[kind.__name__, dof]
                assert verdict.statistic == pytest.approx(statistic, rel=1e-10)
                assert verdict.dof == pytest.approx(degrees, rel=1e-12)


def test_a_table_that_is_nearly_independent_keeps_its_digits() -> None:
    # one row of 2,000,001 makes all the difference: the usual forms of both statistics lose eight digits here
    observed = [[500_000, 500_000], [500_000, 500_001]]
    x, y = np.divmod(np.repeat(np.arange(4), np.ravel(observed)), 2)
    table = table_of([x, y], [2, 2])
    expected = worked(table, 0, 1, ())
    for kind in (gd.ChiSquare, gd.GTest):
        statistic = gd.Tester(kind(), table).ask([(0, 1, ())])[0].statistic
        assert statistic == pytest.approx(expected[kind.__name__, "slices"][0], rel=1e-10)
