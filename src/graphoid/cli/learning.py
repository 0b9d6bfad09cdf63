"""A run is carried out: its file is read, its learner learns, and Ctrl-C finds something to keep."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphoid.cli import options, settings
from graphoid.cli.learners import CONTEXTS, made
from graphoid.cli.partial import keep
from graphoid.cli.terminal import note
from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from graphoid.cli.partial import Before
    from graphoid.cli.settings import Run
    from graphoid.data.table import Table
    from graphoid.uncertainty.bootstrap_result import Resampled

NOTES = 5
"""Notes on reading that are shown; ``graphoid check`` has all of them."""


def read(run: Run, *, quiet: bool) -> Table:
    """Return the table of a run, and say what reading changed."""
    import graphoid as gd

    table = gd.read(
        run.file,
        columns=options.chosen(run.file, run.columns, run.drop, run.weights, run.table),
        discretize=None if run.discretize == "none" else run.discretize,
        missing=run.missing,
        weights=run.weights,
        where=run.where or "auto",
        table=run.table,
        cache=run.cache,
    )
    if run.data_id not in (None, table.data_id):
        note(f"note: {run.file} is no longer what the run was made from; the result may differ.")
    if not quiet:
        for said in table.notes[:NOTES]:
            note(f"note: {said}")
        if len(table.notes) > NOTES:
            note(f"note: ... and {len(table.notes) - NOTES:,} more; graphoid check {run.file} has all of it.")
    return table


def learned(run: Run, table: Table, before: Before | None, *, keep_in: str, quiet: bool) -> Any:
    """Learn, show how far it has come, and keep what was found if Ctrl-C ends it."""
    import graphoid as gd
    from graphoid.cli.progress import Watch
    from graphoid.cli.running import on_interrupt

    run = replace(run, data_id=table.data_id, graphoid=gd.__version__)
    start, known = (None, ()) if before is None else before.on(run, table)
    learner = made(run, start)
    if run.bootstrap is not None and run.learner in CONTEXTS:
        raise SettingsError(f"--bootstrap is for learners of one graph; {run.learner} finds many.")
    title = f"learning by {run.learner}: {table.n_rows:,} rows of {len(table.variables):,} variables"
    with (
        Watch(run.learner, title, quiet=quiet) as watch,
        on_interrupt(lambda: keep(watch, run, table, keep_in)),
    ):
        if learner is None:
            found = gd.learn(table, start=start, random_state=run.seed, seconds=run.seconds, progress=watch)
        elif known:
            found = learner.fit(table, progress=watch, known=known).structure_
        else:
            found = learner.fit(table, progress=watch).structure_
    return replace(found, settings={**found.settings, settings.RUN: run.to_dict()})


def again(run: Run, table: Table, found: Any, *, n: int, keep_in: str, quiet: bool) -> Resampled:
    """Learn from resamples as well; what was done is on file if Ctrl-C ends it."""
    import graphoid as gd
    from graphoid.cli.progress import Watch
    from graphoid.cli.running import on_interrupt

    mine = settings.made_by(found, "the result").digest  # so that another run does not stumble over it
    done = Path(keep_in).with_suffix(f".bootstrap-{mine}.json")
    threads = os.environ.get("GRAPHOID_THREADS", "1")
    resampling = gd.Bootstrap(made(run), n=n, n_jobs=int(threads), random_state=run.seed, checkpoint=done)

    def keep() -> None:
        watch.stop()
        found.save(keep_in)
        note(f"interrupted: kept the network in {keep_in} and resamples in {done}; the same command goes on.")

    with Watch("bootstrap", f"learning again from {n:,} resamples", quiet=quiet) as watch, on_interrupt(keep):
        resampled = resampling.fit(table, progress=watch).result_
    done.unlink(missing_ok=True)
    return resampled
