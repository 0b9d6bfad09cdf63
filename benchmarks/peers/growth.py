"""Page 3: what rows and columns cost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from peers.learners import LEARNERS, OURS
from peers.problems import random_ising, random_tables
from peers.results import Row
from peers.runs import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from peers.problems import Problem
    from peers.runs import Runs

LEFT_OUT = set(OURS) - {"gd.learn", "RobustGSMN", "TwoPhase(MPL)"}
"""Learners of ours that page 1 has."""

WIDTH, HEIGHT = 30, 2_000
"""Columns where rows grow, rows where columns do."""

CERTAIN = 1.0
"""CPU seconds from which on the last two steps say what the next will take."""


class Ladder(NamedTuple):
    """Something that grows."""

    name: str
    make: Callable[[int], Callable[[int, int], Problem]]
    """From a number of columns to a problem of so many rows and a seed."""
    sizes: list[tuple[int, int]]
    """Rows and columns of each step."""


def ladders(most_rows: int, most_columns: int) -> list[Ladder]:
    """Return what grows, each by doubling."""
    tall = [(1_000 << k, WIDTH) for k in range(20) if 1_000 << k <= most_rows]
    wide = [(HEIGHT, 25 << k) for k in range(20) if 25 << k <= most_columns]

    def of_ising(n: int) -> Callable[[int, int], Problem]:
        return partial(random_ising, n)

    def of_tables(n: int) -> Callable[[int, int], Problem]:
        return partial(random_tables, n)

    return [
        Ladder("rows, Ising", of_ising, tall),
        Ladder("columns, Ising", of_ising, wide),
        Ladder("columns, random tables", of_tables, wide),
    ]


def learners_of(ladder: str) -> list[str]:
    """Return who climbs: on tables of more than two states not those who are for binary columns."""
    return [
        name
        for name, learner in LEARNERS.items()
        if name not in LEFT_OUT and not (learner.binary and "tables" in ladder)
    ]


def plan(runs: Runs, most_rows: int, most_columns: int) -> Iterator[Task]:
    """Yield what can be run side by side: a learner on a ladder."""
    for ladder in ladders(most_rows, most_columns):
        for learner in LEARNERS:
            if learner in learners_of(ladder.name):
                yield Task(learner, (ladder.name,), partial(climb, runs, learner, ladder))


def climb(runs: Runs, learner: str, ladder: Ladder) -> list[Row]:
    """Go up until the limit is met, or the last two steps say that the next one would meet it."""
    found: list[Row] = []
    for rows, columns in ladder.sizes:
        if why := reason_to_stop(found, runs.limit.seconds, runs.limit.megabytes):
            found.append(Row(ladder.name, learner, rows, columns, 0, "left", note=why))
            break
        path, _, edges, _ = runs.table(f"{ladder.name}-{columns}", ladder.make(columns), rows, 0)
        found.append(runs.one(learner, ladder.name, path, (rows, columns, edges, 0)))
        if found[-1].status != "ended":
            break
    return found


def reason_to_stop(rows: list[Row], seconds: float, megabytes: float) -> str:
    """Return why the next step, which doubles, is not worth starting; nothing if it is."""
    if len(rows) < 2 or rows[-1].seconds is None or rows[-2].seconds is None:
        return ""
    last, before = rows[-1], rows[-2]
    if last.seconds >= CERTAIN and (more := last.seconds**2 / max(before.seconds, 1e-9)) > seconds:
        return f"{more:.0f} s expected"
    added = 2 * ((last.megabytes or 0) - (before.megabytes or 0))
    if (more := (last.megabytes or 0) + added) > megabytes:
        return f"{more / 1000:.0f} GB expected"
    return ""
