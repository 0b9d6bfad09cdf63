"""The edges for a paper and for other programs: CSV, LaTeX, GraphML."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, NamedTuple

from graphoid.report.display import latex
from graphoid.report.edges import edges_in
from graphoid.structure.safe_text import csv_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphoid.report.edges import EdgeFacts


class Column(NamedTuple):
    """A column of the table of edges."""

    key: str
    title: str
    unit: str
    of: Callable[[EdgeFacts], float | str | None]


COLUMNS = (
    Column("weight", "edge weight", "", lambda e: e.strength.weight if e.strength else None),
    Column("weight_low", "95 % CI from", "", lambda e: e.strength.weight_low if e.strength else None),
    Column("weight_high", "to", "", lambda e: e.strength.weight_high if e.strength else None),
    Column("size", "effect size", "", lambda e: e.strength.size if e.strength else None),
    Column("size_low", "95 % CI from", "", lambda e: None if e.interval is None else e.interval[0]),
    Column("size_high", "to", "", lambda e: None if e.interval is None else e.interval[1]),
    Column("bits", "information", "bits", lambda e: e.bits),
    Column("log_odds", "log odds ratio", "", lambda e: None if e.strength is None else e.strength.log_odds),
    Column(
        "log_odds_error", "standard error", "", lambda e: e.strength.log_odds_error if e.strength else None
    ),
    Column(
        "r", "partial corr.", "", lambda e: None if e.strength is None else e.strength.partial_correlation
    ),
    Column("evidence", "evidence", "log10", lambda e: e.evidence),
    Column("probability", "inclusion probability", "", lambda e: e.probability),
    Column("frequency", "bootstrap frequency", "", lambda e: e.frequency),
    Column("share", "rows", "share", lambda e: e.share),
    Column("verdict", "verdict", "", lambda e: e.verdict),
)


def columns_of(edges: Sequence[EdgeFacts]) -> list[Column]:
    """Return the columns in which some edge has something, somewhere."""
    every = [one for edge in edges for one in (edge, *edge.by_view.values())]
    return [column for column in COLUMNS if any(column.of(edge) is not None for edge in every)]


def format_value(value: float | str | None) -> str:
    """Return a cell as it is printed.

    >>> format_value(0.12345), format_value(None), format_value(1234.5), format_value(float("inf"))
    ('0.123', '', '1,234', '∞')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def format_bayes_factor(value: float | None) -> str:
    """Return a Bayes factor; of one beyond a million nobody reads the digits."""
    large = value is not None and 1e6 <= value < math.inf
    return f"{value:.1e}" if large else format_value(value)


def as_csv(names: Sequence[str], edges: Sequence[EdgeFacts], n_views: int = 0) -> str:
    """Return the table as CSV; no cell is taken for a formula by a spreadsheet.

    Where there are views it has the union first, then the edges of each by its number.
    """
    columns = columns_of(edges)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["x", "y", *["context"] * bool(n_views), *(column.key for column in columns)])
    views = [("all", edges), *((str(k + 1), edges_in(k, edges)) for k in range(n_views))]
    for label, there in views:
        for edge in there:
            ends = [csv_cell(names[v]) for v in (edge.x, edge.y)]
            numbers = [column.of(edge) for column in columns]
            cells = ("" if n is None else n if isinstance(n, str) else f"{n:.6g}" for n in numbers)
            writer.writerow([*ends, *[label] * bool(n_views), *cells])
    return out.getvalue()


def as_latex(names: Sequence[str], edges: Sequence[EdgeFacts], caption: str) -> str:
    """Return the table as LaTeX; the preamble needs the package booktabs."""
    columns = columns_of(edges)
    heads = [f"{latex(c.title)}{f' ({latex(c.unit)})' if c.unit else ''}" for c in columns]
    layout = "ll" + "".join("l" if column.key == "verdict" else "r" for column in columns)
    lines = [
        r"\begin{table}",
        rf"\caption{{{latex(caption)}}}",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        " & ".join(["", "", *heads]) + r" \\",
        r"\midrule",
    ]
    for edge in edges:
        cells = [latex(names[edge.x]), latex(names[edge.y])]
        cells += [_math(format_value(column.of(edge))) for column in columns]
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])


def _math(cell: str) -> str:
    """Return a printed number for LaTeX: a minus sign and infinity as they should look."""
    if not cell or cell[-1].isalpha():
        return cell
    return (
        f"${cell.replace('∞', chr(92) + 'infty')}$" if cell[0] == "-" or "∞" in cell or "e" in cell else cell
    )


def as_graphml(names: Sequence[str], edges: Sequence[EdgeFacts]) -> str:
    """Return the network as GraphML: variables by number, their names as labels, edges with their numbers."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from((f"n{v}", {"label": name}) for v, name in enumerate(names))
    for edge in edges:
        values = {column.key: column.of(edge) for column in COLUMNS}
        graph.add_edge(f"n{edge.x}", f"n{edge.y}", **{key: v for key, v in values.items() if v is not None})
    return "\n".join(nx.generate_graphml(graph))
