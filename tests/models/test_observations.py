"""Evidence in all its forms becomes the same codes."""

from __future__ import annotations

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError, UnknownVariable
from graphoid.models.observations import evidence_codes, row_codes

VARIABLES = (
    gd.Variable("sex", ("female", "male")),
    gd.Variable("class", (1, 2, 3)),
    gd.Variable("fare", ("low", "middle", "high"), ordered=True, cuts=(10.0, 50.0)),
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [-1, -1, -1]),
        ({"sex": "male"}, [1, -1, -1]),
        ({"sex": 1}, [1, -1, -1]),  # no label is a number: the code will do
        ({"class": 1}, [-1, 0, -1]),  # labels are numbers: this is one of them
        ({1: 3, "fare": "high"}, [-1, 2, 2]),
        ({"fare": 10.0}, [-1, -1, 0]),  # bins hold their upper cut point
        ({"fare": 10.5}, [-1, -1, 1]),
        ({"fare": 1e9, "class": np.int64(2)}, [-1, 1, 2]),
        ({"sex": None, "class": float("nan")}, [-1, -1, -1]),
    ],
)
def test_dictionaries(given: dict[object, object], expected: list[int]) -> None:
    codes, many = evidence_codes(given, VARIABLES)
    assert codes.tolist() == [expected]
    assert not many


ROWS = [[1, 0, -1], [0, 2, -1], [1, -1, -1]]


@pytest.mark.parametrize(
    "given",
    [
        {"sex": ["male", "female", "male"], "class": [1, 3, None]},
        {"sex": np.array(["male", "female", "male"]), "class": np.array([1, 3, np.nan])},
        np.array(ROWS),
        ROWS,
    ],
    ids=["lists", "arrays", "codes", "lists of codes"],
)
def test_many_rows(given: object) -> None:
    codes, many = evidence_codes(given, VARIABLES)
    assert codes.tolist() == ROWS
    assert many


def test_tables_and_frames_are_matched_by_name_and_label() -> None:
    pd = pytest.importorskip("pandas")
    # in the frame, states come in another order and a column is not of the model
    frame = pd.DataFrame({"class": [3, 1], "other": ["a", "b"], "sex": ["male", "female"]})
    expected = [[1, 2, -1], [0, 0, -1]]
    assert evidence_codes(frame, VARIABLES).codes.tolist() == expected
    assert evidence_codes(gd.read(frame), VARIABLES).codes.tolist() == expected
    assert evidence_codes(gd.read({"fare": [8.0, 80.0]}, discretize=None), VARIABLES).codes.tolist() == [
        [-1, -1, 0],
        [-1, -1, 2],
    ]


def test_empty_cells_of_frames_were_not_observed() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"class": pd.array([3, None, 1], dtype="Int64"), "sex": ["male", None, "female"]})
    assert evidence_codes(frame, VARIABLES).codes.tolist() == [[1, 2, -1], [-1, -1, -1], [0, 0, -1]]
    pl = pytest.importorskip("polars")
    assert evidence_codes(pl.DataFrame({"class": [2, None]}), VARIABLES).codes.tolist() == [
        [-1, 1, -1],
        [-1, -1, -1],
    ]


def test_a_line_of_codes_is_one_row() -> None:
    codes, many = evidence_codes([1, -1, 2], VARIABLES)
    assert codes.tolist() == [[1, -1, 2]]
    assert not many


def test_one_value_goes_with_a_list() -> None:
    assert evidence_codes({"sex": "male", "class": [1, 2]}, VARIABLES).codes.tolist() == [
        [1, 0, -1],
        [1, 1, -1],
    ]


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"sex": "other"}, DataError, "'other' is not a state of 'sex'; its states are 'female', 'male'"),
        ({"class": 0}, DataError, "0 is not a state of 'class'"),
        ({"class": [1, [2]]}, DataError, "not a state"),
        ({"age": 3}, UnknownVariable, "no variable is named 'age'"),
        ({"sex": "male", 0: "male"}, SettingsError, "given twice"),
        ({"sex": ["male"], "class": [1, 2]}, DataError, "equally long"),
        (np.array([[0, 0]]), DataError, "3 columns"),
        (np.array([[0.0, 0, 0]]), DataError, "whole-number codes"),
        (np.array([[0, 3, 0]]), DataError, "code 3 in row 0 is none of 'class'"),
        (np.array([[0, -2, 0]]), DataError, "code -2"),
        (gd.read({"age": [1, 2]}), DataError, "no column is a variable"),
        (17, DataError, "not int"),
    ],
)
def test_what_is_no_evidence_is_told(given: object, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        evidence_codes(given, VARIABLES)


def test_whole_rows_must_be_whole() -> None:
    assert row_codes(np.array([[0, 1, 2]]), VARIABLES).tolist() == [[0, 1, 2]]
    with pytest.raises(DataError, match="every variable; 'fare' has none"):
        row_codes({"sex": "male", "class": 1}, VARIABLES)
