"""``graphoid check``: what is printed, and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from graphoid.cli.check import check
from graphoid.cli.terminal import printable
from tests.support.terminal import graphoid


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.csv"
    path.write_text("sex,size\n" + "m,1\nf,2\nf,3\n" * 5, encoding="utf-8")
    return path


@pytest.fixture
def bad(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("sex,größe,[bold]\n" + "m,1,x\nf,NA,y\n" * 5, encoding="utf-8")
    return path


GOOD = """\
good.csv: 15 rows, 2 columns, 15 rows without a missing cell
┏━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━┳━━━━━━━━┳━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━┓
┃ column ┃ kind    ┃ why                 ┃ values ┃ rarest ┃ missing ┃ reading it          ┃
┡━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━╇━━━━━━━━╇━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━┩
│ sex    │ nominal │ text                │      2 │ m (5)  │       0 │ kept, with 2 states │
│ size   │ ordered │ 3 different numbers │      3 │ 1 (5)  │       0 │ kept, with 3 states │
└────────┴─────────┴─────────────────────┴────────┴────────┴─────────┴─────────────────────┘
ok: 15 rows can be read as they are.
"""


def test_a_file_that_can_be_read(good):
    done = graphoid("check", good)
    assert (done.returncode, done.stdout, done.stderr) == (0, GOOD, "")


def test_a_file_that_cannot_be_read(bad):
    done = graphoid("check", bad)
    assert done.returncode == 1
    assert "problem: 5 cell(s) are missing: 'größe' 5 (written 'NA')." in done.stdout
    assert "[bold]" in done.stdout
    assert graphoid("check", bad, "--missing", "drop").returncode == 0
    assert graphoid("check", bad, "--columns", "sex,[bold]").returncode == 0


def test_kinds_as_told(good, tmp_path):
    done = graphoid("check", good, "--kind", "size=continuous", "--kind", "sex = ordered", "--json")
    columns = json.loads(done.stdout)["columns"]
    assert [(c["kind"], c["why"], c["action"]) for c in columns] == [
        ("ordered", "as told", "kept, with 2 states"),
        ("continuous", "as told", "kept as numbers"),
    ]
    path = tmp_path / "a=b.csv"
    path.write_text("a=b\n1\n2\n")
    assert "nominal" in graphoid("check", path, "--kind", "a=b=nominal").stdout


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (["size=number"], "'size' is to be 'number'; a kind is one of nominal, ordered, continuous, count."),
        (["age=count"], "--kind has 'age', and no column is named so; there are 'sex', 'size'."),
        (["sex=count"], "'sex' cannot be count: it holds text, such as 'f'."),
        (["sex"], "--kind 'sex' is not NAME=KIND, such as --kind age=continuous."),
        (["size=count", "size=nominal"], "--kind says that 'size' is count and nominal; give it one kind."),
    ],
)
def test_what_is_no_kind_is_said_in_a_line(good, told, says):
    for command in ("check", "learn"):
        done = graphoid(command, good, *(word for kind in told for word in ("--kind", kind)))
        assert done.returncode == 1
        assert says in " ".join((done.stdout + done.stderr).split())
        assert "Traceback" not in done.stderr


def test_a_terminal_without_unicode_gets_its_answer(bad):
    done = graphoid("check", bad, PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert done.stdout.isascii()


def test_json_is_ascii_and_complete(bad):
    done = graphoid("check", bad, "--json")
    assert done.returncode == 1
    assert done.stdout.isascii()
    report = json.loads(done.stdout)
    assert report["columns"][1]["name"] == "größe"
    assert report["columns"][1]["n_missing"] == 5


@pytest.mark.parametrize(
    "arguments",
    [("check",), ("check", "f.csv", "--nonsense"), ("nonsense",), ("check", "f.csv", "--missing", "ignore")],
)
def test_wrong_usage_is_2(arguments):
    done = graphoid(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_missing_file_is_1_without_traceback(tmp_path):
    done = graphoid("check", tmp_path / "none.csv")
    assert done.returncode == 1
    assert done.stdout.startswith("problem: there is no file")
    assert "Traceback" not in done.stderr


FAILING = """
import sys
from graphoid.cli import main
from graphoid.errors import DataError

@main.command
def fail(how: str) -> int:
    raise {"data": DataError("no\\ngood"), "bug": RuntimeError("oh"), "stop": KeyboardInterrupt()}[how]

main.run()
"""


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("data", 1, "error: no good\n"),
        ("bug", 1, "error: RuntimeError: oh (unexpected; --debug shows where)\n"),
        ("stop", 130, ""),
    ],
)
def test_errors_are_one_line_and_debug_shows_where(how, code, said):
    command = [sys.executable, "-c", FAILING, "fail", how]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, said)
    done = subprocess.run([*command, "--debug"], capture_output=True, text=True, check=False)
    assert ("Traceback" in done.stderr) == (code == 1)


def test_a_wide_file_shows_the_columns_that_matter(tmp_path, capsys):
    path = tmp_path / "wide.csv"
    names = ",".join(f"v{i}" for i in range(300))
    path.write_text(f"{names}\n" + ",".join(["0"] * 299 + ["NA"]) + "\n" + ",".join(["1"] * 300) + "\n")
    assert check(str(path)) == 1
    out = capsys.readouterr().out
    assert "v299" in out
    assert "and 200 more columns" in out


def test_control_characters_are_written_out():
    assert printable("a\x1b[31mé\n") == "a\\x1b[31mé\\n"
