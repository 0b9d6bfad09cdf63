"""Models as plain values for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.variables import Variable
from graphoid.models.factors import Factor
from graphoid.models.network import MarkovNetwork, Recorded

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
        "standard_errors": None if errors is None else _numbers(errors),
        "factors": [
            {"members": list(members), "log_values": _numbers(log_values.ravel())}
            for members, log_values in model.factors
        ],
        "provenance": dict(model.provenance),
    }


def from_body(body: Json) -> MarkovNetwork:
    """Return the model that plain values describe."""
    variables = tuple(
        Variable(v["name"], tuple(v["states"]), bool(v["ordered"]), tuple(v["cuts"]), str(v["label"]))
        for v in body["variables"]
    )
    factors = []
    for factor in body["factors"]:
        shape = [variables[v].arity for v in factor["members"]]
        values = np.array([float(x) for x in factor["log_values"]]).reshape(shape)
        factors.append(Factor(tuple(factor["members"]), values))
    errors = body["standard_errors"]
    return MarkovNetwork(
        variables,
        tuple(tuple((v, state) for v, state in feature) for feature in body["features"]),
        np.array(body["weights"], dtype=np.float64),
        tuple(factors),
        estimated=None if errors is None else Recorded(np.array([float(x) for x in errors])),
        provenance=body["provenance"],
    )


def _numbers(values: Iterable[float]) -> list[float | str]:
    """Return numbers for JSON, which has no infinite ones and none that are not numbers: those are words."""
    return [float(x) if math.isfinite(x) else str(float(x)) for x in values]
