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
DISCRETE = [*CLASSICAL, gd.MantelHaenszel(), *BAYESIAN]


def name_of(test: object) -> str:
    """Return a short name for parametrized tests."""
    settings = [getattr(test, s) for s in ("dof", "slices", "pseudo_count", "prior") if hasattr(test, s)]
    return "-".join(map(str, [type(test).__name__, *settings]))


def differences(
    found: Verdict, expected: Verdict, relative: float = 1e-11, absolute: float = 1e-12
) -> list[str]:
    """Return the fields in which two verdicts differ by more than rounding.

    Statistics near 0 are compared on the scale of the rows, logarithms near 0 on the scale of 1.
    """
    wrong = [
        field
        for field in ("x", "y", "given", "n_rows", "thin", "source")
        if getattr(found, field) != getattr(expected, field)
    ]
    least = {
        "dof": 0.0,
        "statistic": 1e-13 * (expected.n_rows or 1.0),
        "log_p": absolute,
        "log_odds": absolute,
    }
    for field, smallest in least.items():
        a, b = getattr(found, field), getattr(expected, field)
        if (a is None) != (b is None):
            wrong.append(field)
        elif a is not None and not abs(a - b) <= relative * abs(b) + smallest:
            wrong.append(f"{field}: {a!r} is not {b!r}")
    if found.p_value != (None if found.log_p is None else math.exp(found.log_p)):
        wrong.append("p_value")
    undecided = expected.log_odds is not None and abs(expected.log_odds) < 1e-9
    if found.independent != expected.independent and not undecided:
        wrong.append("independent")
    return wrong


def same_verdicts(found: Iterable[Verdict], expected: Iterable[Verdict], relative: float = 1e-11) -> None:
    """Check that verdicts agree but for rounding."""
    for one, other in zip(found, expected, strict=True):
        wrong = differences(one, other, relative)
        assert not wrong, f"{wrong} in\n{one} and\n{other}"
