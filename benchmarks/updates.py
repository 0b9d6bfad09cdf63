"""Whether rows that come later give what all rows give, and when an edge that switched is noticed.

*Equality*: a table in random order is split anywhere, learned from its first rows and updated with the
others; all that is saved, but seconds, is compared with a fit on all rows from the same start. Every figure
has to be the same to the last digit.

*Drift*: batches of rows of a chain of binary columns, in which nothing changes, or from the fifth on one
edge is gone, has the opposite sign, or half its log odds. *False* are first alarms of pairs that did not
change; *delay* is the median number of batches after the switch, that with the alarm included, and *noticed*
the share of runs that have one.

    python benchmarks/updates.py [SPLITS] [RUNS] [FIRST SEED]
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from measure import closing_line, word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.learners.base import AnyLearner

LEARNERS: dict[str, AnyLearner | None] = {
    "gd.learn": None,
    "GSMN": gd.GSMN(),
    "GSIMN": gd.GSIMN(),
    "RobustGSMN": gd.RobustGSMN(),
    "TwoPhase of MPL": gd.TwoPhase(gd.MPL()),
    "HillClimb of BJP": gd.HillClimb(gd.BJP()),
    "HillClimb of IBScore": gd.HillClimb(gd.IBScore()),
    "Search of LogLinearScore": gd.Search(gd.LogLinearScore(), random_state=1),
    "DirectedSearch": gd.DirectedSearch("bdeu", random_state=1),
}
"""Those that learn from counts."""

TABLES = ("titanic", "survey")

BATCHES, SWITCH = 20, 5
"""In a run, and the first that differs."""

FIRST = 1_000
"""Rows that are learned from before batches come."""

STRENGTH = 0.7
"""Half the log odds ratio of neighbors in the chain: they agree with a probability of .80."""

SWITCHES = {"gone": 0.0, "half": 0.5, "opposite": -1.0}
"""What becomes of an edge's log odds."""


def body(found: gd.LearnedStructure) -> dict[str, object]:
    """Return all that is saved of a result but seconds, an unused seed, and what an update says beside it."""
    values = dict(found.to_body())
    cost = {k: v for k, v in dict(values["cost"]).items() if k != "seconds"}
    details = {k: v for k, v in dict(values["details"]).items() if k != "update"}
    return {**values, "cost": cost, "details": details, "seed": None}


def equal(name: str, table: gd.Table, seed: int) -> bool:
    """Return whether an update at a random place equals a fit on all rows."""
    rng = np.random.default_rng(seed)
    rows, at = rng.permutation(table.n_rows), int(rng.integers(table.n_rows // 10, table.n_rows))
    whole, first, later = table.keep(rows), table.keep(rows[:at]), table.keep(rows[at:])
    learner = LEARNERS[name]
    if learner is None:
        before = gd.learn(first)
        start = before.graph if isinstance(before.learner, gd.Search) else None
        again = gd.learn(whole, start=start)
    else:
        before = learner.fit(first).structure_
        start = {"start": before.graph} if "start" in learner.get_params(deep=False) else {}
        again = learner.with_params(**start).fit(whole).structure_
    return body(before.update(later)) == body(again)


def chain(n: int, strengths: NDArray[np.float64], rng: np.random.Generator) -> dict[str, NDArray[np.int64]]:
    """Return rows of binary columns, each after the one before it."""
    columns = [rng.integers(2, size=n)]
    for strength in strengths:
        agree = rng.random(n) < 1 / (1 + np.exp(-2 * strength))
        columns.append(np.where(agree, columns[-1], 1 - columns[-1]))
    return {f"v{i}": column for i, column in enumerate(columns)}


def watch(size: int, switch: str | None, seed: int) -> tuple[int, int, int | None]:
    """Return false alarms, batches, and those from the switch to its alarm, None if there was none."""
    rng = np.random.default_rng([seed, size, *map(ord, switch or "")])
    strengths = np.full(4, STRENGTH)
    found = gd.GSMN().fit(gd.read(chain(FIRST, strengths, rng))).structure_
    factor = 1.0 if switch is None else SWITCHES[switch]
    for batch in range(1, BATCHES + 1):
        now = strengths * np.array([1, factor if batch >= SWITCH else 1, 1, 1])
        found = found.update(chain(size, now, rng))
        alarms = {(row.x, row.y) for row in found.drift if row.alarm}
        if ("v1", "v2") in alarms and switch is not None and batch >= SWITCH:
            return len(alarms) - 1, batch, batch - SWITCH + 1
    return len(alarms), BATCHES, None


def main() -> int:
    """Print equality for every learner, then the table of delays; exit with 1 if a bar is missed."""
    given = sys.argv[1:4]
    splits, runs, start = (int(text) for text in [*given, *("10", "5", "0")[len(given) :]])
    tables = [gd.datasets.load(name) for name in TABLES]
    for name in LEARNERS:
        same = sum(equal(name, tables[seed % len(tables)], seed) for seed in range(start, start + splits))
        print(f"{name:26} equal {same} of {splits}  {word(name, holds=same == splits)}", flush=True)
    for switch in (None, *SWITCHES):
        for size in (50, 200, 500):
            found = [watch(size, switch, seed) for seed in range(start, start + runs)]
            false, total = (sum(column) for column in list(zip(*found, strict=True))[:2])
            delays = [delay for _, _, delay in found if delay is not None]
            median = f"{np.median(delays):.0f}" if delays else "-"
            print(
                f"{switch or 'nothing':9} batches of {size:3}  false {1000 * false / total:5.1f} per 1,000 "
                f"({false} in {total:,})  noticed {len(delays) / runs:.2f}  delay {median}",
                flush=True,
            )
    return closing_line()


if __name__ == "__main__":
    sys.exit(main())
