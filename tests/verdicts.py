"""Comparing verdicts: what must be the same, and what may differ in its last digits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import graphoid as gd

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphoid.logic.verdict import Verdict

CONVENTIONS = ("slices", "adjusted", "full")
CLASSICAL = [kind(dof=dof) for kind in (gd.ChiSquare, gd.GTest) for dof in CONVENTIONS]
BAYESIAN = [
    gd.BayesianTest(),
    gd.BayesianTest(slices="occurring"),
    gd.BayesianTest(pseudo_count=0.5, prior=0.1),
    gd.BayesianTest(pseudo_count=2.7, prior=0.9, slices="occurring"),
    gd.BayesianTest(pseudo_count=2.7, prior=0.1),
    gd.BayesianTest(pseudo_count=0.5, prior=0.9, slices="occurring"),
]
DISCRETE = [*CLASSICAL, *BAYESIAN]


def name_of(test: object) -> str:
    """Return a short name for parametrized tests."""
    settings = [getattr(test, s) for s in ("dof", "slices", "pseudo_count", "prior") if hasattr(test, s)]
    return "-".join(map(str, [type(test).__name__, *settings]))


def differences(found: Verdict, expected: Verdict, relative: float = 1e-11) -> list[str]:
    """Return the fields in which two verdicts differ by more than rounding.

    Statistics near 0 and logarithms of probabilities near 1 are compared on the scale of the rows and of 1.
    """
    wrong = [
        field
        for field in ("x", "y", "given", "dof", "n_rows", "thin", "source")
        if getattr(found, field) != getattr(expected, field)
    ]
    scales = {"statistic": expected.n_rows or 1.0, "p_value": 0.0, "log_p": 1.0, "log_odds": 1.0}
    for field, scale in scales.items():
        a, b = getattr(found, field), getattr(expected, field)
        if (a is None) != (b is None):
            wrong.append(field)
        elif a is not None:
            # a p-value is as good as its logarithm
            allowed = relative * (abs(b) * (1 - (expected.log_p or 0)) if field == "p_value" else abs(b))
            least = 1e-13 * scale if field == "statistic" else 1e-12 * scale
            if not (math.isfinite(a) and math.isfinite(b) and abs(a - b) <= allowed + least):
                wrong.append(f"{field}: {a!r} is not {b!r}")
    undecided = expected.log_odds is not None and abs(expected.log_odds) < 1e-9
    if found.independent != expected.independent and not undecided:
        wrong.append("independent")
    return wrong


def same_verdicts(found: Iterable[Verdict], expected: Iterable[Verdict], relative: float = 1e-11) -> None:
    """Check that verdicts agree but for rounding."""
    for one, other in zip(found, expected, strict=True):
        wrong = differences(one, other, relative)
        assert not wrong, f"{wrong} in\n{one} and\n{other}"
