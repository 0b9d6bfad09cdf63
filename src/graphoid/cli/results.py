"""Files that hold results, as arguments of a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError

if TYPE_CHECKING:
    from graphoid.structure.graph import UndirectedGraph


def loaded(path: str) -> Any:
    """Return what a file holds: a structure, a canonical model, or a model."""
    import graphoid as gd

    if Path(path).is_dir():
        raise DataError(f"{path!r} is a folder; name a file that graphoid saved.")
    if not Path(path).exists():
        raise DataError(f"there is no file {path!r}; graphoid learn FILE --out {path} makes one.")
    if path.lower().endswith(".uai"):
        return gd.MarkovNetwork.from_uai(path)
    return gd.load(path)


def graph_in(path: str) -> UndirectedGraph:
    """Return the graph in a file: that of a result, of GraphML, or of a list of edges."""
    import graphoid as gd

    suffix = Path(path).suffix.lower()
    if suffix not in (".graphml", ".csv") or not Path(path).is_file():
        graph: UndirectedGraph = loaded(path).graph
        return graph
    if suffix == ".csv":
        return _edge_list(path)
    import networkx as nx

    try:
        return gd.UndirectedGraph.from_networkx(nx.read_graphml(path))
    except (nx.NetworkXError, SyntaxError, KeyError, ValueError) as error:  # an XML error is a SyntaxError
        raise DataError(f"{path!r} is not GraphML that can be read: {error}.") from None


def _edge_list(path: str) -> UndirectedGraph:
    """Return the graph of a CSV file with columns x and y; variables without an edge are not in it."""
    import csv

    import graphoid as gd

    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if not {"x", "y"} <= set(rows.fieldnames or ()):
            raise DataError(f"{path!r} has no columns x and y; expected a list of edges.")
        edges = [(row["x"], row["y"]) for row in rows]
    return gd.UndirectedGraph(sorted({name for edge in edges for name in edge}), edges)
