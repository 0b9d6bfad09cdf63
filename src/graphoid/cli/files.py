"""Results and tables as files: written by the end of their name, and read as arguments of a command."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphoid.cli.terminal import shell_word
from graphoid.errors import DataError
from graphoid.structure import whole_file
from graphoid.structure.document import WRONG
from graphoid.structure.safe_text import csv_cell, from_csv_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graphoid.data.table import Table
    from graphoid.models.network import MarkovNetwork
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.learned import LearnedStructure
    from graphoid.uncertainty.io import Saved

    Learned = LearnedStructure | CanonicalModel
    """What learners find."""

Thing = TypeVar("Thing")


def write(thing: Thing, path: str, writers: Mapping[str, Callable[[Thing, str], None]]) -> None:
    """Write a result to a file, by the end of its name."""
    writers[Path(path).suffix.lower()](thing, path)


def _write_graphml(found: Learned, path: str) -> None:
    from graphoid.cli.summary import shares
    from graphoid.structure import graphml
    from graphoid.structure.contexts import CanonicalModel

    if not isinstance(found, CanonicalModel):
        found.to_graphml(path)
        return
    graph = found.graph.to_networkx()
    for x, y, share in shares(found):
        graph.edges[x, y]["share"] = share
    graphml.write(graph, path)


def _write_edge_list(found: Learned, path: str) -> None:
    import csv

    rows = edge_rows(found)
    page = io.StringIO(newline="")
    writer = csv.DictWriter(page, list(rows[0]) if rows else ["x", "y"])
    writer.writeheader()
    for row in rows:
        writer.writerow({key: csv_cell(it) if isinstance(it, str) else it for key, it in row.items()})
    whole_file.write(path, page.getvalue())


def _write_parquet(found: Learned, path: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    with whole_file.writer(path) as file:
        parquet.write_table(pa.Table.from_pylist(edge_rows(found)), file)


def edge_rows(found: Learned) -> list[dict[str, object]]:
    """Return the edges as plain rows."""
    from graphoid.cli.summary import shares
    from graphoid.structure.contexts import CanonicalModel

    if isinstance(found, CanonicalModel):
        return [{"x": x, "y": y, "share": share} for x, y, share in shares(found)]
    return [row._asdict() for row in found.edges()]


STRUCTURES: dict[str, Callable[[Learned, str], None]] = {
    ".json": lambda found, path: found.save(path),
    ".graphml": _write_graphml,
    ".csv": _write_edge_list,
    ".parquet": _write_parquet,
}
"""How a structure is written."""

MODELS: dict[str, Callable[[MarkovNetwork, str], None]] = {
    ".json": lambda model, path: model.save(path),
    ".uai": lambda model, path: model.to_uai(path),
}
"""How a model is written."""


def write_rows(table: Table, path: str | None) -> None:
    """Write the rows of a table as CSV to a file, or to the standard output."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names, columns = [csv_cell(name) for name in table.names], []
    for i, variable in enumerate(table.variables):
        if i in table.values:  # the numbers behind bins
            columns.append(pa.array(table.values[i], from_pandas=True))
        else:
            states = variable.states
            plain = len({type(state) for state in states}) == 1 and not isinstance(states[0], str)
            labels = pa.array(states if plain else [csv_cell(str(state)) for state in states])
            columns.append(labels.take(pa.array(table.column(i))))
    rows = pa.table(columns, names)
    if path is not None:
        with whole_file.writer(path) as file:
            arrow_csv.write_csv(rows, file)
        return
    sys.stdout.flush()
    sink = pa.BufferOutputStream()
    arrow_csv.write_csv(rows, sink)
    sys.stdout.write(sink.getvalue().to_pybytes().decode("utf-8"))


def load(path: str) -> Saved:
    """Return what a file holds: a structure, a canonical model, a model or a bootstrap."""
    import graphoid as gd

    if Path(path).is_dir():
        raise DataError(f"{path!r} is a folder; name a file that graphoid saved.")
    if not Path(path).exists():
        raise DataError(f"there is no file {path!r}; graphoid learn FILE --out {shell_word(path)} makes one.")
    if path.lower().endswith(".uai"):
        return gd.MarkovNetwork.from_uai(path)
    return gd.load(path)


def load_graph(path: str) -> UndirectedGraph:
    """Return the graph in a file: that of a result, of GraphML, or of a list of edges."""
    import graphoid as gd

    suffix = Path(path).suffix.lower()
    if suffix not in (".graphml", ".csv") or not Path(path).is_file():
        return load(path).graph
    if suffix == ".csv":
        return _load_edge_list(path)
    import networkx as nx

    try:
        return gd.UndirectedGraph.from_networkx(nx.read_graphml(path))
    except DataError:
        raise
    except (nx.NetworkXError, SyntaxError, *WRONG) as error:  # an XML error is a SyntaxError
        raise DataError(f"{path!r} is not GraphML that can be read: {error}.") from None


def _load_edge_list(path: str) -> UndirectedGraph:
    """Return the graph of a CSV file with columns x and y; variables without an edge are not in it."""
    import csv

    import graphoid as gd

    edges = []
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            if not {"x", "y"} <= set(rows.fieldnames or ()):
                raise DataError(f"{path!r} has no columns x and y; expected a list of edges.")
            for row in rows:
                if row["x"] is None or row["y"] is None:
                    raise DataError(f"{path!r}, line {rows.line_num}: expected the two ends of an edge.")
                edges.append((from_csv_cell(row["x"]), from_csv_cell(row["y"])))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path!r} is not a list of edges that can be read: {error}.") from None
    return gd.UndirectedGraph(sorted({name for edge in edges for name in edge}), edges)
