"""Every code block of every page runs: one test for a page, its blocks in order, as a reader would type them.

A collector of our own, and not a notebook extension: pages stay Markdown that any editor and GitHub show,
what they print is written in them and compared, and they run with the other tests, with and without
kernels. (The gallery, where pictures count and not the last digit, is run by the build of the pages.)

- ``python`` with ``>>>`` is a doctest; without, it is executed. What it defines is there for those below.
- ``console``: every line after ``$ `` is run, and must end well; lines below are what it prints, as in
  a doctest. Pages run ``graphoid`` and ``cat`` only.
- ``<!-- not run: the reason -->`` in the line before a block leaves it out.

A page begins in an empty folder of its own, so that what it writes it can read.
"""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.support.terminal import graphoid

if TYPE_CHECKING:
    from collections.abc import Iterator

collect_ignore_glob = ["conf.py", "_ext/*", "_build/*", "examples/*", "gallery/*", "reference/generated/*"]

FENCE = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]+?) -->\n)?"
    r"^(?P<fence>`{3,})(?P<language>\w+)\n(?P<code>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
RUN = {"python", "console"}
SHOWN = {"text", "bibtex", "sql", "toml", "json"}


class Block(NamedTuple):
    """A block of code in a page."""

    line: int
    language: str
    code: str


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a page that are to be run, in order.

    Raises
    ------
    ValueError
        A block has a language that is neither run nor only shown, so that nobody would notice it is not run.
    """
    for found in FENCE.finditer(text):
        language = found["language"]
        if language not in RUN | SHOWN:
            raise ValueError(f"a block of {language!r}: pages have {', '.join(sorted(RUN | SHOWN))}")
        if language in RUN and found["reason"] is None:
            yield Block(text.count("\n", 0, found.start("code")), language, found["code"])


def run(block: Block, names: dict[str, Any], page: str) -> None:
    """Run one block with the names that those before it left."""
    if block.language == "console":
        for command in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
            line, _, printed = command.partition("\n")
            _command(line, printed)
    elif ">>>" in block.code:
        _doctest(block, names, page)
    else:
        code = compile("\n" * block.line + block.code, page, "exec")
        exec(code, names)


def _command(line: str, printed: str) -> None:
    program, *arguments = shlex.split(line, comments=True)
    if program == "graphoid":
        done = graphoid(*arguments, together=True)
        code, shown = done.returncode, done.stdout
    elif program == "cat":
        code, shown = 0, "".join(Path(name).read_text(encoding="utf-8") for name in arguments)
    else:
        raise ValueError(f"{line!r}: pages run graphoid and cat only")
    same = doctest.OutputChecker().check_output(printed, shown, FLAGS)
    if code or (printed and not same):
        expected = f"expected\n{printed}got\n" if printed else ""
        pytest.fail(f"{line}\n{expected}{shown}", pytrace=False)


def _doctest(block: Block, names: dict[str, Any], page: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.code, names, page, page, block.line)
    test.globs = names  # the page's own, not a copy: blocks below go on with them
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=said.append, clear_globs=False)
    if said:
        pytest.fail("".join(said), pytrace=False)


class Page(pytest.File):
    """A page with code in it."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one test for the whole page, if anything in it runs."""
        found = list(blocks(self.path.read_text(encoding="utf-8")))
        if found:
            yield PageItem.from_parent(self, name=self.path.stem, blocks=found)


class PageItem(pytest.Item):
    """The blocks of a page, run one after the other."""

    def __init__(self, *, blocks: list[Block], **rest: Any) -> None:
        super().__init__(**rest)
        self.blocks = blocks

    def runtest(self) -> None:
        """Run the page in a folder of its own."""
        folder = self.config._tmp_path_factory.mktemp(self.name, numbered=True)  # type: ignore[attr-defined]
        names: dict[str, Any] = {"__name__": "__main__"}
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for block in self.blocks:
                run(block, names, str(self.path))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Say which page it is."""
        return self.path, 0, f"page {self.name}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Page | None:
    """Collect the pages."""
    generated = {"_build", "gallery", "generated"} & set(file_path.parts)
    return Page.from_parent(parent, path=file_path) if file_path.suffix == ".md" and not generated else None
