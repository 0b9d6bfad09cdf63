"""What scores have in common: settings on their own, joined to data when a graph is to be scored."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from dataclasses import InitVar, dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.counts.engine import Blanket, CountEngine, CountRequest
from graphoid.counts.native import engine_for
from graphoid.data.table import Table, with_states
from graphoid.errors import DataError, SettingsError, setting
from graphoid.limits import memory_limit
from graphoid.logic.names import name_order, name_rank
from graphoid.regression.mixed import MomentEngine, engine_of
from graphoid.scores.available import StepwiseTerms
from graphoid.scores.priors import GraphPrior, PairOdds, UniformPrior
from graphoid.settings import FrozenSettings
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.separation import members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.structure.graph import Edge
    from graphoid.structure.knowledge import KnownPairs

Family = tuple[int, int]
"""A variable and the mask of its blanket."""


def blanket_of(family: Family) -> Blanket:
    """Return a variable and its blanket as a tuple: of thousands of variables much smaller than a mask."""
    return family[0], tuple(members(family[1]))


def flip_member(blanket: tuple[int, ...], y: int) -> tuple[int, ...]:
    """Return a blanket with a variable more, or less where it is a member."""
    i = bisect_left(blanket, y)
    if i < len(blanket) and blanket[i] == y:
        return blanket[:i] + blanket[i + 1 :]
    return (*blanket[:i], y, *blanket[i:])


TERM_BYTES = 240
"""What a term takes that is kept: a key of two numbers and a short tuple, its value, and a place."""


class Score(FrozenSettings, ABC):
    """A number for a graph, in natural logarithms: the larger, the better the data speak for it.

    Holds settings only. :meth:`on` joins it to data.
    """

    prior: GraphPrior = UniformPrior()

    evidence_counts: float = 2.0
    """How often the evidence for one edge enters: twice where both its ends are scored on their own."""

    log_odds_share: ClassVar[float | None] = None
    """Of a gain, the share that the log odds of an edge are; None where gains are no evidence for edges."""

    @property
    def gains_are_odds(self) -> bool:
        """Whether gains, divided by how often they count the evidence, are log odds of edges as they are."""
        return False

    def statistic(
        self, evidence: NDArray[np.float64], information: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the likelihood ratio statistics of pairs from the evidence for them at both their ends.

        ``information``, a line a pair, is what the rows tell of each of its effects, at a guess.
        """
        found: NDArray[np.float64] = evidence + np.log1p(information).sum(axis=1)
        return found

    takes_numbers: ClassVar[bool] = False
    """Whether columns may be numbers without states; if not, their bins are counted."""

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
        if isinstance(data, Table) and not self.score.takes_numbers:
            data = with_states(data)
        self.engine = data if isinstance(data, CountEngine) else self.engine_of(data)
        self.table = data if isinstance(data, Table) and data.holes else None
        """The data, where cells are missing."""
        numbers = next((v.name for v in data.variables if v.continuous), None)
        if numbers is not None and not isinstance(self.engine, MomentEngine):
            raise DataError(
                f"{numbers!r} is continuous, and {type(self.engine).__name__} counts states. "
                f"Score the table itself, or read it with {setting('discretize', 'auto')}."
            )
        self.names = tuple(v.name for v in data.variables)
        self.n = len(self.names)
        self.order = name_order(self.names)
        """The variables in the order that decides between equals, which is not that of the columns."""
        self.arities = [v.arity for v in data.variables]
        self.known: KnownPairs | None = None
        self.adopt(self.score.prior)

    def engine_of(self, table: Table) -> CountEngine:
        """Return what counts a table for the score."""
        return engine_of(table) if self.score.takes_numbers else engine_for(table)

    def adopt(self, prior: GraphPrior) -> None:
        """Take a prior over graphs in the place of the score's own; terms stay as they are."""
        if not isinstance(prior, GraphPrior):
            raise SettingsError(f"prior must be UniformPrior(), SparsePrior() or EdgePrior(), not {prior!r}.")
        self.graph_prior = prior
        self.prior = PairOdds.of(prior.log_odds(self.names))
        if self.known is not None:
            self.prior = replace(self.prior, some={**self.prior.some, **self.known.log_odds})
        # what says everything twice must say the prior twice, too
        self.weight = self.prior.scale(self.score.evidence_counts)

    def believe(self, known: KnownPairs) -> None:
        """Take over what is known of pairs: their own log odds, and which of them no search may flip."""
        self.known = known
        self.adopt(self.graph_prior)

    def open_pairs(self, pairs: Iterable[Edge] | None = None) -> Iterable[Edge]:
        """Return those of some pairs, or of all, that may be joined or not."""
        pairs = combinations(range(self.n), 2) if pairs is None else pairs
        return pairs if self.known is None else (pair for pair in pairs if self.known.is_open(*pair))

    @property
    def n_open_pairs(self) -> int:
        """How many there are."""
        return self.n * (self.n - 1) // 2 - (0 if self.known is None else self.known.n_decided)

    def graph(self, edges: Iterable[Edge] = ()) -> UndirectedGraph:
        """Return the graph with these edges, and with what is known."""
        found = UndirectedGraph(self.names, edges)
        return found if self.known is None else self.known.impose(found)

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
        return self._value(graph) + math.fsum(self.weight[x, y] for x, y in graph.edges)

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
        gains = self._gains(graph, edges)
        weight = self.weights(edges)
        gains += np.where([y in graph.blankets[x] for x, y in edges], -weight, weight)
        return gains

    def weights(self, edges: Sequence[Edge]) -> NDArray[np.float64]:
        """Return what the prior adds to the score for each of some edges."""
        x, y = np.array(edges, dtype=np.int64).reshape(-1, 2).T
        return self.weight.at(x, y)

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
    def _value(self, graph: UndirectedGraph) -> float:
        """Return what the data say of a graph."""

    @abstractmethod
    def _gains(self, graph: UndirectedGraph, edges: Sequence[Edge]) -> NDArray[np.float64]:
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
    held: dict[Blanket, float] = field(default_factory=dict, init=False, repr=False)
    """Terms computed before, the oldest first; those of the last call of :meth:`prepare` are among them."""
    forgotten: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, dtype=np.int64), init=False, repr=False
    )
    """Hashes of the families, in order, whose terms were computed and let go: what a search does next may
    hang on which terms it knows, and must not hang on how much memory there is."""

    def __post_init__(self, data: object) -> None:
        super().__post_init__(data)
        limit = memory_limit()
        self.most_held = 2**63 if limit is None else limit // 4 // TERM_BYTES
        if self.table is not None:
            self.terms = StepwiseTerms(self.terms, self.table, self.engine_of)

    def local(self, x: int, mask: int) -> float:
        """Return the term of a variable and its blanket."""
        blanket = blanket_of((x, mask))
        held = self.held.get(blanket)
        if held is None:
            self.prepare_blankets([blanket])
            held = self.held[blanket]
        return held

    def prepare(self, families: Iterable[Family]) -> None:
        """Compute terms that are not held, all of them at once."""
        self.prepare_blankets(map(blanket_of, families))

    def prepare_blankets(self, blankets: Iterable[Blanket]) -> None:
        """Compute terms that are not held, all of them at once."""
        wanted = dict.fromkeys(blankets)
        missing = [blanket for blanket in wanted if blanket not in self.held]
        if not missing:
            return
        excess = len(self.held) + len(missing) - self.most_held
        if excess > 0:
            old = [blanket for blanket in self.held if blanket not in wanted]
            self._forget(old[: max(excess, len(old) // 2)])
        self.n_terms += len(missing) - sum(map(self._is_forgotten, missing))
        self.held.update(zip(missing, self.terms(self.engine, missing).tolist(), strict=True))

    def recall(self, blankets: Sequence[Blanket]) -> NDArray[np.float64]:
        """Return terms as far as they were ever computed; of others, not a number."""
        if len(self.forgotten):
            self.prepare_blankets([blanket for blanket in blankets if self._is_known(blanket)])
        return np.array([self.held.get(blanket, np.nan) for blanket in blankets])

    def holds(self, graph: UndirectedGraph, edge: Edge) -> bool:
        """Return whether the terms after flipping an edge were computed."""
        x, y = edge
        return all(self._is_known((a, flip_member(graph.blankets[a], b))) for a, b in ((x, y), (y, x)))

    def _is_known(self, blanket: Blanket) -> bool:
        return blanket in self.held or self._is_forgotten(blanket)

    def _is_forgotten(self, blanket: Blanket) -> bool:
        if not len(self.forgotten):
            return False
        at = int(np.searchsorted(self.forgotten, hash(blanket)))
        return at < len(self.forgotten) and int(self.forgotten[at]) == hash(blanket)

    def _forget(self, blankets: list[Blanket]) -> None:
        """Let go of some terms."""
        for blanket in blankets:
            del self.held[blanket]
        hashes = np.array([hash(blanket) for blanket in blankets], dtype=np.int64)
        self.forgotten = np.union1d(self.forgotten, hashes)

    def _value(self, graph: UndirectedGraph) -> float:
        blankets = list(enumerate(graph.blankets))
        self.prepare_blankets(blankets)
        return math.fsum(self.held[blanket] for blanket in blankets)

    def _gains(self, graph: UndirectedGraph, edges: Sequence[Edge]) -> NDArray[np.float64]:
        own = graph.blankets
        ends = [(a, own[a], flip_member(own[a], b)) for x, y in edges for a, b in ((x, y), (y, x))]
        self.prepare_blankets((x, blanket) for x, *both in ends for blanket in both)
        changes = [self.held[x, after] - self.held[x, before] for x, before, after in ends]
        return np.add(changes[::2], changes[1::2], dtype=np.float64)

    def _values(self, graphs: NDArray[np.int64]) -> NDArray[np.float64]:
        total = np.zeros(len(graphs))
        occurring = [np.unique(graphs[:, x]) for x in range(self.n)]
        self.prepare((x, int(mask)) for x in range(self.n) for mask in occurring[x])
        for x, masks in enumerate(occurring):
            terms = np.array([self.local(x, int(mask)) for mask in masks])
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
