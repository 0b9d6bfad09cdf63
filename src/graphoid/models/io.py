"""Models as plain values for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

import numpy as np

from graphoid.data.variables import KINDS, Kind, Variable
from graphoid.errors import DataError
from graphoid.models.factors import Factor
from graphoid.models.network import MarkovNetwork, Recorded
from graphoid.structure import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphoid.structure.document import Json

MAX_ERRORS = 500
"""Most features whose standard errors are worked out for a file: a matrix of that size is inverted."""


def to_body(model: MarkovNetwork) -> Json:
    """Return a model as plain values."""
    errors = model.standard_errors if len(model.features) <= MAX_ERRORS else None
    return {
        "variables": [asdict(v) for v in model.variables],
        "features": [[list(pair) for pair in feature] for feature in model.features],
        "weights": model.weights.tolist(),
        "standard_errors": None if errors is None else numbers(errors),
        "factors": [
            {"members": list(members), "log_values": numbers(log_values.ravel())}
            for members, log_values in model.factors
        ],
        "provenance": dict(model.provenance),
    }


def from_body(body: Json) -> MarkovNetwork:
    """Return the model that plain values describe."""
    variables = tuple(variable(plain.record(v)) for v in plain.items(body["variables"]))
    factors = []
    for factor in map(plain.record, plain.items(body["factors"])):
        members = plain.positions(factor["members"], len(variables))
        values = np.array(list(map(plain.any_number, plain.items(factor["log_values"]))), dtype=np.float64)
        factors.append(Factor(members, values.reshape([variables[v].arity for v in members])))
    features, errors = plain.items(body["features"]), body["standard_errors"]
    if errors is not None and len(plain.items(errors)) != len(features):
        raise DataError(f"{len(features):,} features need as many standard errors, not {len(errors):,}.")
    return MarkovNetwork(
        variables,
        tuple(tuple((plain.whole(v), plain.whole(state)) for v, state in feature) for feature in features),
        plain.array(body["weights"], (len(features),), whole=False).astype(np.float64),
        tuple(factors),
        estimated=None if errors is None else Recorded(np.array(list(map(plain.any_number, errors)))),
        provenance=plain.record(body["provenance"]),
    )


def variable(body: Json) -> Variable:
    """Return a variable whose cut points, if any, lie between its states."""
    states = tuple(map(plain.state, plain.items(body["states"])))
    cuts = tuple(map(plain.number, plain.items(body["cuts"])))
    if cuts and (len(cuts) >= len(states) or sorted(cuts) != list(cuts)):
        raise DataError(f"{len(cuts)} cut points do not divide {len(states)} states.")
    kind = cast("Kind", plain.choice(body["kind"], KINDS)) if "kind" in body else None
    ordered = kind is None and plain.flag(body["ordered"])  # as the first edition wrote it
    return Variable(plain.text(body["name"]), states, ordered, cuts, plain.text(body["label"]), kind=kind)


def numbers(values: Iterable[float]) -> list[float | str]:
    """Return numbers for JSON, which has no infinite ones and none that are not numbers: those are words."""
    return [float(x) if math.isfinite(x) else str(float(x)) for x in values]
