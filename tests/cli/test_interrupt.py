"""Ctrl-C: the command ends within a second, keeps what it found, says how to go on, and can go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.counts.native import kernels
from tests.support.clock import pace
from tests.support.terminal import COMMAND, Terminal, graphoid

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")

PLAIN = {"GRAPHOID_NATIVE": "0"}  # without kernels the tests take long enough to be interrupted


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table of 30 columns, each depending on two before it."""
    made = tmp_path_factory.mktemp("interrupted")
    rng = np.random.default_rng(0)
    rows = np.zeros((60_000, 30), dtype=np.uint8)
    for j in range(30):
        p, q = rng.integers(0, max(j, 1), size=2)
        rows[:, j] = rng.random(len(rows)) < 0.2 + 0.3 * rows[:, p] + 0.3 * rows[:, q]
    pq.write_table(pa.table({f"v{j}": rows[:, j] for j in range(30)}), made / "big.parquet")
    pq.write_table(pa.table({f"v{j}": rows[:4000, j] for j in range(20)}), made / "middle.parquet")
    pq.write_table(pa.table({f"v{j}": rows[:1000, j] for j in range(12)}), made / "small.parquet")
    return made


PATIENCE = 5
"""Times as long as the usual machine takes: others may begin to work on this one at any moment."""


def soon():
    """Return how many seconds are soon: this machine may be slower than the usual one, and others at work."""
    started, worked = time.monotonic(), time.process_time()
    while time.process_time() - worked < 0.1:
        pass
    return PATIENCE * max(1.0, (time.monotonic() - started) / 0.1) * max(1.0, pace())


def interrupted(folder, *arguments, shown, file="big.parquet", **environment):
    """Press Ctrl-C when something is shown; return the exit code, the seconds it took, and what was shown."""
    with Terminal([*COMMAND, "learn", file, *arguments], cwd=folder, columns=130, **environment) as terminal:
        terminal.until(shown)
        pressed = time.monotonic()
        terminal.press("\x03")
        code = terminal.end()
        return code, time.monotonic() - pressed, terminal.shown


def test_answers_are_kept_and_the_run_goes_on_to_the_same_end(folder):
    finished = gd.GSMN().fit(gd.read(folder / "small.parquet")).structure_
    finished.save(folder / "g.json")  # of other data, and not to be touched
    code, seconds, shown = interrupted(
        folder, "--learner", "gsmn", "--out", "g.json", shown="examining variables", **PLAIN
    )
    assert code == 130
    assert seconds < soon()
    assert "asked" in shown
    assert "inferred" in shown
    again = "Go on with: graphoid learn --resume g.partial.json --out g.json"
    assert again in shown.replace("\r\n", " ")
    assert gd.load(folder / "g.json").to_json() == finished.to_json()
    kept = gd.load(folder / "g.partial.json")
    assert kept.stopped == "interrupted"
    assert kept.cost.n_tests >= 435  # all pairs of 30, and some
    separated = {frozenset((v.x, v.y)) for v in kept.trace if v.independent}
    assert kept.graph.n_edges > 0
    assert not any(frozenset(edge) in separated for edge in kept.graph.edges)

    done = graphoid("learn", "--resume", "g.partial.json", "--out", "g.json", "--quiet", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    resumed = gd.load(folder / "g.json")
    whole = gd.GSMN().fit(gd.read(folder / "big.parquet")).structure_
    assert resumed.graph == whole.graph
    assert resumed.stopped == "converged"
    assert [v[:4] for v in resumed.trace] == [v[:4] for v in whole.trace]


def test_the_best_graph_is_kept_and_searched_on_from(folder):
    code, seconds, shown = interrupted(
        folder,
        "--learner",
        "search",
        "--score",
        "mpl",
        "--set",
        "effort=1000",
        shown="searching",
        file="small.parquet",
    )
    assert code == 130
    assert seconds < soon()
    assert "kept the best graph so far" in shown
    kept = gd.load(folder / "small.partial.json")
    assert (kept.stopped, kept.trace) == ("interrupted", ())
    done = graphoid("learn", "--resume", "small.partial.json", "--set", "effort=0", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    score = gd.MPL()
    table = gd.read(folder / "small.parquet")
    edges = [(row["x"], row["y"]) for row in found["edges"]]
    assert score.value(gd.UndirectedGraph(table.names, edges), table) >= score.value(kept.graph, table)


@pytest.mark.parametrize("learner", ["cspc", "csgs"])
def test_graphs_of_contexts_are_kept_and_the_run_goes_on_to_the_same_end(folder, learner):
    code, seconds, shown = interrupted(
        folder,
        *("--learner", learner, "--out", f"{learner}.json"),
        shown={"cspc": "contexts of growing size", "csgs": "growing and shrinking"}[learner],
        file="middle.parquet",
        **PLAIN,
    )
    assert code == 130
    assert seconds < soon()
    assert f"Go on with: graphoid learn --resume {learner}.partial.json" in " ".join(shown.split())
    assert not (folder / f"{learner}.json").exists()
    assert gd.load(folder / f"{learner}.partial.json").stopped == "interrupted"
    out = f"{learner}.json"
    done = graphoid("learn", "--resume", f"{learner}.partial.json", "--out", out, cwd=folder)
    assert done.returncode == 0, done.stderr
    resumed = gd.load(folder / f"{learner}.json")
    whole = {"cspc": gd.CSPC, "csgs": gd.CSGS}[learner]().fit(gd.read(folder / "middle.parquet")).structure_
    assert resumed.stopped == "converged"
    assert [resumed.graphs[g] for g in resumed.graph_of] == [whole.graphs[g] for g in whole.graph_of]


def test_a_signal_in_the_midst_of_one_long_question_ends_it_at_once(folder):
    """All pairs are asked in one batch, in a kernel that never returns to Python in between."""
    with subprocess.Popen(
        [*COMMAND, "learn", "big.parquet", "--learner", "gsmn", "--out", "none.json"],
        cwd=folder,
        env={**os.environ, **PLAIN},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert any(line.startswith("learning by gsmn: 60,000 rows") for line in process.stderr)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert time.monotonic() - sent < soon()
    assert (process.returncode, out) == (130, "")
    assert err == "interrupted before anything was found; nothing was kept.\n"
    assert not (folder / "none.json").exists()


def test_what_was_left_behind_belongs_to_its_table_and_settings(folder, tmp_path):
    table = gd.read(folder / "big.parquet")
    from graphoid.cli.learn_options import LearnOptions
    from graphoid.cli.resume import partial_result

    trace = gd.Tester(gd.ChiSquare(), table).ask([(0, 1, ()), (0, 2, ())])
    options = LearnOptions(file="big.parquet", learner="gsmn")
    partial_result(trace, options, table).save(folder / "left.json")
    done = graphoid("learn", "--resume", "left.json", "--alpha", "0.2", cwd=folder)
    assert done.returncode == 1
    assert "were given to other settings" in done.stderr
    done = graphoid("learn", "small.parquet", "--resume", "left.json", cwd=folder)
    assert done.returncode == 1
    assert "its digest differs" in done.stderr
    gd.GSMN().fit(table).structure_.save(folder / "whole.json")
    done = graphoid("learn", "--resume", "whole.json", cwd=folder)
    assert done.returncode == 1
    assert "to repeat a run use --config" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(kernels() is None, reason="without kernels 50 resamples take a minute")
def test_the_network_and_the_resamples_so_far_are_kept(folder):
    command = ("--learner", "mpl", "--bootstrap", "200", "--out", "b.json")
    code, seconds, shown = interrupted(folder, *command, shown="resampling 50 of 200", file="small.parquet")
    assert code == 130
    assert seconds < soon()
    assert "kept the network in b.partial.json and resamples in b.partial.bootstrap-" in shown.replace(
        "\r\n", ""
    )
    assert gd.load(folder / "b.partial.json").stopped == "converged"
    (kept,) = folder.glob("b.partial.bootstrap-*.json")
    done = graphoid("learn", "small.parquet", *command, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not kept.exists()
