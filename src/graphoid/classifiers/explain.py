"""Why a row got its class: what each set of attributes contributed, in log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphoid.classifiers.columns import Attribute
    from graphoid.classifiers.mixture import Mixture


class Contribution(NamedTuple):
    """What some attributes said together, beyond what they said in smaller sets."""

    attributes: tuple[str, ...]
    values: tuple[str, ...]
    log_odds: float


@dataclass(frozen=True)
class Explanation:
    """A prediction taken apart."""

    predicted: object
    against: object
    """The two classes whose odds are explained."""
    log_odds: float
    """Log-odds of ``predicted`` against ``against``: ``prior`` and all contributions added up."""
    prior: float
    """What was known before the attributes."""
    contributions: tuple[Contribution, ...]
    """What each hyperedge added, the largest first."""

    def __str__(self) -> str:
        head = f"log-odds of {self.predicted} against {self.against}: {self.log_odds:+.2f}"
        lines = [f"{self.prior:+.2f}  before the attributes"]
        for part in self.contributions:
            said = ", ".join(f"{a} = {v}" for a, v in zip(part.attributes, part.values, strict=True))
            lines.append(f"{part.log_odds:+.2f}  {said}")
        return "\n".join(map(printable, [head, *(f"  {line}" for line in lines)]))


def explain_row(
    mixture: Mixture,
    attributes: Sequence[Attribute],
    codes: Sequence[int],
    classes: NDArray[np.generic],
    predicted: int,
    against: int,
) -> Explanation:
    """Take the prediction of a single structure for one row apart.

    Parameters
    ----------
    mixture
        A single structure: all of its terms are added up.
    attributes
        The attributes, for their names and values.
    codes
        The row.
    classes
        The classes; ``predicted`` and ``against`` are positions in it.
    """
    parts = []
    for operation in mixture.program:
        if operation.term is None or operation.weight is not None:
            continue
        face, table = mixture.terms[operation.term]
        scores = table[tuple(codes[v] for v in face)]
        values = tuple(
            attributes[v].values[codes[v]] if codes[v] < attributes[v].size else "(not seen)" for v in face
        )
        names = tuple(attributes[v].name for v in face)
        parts.append(Contribution(names, values, float(scores[predicted] - scores[against])))
    prior = float(mixture.start[predicted] - mixture.start[against])
    total = prior + sum(part.log_odds for part in parts)
    order = np.argsort([-abs(part.log_odds) for part in parts], kind="stable")
    return Explanation(classes[predicted], classes[against], total, prior, tuple(parts[i] for i in order))
