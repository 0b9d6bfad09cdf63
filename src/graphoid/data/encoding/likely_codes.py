"""Values that may stand for missing, and numbers that were taken for text: what reading doubts and says."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.encoding.text import NUMBER
from graphoid.errors import ON_COMMAND_LINE, ON_PAGE, setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.data.encoding.encode import Encoded
    from graphoid.data.variables import State

CODES = tuple(
    sign * int(digit * n) for digit in "789" for n in range(1, 6) for sign in (-1, 1) if n > 1 or sign < 0
)
"""Numbers by which surveys write that there is no answer: -9, -99, 99, 999, 9999, the same of sevens and of
eights."""

TEXTS = frozenset({
    "n.a.", "n. a.", "n.a", "na.", "n/v", "#n/v", "#nv", "k.a.", "k. a.", "k.a", "k/a", "ka.", "keine angabe",
    "keine antwort", "nicht beantwortet", "unbekannt", "no answer", "not answered", "not available",
    "not ascertained", "no data", "no response", "unknown", "missing", "system missing", "sysmiss", "n.d.",
    "sans réponse", "non disponible", "s/d", "sin dato", "sin respuesta", "non rilevato", ".", "..", "...",
    "--", "---", "??", "*", "#wert!", "#value!", "#ref!", "#div/0!",
})  # fmt: skip
"""Texts, in small letters, that often stand for a missing cell. Answers such as "do not know" are not among
them."""

COMMA_NUMBER = r"^[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+$"
"""A number with a decimal comma."""

FEW_TEXTS = 3
"""Different texts among numbers that are taken for words for missing."""

_NUMBER, _COMMA_NUMBER = re.compile(NUMBER), re.compile(COMMA_NUMBER)


def likely_missing(column: Encoded) -> list[State]:
    """Return the levels of a column that may stand for missing."""
    if column.dates or column.declared:  # the source knows its states
        return []
    if column.numeric:
        return _likely_numbers(column)
    states = column.states()
    found = [state for state in states if isinstance(state, str) and state.strip().lower() in TEXTS]
    words = _words_among_numbers(states)
    return [state for state in states if state in found or state in words]


def _likely_numbers(column: Encoded) -> list[State]:
    """Return codes that lie apart from all other numbers, and that more than one row has."""
    levels, counts = np.asarray(column.levels), column.counts()[:-1]
    codes = np.isin(levels, CODES) & (counts > 1)
    rest = levels[~np.isin(levels, CODES)]
    if not codes.any() or rest.size < 2:
        return []
    low, high = rest[0], rest[-1]
    span = float(high) - float(low)
    apart = (levels < low - span) | (levels > high + span) | ((levels < 0) & (low >= 0))
    return [
        int(level) for level in levels[codes & apart]
    ]  # equal to the level, and shorter: 9999, not 9999.0


def _words_among_numbers(states: Sequence[State]) -> list[State]:
    """Return the few texts of a column that otherwise holds numbers."""
    words = [state for state in states if not _is_number(state)]
    n_numbers = len(states) - len(words)
    return words if 0 < len(words) <= FEW_TEXTS and n_numbers > 3 * len(words) else []


def _is_number(state: State) -> bool:
    return isinstance(state, str) and bool(_NUMBER.match(state) or _COMMA_NUMBER.match(state))


def decimal_commas(column: Encoded) -> str:
    """Return a number with a decimal comma if a column of text has only numbers, some of them such; or ""."""
    if column.numeric or column.declared:
        return ""
    skipped = set(likely_missing(column))
    states = [state for state in column.states() if state not in skipped]
    if not all(_is_number(state) for state in states):
        return ""
    return next((str(state) for state in states if _COMMA_NUMBER.match(str(state))), "")


def holds_numbers(column: Encoded) -> bool:
    """Return whether a column of text holds numbers, but for a few words or decimal commas."""
    return not column.numeric and bool(_words_among_numbers(column.states()) or decimal_commas(column))


def doubts(column: Encoded, name: str) -> list[str]:
    """Return what is doubtful about the values of a column, with the remedy, a sentence each."""
    said = []
    likely = likely_missing(column)
    if likely:
        places = {state: i for i, state in enumerate(column.states())}
        counts = column.counts()
        cells = " and ".join(f"{counts[places[state]]:,} cell(s) {state!r}" for state in likely)
        it = "it" if len(likely) == 1 else "them"
        said.append(f"{name!r} has {cells}, which may stand for missing; {na_setting(likely)} makes {it} so.")
    comma = decimal_commas(column)
    if comma:
        remedy = setting("decimal", ",")
        said.append(
            f"{name!r} has numbers with a decimal comma, such as {comma}; {remedy} reads them as numbers."
        )
    return said


def na_setting(values: Sequence[State]) -> str:
    """Return how values are declared to be missing.

    >>> na_setting([-99, "k.A."])
    "na_values=['-99', 'k.A.']"
    """
    texts = [str(value) for value in values]
    if ON_COMMAND_LINE.get():
        return " ".join(f"--na {shlex.quote(text)}" for text in texts)
    return f"“{', '.join(texts)}” as missing values" if ON_PAGE.get() else f"na_values={texts!r}"
