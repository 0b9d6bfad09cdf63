"""Scores worked by hand."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.reference import ReferenceEngine
from tests.golden.test_bayesian import as_printed
from tests.support.tables import random_table, table_of

JOINED = gd.UndirectedGraph(2, [(0, 1)])
APART = gd.UndirectedGraph(2)
TWO_ROWS = table_of([[0, 1], [0, 1]], [2, 2])


def value(score: gd.Score, graph: gd.UndirectedGraph, table: gd.Table) -> float:
    """Return the score, the same from the kernels and from NumPy."""
    plainly = score.on(ReferenceEngine(table)).value(graph)
    assert score.value(graph, table) == pytest.approx(plainly, rel=1e-13, abs=1e-13)
    return plainly


def test_marginal_pseudo_likelihood_of_two_rows() -> None:
    # Rows (0, 0) and (1, 1), equivalent sample size 1. Without a blanket alpha = 1/2 a state, and each
    # variable has (1/2 * 1/2) / (1 * 2) = 1/8. With the other as blanket, q = 2 and alpha = 1/4: two
    # configurations of one row, (1/4) / (1/2) = 1/2 each.
    assert value(gd.MPL(), APART, TWO_ROWS) == pytest.approx(2 * math.log(1 / 8), rel=1e-13)
    assert value(gd.MPL(), JOINED, TWO_ROWS) == pytest.approx(2 * math.log(1 / 4), rel=1e-13)


def test_marginal_pseudo_likelihood_with_another_sample_size() -> None:
    # sample size 4: alpha = 2 a state, (2 * 2) / (4 * 5) = 1/5; joined, alpha = 1 of q = 2: 1/2 a row
    assert value(gd.MPL(ess=4), APART, TWO_ROWS) == pytest.approx(2 * math.log(1 / 5), rel=1e-13)
    assert value(gd.MPL(ess=4), JOINED, TWO_ROWS) == pytest.approx(2 * math.log(1 / 4), rel=1e-13)


def test_scores_of_pairs_of_two_rows() -> None:
    # P(CI | D) = 5/14 (tests/golden/test_bayesian.py works it): IB says it from both ends, BJP once.
    assert value(gd.IBScore(), APART, TWO_ROWS) == pytest.approx(2 * math.log(5 / 14), rel=1e-13)
    assert value(gd.IBScore(), JOINED, TWO_ROWS) == pytest.approx(2 * math.log(9 / 14), rel=1e-13)
    assert value(gd.BJP(), APART, TWO_ROWS) == pytest.approx(math.log(5 / 14), rel=1e-13)
    assert value(gd.BJP(), JOINED, TWO_ROWS) == pytest.approx(math.log(9 / 14), rel=1e-13)


def test_scores_of_pairs_where_a_configuration_has_no_rows() -> None:
    # Rows (0, 0, 0) and (1, 1, 0) of 0 - 2 - 1, where state 1 of variable 2 does not occur. Given 2, 0 and 1
    # are independent with p / (1 + (1/p - 1) 9/5) for p = sqrt(1/2): the slice without rows says p.
    # 0 and 2 alone: h = 1/20, g = 1/6 * (1 * 2) / (2 * 3), and P(CI | D) = 1 / (1 + 9/10) = 10/19; given 1
    # there is a row in each slice, and the prior stays. BJP asks 0 and 1 (two configurations), not 2 (four).
    table = table_of([[0, 1], [0, 1], [0, 0]], [2, 2, 2])
    path = gd.UndirectedGraph(3, [(0, 2), (1, 2)])
    apart = math.log(math.sqrt(1 / 2) / (1 + (math.sqrt(2) - 1) * 9 / 5))
    joined = math.log(9 / 19)
    ib = 2 * (apart + joined + math.log(1 / 2))
    assert value(gd.IBScore(), path, table) == pytest.approx(ib, rel=1e-13)
    assert value(gd.BJP(), path, table) == pytest.approx(apart + 2 * joined, rel=1e-13)


@pytest.mark.parametrize("prior", ["0.5", "0.25"])
@pytest.mark.parametrize(("n_rows", "seed"), [(5, 1), (30, 2), (200, 3)])
def test_scores_by_the_products_of_the_paper_where_most_configurations_have_no_rows(
    n_rows: int, seed: int, prior: str
) -> None:
    # Every posterior from Eq. 16-20 of [Schluter2018] in 60 digits, the products over all configurations. IB
    # adds up log P(x, y | blanket of x) of all ordered pairs, BJP of each pair once, as the variable has it
    # whose blanket has fewer configurations (of equals the first).
    arities = [2, 3, 4, 2, 4, 3]
    table = random_table(n_rows, arities, seed=seed)
    graph = gd.UndirectedGraph(6, [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (4, 5), (3, 4)])
    blankets = [[y for y in range(6) if graph.has_edge(x, y)] for x in range(6)]

    def log_p(x: int, y: int) -> mpmath.mpf:
        given = [z for z in blankets[x] if z != y]
        counts = np.zeros([*(arities[z] for z in given), arities[x], arities[y]], dtype=np.int64)
        np.add.at(counts, tuple(table.column(v) for v in (*given, x, y)), 1)
        apart = as_printed(counts.reshape(-1, arities[x], arities[y]), prior)
        return mpmath.log(1 - apart if graph.has_edge(x, y) else apart)

    order = sorted(range(6), key=lambda x: (math.prod(arities[z] for z in blankets[x]), x))
    test = gd.BayesianTest(prior=float(prior))
    with mpmath.workdps(60):
        ib = float(mpmath.fsum(log_p(x, y) for x in range(6) for y in range(6) if x != y))
        bjp = float(mpmath.fsum(log_p(x, y) for i, x in enumerate(order) for y in order[i + 1 :]))
    assert value(gd.IBScore(test=test), graph, table) == pytest.approx(ib, rel=1e-11)
    assert value(gd.BJP(test=test), graph, table) == pytest.approx(bjp, rel=1e-11)


def test_the_smaller_blanket_speaks_in_the_example_of_the_paper() -> None:
    # Fig. 1 and section 3.1 of [Schluter2018]: a star around 0. From data come only
    # (1, 2 | 0), (1, 3 | 0), (2, 3 | 0) as independences and (1, 0), (2, 0), (3, 0) as dependences.
    table = table_of([[0, 1, 0, 1, 1], [0, 1, 1, 1, 0], [0, 1, 0, 0, 1], [0, 1, 0, 1, 1]], [2] * 4)
    star = gd.UndirectedGraph(4, [(0, 1), (0, 2), (0, 3)])
    ci = gd.Tester(gd.BayesianTest(), table)
    apart = ci.ask([(1, 2, (0,)), (1, 3, (0,)), (2, 3, (0,))])
    joined = ci.ask([(1, 0, ()), (2, 0, ()), (3, 0, ())])
    expected = sum(math.log(v.posterior) for v in apart) + sum(math.log(1 - v.posterior) for v in joined)
    assert value(gd.BJP(), star, table) == pytest.approx(expected, rel=1e-12)


def test_of_blankets_with_as_many_configurations_the_first_speaks() -> None:
    # Path 0 - 1 - 2 - 3 with 1 and 2 of equal size: (1, 2 | 0) is asked, and (2, 1 | 3) is not.
    table = table_of(
        [[0, 1, 0, 1, 1, 0], [0, 1, 1, 1, 0, 0], [0, 1, 0, 0, 1, 0], [0, 1, 0, 1, 1, 1]], [2] * 4
    )
    path = gd.UndirectedGraph(4, [(0, 1), (1, 2), (2, 3)])
    ci = gd.Tester(gd.BayesianTest(), table)
    (asked, other) = (v.posterior for v in ci.ask([(1, 2, (0,)), (2, 1, (3,))]))
    found = gd.BJP().on(table).pair_scores(path)[1, 2]
    assert found == pytest.approx(math.log(1 - asked), rel=1e-12)
    assert found != pytest.approx(math.log(1 - other), rel=1e-3)


def test_configurations_count_states_and_not_members() -> None:
    # 0 has one neighbor of five states, 1 has two of two states: 0 (5 configurations) speaks after 1 (4).
    columns = [
        [0, 1, 1, 0, 1, 0],
        [0, 1, 0, 0, 1, 1],
        [4, 1, 0, 3, 1, 2],
        [0, 1, 1, 1, 0, 0],
        [1, 1, 0, 1, 0, 0],
    ]
    table = table_of(columns, [2, 2, 5, 2, 2])
    graph = gd.UndirectedGraph(5, [(0, 2), (1, 3), (1, 4)])
    ((by_1, _), (by_0, _)) = (
        (v.posterior, v) for v in gd.Tester(gd.BayesianTest(), table).ask([(0, 1, (3, 4)), (0, 1, (2,))])
    )
    found = gd.BJP().on(table).pair_scores(graph)[0, 1]
    assert found == pytest.approx(math.log(by_1), rel=1e-12)
    assert found != pytest.approx(math.log(by_0), rel=1e-3)


def test_logistic_model_of_one_neighbor_is_its_table() -> None:
    # Eight rows: y = 0, 0, 0, 1 where x = 0 and y = 0, 1, 1, 1 where x = 1. With one binary neighbor the
    # logistic model can say any two probabilities: 1/4 and 3/4, and likewise from y to x.
    table = table_of([[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1]], [2, 2])
    likelihood = 2 * (3 * math.log(3 / 4) + math.log(1 / 4))
    price = 0.5 * math.log(8) + 0.5 * math.log(2)  # gamma .5
    assert value(gd.LogLinearScore(), JOINED, table) == pytest.approx(2 * (likelihood - 2 * price), rel=1e-12)
    # apart, both are fair coins with one parameter
    assert value(gd.LogLinearScore(), APART, table) == pytest.approx(
        2 * (8 * math.log(1 / 2) - price), rel=1e-12
    )
    bic = gd.LogLinearScore(gamma=0)
    assert value(bic, APART, table) == pytest.approx(2 * (8 * math.log(1 / 2) - 0.5 * math.log(8)), rel=1e-12)


def test_a_product_is_kept_where_two_neighbors_say_nothing_alone() -> None:
    # z = x xor y in 30 of 40 rows each way: main effects say nothing of z, their product says 3/4.
    x, y, z = [], [], []
    for a in (0, 1):
        for b in (0, 1):
            x += [a] * 40
            y += [b] * 40
            z += [a ^ b] * 30 + [1 - (a ^ b)] * 10
    table = table_of([x, y, z], [2, 2, 2])
    price = 0.5 * math.log(160) + 0.5 * math.log(3)
    coin = 160 * math.log(1 / 2)
    told = 120 * math.log(3 / 4) + 40 * math.log(1 / 4)
    triangle = gd.UndirectedGraph(3, [(0, 1), (0, 2), (1, 2)])
    # by symmetry the same of each variable: 3 parameters for main effects, one more for the product
    assert value(gd.LogLinearScore(), triangle, table) == pytest.approx(3 * (coin - 3 * price), rel=1e-12)
    order3 = value(gd.LogLinearScore(order=3), triangle, table)
    assert order3 == pytest.approx(3 * (told - 4 * price), rel=1e-12)
    assert order3 > value(gd.LogLinearScore(order=3), gd.UndirectedGraph(3), table)


def test_log_odds_of_priors() -> None:
    names = ("a", "b", "c")
    assert gd.SparsePrior(0.2).log_odds(names)[0, 1] == pytest.approx(math.log(1 / 4))
    prior = gd.EdgePrior({("a", "c"): 0.9}, density=0.25).log_odds(names)
    assert prior[0, 2] == prior[2, 0] == pytest.approx(math.log(9))
    assert prior[0, 1] == pytest.approx(math.log(1 / 3))
    assert prior[1, 1] == 0
