"""``graphoid demo``: a first network, from a table that everybody knows."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Rows

if TYPE_CHECKING:
    from graphoid.structure.learned import LearnedStructure

ALPHA = 0.001  # 2,201 rows show even faint dependences; a strict level leaves those that matter

NEXT = """\
[bold]Next[/bold]
  graphoid check FILE      what graphoid makes of a table of yours

  import graphoid as gd
  table = gd.read("your.csv")
  print(gd.GSMN().fit(table).structure_)"""


def demo() -> None:
    """Learn a network from the people on board the Titanic, and show it."""
    from graphoid import GSMN, ChiSquare, datasets
    from graphoid.datasets.simulated import survey_graph

    console = Console(highlight=False)
    table = datasets.load("titanic")
    console.print(
        f"[bold]Titanic[/bold]: {table.n_rows:,} people on board, {len(table.variables)} variables: "
        f"{escape(', '.join(table.names))}.\n"
        f"Bundled with graphoid; counted by the official inquiry of 1912.\n"
    )
    found = GSMN(test=ChiSquare(alpha=ALPHA)).fit(table).structure_
    console.print(f"[bold]What depends on what directly[/bold] (GSMN, chi-square, alpha = {ALPHA:g})")
    console.print(edge_table(found))
    if gap := _gap(found):
        console.print("[bold]And what does not[/bold]")
        console.print(f"{escape(found.why(*gap))}\n", soft_wrap=True)
    console.print("[bold]What it cost[/bold]")
    cost = found.cost
    console.print(
        f"{cost.n_tests:,} tests, {cost.n_initial:,} of them on all pairs, "
        f"{cost.rows_read:,.0f} rows behind them;\n"
        f"{cost.n_inferred:,} more answers followed without a test. {cost.seconds:.2g} seconds.\n"
    )

    survey = datasets.load("survey")
    check = GSMN(test=ChiSquare(alpha=ALPHA)).fit(survey).structure_.compare(survey_graph())
    console.print("[bold]Where the answer is known[/bold]")
    console.print(
        f"From {survey.n_rows:,} answers simulated with {survey_graph().n_edges} true edges "
        f"the same learner gets\n{escape(str(check))}.\n"
    )
    console.print(NEXT)


def edge_table(found: LearnedStructure) -> Rows:
    """Return the edges as a table for the terminal, strongest first."""
    from graphoid.structure.explain import listed, probability, strongest_first

    rows = Rows("who", "with whom", "p-value", "evidence", "given")
    for edge in strongest_first(found):
        x, y = sorted((found.graph.position(edge.x), found.graph.position(edge.y)))
        v = found.verdicts[x, y]
        given = listed([found.names[z] for z in v.given]) if v.given else "nothing"
        p_value = "" if v.log_p is None else probability(v.log_p)
        rows.add_row(escape(edge.x), escape(edge.y), p_value, in_words(edge.strength), escape(given))
    return rows


def in_words(strength: float | None) -> str:
    """Return the strength of evidence, -log10 of the p-value, in words.

    >>> in_words(85.0), in_words(1.5)
    ('beyond doubt', 'weak')
    """
    if strength is None:
        return "known"
    # p-values of 1e-20, 1e-6 and 1e-3: no more than a reader's guide
    for least, words in ((20, "beyond doubt"), (6, "very strong"), (3, "strong")):
        if strength >= least:
            return words
    return "weak"


def _gap(found: LearnedStructure) -> tuple[int, int] | None:
    """Return the pair without an edge that was asked about most often, ties by position."""
    gaps = [pair for pair in combinations(range(found.graph.n), 2) if not found.graph.has_edge(*pair)]
    return max(gaps, key=lambda pair: sum({v.x, v.y} == set(pair) for v in found.trace), default=None)
