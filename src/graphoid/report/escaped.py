"""Text from anywhere, made safe to show: column names and values may hold anything at all.

Everything a report shows of the data goes once through :func:`shown` or :func:`visible`, which leave nothing
hidden, and then through the escape of the format it is written in.
"""

from __future__ import annotations

import json
import unicodedata
from html import escape
from typing import TYPE_CHECKING, Any

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


def isolated(text: str) -> str:
    r"""Return text that does not turn its surroundings around where it is written from right to left.

    >>> isolated("age"), isolated("גיל") == "\u2068גיל\u2069"
    ('age', True)
    """
    if any(unicodedata.bidirectional(c) in ("R", "AL", "RLE", "RLO") for c in text):
        return f"\u2068{text}\u2069"
    return text


def shown(names: Sequence[str]) -> tuple[str, ...]:
    r"""Return names as they are shown, all of them different.

    >>> shown(["a\n", "a↵"])
    ('a↵', 'a↵ (2)')
    """
    taken: dict[str, int] = {}
    found = []
    for name in names:
        text = isolated(visible(name))
        taken[text] = taken.get(text, 0) + 1
        found.append(text if taken[text] == 1 else f"{text} ({taken[text]})")
    return tuple(found)


def shortened(text: str, most: int = 28) -> str:
    """Return text that fits beside a node.

    >>> shortened("income", 4), shortened("age", 4)
    ('inc…', 'age')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def html(text: Any) -> str:
    """Return text for HTML or SVG, between tags or inside a quoted attribute."""
    return escape(str(text), quote=True)


def latex(text: Any) -> str:
    r"""Return text for LaTeX.

    >>> latex("50% of {A_1}")
    '50\\% of \\{A\\_1\\}'
    """
    plain = str(text).replace("\u2068", "").replace("\u2069", "")
    return "".join(LATEX.get(character, character) for character in plain)


def embedded(data: Any) -> str:
    r"""Return data as JSON that can stand inside a script element: nothing in it can end the element.

    >>> embedded({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
