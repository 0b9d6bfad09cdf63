"""Rows needed to find Ising networks without an error, by the protocol of [Lokhov2018]_ and [Chen2023]_."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from graphoid.datasets.graphs import grid_graph, regular_graph
from graphoid.datasets.networks import ising
from graphoid.experiments.recovery import (
    OURS,
    Network,
    Recovery,
    all_edges,
    by_graph,
    recommended_graph,
    robust_graph,
    strong_pairs,
)
from graphoid.experiments.spins import Spins, couplings, l0_neighbors, l1_neighbors, refit
from graphoid.models.factors import MAX_ENUMERATED
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.datasets.networks import BinaryNetwork
    from graphoid.experiments.experiment import Run
    from graphoid.experiments.recovery import Method
    from graphoid.experiments.spins import Objective
    from graphoid.structure.graph import Edge


class Spec(NamedTuple):
    """An Ising network: all couplings have one size."""

    shape: str
    """``"regular"``, every spin with so many neighbors, or ``"grid"``."""
    n: int
    degree: int
    coupling: float
    signs: bool = False
    """Whether couplings are negative as often as positive."""

    @property
    def name(self) -> str:
        """Return its name in the table."""
        shape = (
            f"regular, {self.n} of degree {self.degree}" if self.shape == "regular" else f"grid of {self.n}"
        )
        return f"{shape}, {'±' if self.signs else ''}{self.coupling:g}"

    def network(self, run: Run) -> BinaryNetwork:
        """Return the network; its graph and signs are the same in all data sets."""
        rng = run.stream(*self.name.encode())
        regular = self.shape == "regular"
        graph = regular_graph(self.n, self.degree, rng) if regular else grid_graph(round(self.n**0.5))
        return ising(graph, [self.coupling * (rng.choice((-1, 1)) if self.signs else 1) for _ in graph.edges])


STRENGTH = 2.8
"""The largest coupling of a regular graph times its degree, as in [Chen2023]_."""

REGULAR = [
    Spec("regular", 16, degree, coupling)
    for degree, sizes in {3: (0.2, 0.4, 0.7), 6: (0.2, 0.3), 9: (0.2,), 12: (0.2,)}.items()
    for coupling in (*sizes, round(STRENGTH / degree, 3))
]
GRIDS = [Spec("grid", side**2, 4, 0.4) for side in (3, 4, 5, 7, 10)]
STRONG = [Spec("regular", 16, 3, 1.2, signs=True), Spec("grid", 16, 4, 1.2, signs=True)]


def _sample(network: BinaryNetwork, n: int, rng: Generator) -> Table:
    """Return independent rows, from all joint states or by a junction tree."""
    source = network if network.graph.n <= MAX_ENUMERATED else network.to_markov_network()
    return source.sample(n, rng)


def _by_penalty(objective: Objective) -> Method:
    """Return the method that judges by penalized estimates of all couplings."""

    def edges(table: Table, least: float) -> list[Edge]:
        return strong_pairs(couplings(Spins.of(table), objective), least)

    return edges


def _refit(table: Table, graph: UndirectedGraph) -> NDArray[np.float64]:
    return refit(Spins.of(table), [graph.blanket(x) for x in range(graph.n)])


def _by_neighbors(neighbors: Callable[[Spins], Sequence[Sequence[int]]]) -> Method:
    """Return the method that joins what either end wants."""

    def graph(table: Table) -> UndirectedGraph:
        return UndirectedGraph.from_blankets(dict(enumerate(neighbors(Spins.of(table)))), table.names)

    return by_graph(graph, _refit)


@dataclass(frozen=True, kw_only=True)
class IsingRecovery(Recovery):
    """Regular graphs, grids and strong couplings, by eight methods."""

    NAME = "ising-recovery"
    TITLE = "Rows needed to find an Ising network in 45 of 45 data sets"
    METHODS: ClassVar[Mapping[str, Method]] = {
        OURS: by_graph(recommended_graph, _refit),
        f"{OURS}, all edges": all_edges,
        "RobustGSMN": by_graph(robust_graph, _refit),
        "RISE": _by_penalty("RISE"),
        "logRISE": _by_penalty("logRISE"),
        "RPLE": _by_penalty("RPLE"),
        "l1 logistic": _by_neighbors(l1_neighbors),
        "l0 logistic": _by_neighbors(l0_neighbors),
    }

    specs: tuple[Spec, ...] = (*REGULAR, *GRIDS, *STRONG)
    """The networks."""

    def networks(self, run: Run) -> Mapping[str, Network]:
        """Return the networks by name."""
        found = {}
        for spec in self.specs:
            network = spec.network(run)
            found[spec.name] = Network(network.graph, partial(_sample, network), spec.coupling / 2)
        return found

    def about(self) -> str:
        """Return what the methods are."""
        return """All couplings of a network have one size, the last number of its name, and with ± a random
            sign; there are no fields. RISE, logRISE and RPLE have the penalties of their paper, and judge by
            their own estimates. The others choose a graph first, and judge by estimates without a penalty
            given that graph: l1 logistic regressions by the extended BIC, l0 ones by splicing."""
