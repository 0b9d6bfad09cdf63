"""Likelihood ratios of mixed columns: against statsmodels 0.14, with each call quoted, and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

import graphoid as gd
from graphoid.data.table import Table, Weights
from graphoid.data.variables import Variable
from tests.support.tables import table_of
from tests.support.verdicts import same_verdicts

# 240 rows by formulas: three nominal columns, an ordered one of five states, a binary one, two of numbers.
ROW = np.arange(240)
Z = (ROW * 7 % 11) % 3
Y = (ROW * ROW // 3 + Z) % 4
X = ((ROW * 5 % 7) + Y // 2 + (Z == 2)) % 3
O = np.minimum(4, (ROW * 3 % 5 + (X == 1) + (Y > 2)) % 6)  # noqa: E741 - the ordered one
B = ((ROW * 13 % 17) + Y * 2 + X > 9).astype(int)
W = ((ROW * 37) % 241) / 241 + 0.2 * X + 0.1 * Y
U = np.sin(ROW) + 0.3 * W - 0.2 * (B == 1) + 0.1 * Z
KINDS = "nnnoncc"


def mixed_table(columns: list[np.ndarray], kinds: str, weights: object = None) -> Table:
    """Return a table of nominal (n), ordered (o) and continuous (c) columns."""
    variables = tuple(
        Variable(f"v{i}", () if k == "c" else tuple(range(int(c.max()) + 1)), ordered=k == "o")
        for i, (c, k) in enumerate(zip(columns, kinds, strict=True))
    )
    codes = tuple(None if k == "c" else c.astype(np.uint8) for c, k in zip(columns, kinds, strict=True))
    values = {i: c.astype(float) for i, (c, k) in enumerate(zip(columns, kinds, strict=True)) if k == "c"}
    drawn = None if weights is None else Weights.of(weights)
    return Table(variables, codes, len(columns[0]), values=values, weights=drawn)


TABLE = mixed_table([X, Y, Z, O, B, W, U], KINDS)

# import statsmodels.api as sm; ind = lambda a: np.eye(a.max() + 1)[a][:, 1:]; sc = O - O.mean()
# D = lambda *c: sm.add_constant(np.column_stack(c)); ns = lambda v: norm.ppf(rankdata(v) / 241)
GOLDEN = {
    # f1 = sm.MNLogit(X, D(ind(Z), ind(Y), ns(W))).fit(maxiter=200, tol=1e-14); f0 without ind(Y);
    # 2 * (f1.llf - f0.llf)
    (0, 1, (2, 5)): (7.831737988994121, 6),
    # f1 = sm.Logit(B, D(ind(Z), sc, ns(U))).fit(); f0 without sc
    (4, 3, (2, 6)): (0.17543354690434398, 1),
    # f1 = sm.OLS(ns(W), D(ind(Z), ind(Y), sc)).fit(); f0 without ind(Y)
    (5, 1, (2, 3)): (11.875495295449582, 3),
    # f1 = sm.OLS(ns(W), D(ind(Z), ns(U), sc)).fit(); f0 without ns(U)
    (5, 6, (2, 3)): (2.399526080500891, 1),
    # n, a, c, d = cells of O x X x Z; base = [indicators of (X, Z), ind(a), ind(d) * (a - 2)];
    # sm.GLM(n, base, family=sm.families.Poisson()).fit().deviance less that of base and ind(c) * (a - 2)
    (3, 0, (2,)): (16.954813260666416, 2),
    # f1 = sm.MNLogit(X, D(ind(Y))).fit(); f0 = sm.MNLogit(X, np.ones(240)).fit()
    (0, 1, ()): (6.886625231009475, 6),
}


@pytest.mark.parametrize(("question", "expected"), GOLDEN.items())
def test_twice_the_difference_of_log_likelihoods(question: tuple, expected: tuple[float, int]) -> None:
    x, y, given = question
    for verdict in gd.Tester(gd.LikelihoodRatio(), TABLE).ask([(x, y, given), (y, x, given)]):
        assert verdict.statistic == pytest.approx(expected[0], rel=1e-6)
        assert verdict.dof == expected[1]
        assert verdict.n_rows == 240
        assert not verdict.thin


def test_p_values_of_gaussian_responses_are_those_of_f() -> None:
    # f1.compare_f_test(f0) for the two models of W above: (3.9397, .009079292209389198), (2.3613, .12572...)
    ci = gd.Tester(gd.LikelihoodRatio(), TABLE)
    nominal, numbers = ci.ask([(1, 5, (3, 2)), (6, 5, (3, 2))])
    assert nominal.p_value == pytest.approx(0.009079292209389198, rel=1e-10)
    assert numbers.p_value == pytest.approx(0.1257221495275289, rel=1e-10)


def test_p_values_of_logistic_responses_have_the_factor_of_bartlett() -> None:
    # N = 240; X given Z (2 columns) and W: p = 4, Y has 3 columns, X 2: factor (240 - 4 - 3) / 240
    verdict = gd.Tester(gd.LikelihoodRatio(), TABLE).ask([(0, 1, (2, 5))])[0]
    assert verdict.p_value == pytest.approx(stats.chi2.sf(7.831737988994121 * 233 / 240, 6), rel=1e-6)


def test_bayes_factor_is_a_difference_of_bic() -> None:
    # (f1.bic - f0.bic) / 2 of the models of X and of W above
    multinomial, gaussian = gd.Tester(gd.BayesFactor(), TABLE).ask([(0, 1, (2, 5)), (5, 1, (2, 3))])
    assert multinomial.log_odds == pytest.approx(12.526048, abs=1e-5)
    assert gaussian.log_odds == pytest.approx(2.283211, abs=1e-5)
    believer = gd.Tester(gd.BayesFactor(prior=0.9), TABLE).ask([(0, 1, (2, 5))])[0]
    assert believer.log_odds - multinomial.log_odds == pytest.approx(math.log(9), rel=1e-9)


def test_ordered_pairs_against_a_general_optimizer() -> None:
    # P(o = k | p) proportional to exp(a_k + b k p): the larger model by SciPy's BFGS, the smaller by margins
    rng = np.random.default_rng(3)
    p = rng.integers(0, 4, 300)
    o = np.clip(p + rng.integers(-2, 3, 300), 0, 4)
    table = mixed_table([o, p], "oo")

    def minus_log_likelihood(w: np.ndarray) -> float:
        eta = np.append(0.0, w[:4])[None, :] + w[4] * np.arange(5)[None, :] * p[:, None]
        return -float((eta[np.arange(300), o] - np.logaddexp.reduce(eta, axis=1)).sum())

    best = optimize.minimize(minus_log_likelihood, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).fun
    margin = np.bincount(o)
    null = -float((margin * np.log(margin / 300)).sum())
    verdict = gd.Tester(gd.LikelihoodRatio(), table).ask([(0, 1, ())])[0]
    assert verdict.statistic == pytest.approx(2 * (null - best), rel=1e-6)
    assert verdict.dof == 1


def test_two_nominal_columns_have_the_statistic_of_g() -> None:
    expected = gd.Tester(gd.GTest(), table_of([X, Y])).ask([(0, 1, ())])[0]
    found = gd.Tester(gd.LikelihoodRatio(), table_of([X, Y])).ask([(0, 1, ())])[0]
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.dof == expected.dof


def test_normal_scores_correlate_as_scipy_says() -> None:
    def scores(v: np.ndarray) -> np.ndarray:
        return stats.norm.ppf(stats.rankdata(v) / 241)

    ci = gd.Tester(gd.RankPartialCorrelation(), TABLE)
    alone, given = ci.ask([(3, 5, ()), (3, 5, (6,))])
    r = np.corrcoef([scores(O), scores(W), scores(U)])
    assert alone.statistic == pytest.approx(math.sqrt(237) * math.atanh(r[0, 1]), rel=1e-10)
    partial = (r[0, 1] - r[0, 2] * r[1, 2]) / math.sqrt((1 - r[0, 2] ** 2) * (1 - r[1, 2] ** 2))
    assert given.statistic == pytest.approx(math.sqrt(236) * math.atanh(partial), rel=1e-10)
    # whatever is monotone of a number, or called of an ordered state, says nothing
    other = mixed_table([X, Y, Z, O, B, np.exp(3 * W), U**3], KINDS)
    again = gd.Tester(gd.RankPartialCorrelation(), other).ask([(3, 5, (6,))])[0]
    assert again == given


def test_a_trend_over_slices_worked_by_hand() -> None:
    # one slice: M^2 = (N - 1) r^2, here of scores 0, 1, 2 and 0, 1; [Agresti2013] section 3.4.1
    cells = {(0, 0): 5, (0, 1): 1, (1, 0): 3, (1, 1): 3, (2, 0): 1, (2, 1): 7}
    x, y = np.array([k for k, n in cells.items() for _ in range(n)]).T
    r = np.corrcoef(x, y)[0, 1]
    table = mixed_table([x, y], "on")
    verdict = gd.Tester(gd.LinearByLinear(), table).ask([(0, 1, ())])[0]
    assert verdict.statistic == pytest.approx(19 * r**2, rel=1e-12)
    assert verdict.dof == 1
    # two slices: sums of d = u'(N - E)v and of V = SS(u) SS(v) / (N - 1)
    z = np.arange(20) % 3 // 2
    d = v = 0.0
    for k in (0, 1):
        a, b = x[z == k] - x[z == k].mean(), y[z == k] - y[z == k].mean()
        d, v = d + float(a @ b), v + float(a @ a) * float(b @ b) / (len(a) - 1)
    sliced = gd.Tester(gd.LinearByLinear(), mixed_table([x, y, z], "onn")).ask([(1, 0, (2,))])[0]
    assert sliced.statistic == pytest.approx(d**2 / v, rel=1e-12)
    assert sliced.p_value == pytest.approx(stats.chi2.sf(d**2 / v, 1), rel=1e-10)


def test_mean_scores_of_a_nominal_end() -> None:
    # one slice: (N - 1) times the share of the scores' sum of squares between the states
    x, o = X, O
    between = sum((x == k).sum() * (o[x == k].mean() - o.mean()) ** 2 for k in range(3))
    whole = ((o - o.mean()) ** 2).sum()
    verdict = gd.Tester(gd.LinearByLinear(), mixed_table([x, o], "no")).ask([(0, 1, ())])[0]
    assert verdict.statistic == pytest.approx(239 * between / whole, rel=1e-12)
    assert verdict.dof == 2


@pytest.mark.parametrize("test", [gd.LikelihoodRatio(), gd.BayesFactor(), gd.RankPartialCorrelation()])
def test_weights_are_repeated_rows(test: object) -> None:
    weights = (ROW * 5) % 4
    weighted = mixed_table([X, Y, Z, O, B, W, U], KINDS, weights)
    repeated = mixed_table([np.repeat(c, weights) for c in (X, Y, Z, O, B, W, U)], KINDS)
    questions = [(5, 6, (3,)), (5, 3, (4,))]
    if not isinstance(test, gd.RankPartialCorrelation):
        questions += [(0, 1, (2, 5)), (3, 0, (2,)), (5, 1, (2, 3)), (0, 1, ())]
    a, b = (gd.Tester(test, t).ask(questions) for t in (weighted, repeated))
    same_verdicts(a, b, 1e-9)
