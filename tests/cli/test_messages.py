"""What the command line says: options by their names, headers in whole words, every column that is bad."""

from __future__ import annotations

import ast
import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

import graphoid as gd
from graphoid.errors import DataError
from graphoid.learners import recommended
from graphoid.learners.scored.search import Search
from tests.support.terminal import graphoid


@pytest.fixture
def bad(tmp_path):
    """A table with two identifiers and missing cells."""
    path = tmp_path / "bad.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "full name", "a", "b"])
        rows.writerows([i, f"person {i}", i % 2, "" if i % 9 == 0 else i % 3] for i in range(100))
    return path


def test_an_error_names_every_column_that_cannot_be_used_and_the_option_that_leaves_them_out(bad) -> None:
    done = graphoid("learn", bad)
    assert done.returncode == 1
    assert "'id' looks like an identifier" in done.stderr
    assert "'full name' looks like an identifier" in done.stderr
    assert "Leave them out with --drop 'id,full name'." in done.stderr
    with pytest.raises(DataError, match=r"2 columns cannot be used .* with columns=\[\.\.\.\]\."):
        gd.read(bad)


def test_errors_speak_of_options_on_the_command_line_and_of_arguments_in_python(bad) -> None:
    done = graphoid("learn", bad, "--drop", "id,full name")
    assert "--missing drop leaves 88 of 100 rows; --missing category makes" in done.stderr
    assert "leave these columns out with --drop b." in done.stderr
    for said in (done.stderr, graphoid("check", bad).stdout):
        assert not re.search(r"\w+=('|\.\.\.)", said), said
    with pytest.raises(DataError, match=r"missing='drop' leaves 88 of 100 rows"):  # also after a command ran
        gd.read(bad, columns=["a", "b"])


@pytest.mark.parametrize(
    "arguments", [("check",), ("learn", "--bootstrap", 5), ("learn", "--learner", "csgs")]
)
def test_at_80_columns_no_header_breaks_inside_a_word(arguments, tmp_path) -> None:
    graphoid("datasets", "survey", "--out", tmp_path / "survey.csv")
    command, *rest = arguments
    done = graphoid(command, tmp_path / "survey.csv", *rest, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    heads = [line for line in done.stdout.splitlines() if line.startswith("┃")]
    whole = graphoid(command, tmp_path / "survey.csv", *rest, COLUMNS="300").stdout
    words = set(next(line for line in whole.splitlines() if line.startswith("┃")).split())
    assert heads
    assert {word for line in heads for word in line.split()} <= words


def test_a_bootstrap_does_not_learn_from_all_rows_again(tmp_path, monkeypatch) -> None:
    graphoid("datasets", "survey", "--out", tmp_path / "survey.csv")
    asked, search, recommend = [], Search.search, recommended.recommend
    monkeypatch.setattr(Search, "search", lambda *given: asked.append("search") or search(*given))
    for module in ("graphoid.learners.recommended", "graphoid.uncertainty.bootstrap"):
        monkeypatch.setattr(
            f"{module}.recommend",
            lambda *given, **more: asked.append("recommend") or recommend(*given, **more),
        )
    assert graphoid("learn", tmp_path / "survey.csv", "--bootstrap", 5).returncode == 0
    assert sorted(asked) == ["recommend", "search"]


def test_a_list_of_edges_has_effect_sizes_and_intervals(tmp_path) -> None:
    graphoid("datasets", "survey", "--out", tmp_path / "survey.csv")
    for learner in ("auto", "gsmn"):
        out = tmp_path / f"{learner}.csv"
        assert graphoid("learn", tmp_path / "survey.csv", "--learner", learner, "--out", out).returncode == 0
        with out.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows
        assert all(float(row["low"]) < float(row["size"]) < float(row["high"]) for row in rows)


def test_a_process_of_its_own_ends_with_the_code_and_all_that_it_printed(bad) -> None:
    program = [sys.executable, "-c", "from graphoid.cli import run; run()"]
    for arguments, code in (
        (["learn", bad, "--drop", "x,y"], 1),
        (["datasets", "--json"], 0),
        (["learn", "--no"], 2),
    ):
        sys_argv = [*program, *map(str, arguments)]
        done = subprocess.run(sys_argv, capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert bool(done.stdout) == (code == 0)
        assert bool(done.stderr) == (code != 0)


def test_every_column_that_is_not_there_is_named(bad) -> None:
    assert "--drop has 'x', 'y', and no column is named so" in graphoid("learn", bad, "--drop", "x,y").stderr
    assert "no columns are named 'x', 'y'; there are" in graphoid("learn", bad, "--columns", "x,a,y").stderr


def test_columns_that_cannot_be_used_and_missing_cells_are_said_at_once(bad) -> None:
    said = graphoid("learn", bad).stderr
    assert "--drop 'id,full name'. Besides, 12 cell(s) are missing: 'b' 12." in said


PYTHON = re.compile(
    r"\b(missing|discretize|where|weighting|engine|decimal|preset)='|\b(columns|cache|table)=[.A-Z]"
)
"""A setting as Python has it, of those that the command line has as options."""


def texts_of(path: Path) -> list[str]:
    """Return the texts of a module that readers may meet: no documentation, no choice of as_option."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "as_option":
            left_out.update(n for n in ast.walk(node) if isinstance(n, ast.Constant))
    constants = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and n not in left_out)
    return [n.value for n in constants if isinstance(n.value, str)]


def test_no_message_names_an_option_as_python_does() -> None:
    source = Path(gd.__file__).parent
    in_python_alone = {"data/remote/federate.py", "report/plots.py", "uncertainty/update.py", "errors.py"}
    paths = [p for p in source.rglob("*.py") if str(p.relative_to(source)) not in in_python_alone]
    wrong = [(p.name, text) for p in paths for text in texts_of(p) if PYTHON.search(text)]
    assert [w for w in wrong if w[0] != "choice.py"] == []  # a reason that is kept with the engine
    assert PYTHON.search("read it with missing='drop'")


def test_a_kind_that_is_proposed_can_be_typed(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Lfd. Nr.,a\n" + "\n".join(f"{i},{i % 3}" for i in range(1, 60)) + "\n", encoding="utf-8")
    assert "--kind 'Lfd. Nr.=nominal'" in graphoid("learn", path).stderr
    done = graphoid("learn", path, "--kind", "Lfd. Nr.=nominal")
    assert "identifier" not in done.stderr


def test_missing_cells_that_cannot_be_used_are_said_with_options(tmp_path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{'' if i % 7 == 0 else i % 5 + i / 10},{i % 3}" for i in range(80)]
    path.write_text("a,b\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = graphoid("learn", path, "--missing", "impute", "--bootstrap", 3)
    assert "read it with --missing available, or take the intervals that learning pools" in done.stderr
    done = graphoid("learn", path, "--missing", "available", "--model", tmp_path / "m.json")
    assert "gd." not in done.stderr
    assert "learn with --missing impute or read it with --missing drop." in done.stderr
