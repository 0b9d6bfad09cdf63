"""``graphoid demo``: a first network, from a table that everybody knows."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphoid.cli.options import Json, Quiet
from graphoid.cli.outputs import check_output
from graphoid.cli.terminal import console, print_json
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from rich.console import Console

    from graphoid.cli.summary import Strengths
    from graphoid.data.table import Table
    from graphoid.structure.learned import LearnedStructure

ALPHA = 0.001  # 2,201 rows show even faint dependences; a strict level leaves those that matter

NEXT = """\
  graphoid datasets survey --out survey.csv           a table to play with, or take your own
  graphoid check survey.csv                           what graphoid makes of it
  graphoid learn survey.csv --out survey.json         what depends on what, and how sure that is
  graphoid query survey.json --why age content        why two of them are joined, or not"""


def demo(
    *,
    out: Annotated[
        str | None, typer.Option(help="Where to write the report, .html; a temporary folder if left out.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn a first network from a bundled table, show it, and write a report."""
    import tempfile

    from graphoid import GSMN, ChiSquare, datasets
    from graphoid.cli.clock import Clock
    from graphoid.cli.summary import Shown, measure, to_values

    check_output(out, [".html"], "--out")
    table = datasets.load("titanic")
    found = GSMN(test=ChiSquare(alpha=ALPHA)).fit(table).structure_
    page = out or str(Path(tempfile.mkdtemp(prefix="graphoid-")) / "titanic.html")
    found.report(page, table)
    measured = measure(found, table, Clock(None))
    if json:
        print_json(to_values(Shown(found, measured), table, [page]))
    elif not quiet:
        show(found, table, measured, page, console())


def show(
    found: LearnedStructure,
    table: Table,
    measured: Strengths,
    page: str,
    screen: Console,
) -> None:
    """Print the network, one pair that is not joined, a check against a known answer, and what to do next."""
    from graphoid.cli.summary import show_structure

    screen.print("Titanic", style="bold")
    screen.print(
        f"{table.n_rows:,} people on board, {len(table.variables)} variables: {', '.join(table.names)}. "
        f"Bundled with graphoid; counted by the official inquiry of 1912.\n",
        soft_wrap=True,
    )
    screen.print("What depends on what directly", style="bold")
    show_structure(found, screen, strengths=measured)
    if gap := _gap(found):
        screen.print("\nAnd what does not", style="bold")
        screen.print(found.why(*gap), soft_wrap=True)
    screen.print("\nWhere the answer is known", style="bold")
    screen.print(_compare_with_truth(), soft_wrap=True)
    screen.print("\nThe same as a page to click through, which opens offline", style="bold")
    screen.print(printable(page), soft_wrap=True)
    screen.print("\nNext", style="bold")
    screen.print(NEXT, soft_wrap=True)


def _compare_with_truth() -> str:
    """Return how well the same learner does where the true network is known."""
    from graphoid import GSMN, ChiSquare, datasets
    from graphoid.datasets.simulated import survey_graph

    survey = datasets.load("survey")
    compared = GSMN(test=ChiSquare(alpha=ALPHA)).fit(survey).structure_.compare(survey_graph())
    return (
        f"From {survey.n_rows:,} answers simulated with {survey_graph().n_edges} true edges "
        f"the same learner gets\n{compared}."
    )


def _gap(found: LearnedStructure) -> tuple[int, int] | None:
    """Return the pair without an edge that was asked about most often, ties by position."""
    gaps = [pair for pair in combinations(range(found.graph.n), 2) if not found.graph.has_edge(*pair)]
    return max(gaps, key=lambda pair: sum({v.x, v.y} == set(pair) for v in found.trace), default=None)
