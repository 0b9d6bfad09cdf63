import math
from dataclasses import replace

import numpy as np
import pytest

import graphoid as gd
from graphoid.data.table import Weights
from graphoid.report.baselines import HELD_OUT, baselines, dependences


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 5_000)
    b = np.where(rng.random(5_000) < 0.9, a, 1 - a)
    c = np.where(rng.random(5_000) < 0.9, b, 1 - b)
    return gd.read({"a": a, "b": b, "c": c})


def entropy(p):
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


def test_mutual_information_of_a_noisy_copy(chain):
    bits = dependences(chain)
    # a fair coin through a binary symmetric channel with an error of .1: 1 - h(.1); two in a row err with .18
    assert bits[0, 1] == pytest.approx(1 - entropy(0.1), abs=0.03)
    assert bits[0, 2] == pytest.approx(1 - entropy(0.18), abs=0.03)


def test_bits_left_unknown_are_those_of_the_true_conditionals(chain):
    graph = gd.UndirectedGraph(["a", "b", "c"], [(0, 1), (1, 2)])
    found = {b.name.split(":")[0]: b for b in baselines(graph, chain, dependences(chain))}
    assert found["independence"].bits == pytest.approx(3.0, abs=0.01)
    # H(a|b) = H(c|b) = h(.1); H(b|a,c): a = c with probability .82, then b differs from both with .01/.82
    middle = 0.82 * entropy(0.01 / 0.82) + 0.18 * 1.0
    assert found["this network"].bits == pytest.approx(2 * entropy(0.1) + middle, abs=0.06)
    assert found["tree of the strongest pairs"].bits == pytest.approx(found["this network"].bits)
    assert found["tree of the strongest pairs"].n_edges == 2


def test_one_table_by_hand():
    # Ten rows, each fifth held out: rows 4 and 9. Of the other eight, x is 1 in two; the prior is one row a
    # state and follows the share of the states, (2 + .5) / (8 + 1) for 1. P(1) = (2 + 2 * 2.5 / 9) / (8 + 2).
    table = gd.read({"x": [1, 1, 0, 0, 1, 0, 0, 0, 0, 0]})
    assert HELD_OUT == 5
    p = (2 + 2 * 2.5 / 9) / 10
    nothing = gd.UndirectedGraph(["x"])
    assert baselines(nothing, table, None)[0].bits == pytest.approx(-(math.log2(p) + math.log2(1 - p)) / 2)
    # the first of the rows held out counts three times
    weighted = replace(table, weights=Weights.of([1, 1, 1, 1, 3, 1, 1, 1, 1, 1]))
    expected = -(3 * math.log2(p) + math.log2(1 - p)) / 4
    assert baselines(nothing, weighted, None)[0].bits == pytest.approx(expected)


def test_weighted_rows_depend_on_each_other_as_repeated_ones_do():
    rows = {"x": [0, 1, 0, 1, 1, 0, 1, 1, 0, 1], "y": [0, 1, 0, 1, 0, 0, 1, 1, 0, 1]}
    weighted = replace(gd.read(rows), weights=Weights.of(np.full(10, 3.0)))
    tripled = gd.read({k: [v for v in values for _ in range(3)] for k, values in rows.items()})
    assert dependences(weighted)[0, 1] == pytest.approx(dependences(tripled)[0, 1])
