"""Whatever the table and the batch, every test gives a valid verdict, the kernels the same one as NumPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.native import NativeEngine
from graphoid.counts.reference import ReferenceEngine
from tests.support.strategies import batches, discrete_tests, probabilities, tables, tables_of_numbers
from tests.support.tables import NATIVE, SIMD, needs_kernels, same_counts
from tests.support.verdicts import differences

if TYPE_CHECKING:
    from graphoid.data.table import Table
    from graphoid.logic.verdict import Verdict


def valid(verdict: Verdict, question: tuple[int, int, tuple[int, ...]]) -> None:
    """Check all that can be said of a verdict without knowing the right one."""
    assert (verdict.x, verdict.y, verdict.given) == question
    assert type(verdict.independent) is type(verdict.thin) is bool
    if verdict.p_value is not None:
        assert 0 <= verdict.p_value <= 1
        assert -math.inf < verdict.log_p <= 0
        assert verdict.p_value == math.exp(verdict.log_p)
        assert math.isfinite(verdict.statistic)
        assert verdict.dof is None or verdict.dof >= 0
        assert verdict.dof is None or verdict.statistic >= 0
    else:
        assert math.isfinite(verdict.log_odds)
        assert 0 <= verdict.posterior <= 1
    assert math.isfinite(verdict.n_rows)


def small(table: Table, question: tuple[int, int, tuple[int, ...]]) -> bool:
    """Whether NumPy judges the question without tables of many millions of cells."""
    x, y, *_ = (table.variables[v].arity for v in question[:2])
    slices = math.prod(table.variables[v].arity for v in question[2])
    return x * y * min(slices, table.n_rows) < 300_000


@given(st.data())
def test_fuzz_every_discrete_test_gives_valid_verdicts(data: st.DataObject) -> None:
    table = data.draw(tables())
    questions = [q for q in data.draw(batches(table)) if NATIVE is not None or small(table, q)]
    verdicts = gd.Tester(data.draw(discrete_tests), table).ask(questions)
    for verdict, question in zip(verdicts, questions, strict=True):
        valid(verdict, question)
        assert verdict.n_rows == (table.n_rows if table.weights is None else table.weights.total)


@needs_kernels
@given(st.data())
def test_fuzz_kernels_judge_as_numpy_does(data: st.DataObject) -> None:
    table = data.draw(tables())
    questions = [q for q in data.draw(batches(table)) if small(table, q)]
    test = data.draw(discrete_tests)
    engine = NativeEngine(table, simd=data.draw(st.sampled_from(SIMD)), threads=data.draw(st.integers(1, 2)))
    found = gd.Tester(test, engine).ask(questions)
    for one, other in zip(found, gd.Tester(test, ReferenceEngine(table)).ask(questions), strict=True):
        # logarithms of factorials of billions cancel; a verdict next to its threshold may fall on either side
        wrong = differences(
            one._replace(independent=other.independent), other, 1e-10, 1e-12 + 1e-14 * one.n_rows
        )
        assert not wrong, wrong
    order = data.draw(st.permutations(range(len(questions))))
    again = gd.Tester(test, engine).ask([questions[i] for i in order])
    assert again == [found[i] for i in order]
    fresh = gd.Tester(test, NativeEngine(table, simd=data.draw(st.sampled_from(SIMD)), threads=1))
    for i in order[:3]:
        assert fresh.ask([questions[i]]) == [found[i]]


@given(st.data())
def test_fuzz_every_engine_counts_the_same(data: st.DataObject) -> None:
    table = data.draw(tables())
    n = len(table.variables)
    requests = []
    for _ in range(data.draw(st.integers(1, 6))):
        chosen = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, n))]
        fixed = data.draw(st.lists(st.integers(0, n - 1), max_size=2))
        context = tuple((v, data.draw(st.integers(0, table.variables[v].arity - 1))) for v in fixed)
        requests.append(CountRequest(tuple(chosen), context))
    expected = ReferenceEngine(table).counts(requests)
    for simd in SIMD:
        engine = NativeEngine(table, simd=simd, threads=2)
        for found, right in zip(engine.counts(requests), expected, strict=True):
            same_counts(found, right)
    for counts in expected:
        configurations, cells = counts.occurring()
        assert cells.sum() * 1.0 == np.float64(counts.total) or counts.unit != 1.0
        assert (cells > 0).all()
        assert len(np.unique(configurations, axis=0)) == len(configurations) or not counts.variables


@given(st.data())
def test_fuzz_partial_correlation_gives_valid_verdicts(data: st.DataObject) -> None:
    table = data.draw(tables_of_numbers())
    questions = data.draw(batches(table))
    ci = gd.Tester(gd.PartialCorrelation(alpha=data.draw(probabilities)), table)
    verdicts = ci.ask(questions)
    for verdict, question in zip(verdicts, questions, strict=True):
        valid(verdict, question)
        assert verdict.independent == (verdict.p_value > ci.test.alpha)
        assert not verdict.thin or (verdict.independent and verdict.p_value == 1)
