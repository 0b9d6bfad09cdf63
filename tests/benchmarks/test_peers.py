"""The comparison with peers: limits that hold, rows for who fails, sentences that follow from figures."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphoid.datasets import ising, random_graph
from peers import accuracy_page, child, growth, growth_page
from peers.learners import Found, Learner, MissingError, moral, read_marks
from peers.process import Limit, run
from peers.results import Row, read, write
from peers.tables import load, save

if TYPE_CHECKING:
    import graphoid as gd

ABOUT = {
    "command": "make bench-peers LIMIT=60",
    "limit": "60 s of CPU time and 8 GB a run",
    "date": "2026-11-19",
    "machine": "a processor",
    "load": "2 runs at a time",
    "versions": "graphoid 0.2.0",
    "missing": "huge",
    "minutes": "25",
}


def ended(code: str, tmp_path, seconds: float = 20.0, megabytes: float = 2_000.0):
    return run([sys.executable, "-S", "-c", code], Limit(seconds, megabytes), tmp_path / "begun", tmp_path)


@pytest.mark.process
def test_a_process_without_end_is_stopped_by_its_cpu_time(tmp_path) -> None:
    found = ended("while True: pass", tmp_path, seconds=0.2)
    assert found.status == "time"
    assert found.seconds >= 0.2


@pytest.mark.process
def test_the_time_of_processes_that_it_starts_counts(tmp_path) -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', 'while True: pass'])"
    assert ended(code, tmp_path, seconds=0.2).status == "time"


@pytest.mark.process
def test_a_process_that_takes_too_much_memory_is_stopped(tmp_path) -> None:
    code = "import time; kept = b'x' * 300_000_000; time.sleep(60)"
    found = ended(code, tmp_path, megabytes=200)
    assert found.status == "memory"
    assert found.megabytes > 200


@pytest.mark.process
def test_a_process_that_only_waits_is_stopped(tmp_path) -> None:
    code = "import time; time.sleep(60)"
    command = [sys.executable, "-S", "-c", code]
    assert run(command, Limit(20, 2_000, idle=0.3), tmp_path / "begun", tmp_path).status == "idle"


@pytest.mark.process
def test_a_process_that_ends_or_fails_says_so(tmp_path) -> None:
    assert ended("pass", tmp_path).status == "ended"
    failed = ended("raise SystemExit('no such thing')", tmp_path)
    assert (failed.status, failed.said) == ("failed", "no such thing")


def learner_that(what) -> Learner:
    def prepare(_: gd.Table):
        def learn() -> Found:
            if isinstance(what, Exception):
                raise what
            return Found(what)

        return learn

    return Learner(prepare, "graphoid")


@pytest.mark.parametrize(
    ("what", "status", "note"),
    [
        (MissingError("not installed: pip install x"), "missing", "pip install x"),
        (ValueError("column 3 is constant"), "failed", "ValueError: column 3 is constant"),
        (MemoryError("a table of 12 GiB"), "memory", "12 GiB"),
    ],
)
def test_a_peer_that_is_missing_or_fails_becomes_a_row(what, status, note, tmp_path, monkeypatch) -> None:
    graph = random_graph(4, 2, 0)
    table = ising(graph, 0.4, rng=0).sample(50, 1)
    save(accuracy_problem(table, graph), tmp_path / "table.npz")
    monkeypatch.setitem(child.LEARNERS, "one", learner_that(what))
    found = child.result("one", str(tmp_path / "table.npz"), tmp_path / "begun")
    assert found["status"] == status
    assert note in found["note"]


def test_a_peer_is_held_against_the_graph(tmp_path, monkeypatch) -> None:
    graph = random_graph(5, 2, 0)
    table = ising(graph, 0.4, rng=0).sample(50, 1)
    save(accuracy_problem(table, graph), tmp_path / "table.npz")
    again = load(tmp_path / "table.npz")
    assert again.graph.edges == graph.edges
    assert all(np.array_equal(again.table.column(v), table.column(v)) for v in range(5))
    monkeypatch.setitem(child.LEARNERS, "half", learner_that(list(graph.edges)[:1]))
    found = child.result("half", str(tmp_path / "table.npz"), tmp_path / "begun")
    assert found["f1"] == pytest.approx(2 / (1 + graph.n_edges))
    assert (tmp_path / "begun").exists()


def accuracy_problem(table, graph):
    from peers.problems import Problem

    return Problem(table, graph)


def test_parents_are_joined() -> None:
    assert moral([(0, 2), (1, 2)], [(2, 3)]) == [(0, 1), (0, 2), (1, 2), (2, 3)]


def test_marks_of_causal_learn_are_read() -> None:
    # 0 -> 2 <- 1, 2 - 3 and 3 <-> 4: the tail is -1 in the row of where the arc starts, the head 1
    marks = np.zeros((5, 5), dtype=int)
    for parent in (0, 1):
        marks[parent, 2], marks[2, parent] = -1, 1
    marks[2, 3] = marks[3, 2] = -1
    marks[3, 4] = marks[4, 3] = 1
    assert read_marks(marks).edges == [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]


def test_figures_are_read_as_they_were_written(tmp_path) -> None:
    rows = [
        Row("alarm", "gd.learn", 100, 37, 0, "ended", 0.9375, 60, 65, 0.25, 150.0),
        Row("alarm", "huge", 100, 37, 0, "missing", note='not installed: "apt-get", or so'),
    ]
    write(tmp_path / "x.csv", ABOUT, rows)
    assert read(tmp_path / "x.csv") == (ABOUT, rows)


def accuracy_rows(peer_f1: float, peer_seconds: float) -> list[Row]:
    return [
        Row("hubs-64", "gd.learn", 100, 64, 0, "ended", 0.9, 60, 63, 1.0, 150.0),
        Row("hubs-64", "GSIMN", 100, 64, 0, "ended", 0.6, 60, 63, 0.1, 150.0),
        Row("hubs-64", "abess l0", 100, 64, 0, "ended", peer_f1, 60, 63, peer_seconds, 150.0),
        Row("hubs-64", "huge", 100, 64, 0, "missing", true_edges=63, note="not installed"),
        Row("hubs-64", "BDgraph", 100, 64, 0, "time", true_edges=63),
    ]


@pytest.mark.parametrize(
    ("f1", "seconds", "said"),
    [
        (0.95, 2.0, "more accurate: abess l0 (0.950, 2.0 s)"),
        (0.902, 0.5, "as accurate and quicker: abess l0 (0.902, 0.50 s)"),
        (0.7, 0.05, "GSIMN (0.600, 0.10 s) loses in both to abess l0 (0.700, 0.05 s)"),
        (0.7, 2.0, "none is more accurate, or as accurate and quicker"),
    ],
)
def test_losses_are_said_where_there_are_some(f1, seconds, said, tmp_path) -> None:
    accuracy_page.write(tmp_path / "page.csv", ABOUT, accuracy_rows(f1, seconds))
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert said in text
    assert ("1 of 1 networks" in text) == (f1 < 0.95)
    assert ("more accurate: " in text) == (f1 == 0.95)
    assert "| huge | missing: not installed |" in text
    assert "| BDgraph | over the limit of time |" in text
    assert (tmp_path / "page.svg").stat().st_size > 1_000


def test_the_frontier_has_whom_none_beats_in_both() -> None:
    points = [
        accuracy_page.Mean(name, f1, None, seconds, 100.0, 10, 1)
        for name, f1, seconds in (
            ("slow", 0.9, 9.0),
            ("good", 0.95, 2.0),
            ("quick", 0.5, 0.1),
            ("bad", 0.4, 1.0),
        )
    ]
    assert [point.learner for point in accuracy_page.frontier(points)] == ["quick", "good"]


def steps(*costs: tuple[float, float]) -> list[Row]:
    return [
        Row("rows, Ising", "gd.learn", 1_000 << k, 30, 0, "ended", 1.0, 45, 45, seconds, megabytes)
        for k, (seconds, megabytes) in enumerate(costs)
    ]


def test_a_step_is_not_started_where_the_last_two_say_too_much() -> None:
    assert growth.reason_to_stop(steps((5, 100), (20, 100)), 60, 8_000) == "80 s expected"
    assert growth.reason_to_stop(steps((10, 100), (20, 100)), 60, 8_000) == ""
    assert growth.reason_to_stop(steps((0.001, 100), (0.5, 100)), 60, 8_000) == ""  # starting up
    assert growth.reason_to_stop(steps((1, 2_000), (2, 5_000)), 60, 8_000) == "11 GB expected"


def test_growth_says_who_is_quicker_and_who_goes_further(tmp_path) -> None:
    ours = steps((1, 100), (2.5, 150))
    peer = [row._replace(learner="pyAgrum PC", seconds=0.5) for row in steps((1, 90), (2, 90), (4, 90))]
    slow = [row._replace(learner="pgmpy PC", seconds=30.0) for row in steps((1, 300))]
    left = slow[0]._replace(
        rows=2_000, status="left", seconds=None, megabytes=None, f1=None, note="80 s expected"
    )
    growth_page.write(tmp_path / "growth.csv", ABOUT, [*ours, *peer, *slow, left])
    text = (tmp_path / "growth.md").read_text(encoding="utf-8")
    assert (
        "**gd.learn**: 2,000 rows in 2.5 s and 150 MB, in the last step as rows to the power of 1.3." in text
    )
    assert "Further went pyAgrum PC (4,000)." in text
    assert (
        "largest size of both: pyAgrum PC (0.50 s, F1 1.00, against 2.5 s, F1 1.00, at 2,000 rows)." in text
    )
    assert "pgmpy PC (" not in text
    assert "2,000: not started (80 s expected)" in text
    assert "Not measured in this run: columns, Ising; columns, random tables." in text
    assert "Not measured in this run: RobustGSMN, TwoPhase(MPL), pyAgrum hill climbing, pyAgrum MIIC" in text
