"""Models as versioned JSON, and reading whatever graphoid saved."""

from __future__ import annotations

import math
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from graphoid.data.variables import Variable
from graphoid.errors import DataError, GraphoidError
from graphoid.models.factors import Factor
from graphoid.models.network import MarkovNetwork, Recorded
from graphoid.structure import contexts_io as canonical_models
from graphoid.structure import document
from graphoid.structure import io as structures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.learned import LearnedStructure

FORMAT = "graphoid model"
VERSION = 1

MAX_ERRORS = 500
"""Most features whose standard errors are worked out for a file: a matrix of that size is inverted."""


def to_json(model: MarkovNetwork) -> str:
    """Return a model as JSON text."""
    errors = model.standard_errors if len(model.features) <= MAX_ERRORS else None
    body = {
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
    return document.pack(FORMAT, VERSION, body)


def from_json(text: str, where: str = "the text") -> MarkovNetwork:
    """Return the model in JSON text, or raise one clear error."""
    return from_body(document.unpack(text, where, {FORMAT: VERSION}).body, where)


def from_body(body: Any, where: str) -> MarkovNetwork:
    """Return the model that a document describes."""
    try:
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
    except (KeyError, TypeError, ValueError, LookupError, GraphoidError) as error:
        raise DataError(f"{where} has a part that graphoid did not write ({error}).") from None


def load(path: str | os.PathLike[str]) -> LearnedStructure | CanonicalModel | MarkovNetwork:
    """Return what was saved: a structure, a canonical model or a model, as the file says.

    A damaged, changed or newer file is refused in one sentence.
    """
    where = repr(os.fspath(path))
    versions = {
        structures.FORMAT: structures.VERSION,
        canonical_models.FORMAT: canonical_models.VERSION,
        FORMAT: VERSION,
    }
    found = document.unpack(document.read_text(path), where, versions)
    if found.format == FORMAT:
        return from_body(found.body, where)
    if found.format == canonical_models.FORMAT:
        return canonical_models.from_body(found.body, where)
    return structures.from_body(found.body, where)


def _numbers(values: Iterable[float]) -> list[float | str]:
    """Return numbers for JSON, which has no infinite ones and none that are not numbers: those are words."""
    return [float(x) if math.isfinite(x) else str(float(x)) for x in values]
