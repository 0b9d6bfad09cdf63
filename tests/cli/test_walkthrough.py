"""The README followed to the letter by someone who has nothing else, in a terminal.

Commands stand in blocks of kind ``console`` after a dollar sign, with what they show below; blocks of kind
``python`` are run as well. If README and program part, this fails.
"""

from __future__ import annotations

import doctest
import os
import re
import sys
from pathlib import Path

import networkx as nx
import pytest

from graphoid.cli.main import app
from tests.support.terminal import Terminal, screen

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks():
    return BLOCK.findall(README.read_text(encoding="utf-8"))


def steps(block):
    """The commands of a block, each with what the README says they show."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return [(command, "\n".join(said)) for command, said in found]


def same(said, shown):
    """Whether a screen is what the README says; three dots stand for anything."""
    shown = re.sub(r"^note: graphoid runs without its compiled kernels.*?unset\.", "", shown, flags=re.DOTALL)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(said.strip() + "\n", shown.strip() + "\n", flags)


def typed(command, folder):
    """Type a command into a shell behind a terminal; return its exit code and the screen."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with Terminal(["sh", "-c", command], cwd=folder, columns=100, PATH=path) as terminal:
        code = terminal.end(120)
        return code, screen(terminal.shown)


def test_following_the_readme_one_learns_reads_and_exports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {}
    n_commands = 0
    for kind, block in blocks():
        if kind == "python":
            exec(compile(block, str(README), "exec"), space)  # noqa: S102 - the README's own examples
            continue
        for command, said in steps(block):
            code, shown = typed(command, tmp_path)
            assert code == 0, shown
            assert same(said, shown), f"$ {command}\nthe README says\n{said}\nbut there is\n{shown}"
            n_commands += 1
    assert n_commands >= 5
    # what the reader came for: edges as a table, networkx, probabilities, rows
    assert (space["edges"].verdict == "present").sum() == 7
    assert space["graph"].has_edge("bus", "content")
    assert nx.is_isomorphic(space["graph"], space["found"].to_networkx())
    assert space["bus"].to_frame().probability.sum() == pytest.approx(1)
    assert len(space["new"]) == 1_000
    assert "<svg" in (tmp_path / "survey.svg").read_text(encoding="utf-8")
    assert "survey" in (tmp_path / "survey.html").read_text(encoding="utf-8")


def test_the_comparison_can_fail():
    assert same("a ...\nc", "a b\nc")
    assert not same("a ...\nc", "b b\nc")


def test_a_screen_is_what_is_left_in_the_end():
    assert screen("\x1b[31mbar 10 %\x1b[0m\r\x1b[2Kbar 90 %\r\n\x1b[1A\x1b[2Kdone\r\n") == "done\n"


def test_the_guide_lists_every_command():
    from typer.main import get_command

    text = (README.parent / "docs/guide/command-line.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `graphoid (\w+)", text, re.MULTILINE)
    assert sorted(listed) == sorted(get_command(app).commands)
