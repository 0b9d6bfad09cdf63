"""What a learner that scores graphs knows beyond the graph it found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self

from graphoid.structure import plain
from graphoid.structure.document import Json, pair_mapping, pair_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.structure.graph import Edge, UndirectedGraph


SURE = 0.95
"""Posterior probability from which an edge is called present; absent below its complement."""


LARGEST = 709.0
"""Logarithms above this overflow as plain numbers."""

SHOWN_PAIRS = 5_000
"""Up to so many pairs, the result says of every one what flipping it would gain; beyond, of those that the
search looked at."""


class Move(NamedTuple):
    """One step of a search: an edge flipped, and the score after it."""

    x: int
    y: int
    added: bool
    value: float


@dataclass(frozen=True)
class Scored:
    """The score of a graph, what each edge is worth to it, and how it was found."""

    value: float
    """The score of the graph; natural logarithm."""
    gains: Mapping[Edge, float] = field(default_factory=dict)
    """For pairs that were looked at, what flipping them would add to the score: for an edge of a graph that
    cannot be improved, minus what it is worth."""
    path: tuple[Move, ...] = ()
    """The steps that led there, from the first; empty where a search has none to show."""
    n_terms: int = 0
    """Number of different terms of the score that were computed."""
    prior_log_odds: Mapping[Edge, float] = field(default_factory=dict)
    """Prior log odds of edges."""
    default_log_odds: float = 0.0
    """Those of all other edges."""

    def prior(self, pair: Edge) -> float:
        """Return the prior log odds of an edge."""
        return self.prior_log_odds.get(pair, self.default_log_odds)

    def worth(self, graph: UndirectedGraph) -> dict[Edge, float]:
        """Return how much higher the score of the graph is with each edge than without."""
        return {(x, y): -gain if graph.has_edge(x, y) else gain for (x, y), gain in self.gains.items()}

    def to_body(self) -> Json:
        """Return everything as plain values."""
        body = {
            "value": self.value,
            "gains": pair_rows(self.gains),
            "path": [list(move) for move in self.path],
            "n_terms": self.n_terms,
            "prior_log_odds": pair_rows(self.prior_log_odds),
        }
        return {**body, "default_log_odds": self.default_log_odds} if self.default_log_odds else body

    @classmethod
    def from_body(cls, body: Json, n: int) -> Self:
        """Return the score of a graph of ``n`` variables that plain values describe."""
        return cls(
            value=plain.number(body["value"]),
            gains=pair_mapping(body["gains"], n),
            path=tuple(
                Move(plain.whole(x, n), plain.whole(y, n), plain.flag(added), plain.number(value))
                for x, y, added, value in plain.items(body["path"])
            ),
            n_terms=plain.whole(body["n_terms"]),
            prior_log_odds=pair_mapping(body["prior_log_odds"], n),
            default_log_odds=float(plain.number(body.get("default_log_odds", 0.0))),
        )


def verdict(probability: float, *, powered: bool = True) -> str:
    """Return what to call a pair of a given posterior probability.

    "present" from .95 on and "absent" up to .05: if the probabilities are right, of all pairs called present
    fewer than one in twenty are not. Absent is also said only where the rows have the power to show an edge
    of a size that matters. What is left is undecided: more rows would tell.

    >>> verdict(0.97), verdict(0.5), verdict(0.02), verdict(0.02, powered=False)
    ('present', 'undecided', 'absent', 'undecided')
    """
    if probability >= SURE:
        return "present"
    return "absent" if powered and 1 - probability >= SURE else "undecided"


def bayes_factor(probability: float, prior_log_odds: float = 0.0) -> float:
    """Return the inclusion Bayes factor: posterior odds of an edge over its prior odds.

    >>> bayes_factor(0.75)
    3.0
    """
    if probability >= 1:
        return math.inf
    return probability / (1 - probability) * math.exp(min(-prior_log_odds, LARGEST))
