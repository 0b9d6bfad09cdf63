"""Terms of variables of every kind: golden values, kernels against NumPy, and what may not change them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats

import graphoid as gd
from graphoid.counts.native import kernels
from graphoid.data.table import Weights
from graphoid.errors import DataError
from graphoid.learners.scored.graph_sampling import (
    DEVIATIONS,
    MOST_COLUMNS,
    START,
    run_chain,
    sample_graphs,
    second_moment_strengths,
)
from graphoid.regression.embedding import SecondMoments
from graphoid.regression.gaussian import LinearEvidence
from graphoid.regression.mixed import (
    MOST_GROUPS,
    MixedEngine,
    MixedReference,
    merge_rare_states,
    sort_rows,
)
from graphoid.regression.whiten import whiten_variables

pytest.importorskip("pandas")


def mixed(rows: int = 150, seed: int = 0) -> gd.Table:
    import pandas as pd

    rng = np.random.default_rng(seed)
    x, k = rng.normal(size=rows), rng.integers(0, 3, rows)
    y = x + (k == 1) + rng.normal(size=rows)
    return gd.read(
        pd.DataFrame(
            {
                "x": x,
                "town": np.array(["a", "b", "c"])[k],
                "mood": np.clip(np.round(x + rng.normal(size=rows)), -2, 2).astype(int),
                "y": np.exp(y),
                "ill": y + rng.normal(size=rows) > 0,
                "visits": rng.poisson(40, rows),
            }
        )
    )


SCORES = [
    gd.LogLinearEvidence(),
    gd.LogLinearEvidence(order=2, ess=None),
    gd.LogLinearEvidence(moment=True, ess=None, scale=0.5),
    gd.LogLinearEvidence(ordered=False, ranks=False),
]


@pytest.mark.skipif(kernels() is None, reason="without the kernels there is nothing to compare")
@pytest.mark.parametrize("score", SCORES, ids=["both", "main effects", "moment", "as they are"])
@pytest.mark.parametrize("weighted", [False, True])
def test_kernels_agree_with_numpy(score: gd.LogLinearEvidence, weighted: bool) -> None:
    table = mixed()
    if weighted:
        weights = np.random.default_rng(1).integers(0, 3, table.n_rows)
        table = replace(table, weights=Weights.of(weights))
    fast, plain = score.on(MixedEngine(table)), score.on(MixedReference(table))
    for x in range(6):
        for mask in (0, 0b1, 0b10, 0b111111, 0b101010, 0b011100):
            family = (x, mask & ~(1 << x))
            assert fast.local(*family) == pytest.approx(plain.local(*family), rel=1e-9, abs=1e-9)


def test_the_evidence_of_a_number_is_the_integral_over_its_effect() -> None:
    """Worked independently, by quadrature over the slope and the standard deviation."""
    rng = np.random.default_rng(3)
    u = rng.normal(size=20)
    y = 0.4 * u + rng.normal(size=20)
    u, y = (u - u.mean()) / u.std(), (y - y.mean()) / y.std()
    covariance, n, precision = np.cov(np.stack([u, y]), bias=True), 20, 4.0

    def log_density(slope: float) -> float:
        # slope in units of the deviation s: y ~ N(slope s u, s^2); s integrated out numerically, too
        def given(log_s: float) -> float:
            s = math.exp(log_s)
            return math.exp(stats.norm.logpdf(y, slope * s * u, s).sum() + shift + log_s)

        # the mean is that of the rows, which takes one of their n degrees of freedom
        return integrate.quad(given, -3, 3)[0]

    shift = -float(stats.norm.logpdf(y, 0, 1).sum())
    prior = stats.norm(0, precision**-0.5)
    whole = integrate.quad(lambda b: log_density(b) * prior.pdf(b), -4, 4)[0]
    evidence = LinearEvidence(covariance, [0, 1, 2], n, precision, moment=False)
    assert evidence(1, [0]) == pytest.approx(math.log(whole / log_density(0.0)), abs=0.02)
    squares = integrate.quad(lambda b: b**2 * precision * log_density(b) * prior.pdf(b), -4, 4)[0]
    moment = LinearEvidence(covariance, [0, 1, 2], n, precision, moment=True)
    assert moment(1, [0]) == pytest.approx(math.log(squares / log_density(0.0)), abs=0.1)


@pytest.mark.parametrize("score", SCORES[:3], ids=["both", "main effects", "moment"])
def test_the_order_of_rows_changes_nothing(score: gd.LogLinearEvidence) -> None:
    table = mixed()
    order = np.random.default_rng(2).permutation(table.n_rows)
    shuffled = replace(
        table,
        columns=tuple(None if c is None else c[order] for c in table.columns),
        values={i: v[order] for i, v in table.values.items()},
    )
    graph = gd.UndirectedGraph(table.names, [(0, 3), (1, 3), (3, 4), (0, 2), (2, 5)])
    assert score.value(graph, shuffled) == score.value(graph, table)
    assert gd.learn(shuffled).edge_probabilities == gd.learn(table).edge_probabilities


@pytest.mark.skipif(kernels() is None, reason="threads and instruction sets are those of the kernels")
def test_threads_and_instruction_sets_change_nothing() -> None:
    table, score = mixed(), gd.LogLinearEvidence()
    graph = gd.UndirectedGraph(table.names, [(0, 3), (1, 3), (3, 4), (0, 2), (2, 5)])
    found = {
        score.value(graph, MixedEngine(table, threads=threads, simd=simd))
        for threads, simd in [(1, None), (2, None), (1, "plain")]
    }
    assert max(found) - min(found) <= 1e-9


def test_rows_are_sorted_by_what_they_are() -> None:
    table = mixed(40)
    other = sort_rows(
        replace(
            table,
            columns=tuple(None if c is None else c[::-1].copy() for c in table.columns),
            values={i: v[::-1].copy() for i, v in table.values.items()},
        )
    )
    for i, values in sort_rows(table).values.items():
        np.testing.assert_array_equal(values, other.values[i])


def test_only_the_order_of_numbers_counts_unless_told_otherwise() -> None:
    table = mixed()
    graph = gd.UndirectedGraph(table.names, [(0, 3), (3, 4)])
    logs = replace(table, values={i: np.log1p(v - v.min()) for i, v in table.values.items()})
    assert gd.LogLinearEvidence().value(graph, logs) == gd.LogLinearEvidence().value(graph, table)
    as_is = gd.LogLinearEvidence(ranks=False)
    assert as_is.value(graph, logs) != pytest.approx(as_is.value(graph, table), abs=1e-3)


def test_gain_is_the_difference_of_values() -> None:
    table, score = mixed(), gd.LogLinearEvidence(moment=True, ess=None)
    graph = gd.UndirectedGraph(table.names, [(0, 3), (1, 3)])
    after = graph.with_edge(3, 4)
    gained = score.value(after, table) - score.value(graph, table)
    assert score.gain(graph, (3, 4), table) == pytest.approx(gained)


def test_chains_of_graphs_are_the_same_the_plain_way() -> None:
    native = kernels()
    if native is None:
        pytest.skip("without the kernels there is nothing to compare")
    white = whiten_variables(SecondMoments(mixed()), range(6))
    precisions = [deviation**-2 for deviation in DEVIATIONS]
    plain = run_chain(white, precisions, 12, 4, 7)
    fast = native.sample_graphs(*white, precisions, START, 12, 4, 7, MOST_COLUMNS)
    for a, b in zip(plain, fast, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_second_moments_tell_what_depends() -> None:
    table = mixed(400)
    moments = SecondMoments(table)
    strengths = second_moment_strengths(moments)
    assert strengths[0, 3] > 20  # x and y
    assert strengths[0, 5] < 8  # x and visits
    sample = sample_graphs(moments)
    assert sample.probabilities[0, 3] > 0.99
    assert sample.probabilities[0, 5] < 0.5
    assert 0 < sample.density < 1


def test_mixed_tables_are_learned_with_a_verdict_for_every_pair() -> None:
    found = gd.learn(mixed(600))
    joined = {frozenset((found.names[x], found.names[y])) for x, y in found.graph.edges}
    assert {frozenset("xy"), frozenset(("y", "ill")), frozenset(("x", "mood"))} <= joined
    assert not any("visits" in pair for pair in joined)
    rows = found.pairs()
    assert len(rows) == 15
    assert all(row.probability is not None and row.verdict is not None for row in rows)


@pytest.mark.parametrize(
    "learner",
    [
        gd.HillClimb(gd.LogLinearEvidence(), moves="best"),
        gd.ExhaustiveSearch(gd.LogLinearEvidence(order=2)),
        gd.Posterior(gd.LogLinearEvidence(order=2), random_state=0),
        gd.Search(gd.LogLinearEvidence(), effort="quick", random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_learners_by_score_take_mixed_tables(learner: gd.Learner) -> None:
    table = mixed(300).take([0, 1, 3, 4])
    assert learner.fit(table).structure_.graph.has_edge("x", "y")


def test_a_bootstrap_of_a_mixed_table_has_every_pair() -> None:
    found = gd.Bootstrap(n=6, random_state=0).fit(mixed(300)).result_
    assert len(found.pairs) == 15


def test_an_engine_that_only_counts_says_so() -> None:
    from graphoid.counts.reference import ReferenceEngine

    with pytest.raises(DataError, match="is continuous, and ReferenceEngine counts states"):
        gd.LogLinearEvidence().on(ReferenceEngine(mixed()))


def test_rare_states_of_very_many_count_as_one():
    rng = np.random.default_rng(6)
    town = rng.choice(40, 600, p=rng.dirichlet(np.ones(40)))
    table = gd.read(
        {"town": [f"t{k:02}" for k in town], "x": rng.normal(size=600), "rank": rng.integers(0, 5, 600)}
    )
    merged = merge_rare_states(table)
    assert merged.variables[1:] == table.variables[1:]
    found = merged.variables[0]
    assert found.arity == MOST_GROUPS
    rows = dict(zip(found.states, np.bincount(merged.column(0)), strict=True))
    counts = np.bincount(table.column(0), minlength=table.variables[0].arity)
    kept = sorted(counts, reverse=True)[: MOST_GROUPS - 1]
    assert sorted((n for state, n in rows.items() if state != "others"), reverse=True) == kept
    assert rows["others"] == 600 - sum(kept)
    few = gd.read({"town": [f"t{k % 16}" for k in town], "x": rng.normal(size=600)})
    assert merge_rare_states(few).data_id == few.data_id


def test_many_states_beside_numbers_take_seconds():
    rng = np.random.default_rng(7)
    town, effect = rng.integers(0, 67, 1_500), rng.normal(size=67) * (np.arange(67) < 5)
    x = effect[town] + rng.normal(size=1_500)
    town = np.where(rng.random(1_500) < 0.6, town % 6, town)
    x = np.where(town < 6, x + town, x)
    found = gd.learn(
        gd.read({"town": [f"t{k}" for k in town], "x": x, "y": 0.5 * x + rng.normal(size=1_500)})
    )
    assert found.graph.has_edge("town", "x")
    assert found.graph.has_edge("x", "y")
    weights = {(row.x, row.y): row.size for row in found.pairs() if row.joined}
    assert weights["town", "x"] > 0.3  # by the model of x: that of 67 states has too many weights
