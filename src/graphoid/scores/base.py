"""What scores have in common: settings on their own, joined to data when a graph is to be scored."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import InitVar, dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import Blanket, CountEngine, CountRequest
from graphoid.counts.native import engine_for
from graphoid.data.table import Table
from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import name_order, name_rank
from graphoid.scores.priors import GraphPrior, UniformPrior
from graphoid.settings import FrozenSettings
from graphoid.structure.separation import members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.structure.graph import Edge, UndirectedGraph

Family = tuple[int, int]
"""A variable and the mask of its blanket."""


class Score(FrozenSettings, ABC):
    """A number for a graph, in natural logarithms: the larger, the better the data speak for it.

    Holds settings only. :meth:`on` joins it to data.
    """

    prior: GraphPrior = UniformPrior()

    evidence_counts: float = 2.0
    """How often the evidence for one edge enters: twice where both its ends are scored on their own."""

    log_odds_share: ClassVar[float | None] = None
    """Of a gain, the share that the log odds of an edge are; None where gains are no evidence for edges."""

    @abstractmethod
    def on(self, data: object) -> Scorer:
        """Return this score of the data: of a table, or of anything that counts."""

    def value(self, graph: UndirectedGraph, table: object) -> float:
        """Return the score of a graph."""
        return self.on(table).value(graph)

    def gain(self, graph: UndirectedGraph, edge: tuple[int | str, int | str], table: object) -> float:
        """Return what the score gains when an edge is added, or removed where it is there."""
        return self.on(table).gain(graph, edge)


class BlanketScore(Score):
    """A sum over variables, each with a term for its blanket."""

    def on(self, data: object) -> BlanketScorer:
        """Return this score of the data."""
        return BlanketScorer(self, data, self.terms)

    @abstractmethod
    def terms(self, engine: CountEngine, blankets: list[Blanket]) -> NDArray[np.float64]:
        """Return the terms of variables and their blankets, from what counts the data."""


@dataclass(eq=False)
class Scorer(ABC):
    """A score joined to data; keeps what it has computed.

    Parameters
    ----------
    score
        The settings.
    data
        A table, anything that :func:`graphoid.read` takes, or an engine.
    """

    score: Score
    data: InitVar[object]

    def __post_init__(self, data: object) -> None:
        if not isinstance(data, (CountEngine, Table)):
            from graphoid.data.read import read

            data = read(data)
        continuous = [v.name for v in data.variables if v.continuous]
        if continuous:
            raise DataError(
                f"{continuous[0]!r} is continuous, and scores count states. "
                f"Read the data with discretize='auto', or leave the column out."
            )
        self.engine = data if isinstance(data, CountEngine) else engine_for(data)
        self.names = tuple(v.name for v in data.variables)
        self.n = len(self.names)
        self.order = name_order(self.names)
        """The variables in the order that decides between equals, which is not that of the columns."""
        self.arities = [v.arity for v in data.variables]
        prior = self.score.prior
        if not isinstance(prior, GraphPrior):
            raise SettingsError(f"prior must be UniformPrior(), SparsePrior() or EdgePrior(), not {prior!r}.")
        self.prior = prior.log_odds(self.names)
        # what says everything twice must say the prior twice, too
        self.weight = self.score.evidence_counts * self.prior

    @property
    @abstractmethod
    def n_terms(self) -> int:
        """Number of different terms computed so far."""

    def sort_edges(self, edges: Iterable[Edge]) -> list[Edge]:
        """Return edges in the order that decides between equals."""
        rank = name_rank(self.names)
        return sorted(edges, key=lambda e: (min(rank[e[0]], rank[e[1]]), max(rank[e[0]], rank[e[1]])))

    def value(self, graph: UndirectedGraph) -> float:
        """Return the score of a graph."""
        self._refuse_misfit(graph)
        return self._value(graph.adjacency) + math.fsum(self.weight[x, y] for x, y in graph.edges)

    def gain(self, graph: UndirectedGraph, edge: tuple[int | str, int | str]) -> float:
        """Return ``value(after) - value(before)`` of flipping an edge."""
        self._refuse_misfit(graph)
        x, y = graph.position(edge[0]), graph.position(edge[1])
        if x == y:
            raise DataError(f"an edge from {self.names[x]!r} to itself means nothing; name two variables.")
        return float(self.gains(graph, [(min(x, y), max(x, y))])[0])

    def gains(self, graph: UndirectedGraph, edges: Sequence[Edge]) -> NDArray[np.float64]:
        """Return what flipping each edge alone would gain."""
        if not edges:
            return np.zeros(0)
        adjacency = graph.adjacency
        gains = self._gains(adjacency, edges)
        for i, (x, y) in enumerate(edges):
            gains[i] += -self.weight[x, y] if adjacency[x] >> y & 1 else self.weight[x, y]
        return gains

    def holds(self, graph: UndirectedGraph, edge: Edge) -> bool:  # noqa: ARG002 - others have to look
        """Return whether flipping an edge would take no term that is not computed yet, or none that lasts."""
        return True

    def values(self, graphs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the scores of many graphs of at most 62 variables: a line of blanket masks for each."""
        total = self._values(graphs)
        for x, y in combinations(range(self.n), 2):
            if self.weight[x, y]:
                total += self.weight[x, y] * (graphs[:, x] >> y & 1)
        return total

    @abstractmethod
    def _value(self, adjacency: Sequence[int]) -> float:
        """Return what the data say of a graph."""

    @abstractmethod
    def _gains(self, adjacency: Sequence[int], edges: Sequence[Edge]) -> NDArray[np.float64]:
        """Return what flipping each edge alone would gain, by the data."""

    @abstractmethod
    def _values(self, graphs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what the data say of many graphs."""

    def _refuse_misfit(self, graph: UndirectedGraph) -> None:
        if graph.n != self.n:
            raise DataError(
                f"the graph has {graph.n} variables and the data {self.n}; score a graph of the data."
            )


@dataclass(eq=False)
class BlanketScorer(Scorer):
    """A sum over variables with their blankets: flipping an edge touches two terms, and terms are kept.

    Parameters
    ----------
    score, data
        As of every scorer.
    terms
        Gives the terms of variables and their blankets from what counts the data.
    """

    terms: Callable[[CountEngine, list[Blanket]], NDArray[np.float64]]
    n_terms: int = field(default=0, init=False)
    held: dict[Family, float] = field(default_factory=dict, init=False, repr=False)
    """The terms computed so far."""

    def local(self, x: int, mask: int) -> float:
        """Return the term of a variable and its blanket."""
        held = self.held.get((x, mask))
        if held is None:
            self.prepare([(x, mask)])
            held = self.held[x, mask]
        return held

    def prepare(self, families: Iterable[Family]) -> None:
        """Compute terms that are not held yet, all of them at once."""
        missing = list(dict.fromkeys(family for family in families if family not in self.held))
        if missing:
            blankets = [(x, tuple(members(mask))) for x, mask in missing]
            self.held.update(zip(missing, self.terms(self.engine, blankets).tolist(), strict=True))
            self.n_terms = len(self.held)

    def holds(self, graph: UndirectedGraph, edge: Edge) -> bool:
        """Return whether the terms after flipping an edge are computed."""
        x, y = edge
        return (x, graph.adjacency[x] ^ 1 << y) in self.held and (y, graph.adjacency[y] ^ 1 << x) in self.held

    def _value(self, adjacency: Sequence[int]) -> float:
        self.prepare(enumerate(adjacency))
        return math.fsum(self.held[family] for family in enumerate(adjacency))

    def _gains(self, adjacency: Sequence[int], edges: Sequence[Edge]) -> NDArray[np.float64]:
        ends = [(a, adjacency[a], adjacency[a] ^ 1 << b) for x, y in edges for a, b in ((x, y), (y, x))]
        self.prepare((x, mask) for x, *masks in ends for mask in masks)
        changes = [self.held[x, after] - self.held[x, before] for x, before, after in ends]
        return np.add(changes[::2], changes[1::2], dtype=np.float64)

    def _values(self, graphs: NDArray[np.int64]) -> NDArray[np.float64]:
        total = np.zeros(len(graphs))
        occurring = [np.unique(graphs[:, x]) for x in range(self.n)]
        self.prepare((x, int(mask)) for x in range(self.n) for mask in occurring[x])
        for x, masks in enumerate(occurring):
            terms = np.array([self.held[x, int(mask)] for mask in masks])
            total += terms[np.searchsorted(masks, graphs[:, x])]
        return total


def family_counts(engine: CountEngine, blankets: Sequence[Blanket]) -> list[Counts]:
    """Return the counts of variables and their blankets; axes are the blanket and then the variable."""
    return engine.counts([CountRequest((*blanket, x)) for x, blanket in blankets])


def configurations_of(counts: Counts) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
    """Return the configurations of all variables but the last that occur, and its counts in each of them."""
    found, weights = counts.occurring()
    others, line = np.unique(found[:, :-1], axis=0, return_inverse=True)
    table = np.zeros((len(others), counts.shape[-1]))
    np.add.at(table, (line.reshape(-1), found[:, -1]), weights)
    return others, table
