"""Help that teaches, quickly; completion; and how far a run has come."""

from __future__ import annotations

import os
import re
import shlex
import subprocess

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from graphoid.cli.main import app
from graphoid.cli.progress import Watch
from graphoid.logic.verdict import Verdict
from graphoid.progress import Step
from tests.support.terminal import COMMAND

COMMANDS = sorted(get_command(app).commands)


def test_every_command_of_the_contract_is_there():
    assert COMMANDS == [
        "check",
        "compare",
        "datasets",
        "demo",
        "groups",
        "learn",
        "query",
        "report",
        "reproduce",
        "sample",
        "serve",
        "update",
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_json_and_quiet(name):
    command = get_command(app).commands[name]
    options = {option for parameter in command.params for option in parameter.opts}
    assert {"--json", "--quiet"} <= options
    assert all(parameter.help for parameter in command.params)
    done = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "100"})
    assert done.exit_code == 0
    assert "Usage: graphoid" in done.stdout.replace("root", "graphoid")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "demo"])
def test_examples_in_help_are_commands_that_parse(name):
    command = get_command(app).commands[name]
    typed = re.findall(r"^graphoid (.*?)  #", command.epilog, re.MULTILINE)
    assert len(typed) >= 2
    for example in typed:
        first, *arguments = shlex.split(example)
        assert first == name
        command.make_context(name, arguments)  # raises if it does not parse


def test_help_loads_nothing_heavy():
    """NumPy, pyarrow and the like would take longer than the help itself."""
    heavy = "{'numpy', 'pyarrow', 'scipy', 'networkx', 'jinja2'}"
    code = f"import sys; from graphoid.cli.main import app; print(sorted({heavy} & {{*sys.modules}}))"
    done = subprocess.run([COMMAND[0], "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_shell_completes_names():
    environment = {
        **os.environ,
        "_GRAPHOID_COMPLETE": "complete_bash",
        "COMP_WORDS": "graphoid le",
        "COMP_CWORD": "1",
    }
    run = "import sys; sys.argv[0] = 'graphoid'; from graphoid.cli.main import run; run()"
    done = subprocess.run(
        [COMMAND[0], "-c", run], capture_output=True, text=True, check=False, env=environment
    )
    assert done.stdout.split() == ["learn"]
    environment |= {"COMP_WORDS": "graphoid learn --learner gsi", "COMP_CWORD": "3"}
    done = subprocess.run(
        [COMMAND[0], "-c", run], capture_output=True, text=True, check=False, env=environment
    )
    assert done.stdout.split() == ["gsimn", "gsimn-fch"]


def test_without_a_terminal_progress_is_one_line(capsys):
    trace = [Verdict(0, 1, (), True), Verdict(0, 1, (2,), True, source="Strong Union")]
    with Watch("gsmn", "learning by gsmn") as watch:
        watch(Step("testing all pairs", 0))
        watch(Step("examining variables", 1, 2, trace))
    assert capsys.readouterr().err == "learning by gsmn\n"
    assert watch.so_far is trace
    assert watch.test_counts() == "1 asked, 1 inferred"


def test_quiet_is_quiet_and_a_run_that_cannot_begin_says_nothing_of_progress(capsys):
    with Watch("gsmn", quiet=True) as watch:
        watch(Step("testing all pairs", 0))
    with Watch("gsmn"):
        pass
    assert capsys.readouterr().err == ""
