"""``graphoid compare``: where two structures agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphoid.cli.files import load_graph
from graphoid.cli.options import Json, Quiet, examples
from graphoid.cli.terminal import cell, console, lines, note, number, print_json, shorten

if TYPE_CHECKING:
    from graphoid.structure.graph import UndirectedGraph

EPILOG = examples(
    ("compare learned.json true.json", "the true structure second"),
    ("compare gsimn.json mpl.json --json", "JSON output"),
    ("compare learned.json drawn.graphml", "a graph edited in another program"),
)

SHOWN = 200
"""Edges shown; ``--json`` has all of them."""

A = Annotated[
    str, typer.Argument(metavar="A", help="A structure or model: .json, .graphml, or .csv of edges x, y.")
]
B = Annotated[str, typer.Argument(metavar="B", help="Another one; the true structure, if one of them is.")]


def compare(a: A, b: B, *, json: Json = False, quiet: Quiet = False) -> None:
    """Compare two structures: edges in both, edges in only one, and the Hamming distance."""
    import graphoid as gd

    first, second = load_graph(a), load_graph(b)
    if set(first.names) != set(second.names):
        only = sorted(set(first.names) ^ set(second.names))
        some = ", ".join(shorten(name, 30) for name in only[:5])
        note(f"note: {len(only):,} variables are in one of them only, such as {some}.")
        first, second = _over_all(first, second), _over_all(second, first)
    found = gd.compare(first, second)
    names = second.names
    missing = set(found.missing)
    shared = [(names[x], names[y]) for x, y in second.edges if (names[x], names[y]) not in missing]
    numbers = {
        "hamming": found.hamming,
        "hamming_normalized": found.hamming_normalized,
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
    }
    if json:
        print_json({**numbers, "shared": shared, "only_a": found.extra, "only_b": found.missing})
        return
    if quiet:
        return
    screen = console()
    table = lines("variable 1", "variable 2", "is in")
    rows = [(*edge, "both") for edge in shared]
    rows += [(*edge, f"A only ({a})") for edge in found.extra] + [
        (*edge, f"B only ({b})") for edge in found.missing
    ]
    for x, y, where in rows[:SHOWN]:
        table.add_row(cell(x), cell(y), cell(where, "" if where == "both" else "yellow"))
    if rows:
        screen.print(table)
    if len(rows) > SHOWN:
        screen.print(f"... and {len(rows) - SHOWN:,} more; --json has all of them.")
    screen.print(
        f"{len(shared):,} edges in both, {len(found.extra):,} in A only, {len(found.missing):,} in B only; "
        f"Hamming distance {found.hamming:,} ({number(found.hamming_normalized)} of all pairs)",
        soft_wrap=True,
    )
    screen.print(
        f"with B as the truth: precision {found.precision:.3f}, recall {found.recall:.3f}, F1 {found.f1:.3f}",
        soft_wrap=True,
    )


def _over_all(graph: UndirectedGraph, other: UndirectedGraph) -> UndirectedGraph:
    """Return a graph with the variables of another one added, isolated."""
    from graphoid.structure.graph import UndirectedGraph

    names = sorted({*graph.names, *other.names})
    return UndirectedGraph(names, [(graph.names[x], graph.names[y]) for x, y in graph.edges])
