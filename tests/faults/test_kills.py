"""A command that is killed at any moment: each of its files is whole or not there, and it can run again."""

from __future__ import annotations

import csv
import os
import subprocess
import sys

import networkx as nx
import pytest

import graphoid as gd

N_KILLS = 500 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 5

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
        sys.argv = ["graphoid", *sys.argv[2:]]
        run()
    return child

began = time.monotonic()
assert os.waitpid(start(), 0)[1] == 0
lasted = time.monotonic() - began
rng = random.Random(0)
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
    (tmp_path / "m.csv").write_text("a,b,c\n" + "0,0,1\n1,1,0\n1,1,1\n0,0,0\n" * 50)
    names = [name for option in written for name in OUTPUTS[option]]
    outputs = [word for option in written for name in OUTPUTS[option] for word in (option, name)]
    command = ["learn", "m.csv", "--learner", "gsmn", "-q", *settings, *outputs]
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(N_KILLS), *command],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as driver:
        for _ in range(N_KILLS):
            assert driver.stdout.readline() == "killed\n"
            for path in (tmp_path / name for name in names):
                if path.exists():
                    assert edges_in(path) in (None, {frozenset("ab")})
                    path.unlink()
            driver.stdin.write("\n")
            driver.stdin.flush()
        assert driver.wait(60) == 0
    for name in names:
        assert edges_in(tmp_path / name) in (None, {frozenset("ab")})
