"""``graphoid learn --dry-run``: what a run would cost, before it is paid."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from graphoid.cli.learners import LEARNERS, made
from graphoid.cli.terminal import console, print_json

if TYPE_CHECKING:
    from graphoid.cli.settings import Run
    from graphoid.data.table import Table

LEAST, MOST = 1.0, 4.0
"""Tests of a search by tests, in n (n - 1): all pairs are half of that, and sparse networks take about as
much again; dense ones, several times."""

TRIED = 40
"""Tests and gains that are tried out to see how long one takes."""

STEPS = (1.0, 6.0)
"""Looks at all candidates in a search by scores, for each variable: a climb takes about one edge a variable,
and walks take several times that."""


def show_estimate(run: Run, table: Table, *, as_json: bool) -> None:
    """Print how many questions a run would ask, and about how long that takes on this machine."""
    if hasattr(table, "relation"):
        _show_trips(run, table, as_json=as_json)
        return
    found = estimate(run, table)
    if as_json:
        print_json(found)
        return
    low, high = found["seconds"]
    console().print(
        f"{run.learner} on {table.n_rows:,} rows of {len(table.variables):,} variables: "
        f"{found['least']:,} to {found['most']:,} {found['what']}, "
        f"very roughly {_time(low)} to {_time(high)}.",
        soft_wrap=True,
    )


def _show_trips(run: Run, table: Table, *, as_json: bool) -> None:
    """Print what counting where the rows are would take; nothing is counted for it."""
    from graphoid.counts.remote.estimate import estimate as of_trips

    found = of_trips(table)
    if as_json:
        ends = {"least": asdict(found.least), "most": asdict(found.most)}
        print_json({"learner": run.learner, **ends, "money": [found.least_money, found.most_money]})
        return
    console().print(
        f"{run.learner} on {table.n_rows:,} rows of {len(table.variables):,} variables, "
        f"counted where they are: roughly {found}.",
        soft_wrap=True,
    )


def estimate(run: Run, table: Table) -> dict[str, Any]:
    """Return the least and the most that a run would ask, and the seconds for either."""
    n = len(table.variables)
    pairs = n * (n - 1) // 2
    learner = made(run)
    if learner is not None and LEARNERS[run.learner].score is None:
        each = _test_seconds(learner, table)
        least, most, what = int(2 * pairs * LEAST), int(2 * pairs * MOST), "tests"
    else:
        each = _gain_seconds(learner, table)
        least, most, what = int(pairs * STEPS[0]), int(pairs * n * STEPS[1]), "gains of a score"
    seconds = [least * each, most * each]
    if run.seconds is not None:
        seconds = [min(s, run.seconds) for s in seconds]
    return {"learner": run.learner, "what": what, "least": least, "most": most, "seconds": seconds}


def _test_seconds(learner: Any, table: Table) -> float:
    """Return how long a test of a usual size takes: two variables given."""
    import numpy as np

    from graphoid.independence.tester import Tester

    n = len(table.variables)
    if n < 2:
        return 0.0
    tester = Tester(learner.test, table)
    rng = np.random.default_rng(0)
    asked = [rng.permutation(n)[: min(n, 4)].tolist() for _ in range(TRIED)]
    questions = [(x, y, tuple(given)) for x, y, *given in asked]
    started = time.perf_counter()
    for question in questions:
        tester.ask([question])
    return (time.perf_counter() - started) / TRIED


def _gain_seconds(learner: Any, table: Table) -> float:
    """Return how long it takes to see what an edge would gain, on a graph that is a path."""
    from itertools import combinations, pairwise

    from graphoid.learners.recommended import recommended
    from graphoid.structure.graph import UndirectedGraph

    n = len(table.variables)
    if n < 2:
        return 0.0
    score = (learner or recommended(n)[0]).score
    scorer = score.on(table)
    tried = list(combinations(range(n), 2))[:TRIED]
    started = time.perf_counter()
    scorer.gains(UndirectedGraph(table.names, list(pairwise(range(n)))), tried)
    return (time.perf_counter() - started) / len(tried)


def _time(seconds: float) -> str:
    """Return a time in words.

    >>> _time(0.02), _time(90), _time(7_300)
    ('less than a second', '1.5 minutes', '2 hours')
    """
    if seconds < 1:
        return "less than a second"
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.2g} seconds"
