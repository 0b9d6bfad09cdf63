"""Canonical models as versioned JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from graphoid.errors import DataError, GraphoidError
from graphoid.structure import document
from graphoid.structure.contexts import CanonicalCost, CanonicalModel
from graphoid.structure.graph import UndirectedGraph

FORMAT = "graphoid canonical model"
VERSION = 1


def to_json(model: CanonicalModel) -> str:
    """Return a canonical model as JSON text."""
    body = {
        "names": list(model.names),
        "states": [list(states) for states in model.states],
        "assignments": model.assignments.tolist(),
        "n_rows": model.n_rows.tolist(),
        "graphs": [[list(edge) for edge in graph.edges] for graph in model.graphs],
        "graph_of": model.graph_of.tolist(),
        "cost": asdict(model.cost),
        "stopped": model.stopped,
        "settings": dict(model.settings),
        "seed": model.seed,
        "data_id": model.data_id,
    }
    return document.pack(FORMAT, VERSION, body)


def from_json(text: str, where: str = "the text") -> CanonicalModel:
    """Return the canonical model in JSON text, or raise one clear error."""
    return from_body(document.unpack(text, where, {FORMAT: VERSION}).body, where)


def from_body(body: Any, where: str) -> CanonicalModel:
    """Return the canonical model that a document describes."""
    try:
        names = tuple(body["names"])
        return CanonicalModel(
            names=names,
            states=tuple(tuple(states) for states in body["states"]),
            assignments=np.array(body["assignments"], dtype=np.uint16),
            n_rows=np.array(body["n_rows"]),
            graphs=tuple(UndirectedGraph(names, [(x, y) for x, y in edges]) for edges in body["graphs"]),
            graph_of=np.array(body["graph_of"], dtype=np.intp),
            cost=CanonicalCost.of_plain(body["cost"]),
            stopped=body["stopped"],
            settings=body["settings"],
            seed=body["seed"],
            data_id=body["data_id"],
        )
    except (KeyError, TypeError, ValueError, LookupError, GraphoidError) as error:
        raise DataError(f"{where} has a part that graphoid did not write ({error}).") from None
