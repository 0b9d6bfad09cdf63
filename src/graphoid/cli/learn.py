"""``graphoid learn``: from a file to a network, and to files that others read."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphoid.cli import files, summary
from graphoid.cli.dry_run import show_estimate
from graphoid.cli.learn_options import RUN, LearnOptions
from graphoid.cli.learners import CONTEXTS, LEARNERS, learner_of
from graphoid.cli.options import examples, parse_options, select_columns, takes
from graphoid.cli.outputs import PRINT, Attempts, check_outputs, outputs_of
from graphoid.cli.process import ERROR, on_interrupt
from graphoid.cli.progress import Watch
from graphoid.cli.resume import Checkpoint, keep, keep_found
from graphoid.cli.terminal import note, print_json, shell_word
from graphoid.errors import SettingsError
from graphoid.structure import whole_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.cli.files import Learned
    from graphoid.data.table import Table
    from graphoid.uncertainty.bootstrap_result import Resampled

EPILOG = examples(
    ("learn survey.csv", "the learner we recommend"),
    ("learn survey.csv --missing drop --drop id --out survey.json --out survey.graphml", "to files"),
    ("learn survey.csv --learner gsimn --test g --alpha 0.01", "by tests, with fewer of them"),
    ("learn survey.csv --learner pfmn --budget 500", "tests that cost money"),
    ("learn survey.csv --learner gsimn --preset robust --bootstrap 200", "how sure is each edge?"),
    ("learn survey.csv --model model.json", "for graphoid query and sample"),
    (
        "learn big.parquet --where source --cache counts.sqlite --dry-run",
        "larger than memory: what will it take?",
    ),
    ("learn --config survey.json", "the run that made it, again"),
) + "\n\n".join(["", "Learners:", *(f"{name}: {named.what}" for name, named in LEARNERS.items())])

NOTES = 5
"""Notes on reading that are shown; ``graphoid check`` has all of them."""


@takes(LearnOptions)
def learn(**typed: object) -> int | None:
    """Learn a Markov network from FILE: who depends on whom directly, and how sure that is."""
    options, checkpoint = _begin(parse_options(LearnOptions, typed))
    check_outputs(outputs_of(options), [options.file, options.cache])
    if options.threads is not None:
        os.environ["GRAPHOID_THREADS"] = str(options.threads)
    table = read(options)
    if options.dry_run:
        show_estimate(options, table)
        return None
    options = options.on(table)
    found = _learn(options, table, checkpoint)
    done = Attempts()
    resampled = _resample(options, table, found, done)
    _write(options, found, table, resampled, done)
    if options.json:
        print_json(summary.to_values(found, table, done.written, resampled))
    elif not options.quiet:
        summary.show(found, table, resampled)
        for path in done.written:
            note(f"wrote {path}")
        note(_next(options, done.written))
    if not done.failed:
        return None
    note(done.complaint())
    return ERROR


def _begin(said: dict[str, object]) -> tuple[LearnOptions, Checkpoint | None]:
    """Return the options of a run, and what was kept of it if it goes on with one."""
    if "config" in said and "resume" in said:
        raise typer.BadParameter("--config begins a run and --resume goes on with one; give one of them.")
    checkpoint, options = None, LearnOptions()
    if "resume" in said:
        checkpoint = Checkpoint.load(str(said["resume"]))
        options = checkpoint.options
        said = {**said, "resume": checkpoint.path}
    elif "config" in said:
        options = LearnOptions.from_file(str(said["config"]))
    options = options.over(said)
    if options.file is None:
        raise typer.BadParameter("name a FILE to learn from, such as survey.csv.")
    return options, checkpoint


def read(options: LearnOptions) -> Table:
    """Return the table of a run, and say what reading changed."""
    import graphoid as gd

    file = options.file
    table = gd.read(
        file,
        columns=select_columns(file, options.columns, options.drop, options.weights, options.table),
        discretize=None if options.discretize == "none" else options.discretize,
        missing=options.missing,
        weights=options.weights,
        weighting=options.weighting or "frequency",
        where=options.where or "auto",
        table=options.table,
        cache=options.cache,
    )
    if options.data_id not in (None, table.data_id):
        note(f"note: {file} is no longer what the run was made from; the result may differ.")
    if not options.quiet:
        for text in table.notes[:NOTES]:
            note(f"note: {text}")
        if len(table.notes) > NOTES:
            n_more = len(table.notes) - NOTES
            note(f"note: ... and {n_more:,} more; graphoid check {shell_word(str(file))} has all of it.")
    return table


def _learn(options: LearnOptions, table: Table, checkpoint: Checkpoint | None) -> Learned:
    """Learn, show how far it has come, and keep what was found if Ctrl-C ends it."""
    import graphoid as gd
    from graphoid.learners.base import AskingLearner

    start, known = (None, ()) if checkpoint is None else checkpoint.start(options, table)
    learner = learner_of(options, start)
    if options.bootstrap is not None and options.learner in CONTEXTS:
        raise SettingsError(f"--bootstrap is for learners of one graph; {options.learner} finds many.")
    title = f"learning by {options.learner}: {table.n_rows:,} rows of {len(table.variables):,} variables"
    found: Learned
    with (
        Watch(options.learner, title, quiet=options.quiet) as watch,
        on_interrupt(lambda: keep(watch, options, table)),
    ):
        if learner is None:
            found = gd.learn(
                table, start=start, random_state=options.seed, seconds=options.seconds, progress=watch
            )
        elif isinstance(learner, AskingLearner):
            found = learner.fit(table, progress=watch, known=known).structure_
        else:
            found = learner.fit(table, progress=watch).structure_
    return replace(found, settings={**found.settings, RUN: options.to_values()})


def _resample(options: LearnOptions, table: Table, found: Learned, done: Attempts) -> Resampled | None:
    """Learn from resamples as well, if that was asked for; those done are on file if Ctrl-C ends it."""
    import graphoid as gd

    n = options.bootstrap
    if n is None:
        return None
    # so that another run does not stumble over it
    path = Path(options.checkpoint).with_suffix(f".bootstrap-{options.digest}.json")
    n_jobs = int(os.environ.get("GRAPHOID_THREADS", "1"))
    bootstrap = gd.Bootstrap(
        learner_of(options), n=n, n_jobs=n_jobs, random_state=options.seed, checkpoint=path
    )

    def keep() -> None:
        watch.stop()
        keep_found(found, options, f" and resamples in {path}")

    title = f"learning again from {n:,} resamples"
    with Watch("bootstrap", title, quiet=options.quiet) as watch, on_interrupt(keep):
        if not done.attempt("the bootstrap", lambda: bootstrap.fit(table, progress=watch)):
            return None
    path.unlink(missing_ok=True)
    return bootstrap.result_


def _write(
    options: LearnOptions, found: Learned, table: Table, resampled: Resampled | None, done: Attempts
) -> None:
    """Try to write every file that was asked for."""
    import graphoid as gd

    def keep() -> None:
        if not any(path.lower().endswith(".json") for path in done.written):
            keep_found(found, options)

    model, report, settings = options.model, options.report, options.save_config
    with on_interrupt(keep):
        for path in options.out:
            done.write(path, partial(files.write, found, path, files.STRUCTURES))
        if model is not None:
            done.write(model, lambda: files.write(gd.MarkovNetwork.fit(found, table), model, files.MODELS))
        if report is not None:
            done.write(report, lambda: found.report(report, table, bootstrap=resampled))
        if settings == PRINT:
            print(options.to_toml(), end="")
        elif settings is not None:
            done.write(settings, lambda: whole_file.write(settings, options.to_toml()))


def _next(options: LearnOptions, paths: Sequence[str]) -> str:
    """Return what a reader may want to do now."""
    saved = next((path for path in paths if path.endswith(".json")), None)
    if saved is None:
        file = options.file or "network"
        return f"keep it: graphoid learn {shell_word(file)} --out {shell_word(Path(file).stem + '.json')}"
    return f"repeat it: graphoid learn --config {shell_word(saved)}"
