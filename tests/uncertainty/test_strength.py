"""How strong an edge is: every number against a plain computation from the rows themselves."""

import math
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.native import engine_for
from graphoid.counts.reference import ReferenceEngine
from graphoid.data.table import Weights
from graphoid.errors import DataError
from graphoid.regression.coding import normal_scores
from graphoid.uncertainty.effects import Effects, sample_of
from graphoid.uncertainty.strength import MEASURES, EdgeStrength, strengths


def rows_of_three(seed, n=400, states=(2, 3, 2)):
    """x - z - y - x: a triangle with an effect in every pair."""
    rng = np.random.default_rng(seed)
    z = rng.integers(states[1], size=n)
    x = (
        (rng.random(n) < 0.2 + 0.2 * z).astype(int)
        if states[0] == 2
        else (z + rng.integers(2, size=n)) % states[0]
    )
    y = (rng.random(n) < 0.3 + 0.3 * (x > 0) - 0.1 * z).astype(int)
    return {"x": x, "z": z, "y": y}


def triangle(table):
    return gd.UndirectedGraph(table.names, [(0, 1), (0, 2), (1, 2)])


def plain_bits(x, y, z):
    """Mutual information within slices less its bias, by loops over the definition."""
    n, total, free = len(x), 0.0, 0
    for c in np.unique(z):
        here = z == c
        for a, b in product(np.unique(x[here]), np.unique(y[here])):
            p = np.mean(here & (x == a) & (y == b))
            if p:
                total += p * math.log2(
                    p * here.mean() / (np.mean(here & (x == a)) * np.mean(here & (y == b)))
                )
        free += (len(np.unique(x[here])) - 1) * (len(np.unique(y[here])) - 1)
    return total - free / (2 * n * math.log(2))


@pytest.mark.parametrize("states", [(2, 3, 2), (3, 3, 2)])
def test_bits_are_those_of_the_rows(states):
    columns = rows_of_three(1, states=states)
    table = gd.read(columns)
    found = strengths(triangle(table), table)
    x, z, y = columns.values()
    assert [(s.x, s.y, s.given) for s in found] == [
        ("x", "z", ("y",)),
        ("x", "y", ("z",)),
        ("z", "y", ("x",)),
    ]
    expected = [plain_bits(x, z, y), plain_bits(x, y, z), plain_bits(z, y, x)]
    assert [s.bits for s in found] == pytest.approx(expected, abs=1e-12)
    assert {s.unit for s in found} == {"bits"}


def test_bits_of_models_are_those_of_slices_where_both_can_be_had():
    x, _, y = rows_of_three(1, n=4000, states=(3, 3, 2)).values()
    table = gd.read({"x": np.array(list("abc"))[x], "y": y})
    effects = Effects(gd.UndirectedGraph(table.names, [(0, 1)]), table.variables, sample_of(table))
    assert effects.contribution((0, 1)).bits == pytest.approx(effects.bits_of_slices((0, 1), ()), abs=2e-5)


def test_independent_columns_have_no_bits_and_no_size():
    """Plug-in bits over 64 slices were .26 in the mean, with their bias subtracted."""
    states, found = np.array(list("abcd")), []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = gd.read({name: states[rng.integers(4, size=300)] for name in "abcde"})
        graph = gd.UndirectedGraph(table.names, [(0, 1), (0, 2), (0, 3), (0, 4)])
        found += strengths(graph, table)
    assert np.mean([s.bits for s in found]) < 0.01
    assert np.mean([s.low == 0 for s in found]) >= 0.85
    assert all(s.low <= s.size <= s.high and s.low < s.high for s in found)


def test_a_likert_pair_given_seven_has_its_sign_and_its_interval():
    """78,125 slices of 2,000 rows: slices tell nothing, models of either variable do."""
    rng = np.random.default_rng(5)
    factor = rng.normal(size=2000)
    items = {
        f"q{k}": np.digitize(0.9 * factor + rng.normal(size=2000), [-1.5, -0.5, 0.5, 1.5]) for k in range(8)
    }
    items["q0"] = 4 - items["q0"]
    table = gd.read(items)
    found = strengths(gd.UndirectedGraph(table.names, list(combinations(range(8), 2))), table)
    assert [s.sign for s in found] == [-1 if s.x == "q0" else 1 for s in found]
    for s in found:
        assert s.weight_low < s.weight < s.weight_high
        assert s.low <= s.size == abs(s.weight) <= s.high
        assert s.low < s.high


def test_too_few_rows_are_said():
    rng = np.random.default_rng(0)
    states = np.array(list("abcdef"))
    table = gd.read({name: states[rng.integers(6, size=100)] for name in "abcd"})
    found = strengths(gd.UndirectedGraph(table.names, list(combinations(range(4), 2))), table)
    assert all(s.size is s.weight is s.bits is None for s in found)
    assert (
        "cannot be estimated: a model of either has 80 weights or more, too many for 100 rows"
        in found[0].sentence
    )


def test_bits_are_never_negative():
    rng = np.random.default_rng(0)
    table = gd.read({name: rng.integers(4, size=200) for name in "abcdef"})
    pairs = [(x, y) for x in range(6) for y in range(x + 1, 6)]
    assert min(s.bits for s in strengths(gd.UndirectedGraph(table.names, pairs[:3]), table)) >= 0


def test_log_odds_of_one_table_are_worked_by_hand():
    # 30 10 / 20 40: odds ratio 30 * 40 / (10 * 20) = 6; variance 1/30 + 1/10 + 1/20 + 1/40 (Woolf), which is
    # what the pooled variance comes to for a single slice
    cells = [(0, 0, 30), (0, 1, 10), (1, 0, 20), (1, 1, 40)]
    x = np.repeat([a for a, _, _ in cells], [k for _, _, k in cells])
    y = np.repeat([b for _, b, _ in cells], [k for _, _, k in cells])
    table = gd.read({"x": x, "y": y})
    (only,) = strengths(gd.UndirectedGraph(["x", "y"], [(0, 1)]), table)
    assert only.log_odds == pytest.approx(math.log(6))
    assert only.log_odds_error == pytest.approx(math.sqrt(1 / 30 + 1 / 10 + 1 / 20 + 1 / 40))
    assert only.sign == 1
    # with half a row more in every cell, times the standard deviations of both
    assert only.weight == pytest.approx(
        math.log(30.5 * 40.5 / (10.5 * 20.5)) * math.sqrt(0.24 * 0.25), rel=1e-4
    )
    # adjusted residual (30 - 20) / sqrt(20 * (1 - .4) * (1 - .5)), but for half a row here and there
    assert abs(only.cells[0].residual) == pytest.approx(10 / math.sqrt(20 * 0.6 * 0.5), rel=0.01)
    assert "6 times as high" in only.sentence
    assert only.sentence.endswith("bits.")


def test_pooled_log_odds_by_loops():
    columns = rows_of_three(5)
    table = gd.read(columns)
    x, z, y = columns.values()
    r = s = 0.0
    parts = []
    for c in range(3):
        a, b, cc, d = (np.sum((z == c) & (x == i) & (y == j)) for i, j in product((0, 1), repeat=2))
        n = a + b + cc + d
        r, s = r + a * d / n, s + b * cc / n
        parts.append((a * d / n, b * cc / n, (a + d) / n, (b + cc) / n))
    variance = (
        sum(p * rr for rr, _, p, _ in parts) / (2 * r * r)
        + sum(p * ss + q * rr for rr, ss, p, q in parts) / (2 * r * s)
        + sum(q * ss for _, ss, _, q in parts) / (2 * s * s)
    )
    edge = strengths(triangle(table), table)[1]
    assert edge.log_odds == pytest.approx(math.log(r / s))
    assert edge.log_odds_error == pytest.approx(math.sqrt(variance))


def test_no_sign_and_no_log_odds_where_they_are_undefined():
    # no association: no sign
    table = gd.read({"color": ["red", "blue"] * 20, "size": ["big", "big", "small", "small"] * 10})
    (edge,) = strengths(gd.UndirectedGraph(table.names, [(0, 1)]), table)
    assert edge.log_odds == pytest.approx(0.0)
    assert edge.sign is None
    # one always goes with the other: no odds ratio
    table = gd.read({"a": [0, 1] * 20, "b": [0, 1] * 20})
    (edge,) = strengths(gd.UndirectedGraph(table.names, [(0, 1)]), table)
    assert edge.log_odds is None
    assert edge.log_odds_error is None
    assert edge.sign == 1
    assert edge.bits == pytest.approx(1 - 1 / (2 * 40 * math.log(2)))
    # three states without an order: none either
    table = gd.read({"a": list("abc") * 20, "b": [0, 1, 1] * 20})
    (edge,) = strengths(gd.UndirectedGraph(table.names, [(0, 1)]), table)
    assert (edge.log_odds, edge.sign, edge.weight) == (None, None, None)
    assert edge.size > 0


def test_partial_correlation_is_that_of_residuals():
    rng = np.random.default_rng(3)
    a = rng.normal(size=300)
    b = a + rng.normal(size=300)
    c = a - b + rng.normal(size=300)
    table = gd.read({"a": a, "b": b, "c": c}, discretize=None)
    found = strengths(triangle(table), table)
    a, b, c = (normal_scores(v) for v in (a, b, c))
    design = np.column_stack([np.ones(300), c])
    left = [v - design @ np.linalg.lstsq(design, v, rcond=None)[0] for v in (a, b)]
    r = np.corrcoef(*left)[0, 1]
    assert found[0].partial_correlation == pytest.approx(r)
    assert found[0].bits == pytest.approx(-0.5 * math.log2(1 - r * r))
    assert found[2].sign == -1
    assert "falls as" in found[2].sentence


def test_any_engine_gives_the_same():
    table = gd.datasets.load("titanic")
    graph = gd.learn(table, gd.GSMN()).graph
    for engine in (ReferenceEngine(table), engine_for(table)):
        for a, b in zip(strengths(graph, engine), strengths(graph, table), strict=True):
            assert (a.x, a.y, a.given, a.sentence) == (b.x, b.y, b.given, b.sentence)
            assert (a.size, a.low, a.high, a.bits) == pytest.approx((b.size, b.low, b.high, b.bits), rel=1e-6)


def test_one_batch_of_counts():
    table = gd.datasets.load("titanic")
    asked = []

    class Watched(ReferenceEngine):
        def counts(self, requests):
            asked.append(len(requests))
            return super().counts(requests)

    strengths(gd.learn(table, gd.GSMN()), Watched(table))
    assert len(asked) == 1


def test_smaller_blanket_is_given():
    # star with an edge between two leaves: hub 0 has four neighbors, leaf 3 has one
    rng = np.random.default_rng(0)
    table = gd.read({name: rng.integers(2, size=100) for name in "habcd"})
    graph = gd.UndirectedGraph(table.names, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)])
    given = {(s.x, s.y): s.given for s in strengths(graph, table)}
    assert given["h", "a"] == ("b",)
    assert given["h", "c"] == ()


def test_weights_stand_for_rows():
    columns = rows_of_three(7)
    weights = np.random.default_rng(0).integers(0, 4, size=400)
    written = gd.read({name: np.repeat(column, weights) for name, column in columns.items()})
    weighted = replace(gd.read(columns), weights=Weights.of(weights))
    for a, b in zip(
        strengths(triangle(written), written), strengths(triangle(weighted), weighted), strict=True
    ):
        assert a.bits == pytest.approx(b.bits)
        assert (a.size, a.low, a.high) == pytest.approx((b.size, b.low, b.high), rel=1e-6)
        assert [c[:2] for c in a.cells] == [c[:2] for c in b.cells]


def test_a_graph_of_other_columns_is_refused():
    table = gd.datasets.load("titanic")
    with pytest.raises(DataError, match="not the 4 columns"):
        strengths(gd.UndirectedGraph(["a", "b"], [(0, 1)]), table)


def test_every_measure_says_what_it_is():
    assert {"weight", "size", "bits", "log_odds", "partial_correlation"} <= set(MEASURES)
    assert all(m.name and m.unit and m.says.endswith(".") for m in MEASURES.values())
    assert EdgeStrength.__dataclass_params__.frozen
