"""Pairwise networks of nominal, ordered, continuous and count variables with known parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from graphoid.data.variables import KINDS, Kind
from graphoid.datasets.columns import numbers_column, states_column, table_of
from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.structure.graph import Edge, UndirectedGraph

    Matrix = NDArray[np.float64]

SWEEPS = 80
"""Of Gibbs sampling, each row by a chain of its own; these networks mix in a few."""

LARGEST_COUNT = 20
"""Counts are drawn from 0 to this: of a Poisson variable of rate 6, all but one in a million."""

LEAST_EIGENVALUE = 0.4
"""Of the precision matrix of the continuous variables: below it, they vary so much that chains get slow."""


@dataclass(frozen=True, eq=False)
class PairwiseNetwork:
    r"""A density over variables of several kinds, with a term for every variable and every edge.

    .. math:: \log p(x) = \sum_v \psi_v(x_v) + \sum_{uv \in E} \psi_{uv}(x_u, x_v) + \text{const}

    A continuous variable enters the terms of its edges linearly, and its own term is
    :math:`-k_v x_v^2 / 2`: given the discrete variables, the continuous ones are jointly Gaussian with one
    precision matrix (a homogeneous conditional Gaussian distribution, [Lauritzen1989]_; [Lee2015]_).
    Made by :func:`pairwise_mixed` and :func:`ordinal_field`.

    Parameters
    ----------
    graph
        The structure.
    kinds
        Of every variable.
    nodes
        For a discrete variable the log potential of each state; for a continuous one its precision
        :math:`k_v` alone.
    terms
        For every edge an array with an axis for either end, as long as it has states, one if continuous.
    name
        For the tables sampled.
    """

    graph: UndirectedGraph
    kinds: tuple[Kind, ...]
    nodes: tuple[Matrix, ...]
    terms: Mapping[Edge, Matrix]
    name: str = "pairwise network"

    def __post_init__(self) -> None:
        if not len(self.kinds) == len(self.nodes) == self.graph.n:
            raise SettingsError(
                f"the graph has {self.graph.n} variables; got {len(self.kinds)} kinds and {len(self.nodes)} "
                f"node terms."
            )
        for (x, y), term in self.terms.items():
            if term.shape != (len(self.nodes[x]), len(self.nodes[y])):
                expected = (len(self.nodes[x]), len(self.nodes[y]))
                raise SettingsError(f"the term of edge {(x, y)} has shape {term.shape}; expected {expected}.")
        precision = self.precision
        if precision.size and np.linalg.eigvalsh(precision)[0] <= 0:
            raise SettingsError(
                "the continuous variables have no density: their precision matrix is not positive definite. "
                "Make the terms of edges between them smaller."
            )

    @property
    def precision(self) -> Matrix:
        """Precision matrix of the continuous variables given the discrete ones."""
        members = [v for v, kind in enumerate(self.kinds) if kind == "continuous"]
        at = {v: k for k, v in enumerate(members)}
        matrix = np.diag([float(self.nodes[v][0]) for v in members])
        for (x, y), term in self.terms.items():
            if x in at and y in at:
                matrix[at[x], at[y]] = matrix[at[y], at[x]] = -term[0, 0]
        return matrix

    def sample(self, n: int, random_state: Generator | int | None = None, *, sweeps: int = SWEEPS) -> Table:
        """Return a table of ``n`` independent rows, each the end of a Gibbs chain of its own.

        Parameters
        ----------
        n
            How many rows.
        random_state
            Seed or generator; None for a different sample each time.
        sweeps
            Times that every variable is drawn given the others.
        """
        if n < 0:
            raise SettingsError(f"n is a number of rows and cannot be {n}.")
        rng = np.random.default_rng(random_state)
        drawn = self._chains(n, rng, sweeps)
        columns = [
            numbers_column(name, drawn[v])
            if kind == "continuous"
            else states_column(name, drawn[v].astype(np.intp), len(self.nodes[v]), kind)
            for v, (name, kind) in enumerate(zip(self.graph.names, self.kinds, strict=True))
        ]
        return table_of(columns, n, f"Gibbs sampling, {sweeps:,} sweeps a row", self.name)

    def _chains(self, n: int, rng: Generator, sweeps: int) -> list[Matrix]:
        """Return the last states of ``n`` chains, by variable."""
        neighbors: list[list[tuple[int, Matrix]]] = [[] for _ in self.kinds]
        for (x, y), term in self.terms.items():
            neighbors[x].append((y, term.T))
            neighbors[y].append((x, term))
        state = [
            rng.normal(size=n) if kind == "continuous" else rng.integers(len(node), size=n).astype(float)
            for kind, node in zip(self.kinds, self.nodes, strict=True)
        ]
        for _ in range(sweeps):
            for v, (kind, node) in enumerate(zip(self.kinds, self.nodes, strict=True)):
                eta = np.zeros((n, len(node)))
                for other, term in neighbors[v]:
                    if self.kinds[other] == "continuous":
                        eta += state[other][:, None] * term
                    else:
                        eta += term[state[other].astype(np.intp)]
                if kind == "continuous":
                    state[v] = eta[:, 0] / node[0] + rng.normal(size=n) / np.sqrt(node[0])
                else:
                    # the largest of the log potentials plus Gumbel noise is a draw from them
                    state[v] = (eta + node + rng.gumbel(size=eta.shape)).argmax(axis=1).astype(float)
        return state

    def __repr__(self) -> str:
        return f"<PairwiseNetwork {self.name!r}: {self.graph.n:,} variables, {self.graph.n_edges:,} edges>"


def ordinal_field(
    graph: UndirectedGraph, rng: Generator | int | None, *, weight: float = 0.25, n_states: int = 5
) -> PairwiseNetwork:
    r"""Return ordered variables whose edges have one parameter each.

    .. math:: \log P(x) = \sum_v \left(- \tfrac{1}{4} x_v^2 + \epsilon_v(x_v)\right)
              + \sum_{uv \in E} w_{uv} x_u x_v + \text{const}

    with :math:`x_v` the state less the middle one, :math:`\epsilon` normal with standard deviation .2, and
    :math:`w_{uv}` of random sign, ``weight`` times a number between .7 and 1.3.

    Examples
    --------
    >>> from graphoid import datasets
    >>> network = datasets.ordinal_field(datasets.random_graph(20, 3, rng=0), rng=0)
    >>> network.sample(300, random_state=1)
    <Table 'ordinal field': 300 rows x 20 variables>
    """
    rng = np.random.default_rng(rng)
    steps = np.arange(n_states) - (n_states - 1) / 2
    nodes = tuple(-0.25 * steps**2 + rng.normal(0, 0.2, n_states) for _ in range(graph.n))
    weights = weight * rng.uniform(0.7, 1.3, graph.n_edges) * rng.choice([-1, 1], graph.n_edges)
    terms = {e: w * np.outer(steps, steps) for e, w in zip(graph.edges, weights, strict=True)}
    kind: Kind = "ordered"
    return PairwiseNetwork(graph, (kind,) * graph.n, nodes, terms, "ordinal field")


def pairwise_mixed(
    graph: UndirectedGraph,
    kinds: Sequence[Kind],
    rng: Generator | int | None,
    *,
    n_states: int | Sequence[int] = (2, 3, 4, 5),
    weakest: float = 0.2,
    strongest: float = 0.4,
) -> PairwiseNetwork:
    r"""Return a network of several kinds of variables whose terms have sizes of the same scale.

    A term is :math:`w\, a^\top b`, with :math:`a` and :math:`b` the embeddings of its ends: the variable
    itself if continuous, the standardized score of an ordered variable, the standardized logarithm of a count
    plus one, and of a nominal variable any effects of its states, centered, with a mean square of one;
    between two nominal variables any doubly centered table of mean square :math:`w^2`. A network of nominal
    and continuous variables is a conditional Gaussian one.

    Parameters
    ----------
    graph
        The structure.
    kinds
        "nominal", "ordered", "continuous" or "count" for every variable.
    rng
        Seed or generator for the parameters.
    n_states
        Of nominal and ordered variables: a number, or several that are taken in turn.
    weakest, strongest
        Sizes :math:`|w|` are uniform between them, signs random.

    Examples
    --------
    >>> from graphoid import datasets
    >>> graph = datasets.random_graph(20, 3, rng=0)
    >>> network = datasets.pairwise_mixed(graph, ["nominal", "continuous"] * 10, rng=0)
    >>> network.sample(200, random_state=1)
    <Table 'pairwise network': 200 rows x 20 variables>

    Notes
    -----
    Where terms between continuous variables would leave them without a density, their precisions
    :math:`k_v`, else one, are all raised until the smallest eigenvalue is .4.
    """
    rng = np.random.default_rng(rng)
    if len(kinds) != graph.n or not set(kinds) <= set(KINDS):
        raise SettingsError(
            f"kinds must be {graph.n} of 'nominal', 'ordered', 'continuous', 'count'; got {kinds!r:.80}."
        )
    turn = [n_states] if isinstance(n_states, int) else list(n_states)
    discrete = [v for v, kind in enumerate(kinds) if kind in {"nominal", "ordered"}]
    arity = {v: turn[k % len(turn)] for k, v in enumerate(discrete)}
    nodes = [_node(kind, arity.get(v, 1), rng) for v, kind in enumerate(kinds)]
    terms = {
        (x, y): rng.choice([-1, 1]) * rng.uniform(weakest, strongest) * _term(nodes, kinds, x, y, rng)
        for x, y in graph.edges
    }
    precision = _precision_for(kinds, terms)
    nodes = [np.array([precision]) if kinds[v] == "continuous" else node for v, node in enumerate(nodes)]
    return PairwiseNetwork(graph, tuple(kinds), tuple(nodes), terms)


def _precision_for(kinds: Sequence[Kind], terms: Mapping[Edge, Matrix]) -> float:
    """Return the precision that continuous variables need for a density: one, or more."""
    between = np.zeros((len(kinds), len(kinds)))
    for (x, y), term in terms.items():
        if kinds[x] == kinds[y] == "continuous":
            between[x, y] = between[y, x] = -term[0, 0]
    # other variables have rows of zeros, and with them eigenvalues of zero, which ask for nothing
    return max(1.0, LEAST_EIGENVALUE - float(np.linalg.eigvalsh(between)[0])) if kinds else 1.0


def _node(kind: Kind, arity: int, rng: Generator) -> Matrix:
    """Return the log potential of the states of a variable; for a continuous one its precision."""
    if kind == "continuous":
        return np.ones(1)
    if kind == "count":
        values = np.arange(LARGEST_COUNT + 1)
        return np.asarray(values * np.log(rng.uniform(2, 6)) - gammaln(values + 1))  # a Poisson variable
    return rng.normal(0, 0.2, arity)


def _term(nodes: Sequence[Matrix], kinds: Sequence[Kind], x: int, y: int, rng: Generator) -> Matrix:
    """Return the log potential of an edge, of size one."""
    if kinds[x] == kinds[y] == "nominal":
        free = rng.normal(size=(len(nodes[x]), len(nodes[y])))
        free -= free.mean(axis=0)
        free -= free.mean(axis=1, keepdims=True)
        return np.asarray(free / np.sqrt((free**2).mean()))
    return np.outer(_embedding(nodes[x], kinds[x], rng), _embedding(nodes[y], kinds[y], rng))


def _embedding(node: Matrix, kind: Kind, rng: Generator) -> Matrix:
    """Return what a variable counts for in a term: one for a continuous one, else a score for each state."""
    if kind == "continuous":
        return np.ones(1)
    if kind == "nominal":
        effects = rng.normal(size=len(node))
        effects -= effects.mean()
        return np.asarray(effects / np.sqrt((effects**2).mean()))
    share = np.exp(node - node.max())
    share /= share.sum()
    # logarithms of counts: two that pull each other up would else run away to the largest
    score = np.log1p(np.arange(len(node))) if kind == "count" else np.arange(len(node))
    score = score - share @ score
    return np.asarray(score / np.sqrt(share @ score**2))
