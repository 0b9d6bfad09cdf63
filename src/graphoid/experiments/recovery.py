"""How many rows it takes to find a graph without an error, again and again ([Lokhov2018]_)."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from graphoid.errors import SettingsError
from graphoid.experiments.experiment import ParallelExperiment, Run
from graphoid.experiments.results import Plot, Row, columns
from graphoid.learners.grow_shrink.robust import RobustGSMN
from graphoid.learners.recommended import learn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.structure.graph import Edge, UndirectedGraph

    Method = Callable[[Table, float], Collection[Edge]]

OURS = "gd.learn"


class Network(NamedTuple):
    """What is to be found, and where its rows come from."""

    graph: UndirectedGraph
    sample: Callable[[int, Generator], Table]
    """From a number of rows and a random stream to a table."""
    least: float
    """Half of the size of the weakest edge: what is weaker than that is no edge, for every method."""


def strong_pairs(sizes: NDArray[np.float64], least: float) -> list[Edge]:
    """Return the pairs whose size is above a limit."""
    return [(int(x), int(y)) for x, y in np.argwhere(np.triu(np.abs(sizes) > least, 1))]


def by_graph(
    graph: Callable[[Table], UndirectedGraph], refit: Callable[[Table, UndirectedGraph], NDArray[np.float64]]
) -> Method:
    """Return the method that learns a graph, estimates its edges anew, and drops what is weak."""

    def edges(table: Table, least: float) -> list[Edge]:
        return strong_pairs(refit(table, graph(table)), least)

    return edges


def recommended_graph(table: Table) -> UndirectedGraph:
    """Return the graph of the learner that we recommend."""
    return learn(table, random_state=0).graph


def robust_graph(table: Table) -> UndirectedGraph:
    """Return the graph of the robust learner."""
    return RobustGSMN().fit(table).structure_.graph


def all_edges(table: Table, _: float) -> Collection[Edge]:
    """Return the edges that we recommend to those who do not know how strong edges are."""
    return recommended_graph(table).edges


@dataclass(frozen=True, kw_only=True)
class Recovery(ParallelExperiment):
    """The smallest number of rows from which a method finds the graph in every one of 45 data sets."""

    COLUMNS = columns("network, method, rows needed, right there:0, verdict")
    PLOT = Plot("network", {"rows needed": ("rows needed",)}, lines="method", log=True)
    METHODS: ClassVar[Mapping[str, Method]]
    """By name: from a table, and half of the size of the weakest edge, to the edges."""
    STRIDE: ClassVar = 4
    """Steps taken at once until all graphs are found; those between come after."""
    TOO_FEW: ClassVar = 5
    """Data sets that one method gets right and another one wrong, from which on the difference is more than
    two standard errors: of k such sets, all for the one, it is k, and its standard error sqrt(k)."""

    repetitions: int = 45
    """Data sets in a row that are to be right."""
    steps: int = 10
    """Numbers of rows that are tried are powers of ten to so many parts: 10 is steps of 26 %."""
    fewest_rows: int = 50
    most_rows: int = 200_000
    methods: tuple[str, ...] = ()
    """Which methods, by name; all if there are none."""

    def notes(self, run: Run) -> str:
        """Return how to read the table."""
        return f"""Rows needed: the smallest number on a grid of {self.steps} steps a decade at which the
            graph is found without an error in {self.repetitions} of {self.repetitions} data sets of
            independent rows; the network is the same in all of them. The number is raised {self.STRIDE} steps
            at a time, and then halved; {self.most_rows:,} is the last. Seed {run.seed}.

            All methods are told half of the size of an edge, as in the protocol: what is weaker is none.
            "gd.learn, all edges" is not: it has to be right about every pair by itself, as in all other use.

            Right there: data sets in which a method finds the graph with the fewest rows that any needs. A
            method needs more if it takes at least two steps more and is wrong there in {self.TOO_FEW} data
            sets or more, which is beyond two standard errors; otherwise the difference may be chance.

            {self.about()}"""

    @abstractmethod
    def about(self) -> str:
        """Return a note on networks and methods."""

    @abstractmethod
    def networks(self, run: Run) -> Mapping[str, Network]:
        """Return what is to be found, by name, in the order of the table."""

    def rows(self, run: Run) -> Iterable[Row]:
        """Look for the rows that each method needs; then see how the others do with the fewest of them."""
        names, who = list(self.networks(run)), self.methods or tuple(self.METHODS)
        if unknown := [name for name in who if name not in self.METHODS]:
            raise SettingsError(f"no method is named {unknown[0]!r}; there are {', '.join(self.METHODS)}.")
        parts = [(name, method) for name in names for method in who]
        needed = dict(zip(parts, self.map(self._rows_needed, parts, "rows needed", run), strict=True))
        fewest = {name: min(needed[name, method] for method in who) for name in names}
        counted = [(name, method, fewest[name]) for name, method in parts if fewest[name] < math.inf]
        right = dict(zip(counted, self.map(self._right, counted, "data sets", run), strict=True))
        for name, method in parts:
            rows, of = needed[name, method], right.get((name, method, fewest[name]))
            yield (
                name,
                method,
                None if rows == math.inf else int(rows),
                of,
                self._verdict(rows, fewest[name], of),
            )

    def _verdict(self, rows: float, fewest: float, right: int | None) -> str:
        """Return how a method does beside the one that needs the fewest rows."""
        if rows < math.inf and rows <= fewest * 10 ** (1.01 / self.steps):
            return "fewest" if rows == fewest else "a step more"
        more = "more" if rows < math.inf else "more than were tried"
        chance = right is not None and self.repetitions - right < self.TOO_FEW
        return f"{more}, within two standard errors" if chance else more

    def _rows_needed(self, run: Run, part: tuple[str, str]) -> float:
        """Return the smallest number of rows with which every graph is found; infinity if none is."""
        name, method = part
        network = self.networks(run)[name]

        def enough(step: int) -> bool:
            return all(
                self._finds(run, name, network, method, self._grid(step), i) for i in range(self.repetitions)
            )

        low, high = self._step(self.fewest_rows) - 1, self._step(self.fewest_rows)
        while not enough(high):
            low, high = high, high + self.STRIDE
            if low >= self._step(self.most_rows):
                return math.inf
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return self._grid(high)

    def _right(self, run: Run, part: tuple[str, str, float]) -> int:
        """Return in how many data sets a method finds the graph."""
        name, method, rows = part
        network = self.networks(run)[name]
        return sum(self._finds(run, name, network, method, int(rows), i) for i in range(self.repetitions))

    def _finds(self, run: Run, name: str, network: Network, method: str, rows: int, i: int) -> bool:
        table = network.sample(rows, run.stream(*name.encode(), rows, i))
        return {*self.METHODS[method](table, network.least)} == {*network.graph.edges}

    def _grid(self, step: int) -> int:
        return round(10 ** (step / self.steps))

    def _step(self, rows: int) -> int:
        return round(math.log10(rows) * self.steps)

    def remarks(self, rows: Sequence[Row]) -> Sequence[str]:
        """Return where the learner that we recommend stands."""
        verdicts = {(str(name), str(method)): str(verdict) for name, method, *_, verdict in rows}
        names = list(dict.fromkeys(name for name, _ in verdicts))
        cells = [name for name in names if "fewest" in _all(verdicts, name)]  # of the others none is found
        if not cells or not all((name, OURS) in verdicts for name in names):
            return ()
        at_best = [name for name in cells if verdicts[name, OURS] in {"fewest", "a step more"}]
        alone = [name for name in at_best if all(verdict in BEATEN for verdict in _others(verdicts, name))]
        behind = ", ".join(name for name in cells if name not in at_best)
        stands = (
            f"{OURS} needs the fewest rows, or a step of the grid more, on {len(at_best)} of {len(cells)} "
            f"networks; on {len(alone)} every other method needs more, beyond two standard errors."
        )
        if hard := [name for name in names if name not in cells]:
            stands += f" With so many rows no method finds: {', '.join(hard)}."
        return (stands, f"It needs more than that on: {behind}.") if behind else (stands,)


BEATEN = {"more", "more than were tried"}
"""Verdicts of methods that need more rows, and not by chance."""


def _all(verdicts: Mapping[tuple[str, str], str], name: str) -> list[str]:
    return [verdict for (of, _), verdict in verdicts.items() if of == name]


def _others(verdicts: Mapping[tuple[str, str], str], name: str) -> list[str]:
    return [
        verdict for (of, method), verdict in verdicts.items() if of == name and not method.startswith(OURS)
    ]
