"""The Bayesian test: posteriors worked by hand, and in 60-digit arithmetic from the formula."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING

import mpmath
import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from tests.support.tables import random_table, table_of

if TYPE_CHECKING:
    from graphoid.data.table import Table

# Two rows, (0, 0) and (1, 1). With pseudo-counts of 1
#   joint model of four states:   h = (1 * 1) / (4 * 5) = 1/20
#   each margin, two states:          (1 * 1) / (2 * 3) = 1/6, so g = 1/36
#   h / g = 36/20 = 9/5; with prior 1/2, P(CI | D) = 1 / (1 + 9/5) = 5/14 and the odds are 5/9.
# Given a Z of two states of which one occurs, K = 2: p = sqrt(1/2), q / p = sqrt(2) - 1.


@pytest.mark.parametrize(
    ("given", "slices", "ratio"),
    [((), "all", 1.0), ((), "occurring", 1.0), ((2,), "all", math.sqrt(2) - 1), ((2,), "occurring", 1.0)],
)
def test_two_rows_worked_by_hand(given: tuple[int, ...], slices: str, ratio: float) -> None:
    table = table_of([[0, 1], [0, 1], [0, 0]], [2, 2, 2])
    for data in (table, ReferenceEngine(table)):
        test = gd.BayesianTest(slices=slices, thin=gd.ThinData())
        verdict = gd.Tester(test, data).ask([(0, 1, given)])[0]
        assert verdict.log_odds == pytest.approx(-math.log(ratio * 9 / 5), rel=1e-14)
        assert verdict.posterior == pytest.approx(1 / (1 + ratio * 9 / 5), rel=1e-14)
        assert verdict.independent == (ratio * 9 / 5 < 1)


def test_two_rows_with_half_counts_worked_by_hand() -> None:
    # pseudo-counts 1/2: h = (1/2 * 1/2) / (2 * 3) = 1/24, a margin (1/2 * 1/2) / (1 * 2) = 1/8,
    # h / g = 64/24 = 8/3; prior 1/10: q / p = 9, odds 1 / (9 * 8/3) = 1/24
    table = table_of([[0, 1], [0, 1]], [2, 2])
    verdict = gd.Tester(gd.BayesianTest(pseudo_count=0.5, prior=0.1), table).ask([(0, 1, ())])[0]
    assert verdict.log_odds == pytest.approx(-math.log(24), rel=1e-14)


@pytest.mark.parametrize("prior", [0.1, 0.5, 0.9])
def test_without_rows_the_posterior_is_the_prior(prior: float) -> None:
    table = table_of([[], [], []], [2, 3, 4])
    for given in ((), (2,)):
        verdict = gd.Tester(gd.BayesianTest(prior=prior), table).ask([(0, 1, given)])[0]
        assert verdict.posterior == pytest.approx(prior, rel=1e-14)
        assert verdict.thin


def worked(table: Table, question: tuple[int, int, tuple[int, ...]], test: gd.BayesianTest) -> mpmath.mpf:
    """Return -log P(CI | D) in 60 digits: the sum over slices that occur of log(1 + (q / p) h / g)."""
    x, y, given = question
    rows = zip(*(table.column(v).tolist() for v in (*given, x, y)), strict=True)
    weights = [1] * table.n_rows if table.weights is None else table.weights.units.tolist()
    unit = mpmath.mpf(1 if table.weights is None else table.weights.unit)
    slices: dict[tuple[int, ...], Counter[tuple[int, int]]] = defaultdict(Counter)
    for row, weight in zip(rows, weights, strict=True):
        if weight:
            slices[row[:-2]][row[-2:]] += weight
    arity = [table.variables[v].arity for v in (*given, x, y)]
    rx, ry = arity[-2:]
    a = mpmath.mpf(test.pseudo_count)
    k = math.prod(arity[:-2]) if test.slices == "all" else len(slices)
    p = mpmath.exp(mpmath.log(mpmath.mpf(test.prior)) / k)

    @cache
    def log_gamma(value: mpmath.mpf) -> mpmath.mpf:
        return mpmath.loggamma(value)

    def multinomial(counts: list[int], states: int) -> mpmath.mpf:
        """Return the log marginal likelihood under a Dirichlet prior, without the multinomial coefficient."""
        n = sum(counts) * unit
        cells = sum((log_gamma(a + c * unit) - log_gamma(a) for c in counts), mpmath.mpf(0))
        return cells + log_gamma(states * a) - log_gamma(states * a + n)

    total = mpmath.mpf(0)
    for cells in slices.values():
        in_x: Counter[int] = Counter()
        in_y: Counter[int] = Counter()
        for (i, j), c in cells.items():
            in_x[i] += c
            in_y[j] += c
        log_h = multinomial(list(cells.values()), rx * ry)
        log_g = multinomial(list(in_x.values()), rx) + multinomial(list(in_y.values()), ry)
        total += mpmath.log1p((1 - p) / p * mpmath.exp(log_h - log_g))
    return total


def check(table: Table, question: tuple[int, int, tuple[int, ...]], test: gd.BayesianTest) -> float:
    """Compare P and 1 - P, each relative to itself, with 60 digits; return log odds."""
    with mpmath.workdps(60):
        total = worked(table, question, test)
        log_p, log_not_p = -total, mpmath.log(-mpmath.expm1(-total))
        for data in (table, ReferenceEngine(table)):
            verdict = gd.Tester(test, data).ask([question])[0]
            odds = mpmath.exp(mpmath.mpf(verdict.log_odds))
            assert abs(mpmath.log(odds / (1 + odds)) - log_p) < 1e-11
            assert abs(-mpmath.log1p(odds) - log_not_p) < 1e-11
        return float(log_p - log_not_p)


SETTINGS = [
    gd.BayesianTest(),
    gd.BayesianTest(slices="occurring", prior=0.9),
    gd.BayesianTest(pseudo_count=0.5, prior=0.1),
    gd.BayesianTest(pseudo_count=2.7, slices="occurring"),
]


@pytest.mark.parametrize("test", SETTINGS)
@pytest.mark.parametrize(
    ("n_rows", "arities", "question"),
    [
        (1, [2, 2, 2], (0, 1, (2,))),
        (50, [2, 2, 2, 2, 2, 2], (0, 1, (2, 3, 4, 5))),
        (300, [3, 4, 5], (0, 1, (2,))),
        (20_000, [2, 2], (0, 1, ())),
        (20_000, [2, 3, 4, 2, 5], (3, 4, (0, 1, 2))),
        (20_000, [4, 300, 3], (0, 1, (2,))),
    ],
)
def test_posteriors_in_sixty_digits(
    n_rows: int, arities: list[int], question: tuple[int, int, tuple[int, ...]], test: gd.BayesianTest
) -> None:
    check(random_table(n_rows, arities, seed=7), question, test)


@pytest.mark.parametrize("test", SETTINGS)
def test_weights_are_counts(test: gd.BayesianTest) -> None:
    check(random_table(400, [2, 3, 2], weights="whole"), (0, 1, (2,)), test)
    check(random_table(400, [2, 3, 2], weights="fractional"), (0, 1, (2,)), test)


@pytest.mark.parametrize("test", SETTINGS)
def test_the_lower_tail(test: gd.BayesianTest) -> None:
    x = np.arange(20_000) % 3
    table = table_of([x, x, x % 2], [3, 3, 2])
    assert check(table, (0, 1, ()), test) < -2000 * math.log(10)
    assert check(table_of([x[:2500], x[:2500], x[:2500] % 2]), (0, 1, (2,)), test) < -300


@pytest.mark.parametrize("test", SETTINGS)
@pytest.mark.parametrize(("arity", "least"), [(10, 50), (40, 300 * math.log(10)), (50, 1500)])
def test_the_upper_tail(test: gd.BayesianTest, arity: int, least: float) -> None:
    x, y = np.divmod(np.arange(20_000) % arity**2, arity)  # all cells alike: as independent as can be
    assert check(table_of([x, y], [arity] * 2), (0, 1, ()), test) > least


def test_a_prior_next_to_nothing_and_next_to_certain() -> None:
    table = random_table(200, [2, 2, 3])
    for prior in (1e-300, 1e-12, 1 - 1e-12):
        check(table, (0, 1, (2,)), gd.BayesianTest(prior=prior))
    for data in (table, ReferenceEngine(table)):  # log 5e-324 is -744: beyond what exp can turn round
        least = gd.Tester(gd.BayesianTest(prior=5e-324), data).ask([(0, 1, ())])[0]
        usual = gd.Tester(gd.BayesianTest(), data).ask([(0, 1, ())])[0]
        assert least.log_odds == pytest.approx(usual.log_odds + math.log(5e-324), rel=1e-12)


def test_the_comparison_can_fail() -> None:
    table = random_table(300, [2, 2])
    right = worked(table, (0, 1, ()), gd.BayesianTest())
    wrong = worked(table, (0, 1, ()), gd.BayesianTest(pseudo_count=1 + 1e-9))
    assert abs(right - wrong) > 1e-11
