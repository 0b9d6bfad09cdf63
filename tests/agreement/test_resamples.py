"""Resamples learned together in the kernels, against the learner itself on each weighted table."""

import numpy as np
import pytest

import graphoid as gd
from graphoid.uncertainty import resampling
from graphoid.uncertainty.replicates import (
    graph_of,
    kernel_settings,
    learn_resamples,
    pairs_of,
)
from graphoid.uncertainty.resampling import Resampler
from tests.support.tables import SIMD, needs_kernels, random_table

pytestmark = needs_kernels

LEARNERS = [
    gd.GSIMN(),
    gd.GSIMN(check_below=None),
    gd.GSIMN(check_below=0.01, test=gd.GTest(alpha=0.01), rule="both"),
    gd.GSIMN(test=gd.ChiSquare(dof="adjusted"), skip_independent=True),
    gd.GSMN(),
    gd.GSMN(propagate=False, rule="both"),
    gd.GSMN(test=gd.MantelHaenszel(alpha=0.1)),
    gd.GSMN(test=gd.ChiSquare(dof="full"), skip_independent=True),
]


def dependent_table(seed, n_rows=300, n=7):
    """Columns of two to four states, each leaning on one before it."""
    rng = np.random.default_rng(seed)
    columns = {}
    for i in range(n):
        arity = int(rng.integers(2, 5))
        column = rng.integers(arity, size=n_rows)
        if i:
            other = columns[f"v{rng.integers(i)}"]
            column = np.where(rng.random(n_rows) < 0.4, other % arity, column)
        columns[f"v{i}"] = column
    return gd.read(columns)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("kind", ["halves", "cases"])
def test_the_same_graphs(learner, kind):
    for seed in range(3):
        table = dependent_table(seed)
        resampler = Resampler(table, kind, seed)
        assert kernel_settings(learner, resampler) is not None
        found = learn_resamples(learner, resampler, range(12)).joined
        for r in range(12):
            graph = graph_of(learner, resampler.table(r))
            assert found[r].tolist() == [graph.has_edge(*pair) for pair in pairs_of(graph.n)]


@pytest.mark.parametrize("learner", [gd.GSMN(), gd.GSIMN()], ids=repr)
def test_ties_are_broken_alike_by_name(learner):
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(2, size=12) for name in ("z", "y", "x", "b", "a")}
    resampler = Resampler(gd.read({**columns, "c": columns["y"], "w": 1 - columns["a"]}), "halves", 1)
    found = learn_resamples(learner, resampler, range(40)).joined
    for r in range(40):
        graph = graph_of(learner, resampler.table(r))
        assert found[r].tolist() == [graph.has_edge(*pair) for pair in pairs_of(graph.n)]


def test_tables_beyond_two_bytes_of_codes():
    # twenty states each: four given have more configurations, and tables more cells, than two bytes tell
    table = random_table(n_rows=400, arities=[20] * 7, seed=0)
    resampler = Resampler(table, "halves", 1)
    generous = gd.GSMN(test=gd.ChiSquare(alpha=0.9))
    found = learn_resamples(generous, resampler, range(3)).joined
    for r in range(3):
        graph = graph_of(generous, resampler.table(r))
        assert found[r].tolist() == [graph.has_edge(*pair) for pair in pairs_of(7)]


def test_more_rows_than_two_bytes_count():
    rng = np.random.default_rng(0)
    a = rng.integers(2, size=150_000)
    b = np.where(rng.random(150_000) < 0.3, a, rng.integers(2, size=150_000))
    c = np.where(rng.random(150_000) < 0.3, b, rng.integers(3, size=150_000))
    resampler = Resampler(gd.read({"a": a, "b": b, "c": c}), "halves", 1)
    found = learn_resamples(gd.GSIMN(), resampler, range(4)).joined
    for r in range(4):
        graph = graph_of(gd.GSIMN(), resampler.table(r))
        assert found[r].tolist() == [graph.has_edge(*pair) for pair in pairs_of(3)]


def test_the_same_rows_are_drawn(monkeypatch):
    row_of = np.repeat(np.arange(40, dtype=np.int32), np.arange(1, 41))
    for row_of_n in (row_of, row_of[:-1], row_of[:1]):
        quick = resampling.draw_rows(2**63 + 12345, row_of_n, 40)
        with monkeypatch.context() as without:
            without.setattr(resampling, "kernels", lambda: None)
            assert resampling.draw_rows(2**63 + 12345, row_of_n, 40).tolist() == quick.tolist()
        assert quick.sum() == len(row_of_n)


@pytest.mark.parametrize("simd", SIMD)
def test_every_instruction_set(simd, monkeypatch):
    resampler = Resampler(dependent_table(5), "halves", 2)
    monkeypatch.setenv("GRAPHOID_SIMD", simd)
    found = learn_resamples(gd.GSIMN(), resampler, range(20)).joined
    monkeypatch.setenv("GRAPHOID_SIMD", "plain")
    assert np.array_equal(found, learn_resamples(gd.GSIMN(), resampler, range(20)).joined)


def test_what_the_kernels_cannot_do_is_left_to_the_learner():
    resampler = Resampler(dependent_table(0), "halves", 1)
    for learner in (
        gd.GSIMN(preset="robust"),
        gd.GSMN(max_given=2),
        gd.GSMN(test=gd.BayesianTest()),
        gd.HillClimb(gd.MPL()),
        gd.GSMN(test=gd.ChiSquare(thin=gd.ThinData(answer="independent"))),
    ):
        assert kernel_settings(learner, resampler) is None
    for kind in ("rows", "bayesian"):  # repeated rows weigh half
        assert kernel_settings(gd.GSMN(), Resampler(dependent_table(0), kind, 1)) is None


def test_more_cells_than_two_bytes_tell_apart():
    table = random_table(n_rows=150_000, arities=[256, 256, 4], seed=2)
    resampler = Resampler(table, "halves", 1)
    assert len(resampler.counts) > 65_536
    graph = graph_of(gd.GSMN(), resampler.table(0))
    found = learn_resamples(gd.GSMN(), resampler, range(1)).joined[0]
    assert found.tolist() == [graph.has_edge(*pair) for pair in pairs_of(3)]
