"""The engine on a GPU gives what the native one gives; without a GPU PyTorch's processor stands in."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import CountRequest, Kernel, ScreenRequest
from graphoid.counts.gpu.choice import gpu_engine
from graphoid.counts.native import NativeEngine, engine_for, kernels
from graphoid.data.table import Table, Weights
from graphoid.data.variables import Variable
from graphoid.errors import SettingsError, SlowWarning
from graphoid.independence.tester import Tester
from graphoid.regression.residuals import BlockProducts
from tests.support.odd_codes import random_codes

pytestmark = pytest.mark.skipif(kernels() is None, reason="the kernels are switched off")


@pytest.fixture(scope="module")
def torch():
    found = pytest.importorskip("torch", reason="PyTorch is not installed: make test-gpu")
    found.set_num_threads(1)  # tests run side by side
    return found


def binary(n: int, n_rows: int, seed: int, **options: object) -> Table:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n, n_rows), dtype=np.uint8)
    codes[1::2] = np.where(rng.random(codes[1::2].shape) < 0.6, codes[::2][: len(codes[1::2])], codes[1::2])
    return Table(tuple(Variable(f"v{i}", ("0", "1")) for i in range(n)), tuple(codes), n_rows, **options)


@pytest.mark.parametrize("seed", range(24))
def test_counts_and_strongest_pairs_are_those_of_the_native_engine(torch, seed: int) -> None:
    from graphoid.counts.gpu.engine import GpuEngine
    from graphoid.counts.gpu.planes import Lines

    rng = np.random.default_rng([3, seed])
    table = random_codes(rng, most_rows=1_000)
    n = len(table.variables)
    kernel, rank = Kernel(str(rng.choice(["g", "chi_square"]))), rng.permutation(n).tolist()
    memory = int(rng.choice([2**20, 2**24, 2**28]))  # also what does not fit, which is sent block by block
    native, other = NativeEngine(table), GpuEngine(table, device="cpu", memory=memory)
    for keep in (
        ScreenRequest(int(rng.integers(1, 33))),
        ScreenRequest(5, limit=-3.0),
        ScreenRequest(0, -10.0),
    ):
        for a, b in zip(native.screen(kernel, rank, keep), other.screen(kernel, rank, keep), strict=True):
            np.testing.assert_array_equal(a, b)
    x, y = (int(v) for v in rng.choice(n, 2, replace=False))
    left, right = (Lines(np.array([v]), tuple(range(table.variables[v].arity))) for v in (x, y))
    counts = other.pair_filter(kernel.kind).planes.counts(left, right)[:, 0, :, 0].numpy()
    unit = 1.0 if table.weights is None else table.weights.unit
    np.testing.assert_array_equal(counts * unit, native.counts([CountRequest((x, y))])[0].dense())


def states_of(n: int, n_rows: int, n_states: int, *, weighted: bool = False, missing: bool = False) -> Table:
    """Return columns at random, some of them with cells that are missing."""
    rng = np.random.default_rng([n, n_rows, n_states])
    holes = frozenset(range(0, n, 3) if missing else ())
    codes = [rng.integers(0, n_states + (v in holes), n_rows).astype(np.uint8) for v in range(n)]
    weights = Weights(rng.integers(1, 2**20, n_rows), 1.0) if weighted else None
    states = tuple(map(str, range(n_states)))
    variables = tuple(Variable(f"v{i}", states) for i in range(n))
    return Table(variables, tuple(codes), n_rows, weights=weights, holes=holes)


@pytest.mark.parametrize(
    ("weighted", "missing"), [(False, False), (True, False), (False, True), (True, True)]
)
@pytest.mark.parametrize(("n", "n_rows", "n_states"), [(40, 30_000, 20), (200, 300, 3)])
def test_no_more_memory_is_taken_than_is_given(
    torch, tmp_path, monkeypatch, n: int, n_rows: int, n_states: int, *, weighted: bool, missing: bool
) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))  # watching tensors loads what makes one
    from graphoid.counts.gpu.engine import GpuEngine
    from tests.support.device_memory import PeakMemory

    table, memory = states_of(n, n_rows, n_states, weighted=weighted, missing=missing), 2**25
    engine = GpuEngine(table, device="cpu", memory=memory)
    with PeakMemory() as taken:
        engine.screen(Kernel("g"), range(n), ScreenRequest(12))
    assert memory / 256 < taken.peak < memory


def test_planes_of_all_rows_are_more_than_the_memory_where_codes_are_less(torch) -> None:
    from graphoid.counts.gpu.planes import DevicePlanes, Lines

    table = states_of(40, 6_000, 20)
    planes = DevicePlanes(table.columns, None, torch.device("cpu"), 2**20)
    every = Lines(np.arange(40), tuple(range(20)))
    assert planes.rows_at_once(Lines(np.arange(1), (0,)), every) < 600
    own = np.array([np.bincount(c, minlength=20) for c in table.columns])
    counts = planes.counts(every, every)[:, np.arange(40), :, np.arange(40)].numpy()
    assert (counts == own[:, :, None] * np.eye(20, dtype=int)).all()


def test_digits_of_weights_add_up_to_what_32_bits_hold(torch) -> None:
    from graphoid.counts.gpu.planes import MOST_WEIGHTED_ROWS, DevicePlanes, Lines

    n_rows, units = 20_000_000, np.broadcast_to(np.int64(127), 20_000_000)
    ones = np.broadcast_to(np.uint8(1), n_rows)  # no memory behind it
    line = Lines(np.arange(1), (1,))
    weighted = DevicePlanes([ones], units, torch.device("cpu"), 2**34)
    assert weighted.rows_at_once(line, line) == MOST_WEIGHTED_ROWS
    assert MOST_WEIGHTED_ROWS * 127 < 2**31 < n_rows * 127
    assert DevicePlanes([ones], None, torch.device("cpu"), 2**34).rows_at_once(line, line) == n_rows


def test_most_pairs_never_leave_the_device(torch) -> None:
    from graphoid.counts.gpu.engine import GpuEngine

    table = binary(400, 500, 0)
    chosen = GpuEngine(table, device="cpu").pair_filter("g").pairs(4, -np.inf)
    assert 400 * 2 <= len(chosen) < 400 * 8  # of 79,800


def test_pairs_whose_p_value_is_one_are_told_apart_by_rank_alone(torch) -> None:
    from graphoid.counts.gpu.engine import GpuEngine

    rng = np.random.default_rng(4)
    codes = rng.integers(0, 20, (40, 60), dtype=np.uint8)
    variables = tuple(Variable(f"v{i}", tuple(map(str, range(20)))) for i in range(40))
    light = Weights(np.ones(60, dtype=np.int64), 2.0**-10)  # statistics of .3 with 361 degrees of freedom
    table, keep, rank = (
        Table(variables, tuple(codes), 60, weights=light),
        ScreenRequest(3),
        rng.permutation(40),
    )
    native = NativeEngine(table).screen(Kernel("chi_square"), rank.tolist(), keep)
    assert (native.strength == 0).all()
    found = GpuEngine(table, device="cpu").screen(Kernel("chi_square"), rank.tolist(), keep)
    np.testing.assert_array_equal(found.partners, native.partners)


def test_where_nearly_all_pairs_tie_the_native_engine_looks_at_them(torch) -> None:
    from graphoid.counts.gpu.engine import GpuEngine

    table = binary(300, 2, 1)
    engine, keep = GpuEngine(table, device="cpu"), ScreenRequest(3)
    assert engine.pair_filter("g").pairs(3, -np.inf) is None
    for a, b in zip(
        engine.screen(Kernel("g"), range(300), keep),
        NativeEngine(table).screen(Kernel("g"), range(300), keep),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "test", [gd.ChiSquare(), gd.GTest(), gd.MantelHaenszel(), gd.BayesianTest()], ids=str
)
def test_one_variable_against_all_given_some_is_judged_alike(torch, test: gd.GTest) -> None:
    from graphoid.counts.gpu.engine import GpuEngine

    rng = np.random.default_rng(5)
    arities = rng.integers(2, 4, 600)
    codes = [rng.integers(0, r, 300).astype(np.uint8) for r in arities]
    variables = tuple(Variable(f"v{i}", tuple(map(str, range(r)))) for i, r in enumerate(arities.tolist()))
    table = Table(variables, tuple(codes), 300)
    questions = [(0, y, given) for given in ((), (1,), (2, 1)) for y in range(3, 600)] + [
        (7, 8, (9,)),
        (8, 7, ()),
    ]
    native = Tester(test, NativeEngine(table)).ask(questions)
    assert Tester(test, GpuEngine(table, device="cpu")).ask(questions) == native


@pytest.mark.parametrize("test", [gd.ChiSquare(), gd.GTest(), gd.BayesianTest()], ids=str)
def test_one_variable_against_those_before_it_is_judged_alike_to_the_last_digit(
    torch, test: gd.GTest
) -> None:
    from graphoid.counts.gpu.engine import GpuEngine

    rng = np.random.default_rng(8)
    arities = rng.integers(2, 5, 600)
    codes = [rng.integers(0, r, 150).astype(np.uint8) for r in arities]
    variables = tuple(Variable(f"v{i}", tuple(map(str, range(r)))) for i, r in enumerate(arities.tolist()))
    table = Table(variables, tuple(codes), 150)
    questions = [(598, y, (599, 300)) for y in range(598) if y != 300]
    native = Tester(test, NativeEngine(table)).ask(questions)
    assert Tester(test, GpuEngine(table, device="cpu")).ask(questions) == native


def test_groups_of_as_many_other_variables_are_told_apart(torch) -> None:
    from graphoid.counts.gpu.engine import GpuEngine

    table, rng = binary(700, 200, 6), np.random.default_rng(6)
    others = [[3, *sorted(rng.choice(np.arange(4, 700), 599, replace=False).tolist())] for _ in range(3)]
    questions = [(x, y, (2,)) for x, own in zip((0, 1, 0), others, strict=True) for y in own]
    expected = Tester(gd.GTest(), NativeEngine(table)).ask(questions)
    assert Tester(gd.GTest(), GpuEngine(table, device="cpu")).ask(questions) == expected


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_questions_of_weighted_and_of_incomplete_rows_are_judged_alike(
    torch, *, weighted: bool, missing: bool
) -> None:
    from graphoid.counts.gpu.engine import GpuEngine

    table = states_of(600, 200, 2, weighted=weighted, missing=missing)
    questions = [(0, y, (1,)) for y in range(2, 600)]
    expected = Tester(gd.ChiSquare(), NativeEngine(table)).ask(questions)
    assert Tester(gd.ChiSquare(), GpuEngine(table, device="cpu")).ask(questions) == expected


@pytest.mark.parametrize("widest", [1, 3])
@pytest.mark.parametrize("memory", [2**14, 2**26])
def test_large_products_are_found_alike(torch, widest: int, memory: int) -> None:
    from graphoid.counts.gpu.products import strong_pairs

    rng = np.random.default_rng(widest)
    widths = rng.integers(0, widest + 1, 60)
    lines = rng.normal(size=(int(widths.sum()), 40)).astype(np.float32)
    changed = (rng.random(60) < 0.5) & (widths > 0)
    limits = np.full((widest + 1, widest + 1), 100.0, dtype=np.float32)
    expected = sorted(zip(*BlockProducts().strong_pairs(lines, widths, limits, changed), strict=True))
    found = strong_pairs(lines, widths, limits, changed, torch.device("cpu"), memory)
    assert list(zip(*found, strict=True)) == expected
    assert len(expected) > 20


def test_learning_is_the_same(torch, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphoid.counts.gpu import engine
    from graphoid.learners.scored import screen

    monkeypatch.setattr(screen, "MOST_TO_LOOK_AGAIN", 10)
    monkeypatch.setattr(engine, "device_there", lambda: torch.device("cpu"))
    graph = gd.datasets.random_graph(80, 3, 1)
    table = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(0.4, 0.7), rng=1).sample(800, 2)
    found, native = (gd.learn(table, engine=name) for name in ("gpu", "native"))
    assert found.graph == native.graph
    assert found.scored == native.scored
    assert found.edge_probabilities == native.edge_probabilities


def test_without_a_gpu_one_sentence_says_who_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    table = gd.read({"a": ["x", "y"], "b": ["x", "y"]}, engine="gpu")
    with pytest.warns(
        SlowWarning, match=r"the native engine counts, since PyTorch is not installed: pip install"
    ):
        assert type(engine_for(table)) is NativeEngine


def test_a_table_that_no_gpu_counts_says_why() -> None:
    codes = np.arange(300, dtype=np.uint16)
    table = Table((Variable("place", tuple(map(str, codes))),), (codes,), 300, engine="gpu")
    with pytest.warns(SlowWarning, match=r"counts, since 'place' has 300 states and a GPU takes 254\.$"):
        assert type(engine_for(table)) is NativeEngine
    holes = gd.read({"a": ["x", None, "y"] * 9, "b": ["x", "y", "y"] * 9}, missing="weighted", engine="gpu")
    with pytest.warns(SlowWarning, match=r"counts, since missing='weighted' weighs the rows anew"):
        engine_for(holes)


def test_a_full_device_leaves_the_rest_to_the_native_engine(torch, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphoid.counts.gpu import engine

    def full(*_: object, **__: object) -> None:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    for name in ("PairFilter", "count_groups", "strong_pairs"):
        monkeypatch.setattr(engine, name, full)
    table = binary(600, 100, 3)
    questions = [(0, y, (1,)) for y in range(2, 600)]
    native, keep = NativeEngine(table), ScreenRequest(3)
    expected = Tester(gd.GTest(), native).ask(questions)
    with pytest.warns(SlowWarning, match=r"^the native engine counts, since the GPU has too little memory"):
        assert Tester(gd.GTest(), engine.GpuEngine(table, device="cpu")).ask(questions) == expected
    other = engine.GpuEngine(table, device="cpu")
    with pytest.warns(SlowWarning, match="too little memory left"):
        found = other.screen(Kernel("g"), range(600), keep)
    np.testing.assert_array_equal(found.partners, native.screen(Kernel("g"), range(600), keep).partners)
    assert Tester(gd.GTest(), other).ask(questions) == expected  # without another word


def test_a_small_table_needs_no_gpu() -> None:
    assert gpu_engine(binary(50, 100, 0), threads=2) is None
    assert gpu_engine(binary(50, 100, 0, engine="native"), threads=2) is None


def test_an_engine_that_there_is_none_of_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="engine is 'abacus'; expected one of auto, native, gpu"):
        gd.read({"a": ["x", "y"]}, engine="abacus")
    monkeypatch.setenv("GRAPHOID_ENGINE", "abacus")
    with pytest.raises(SettingsError, match="GRAPHOID_ENGINE is 'abacus'"):
        engine_for(binary(3, 10, 0))
