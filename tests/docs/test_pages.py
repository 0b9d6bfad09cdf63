"""The means by which pages are checked can fail: the collector of code blocks, and the follower of links."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = runpy.run_path(str(ROOT / "docs" / "conftest.py"), run_name="pages")
LINKS = runpy.run_path(str(ROOT / "tools" / "links.py"), run_name="links")


def page(*blocks: str) -> str:
    return "# Title\n\n" + "\n\nText.\n\n".join(blocks) + "\n"


def run(text: str) -> dict[str, object]:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in PAGES["blocks"](text):
        PAGES["run"](block, names, "page.md")
    return names


def test_blocks_go_on_where_the_one_before_ended():
    code, doctest, more = "x = 2", ">>> y = x + 1\n>>> y\n3", "z = y"
    names = run(page(*(f"```python\n{block}\n```" for block in (code, doctest, more))))
    assert names["z"] == 3


def test_a_wrong_output_fails():
    with pytest.raises(pytest.fail.Exception, match="Expected"):
        run(page("```python\n>>> 1 + 1\n3\n```"))


def test_an_error_in_plain_code_fails_and_names_its_line():
    with pytest.raises(ZeroDivisionError) as caught:
        run(page("```python\nx = 1\nx / 0\n```"))
    assert caught.traceback[-1].lineno + 1 == 5


def test_a_command_that_ends_badly_fails():
    with pytest.raises(pytest.fail.Exception, match="no-such-command"):
        run(page("```console\n$ graphoid no-such-command\n```"))


def test_what_a_command_prints_is_compared():
    run(page("```console\n$ graphoid --version\ngraphoid ...\n```"))
    with pytest.raises(pytest.fail.Exception, match="expected\nsomething else"):
        run(page("```console\n$ graphoid --version\nsomething else\n```"))


def test_commands_of_others_are_refused():
    with pytest.raises(ValueError, match="graphoid and cat only"):
        run(page("```console\n$ rm -rf everything\n```"))


def test_only_a_reason_leaves_a_block_out():
    left_out = "<!-- not run: needs a server -->\n```python\n1 / 0\n```"
    assert list(PAGES["blocks"](page(left_out))) == []
    assert len(list(PAGES["blocks"](page("```python\n1 / 0\n```")))) == 1


def test_a_language_that_nobody_runs_is_refused():
    with pytest.raises(ValueError, match="'py'"):
        list(PAGES["blocks"](page("```py\nx = 1\n```")))


def test_directives_and_tables_are_no_code():
    assert list(PAGES["blocks"](page("```{toctree}\na\n```", "```text\nx\n```"))) == []


def test_dead_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<h1 id="top">A</h1><a href="b.html#there">b</a><a href="#top">top</a>')
    (tmp_path / "b.html").write_text('<p id="there"></p><a href="https://example.org/none">elsewhere</a>')
    assert LINKS["dead"](tmp_path) == []
    (tmp_path / "b.html").write_text('<img src="missing.png">')
    assert LINKS["dead"](tmp_path) == ["a.html: no place b.html#there", "b.html: no file missing.png"]


def test_every_citation_has_an_entry_and_every_entry_can_be_read():
    pytest.importorskip("sphinx")
    citations = runpy.run_path(str(ROOT / "docs" / "_ext" / "citations.py"), run_name="citations")
    files = [
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "docs").glob("guide/**/*.md"),
        *(ROOT / "docs").glob("*/*.md"),
    ]
    cited = {key for file in files for key in citations["CITED"].findall(file.read_text(encoding="utf-8"))}
    assert "Bromberg2009" in cited
    assert cited <= set(citations["entries"]())


def test_every_public_name_and_room_is_in_the_reference():
    graphoid = pytest.importorskip("graphoid")
    rooms = runpy.run_path(str(ROOT / "docs" / "_ext" / "packages.py"), run_name="rooms")
    text = "\n".join(rooms["_names"]()).split()
    assert {name for name in graphoid.__all__ if name not in ("__version__", "datasets")} <= set(text)
