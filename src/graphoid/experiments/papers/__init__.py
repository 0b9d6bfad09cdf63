"""Figures that papers print, to stand beside ours; a module a paper, by its key in the bibliography."""

from __future__ import annotations

from typing import NamedTuple


class UCILine(NamedTuple):
    """A line of a table of UCI data sets: what each of three algorithms costs, and how accurate it is."""

    n: int
    n_rows: int
    weighted: tuple[float, float, float]
    accuracy: tuple[float, float, float]
