"""Page 1: how right learners are, and what that takes, on networks of the literature and generated ones."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from peers.learners import LEARNERS
from peers.problems import hubs, public_problems, random_ising
from peers.results import Row
from peers.runs import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from peers.problems import Problem
    from peers.runs import Runs

ROWS = 10_000

DEAR = 0.25
"""Share of the limit from which on a learner gets one sample of a network only."""

PUBLIC = ("alarm", "insurance", "hailfinder", "water")


def families() -> dict[str, dict[str, Callable[[int, int], Problem]]]:
    """Return the networks by family, a larger one after the smaller."""
    there = public_problems()
    found: dict[str, dict[str, Callable[[int, int], Problem]]] = {
        name: {name: there[name]} for name in PUBLIC if name in there
    }
    found["ising"] = {f"ising-{n}": partial(random_ising, n) for n in (75, 200)}
    found["hubs"] = {"hubs-64": partial(hubs, 64)}
    return found


def plan(runs: Runs, rows: int, samples: int) -> Iterator[Task]:
    """Yield what can be run side by side: a learner on the networks of a family."""
    for learner in LEARNERS:
        for networks in families().values():
            yield Task(learner, tuple(networks), partial(on_family, runs, learner, networks, rows, samples))


def on_family(
    runs: Runs, learner: str, networks: dict[str, Callable[[int, int], Problem]], n_rows: int, samples: int
) -> list[Row]:
    """Run a learner on networks, as far as it does not need more than the limit."""
    found: list[Row] = []
    for name, make in networks.items():
        stopped = [row for row in found if row.status in {"time", "memory", "idle"}]
        for sample in range(samples):
            path, columns, edges, binary = runs.table(name, make, n_rows, sample)
            if LEARNERS[learner].binary and not binary:
                break
            if stopped:
                note = f"more than the limit already on {stopped[0].part}"
                found.append(Row(name, learner, n_rows, columns, 0, "left", true_edges=edges, note=note))
                break
            row = runs.one(learner, name, path, (n_rows, columns, edges, sample))
            found.append(row)
            if row.status != "ended" or (row.seconds or 0) > DEAR * runs.limit.seconds:
                break
    return found


def by_network(rows: list[Row]) -> dict[str, list[list[Row]]]:
    """Return the samples of every learner, by network, both in order."""
    order = {name: k for k, name in enumerate(LEARNERS)}
    networks = list(
        dict.fromkeys(name for family in (*PUBLIC, "ising-75", "ising-200", "hubs-64") for name in [family])
    )
    known = sorted(rows, key=lambda row: (networks.index(row.part), order[row.learner], row.sample))
    found: dict[str, list[list[Row]]] = {}
    for (part, _), samples in groupby(known, key=lambda row: (row.part, row.learner)):
        found.setdefault(part, []).append(list(samples))
    return found
