"""``graphoid learn``: from a file to a network, and to files that others read."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from graphoid.cli import files, summary
from graphoid.cli.clock import Clock
from graphoid.cli.dry_run import show_estimate
from graphoid.cli.learn_options import RUN, LearnOptions
from graphoid.cli.learners import CONTEXTS, LEARNERS, knowledge_of, learner_of
from graphoid.cli.options import examples, parse_options, select_columns, takes
from graphoid.cli.outputs import PRINT, Attempts, check_outputs, outputs_of, plot_of
from graphoid.cli.process import ERROR, on_interrupt
from graphoid.cli.progress import Watch
from graphoid.cli.resume import Checkpoint, can_keep, keep, keep_found
from graphoid.cli.terminal import note, print_json, shell_word
from graphoid.errors import DiscretizedWarning, SettingsError
from graphoid.limits import MOMENT
from graphoid.structure import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from graphoid.cli.files import Learned
    from graphoid.data.table import Table
    from graphoid.data.variables import Kind
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.uncertainty.bootstrap_result import Resampled

EPILOG = examples(
    ("learn survey.csv", "the recommended learner"),
    ("learn survey.csv --missing drop --drop id --out survey.json --out survey.graphml", "write files"),
    ("learn survey.csv --learner gsimn --test g --alpha 0.01", "by independence tests"),
    ("learn survey.csv --learner pfmn --budget 500", "where tests cost money"),
    ("learn survey.csv --covariates age,sex", "adjusted for age and sex"),
    ("learn survey.csv --learner gsimn --preset robust --bootstrap 200", "how stable is each edge?"),
    ("learn survey.csv --knowledge known.toml", "with prior knowledge of edges"),
    ("learn survey.csv --plot net.svg --plot centrality=c.pdf", "figures for a paper"),
    ("learn survey.csv --model model.json", "for graphoid query and sample"),
    (
        "learn big.parquet --where source --cache counts.sqlite --dry-run",
        "larger than memory: how long will it take?",
    ),
    ("learn --config survey.json", "repeat a run"),
) + "\n\n".join(["", "Learners:", *(f"{name}: {named.what}" for name, named in LEARNERS.items())])

RESAMPLING = 0.85
"""Of the time that ``--seconds`` leaves, what a bootstrap may take; the rest is for files and pages."""

NOTES = 5
"""Notes on reading that are shown; ``graphoid check`` has all of them."""


@takes(LearnOptions)
def learn(**typed: object) -> int | None:
    """Learn a Markov network from FILE: which variables depend on each other directly, and how surely."""
    options, checkpoint = _begin(parse_options(LearnOptions, typed))
    clock = Clock(options.seconds)
    check_outputs(outputs_of(options), _inputs(typed, options))
    if options.threads is not None:
        os.environ["GRAPHOID_THREADS"] = str(options.threads)
    if options.quiet:
        warnings.simplefilter("ignore", DiscretizedWarning)
    table = read(options)
    if options.dry_run:
        show_estimate(options, table)
        return None
    options = options.on(table)
    found = _learn(options, table, checkpoint, clock)
    done = Attempts()
    resampled = _resample(options, table, found, done, clock)
    seen = table.discretized if "discretized" in found.settings else table
    found, shown = summary.measure_in_time(found, seen, clock, show=not options.quiet)
    _write(options, found, table, resampled, done, clock)
    if options.json:
        print_json(summary.to_values(shown, seen, done.written, resampled))
    elif not options.quiet:
        summary.show(shown, resampled)
        for path in done.written:
            note(f"wrote {path}")
        note(_next(options, done.written))
    if not done.failed:
        return None
    note(done.complaint())
    return ERROR


def _inputs(typed: Mapping[str, object], options: LearnOptions) -> list[str | None]:
    """Return the files that a run reads or goes on with; a result may be repeated into its own place."""
    said = {name: str(path) for name, path in typed.items() if path is not None}
    config = said.get("config", "")
    written = config if config.lower().endswith(".toml") else None
    return [options.file, options.cache, *options.append, said.get("knowledge"), written]


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
    from graphoid.data.append import append

    file = options.file
    table = gd.read(
        file,
        columns=select_columns(file, options.columns, options.drop, options.weights, options.table),
        kinds=cast("Mapping[str, Kind]", options.kind),
        discretize=None if options.discretize == "none" else options.discretize,
        missing=options.missing,
        na_values=options.na or (),
        decimal=options.decimal or ".",
        engine=options.engine or "auto",
        weights=options.weights,
        weighting=options.weighting or "frequency",
        where=options.where or "auto",
        table=options.table,
        cache=options.cache,
    )
    for later in options.append:
        table = append(table, read_later(options, table, later))
    if options.data_id not in (None, table.data_id):
        note(f"note: {file} is no longer what the run was made from; the result may differ.")
    if not options.quiet:
        for text in table.notes[:NOTES]:
            note(f"note: {text}")
        if len(table.notes) > NOTES:
            n_more = len(table.notes) - NOTES
            note(f"note: ... and {n_more:,} more; graphoid check {shell_word(str(file))} has all of it.")
    return table


def read_later(options: LearnOptions, table: Table, file: str) -> Table:
    """Return the rows of a further file, read as those of a table were."""
    from graphoid.data.append import check_columns, read_alike
    from graphoid.data.read import open_source

    left_out = {*(options.drop or ()), options.weights}
    if options.columns is None:
        check_columns(table, [name for name in open_source(file).names if name not in left_out])
    return read_alike(
        table,
        file,
        missing=options.missing,
        na_values=options.na or (),
        decimal=options.decimal or ".",
        weights=options.weights,
    )


def _learn(options: LearnOptions, table: Table, checkpoint: Checkpoint | None, clock: Clock) -> Learned:
    """Learn, show how far it has come, and keep what was found if Ctrl-C ends it."""
    import graphoid as gd
    from graphoid.learners.base import AskingLearner
    from graphoid.learners.recommended import check_covariates, hide_covariates

    covariates = options.covariates or ()
    check_covariates(table, covariates)
    if covariates and options.learner in CONTEXTS:
        raise SettingsError(f"--covariates is for learners of one graph; {options.learner} finds many.")
    start, known = (None, ()) if checkpoint is None else checkpoint.start(options, table)
    seconds = clock.for_search(more=any((options.bootstrap, options.model, options.report)))
    learner = learner_of(replace(options, seconds=seconds), start)
    if options.bootstrap is not None and options.learner in CONTEXTS:
        raise SettingsError(f"--bootstrap is for learners of one graph; {options.learner} finds many.")
    title = f"learning by {options.learner}: {table.n_rows:,} rows of {len(table.variables):,} variables"
    found: Learned
    with (
        Watch(options.learner, title, quiet=options.quiet, remedy=_remedy(options)) as watch,
        on_interrupt(lambda: keep(watch, options, table)),
    ):
        if learner is None:
            found = gd.learn(
                table,
                knowledge=knowledge_of(options),
                start=cast("UndirectedGraph | None", start),  # it keeps no contexts
                random_state=options.seed,
                seconds=seconds,
                progress=watch,
            )
        elif isinstance(learner, AskingLearner):
            found = learner.fit(table, progress=watch, known=known).structure_
        else:
            found = learner.fit(table, progress=watch).structure_
    if not isinstance(found, gd.CanonicalModel):
        found = hide_covariates(covariates, found)
    return replace(found, settings={**found.settings, RUN: options.to_values()})


def _remedy(options: LearnOptions) -> str:
    """Return what to do about a run that takes long; nothing where its end is known."""
    if options.seconds is not None:
        return ""
    return "Ctrl-C ends it and keeps what it has; with --seconds 60 it would end in time."


def _resample(
    options: LearnOptions, table: Table, found: Learned, done: Attempts, clock: Clock
) -> Resampled | None:
    """Learn from resamples as well, if that was asked for; those done are on file if Ctrl-C ends it."""
    import graphoid as gd

    n = options.bootstrap
    if n is None:
        return None
    from graphoid.learners.base import Learner

    # so that another run does not stumble over it
    place = Path(options.checkpoint).with_suffix(f".bootstrap-{options.digest}.json")
    path = place if can_keep(place) else None
    n_jobs = int(os.environ.get("GRAPHOID_THREADS", "1"))
    seconds = None if clock.left is None else max(MOMENT, RESAMPLING * clock.left)
    learner = found.learner if isinstance(found.learner, Learner) else learner_of(options)
    bootstrap = gd.Bootstrap(
        learner, n=n, n_jobs=n_jobs, random_state=options.seed, checkpoint=path, seconds=seconds
    )

    def keep() -> None:
        watch.stop()
        keep_found(found, options, "" if path is None else f" and resamples in {path}")

    title = f"learning again from {n:,} resamples"
    with Watch("bootstrap", title, quiet=options.quiet) as watch, on_interrupt(keep):
        fit = partial(bootstrap.fit, table, progress=watch, structure=found)
        if not done.attempt("the bootstrap", fit):
            return None
    if path is not None:
        path.unlink(missing_ok=True)
    n_done = len(bootstrap.result_.found)
    if n_done < n:
        note(f"note: in the {options.seconds:g} s of --seconds, {n_done:,} of {n:,} resamples were learned.")
    return bootstrap.result_


def _write(
    options: LearnOptions,
    found: Learned,
    table: Table,
    resampled: Resampled | None,
    done: Attempts,
    clock: Clock,
) -> None:
    """Try to write every file that was asked for."""
    import graphoid as gd

    def keep() -> None:
        if not any(path.lower().endswith(".json") for path in done.written):
            keep_found(found, options)

    model, report, settings = options.model, options.report, options.save_config

    def write_model(path: str) -> None:
        with clock.limit("the weights of the model were fitted"):
            fitted = gd.MarkovNetwork.fit(found, table)
        files.write(fitted, path, files.MODELS)

    with on_interrupt(keep):
        for path in options.out:
            done.write(path, partial(files.write, found, path, files.STRUCTURES))
        if model is not None:
            done.write(model, partial(write_model, model))
        if report is not None:
            left = None if clock.left is None else max(MOMENT, clock.left)
            done.write(report, partial(found.report, report, table, bootstrap=resampled, seconds=left))
        for path, draw in _pictures(options, found, table, resampled):
            done.write(path, draw)
        if settings == PRINT:
            print(options.to_toml(), end="")
        elif settings is not None:
            done.write(settings, lambda: whole_file.write(settings, options.to_toml()))


def _pictures(
    options: LearnOptions, found: Learned, table: Table, resampled: Resampled | None
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the pictures that were asked for: where each goes, and what draws it."""
    from graphoid.report.plots import write

    for kind, path in map(plot_of, options.plot):
        draw = partial(write, found, path, kind, table=table, bootstrap=resampled)
        if kind == "missing":  # of the file, since rows with missing cells may be left out of the table
            kept = select_columns(options.file, options.columns, options.drop, options.weights, options.table)
            reading = {"columns": kept, "na_values": options.na or (), "decimal": options.decimal or "."}
            draw = partial(draw, source=options.file, reading=reading)
        yield path, draw


def _next(options: LearnOptions, paths: Sequence[str]) -> str:
    """Return what a reader may want to do now."""
    saved = next((path for path in paths if path.endswith(".json")), None)
    if saved is None:
        file = options.file or "network"
        return f"keep it: graphoid learn {shell_word(file)} --out {shell_word(Path(file).stem + '.json')}"
    return f"repeat it: graphoid learn --config {shell_word(saved)}"
