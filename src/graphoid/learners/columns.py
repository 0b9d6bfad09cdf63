"""Constant columns say nothing: no learner sees one, and its result has them again, without an edge.

So the others are learned as if they were alone: a constant takes no part in the number of pairs that a rate
of false discoveries counts, in a prior, in a score, in a price or in the course of a random search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphoid.logic.assertion import Assertion
from graphoid.logic.trace import Trace
from graphoid.logic.verdict import Fact, Verdict
from graphoid.scores.priors import GraphPrior, PairOdds, SparsePrior, UniformPrior
from graphoid.structure.contexts import CanonicalModel
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.structure.learned import LearnedStructure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphoid.data.table import Table
    from graphoid.progress import Listener, Step
    from graphoid.structure.knowledge import KnownPairs

Structure = TypeVar("Structure", LearnedStructure, CanonicalModel)
_T = TypeVar("_T")


@dataclass(frozen=True)
class Columns:
    """Those columns of a table that vary, which is all that a learner sees."""

    whole: Table

    @cached_property
    def at(self) -> tuple[int, ...]:
        """The place of each in the whole table."""
        return tuple(map(self.whole.position, self.whole.varying.names))

    # what a user gives by position of the whole table

    def restrict_graph(self, graph: UndirectedGraph) -> UndirectedGraph:
        """Return a graph of the whole table as one of what is seen."""
        if graph.n != len(self.whole.names):
            return graph  # a misfit, and refused as such
        place = self._place
        edges = [(place[x], place[y]) for x, y in graph.edges if x in place and y in place]
        return UndirectedGraph(self.whole.varying.names, edges)

    def restrict_verdicts(self, verdicts: Iterable[Verdict]) -> list[Verdict]:
        """Return the answers that are about what is seen alone."""
        place = self._place
        return [_renumber(v, place) for v in verdicts if place.keys() >= {v.x, v.y, *v.given}]

    def restrict_prior(self, prior: GraphPrior) -> GraphPrior:
        """Return a prior over graphs of what is seen; one that names edges knows them in the whole table."""
        if isinstance(prior, (UniformPrior, SparsePrior)) or not isinstance(prior, GraphPrior):
            return prior
        return RestrictedPrior(prior, self)

    def restrict_price(self, price: Callable[[Assertion], float]) -> Callable[[Assertion], float]:
        """Return the price of a test of what is seen, by that of one in the whole table."""
        at = self.at
        return lambda a: price(Assertion(at[a.x], at[a.y], tuple(at[z] for z in a.given)))

    # what a learner finds by position of what is seen

    def listener(self, progress: Listener | None) -> Listener | None:
        """Return who hears of a run on what is seen as if it were one on the whole table."""
        if progress is None:
            return None
        trace = Trace()

        def listen(step: Step) -> None:
            so_far = step.so_far
            if isinstance(so_far, UndirectedGraph):
                so_far = self._spread_graph(so_far)
            elif isinstance(so_far, Trace):
                for v in so_far[len(trace) :]:
                    trace.append(_renumber(v, self.at))
                so_far = trace
            progress(step._replace(so_far=so_far))

        return listen

    def spread(self, found: Structure, known: KnownPairs | None = None) -> Structure:
        """Return a result about the whole table, which says what is constant there.

        An edge that is known to be there is there, also of a constant.
        """
        constant = [self.whole.names[i] for i in self.whole.constants]
        settings = {**found.settings, "constant": constant}
        if isinstance(found, CanonicalModel):
            assignments = np.empty((len(found.assignments), len(self.whole.names)), dtype=np.uint16)
            for i, code in self.whole.constants.items():
                assignments[:, i] = code
            assignments[:, self.at] = found.assignments
            return replace(
                found,
                names=self.whole.names,
                states=tuple(v.states for v in self.whole.variables),
                assignments=assignments,
                graphs=tuple(self._spread_graph(graph, known) for graph in found.graphs),
                settings=settings,
            )
        scored, details = found.scored, dict(found.details)
        if scored is not None:
            scored = replace(
                scored,
                gains=self._spread_pairs(scored.gains),
                path=tuple(move._replace(x=self.at[move.x], y=self.at[move.y]) for move in scored.path),
                prior_log_odds=self._spread_pairs(scored.prior_log_odds),
            )
        if isinstance(test := details.get("next_test"), dict):
            given = [self.at[z] for z in test["given"]]
            details["next_test"] = {**test, "x": self.at[test["x"]], "y": self.at[test["y"]], "given": given}
        return replace(
            found,
            graph=self._spread_graph(found.graph, known),
            trace=tuple(_renumber(v, self.at) for v in found.trace),
            scored=scored,
            edge_probabilities=self._spread_pairs(found.edge_probabilities),
            underpowered=frozenset((self.at[x], self.at[y]) for x, y in found.underpowered),
            settings=settings,
            details=details,
        )

    @cached_property
    def _place(self) -> dict[int, int]:
        return {i: place for place, i in enumerate(self.at)}

    def _spread_graph(self, graph: UndirectedGraph, known: KnownPairs | None = None) -> UndirectedGraph:
        whole = UndirectedGraph(self.whole.names, [(self.at[x], self.at[y]) for x, y in graph.edges])
        return whole if known is None else known.impose(whole)

    def _spread_pairs(self, pairs: Mapping[Edge, _T]) -> dict[Edge, _T]:
        return {(self.at[x], self.at[y]): value for (x, y), value in pairs.items()}


@dataclass(frozen=True)
class RestrictedPrior:
    """A prior over graphs of a table, of which some columns are seen."""

    prior: GraphPrior
    columns: Columns

    def log_odds(self, names: Sequence[str]) -> PairOdds:  # noqa: ARG002 - those of the columns
        """Return the log odds of the edges between what is seen."""
        return PairOdds.of(self.prior.log_odds(self.columns.whole.names)).restrict(self.columns.at)


def _renumber(v: Verdict, at: Sequence[int] | Mapping[int, int]) -> Verdict:
    """Return a verdict with other positions for its variables."""
    because = tuple(
        Fact.of(at[f.x], at[f.y], [at[z] for z in f.given], independent=f.independent) for f in v.because
    )
    return v._replace(x=at[v.x], y=at[v.y], given=tuple([at[z] for z in v.given]), because=because)
