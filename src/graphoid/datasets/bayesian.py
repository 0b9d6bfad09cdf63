"""Bayesian networks with known tables, to sample from; their moral graph is what is to be learned."""

from __future__ import annotations

import graphlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.table import Codes, Table
from graphoid.data.variables import NamedVariables, Variable
from graphoid.errors import DataError, SettingsError
from graphoid.models.factors import Factor
from graphoid.models.network import MarkovNetwork
from graphoid.structure.moral import moral_graph

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.structure.graph import UndirectedGraph


@dataclass(frozen=True, eq=False)
class BayesianNetwork(NamedVariables):
    """Discrete variables, their parents, and a table of conditional probabilities for each.

    Made by :func:`~graphoid.datasets.bayesian_network`.

    Parameters
    ----------
    variables
        In the order of the source.
    parents
        For every variable the positions of its parents.
    tables
        For every variable the probabilities of its states: an axis for each parent in order, and the last
        axis for the variable itself.
    name
        For the tables sampled.
    """

    variables: tuple[Variable, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[NDArray[np.float64], ...]
    name: str = "network"

    def __post_init__(self) -> None:
        _ = self.order  # raises if the arcs go round
        for v, known, table in zip(self.variables, self.parents, self.tables, strict=True):
            expected = (*(self.variables[u].arity for u in known), v.arity)
            if table.shape != expected:
                raise DataError(f"the table of {v.name!r} has shape {table.shape}; expected {expected}.")

    @property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        """Pairs (parent, child) of positions, by child."""
        return tuple((u, v) for v, known in enumerate(self.parents) for u in known)

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: a table's configurations of the parents times the states but one."""
        return sum(math.prod(table.shape[:-1]) * (table.shape[-1] - 1) for table in self.tables)

    @cached_property
    def graph(self) -> UndirectedGraph:
        """The moral graph: what a learner of Markov networks should find."""
        return moral_graph(self.names, self.parents)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Positions with parents before children."""
        arcs = graphlib.TopologicalSorter({v: sorted(known) for v, known in enumerate(self.parents)})
        try:
            return tuple(arcs.static_order())
        except graphlib.CycleError as error:
            circle = " -> ".join(self.variables[v].name for v in error.args[1])
            raise DataError(f"the arcs go round in a circle: {circle}.") from None

    def sample(self, n: int, random_state: Generator | int | None = None) -> Table:
        """Return a table of ``n`` independent rows, each variable drawn given its parents.

        Parameters
        ----------
        n
            How many rows.
        random_state
            Seed or generator; None for a different sample each time.
        """
        if n < 0:
            raise SettingsError(f"n is a number of rows and cannot be {n}.")
        rng = np.random.default_rng(random_state)
        columns: dict[int, Codes] = {}
        for v in self.order:
            columns[v] = self._draw(v, rng.random(n), columns)
        ordered = tuple(columns[v] for v in range(len(self.variables)))
        return Table(self.variables, ordered, n, notes=("simulated: independent rows",), name=self.name)

    def to_markov_network(self) -> MarkovNetwork:
        """Return the same distribution as a Markov network, with a factor for every table."""
        with np.errstate(divide="ignore"):  # what cannot occur has a log-probability of minus infinity
            factors = tuple(
                Factor((*known, v), np.log(table))
                for v, (known, table) in enumerate(zip(self.parents, self.tables, strict=True))
            )
        return MarkovNetwork(self.variables, factors=factors, provenance={"network": self.name})

    def _draw(self, v: int, u: NDArray[np.float64], columns: dict[int, Codes]) -> Codes:
        """Return the codes of a variable: how many of its cumulative probabilities each ``u`` has reached."""
        at = np.zeros(len(u), dtype=np.intp)
        for parent in self.parents[v]:
            at *= self.variables[parent].arity
            at += columns[parent]
        arity = self.variables[v].arity
        codes = np.zeros(len(u), dtype=np.uint16)
        for level in self._cumulative[v]:
            codes += u >= level[at]
        return codes.astype(np.uint8) if arity <= 256 else codes

    @cached_property
    def _cumulative(self) -> tuple[NDArray[np.float64], ...]:
        """For every variable and every state but the last, the cumulative probability by parents' states."""
        levels = []
        for table in self.tables:
            flat = table.reshape(-1, table.shape[-1])
            cumulative = np.cumsum(flat, axis=1)
            # after the last state that can occur, rounding must leave no room for one that cannot
            cumulative[np.cumsum(flat[:, ::-1], axis=1)[:, ::-1] - flat <= 0] = 1.0
            levels.append(np.ascontiguousarray(cumulative[:, :-1].T))
        return tuple(levels)

    def __repr__(self) -> str:
        return f"<BayesianNetwork {self.name!r}: {len(self.variables):,} variables, {len(self.arcs):,} arcs>"
