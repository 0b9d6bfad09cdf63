"""Graphs as GraphML, whatever their names are made of."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from graphoid.structure import whole_file

if TYPE_CHECKING:
    import os

    import networkx as nx

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may hold, not even written out as numbers: most control characters."""


def write(graph: nx.Graph, path: str | os.PathLike[str]) -> None:
    """Write a networkx graph; attributes that are None are left out, since GraphML has no such value."""
    import networkx as nx

    clean = nx.Graph()
    names = {node: _in_xml(str(node)) for node in graph}
    if len(set(names.values())) < len(names):  # what was written out looks like another name
        names = {node: f"{name} [{i}]" for i, (node, name) in enumerate(names.items())}
    for node, attributes in graph.nodes(data=True):
        clean.add_node(names[node], **_attributes(attributes))
    for x, y, attributes in graph.edges(data=True):
        clean.add_edge(names[x], names[y], **_attributes(attributes))
    page = io.BytesIO()
    nx.write_graphml(clean, page)
    whole_file.write(path, page.getvalue())


def _attributes(attributes: dict[str, object]) -> dict[str, object]:
    return {
        key: _in_xml(value) if isinstance(value, str) else value
        for key, value in attributes.items()
        if value is not None
    }


def _in_xml(text: str) -> str:
    r"""Return text with the characters that XML cannot hold written out.

    >>> print(_in_xml("\x1b[31m<b>"))
    \x1b[31m<b>
    """
    return NOT_IN_XML.sub(lambda c: c[0].encode("unicode_escape", "backslashreplace").decode(), text)
