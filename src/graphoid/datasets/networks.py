"""Markov networks of binary variables with known parameters, to sample from."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from graphoid.data.table import Table
from graphoid.data.variables import Variable
from graphoid.errors import SettingsError
from graphoid.models.factors import MAX_ENUMERATED, Factor, check_factors, draw_from_joint, joint
from graphoid.models.gibbs import GibbsSampler
from graphoid.models.network import MarkovNetwork

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from graphoid.structure.graph import UndirectedGraph

PerEdge = float | Sequence[float] | Mapping[tuple[int | str, int | str], float] | Callable[[Generator], float]
"""A number for every edge: one for all, one each in the order of ``graph.edges``, by edge, or drawn."""

_SIGNS = np.array([[1.0, -1.0], [-1.0, 1.0]])  # the product of two spins, by their codes


@dataclass(frozen=True, eq=False)
class BinaryNetwork:
    """A Markov network of binary variables: a graph, and factors whose members are joined in it.

    Made by :func:`pairwise_binary`, :func:`ising` and :func:`random_cliques`.

    Parameters
    ----------
    graph
        The structure.
    factors
        What is multiplied and normalized to give the distribution.
    name
        For the tables sampled.
    """

    graph: UndirectedGraph
    factors: tuple[Factor, ...]
    name: str = "network"

    def __post_init__(self) -> None:
        check_factors(self.graph.n, self.factors)

    def sample(
        self, n: int, random_state: Generator | int | None = None, *, sampler: GibbsSampler | None = None
    ) -> Table:
        """Return a table of ``n`` rows with states 0 and 1.

        Parameters are those of :meth:`graphoid.MarkovNetwork.sample`. Without a sampler, rows are independent
        draws from all joint states where there are at most 16 variables, and otherwise come from a
        :class:`~graphoid.models.gibbs.GibbsSampler` as it is.
        """
        if n < 0:
            raise SettingsError(f"n is a number of rows and cannot be {n}.")
        rng = np.random.default_rng(random_state)
        if sampler is None and self.graph.n <= MAX_ENUMERATED:
            codes, how = draw_from_joint(self.probabilities, n, rng), "independent rows"
        else:
            chosen = sampler or GibbsSampler()
            codes = chosen.draw(self.graph.n, self.factors, n, rng)
            how = f"Gibbs sampling, {chosen.burn_in:,} sweeps burn-in, every {chosen.thin:,}th sweep kept"
        return Table(self.variables, tuple(codes), n, notes=(f"simulated: {how}",), name=self.name)

    def to_markov_network(self) -> MarkovNetwork:
        """Return the same distribution as a model to query, compare and save."""
        return MarkovNetwork(self.variables, factors=self.factors, provenance={"network": self.name})

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the graph, each with the states 0 and 1."""
        return tuple(Variable(name, (0, 1)) for name in self.graph.names)

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of every joint state, one axis of two for each variable; up to 16 variables."""
        return joint(self.graph.n, self.factors)

    def __repr__(self) -> str:
        return f"<BinaryNetwork {self.name!r}: {self.graph.n:,} variables, {self.graph.n_edges:,} edges>"


def pairwise_binary(
    graph: UndirectedGraph, theta: PerEdge, rng: Generator | int | None = None
) -> BinaryNetwork:
    r"""Return a binary network whose edges all have log-odds ratio ``theta``.

    .. math:: \log P(v) = \sum_{x \in V} \lambda_x v_x
              + \frac{\theta}{4} \sum_{xy \in E} (2 v_x - 1)(2 v_y - 1) + \text{const},
              \qquad v_x \in \{0, 1\}

    so that the potential of an edge has :math:`\log \phi(0,0) \phi(1,1) / \phi(0,1) \phi(1,0) = \theta`,
    which is also the log-odds ratio of the two variables given all others.

    Parameters
    ----------
    graph
        The structure.
    theta
        :math:`\theta`: a number; one for each of ``graph.edges``; by edge; or a function that draws it from
        the generator.
    rng
        Where the log-odds :math:`\lambda_x` of the node potentials come from, uniform on (-1, 1). None leaves
        the node potentials even (:math:`\lambda_x = 0`), and nothing is random.

    Examples
    --------
    >>> from graphoid import datasets
    >>> network = datasets.pairwise_binary(datasets.random_graph(50, 2, rng=0), theta=1.5, rng=1)
    >>> network.sample(1000, random_state=2)
    <Table 'pairwise binary, theta 1.5': 1,000 rows x 50 variables>

    Notes
    -----
    [Bromberg2009]_, section 5.1.2, generates "parameters randomly so that the log-odds ratio between every
    pair of variables connected by an edge has a specified value" and says no more. Read here as: the ratio of
    the edge's potential, because that of the margins also depends on all other paths. The range of the node
    potentials is our choice: alone, a variable is 1 with a probability between .27 and .73.

    All edges pull the same way, so dense networks freeze: for 50 variables of average degree 8 and ``theta``
    1, or degree 4 and ``theta`` 2, nearly all variables agree in a row, and a chain of the Gibbs sampler does
    not go from mostly 0 to mostly 1 within a thousand sweeps (see the notes of
    :class:`~graphoid.models.gibbs.GibbsSampler`). Networks of average degree 1 and 2 mix in a few sweeps.

    See Also
    --------
    ising : the same family with spins and couplings; :math:`\theta = 4J`.
    """
    draw = np.random.default_rng(rng)
    values = _per_edge(graph, theta, draw, "theta")
    nodes = np.zeros(graph.n) if rng is None else draw.uniform(-1.0, 1.0, graph.n)
    # the potential of a spin is exp(h s): its log-odds are 2 h
    return BinaryNetwork(
        graph, _spin_factors(graph, values / 4, nodes / 2), f"pairwise binary, {_range('theta', values)}"
    )


def ising(
    graph: UndirectedGraph,
    couplings: PerEdge,
    fields: float | ArrayLike | None = None,
    rng: Generator | int | None = None,
) -> BinaryNetwork:
    r"""Return an Ising model.

    .. math:: \log P(s) = \sum_{x \in V} h_x s_x + \sum_{xy \in E} J_{xy} s_x s_y + \text{const},
              \qquad s_x \in \{-1, +1\}

    Tables sampled from it have 0 for spin -1 and 1 for +1. The log-odds ratio of an edge is
    :math:`\theta = 4J` (:func:`pairwise_binary`), because the four states of two spins have
    :math:`\log \phi = J, -J, -J, J`.

    Parameters
    ----------
    graph
        The structure.
    couplings
        :math:`J`: a number; one for each of ``graph.edges``; by edge; or a function that draws it from the
        generator.
    fields
        :math:`h`: a number or one for each variable; None is no field.
    rng
        Seed or generator for drawn couplings; None for different ones each time.

    Examples
    --------
    Couplings between .3 and .6 of random sign:

    >>> from graphoid import datasets
    >>> graph = datasets.random_graph(75, 3, rng=0)
    >>> model = datasets.ising(graph, lambda rng: rng.choice([-1, 1]) * rng.uniform(0.3, 0.6), rng=1)
    >>> model.sample(300, random_state=2).n_rows
    300
    """
    values = _per_edge(graph, couplings, np.random.default_rng(rng), "couplings")
    try:
        h = np.broadcast_to(np.asarray(0.0 if fields is None else fields, dtype=float), graph.n)
    except ValueError:
        raise SettingsError(f"fields must be a number or {graph.n} numbers; got {fields!r}.") from None
    return BinaryNetwork(graph, _spin_factors(graph, values, h), f"Ising, {_range('J', values)}")


def _spin_factors(
    graph: UndirectedGraph, couplings: NDArray[np.float64], fields: NDArray[np.float64]
) -> tuple[Factor, ...]:
    nodes = [Factor((x,), np.array([-h, h])) for x, h in enumerate(fields)]
    return (*nodes, *(Factor(edge, j * _SIGNS) for edge, j in zip(graph.edges, couplings, strict=True)))


def _per_edge(graph: UndirectedGraph, value: PerEdge, rng: Generator, name: str) -> NDArray[np.float64]:
    """Return a number for every edge, in the order of ``graph.edges``."""
    if callable(value):
        value = [value(rng) for _ in graph.edges]
    elif isinstance(value, Mapping):
        given: dict[tuple[int, int], float] = {}
        for (u, v), number in value.items():
            x, y = sorted((graph.position(u), graph.position(v)))
            given[x, y] = number
        if set(given) != set(graph.edges):
            wrong = min(set(given) ^ set(graph.edges))
            missing = "not given" if wrong in graph.edges else "given, and no edge"
            raise SettingsError(f"{name} must have one entry for each edge; {wrong} is {missing}.")
        value = [given[edge] for edge in graph.edges]
    try:
        numbers = np.broadcast_to(np.asarray(value, dtype=float), graph.n_edges)
    except (TypeError, ValueError):
        raise SettingsError(
            f"{name} must be a number, one for each of the {graph.n_edges} edges, a mapping from edges, "
            f"or a function of a generator; got {value!r:.80}."
        ) from None
    if not np.isfinite(numbers).all():
        raise SettingsError(f"{name} must be finite; got {numbers[~np.isfinite(numbers)][0]}.")
    return numbers


def _range(name: str, values: NDArray[np.float64]) -> str:
    """Return a few words on the strengths, for the name of a table."""
    if not values.size:
        return "no edges"
    least, most = float(np.abs(values).min()), float(np.abs(values).max())
    if math.isclose(least, most):
        sign = "" if (values >= 0).all() else "-" if (values <= 0).all() else "±"
        return f"{name} {sign}{least:g}"
    return f"|{name}| {least:.2g} to {most:.2g}"
