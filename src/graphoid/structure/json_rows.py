"""Verdicts, and numbers of pairs, as rows of JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from graphoid.logic.verdict import Fact, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphoid.structure.graph import Edge


def pair_rows(numbers: Mapping[Edge, float]) -> list[list[float]]:
    """Return a row for every pair: its two positions, and its number."""
    return [[x, y, number] for (x, y), number in numbers.items()]


def pair_mapping(rows: Iterable[tuple[int, int, float]]) -> dict[Edge, float]:
    """Return the numbers of pairs that :func:`pair_rows` wrote."""
    return {(int(x), int(y)): float(number) for x, y, number in rows}


def to_row(v: Verdict) -> list[object]:
    """Return a verdict as a JSON row; infinite numbers are words there, since JSON has none."""
    row: list[object] = [
        str(value) if value.__class__ is float and not math.isfinite(value) else value for value in v[:-1]
    ]
    row.append([[fact.x, fact.y, fact.given, fact.independent] for fact in v.because])
    return row


def from_row(fields: Sequence[str], row: Sequence[Any]) -> Verdict:
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
