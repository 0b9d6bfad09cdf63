"""Text from anywhere, as it is displayed: column names and values may hold anything at all.

Everything a report shows of the data goes once through :func:`display_names` or :func:`visible`, which leave
nothing hidden, and then through the escape of the format it is written in: the templates escape HTML and SVG.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PICTURES = {"\n": "↵", "\r": "←", "\t": "⇥"}
"""Characters that would break a line, by what is shown for them."""

LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def visible(text: str) -> str:
    r"""Return text in which nothing is hidden: what steers a terminal or turns a line around is spelled out.

    >>> visible("line\none"), visible("a\u202eb"), visible("")
    ('line↵one', 'a[U+202E]b', '(no name)')
    """
    if text.isprintable() and text:
        return text
    return "".join(map(_visible, text)) or "(no name)"


def _visible(character: str) -> str:
    if character in PICTURES:
        return PICTURES[character]
    kind = unicodedata.category(character)
    if kind in ("Cs", "Cn"):  # half of a pair, or no character at all: files have no way to write it
        return "\ufffd"
    if kind in ("Zl", "Zp"):
        return PICTURES["\n"]
    if kind == "Cc" or (kind == "Cf" and unicodedata.bidirectional(character) != "BN"):
        return f"[U+{ord(character):04X}]"
    return character


def isolate(text: str) -> str:
    r"""Return text that does not turn its surroundings around where it is written from right to left.

    >>> isolate("age"), isolate("גיל") == "\u2068גיל\u2069"
    ('age', True)
    """
    if any(unicodedata.bidirectional(c) in ("R", "AL", "RLE", "RLO") for c in text):
        return f"\u2068{text}\u2069"
    return text


def display_names(names: Sequence[str]) -> tuple[str, ...]:
    r"""Return names as they are shown, all of them different.

    >>> display_names(["a\n", "a↵"])
    ('a↵', 'a↵ (2)')
    """
    times: dict[str, int] = {}
    found = []
    for name in names:
        text = isolate(visible(name))
        times[text] = times.get(text, 0) + 1
        found.append(text if times[text] == 1 else f"{text} ({times[text]})")
    return tuple(found)


def shorten(text: str, most: int = 28) -> str:
    """Return text that fits beside a node.

    >>> shorten("income", 4), shorten("age", 4)
    ('inc…', 'age')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def latex(text: str) -> str:
    r"""Return text for LaTeX.

    >>> latex("50% of {A_1}")
    '50\\% of \\{A\\_1\\}'
    """
    plain = text.replace("\u2068", "").replace("\u2069", "")
    return "".join(LATEX.get(character, character) for character in plain)
