"""Names made to do harm are shown, never obeyed: in tables, errors, progress, GraphML and CSV."""

from __future__ import annotations

import csv
import json
import re

import networkx as nx
import pytest

import graphoid as gd
from graphoid.structure.safe_text import csv_cell
from tests.support.terminal import COMMAND, Terminal, graphoid

NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "[red]markup[/red] [link=file:///etc/passwd]here[/link]",
    "\u202eleft to right\u202c",
    "שלום",
    "👩‍🚀 emoji :smile:",
    "x" * 300,
    "two\nlines\r\x08",
    "a=b",
]

ORDER = re.compile(r"\x1b\[[\d;?]*([A-Za-z])")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table in which every column depends on the one before it."""
    import numpy as np

    made = tmp_path_factory.mktemp("names")
    rng = np.random.default_rng(0)
    column = rng.integers(0, 2, 500)
    with (made / "names.csv").open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file)
        written.writerow(NAMES)
        columns = []
        for _ in NAMES:
            column = np.where(rng.random(500) < 0.15, 1 - column, column)
            columns.append([f"{NAMES[2]}{state}" for state in column])
        written.writerows(zip(*columns, strict=True))
    return made


def harmless(shown):
    """Whether nothing but colors and movements of rich's own reach the terminal, and no markup was obeyed."""
    orders = {part[1] for part in ORDER.finditer(shown)}
    left = ORDER.sub("", shown)
    return orders <= set("mhlAK") and "\x1b" not in left and "\x07" not in left and "\u202e" not in left


@pytest.mark.parametrize(
    "arguments",
    [
        (
            "learn",
            "names.csv",
            "--learner",
            "gsmn",
            "--out",
            "n.json",
            "--out",
            "n.graphml",
            "--model",
            "m.json",
        ),
        ("check", "names.csv"),
        ("learn", "names.csv", "--columns", NAMES[2]),
        ("learn", "names.csv", "--columns", "\x1b[31mnothing"),
    ],
)
def test_a_terminal_is_not_steered_by_a_name(folder, arguments):
    with Terminal([*COMMAND, *arguments], cwd=folder, columns=200) as terminal:
        terminal.end()
        assert harmless(terminal.shown), repr(terminal.shown)
        assert "\x1b[31mred" not in terminal.shown


def test_names_are_shown_as_they_are(folder):
    done = graphoid("learn", "names.csv", "--learner", "gsmn", cwd=folder, COLUMNS="300")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    for name in NAMES[0], NAMES[1], "[red]markup[/red]", "שלום", ":smile:", "two\\nlines\\r\\x08", "a=b":
        assert name in done.stdout
    assert "\\x1b[31mred" in done.stdout
    assert "\\u202eleft" in done.stdout
    assert "x" * 300 not in done.stdout
    assert re.search("x{50,60}…", done.stdout)


def test_questions_about_such_names_are_answered(folder):
    assert (
        graphoid(
            "learn",
            "names.csv",
            "--learner",
            "gsmn",
            "-q",
            "--out",
            "n.json",
            "--model",
            "m.json",
            cwd=folder,
        ).returncode
        == 0
    )
    done = graphoid("query", "m.json", NAMES[3], "--given", f"a=b={NAMES[2]}1", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["given"] == {"a=b": f"{NAMES[2]}1"}
    done = graphoid("query", "n.json", "--why", NAMES[2], NAMES[3], cwd=folder)
    assert done.returncode == 0, done.stderr
    assert harmless(done.stdout)
    done = graphoid("query", "m.json", NAMES[2], cwd=folder)
    assert harmless(done.stdout)
    assert "\\x1b[31mred" in done.stdout


def test_graphml_and_edge_lists_hold_them(folder):
    done = graphoid(
        "learn",
        "names.csv",
        "--learner",
        "gsmn",
        "-q",
        "--out",
        "n.graphml",
        "--out",
        "n.csv",
        "--out",
        "n.json",
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    graph = nx.read_graphml(folder / "n.graphml")
    assert NAMES[0] in graph
    assert "x" * 300 in graph
    assert "\\x1b[31mred\\x1b[0m\\x1b]0;title\\x07" in graph  # XML has no way to hold these characters
    assert len(graph) == len(NAMES)
    with (folder / "n.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["x"], row["y"]) for row in csv.DictReader(file)]
    found = gd.load(folder / "n.json")
    cells = [csv_cell(name) for name in found.names]  # orders to a terminal are spelled out
    assert rows == [(cells[x], cells[y]) for x, y in found.graph.edges]


def test_graphml_keeps_apart_what_only_looks_alike(tmp_path):
    names = ["\x1b", "\\x1b"]
    gd.LearnedStructure(gd.UndirectedGraph(names, [(0, 1)])).to_graphml(tmp_path / "g.graphml")
    graph = nx.read_graphml(tmp_path / "g.graphml")
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (2, 1)
