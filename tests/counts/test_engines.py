"""The choice of an engine, its settings, and what it refuses."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import CountEngine, CountRequest, JudgingEngine, refuse_if_too_large
from graphoid.counts.native import NativeEngine, available_threads, engine_for
from graphoid.counts.reference import ReferenceEngine
from graphoid.data.table import Table, Weights
from graphoid.errors import CountsTooLarge, DataError, SettingsError
from tests.support.tables import (
    NATIVE,
    SIMD,
    needs_kernels,
    random_table,
    same_counts,
    table_of,
    table_of_numbers,
)


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_table_has_one_engine() -> None:
    one, other = random_table(10, [2, 2]), random_table(10, [2, 2])
    assert engine_for(one) is engine_for(one)
    assert engine_for(one) is not engine_for(other)
    assert isinstance(engine_for(one), ReferenceEngine if NATIVE is None else NativeEngine)


def test_a_table_nobody_holds_is_let_go() -> None:
    table = random_table(10, [2, 2])
    gd.Tester(gd.ChiSquare(), table).ask([(0, 1, ())])
    gone = weakref.ref(table)
    del table
    gc.collect()
    assert gone() is None


def test_an_engine_outlives_the_table_it_was_made_for() -> None:
    ci = gd.Tester(gd.ChiSquare(), random_table(500, [2, 2, 3]))
    gc.collect()
    assert ci.ask([(0, 1, (2,))])[0].n_rows == 500


@pytest.mark.parametrize("engine", [ReferenceEngine, pytest.param(NativeEngine, marks=needs_kernels)])
def test_engines_are_what_the_protocol_says(engine: type) -> None:
    made = engine(random_table(10, [2, 3], weights="whole"))
    assert isinstance(made, CountEngine)
    assert isinstance(made, JudgingEngine) == (engine is NativeEngine)
    assert [v.arity for v in made.variables] == [2, 3]
    assert made.n_rows == made.counts([CountRequest((0,))])[0].total


SLOW = """
import warnings, graphoid as gd
from graphoid.errors import SlowWarning
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        table = gd.read({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}, discretize=None)
        gd.Tester(gd.ChiSquare(), table).ask([("a", "b", ())])
print(len([w for w in caught if w.category is SlowWarning]), [str(w.message) for w in caught])
"""


@pytest.mark.process
def test_without_kernels_it_says_so_once() -> None:
    for value in ("0", "OFF"):
        done = run(SLOW, GRAPHOID_NATIVE=value)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("1 "), done.stdout
        assert "answers are the same and come slower" in done.stdout


@pytest.mark.process
@needs_kernels
def test_with_kernels_it_says_nothing() -> None:
    assert run(SLOW, GRAPHOID_NATIVE="1").stdout.startswith("0 []")


@pytest.mark.process
def test_switched_off_kernels_are_not_used_even_when_asked_for() -> None:
    code = (
        "import graphoid as gd; from graphoid.counts.native import NativeEngine; "
        "NativeEngine(gd.datasets.load('titanic'))"
    )
    done = run(code, GRAPHOID_NATIVE="0")
    assert done.returncode == 1
    assert "SettingsError: the compiled kernels are not there; use ReferenceEngine." in done.stderr


@needs_kernels
def test_columns_and_weights_that_are_not_contiguous_are_counted_as_they_are() -> None:
    rows = np.random.default_rng(0).integers(0, 9, (5000, 2)).astype(np.uint8)
    plain = table_of(rows.T, [9, 9], weights=np.arange(5000) % 3)
    weights = Weights(np.repeat(plain.weights.units, 2)[::2])
    strided = Table(plain.variables, (rows[:, 0], rows[:, 1]), 5000, weights=weights)
    engine = NativeEngine(strided)
    other = [
        np.full(5000, 3, dtype=np.uint8) for _ in range(50)
    ]  # takes the place of copies let go too early
    same_counts(
        engine.counts([CountRequest((0, 1))])[0], ReferenceEngine(plain).counts([CountRequest((0, 1))])[0]
    )
    assert len(other) == 50


@needs_kernels
@pytest.mark.parametrize("arities", [[2, 2], [9, 8], [300, 2]])
def test_codes_beyond_their_states_are_refused(arities: list[int]) -> None:
    # a kernel would count them outside its table
    table = table_of([[0, 1, arities[0]], [0, 1, 1]], arities)
    with pytest.raises(DataError, match="'v0' has codes up to"):
        NativeEngine(table)


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5", " ", "²"])
def test_a_number_of_threads_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("GRAPHOID_THREADS", value)
    with pytest.raises(SettingsError, match="GRAPHOID_THREADS is"):
        available_threads()


def test_threads_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHOID_THREADS", "3")
    assert available_threads() == 3
    monkeypatch.setenv("GRAPHOID_THREADS", "")
    assert available_threads() >= 1


@needs_kernels
@pytest.mark.parametrize("threads", [0, -1])
def test_an_engine_refuses_a_number_of_threads_below_one(threads: int) -> None:
    with pytest.raises(SettingsError, match=f"threads is {threads}"):
        NativeEngine(random_table(10, [2, 2]), threads=threads)


@needs_kernels
def test_instruction_sets_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(10, [2, 2])
    assert "plain" in SIMD
    monkeypatch.delenv("GRAPHOID_SIMD", raising=False)
    assert NativeEngine(table).simd == SIMD[-1]
    for simd in SIMD:
        assert NativeEngine(table, simd=simd).simd == simd
        monkeypatch.setenv("GRAPHOID_SIMD", simd)
        assert NativeEngine(table).simd == simd
    with pytest.raises(SettingsError, match="no instruction set 'mmx'; it has plain"):
        NativeEngine(table, simd="mmx")
    monkeypatch.setenv("GRAPHOID_SIMD", "mmx")
    with pytest.raises(SettingsError, match="no instruction set 'mmx'"):
        NativeEngine(table)


@pytest.mark.parametrize("engine", [ReferenceEngine, pytest.param(NativeEngine, marks=needs_kernels)])
def test_a_batch_that_would_not_fit_is_refused_before_anything_is_counted(engine: type) -> None:
    made = engine(random_table(1000, [256, 256, 2]))
    requests = [CountRequest((0, 1))] * 5000
    with pytest.raises(
        CountsTooLarge, match=r"a batch of 5,000 tables would take 2\.\d GiB, the most is 2\.0 GiB"
    ):
        made.counts(requests)


def test_a_refusal_names_the_largest_table() -> None:
    engine = ReferenceEngine(random_table(10, [256, 256] + [2] * 10))
    requests = [CountRequest((2, 3))] * 10 + [CountRequest((0, 1))] * 5000
    with pytest.raises(CountsTooLarge, match=r"largest \('v0', 'v1'\) takes 512\.0 KiB"):
        refuse_if_too_large(requests, engine, 10)
    with pytest.raises(CountsTooLarge, match="and 6 more"):
        refuse_if_too_large([CountRequest(tuple(range(12)))] * 10**5, engine, 10**9)


def test_tables_far_too_large_to_write_out_are_listed_not_refused() -> None:
    engine = ReferenceEngine(random_table(100, [2] * 1100))
    refuse_if_too_large([CountRequest(tuple(range(1100)))], engine, 100)
    assert engine.counts([CountRequest(tuple(range(1100)))])[0].sparse


@pytest.mark.parametrize("engine", [ReferenceEngine, pytest.param(NativeEngine, marks=needs_kernels)])
def test_a_continuous_column_has_no_counts(engine: type) -> None:
    made = engine(table_of_numbers([[0.5, 1.5, 2.0], [1.0, 4.0, 9.0]]))
    asked = [
        lambda: made.counts([CountRequest((1,))]),
        lambda: made.counts([CountRequest((0,), ((1, 0),))]),
        lambda: gd.Tester(gd.ChiSquare(), made).ask([(0, 1, ())]),
    ]
    for ask in asked:
        with pytest.raises(DataError, match=r"'v[01]' is continuous"):
            ask()
