"""What a run prints, kept by part, and written as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from measure import word

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """# Measured: every kind of column

**How well are networks of mixed columns recovered?**

![Edge weights with their confidence intervals](../pictures/strength.png)

Written by `benchmarks/kinds.py`, a part at a time: tables whose network is known
({mod}`graphoid.datasets`), {func}`gd.learn <graphoid.learn>` as it comes, and others on the same tables.
Means with standard errors over data sets; in brackets CPU seconds of one table (all threads, and processes
started; not those for the sizes of edges, which `pairs()` measures) and, where a peer takes long, how few
data sets it was given. Seeds are from 5000 on; settings were chosen on others. Bars that do not hold are
marked **missed**.

```text
GRAPHOID_DATA=data python benchmarks/kinds.py --page docs/guide/kinds-measured.md
```
"""


class Section(NamedTuple):
    """One part of the page."""

    number: int
    title: str
    rows: list[dict[str, str]]
    """A row of its table by the heads of the columns."""
    bars: list[str]
    """Those to be shown ..."""
    holding: list[str]
    """... and those of single cells and peers that hold, which are counted."""

    def markdown(self) -> str:
        """Return the table, if there is one, and the bars."""
        heads = list(dict.fromkeys(head for row in self.rows for head in row))
        table = [
            f"| {' | '.join(heads)} |",
            f"|{' --- |' * len(heads)}",
            *(f"| {' | '.join(row.get(head, '') for head in heads)} |" for row in self.rows),
            "",
        ]
        counted = [f"- {len(self.holding)} more bars, of single cells and peers, hold"] * bool(self.holding)
        lines = [*(table if heads else []), *self.bars, *counted, ""]
        return "\n".join([f"## {self.number}. {self.title}", "", *lines])


sections: list[Section] = []
"""Parts of this run, the present one last."""


def begin(number: int, title: str) -> None:
    """Begin a part."""
    sections.append(Section(number, title, [], [], []))
    print(f"\n{number}. {title}", flush=True)


def bar(what: str, said: str, *, holds: bool, shown: bool = True) -> None:
    """Print whether a bar holds, and keep it for the page, which shows it, or does so if it was missed."""
    print(f"    {what}: {said}  {word(what, holds=holds)}", flush=True)
    if shown or not holds:
        sections[-1].bars.append(f"- {what}: {said}{'' if holds else ' **missed**'}")
    else:
        sections[-1].holding.append(what)


def write(path: Path) -> None:
    """Write the page; parts that were not run stay as they are."""
    parts: dict[int, str] = {}
    if path.is_file():
        for text in path.read_text(encoding="utf-8").split("\n## ")[1:]:
            parts[int(text.split(".")[0])] = f"## {text.rstrip()}\n"
    for section in sections:
        parts[section.number] = section.markdown()
    path.write_text("\n".join([HEAD, *(parts[k] for k in sorted(parts))]), encoding="utf-8")
