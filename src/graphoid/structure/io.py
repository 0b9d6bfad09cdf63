"""Learned structures as versioned JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from graphoid.errors import DataError
from graphoid.logic.verdict import Fact, Verdict
from graphoid.structure import document
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.learned import Cost, LearnedStructure
from graphoid.structure.scored import Move, Scored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.structure.graph import Edge

FORMAT = "graphoid structure"
VERSION = 1


def to_json(structure: LearnedStructure) -> str:
    """Return a structure as JSON text: format, version, a digest of the body, and the body."""
    body = {
        "names": list(structure.names),
        "edges": [list(edge) for edge in structure.graph.edges],
        "trace": {"fields": list(Verdict._fields), "rows": [to_row(v) for v in structure.trace]},
        "cost": asdict(structure.cost),
        "stopped": structure.stopped,
        "settings": dict(structure.settings),
        "seed": structure.seed,
        "data_id": structure.data_id,
        "scored": None if structure.scored is None else _scored_body(structure.scored),
        "edge_probabilities": _pairs(structure.edge_probabilities),
        "details": dict(structure.details),
    }
    return document.pack(FORMAT, VERSION, body)


def from_json(text: str, where: str = "the text") -> LearnedStructure:
    """Return the structure in JSON text, or raise one clear error."""
    return from_body(document.unpack(text, where, {FORMAT: VERSION}).body, where)


def from_body(body: Any, where: str) -> LearnedStructure:
    """Return the structure that a document describes."""
    try:
        return LearnedStructure(
            graph=UndirectedGraph(body["names"], [(x, y) for x, y in body["edges"]]),
            trace=tuple(from_row(body["trace"]["fields"], row) for row in body["trace"]["rows"]),
            cost=Cost.of_plain(body["cost"]),
            stopped=body["stopped"],
            settings=body["settings"],
            seed=body["seed"],
            data_id=body["data_id"],
            scored=None if body.get("scored") is None else _scored(body["scored"]),
            edge_probabilities=_mapping(body.get("edge_probabilities", [])),
            details=body.get("details", {}),
        )
    except (KeyError, TypeError, ValueError, LookupError) as error:
        raise DataError(f"{where} has a part that graphoid did not write ({error}).") from None


def _pairs(numbers: Mapping[Edge, float]) -> list[list[float]]:
    return [[x, y, number] for (x, y), number in numbers.items()]


def _mapping(rows: list[list[Any]]) -> dict[Edge, float]:
    return {(int(x), int(y)): float(number) for x, y, number in rows}


def _scored_body(scored: Scored) -> dict[str, Any]:
    return {
        "value": scored.value,
        "gains": _pairs(scored.gains),
        "path": [list(move) for move in scored.path],
        "n_terms": scored.n_terms,
        "prior_log_odds": _pairs(scored.prior_log_odds),
    }


def _scored(body: dict[str, Any]) -> Scored:
    return Scored(
        value=body["value"],
        gains=_mapping(body["gains"]),
        path=tuple(Move(*move) for move in body["path"]),
        n_terms=body["n_terms"],
        prior_log_odds=_mapping(body["prior_log_odds"]),
    )


def to_row(v: Verdict) -> list[Any]:
    """Return a verdict as a JSON row; infinite numbers are words there, since JSON has none."""
    row: list[Any] = [
        str(value) if value.__class__ is float and not math.isfinite(value) else value for value in v[:-1]
    ]
    row.append([[fact.x, fact.y, fact.given, fact.independent] for fact in v.because])
    return row


def from_row(fields: list[str], row: list[Any]) -> Verdict:
    """Return the verdict in a JSON row."""
    values = dict(zip(fields, row, strict=True))
    values["given"] = tuple(values["given"])
    values["because"] = tuple(
        Fact.of(x, y, given, independent=independent)
        for x, y, given, independent in values.get("because", ())
    )
    for name in ("statistic", "dof", "p_value", "log_p", "log_odds", "n_rows"):
        if isinstance(values[name], str):
            values[name] = float(values[name])
    return Verdict(**values)
