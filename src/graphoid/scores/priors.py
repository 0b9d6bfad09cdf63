"""What is believed about edges before the data are seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphoid.errors import SettingsError, UnknownVariable
from graphoid.logic.names import Names, name_order
from graphoid.scores.communities import communities
from graphoid.settings import PROBABILITY, Allowed, FrozenSettings, Number, check_setting
from graphoid.structure import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.structure.graph import Edge


SEEN = 0.02
"""Pairs less probable than this do not shape communities: there are many of them, and they are noise."""


Positions = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class PairOdds:
    """Log odds of all pairs of variables: one number, and others for some. ``odds[x, y]`` is that of a pair.

    Of 20,000 variables a matrix would take gigabytes. ``np.asarray`` makes one.

    Parameters
    ----------
    n
        How many variables there are.
    default
        Of pairs of which nothing else is said.
    within, block
        Of pairs of one block, and the block of every variable.
    some
        Of pairs ``x < y``.
    """

    n: int
    default: float = 0.0
    within: float = 0.0
    block: NDArray[np.int64] | None = None
    some: Mapping[Edge, float] = field(default_factory=dict)

    @classmethod
    def of(cls, odds: PairOdds | NDArray[np.float64]) -> PairOdds:
        """Return log odds that come as they are, or as a symmetric matrix."""
        if isinstance(odds, PairOdds):
            return odds
        x, y = np.triu_indices(len(odds), 1)
        return cls(
            len(odds),
            some=dict(zip(zip(x.tolist(), y.tolist(), strict=True), odds[x, y].tolist(), strict=True)),
        )

    def __getitem__(self, pair: Edge) -> float:
        x, y = pair
        if x == y:
            return 0.0
        known = self.some.get((x, y) if x < y else (y, x))
        if known is not None:
            return known
        return self.within if self.block is not None and self.block[x] == self.block[y] else self.default

    def at(self, x: Positions, y: Positions) -> NDArray[np.float64]:
        """Return the log odds of many pairs."""
        found = np.full(np.shape(x), self.default)
        if self.block is not None:
            found[self.block[x] == self.block[y]] = self.within
        if self.some:
            ends = zip(np.minimum(x, y).tolist(), np.maximum(x, y).tolist(), strict=True)
            for i, pair in enumerate(ends):
                found[i] = self.some.get(pair, found[i])
        return found

    def scale(self, factor: float) -> PairOdds:
        """Return all of them times a number."""
        some = {pair: factor * odds for pair, odds in self.some.items()}
        return replace(self, default=factor * self.default, within=factor * self.within, some=some)

    def restrict(self, variables: Sequence[int]) -> PairOdds:
        """Return those of the pairs of some variables."""
        place = {v: i for i, v in enumerate(variables)}
        some = {
            (min(place[x], place[y]), max(place[x], place[y])): odds
            for (x, y), odds in self.some.items()
            if x in place and y in place
        }
        block = None if self.block is None else self.block[list(variables)]
        return replace(self, n=len(variables), block=block, some=some)

    def __array__(self, dtype: object = None, *, copy: bool | None = None) -> NDArray[np.float64]:
        x, y = np.triu_indices(self.n, 1)
        matrix = np.zeros((self.n, self.n))
        matrix[x, y] = matrix[y, x] = self.at(x, y)
        return matrix


@runtime_checkable
class GraphPrior(Protocol):
    """Edges are present or absent independently of each other, each with a probability of its own."""

    def log_odds(self, names: Sequence[str]) -> PairOdds | NDArray[np.float64]:
        """Return the log odds of every edge, as such or as a symmetric matrix; 0 where both are as likely."""


@dataclass(frozen=True)
class UniformPrior:
    """Every graph is as likely as any other: scores stay as the papers have them."""

    def log_odds(self, names: Sequence[str]) -> PairOdds:
        """Return zeros."""
        return PairOdds(len(names))


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

    def log_odds(self, names: Sequence[str]) -> PairOdds:
        """Return the same number for every pair."""
        n = len(names)
        density = min(0.5, 3 / max(1, n - 1)) if self.density is None else self.density
        return PairOdds(n, math.log(density) - math.log1p(-density))


@runtime_checkable
class AdaptivePrior(GraphPrior, Protocol):
    """A prior that has settings of its own, of which the data tell (empirical Bayes)."""

    def adapt(self, names: Sequence[str], probabilities: Mapping[Edge, float]) -> BlockPrior | None:
        """Return the prior that probabilities of edges speak for; None for this one as it is."""


@dataclass(frozen=True)
class BlockPrior(FrozenSettings):
    """Edges within a block of variables have one probability, those between blocks another.

    Parameters
    ----------
    blocks
        Names of the variables of each.
    within, between
        The two probabilities; ``between`` is also that of variables without a block.
    """

    blocks: tuple[tuple[str, ...], ...]
    within: float
    between: float

    allowed: ClassVar[Mapping[str, Allowed]] = {"within": PROBABILITY, "between": PROBABILITY}

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> Self:
        """Return the prior that a result describes in plain values."""
        blocks = tuple(
            tuple(map(plain.text, plain.items(block))) for block in plain.items(settings["blocks"])
        )
        return cls(blocks, *(float(plain.number(settings[name])) for name in ("within", "between")))

    def log_odds(self, names: Sequence[str]) -> PairOdds:
        """Return the two log odds."""
        block = {name: k for k, members in enumerate(self.blocks) for name in members}
        label = np.array([block.get(name, -1 - i) for i, name in enumerate(names)], dtype=np.int64)
        inside = SparsePrior(self.within).log_odds(names).default
        return replace(SparsePrior(self.between).log_odds(names), within=inside, block=label)


@dataclass(frozen=True)
class CommunityPrior(SparsePrior):
    r"""As :class:`SparsePrior`, until edges turn out to hang together: then communities have two densities.

    Items of one scale or genes of one pathway are joined with each other and hardly with others. What a
    search has found says so: with the communities of its edges
    (:func:`graphoid.scores.communities.communities`) and the numbers of edges that are expected within and
    between them, two densities are more probable than one if

    .. math:: \frac{B(1 + s_1, 1 + m_1 - s_1) \, B(1 + s_2, 1 + m_2 - s_2)}{B(1 + s, 1 + m - s)} > k^n

    with s edges expected among m pairs, densities uniform a priori, and each of n variables in any of k
    communities. Random graphs, chains and hubs have none in this sense.
    """

    def adapt(self, names: Sequence[str], probabilities: Mapping[Edge, float]) -> BlockPrior | None:
        """Return the prior with communities; None where one density will do."""
        from scipy.special import betaln  # not at the top: `import graphoid` stays light

        n = len(names)
        likely = {pair: p for pair, p in probabilities.items() if p > SEEN}
        found = communities(name_order(names), likely)
        label = {v: k for k, members in enumerate(found) for v in members}
        total = math.fsum(probabilities.values())
        inner = math.fsum(p for (x, y), p in probabilities.items() if label[x] == label[y])
        pairs, own = n * (n - 1) // 2, sum(len(members) * (len(members) - 1) // 2 for members in found)

        def evidence(edges: float, of: int) -> float:
            return float(betaln(1 + edges, 1 + of - edges))

        apart = evidence(inner, own) + evidence(total - inner, pairs - own) - evidence(total, pairs)
        if not apart > n * math.log(len(found)):
            return None
        blocks = tuple(tuple(names[v] for v in members) for members in found if len(members) > 1)
        return BlockPrior(blocks, (inner + 1) / (own + 2), (total - inner + 1) / (pairs - own + 2))


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

    def log_odds(self, names: Sequence[str]) -> PairOdds:
        """Return the log odds of the pairs that it speaks of, and of others."""
        index = Names(tuple(names))
        some: dict[Edge, float] = {}
        for pair, probability in self.probabilities.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise SettingsError(f"the prior speaks of {pair!r}, which is no pair of variables.")
            try:
                x, y = (index.position(v) for v in pair)
            except UnknownVariable as error:
                raise SettingsError(f"the prior speaks of {pair!r}: {error}") from None
            if x == y:
                raise SettingsError(f"the prior speaks of {pair!r}; an edge needs two different variables.")
            some[min(x, y), max(x, y)] = math.log(probability) - math.log1p(-probability)
        return replace(SparsePrior(self.density).log_odds(names), some=some)
