"""Every call of ours on the pages for users of other programs runs."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = runpy.run_path(str(ROOT / "docs" / "conftest.py"), run_name="pages")
FOLDER = ROOT / "docs" / "guide" / "coming-from"
PAGES = [path for path in sorted(FOLDER.glob("*.md")) if path.stem != "index"]
ROW = re.compile(r"^\| (?!---)(?P<theirs>[^|]+) \| (?P<ours>[^|]+) \| (?P<differs>[^|]+) \|$", re.MULTILINE)


def calls(text: str) -> list[str]:
    """Return the calls in the second column of the table of a page."""
    _, *rows = ROW.finditer(text)
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row["ours"])]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_call_of_ours_runs(path, tmp_path, monkeypatch) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in CODE["blocks"](text):
        CODE["run"](block, names, str(path))
    found = calls(text)
    assert len(found) >= 12
    for code in found:
        exec(code, names)  # noqa: S102 - our own page


def test_a_call_that_does_not_exist_would_be_noticed() -> None:
    (code,) = calls(
        "| theirs | ours | what differs |\n| --- | --- | --- |\n| `a()` | `gd.nothing()` | all |\n"
    )
    with pytest.raises(NameError):
        exec(code, {})  # noqa: S102


def test_there_is_a_page_for_every_program() -> None:
    assert {path.stem for path in PAGES} == {"bnlearn", "bootnet", "qgraph", "mgm", "pgmpy", "scikit-learn"}
