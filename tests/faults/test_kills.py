"""A command that is killed at any moment: each of its files is whole or not there, and it can run again."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import networkx as nx
import pytest

import graphoid as gd
from graphoid.structure.learned import LearnedStructure

N_KILLS = int(os.environ.get("KILLS", "250")) if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 5
SEED = int(os.environ.get("SEED", "0"))

DRIVER = """
import os, random, signal, sys, time
import networkx, pyarrow.csv, rich.console, rich.table
import graphoid as gd
from graphoid.report import page

gd.GSMN, gd.MarkovNetwork, gd.Bootstrap, gd.read, gd.learn  # loaded here, so that the children are quick
from graphoid.cli.main import run

def start():
    child = os.fork()
    if not child:
        if sys.argv[3] == "-c":
            exec(sys.argv[4])
            os._exit(0)
        sys.argv = ["graphoid", *sys.argv[3:]]
        run()
    return child

lasted = 600.0
for _ in range(2):
    began = time.monotonic()
    assert os.waitpid(start(), 0)[1] == 0
    lasted = min(lasted, time.monotonic() - began)
rng = random.Random(int(sys.argv[2]))
for _ in range(int(sys.argv[1])):
    child = start()
    time.sleep(rng.uniform(0, lasted))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print("killed", flush=True)
    sys.stdin.readline()
assert os.waitpid(start(), 0)[1] == 0
"""


def edges_in(path):
    """Return the edges of a network in a file, or raise if that is not whole."""
    if path.suffix == ".graphml":
        return {frozenset(edge) for edge in nx.read_graphml(path).edges}
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return {frozenset((row["x"], row["y"])) for row in csv.DictReader(file) if row["evidence"]}
    if path.suffix == ".html":
        text = path.read_text()
        assert text.rstrip().endswith("</html>")
        return None
    return {frozenset((x, y)) for x, y, *_ in edge_names(gd.load(path).graph)}


def edge_names(graph):
    return [(graph.names[x], graph.names[y]) for x, y in graph.edges]


OUTPUTS = {"--out": ["r.json", "r.graphml", "r.csv"], "--report": ["r.html"], "--model": ["w.json"]}


CHECKPOINTS = {
    "bootstrap": """
learner = gd.Bootstrap(gd.GSMN(), n=40, random_state=1, checkpoint="c.json")
learner.fit(gd.read("m.csv")).result_.save("b.json")
""",
    "pfmn": """
learner = gd.PFMN(test=gd.BayesianTest(), random_state=1, checkpoint="c.json")
learner.fit(gd.read("m.csv")).structure_.save("r.json")
""",
}


def kill_often(folder, command):
    """Yield once for each kill of a command at a time of chance; it must end well before and after them."""
    (folder / "m.csv").write_text("a,b,c\n" + "0,0,1\n1,1,0\n1,1,1\n0,0,0\n" * 50)
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(N_KILLS), str(SEED), *command],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as driver:
        for _ in range(N_KILLS):
            assert driver.stdout.readline() == "killed\n"
            yield
            driver.stdin.write("\n")
            driver.stdin.flush()
        assert driver.wait(600) == 0
    assert not list(folder.glob(".*.part"))  # what killed writers left is removed by the next


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked to save time")
@pytest.mark.parametrize(
    ("settings", "written"),
    [
        ((), ("--out", "--model")),
        (("--bootstrap", "30"), ("--out", "--model", "--report")),
        (("--where", "source", "--cache", "counts.sqlite"), ("--out", "--report")),
    ],
    ids=["model", "bootstrap", "cache"],
)
def test_fuzz_kills_leave_whole_files(tmp_path, settings, written):
    names = [name for option in written for name in OUTPUTS[option]]
    outputs = [word for option in written for name in OUTPUTS[option] for word in (option, name)]
    command = ["learn", "m.csv", "--learner", "gsmn", "-q", *settings, *outputs]
    for _ in kill_often(tmp_path, command):
        for path in (tmp_path / name for name in names):
            if path.exists():
                assert edges_in(path) in (None, {frozenset("ab")})
                path.unlink()
    for name in names:
        assert edges_in(tmp_path / name) in (None, {frozenset("ab")})


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked to save time")
@pytest.mark.parametrize("kind", list(CHECKPOINTS))
def test_fuzz_a_killed_run_goes_on_to_the_same_result(tmp_path, kind):
    result, whole = tmp_path / ("b.json" if kind == "bootstrap" else "r.json"), None
    checkpoint = tmp_path / "c.json"
    for turn, _ in enumerate(kill_often(tmp_path, ["-c", CHECKPOINTS[kind]])):
        if whole is None:  # of the run before the kills
            whole = without_times(result)
        if result.exists():
            assert without_times(result) == whole
            result.unlink()
        if checkpoint.exists():
            json.loads(checkpoint.read_text())
            if turn % 2:
                checkpoint.unlink()
    assert without_times(result) == whole


def without_times(path):
    """Return what was found, less how long it took, as text: a number may be none."""
    found = gd.load(path)
    return repr(
        found.graph.edges if isinstance(found, LearnedStructure) else found.to_frame("edges").to_dict()
    )
