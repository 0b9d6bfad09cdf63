"""``graphoid learn --dry-run``: what a run would cost, before it is paid."""

from __future__ import annotations

import contextlib
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, TypedDict

from graphoid.cli.learners import LEARNERS, learner_of, score_of, test_of
from graphoid.cli.terminal import console, print_json
from graphoid.limits import OutOfTime, time_limit

if TYPE_CHECKING:
    from graphoid.cli.learn_options import LearnOptions
    from graphoid.data.remote.table import RemoteTable
    from graphoid.data.table import Table
    from graphoid.independence.base import Test
    from graphoid.scores.base import Score

LEAST, MOST = 1.0, 4.0
"""Tests of a search by tests, in n (n - 1): all pairs are half of that, and sparse networks take about as
much again; dense ones, several times."""

TRIED = 40
"""Tests and gains that are tried out to see how long one takes."""

LONGEST = 10.0
"""Seconds after which trying out gains ends."""

STEPS = (1.0, 6.0)
"""Looks at all candidates in a search by scores, for each variable: a climb takes about one edge a variable,
and walks take several times that."""


class Estimate(TypedDict):
    """The least and the most that a run would ask, and the seconds for either."""

    learner: str
    what: str
    least: int
    most: int
    seconds: list[float]


def show_estimate(options: LearnOptions, table: Table) -> None:
    """Print how many questions a run would ask, and about how long that takes on this machine."""
    from graphoid.data.remote.table import RemoteTable

    if isinstance(table, RemoteTable):
        _show_access_cost(options, table)
        return
    found = estimate(options, table)
    if options.json:
        print_json(found)
        return
    low, high = found["seconds"]
    console().print(
        f"{options.learner} on {table.n_rows:,} rows of {len(table.variables):,} variables: "
        f"{found['least']:,} to {found['most']:,} {found['what']}, "
        f"very roughly {_time(low)} to {_time(high)}.",
        soft_wrap=True,
    )


def _show_access_cost(options: LearnOptions, table: RemoteTable) -> None:
    """Print what counting where the rows are would take; nothing is counted for it."""
    from graphoid.counts.remote.estimate import estimate as estimate_access

    found = estimate_access(table)
    if options.json:
        ends = {"least": asdict(found.least), "most": asdict(found.most)}
        print_json({"learner": options.learner, **ends, "money": [found.least_money, found.most_money]})
        return
    console().print(
        f"{options.learner} on {table.n_rows:,} rows of {len(table.variables):,} variables, "
        f"counted where they are: roughly {found}.",
        soft_wrap=True,
    )


def estimate(options: LearnOptions, table: Table) -> Estimate:
    """Return the least and the most that a run would ask, and the seconds for either."""
    from graphoid.independence.chi_square import DEFAULT_TEST
    from graphoid.learners.base import AskingLearner

    n = len(table.variables)
    pairs = n * (n - 1) // 2
    named, learner = LEARNERS[options.learner], learner_of(options)
    if options.learner == "directed":
        each, what = _arc_seconds(table), "arcs tried"
        least, most = pairs, int(pairs * n * STEPS[1])
    elif learner is not None and named.score is None:
        own = learner.test_for(table) if isinstance(learner, AskingLearner) else None
        each = _test_seconds(own or test_of(options) or DEFAULT_TEST, table)
        least, most, what = int(2 * pairs * LEAST), int(2 * pairs * MOST), "tests"
    else:
        each = _gain_seconds(None if learner is None else score_of(options), table)
        least, most, what = int(pairs * STEPS[0]), int(pairs * n * STEPS[1]), "gains of a score"
    seconds = [least * each, most * each]
    if options.seconds is not None:
        seconds = [min(s, options.seconds) for s in seconds]
    return {"learner": options.learner, "what": what, "least": least, "most": most, "seconds": seconds}


def _test_seconds(test: Test, table: Table) -> float:
    """Return how long a test of a usual size takes: two variables given."""
    import numpy as np

    from graphoid.independence.tester import Tester

    n = len(table.variables)
    if n < 2:
        return 0.0
    tester = Tester(test, table)
    rng = np.random.default_rng(0)
    drawn = [rng.permutation(n)[: min(n, 4)].tolist() for _ in range(TRIED)]
    questions = [(x, y, tuple(given)) for x, y, *given in drawn]
    started = time.perf_counter()
    for question in questions:
        tester.ask([question])
    return (time.perf_counter() - started) / TRIED


def _arc_seconds(table: Table) -> float:
    """Return how long it takes to see what an arc gains: a first look at all pairs of some columns."""
    import graphoid as gd

    n = len(table.variables)
    if n < 2:
        return 0.0
    started = time.perf_counter()
    found = gd.DirectedSearch(reinsertions=0, max_parents=1, seconds=LONGEST, random_state=0).fit(table)
    terms = found.structure_.scored.n_terms if found.structure_.scored is not None else 0
    return (time.perf_counter() - started) / max(1, terms)


def _gain_seconds(score: Score | None, table: Table) -> float:
    """Return how long it takes to see what an edge would gain, on a graph that is a path."""
    from itertools import combinations, pairwise

    from graphoid.learners.recommended import recommend_score
    from graphoid.structure.graph import UndirectedGraph

    n = len(table.variables)
    if n < 2:
        return 0.0
    scorer = (score or recommend_score(table)[0]).on(table)
    tried = list(combinations(range(n), 2))[:TRIED]
    started = time.perf_counter()
    with contextlib.suppress(OutOfTime), time_limit(LONGEST):  # it takes at least that long, then
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
