"""From a directed graph to the undirected one: moralization."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def moral_graph(names: int | Sequence[str], parents: Sequence[Iterable[int | str]]) -> UndirectedGraph:
    """Return the moral graph: arcs lose their direction, and parents of the same child are joined.

    Every separation in the moral graph is an independence of a Bayesian network with these arcs, and no graph
    with fewer edges has that property for all of them ([Pearl1988]_, section 3.3).

    Parameters
    ----------
    names
        Names of the variables, or how many there are.
    parents
        For every variable, its parents by position or name.

    >>> moral_graph(["rain", "sprinkler", "wet"], [[], [], ["rain", "sprinkler"]]).edges
    ((0, 1), (0, 2), (1, 2))
    """
    edges: list[tuple[int | str, int | str]] = []
    for child, known in enumerate(parents):
        family = (child, *known)
        edges += itertools.combinations(family, 2)
    return UndirectedGraph(names, edges)
