"""Canonical models: structures in which it depends on the context who is joined to whom."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from graphoid.errors import DataError, SettingsError
from graphoid.limits import within_time
from graphoid.logic.names import Names
from graphoid.structure import plain
from graphoid.structure.cliques import maximal_cliques
from graphoid.structure.configurations import distinct
from graphoid.structure.graph import UndirectedGraph
from graphoid.structure.knowledge import KNOWLEDGE, KnowledgeRow, knowledge_body, read_rows
from graphoid.structure.learned import Cost, Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.logic.assertion import Context
    from graphoid.structure.document import Json
    from graphoid.structure.independences import ContextIndependence

State = str | int | float | bool


AT_ONCE = 2**24
"""Cells of adjacency matrices that are packed between two looks at the clock."""


@dataclass(frozen=True)
class CanonicalCost(Cost):
    """What a canonical model cost to find. Every graph asks its own questions, and all of them count."""

    n_distinct: int = 0
    """Different questions (X, Y, x_W) among the tests; X and Y may change places."""


class CanonicalContext(NamedTuple):
    """A graph, and where it holds."""

    graph: UndirectedGraph
    assignments: tuple[tuple[int, ...], ...]
    """The canonical assignments whose graph it is, as codes, in lexicographic order."""
    n_rows: float
    """Rows that these stand for."""


def _graph_of(names: tuple[str, ...], packed: bytes) -> UndirectedGraph:
    """Return the graph of an adjacency matrix, eight cells a byte."""
    n = len(names)
    cells = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=n * n).reshape(n, n)
    return UndirectedGraph(names, [(x, y) for x, y in np.argwhere(np.triu(cells)).tolist()])


@dataclass(frozen=True, repr=False, eq=False)
class CanonicalModel(Result):
    r"""A graph for every canonical assignment: for every distinct row of the data.

    In :math:`G(x^i)`, X and Y are not joined if they are independent in the context that the assignment
    :math:`x^i` gives the others ([Edera2014]_, section 2.2). So one pair may be joined where a third variable
    has one state and not where it has another, which no single graph can say.

    Made by :class:`~graphoid.CSGS` and :class:`~graphoid.CSPC`.

    Parameters
    ----------
    names, states
        Of the variables; code k of an assignment stands for the k-th state.
    assignments
        Codes of the canonical assignments, one a row, in lexicographic order.
    n_rows
        How many rows of the data each assignment stands for.
    graphs
        The different graphs, those that hold for most rows first.
    graph_of
        For each assignment the number of its graph.
    cost, stopped, settings, seed, data_id, table, learner, facts
        As in :class:`~graphoid.LearnedStructure`.
    """

    FORMAT: ClassVar[str] = "graphoid canonical model"

    names: tuple[str, ...]
    states: tuple[tuple[State, ...], ...]
    assignments: NDArray[np.uint16]
    n_rows: NDArray[np.number]
    graphs: tuple[UndirectedGraph, ...]
    graph_of: NDArray[np.intp]
    cost: CanonicalCost = field(default_factory=CanonicalCost)
    stopped: str = "converged"
    settings: Json = field(default_factory=dict)
    seed: int | None = None
    data_id: str | None = None
    table: object = None
    learner: object = None
    facts: Sequence[KnowledgeRow] | None = None

    def __post_init__(self) -> None:
        size, n = self.assignments.shape
        if n != len(self.names) or n != len(self.states):
            raise DataError(
                f"assignments of {n} variables need as many names and sets of states; there are "
                f"{len(self.names)} and {len(self.states)}."
            )
        if len(self.n_rows) != size or len(self.graph_of) != size:
            raise DataError(f"{size} assignments need as many numbers of rows and graphs.")
        if size and not 0 <= self.graph_of.min() <= self.graph_of.max() < len(self.graphs):
            raise DataError(f"an assignment has a graph that is not among the {len(self.graphs)}.")
        arities = np.array([len(states) for states in self.states])
        if (self.assignments >= arities).any():
            raise DataError("an assignment has a code that no state has.")
        for array in (self.assignments, self.n_rows, self.graph_of):
            array.flags.writeable = False

    @classmethod
    def of(
        cls,
        *,
        names: tuple[str, ...],
        assignments: NDArray[np.uint16],
        n_rows: NDArray[np.number],
        adjacency: NDArray[np.bool_],
        **rest: Any,
    ) -> CanonicalModel:
        """Return the model of a symmetric adjacency matrix for each assignment."""
        size, n, _ = adjacency.shape
        packed: list[bytes] = []
        step = max(1, AT_ONCE // max(1, n * n))
        for first in within_time(range(0, size, step)):
            part = adjacency[first : first + step].reshape(-1, n * n)
            packed += [row.tobytes() for row in np.packbits(part, axis=1)]
        found = sorted(set(packed))
        number = {matrix: g for g, matrix in enumerate(found)}
        graph_of = np.array([number[matrix] for matrix in packed], dtype=np.intp)
        weight = np.bincount(graph_of, weights=n_rows, minlength=len(found))
        by_weight = np.lexsort((np.arange(len(found)), -weight))
        graphs = tuple(_graph_of(names, found[g]) for g in within_time(by_weight.tolist()))
        place = np.empty(len(found), dtype=np.intp)
        place[by_weight] = np.arange(len(found))
        return cls(
            names=names,
            assignments=assignments,
            n_rows=n_rows,
            graphs=graphs,
            graph_of=place[graph_of],
            **rest,
        )

    @cached_property
    def contexts(self) -> tuple[CanonicalContext, ...]:
        """The different graphs with the assignments that they hold for, those of most rows first."""
        codes = [tuple(row) for row in self.assignments.tolist()]
        return tuple(
            CanonicalContext(
                graph,
                tuple(codes[i] for i in np.flatnonzero(self.graph_of == g)),
                self.n_rows[self.graph_of == g].sum().item(),
            )
            for g, graph in enumerate(self.graphs)
        )

    def graph_for(self, assignment: Sequence[int] | Mapping[str, State] | Context) -> UndirectedGraph:
        """Return the graph of a canonical assignment.

        Parameters
        ----------
        assignment
            A state for every variable: as codes in the order of the columns, by name (``{"sex": "female",
            ...}``), or as a complete context ``((0, 1), (1, 0), ...)``.
        """
        codes = self._codes(assignment)
        try:
            return self.graphs[int(self.graph_of[self._index[codes]])]
        except KeyError:
            states = ", ".join(self.describe_state(v, code) for v, code in enumerate(codes))
            raise SettingsError(
                f"no row of the data has {states}; graphs were learned for the rows that occur, see contexts."
            ) from None

    @cached_property
    def graph(self) -> UndirectedGraph:
        """The graph that joins what is joined in some context: all that a single graph can say."""
        return UndirectedGraph(self.names, sorted({edge for graph in self.graphs for edge in graph.edges}))

    @cached_property
    def features(self) -> tuple[Context, ...]:
        """The maximal cliques of every graph with the states of its assignments, each once, sorted.

        A variable without neighbors is a clique of its own. ``MarkovNetwork.fit`` gives them weights.
        """
        found: set[Context] = set()
        for g, graph in enumerate(self.graphs):
            rows = self.assignments[self.graph_of == g]
            for clique in maximal_cliques(graph):
                states, _ = distinct(rows[:, clique])
                found.update(tuple(zip(clique, row, strict=True)) for row in states.tolist())
        return tuple(sorted(found))

    def independences(self, *, undecided: bool = False) -> tuple[ContextIndependence, ...]:
        """Return what is independent in which context, in words, with the rows behind it and a probability.

        See :class:`~graphoid.structure.independences.ContextIndependence`. For each pair of variables the
        contexts are the fewest that say the same as the graphs; those that matter most come first. The
        graphs say more than the rows are enough for: a test that sees no dependence in a context of few rows
        may just not be able to. Listed are those that are ``sure``, with a probability of at least .95; of
        these at most one in twenty is false by more than a thousandth of a nat ("Contexts" in the guide has
        the figures).

        Parameters
        ----------
        undecided
            Whether the others are listed as well, after these: contexts that cannot tell.
        """
        from graphoid.structure import independences

        found = independences.of(self)
        return found if undecided else tuple(i for i in found if i.sure)

    def describe_state(self, variable: int, code: int) -> str:
        """Return a state of a variable as one would write it.

        >>> CanonicalModel.of(names=("sex",), states=(("f", "m"),), assignments=np.zeros((1, 1), np.uint16),
        ...                   n_rows=np.ones(1), adjacency=np.zeros((1, 1, 1), bool)).describe_state(0, 1)
        'sex = m'
        """
        return f"{self.names[variable]} = {self.states[variable][code]}"

    def to_body(self) -> Json:
        """Return everything as plain values."""
        return {
            "names": list(self.names),
            "states": [list(states) for states in self.states],
            "assignments": self.assignments.tolist(),
            "n_rows": self.n_rows.tolist(),
            "graphs": [[list(edge) for edge in graph.edges] for graph in self.graphs],
            "graph_of": self.graph_of.tolist(),
            "cost": asdict(self.cost),
            "stopped": self.stopped,
            "settings": dict(self.settings),
            "seed": self.seed,
            "data_id": self.data_id,
            **knowledge_body(self.settings, self),
        }

    @classmethod
    def from_body(cls, body: Json) -> Self:
        """Return the canonical model that plain values describe."""
        names = UndirectedGraph.from_body(body["names"], []).names
        codes = plain.array(body["assignments"], (None, len(names)), whole=True)
        n_rows = plain.array(body["n_rows"], (None,), whole=False)
        if (codes < 0).any() or (codes > np.iinfo(np.uint16).max).any() or not (n_rows >= 0).all():
            raise DataError("an assignment has a code that no state has, or less than no rows.")
        return cls(
            names=names,
            states=tuple(tuple(map(plain.state, plain.items(states))) for states in body["states"]),
            assignments=codes.astype(np.uint16),
            n_rows=n_rows,
            graphs=tuple(UndirectedGraph.from_body(body["names"], edges) for edges in body["graphs"]),
            graph_of=plain.array(body["graph_of"], (None,), whole=True).astype(np.intp),
            cost=CanonicalCost.from_body(plain.record(body["cost"])),
            stopped=plain.text(body["stopped"]),
            settings=plain.record(body["settings"]),
            seed=plain.optional(plain.seed, body["seed"]),
            data_id=plain.optional(plain.text, body["data_id"]),
            facts=plain.optional(read_rows, body.get(KNOWLEDGE)),
        )

    @cached_property
    def _index(self) -> dict[tuple[int, ...], int]:
        return {tuple(row): i for i, row in enumerate(self.assignments.tolist())}

    def _codes(self, assignment: Any) -> tuple[int, ...]:
        """Return a complete assignment as codes."""
        n = len(self.names)
        if isinstance(assignment, Mapping):
            names = Names(self.names)
            given = {names.position(name): state for name, state in assignment.items()}
            pairs = [(v, self._code(v, state)) for v, state in given.items()]
        else:
            items = list(assignment)
            paired = bool(items) and all(isinstance(item, tuple) for item in items)
            pairs = items if paired else list(enumerate(items))
        try:
            codes = {operator.index(v): operator.index(code) for v, code in pairs}
        except (TypeError, ValueError):
            codes = {}
        if sorted(codes) != list(range(n)) or len(pairs) != n:
            raise SettingsError(
                f"an assignment has one state for each of the {n} variables; got {assignment!r:.200}."
            )
        for v, code in codes.items():
            if not 0 <= code < len(self.states[v]):
                raise SettingsError(
                    f"{self.names[v]!r} has {len(self.states[v])} states, with codes from 0; got {code}."
                )
        return tuple(codes[v] for v in range(n))

    def _code(self, variable: int, state: State) -> int:
        try:
            return self.states[variable].index(state)
        except ValueError:
            shown = ", ".join(map(repr, self.states[variable][:8]))
            raise SettingsError(f"{self.names[variable]!r} has no state {state!r}; it has {shown}.") from None

    def __str__(self) -> str:
        from graphoid.structure import independences

        return independences.text(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        learner = self.settings.get("learner", "a learner")
        return (
            f"<CanonicalModel by {learner}: {len(self.names):,} variables, {len(self.assignments):,} "
            f"assignments, {len(self.graphs):,} different graphs, {self.cost.n_tests:,} tests>"
        )
