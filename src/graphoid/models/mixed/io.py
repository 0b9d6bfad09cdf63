"""Models of mixed kinds as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import DataError
from graphoid.models.io import MAX_ERRORS, numbers, variable
from graphoid.models.mixed.layout import Layout
from graphoid.models.mixed.network import MixedNetwork
from graphoid.models.mixed.scale import Scale
from graphoid.models.network import Recorded
from graphoid.structure import plain

if TYPE_CHECKING:
    from graphoid.structure.document import Json


def to_body(model: MixedNetwork) -> Json:
    """Return a model as plain values."""
    errors = model.standard_errors if len(model.weights) <= MAX_ERRORS else None
    return {
        "variables": [asdict(v) for v in model.variables],
        "scales": [
            {
                "variable": x,
                "values": scale.values.tolist(),
                "low": scale.low.tolist(),
                "high": scale.high.tolist(),
                "center": scale.center,
                "spread": scale.spread,
                "whole": scale.whole,
            }
            for x, scale in sorted(model.scales.items())
        ],
        "pairs": model.pairs.tolist(),
        "weights": model.weights.tolist(),
        "standard_errors": None if errors is None else numbers(errors),
        "provenance": dict(model.provenance),
    }


def from_body(body: Json) -> MixedNetwork:
    """Return the model that plain values describe."""
    variables = tuple(variable(plain.record(v)) for v in plain.items(body["variables"]))
    scales = {}
    for scale in map(plain.record, plain.items(body["scales"])):
        scales[plain.whole(scale["variable"], len(variables))] = _scale(scale)
    layout = Layout(variables, np.empty((0, 2), dtype=np.intp))
    pairs = np.array(
        [plain.positions(pair, layout.n_columns) for pair in plain.items(body["pairs"])], dtype=np.intp
    ).reshape(-1, 2)
    keys = pairs @ [max(layout.n_columns, 1), 1]
    if (np.diff(keys) <= 0).any() or (layout.owner[pairs[:, 0]] >= layout.owner[pairs[:, 1]]).any():
        raise DataError("pairs of columns are of different variables, in ascending order, each once.")
    weights = plain.array(body["weights"], (None,), whole=False).astype(np.float64)
    errors = body["standard_errors"]
    if errors is not None and len(plain.items(errors)) != len(weights):
        raise DataError(f"{len(weights):,} weights need as many standard errors, not {len(errors):,}.")
    return MixedNetwork(
        variables,
        weights=weights,
        estimated=None if errors is None else Recorded(np.array(list(map(plain.any_number, errors)))),
        provenance=plain.record(body["provenance"]),
        scales=scales,
        pairs=pairs,
    )


def _scale(body: Json) -> Scale:
    """Return a scale whose values and ranks ascend."""
    values, low, high = (
        plain.array(body[key], (None,), whole=False).astype(np.float64) for key in ("values", "low", "high")
    )
    fits = len(values) == len(low) == len(high) > 0
    if not fits or (np.diff(values) <= 0).any() or (low > high).any() or (low[1:] <= high[:-1]).any():
        raise DataError("a scale needs ascending values, each with its first and its last rank.")
    center, spread = plain.number(body["center"]), plain.number(body["spread"], least=0.0)
    return Scale(values, low, high, float(center), float(spread), plain.flag(body["whole"]))
