"""Promised rates where states are rare: statistics of many cells are not chi-square there."""

import numpy as np
import pytest

import graphoid as gd
from graphoid.independence.tester import Tester
from graphoid.learners.grow_shrink.discoveries import merge_states


def skewed(seed, n=12, states=20, rows=300):
    rng = np.random.default_rng(seed)
    chances = 0.75 ** np.arange(states)
    codes = rng.choice(states, p=chances / chances.sum(), size=(rows, n))
    return gd.read({f"v{i}": [f"s{c:02}" for c in column] for i, column in enumerate(codes.T)})


@pytest.mark.parametrize("learner", [gd.GSMN(fdr=0.05), gd.GSIMN(fdr=0.05)], ids=["GSMN", "GSIMN"])
def test_no_edge_among_independent_columns_of_rare_states(learner):
    # it was some edge in every table; .05 each is promised
    assert sum(learner.fit(skewed(seed)).structure_.graph.n_edges > 0 for seed in range(8)) <= 2


def test_two_states_and_rows_enough_are_asked_once():
    rng = np.random.default_rng(1)
    table = gd.read(rng.integers(0, 2, (300, 3)))
    assert merge_states(Tester(gd.ChiSquare(), table), [(0, 1, (2,))]) == []
    assert merge_states(gd.Oracle(gd.UndirectedGraph(3, [(0, 1)])), [(0, 1, (2,))]) == []


def test_rare_states_are_asked_about_with_nothing_given_and_with_the_rest():
    tester = Tester(gd.ChiSquare(), skewed(0))
    assert [v.given for v in merge_states(tester, [(0, 1, (2,)), (0, 1, (3,))])] == [(), (2,), (3,)]
