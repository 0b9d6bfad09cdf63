"""``graphoid learn``: from a file to a network, and to files that others read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphoid.cli import options, settings
from graphoid.cli.learners import LEARNERS, SCORES, TESTS
from graphoid.cli.options import Discretize, Missing, examples
from graphoid.cli.terminal import note, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.cli.settings import Run

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

IN, HOW, OUT = "Reading the file", "Learning", "Results"


def learn(
    file: Annotated[
        str | None, typer.Argument(help="A .csv, .tsv, .parquet, .arff, .sav or .duckdb file.")
    ] = None,
    *,
    missing: Annotated[
        Missing | None, typer.Option(help="What to do with missing cells.", rich_help_panel=IN)
    ] = None,
    discretize: Annotated[
        Discretize | None, typer.Option(help="How to cut numbers.", rich_help_panel=IN)
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Names, separated by commas.", rich_help_panel=IN)
    ] = None,
    drop: Annotated[
        str | None, typer.Option(help="Names of columns to leave out, such as id.", rich_help_panel=IN)
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="The column of row weights.", rich_help_panel=IN)
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            help="source: count where the rows are, however many; memory: here.",
            rich_help_panel=IN,
            **options.one_of(options.WHERE),
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="The table or view of a .duckdb file.", rich_help_panel=IN)
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option(help="A file that keeps what was counted; another run goes on.", rich_help_panel=IN),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(help="Who learns; listed below.", rich_help_panel=HOW, **options.one_of(LEARNERS)),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(help=f"The test: {', '.join(TESTS)}.", rich_help_panel=HOW, **options.one_of(TESTS)),
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Its significance.", rich_help_panel=HOW)] = None,
    score: Annotated[
        str | None,
        typer.Option(help=f"The score: {', '.join(SCORES)}.", rich_help_panel=HOW, **options.one_of(SCORES)),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="robust: gsmn and gsimn made for data.", rich_help_panel=HOW, **options.one_of(["robust"])
        ),
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="pfmn: the most that tests may cost.", rich_help_panel=HOW)
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Stop after so long with the best so far.", rich_help_panel=HOW),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Where all random numbers come from; 0.", rich_help_panel=HOW)
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other setting: max_given=3, test.dof=adjusted, score.ess=2.",
            rich_help_panel=HOW,
        ),
    ] = None,
    bootstrap: Annotated[
        int | None,
        typer.Option(
            min=1, help="Learn again from so many resamples: how sure is each edge?", rich_help_panel=HOW
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Threads that count; the answer stays the same.", rich_help_panel=HOW),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(help="A .toml file, or the .json of a result, to repeat.", rich_help_panel=HOW),
    ] = None,
    resume: Annotated[
        str | None, typer.Option(help="What Ctrl-C left behind, to go on from.", rich_help_panel=HOW)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would cost, and stop.", rich_help_panel=HOW)
    ] = False,
    out: Annotated[
        list[str] | None,
        typer.Option(help="The structure as .json, .graphml or .csv; may be repeated.", rich_help_panel=OUT),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Fit weights; .json for graphoid query and sample, or .uai.", rich_help_panel=OUT),
    ] = None,
    report: Annotated[
        str | None, typer.Option(help="A page to read offline, .html.", rich_help_panel=OUT)
    ] = None,
    save_config: Annotated[
        str | None,
        typer.Option(help="The .toml file that repeats this run; - prints it.", rich_help_panel=OUT),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of a table.", rich_help_panel=OUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUT)
    ] = False,
) -> None:
    """Learn a Markov network from FILE: who depends on whom directly, and how sure that is."""
    from graphoid.cli.learning import again, learned, read
    from graphoid.cli.outcome import Wanted, as_plain, show
    from graphoid.cli.partial import Before

    said = {
        "file": file,
        "columns": options.names(columns),
        "drop": options.names(drop),
        "missing": None if missing is None else missing.value,
        "discretize": None if discretize is None else discretize.value,
        "weights": weights,
        "where": where,
        "table": table,
        "cache": cache,
        "learner": learner,
        "test": test,
        "alpha": alpha,
        "score": score,
        "preset": preset,
        "budget": budget,
        "seconds": seconds,
        "seed": seed,
        "set": settings.pairs(set_) if set_ else None,
        "bootstrap": bootstrap,
    }
    if config is not None and resume is not None:
        raise typer.BadParameter("--config begins a run and --resume goes on with one; give one of them.")
    before = Before.load(resume) if resume is not None else None
    run = (
        settings.load(config) if config is not None else before.run if before is not None else settings.Run()
    )
    run = run.over(said)
    if run.file is None:
        raise typer.BadParameter("name a FILE to learn from, such as survey.csv.")
    wanted = Wanted.checked(out or [], model, report, save_config)
    if threads is not None:
        os.environ["GRAPHOID_THREADS"] = str(threads)
    data = read(run, quiet=quiet)
    if dry_run:
        from graphoid.cli.cost import show_estimate

        show_estimate(run, data, as_json=json)
        return
    keep_in = wanted.checkpoint(run)
    found = learned(run, data, before, keep_in=keep_in, quiet=quiet)
    resampled = None
    if run.bootstrap is not None:
        resampled = again(run, data, found, n=run.bootstrap, keep_in=keep_in, quiet=quiet)
    written = wanted.write(found, data, resampled)
    if json:
        print_json(as_plain(found, data, written, resampled))
    elif not quiet:
        show(found, data, resampled)
        for path in written:
            note(f"wrote {path}")
        note(_next(run, written))


def _next(run: Run, written: Sequence[str]) -> str:
    """Return what a reader may want to do now."""
    saved = next((path for path in written if path.endswith(".json")), None)
    if saved is None:
        return f"keep it: graphoid learn {run.file} --out {Path(run.file or 'network').stem}.json"
    return f"repeat it: graphoid learn --config {saved}"
