"""Rows as numbers: the same as NumPy's comparison of whole rows."""

from __future__ import annotations

import numpy as np
import pytest

from graphoid.structure.configurations import distinct, row_numbers


@pytest.mark.parametrize(
    ("n_rows", "arities"),
    [
        (5, ()),
        (300, (2, 3, 2)),  # fewer possible rows than there are: marked in a table
        (300, (7, 50, 9)),  # more: sorted
        (200, (60_000,) * 9),  # more than 64 bits tell apart
        (200, (2,) * 80),
    ],
)
def test_the_same_rows_in_the_same_order_as_by_numpy(n_rows, arities):
    rng = np.random.default_rng(0)
    rows = np.array([rng.integers(0, a, n_rows) for a in arities], dtype=np.uint16).reshape(-1, n_rows).T
    rows = np.concatenate([rows, rows[: n_rows // 2]])
    found, of_row = distinct(rows)
    if not arities:  # NumPy refuses rows without columns: they are all the same
        assert found.shape == (1, 0)
        assert not of_row.any()
        return
    expected, expected_of_row = np.unique(rows, axis=0, return_inverse=True)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(of_row, expected_of_row.reshape(-1))
    numbers, span = row_numbers(rows)
    assert numbers.max(initial=-1) < span


def test_no_rows():
    found, of_row = distinct(np.empty((0, 3), dtype=np.uint16))
    assert found.shape == (0, 3)
    assert of_row.shape == (0,)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_the_largest_code_of_a_type(dtype):
    rows = np.array([[0, np.iinfo(dtype).max], [1, 3], [0, np.iinfo(dtype).max]], dtype=dtype)
    found, of_row = distinct(rows)
    assert found.tolist() == [[0, np.iinfo(dtype).max], [1, 3]]
    assert of_row.tolist() == [0, 1, 0]
