"""Runs as TOML: what is written is read back as it was."""

from __future__ import annotations

import tomllib

from hypothesis import given, strategies as st

from graphoid.cli.learn_options import LearnOptions, to_toml

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
)
def test_fuzz_runs_survive(file, alpha, columns, chosen):
    run = LearnOptions(file=file, alpha=alpha, columns=columns, set=chosen, learner="gsmn")
    assert LearnOptions.from_values(tomllib.loads(run.to_toml()), "here") == run


def test_what_is_said_goes_over_what_was():
    run = LearnOptions(file="a.csv", alpha=0.1, set={"x": 1, "y": 2})
    assert run.over({"alpha": None, "seed": 3, "set": {"y": 5}}) == LearnOptions(
        file="a.csv", alpha=0.1, seed=3, set={"x": 1, "y": 5}
    )
