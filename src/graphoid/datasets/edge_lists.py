"""Graphs from files of edges."""

from __future__ import annotations

import csv
import os
from pathlib import Path

from graphoid.errors import DataError
from graphoid.structure.document import refuse_pipe
from graphoid.structure.graph import UndirectedGraph

MOST_POSITIONS = 1_000_000
"""Variables that a file of numbers may speak of: one line of it could promise any number of them."""


def read_graph(path: str | os.PathLike[str]) -> UndirectedGraph:
    """Return the graph in a CSV file: a header, then two names a line, the ends of an edge.

    Whole numbers are positions and come in their order, so that 10 is after 9; other names come in the order
    in which they are met. A line may repeat an edge, in either direction. Variables without an edge cannot be
    written, except for numbers below the largest.

    Parameters
    ----------
    path
        The file.
    """
    where = os.fspath(path)
    refuse_pipe(path)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            lines = [line for line in csv.reader(stream) if line][1:]
    except (ValueError, csv.Error):  # no text, or no name of a file
        raise DataError(f"{where!r} is not a text file; expected two names a line, such as 0,1.") from None
    ends: list[tuple[str, str]] = []
    for number, line in enumerate(lines, start=2):
        if len(line) < 2 or not line[0].strip() or not line[1].strip():
            raise DataError(
                f"{where!r}, line {number}: expected the two ends of an edge, got {','.join(line)!r}."
            )
        x, y = line[0].strip(), line[1].strip()
        if x == y:
            raise DataError(f"{where!r}, line {number}: an edge from {x!r} to itself means nothing.")
        ends.append((x, y))
    met = dict.fromkeys(end for edge in ends for end in edge)
    if all(name.isdecimal() for name in met):
        n = max((int(name[:4_000]) for name in met), default=-1) + 1  # Python reads 4,300 digits at most
        if n > MOST_POSITIONS:
            raise DataError(
                f"{where!r} speaks of a variable {str(n - 1)[:20]}, so there would be as many; at most "
                f"{MOST_POSITIONS:,} are read. Give variables names that are not numbers."
            )
        return UndirectedGraph(n, [(int(x), int(y)) for x, y in ends])
    return UndirectedGraph(list(met), ends)
