"""The Bayesian test: posteriors worked by hand, and in 60-digit arithmetic from the formula."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import mpmath
import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from tests.support.tables import random_table, table_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.data.table import Table

# Two rows, (0, 0) and (1, 1). With pseudo-counts of 1
#   joint model of four states:   h = (1 * 1) / (4 * 5) = 1/20
#   each margin, two states:          (1 * 1) / (2 * 3) = 1/6, so g = 1/36
#   h / g = 36/20 = 9/5; with prior 1/2, P(CI | D) = 1 / (1 + 9/5) = 5/14 and the odds are 5/9.
# Given a Z of two states of which one occurs, K = 2: p = sqrt(1/2), q / p = sqrt(2) - 1; the slice without
# rows has g = h = 1, so that the other says 1 / (1 + (sqrt(2) - 1) 9/5) and it says p = sqrt(1/2).
GIVEN_ONE = math.sqrt(1 / 2) / (1 + (math.sqrt(2) - 1) * 9 / 5)


@pytest.mark.parametrize(
    ("given", "slices", "posterior"),
    [
        ((), "all", 5 / 14),
        ((), "occurring", 5 / 14),
        ((2,), "all", GIVEN_ONE),
        ((2,), "occurring", 5 / 14),
    ],
)
def test_two_rows_worked_by_hand(given: tuple[int, ...], slices: str, posterior: float) -> None:
    table = table_of([[0, 1], [0, 1], [0, 0]], [2, 2, 2])
    for data in (table, ReferenceEngine(table)):
        test = gd.BayesianTest(slices=slices, thin=gd.ThinData())
        verdict = gd.Tester(test, data).ask([(0, 1, given)])[0]
        assert verdict.log_odds == pytest.approx(math.log(posterior / (1 - posterior)), rel=1e-14)
        assert verdict.posterior == pytest.approx(posterior, rel=1e-14)
        assert not verdict.independent


def test_two_rows_with_half_counts_worked_by_hand() -> None:
    # pseudo-counts 1/2: h = (1/2 * 1/2) / (2 * 3) = 1/24, a margin (1/2 * 1/2) / (1 * 2) = 1/8,
    # h / g = 64/24 = 8/3; prior 1/10: q / p = 9, odds 1 / (9 * 8/3) = 1/24
    table = table_of([[0, 1], [0, 1]], [2, 2])
    verdict = gd.Tester(gd.BayesianTest(pseudo_count=0.5, prior=0.1), table).ask([(0, 1, ())])[0]
    assert verdict.log_odds == pytest.approx(-math.log(24), rel=1e-14)


@pytest.mark.parametrize("prior", [0.1, 0.5, 0.9])
def test_without_rows_the_posterior_is_the_prior(prior: float) -> None:
    table = table_of([[], [], []], [2, 3, 4])
    for given, slices in product([(), (2,)], ["all", "occurring"]):
        for data in (table, ReferenceEngine(table)):
            verdict = gd.Tester(gd.BayesianTest(prior=prior, slices=slices), data).ask([(0, 1, given)])[0]
            assert verdict.posterior == pytest.approx(prior, rel=1e-14)
            assert verdict.thin


@pytest.mark.parametrize("prior", [0.1, 0.5, 0.9])
def test_rows_in_few_of_many_slices_leave_the_prior_where_it_is(prior: float) -> None:
    # One row says nothing, as h / g is 1 for it: the prior. Two unequal ones in one of 64 slices say 9/5
    # there, in proportion to q = 1 - prior^(1/64), about 1/64 of -log prior: nearly the prior.
    test = gd.BayesianTest(prior=prior)
    for rows, within in ([0], 1e-14), ([0, 1], 0.03):
        columns = [rows, rows, *([[0] * len(rows)] * 6)]
        for table in (table_of(columns, [2] * 8), ReferenceEngine(table_of(columns, [2] * 8))):
            verdict = gd.Tester(test, table).ask([(0, 1, range(2, 8))])[0]
            assert verdict.posterior == pytest.approx(prior, rel=within)


def as_printed(tables: NDArray[np.int64], prior: str) -> mpmath.mpf:
    """Return P(CI | D) by Eq. 16-20 of [Schluter2018], every factor of every product written out."""
    k = len(tables)
    p = mpmath.mpf(prior) ** (mpmath.mpf(1) / k)

    def likelihood(counts: NDArray[np.int64]) -> mpmath.mpf:
        cells = [int(c) for c in counts.flat]
        above = math.prod(math.factorial(c) for c in cells)  # Gamma(1 + c) / Gamma(1)
        return mpmath.mpf(above * math.factorial(len(cells) - 1)) / math.factorial(
            len(cells) - 1 + sum(cells)
        )

    g = [likelihood(t.sum(axis=1)) * likelihood(t.sum(axis=0)) for t in tables]
    h = [likelihood(t) for t in tables]
    apart = mpmath.fprod(p * gk for gk in g)
    either = mpmath.fprod(p * gk + (1 - p) * hk for gk, hk in zip(g, h, strict=True))
    independent, dependent = mpmath.fprod(g), (either - apart) / (1 - mpmath.mpf(prior))
    odds = (1 - mpmath.mpf(prior)) / mpmath.mpf(prior) * dependent / independent
    return 1 / (1 + odds)


@pytest.mark.parametrize("prior", ["0.5", "0.25", "0.875"])
@pytest.mark.parametrize(
    ("n_rows", "arities"), [(1, [2, 2, 2, 2]), (7, [2, 3, 4, 4]), (60, [3, 2, 8, 8]), (400, [2, 2, 5, 3, 4])]
)
def test_the_products_of_the_paper_over_all_configurations(
    n_rows: int, arities: list[int], prior: str
) -> None:
    table = random_table(n_rows, arities, seed=3)
    given = tuple(range(2, len(arities)))
    counts = np.zeros([*arities[2:], *arities[:2]], dtype=np.int64)
    np.add.at(counts, tuple(table.column(v) for v in (*given, 0, 1)), 1)
    with mpmath.workdps(60):
        expected = as_printed(counts.reshape(-1, *arities[:2]), prior)
        log_odds = float(mpmath.log(expected) - mpmath.log(1 - expected))
    for data in (table, ReferenceEngine(table)):
        verdict = gd.Tester(gd.BayesianTest(prior=float(prior)), data).ask([(0, 1, given)])[0]
        assert verdict.log_odds == pytest.approx(log_odds, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("n_given", [40, 60, 1_100])
@pytest.mark.parametrize("alike", [False, True])
def test_more_configurations_than_can_be_written(n_given: int, *, alike: bool) -> None:
    # 2^1100 is no double; all of 500 rows in one slice or each in its own
    coins = np.random.default_rng(5).integers(2, size=(n_given, 500))
    x = np.arange(500) % 2
    table = table_of([x, x, *(coins * (not alike))], [2] * (n_given + 2))
    check(table, (0, 1, tuple(range(2, n_given + 2))), gd.BayesianTest())


def worked(table: Table, question: tuple[int, int, tuple[int, ...]], test: gd.BayesianTest) -> mpmath.mpf:
    """Return -log P(CI | D) in 60 digits: log(1 + (q / p) h / g) of slices that occur, -log p of others."""
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

    total = -(k - len(slices)) * mpmath.log(p)
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
    with mpmath.workdps(60 + len(question[2])):  # p is as near to 1 as there are configurations
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
