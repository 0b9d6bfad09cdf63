"""Learning again with rows that came later: from what is known, and what they changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphoid.data.append import append
from graphoid.data.read import read
from graphoid.data.remote.table import RemoteTable
from graphoid.data.table import Table
from graphoid.errors import DataError
from graphoid.learners.base import Learner
from graphoid.learners.directed.search import DirectedSearch
from graphoid.learners.recommended import hide_covariates, learn
from graphoid.learners.scored.search import Search
from graphoid.settings import Number, check_setting
from graphoid.structure import plain
from graphoid.structure.changes import edge_changes
from graphoid.structure.document import reading
from graphoid.structure.knowledge import read_knowledge
from graphoid.structure.learned import LearnedStructure
from graphoid.uncertainty.drift import PairDrift, watch

if TYPE_CHECKING:
    from graphoid.learners.base import AnyLearner
    from graphoid.progress import Listener
    from graphoid.structure.document import Json
    from graphoid.structure.graph import Edge

RECOMMENDED = "reason"
"""The setting that results of :func:`graphoid.learn` have."""

NO_WEIGHTS = "drift is not judged: rows have weights, and are not exchangeable."


def update(
    found: LearnedStructure,
    rows: object,
    *,
    alpha: float = 0.05,
    table: object = None,
    learner: AnyLearner | None = None,
    progress: Listener | None = None,
) -> LearnedStructure:
    """Learn again with rows that came later, and say what they changed.

    The result is that of the same learner on all rows, with what was found before as its start where it takes
    one: counts are whole numbers and add up, so that it is the same to the last digit. It has ``changes``,
    ``drift``, and in ``details["update"]`` what the next update goes on from.

    Parameters
    ----------
    found
        What was learned before.
    rows
        Anything that :func:`graphoid.read` takes, with a column for every variable: see
        :func:`graphoid.data.append.append`.
    alpha
        The probability, at most, that any pair is ever said to drift, over all updates, if nothing changes:
        see :mod:`graphoid.uncertainty.drift`. That of the first update holds for those that follow.
    table, learner
        Of a result that comes from a file: the rows, and the learner unless it was :func:`graphoid.learn`.
    progress
        Hears of every step.

    Notes
    -----
    A result of :func:`graphoid.learn` is learned again by ``graphoid.learn``, with ``start=`` if its graph
    was undirected: whom it recommends, and what priors it takes from the data, all rows say. Numbers
    that a learner had to cut are cut anew by all rows; bins that reading cut stay.

    Examples
    --------
    >>> import graphoid as gd, numpy as np
    >>> table, order = gd.datasets.load("titanic"), np.random.default_rng(1).permutation(2201)
    >>> found = gd.GSMN().fit(table.keep(order[:1500])).structure_.update(table.keep(order[1500:]))
    >>> found.data_id == table.keep(order).data_id, [row for row in found.drift if row.alarm]
    (True, [])
    """
    check_setting("alpha", alpha, Number(above=0, below=1))
    before = _table_of(found, table)
    learner = found.learner if learner is None else learner  # type: ignore[assignment]
    if not isinstance(learner, Learner) and not (learner is None and RECOMMENDED in found.settings):
        raise DataError(
            "a result that comes from a file or another process does not have its learner: "
            "update(rows, table=..., learner=...)."
        )
    after = append(before, rows)
    again = hide_covariates(found.covariates, _learn(found, learner, after, progress))
    if not isinstance(again, LearnedStructure):
        raise DataError("rows are added to what was learned as one graph; fit a model of contexts again.")
    said = _say(found, again, before, after, alpha)
    return replace(again, details={**again.details, "update": said})


def _table_of(found: LearnedStructure, table: object) -> Table:
    """Return the rows that a structure was learned from, numbers as they were read."""
    given = table is not None
    table = found.table if table is None else table
    if table is None:
        raise DataError(
            "a result that comes from a file or another process does not have its rows: "
            "update(rows, table=..., learner=...), with the table that it was learned from."
        )
    if not isinstance(table, Table):
        table = read(table)
    if isinstance(table, RemoteTable):
        raise DataError(
            "the table stays at its source and cannot be joined to other rows; add them there, and learn "
            "again with start=."
        )
    cut = [name for name in plain.items(found.settings.get("discretized", [])) if name in table.names]
    numbers = [name for name in cut if not table.variables[table.position(name)].continuous]
    if numbers:
        table = read(table, kinds=dict.fromkeys(numbers, "continuous"))
    if given and found.data_id not in (None, table.data_id):
        raise DataError("the table is not the one that the structure was learned from; give that one.")
    return table


def _learn(
    found: LearnedStructure, learner: AnyLearner | None, table: Table, progress: Listener | None
) -> LearnedStructure:
    """Learn from all rows: by the learner as it is, or by whom they recommend, from what is known."""
    if learner is None or (RECOMMENDED in found.settings and isinstance(learner, Search | DirectedSearch)):
        with reading("who learned the structure"):
            seconds = plain.optional(plain.number, found.settings.get("seconds"))
            undirected = found.settings["learner"] == Search.__name__
        return learn(
            table,
            knowledge=read_knowledge(found.settings),
            start=found.graph if undirected else None,
            random_state=0 if found.seed is None else found.seed,
            seconds=seconds,
            progress=progress,
        )
    start = {"start": found.graph} if "start" in learner.get_params(deep=False) else {}
    again: LearnedStructure = learner.with_params(**start).fit(table, progress=progress).structure_
    return again


def _say(
    found: LearnedStructure, again: LearnedStructure, before: Table, after: Table, alpha: float
) -> dict[str, object]:
    """Return what an update says and the next one goes on from, as plain values."""
    state = plain.record(found.details.get("update", {}))
    with reading("what the structure says of earlier updates"):
        batches = [*map(plain.whole, plain.items(state.get("batches", []))), before.n_rows]
        alpha = plain.number(state.get("alpha", alpha), 0, 1)
        known = _earlier_drift(state, again)
    notes = list(after.notes[len(before.notes) :])
    rows: list[list[object]] = []
    if after.weights is not None:
        notes.append(NO_WEIGHTS)
    else:
        drift = watch(after, again.graph, after.n_rows - before.n_rows, len(batches), alpha, known)
        rows = [[again.names[x], again.names[y], *_values(one)] for (x, y), one in sorted(drift.items())]
    return {
        "alpha": alpha,
        "batches": batches,
        "changes": [row.to_values() for row in edge_changes(found, again)],
        "notes": notes,
        "drift": rows,
    }


def _values(one: PairDrift) -> list[object]:
    return [list(part) if isinstance(part, tuple) else part for part in one]


def _earlier_drift(state: Json, again: LearnedStructure) -> dict[Edge, PairDrift]:
    """Return what the update before said of pairs."""
    known = {}
    for x, y, log_e, alarm, since, gathered, starts in plain.items(state.get("drift", [])):
        pair = again.graph.position(plain.text(x)), again.graph.position(plain.text(y))
        known[pair] = PairDrift(
            plain.number(log_e),
            plain.flag(alarm),
            plain.optional(plain.whole, since),
            tuple(plain.number(part) for part in plain.items(gathered)),
            tuple(plain.whole(part) for part in plain.items(starts)),
        )
    return known
