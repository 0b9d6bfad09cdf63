"""Time, Ctrl-C and memory end a run soon, with the best so far or in one sentence; nothing is killed."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.engine import Logistic
from graphoid.counts.native import NativeEngine, engine_for, kernels
from graphoid.errors import CountsTooLarge, Interrupted
from graphoid.limits import OutOfTime, check_time, map_threads, time_limit
from graphoid.models.junction_tree import junction_tree
from tests.support.clock import Seconds, usual
from tests.support.ctrl_c import CtrlC

TARDY = 2.0
"""Seconds that a run may go on after its time."""

native = pytest.mark.skipif(kernels() is None, reason="kernels only")


def table_of(n_columns, arity, n_rows):
    """Columns that depend on the one before, so that blankets of many states are looked at."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(arity, size=n_rows)]
    for _ in range(n_columns - 1):
        keep = rng.random(n_rows) < 0.5
        columns.append(np.where(keep, columns[-1], rng.integers(arity, size=n_rows)))
    return gd.read({f"v{i}": column.astype(str) for i, column in enumerate(columns)})


def seconds_of(work):
    with Seconds() as seconds:
        found = work()
    return seconds.taken, found


@pytest.fixture(scope="module")
def wide():
    return table_of(70, 8, 400)


@pytest.fixture(scope="module")
def few():
    return table_of(7, 16, 1_000)


@pytest.mark.parametrize("seconds", [0, 0.05])
def test_learn_ends_in_time(wide, seconds):
    took, found = seconds_of(lambda: gd.learn(wide, seconds=usual(seconds)))
    assert took < seconds + TARDY
    assert found.stopped == "budget"
    assert "stopped early: budget" in str(found)


SLOW = gd.LogLinearEvidence(ess=None)
"""Without a table beside them, logistic models of many states are fitted whatever they take."""


@pytest.mark.parametrize(
    "learner",
    [
        gd.HillClimb(SLOW, moves="best"),
        gd.TwoPhase(SLOW),
        gd.ExhaustiveSearch(SLOW),
        gd.Posterior(SLOW, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_every_search_ends_in_time(few, learner):
    took, found = seconds_of(lambda: gd.learn(few, learner, seconds=usual(0.2)))
    assert took < 0.2 + TARDY
    assert found.stopped == "budget"


@pytest.mark.parametrize("learner", [gd.CSPC(), gd.CSGS()], ids=["CSPC", "CSGS"])
def test_graphs_of_contexts_are_as_they_are_when_the_time_ends(wide, learner):
    took, found = seconds_of(lambda: gd.learn(wide, learner, seconds=usual(0.02)))
    assert took < 0.02 + TARDY
    assert found.stopped == "budget"


def test_the_best_graph_so_far_is_the_result(few):
    heard = []
    found = gd.learn(few, gd.HillClimb(SLOW, moves="best"), seconds=usual(0.6), progress=heard.append)
    graphs = [step.so_far for step in heard if step.so_far is not None]
    assert found.graph == (graphs[-1] if graphs else gd.UndirectedGraph(few.names, []))


def test_a_particle_filter_ends_within_a_step():
    table = table_of(20, 2, 500)
    took, found = seconds_of(
        lambda: gd.PFMN(budget={"seconds": usual(0.2)}, n_particles=500, random_state=0).fit(table).structure_
    )
    assert took < 0.2 + TARDY
    assert found.stopped == "budget"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a press that Python dropped
def test_ctrl_c_gives_the_best_graph_so_far():
    table = table_of(40, 6, 3_000)
    press = CtrlC(usual(0.02), begin=False)
    with Seconds() as seconds, pytest.raises(KeyboardInterrupt) as stop, press:
        gd.learn(table, progress=lambda step: step.so_far is None or press.press_later())
    assert seconds.taken < 1 + TARDY
    assert isinstance(stop.value, Interrupted)
    assert stop.value.structure.stopped == "interrupted"


@native
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_single_call_of_a_kernel_hears_ctrl_c_and_the_clock(wide):
    engine, blanket = engine_for(wide), [(0, tuple(range(1, 13)))]
    with time_limit(usual(0.1)), pytest.raises(OutOfTime):
        engine.logistic_terms(Logistic(interactions=True, scale=1.0), blanket)
    with Seconds() as seconds, pytest.raises(KeyboardInterrupt), CtrlC(usual(0.1)):
        engine.logistic_terms(Logistic(interactions=True, scale=1.0), blanket)
    assert seconds.taken < TARDY


def test_without_a_limit_nothing_hangs_on_the_clock():
    check_time()
    with time_limit(None):
        check_time()
    with time_limit(0), pytest.raises(OutOfTime):
        check_time()
    with time_limit(0), time_limit(100), pytest.raises(OutOfTime):  # the earlier end stays
        check_time()


# Threads


def test_fewer_threads_do_where_no_more_can_be_had(monkeypatch):
    start = threading.Thread.start
    n_started = itertools.count()

    def refuse(self):
        if next(n_started):
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert map_threads(lambda x: x * x, range(20), 8) == [x * x for x in range(20)]


def test_an_error_in_one_thread_ends_the_others():
    def work(item):
        if item == 3:
            raise ValueError("no")
        while True:
            check_time()

    with pytest.raises(ValueError, match="no"):
        map_threads(work, range(4), 4)


# Memory

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
from graphoid.cli.main import run
sys.argv = ["graphoid", *sys.argv[1:]]
run()
"""


def write_states(path, third):
    rng = np.random.default_rng(0)
    lines = [f"a{rng.integers(200)},b{rng.integers(200)},{third(rng)}" for _ in range(2_000)]
    path.write_text("first,second,third\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def many_states(tmp_path_factory):
    return write_states(tmp_path_factory.mktemp("states") / "m.csv", lambda rng: rng.integers(2))


@pytest.fixture(scope="module")
def many_states_and_a_number(tmp_path_factory):
    return write_states(tmp_path_factory.mktemp("states") / "m.csv", lambda rng: rng.normal())


def learn_within_limits(path, *options):
    return subprocess.run(
        [sys.executable, "-c", LIMITED, "learn", str(path), *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GRAPHOID_MEMORY": str(2**30), "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.process
@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_many_states_have_tables_where_models_do_not_fit(many_states, options):
    done = learn_within_limits(many_states, *options)
    assert done.returncode == 0, done.stderr


@pytest.mark.process
@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_many_states_beside_a_number_are_merged(many_states_and_a_number, options):
    done = learn_within_limits(many_states_and_a_number, *options)
    assert done.returncode == 0, done.stderr


@native
def test_less_memory_gives_the_same_numbers_or_a_refusal(monkeypatch):
    table = table_of(7, 4, 1_000)
    blankets = [(x, tuple(y for y in range(4) if y != x)) for x in range(7)]
    model = Logistic(interactions=True, scale=1.0)
    wanted = NativeEngine(table, threads=2).logistic_terms(model, blankets).tolist()
    found = []
    for n_bytes in (2**12, 2**17, 2**18, 2**19, 2**24):  # the largest model takes some 100 KB
        monkeypatch.setenv("GRAPHOID_MEMORY", str(n_bytes))
        try:
            found.append(NativeEngine(table, threads=2).logistic_terms(model, blankets).tolist())
        except CountsTooLarge:
            found.append(None)
    assert found[0] is None
    assert found[-1] == wanted
    assert all(numbers in (None, wanted) for numbers in found)


def test_a_junction_tree_stays_within_memory(monkeypatch):
    monkeypatch.setenv("GRAPHOID_MEMORY", str(100_000))
    with pytest.raises(CountsTooLarge, match="GRAPHOID_MEMORY"):
        junction_tree([range(12)], [2] * 12)  # 4,096 cells in one cluster
