"""Labels that nodes hold: how a name breaks into lines, and how much room they take."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FONT = 13.0
"""Size of the letters, in units of the drawing."""

LINE = 1.2
"""From one line to the next, as a multiple of the size."""

LONGEST = 16
"""Characters of a line; a longer word is cut, and its full text is in the title of the node."""

MOST_LINES = 3

INSET = 7.0
"""Between a label and the border of its node."""

SMALLEST = 30.0
"""Diameter of a node whose name is a letter or two."""

NARROW, WIDE = "fijlrtI1!|.,:;'()[]/- ", "mwMWQO@%&#"


class Label(NamedTuple):
    """A name in the lines that a node shows."""

    lines: tuple[str, ...]
    width: float
    height: float
    """Of the box of the text."""


def label_of(name: str) -> Label:
    """Return a name in as few short lines as hold it.

    >>> label_of("age").lines, label_of("mean concave points").lines
    (('age',), ('mean', 'concave', 'points'))
    """
    lines = tuple(_cut(line) for line in _wrap(name))
    return Label(lines, max(map(text_width, lines)), FONT * (1 + LINE * (len(lines) - 1)))


def text_width(text: str) -> float:
    """Return how wide a text is at most, in units of the drawing, in the sans-serif fonts in use."""
    return FONT * sum(
        0.42
        if c in NARROW
        else 1.0
        if c in WIDE or unicodedata.east_asian_width(c) in "WF"
        else 0.76
        if c.isupper()
        else 0.64
        for c in text
    )


def _wrap(name: str) -> list[str]:
    """Return the lines of a name, broken between words so that they take the least room."""
    words = re.findall(r"[^\s_.\-]+[_.\-]?|[_.\-]", name) or [name]
    if len(name) <= 10 or len(words) == 1:
        return [name]
    fitting: list[list[str]] = []
    for most in range(8, LONGEST + 1):
        lines = [words[0]]
        for word in words[1:]:
            joined = f"{lines[-1]}{'' if lines[-1][-1] in '_.-' else ' '}{word}"
            if len(joined) <= most:
                lines[-1] = joined
            else:
                lines.append(word)
        if len(lines) <= MOST_LINES and (max(map(len, lines)) <= most or most == LONGEST):
            fitting.append(lines)
    if fitting:
        return min(fitting, key=lambda lines: len(lines) * max(map(len, lines)))
    return [*lines[: MOST_LINES - 1], "".join(lines[MOST_LINES - 1 :])]


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def node_sizes(labels: Sequence[Label]) -> NDArray[np.float64]:
    """Return width and height of every node: circles of one size where all names fit, else as labels need.

    A node with a long name is as high as its lines and rounded at both ends.
    """
    n = max(1, len(labels))
    inner = [float(np.hypot(label.width, label.height)) + INSET for label in labels]
    one = max([SMALLEST, *inner])
    if one <= min(90.0, 40.0 + 400.0 / n):
        return np.full((len(labels), 2), one)
    sizes = [(label.width + 2.6 * INSET, label.height + 2.2 * INSET) for label in labels]
    return np.array([(max(SMALLEST, w, h), max(SMALLEST, h)) for w, h in sizes])
