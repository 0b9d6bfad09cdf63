"""How near a learned graph is to the true one, or to what data say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from graphoid.errors import DataError, SettingsError
from graphoid.structure import separation
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from graphoid.logic.source import IndependenceSource


@runtime_checkable
class HasGraph(Protocol):
    """A result with a graph in it, such as a ``LearnedStructure``."""

    @property
    def graph(self) -> UndirectedGraph:
        """The graph."""


@dataclass(frozen=True)
class Comparison:
    r"""The differences between a learned graph and the true one.

    With :math:`TP` edges in both, :math:`FP` learned only and :math:`FN` true only: precision
    :math:`TP/(TP+FP)`, recall :math:`TP/(TP+FN)`, F1 :math:`2TP/(2TP+FP+FN)`. Where nothing was learned no
    edge is wrong and precision is 1; where there is nothing to find recall is 1; F1 of two empty graphs is 1.
    """

    n: int
    """Number of variables."""
    true_positives: int
    false_positives: int
    """Edges learned that are not true."""
    false_negatives: int
    """True edges that were not learned."""
    extra: tuple[tuple[str, str], ...] = ()
    """The false positives, by name."""
    missing: tuple[tuple[str, str], ...] = ()
    """The false negatives, by name."""

    @property
    def hamming(self) -> int:
        """Number of pairs on which the graphs differ."""
        return self.false_positives + self.false_negatives

    @property
    def hamming_normalized(self) -> float:
        """Hamming distance divided by the number of pairs, n(n-1)/2."""
        pairs = self.n * (self.n - 1) // 2
        return self.hamming / pairs if pairs else 0.0

    @property
    def precision(self) -> float:
        """Share of the learned edges that are true."""
        learned = self.true_positives + self.false_positives
        return self.true_positives / learned if learned else 1.0

    @property
    def recall(self) -> float:
        """Share of the true edges that were learned."""
        true = self.true_positives + self.false_negatives
        return self.true_positives / true if true else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        ends = 2 * self.true_positives + self.hamming
        return 2 * self.true_positives / ends if ends else 1.0

    def __str__(self) -> str:
        return (
            f"{self.true_positives:,} edges right, {self.false_positives:,} too many, "
            f"{self.false_negatives:,} missing: precision {self.precision:.3f}, recall {self.recall:.3f}, "
            f"F1 {self.f1:.3f}"
        )


def compare(learned: UndirectedGraph | HasGraph, true: UndirectedGraph | HasGraph) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    learned, true
        Graphs, or results with a graph in them. Variables are matched by name; by position where one of the
        graphs has only numbers for names.

    Examples
    --------
    >>> from graphoid import UndirectedGraph, compare
    >>> result = compare(UndirectedGraph(4, [(0, 1), (1, 2)]), UndirectedGraph(4, [(0, 1), (2, 3)]))
    >>> result.hamming, result.precision, result.recall
    (2, 0.5, 0.5)
    """
    truth = graph_in(true)
    found = align(graph_in(learned), truth.names)
    names = truth.names
    only_found = sorted(set(found.edges) - set(truth.edges))
    only_true = sorted(set(truth.edges) - set(found.edges))
    return Comparison(
        n=truth.n,
        true_positives=found.n_edges - len(only_found),
        false_positives=len(only_found),
        false_negatives=len(only_true),
        extra=tuple((names[x], names[y]) for x, y in only_found),
        missing=tuple((names[x], names[y]) for x, y in only_true),
    )


def accuracy(
    graph: UndirectedGraph | HasGraph, ci: IndependenceSource, n_triplets: int, rng: Generator | int | None
) -> float:
    r"""Return the share of random questions on which separation in ``graph`` and ``ci`` agree.

    .. math:: \frac{1}{|T|} \left| \{t \in T : I_\text{graph}(t) = I_\text{ci}(t)\} \right|

    with :math:`T` a set of ``n_triplets`` questions (X, Y | Z), as many of each size
    :math:`|Z| = 0, \dots, n-2`, and X, Y and Z drawn at random ([Bromberg2009]_, section 5.2).

    Parameters
    ----------
    graph
        The graph, or a result with a graph in it; matched with ``ci`` as in :func:`compare`.
    ci
        What the graph is measured by: an oracle, or a test on data that the graph was not learned from.
    n_triplets
        Number of questions; the paper takes 10,000. What does not divide by n-1 goes to the smaller sizes.
    rng
        Generator, or a seed for one.
    """
    import numpy as np

    names = tuple(ci.names)
    measured = align(graph_in(graph), names)
    n = measured.n
    if n < 2:
        raise DataError(f"accuracy needs two variables to ask about; the graph has {n}.")
    if n_triplets < 1:
        raise SettingsError(f"n_triplets must be at least 1, not {n_triplets}.")
    rng = np.random.default_rng(rng)
    each, rest = divmod(n_triplets, n - 1)
    triplets = []
    for size in range(n - 1):
        for _ in range(each + (size < rest)):
            x, y, *given = rng.permutation(n)[: size + 2].tolist()
            triplets.append((x, y, tuple(sorted(given))))
    agreed = 0
    for (x, y, given), verdict in zip(triplets, ci.ask(triplets), strict=True):
        separated = separation.separated(measured.adjacency, x, y, separation.mask(given))
        agreed += separated == verdict.independent
    return agreed / n_triplets


def align(graph: UndirectedGraph, names: Sequence[str]) -> UndirectedGraph:
    """Return ``graph`` with its variables in the order of ``names``; raise if they are others."""
    if graph.names == tuple(names):
        return graph
    if set(graph.names) == set(names):
        place = {name: i for i, name in enumerate(names)}
        return UndirectedGraph(
            names, [(place[graph.names[x]], place[graph.names[y]]) for x, y in graph.edges]
        )
    numbers = tuple(map(str, range(len(names))))
    if graph.n == len(names) and numbers in (graph.names, tuple(names)):
        return UndirectedGraph(names, graph.edges)
    if graph.n != len(names):
        raise DataError(f"a graph of {graph.n:,} variables cannot be compared with {len(names):,} variables.")
    odd = next(name for name in graph.names if name not in set(names))
    raise DataError(f"the variables are not the same: {odd!r} is in one graph only. Rename them alike.")


def graph_in(of: UndirectedGraph | HasGraph) -> UndirectedGraph:
    """Return a graph, or that of a result."""
    graph = of.graph if isinstance(of, HasGraph) else of
    if not isinstance(graph, UndirectedGraph):
        raise DataError(f"expected an UndirectedGraph or a result with one, not {type(of).__name__}.")
    return graph
