"""What is believed about edges before the data are seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import numpy as np

from graphoid.errors import SettingsError, UnknownVariable
from graphoid.logic.names import Names
from graphoid.settings import PROBABILITY, Allowed, FrozenSettings, Number, check_setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@runtime_checkable
class GraphPrior(Protocol):
    """Edges are present or absent independently of each other, each with a probability of its own."""

    def log_odds(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the log odds of every edge as a symmetric matrix; 0 where both are as likely."""


@dataclass(frozen=True)
class UniformPrior:
    """Every graph is as likely as any other: scores stay as the papers have them."""

    def log_odds(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return zeros."""
        return np.zeros((len(names), len(names)))


@dataclass(frozen=True)
class SparsePrior(FrozenSettings):
    """Every edge is there with the same probability.

    Parameters
    ----------
    density
        That probability; None for three neighbors a variable on average, 3 / (n - 1), at most one half.
    """

    density: float | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {"density": Number(above=0, below=1, optional=True)}

    def log_odds(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the same number for every pair."""
        n = len(names)
        density = min(0.5, 3 / max(1, n - 1)) if self.density is None else self.density
        odds = np.full((n, n), math.log(density) - math.log1p(-density))
        np.fill_diagonal(odds, 0.0)
        return odds


@dataclass(frozen=True)
class EdgePrior:
    """Some edges have a probability of their own, such as those known from earlier studies.

    Parameters
    ----------
    probabilities
        For pairs of variables, by name or position, the probability of an edge; strictly between 0 and 1.
    density
        The probability of all other edges.
    """

    probabilities: Mapping[tuple[int | str, int | str], float] = field(default_factory=dict)
    density: float = 0.5

    def __post_init__(self) -> None:
        check_setting("density", self.density, PROBABILITY)
        for pair, probability in self.probabilities.items():
            check_setting(f"the probability of {pair}", probability, PROBABILITY)

    def log_odds(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return the matrix of log odds."""
        index = Names(tuple(names))
        odds = SparsePrior(self.density).log_odds(names)
        for pair, probability in self.probabilities.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise SettingsError(f"the prior speaks of {pair!r}, which is no pair of variables.")
            try:
                x, y = (index.position(v) for v in pair)
            except UnknownVariable as error:
                raise SettingsError(f"the prior speaks of {pair!r}: {error}") from None
            if x == y:
                raise SettingsError(f"the prior speaks of {pair!r}; an edge needs two different variables.")
            odds[x, y] = odds[y, x] = math.log(probability) - math.log1p(-probability)
        return odds
