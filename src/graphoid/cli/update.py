"""``graphoid update``: a network learned again with rows that came later, and what they changed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from graphoid.cli import files
from graphoid.cli.clock import Clock
from graphoid.cli.learn import read, read_later
from graphoid.cli.learn_options import RUN, LearnOptions
from graphoid.cli.learners import learner_of
from graphoid.cli.options import Json, Quiet, examples
from graphoid.cli.outputs import Attempts, Output, check_outputs
from graphoid.cli.process import ERROR
from graphoid.cli.progress import Watch
from graphoid.cli.summary import STYLES
from graphoid.cli.terminal import cell, console, lines, note, number, print_json, shell_word
from graphoid.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.structure.learned import LearnedStructure

EPILOG = examples(
    ("update survey.json march.csv --out survey.json", "add the rows of March; what changed?"),
    ("update survey.json march.csv april.csv --out new.json", "batches in the order in which they came in"),
    ("update survey.json march.csv --data old.csv --out new.json", "the first data file has moved"),
    ("update survey.json march.csv --alpha 0.01 --json", "fewer false alarms; JSON output"),
)

SHOWN = 40
"""Changes shown; ``--json`` has all of them."""


def update(
    structure: Annotated[str, typer.Argument(help="A network written by graphoid learn --out, .json.")],
    rows: Annotated[list[str], typer.Argument(help="Files of further rows.", metavar="NEW...")],
    *,
    data: Annotated[
        str | None, typer.Option(help="The data file that it was learned from, if it has moved.")
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="Probability of any false drift alarm; 0.05 if left out. Set at the first update."),
    ] = None,
    out: Annotated[
        list[str] | None, typer.Option(help="Write the network as .json, .graphml or .csv; may be repeated.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="Time limit for each file.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int | None:
    """Add the rows of NEW to those that STRUCTURE was learned from, learn again, and report what changed."""
    found, options = _load(structure, data, quiet=quiet)
    inputs = [options.file, *options.append, *rows]
    # a structure may be written over: the one it comes from is whole until the new one is
    check_outputs([Output("--out", path, files.STRUCTURES) for path in out or []], inputs)
    batches: list[LearnedStructure] = []
    for file in rows:
        found, options = _add(found, options, file, 0.05 if alpha is None else alpha, Clock(seconds))
        batches.append(found)
    done = Attempts()
    for path in out or []:
        done.write(path, partial(files.write, found, path, files.STRUCTURES))
    if json:
        print_json({"batches": [_values(one) for one in batches], "files": done.written})
    elif not quiet:
        for file, one in zip(rows, batches, strict=True):
            _show(one, file)
        for path in done.written:
            note(f"wrote {path}")
        if not out:
            again = " ".join(map(shell_word, [structure, *rows]))
            note(f"keep it: graphoid update {again} --out FILE.json")
    if not done.failed:
        return None
    note(done.complaint())
    return ERROR


def _load(path: str, data: str | None, *, quiet: bool) -> tuple[LearnedStructure, LearnOptions]:
    """Return a structure with its rows, and the options of the run that made it."""
    from graphoid.structure.learned import LearnedStructure

    found = files.load(path)
    if not isinstance(found, LearnedStructure):
        raise DataError(
            f"{path!r} is no structure of one graph; rows are added to what graphoid learn --out wrote."
        )
    options = LearnOptions.from_result(found, repr(path)).beside(path)
    options = options.over({"file": data})
    table = read(replace(options, quiet=True, data_id=None))
    if table.data_id != found.data_id:
        raise DataError(
            f"{options.file!r} does not have the rows that {path!r} was learned from; name the file that has "
            "them with --data."
        )
    return replace(found, table=table), replace(options, quiet=quiet)


def _add(
    found: LearnedStructure, options: LearnOptions, file: str, alpha: float, clock: Clock
) -> tuple[LearnedStructure, LearnOptions]:
    """Return what is learned with the rows of a file as well, and the options that make it again."""
    from graphoid.data.table import Table

    table = found.table
    if not isinstance(table, Table):
        raise DataError("the rows that it was learned from are not at hand; name their file with --data.")
    later = read_later(options, table, file)
    title = f"adding {later.n_rows:,} rows of {file} to {table.n_rows:,}"
    with Watch("update", title, quiet=options.quiet) as watch, clock.limit(f"the rows of {file} were added"):
        found = found.update(later, alpha=alpha, table=table, learner=learner_of(options), progress=watch)
    options = replace(options, append=(*options.append, file), data_id=found.data_id)
    return replace(found, settings={**found.settings, RUN: options.to_values()}), options


def _values(found: LearnedStructure) -> dict[str, object]:
    """Return what an update says as plain values."""
    said = found.details["update"]
    return {
        "rows": found.table.n_rows,  # type: ignore[attr-defined] # it was learned here
        "edges": files.edge_rows(found),
        "changes": [row._asdict() for row in found.changes],
        "drift": [row._asdict() for row in found.drift],
        "alpha": said["alpha"],
        "notes": list(said["notes"]),
        "data_id": found.data_id,
    }


def _show(found: LearnedStructure, file: str) -> None:
    """Print which edges a batch changed, and which pairs have an alarm."""
    screen = console()
    said = found.details["update"]
    changes = found.changes
    screen.print(f"{file}: {sentence(found)}", style="bold", soft_wrap=True)
    if changes:
        table = lines("variable 1", "variable 2", "change", "before", "now", "evidence (log10)")
        for row in changes[:SHOWN]:
            states = [
                cell(verdict if p is None else f"{verdict} ({number(p)})", STYLES.get(verdict, ""))
                for verdict, p in zip(row.verdicts, row.probabilities, strict=True)
            ]
            evidence = " → ".join("?" if one is None else f"{one:.1f}" for one in row.strengths)
            table.add_row(cell(row.x), cell(row.y), cell(row.change), *states, cell(evidence))
        screen.print(table)
    if len(changes) > SHOWN:
        screen.print(f"... and {len(changes) - SHOWN:,} more; --json has all of them.")
    for text in [*said["notes"], *alarms(found)]:
        screen.print(text, soft_wrap=True)


def sentence(found: LearnedStructure) -> str:
    """Return in a sentence how many edges there are, and how many changed."""
    from graphoid.structure.explain import plural

    n_rows = found.table.n_rows  # type: ignore[attr-defined] # it was learned here
    counted = {
        change: sum(row.change == change for row in found.changes)
        for change in ("appeared", "vanished", "surer", "less sure")
    }
    changed = [f"{n:,} {change}" for change, n in counted.items() if n]
    return f"{n_rows:,} rows, {plural(found.graph.n_edges, 'edge')}; {', '.join(changed) or 'none changed'}"


def alarms(found: LearnedStructure) -> Sequence[str]:
    """Return a sentence for every pair that has an alarm, or one that there is none."""
    if not found.drift:
        return []
    rate = f"{found.details['update']['alpha']:g}"
    said = [
        f"drift: {row.x} – {row.y} is no longer what it was, most probably since row {row.since:,} "
        f"(e-value {number(row.e_value)}, alarm from {number(row.threshold)})."
        for row in found.drift
        if row.alarm
    ]
    return said or [f"drift: no alarm (the probability of ever a false one is at most {rate})."]
