"""A whole run as the page does it: check, choose, learn, cancel, explore, take home."""

from __future__ import annotations

import json
import threading
import time

import numpy as np
import pytest

import graphoid as gd
from graphoid.serve import worker
from tests.support.live import live, survey_file

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A server that has learned from the survey."""
    with live(survey_file(tmp_path_factory.mktemp("data"))) as server:
        status, state = server.post("/api/learn", {})
        assert (status, state["job"]["state"]) == (200, "running")
        job = server.wait()
        assert job["state"] == "done", job
        yield server


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """A table that takes half a minute, of which reading takes little."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (4_000, 300))
    for v in range(4, 300):
        codes[:, v] = np.where(rng.random(4_000) < 0.5, codes[:, v], codes[:, v - rng.integers(1, 5)])
    path = tmp_path_factory.mktemp("long") / "long.csv"
    np.savetxt(path, codes, "%d", ",", header=",".join(f"x{v}" for v in range(300)), comments="")
    return path


def test_a_check_says_what_reading_would_do(tmp_path):
    path = tmp_path / "holes.csv"
    rng = np.random.default_rng(1)
    rows = [f"{i},{'' if i % 9 == 0 else rng.choice(['a', 'b'])},{rng.integers(1, 6)}" for i in range(60)]
    path.write_text("id,letter,grade\n" + "\n".join(rows))
    with live(path) as server:
        status, report = server.post("/api/check", {})
        assert (status, report["ok"], report["name"]) == (200, False, "holes.csv")
        kinds = {column["name"]: column["kind"] for column in report["columns"]}
        assert kinds["grade"] == "ordered"
        chosen = {"drop": ["id"], "missing": "drop", "kinds": {"grade": "nominal"}}
        status, report = server.post("/api/check", chosen)
        assert (report["ok"], report["n_rows_used"]) == (True, 53)
        assert {column["name"]: column["kind"] for column in report["columns"]} == {
            "letter": "nominal",
            "grade": "nominal",
        }
        assert server.get("/api/state")["choices"]["missing"] == "drop"
        for wrong in (
            {"missing": "ignore"},
            {"kinds": {"grade": "ordinal"}},
            {"drop": ["age"]},
            {"decimal": ";"},
        ):
            status, answer = server.post("/api/check", wrong)
            problem = answer.get("error") or answer["problems"][0]
            assert next(str(v) for v in (*wrong.values(),)).strip("[]{}'").split("'")[-1] in problem, problem
        server.post("/api/learn", {"drop": ["id"]})
        job = server.wait()
        assert job["state"] == "failed"
        assert "“drop” leaves 53 of 60 rows" in job["error"]  # as it stands on the page


def test_a_run_is_that_of_the_library(learned):
    found = json.loads(learned.ask("GET", "/api/files/network.json")[2])
    plain = gd.learn(gd.read(gd.datasets.load("survey").to_frame(), name="survey.csv"))
    assert [tuple(edge[:2]) for edge in found["body"]["edges"]] == list(plain.graph.edges)
    job = learned.get("/api/state")["job"]
    assert job["result"]["n_edges"] == plain.graph.n_edges
    assert "content depends on bus alone" in job["result"]["finding"]


def test_the_report_and_the_script_are_taken_home(learned, tmp_path, monkeypatch):
    status, headers, report = learned.ask("GET", "/api/files/report.html")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"data-live" not in report.split(b"<style>")[0]
    live_page = learned.ask("GET", "/api/page")[2]
    assert b"data-live" in live_page.split(b"<style>")[0]
    script = learned.ask("GET", "/api/files/repeat.py")[2].decode()
    survey_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    exec(script, space)  # noqa: S102 - what the server wrote
    assert space["found"].graph == gd.learn(gd.read("survey.csv")).graph
    assert (tmp_path / "report.html").exists()


def test_evidence_is_answered_as_the_model_answers(learned):
    status, answer = learned.post("/api/marginals", {"evidence": []})
    assert status == 200
    table = gd.read(learned.server.workspace._source.path)
    model = gd.MarkovNetwork.fit(gd.learn(table), table)
    for p, name in zip(answer["marginals"], table.names, strict=True):
        assert p == pytest.approx(model.query(name), abs=1e-5)
    status, answer = learned.post("/api/marginals", {"evidence": [[0, 1], [1, 2]]})
    known = {name: table.variables[v].states[k] for v, k, name in ((0, 1, "region"), (1, 2, "age"))}
    assert answer["marginals"][3] == pytest.approx(model.query("bus", known), abs=1e-5)
    for wrong in ([[6, 0]], [[0, 2]], [[-1, 0]], [[0]], "x", [[0, 0.5]], [[True, 0]], [[0, None]], [0, 1]):
        status, answer = learned.post("/api/marginals", {"evidence": wrong})
        assert status == 400
        assert answer["error"].endswith(".")


def test_a_run_is_cancelled_and_another_can_begin(long):
    with live(long) as server:
        server.post("/api/learn", {})
        until = time.monotonic() + 300
        while not (job := server.get("/api/state")["job"])["done"]:
            assert (job["state"], time.monotonic() < until) == ("running", True), job
            time.sleep(0.05)
        began = time.monotonic()
        server.post("/api/cancel")
        job = server.wait()
        assert time.monotonic() - began < 30
        assert job["state"] in ("cancelled", "done")  # done, where there was a graph to keep
        if job["state"] == "done":
            assert job["result"]["stopped"] == "interrupted"
        process = server.server.workspace._job._process
        assert process.poll() is not None
        server.post("/api/learn", {"seconds": 0.01})
        first = server.server.workspace._job._process
        server.post("/api/learn", {"seconds": 0.01})  # a new run ends the one before
        assert first.poll() is not None
        server.post("/api/cancel")
        assert server.wait()["state"] != "running"


def test_an_interrupt_that_python_dropped_is_pressed_again(monkeypatch):
    presses, heard = [], threading.Event()

    def press():
        presses.append(time.monotonic())
        if len(presses) == 3:  # the first two fall into destructors
            heard.set()

    monkeypatch.setattr(worker, "interrupted", heard)
    monkeypatch.setattr(worker, "AGAIN", 0.01)
    monkeypatch.setattr(worker._thread, "interrupt_main", press)
    worker.interrupt()
    assert len(presses) == 3
    monkeypatch.setattr(worker, "GRACE", 0.05)  # never heard: a server that is gone is not outlived
    heard.clear()
    worker.interrupt()
    assert len(presses) > 3


def test_a_worker_that_is_killed_is_said_to_be_lost(long):
    with live(long) as server:
        server.post("/api/learn", {})
        server.server.workspace._job._process.kill()
        job = server.wait()
        assert (job["state"], "memory" in job["error"]) == ("failed", True)
        assert server.ask("GET", "/api/page")[0] == 404


def test_nothing_is_left_when_the_server_ends(long):
    with live(long) as server:
        server.post("/api/learn", {})
        process, folder = server.server.workspace._job._process, server.server.workspace._folder
        assert folder.exists()
    assert process.poll() is not None
    assert not folder.exists()


def test_another_table_forgets_the_first(tmp_path):
    with live() as server:
        assert server.get("/api/state")["file"] is None
        assert server.post("/api/learn", {}) == (400, {"error": "there is no table yet: drop one first."})
        for text in ("a,b\n" + "0,0\n1,1\n" * 50, "c,d\n" + "0,0\n1,1\n" * 50):
            assert server.ask("POST", "/api/upload?name=t.csv", text.encode())[0] == 200
            assert server.get("/api/state")["learned"] is False
            server.post("/api/learn", {})
            assert server.wait()["state"] == "done"
        assert len(list(server.server.workspace._folder.glob("table-*"))) == 1
        assert b'"c"' in server.ask("GET", "/api/page")[2]


def test_numbers_have_evidence_too(tmp_path):
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    rows = zip(x, x + rng.normal(size=300), np.where(x > 0, "up", "down"), strict=True)
    (tmp_path / "numbers.csv").write_text("x,y,way\n" + "\n".join(f"{a:.4f},{b:.4f},{c}" for a, b, c in rows))
    with live(tmp_path / "numbers.csv") as server:
        server.post("/api/learn", {})
        assert server.wait()["state"] == "done"
        _, prior = server.post("/api/marginals", {"evidence": []})
        _, given = server.post("/api/marginals", {"evidence": [[0, 2.0]]})
        assert given["marginals"][1]["mean"] > prior["marginals"][1]["mean"] + 1
        assert '"range":[' in server.ask("GET", "/api/page")[2].decode()


def test_a_file_that_was_sent_is_called_by_its_name(tmp_path):
    with live() as server:
        for name, content in (("broken.parquet", b"no parquet"), ("empty.csv", b""), ("bad.sav", b"x" * 500)):
            assert server.ask("POST", f"/api/upload?name={name}", content)[0] == 200
            status, answer = server.post("/api/check", {})
            text = json.dumps(answer)
            assert status == 200
            assert answer["ok"] is False
            assert name in text
            assert "table-" not in text
            assert "graphoid-serve" not in text


@pytest.mark.parametrize("seconds", [-1, 0, 1e400, "5", True, None])
def test_odd_times_do_no_harm(learned, seconds):
    status, answer = learned.post("/api/check", {"seconds": seconds})
    assert status in (200, 400)
    assert "Traceback" not in json.dumps(answer)
