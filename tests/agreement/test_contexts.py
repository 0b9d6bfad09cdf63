"""Questions about contexts: next to the counts, slice by slice in Python, and one by one from the rows."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import graphoid as gd
from graphoid.counts.assignments import Assignments
from graphoid.counts.reference import ReferenceEngine
from graphoid.errors import CountsTooLarge
from graphoid.independence.contexts import ContextTester, PlainContexts
from tests.support.strategies import batches, discrete_tests, tables
from tests.support.tables import needs_kernels, random_table

CASES = [
    (300, (2, 2, 2, 2), None),
    (300, (3, 2, 5, 2), None),
    (50, (2, 9, 4, 1), None),
    (200, (300, 2, 3), None),  # two-byte codes
    (120, (90, 80, 2), None),  # a table too large to be written out, slice by slice
    (200, (3, 2, 2, 2), "whole"),
    (200, (3, 2, 2, 2), "fractional"),
]


def plainly(test, table):
    ci = ContextTester(test, table)
    ci._kernel = None
    return ci


@needs_kernels
@pytest.mark.parametrize(("n_rows", "arities", "weights"), CASES)
@pytest.mark.parametrize(
    "test", [gd.ChiSquare(), gd.GTest(), gd.BayesianTest(), gd.BayesianTest(pseudo_count=0.3)]
)
def test_the_kernel_agrees_with_the_test_itself(n_rows, arities, weights, test):
    table = random_table(n_rows, arities, 3, weights)
    native, plain = ContextTester(test, table), plainly(test, table)
    n = len(arities)
    everyone = np.arange(len(native.assignments))
    for x in range(n):
        for y in range(x + 1, n):
            for given_ in (
                [],
                [v for v in range(n) if v not in (x, y)][:1],
                [v for v in range(n) if v not in (x, y)],
            ):
                np.testing.assert_array_equal(
                    native.independent(x, y, given_, everyone), plain.independent(x, y, given_, everyone)
                )
    assert native.n_questions == plain.n_questions
    assert native.n_distinct == plain.n_distinct
    assert native.rows_read == pytest.approx(plain.rows_read)


@needs_kernels
@given(data=st.data())
def test_fuzz_contexts(data):
    table = data.draw(
        tables(most_variables=5).filter(lambda t: t.n_rows and (t.weights is None or t.weights.total))
    )
    test = data.draw(discrete_tests)
    native, plain = ContextTester(test, table), plainly(test, table)
    at = np.arange(len(native.assignments))
    for x, y, given_ in data.draw(batches(table)):
        try:
            expected = plain.independent(x, y, given_, at)
        except CountsTooLarge:  # NumPy writes the table out; two variables of 65,536 states are too many
            continue
        np.testing.assert_array_equal(native.independent(x, y, given_, at), expected)


@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.BayesianTest()])
def test_the_contexts_of_a_table_agree_with_its_rows(test):
    table = random_table(250, (2, 3, 2, 4), 1)
    together, one_by_one = ContextTester(test, table), PlainContexts(test, ReferenceEngine(table))
    codes = together.assignments.codes.tolist()
    for x, y, given_ in [(0, 1, ()), (1, 0, (3,)), (2, 3, (0, 1)), (0, 3, (1, 2))]:
        found = together.independent(x, y, given_, np.arange(len(codes)))
        expected = [one_by_one.independent(x, y, tuple((w, row[w]) for w in given_)) for row in codes]
        assert found.tolist() == expected


def test_assignments_are_the_distinct_rows():
    table = random_table(300, (2, 3, 2), 0)
    found = Assignments.of(ReferenceEngine(table))
    rows, counts = np.unique(table.codes, axis=0, return_counts=True)
    np.testing.assert_array_equal(found.codes, rows)
    np.testing.assert_array_equal(found.units, counts)
    weighted = Assignments.of(ReferenceEngine(random_table(300, (2, 3, 2), 0, "fractional")))
    assert weighted.n_rows.sum() == pytest.approx(random_table(300, (2, 3, 2), 0, "fractional").weights.total)
    assert (weighted.units > 0).all()
