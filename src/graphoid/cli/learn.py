"""``graphoid learn``: from a file to a network, and to files that others read."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphoid.cli import files, options, settings
from graphoid.cli.learners import LEARNERS, SCORES, TESTS, made
from graphoid.cli.options import Discretize, Missing, examples
from graphoid.cli.partial import Before, keep
from graphoid.cli.terminal import console, note, print_json
from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.cli.settings import Run
    from graphoid.data.table import Table
    from graphoid.uncertainty.resampled import Resampled

EPILOG = examples(
    ("learn survey.csv", "the learner we recommend"),
    ("learn survey.csv --missing drop --out survey.json --out survey.graphml", "to files"),
    ("learn survey.csv --learner gsimn --test g --alpha 0.01", "by tests, with fewer of them"),
    ("learn survey.csv --learner pfmn --budget 500", "tests that cost money"),
    ("learn survey.csv --learner gsimn --preset robust --bootstrap 200", "how sure is each edge?"),
    ("learn survey.csv --model model.json", "for graphoid query and sample"),
    ("learn --config survey.json", "the run that made it, again"),
) + "\n\n".join(["", "Learners:", *(f"{name}: {named.what}" for name, named in LEARNERS.items())])

NOTES = 5
"""Notes on reading that are shown; ``graphoid check`` has all of them."""

MEASURED = 1_000
"""Edges up to which all of them are measured in bits."""

CONTEXTS = ("cspc", "csgs")
"""Learners that find a graph for every context, and not one."""

PRINT = "-"
"""The file that is the standard output."""

IN, HOW, OUT = "Reading the file", "Learning", "Results"


def learn(
    file: Annotated[str | None, typer.Argument(help="A .csv, .tsv, .parquet, .arff or .sav file.")] = None,
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
    weights: Annotated[
        str | None, typer.Option(help="The column of row weights.", rich_help_panel=IN)
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
    said = {
        "file": file,
        "columns": options.names(columns),
        "missing": None if missing is None else missing.value,
        "discretize": None if discretize is None else discretize.value,
        "weights": weights,
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
    table = read(run, quiet=quiet)
    if dry_run:
        from graphoid.cli.cost import show_estimate

        show_estimate(run, table, as_json=json)
        return
    keep_in = wanted.checkpoint(run)
    found = learned(run, table, before, keep_in=keep_in, quiet=quiet)
    resampled = None
    if run.bootstrap is not None:
        resampled = again(run, table, found, n=run.bootstrap, keep_in=keep_in, quiet=quiet)
    written = wanted.write(found, table, resampled)
    if json:
        print_json(as_plain(found, table, written, resampled))
    elif not quiet:
        show(found, table, resampled)
        for path in written:
            note(f"wrote {path}")
        note(_next(run, written))


def read(run: Run, *, quiet: bool) -> Table:
    """Return the table of a run, and say what reading changed."""
    import graphoid as gd

    table = gd.read(
        run.file,
        columns=run.columns,
        discretize=None if run.discretize == "none" else run.discretize,
        missing=run.missing,
        weights=run.weights,
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


def show(found: Any, table: Table, resampled: Resampled | None = None) -> None:
    """Print what was learned."""
    from graphoid.cli import edges
    from graphoid.structure.contexts import CanonicalModel

    screen = console()
    if isinstance(found, CanonicalModel):
        edges.show_contexts(found, screen)
    else:
        edges.show(found, screen, bits=bits(found, table), resampled=resampled)


def bits(found: Any, table: Table) -> dict[tuple[str, str], float | None]:
    """Return how strong each edge is, in bits; nothing of structures with very many edges."""
    from graphoid.uncertainty.strength import strengths

    if found.graph.n_edges > MEASURED:
        return {}
    return {(edge.x, edge.y): edge.bits for edge in strengths(found, table)}


def as_plain(
    found: Any, table: Table, written: Sequence[str], resampled: Resampled | None = None
) -> dict[str, Any]:
    """Return what was learned as plain values."""
    from graphoid.structure.contexts import CanonicalModel

    rows = files.edge_rows(found)
    plain = {
        "variables": list(found.names),
        "edges": rows,
        "cost": asdict(found.cost),
        "stopped": found.stopped,
        "settings": dict(found.settings),
        "seed": found.seed,
        "data_id": found.data_id,
        "notes": list(table.notes),
        "files": list(written),
    }
    if isinstance(found, CanonicalModel):
        return {**plain, "independences": [str(said) for said in found.independences()]}
    strong = bits(found, table)
    for row in rows:
        row["bits"] = strong.get((row["x"], row["y"]))
    if resampled is None:
        return plain
    return {**plain, "bootstrap": [row._asdict() for row in resampled.edges()]}


def _next(run: Run, written: Sequence[str]) -> str:
    """Return what a reader may want to do now."""
    saved = next((path for path in written if path.endswith(".json")), None)
    if saved is None:
        return f"keep it: graphoid learn {run.file} --out {Path(run.file or 'network').stem}.json"
    return f"repeat it: graphoid learn --config {saved}"


@dataclass(frozen=True)
class Wanted:
    """The files that a run is to write."""

    out: Sequence[str]
    model: str | None
    report: str | None
    config: str | None

    @classmethod
    def checked(cls, out: Sequence[str], model: str | None, report: str | None, config: str | None) -> Wanted:
        """Return them, or raise if one cannot be written: before the work begins, not after."""
        for path in out:
            files.checked(path, files.STRUCTURES, "--out")
        files.checked(model, files.MODELS, "--model")
        files.checked(report, {".html": None}, "--report")
        if config != PRINT:
            files.checked(config, {".toml": None}, "--save-config")
        return cls(out, model, report, config)

    def checkpoint(self, run: Run) -> str:
        """Return where to keep what was found if the run is interrupted."""
        saved = next((path for path in self.out if path.lower().endswith(".json")), None)
        return saved or f"{Path(run.file or 'network').stem}.partial.json"

    def write(self, found: Any, table: Table, resampled: Resampled | None = None) -> list[str]:
        """Write all of them, and return their paths."""
        written = list(self.out)
        for path in self.out:
            files.write(found, path, files.STRUCTURES)
        if self.model is not None:
            import graphoid as gd

            files.write(gd.MarkovNetwork.fit(found, table), self.model, files.MODELS)
            written.append(self.model)
        if self.report is not None:
            from graphoid.cli.report import write_report

            write_report(found, self.report, table, bootstrap=resampled)
            written.append(self.report)
        if self.config is not None:
            toml = settings.made_by(found, "the result").to_toml()
            if self.config == PRINT:
                print(toml, end="")
            else:
                Path(self.config).write_text(toml, encoding="utf-8")
                written.append(self.config)
        return written
