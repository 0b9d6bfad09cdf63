"""Runs as TOML: what is written is read back as it was."""

from __future__ import annotations

import tomllib

from hypothesis import given, strategies as st

from graphoid.cli.learn_options import LearnOptions, to_toml
from graphoid.data.variables import KINDS

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = st.one_of(TEXT, st.integers(-(2**62), 2**62), st.floats(allow_nan=False), st.booleans())


@given(st.one_of(PLAIN, st.lists(PLAIN)))
def test_fuzz_values_survive(value):
    assert tomllib.loads(f"value = {to_toml(value)}")["value"] == value


@given(
    file=TEXT,
    alpha=st.none() | st.floats(0, 1, exclude_min=True),
    columns=st.none() | st.lists(TEXT),
    chosen=st.dictionaries(TEXT, PLAIN),
    kinds=st.dictionaries(TEXT, st.sampled_from(KINDS)),
)
def test_fuzz_runs_survive(file, alpha, columns, chosen, kinds):
    run = LearnOptions(file=file, alpha=alpha, columns=columns, set=chosen, kind=kinds, learner="gsmn")
    assert LearnOptions.from_values(tomllib.loads(run.to_toml()), "here") == run


def test_what_is_said_goes_over_what_was():
    run = LearnOptions(file="a.csv", alpha=0.1, kind={"a": "count"}, set={"x": 1, "y": 2})
    said = {"alpha": None, "seed": 3, "kind": {"b": "ordered"}, "set": {"y": 5}}
    assert run.over(said) == LearnOptions(
        file="a.csv", alpha=0.1, seed=3, kind={"a": "count", "b": "ordered"}, set={"x": 1, "y": 5}
    )
