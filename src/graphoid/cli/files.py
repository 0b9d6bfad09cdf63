"""Results and tables become files, by the end of their name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphoid.data.table import Table
    from graphoid.models.network import MarkovNetwork


def checked(path: str | None, writers: dict[str, Any], option: str) -> str | None:
    """Return the path of a file yet to be written, or raise before the work begins and not after."""
    if path is None:
        return None
    if Path(path).suffix.lower() not in writers:
        raise SettingsError(f"{option} {path!r} must end in {' or '.join(writers)}.")
    if not Path(path).absolute().parent.is_dir():
        raise DataError(
            f"{option} {path!r}: there is no folder {str(Path(path).absolute().parent)!r}; make it first."
        )
    if Path(path).is_dir():
        raise DataError(f"{option} {path!r} is a folder; name a file.")
    return path


def write(made: Any, path: str, writers: dict[str, Callable[[Any, str], None]]) -> None:
    """Write a result to a file, by the end of its name."""
    try:
        writers[Path(path).suffix.lower()](made, path)
    except OSError as error:
        raise DataError(f"{path!r} cannot be written: {error.strerror or error}.") from error


def _save(found: Any, path: str) -> None:
    found.save(path)


def _graphml(found: Any, path: str) -> None:
    from graphoid.cli.edges import shares
    from graphoid.structure import graphml
    from graphoid.structure.contexts import CanonicalModel

    if not isinstance(found, CanonicalModel):
        found.to_graphml(path)
        return
    graph = found.graph.to_networkx()
    for x, y, share in shares(found):
        graph.edges[x, y]["share"] = share
    graphml.write(graph, path)


def _edge_list(found: Any, path: str) -> None:
    import csv

    rows = edge_rows(found)
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, list(rows[0]) if rows else ["x", "y"])
        written.writeheader()
        written.writerows(rows)


def edge_rows(found: Any) -> list[dict[str, Any]]:
    """Return the edges as plain rows."""
    from graphoid.cli.edges import shares
    from graphoid.structure.contexts import CanonicalModel

    if isinstance(found, CanonicalModel):
        return [{"x": x, "y": y, "share": share} for x, y, share in shares(found)]
    return [row._asdict() for row in found.edges()]


STRUCTURES: dict[str, Callable[[Any, str], None]] = {".json": _save, ".graphml": _graphml, ".csv": _edge_list}
"""How a structure is written."""


def _uai(model: MarkovNetwork, path: str) -> None:
    model.to_uai(path)


MODELS: dict[str, Callable[[Any, str], None]] = {".json": _save, ".uai": _uai}
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
