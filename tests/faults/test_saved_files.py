"""A damaged file is refused in a sentence when it is loaded; what loads can be used."""

from __future__ import annotations

import contextlib
import json
import os
import random
import warnings

import pytest

import graphoid as gd
from graphoid.errors import DataError, GraphoidError
from graphoid.structure import document
from tests.support.damage import damage_file, saved_things, use

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
TIMES = 1_500 if LONG else 15


@pytest.fixture(scope="module")
def saved():
    return saved_things()


KINDS = (
    "structure",
    "posterior",
    "search",
    "canonical model",
    "model",
    "factors",
    "bootstrap",
    "dropped cases",
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_file_comes_back_as_it_was(saved, kind, tmp_path):
    saved[kind].save(tmp_path / "saved.json")
    assert gd.load(tmp_path / "saved.json").to_json() == saved[kind].to_json()


@pytest.mark.parametrize("kind", KINDS)
def test_fuzz_a_damaged_file_is_refused_or_can_be_used(saved, kind, tmp_path):
    text, path = saved[kind].to_json(), tmp_path / "damaged.json"
    for seed in range(TIMES):
        path.write_bytes(damage_file(text, random.Random(f"{kind} {seed}")))  # noqa: S311 - not for secrets
        try:
            load_and_use(path)
        except Exception as error:
            raise AssertionError(f"{kind}, seed {seed}: {type(error).__name__}: {error}") from error


def load_and_use(path):
    try:
        loaded = gd.load(path)
    except DataError:
        return
    with warnings.catch_warnings(), contextlib.suppress(GraphoidError):
        warnings.simplefilter("ignore")  # numbers that overflow
        use(loaded, path.with_suffix(".used"))


def altered(thing, **parts):
    body = json.loads(thing.to_json())["body"]
    return document.pack(thing.FORMAT, 1, {**body, **parts})


@pytest.mark.parametrize(
    ("kind", "parts", "says"),
    [
        ("structure", {"names": 3 * 10**9}, "expected a list, got 3000000000"),
        ("bootstrap", {"names": [str(i) for i in range(50_000)], "edges": []}, "should be 1,249,975,000"),
        ("structure", {"edges": [[0, 9]]}, "expected a whole number from 0 to 3, got 9"),
        ("structure", {"settings": []}, r"expected values by name, got \[\]"),
        ("structure", {"cost": {"n_tests": "many"}}, "got 'many'"),
        ("posterior", {"edge_probabilities": [[0, 1, 2.0]]}, "from 0 to 1, got 2.0"),
        ("model", {"weights": ["1"]}, "numbers, got"),
        ("bootstrap", {"kind": "columns"}, "expected one of rows, bayesian, cases, got 'columns'"),
    ],
)
def test_a_part_of_another_kind_is_named(saved, kind, parts, says, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(altered(saved[kind], **parts), encoding="utf-8")
    with pytest.raises(DataError, match=rf"other.json' has a part that graphoid did not write \(.*{says}"):
        gd.load(path)


@pytest.mark.parametrize("depth", [100, 900, 100_000])
def test_values_deep_within_values_are_refused(saved, depth, tmp_path):
    path = tmp_path / "deep.json"
    text = altered(saved["structure"], details={"x": "deep"})
    path.write_text(text.replace('"deep"', "[" * depth + "]" * depth), encoding="utf-8")
    with pytest.raises(DataError, match=r"deep|digest|not whole JSON"):
        gd.load(path)


@pytest.mark.parametrize("value", ["NaN", "-Infinity", r'"\ud800"'])
def test_what_json_cannot_hold_is_refused(saved, value, tmp_path):
    path = tmp_path / "odd.json"
    text = altered(saved["structure"], details={"x": "odd"}).replace('"odd"', value)
    body = json.loads(text)["body"]
    digest = json.loads(text)["digest"]
    path.write_text(text.replace(digest, document.digest(body)), encoding="utf-8")
    with pytest.raises(DataError, match="damaged or changed"):
        gd.load(path)
