"""``seconds`` and Ctrl-C act soon in every phase of a run, also in those that come after the search."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time

import numpy as np
import pytest

import graphoid as gd
from graphoid.cli import progress
from graphoid.cli.clock import Clock, TimeOver
from graphoid.errors import GraphoidWarning, Interrupted, SettingsError
from graphoid.limits import MOMENT, OutOfTime, check_time, time_limit
from graphoid.uncertainty.imputation import learn_imputed
from tests.support.clock import Seconds, usual
from tests.support.ctrl_c import CtrlC
from tests.support.terminal import graphoid
from tests.support.timed import EVERYTHING, measure, most_columns, table_of

TARDY = 2.0
"""Seconds that a run may go on after its time."""


def columns_of(n_columns, arity, n_rows):
    """Columns that depend on the one before."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(arity, size=n_rows)]
    for _ in range(n_columns - 1):
        keep = rng.random(n_rows) < 0.5
        columns.append(np.where(keep, columns[-1], rng.integers(arity, size=n_rows)))
    return {f"v{i}": [f"s{code}" for code in column] for i, column in enumerate(columns)}


@pytest.fixture(scope="module")
def large():
    """A table whose edges take a minute to measure."""
    return gd.read(columns_of(8, 12, 12_000))


@pytest.fixture(scope="module")
def small():
    return gd.read(columns_of(5, 2, 300))


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    """Columns that take many seconds to learn from."""
    path = tmp_path_factory.mktemp("time") / "m.csv"
    columns = columns_of(30, 7, 3_000)
    path.write_text(
        "\n".join([",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]) + "\n"
    )
    return path


def path_of(table):
    return gd.UndirectedGraph(table.names, [(i, i + 1) for i in range(len(table.names) - 1)])


# The command


def test_a_command_ends_in_time_and_says_what_it_left_out(csv, tmp_path):
    out, limit = tmp_path / "r.json", usual(0.05)
    with Seconds() as seconds:
        done = graphoid("learn", csv, "--seconds", limit, "--out", out)
    assert done.returncode == 0
    assert seconds.taken < 0.05 + TARDY
    assert "stopped early: budget" in done.stdout
    found = gd.load(out)
    said = f"note: edges are not measured: the {limit:g} s of --seconds were over" in done.stderr
    measured = [row.size is not None for row in found.edges()]
    assert said != all(measured) or not measured  # how far it comes hangs on the machine
    assert found.settings["run"]["seconds"] == limit  # what was asked for, whatever the search got of it


def test_what_follows_the_search_shares_what_is_left(csv, tmp_path):
    w, page, out = (tmp_path / name for name in ("w.json", "r.html", "r.csv"))
    with Seconds() as seconds:
        done = graphoid(
            *("learn", csv, "--seconds", "2", "--bootstrap", "500"),
            *("--model", w, "--report", page, "--out", out),
        )
    assert seconds.taken < 2 + TARDY + 1  # a page takes a second to draw
    assert out.exists()
    assert "resamples" in done.stderr or "the bootstrap" in done.stderr
    for path in (w, page):  # each is there, or a sentence says why not
        assert path.exists() or str(path) in done.stderr.split("error: ")[-1]
    assert done.returncode == int("error: " in done.stderr)


def test_measures_are_in_files_if_there_is_time(tmp_path):
    path, out = tmp_path / "m.csv", tmp_path / "r.json"
    path.write_text("a,b,c\n" + "0,0,1\n1,1,0\n1,1,1\n0,0,0\n0,1,1\n" * 60)
    limited = graphoid("learn", path, "--seconds", "30", "--out", out)
    timed = [row._asdict() for row in gd.load(out).edges()]
    graphoid("learn", path, "--out", out)
    assert timed == [row._asdict() for row in gd.load(out).edges()]
    assert timed[0]["size"] is not None
    assert "not measured" not in limited.stderr


def test_learners_by_tests_end_in_time_and_call_what_is_left_undecided(csv, tmp_path, monkeypatch):
    out, ask = tmp_path / "r.json", gd.Tester.ask

    def ask_slowly(self, questions):
        time.sleep(0.02)  # there are some 900 batches of questions, so no machine is too quick
        return ask(self, questions)

    monkeypatch.setattr(gd.Tester, "ask", ask_slowly)
    with Seconds() as seconds:
        done = graphoid(
            "learn", csv, "--learner", "gsmn", "--seconds", "1", "--set", "regrow=50", "--out", out
        )
    assert done.returncode == 0, done.stderr
    assert seconds.taken < 1 + TARDY
    found = gd.load(out)
    assert found.stopped == "budget"
    rows = found.pairs()
    assert all(row.verdict == "undecided" for row in rows if row.joined)
    apart = {frozenset((found.names[v.x], found.names[v.y])) for v in found.trace if v.independent}
    assert all((row.verdict == "absent") == ({row.x, row.y} in apart) for row in rows if not row.joined)


def test_ctrl_c_leaves_what_no_answer_separates():
    def press(step):
        if step.phase != "testing all pairs":
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stop:
        gd.learn(table_of(100, 60, 3), gd.GSMN(), progress=press)
    found = stop.value.structure
    assert found.stopped == "interrupted"
    together = {(min(v.x, v.y), max(v.x, v.y)) for v in found.trace if not v.independent}
    apart = {(min(v.x, v.y), max(v.x, v.y)) for v in found.trace if v.independent}
    assert set(found.graph.edges) == together - apart


@pytest.mark.parametrize("learner", ["auto", "gsmn", "bjp", "directed", "csgs"])
def test_a_search_that_was_stopped_says_nothing_of_what_it_did_not_see(tmp_path, learner):
    path, page = tmp_path / "m.csv", tmp_path / "r.html"
    path.write_text("a,b,c\n" + "0,0,1\n1,1,0\n1,1,1\n0,0,0\n0,1,1\n" * 60)
    done = graphoid("learn", path, "--learner", learner, "--seconds", "0", "--report", page)
    assert "stopped early: budget" in done.stdout
    assert "would make the score higher" not in done.stdout
    assert "independent as far as the data show" not in page.read_text(encoding="utf-8")


def test_drawing_missing_cells_ends_in_time(tmp_path):
    path = tmp_path / "m.csv"
    columns = columns_of(12, 5, 2_000)
    columns["v3"][::4] = [""] * 500
    path.write_text(
        "\n".join([",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]) + "\n"
    )
    for learner in ("auto", "gsmn"):
        with Seconds() as seconds:
            done = graphoid("learn", path, "--missing", "impute", "--learner", learner, "--seconds", "0.2")
        assert seconds.taken < 0.2 + TARDY
        assert done.returncode == 0 or "before missing cells were drawn twice" in done.stderr


def test_what_is_pooled_from_a_search_that_was_stopped_is_stopped():
    columns = {name: column[:200] for name, column in columns_of(4, 2, 200).items()}
    columns["v1"][::5] = [None] * 40
    table = gd.read(columns, missing="impute")

    def learn(completed, seconds):
        assert 0 < seconds <= 60
        return gd.learn(completed, gd.GSMN(seconds=0))

    found = learn_imputed(table, learn, seconds=60)
    assert found.stopped == "budget"
    assert {row.verdict for row in found.pairs()} == {"undecided"}


def test_contexts_are_shown_as_far_as_there_is_time(tmp_path, monkeypatch):
    path = tmp_path / "m.csv"
    path.write_text("a,b,c\n" + "0,0,1\n1,1,0\n1,1,1\n0,0,0\n0,1,1\n" * 60)
    monkeypatch.setattr(Clock, "limit", lambda *_: time_limit(0))
    monkeypatch.setattr("graphoid.cli.summary.TimeOver", OutOfTime)
    done = graphoid("learn", path, "--learner", "csgs", "--json")
    assert "is not shown" in done.stderr
    assert json.loads(done.stdout)["independences"] == []


def test_a_clock_leaves_time_for_what_follows():
    clock = Clock(10.0)
    assert clock.for_search(more=False) == pytest.approx(8.5, abs=0.1)
    assert clock.for_search(more=True) == pytest.approx(5.0, abs=0.1)
    late = Clock(10.0, began=time.monotonic() - 60)
    assert late.left == 0
    assert late.for_search(more=False) == 5.0
    assert Clock(1e6).for_search(more=False) == pytest.approx(1e6 - 10, abs=1)
    assert Clock(None).for_search(more=True) is None


def test_what_is_limited_has_a_moment_and_then_raises_a_sentence():
    clock = Clock(10.0, began=time.monotonic() - 60)

    def work():
        with clock.limit("it was done"):
            check_time()
            time.sleep(MOMENT)
            check_time()

    with pytest.raises(TimeOver, match="the 10 s of --seconds were over before it was done"):
        work()


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ([], "with --seconds 60 it would end in time"),
        (["--learner", "gsmn"], "and keeps what it has; with --seconds 60"),
        (["--learner", "csgs"], "and keeps what it has; with --seconds 60"),
    ],
)
def test_a_run_without_an_end_says_so_when_it_takes_long(csv, monkeypatch, words, remedy):
    monkeypatch.setattr(progress, "LATE", 0.0)
    learned = []

    def learn(*_, **__):
        learned.append(time.sleep(0.3))
        raise SettingsError("enough")

    monkeypatch.setattr("graphoid.learners.base.Learner.fit", learn)
    done = graphoid("learn", csv, *words)
    assert learned
    assert "note: still at it after 0 s" in done.stderr
    assert remedy in done.stderr
    quiet = graphoid("learn", csv, *words, "-q")
    assert "still at it" not in quiet.stderr


# Phases on their own

WIDE = np.random.default_rng(1).integers(6, size=(200_000, 60), dtype=np.uint8)

PHASES = {
    "strengths": lambda table: gd.strengths(path_of(table), table),
    "weights": lambda table: gd.MarkovNetwork.fit(path_of(table), table),
    "exact weights": lambda table: gd.MarkovNetwork.fit(
        gd.UndirectedGraph(table.names, [(i, j) for j in range(8) for i in range(max(0, j - 3), j)]),
        table,
        method="exact",
    ),
    "bootstrap": lambda table: gd.Bootstrap(gd.GSMN(), n=50_000, random_state=0).fit(table),
    "bootstrap of a search": lambda table: gd.Bootstrap(n=100, random_state=0).fit(table),
    "classifier": lambda _: gd.MarkovNetworkClassifier().fit(WIDE, WIDE[:, 0] % 3),
}


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_looks_at_the_clock(large, phase):
    with Seconds() as seconds, time_limit(usual(0.1)), pytest.raises(OutOfTime):
        PHASES[phase](large)
    assert seconds.taken < 0.1 + TARDY


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a press that Python dropped
@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_hears_ctrl_c(large, phase):
    with Seconds() as seconds, pytest.raises(KeyboardInterrupt), CtrlC(usual(0.1)):
        PHASES[phase](large)
    assert seconds.taken < 0.1 + TARDY


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("press", [False, True], ids=["clock", "Ctrl-C"])
@pytest.mark.parametrize("name", EVERYTHING)
def test_everything_ends_in_time(name, press):
    table = table_of(300, most_columns(name, 60), 6)
    assert measure(name, table, usual(0.05), press=press)[1] < 0.05 + TARDY


def test_a_directed_search_that_has_not_begun_has_no_edges():
    found = gd.learn(table_of(300, 60, 6), gd.DirectedSearch(random_state=0), seconds=0)
    assert (found.stopped, found.graph.n_edges) == ("budget", 0)


def test_context_graphs_that_cannot_be_put_together_in_time_are_refused(monkeypatch):
    monkeypatch.setattr("graphoid.learners.contexts.base.MOMENT", 0.0)
    with pytest.raises(SettingsError, match=r"0 s are too few for the graphs of 200 assignments of 300 var"):
        gd.learn(table_of(200, 300, 2), gd.CSPC(seconds=0))


def test_a_table_that_takes_all_the_time_to_get_ready_is_refused(monkeypatch):
    monkeypatch.setattr("graphoid.learners.base.MOMENT", 0.0)
    columns = {f"v{i}": np.random.default_rng(i).normal(size=2_000) for i in range(20)}
    table = gd.read(columns)
    with pytest.raises(SettingsError, match="GSMN: 0 s were over before the search began; raise seconds"):
        gd.learn(table, gd.GSMN(test=gd.LikelihoodRatio()), seconds=0)


def test_a_bootstrap_ends_in_time_with_the_resamples_so_far(large):
    for limit in (1, 8, 64):  # on a machine that others keep busy, no resample may be learned in a second
        run = gd.Bootstrap(gd.GSMN(), n=100_000, random_state=0, seconds=usual(limit))
        with contextlib.suppress(SettingsError), Seconds() as seconds:
            with pytest.warns(GraphoidWarning, match="before all pairs were measured"):
                run.fit(large)
            break
    assert seconds.taken < limit + TARDY
    n = len(run.result_.found)
    assert 1 <= n < 100_000
    assert all(row.verdict == "undecided" for row in run.edges() if row.size is None)


def test_time_changes_how_many_resamples_there_are_and_nothing_else(small):
    whole, timed = (
        gd.Bootstrap(gd.GSMN(), n=60, random_state=0, seconds=seconds).fit(small) for seconds in (None, 600)
    )
    assert [row._asdict() for row in whole.edges()] == [row._asdict() for row in timed.edges()]


def test_a_bootstrap_without_time_for_one_resample_says_so(large):
    with pytest.raises(SettingsError, match="s were over before one resample was learned; raise seconds"):
        gd.Bootstrap(n=5, random_state=0, seconds=1e-6).fit(large)


def test_a_bootstrap_takes_what_was_found(small):
    found = gd.LearnedStructure(graph=gd.UndirectedGraph(small.names), data_id=small.data_id)
    fitted = gd.Bootstrap(gd.GSMN(), n=5, random_state=0).fit(small, structure=found).result_
    assert fitted.graph == found.graph
    other = gd.read({"a": [0, 1, 1, 0], "b": [0, 1, 0, 1]})
    with pytest.raises(ValueError, match="found in another table"):
        gd.Bootstrap(gd.GSMN(), n=5).fit(other, structure=found)


def test_a_page_without_time_to_measure_says_so(large, tmp_path):
    found = gd.LearnedStructure(graph=path_of(large), data_id=large.data_id)
    with Seconds() as seconds:
        found.report(tmp_path / "r.html", large, seconds=0.01)
    assert seconds.taken < 0.01 + TARDY
    assert "Edges are not measured: that would have taken more than 0.01 s." in (
        tmp_path / "r.html"
    ).read_text(encoding="utf-8")


def test_ctrl_c_while_modules_are_loaded_is_no_traceback():
    program = """
import sys

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == "graphoid.cli.main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
from graphoid.cli import run
run()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
