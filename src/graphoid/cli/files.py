"""Results and tables as files: written by the end of their name, and read as arguments of a command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphoid.errors import DataError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from graphoid.data.table import Table
    from graphoid.models.network import MarkovNetwork
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.learned import LearnedStructure
    from graphoid.uncertainty.io import Saved

    Learned = LearnedStructure | CanonicalModel
    """What learners find."""

Thing = TypeVar("Thing")


def check_path(path: str | None, endings: Collection[str], option: str) -> None:
    """Raise if a file cannot be written, before the work begins and not after."""
    if path is None:
        return
    if Path(path).suffix.lower() not in endings:
        raise SettingsError(f"{option} {path!r} must end in {' or '.join(endings)}.")
    if not Path(path).absolute().parent.is_dir():
        raise DataError(
            f"{option} {path!r}: there is no folder {str(Path(path).absolute().parent)!r}; make it first."
        )
    if Path(path).is_dir():
        raise DataError(f"{option} {path!r} is a folder; name a file.")


def write(thing: Thing, path: str, writers: Mapping[str, Callable[[Thing, str], None]]) -> None:
    """Write a result to a file, by the end of its name."""
    try:
        writers[Path(path).suffix.lower()](thing, path)
    except OSError as error:
        raise DataError(f"{path!r} cannot be written: {error.strerror or error}.") from error


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
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["x", "y"])
        writer.writeheader()
        writer.writerows(rows)


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

    columns = {}
    for i, variable in enumerate(table.variables):
        if i in table.values:  # the numbers behind bins
            columns[variable.name] = pa.array(table.values[i], from_pandas=True)
        else:
            states = variable.states
            kinds = {type(state) for state in states}
            labels = pa.array(states if len(kinds) == 1 else [str(state) for state in states])
            columns[variable.name] = labels.take(pa.array(table.column(i)))
    rows = pa.table(columns)
    if path is not None:
        try:
            arrow_csv.write_csv(rows, path)
        except OSError as error:
            raise DataError(f"{path!r} cannot be written: {error}.") from error
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
        raise DataError(f"there is no file {path!r}; graphoid learn FILE --out {path} makes one.")
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
    except (nx.NetworkXError, SyntaxError, KeyError, ValueError) as error:  # an XML error is a SyntaxError
        raise DataError(f"{path!r} is not GraphML that can be read: {error}.") from None


def _load_edge_list(path: str) -> UndirectedGraph:
    """Return the graph of a CSV file with columns x and y; variables without an edge are not in it."""
    import csv

    import graphoid as gd

    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if not {"x", "y"} <= set(rows.fieldnames or ()):
            raise DataError(f"{path!r} has no columns x and y; expected a list of edges.")
        edges = [(row["x"], row["y"]) for row in rows]
    return gd.UndirectedGraph(sorted({name for edge in edges for name in edge}), edges)
