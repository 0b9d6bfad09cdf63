"""The immutable undirected graph: a Markov network's structure."""

from __future__ import annotations

import operator
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import Names
from graphoid.structure import plain, separation
from graphoid.structure.safe_text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import networkx as nx

Edge = tuple[int, int]
"""Two positions, the smaller one first."""


class UndirectedGraph:
    """Variables and the pairs of them that depend on each other directly.

    Immutable and hashable: changing an edge gives a new graph. Wherever a variable is asked for, its position
    or its name will do; answers are positions.

    Parameters
    ----------
    n_or_names
        How many variables there are (they are then named "0", "1", ...), or their names in order.
    edges
        Pairs of variables, in any order and direction; saying one twice changes nothing.

    Examples
    --------
    >>> chain = UndirectedGraph(["rain", "wet", "slippery"], [("rain", "wet"), ("wet", "slippery")])
    >>> chain.edges
    ((0, 1), (1, 2))
    >>> chain.separated("rain", "slippery", given=["wet"])
    True
    """

    __slots__ = ("__dict__", "_names")

    _names: tuple[str, ...]

    def __init__(
        self, n_or_names: int | Iterable[str], edges: Iterable[tuple[int | str, int | str]] = ()
    ) -> None:
        if isinstance(n_or_names, str):
            raise DataError(f"names must be a sequence of names, not the one string {n_or_names!r}.")
        given: Any = n_or_names
        try:
            n = operator.index(given)
        except TypeError:
            pass
        else:
            if n < 0:
                raise DataError(f"a graph cannot have {n} variables.")
            given = map(str, range(n))
        try:
            names: tuple[str, ...] = tuple(given)
        except TypeError:
            raise DataError(f"expected a number of variables or their names, not {n_or_names!r}.") from None
        for name in names:
            if not isinstance(name, str):
                raise DataError(f"a name must be a string; got {name!r}.")
        if len(set(names)) < len(names):
            twice = next(name for name, times in Counter(names).items() if times > 1)
            raise DataError(f"two variables are named {twice!r}; names must differ.")
        object.__setattr__(self, "_names", tuple(map(str, names)))
        members: list[set[int]] = [set() for _ in names]
        for edge in edges:
            x, y = self._ends(edge)
            members[x].add(y)
            members[y].add(x)
        self.__dict__["blankets"] = tuple([tuple(sorted(own)) for own in members])

    @classmethod
    def _of(cls, names: tuple[str, ...], **known: object) -> UndirectedGraph:
        """Return the graph of ``adjacency``, or ``blankets``, known to be symmetric and free of loops."""
        graph = object.__new__(cls)
        object.__setattr__(graph, "_names", names)
        graph.__dict__.update(known)
        return graph

    @classmethod
    def from_adjacency(cls, names: tuple[str, ...], adjacency: Sequence[int]) -> UndirectedGraph:
        """Return the graph of masks of blankets, which have to be symmetric."""
        return cls._of(names, adjacency=tuple(adjacency))

    @classmethod
    def of_sorted_blankets(
        cls, names: tuple[str, ...], blankets: Iterable[tuple[int, ...]]
    ) -> UndirectedGraph:
        """Return the graph of sorted blankets, which have to be symmetric: what searches flip edges in."""
        return cls._of(names, blankets=tuple(blankets))

    @classmethod
    def from_blankets(
        cls,
        blankets: Mapping[int, Iterable[int]],
        names: Sequence[str] | None = None,
        *,
        rule: Literal["either", "both"] = "either",
    ) -> UndirectedGraph:
        """Return the graph of Markov blankets that were learned one by one.

        Parameters
        ----------
        blankets
            For every position, the positions in its blanket.
        names
            Names of the variables; "0", "1", ... if not given.
        rule
            What to do when ``y`` is in the blanket of ``x`` and ``x`` not in that of ``y``: join them all the
            same ("either") or not ("both").
        """
        if rule not in ("either", "both"):
            raise SettingsError(f"rule must be 'either' or 'both', not {rule!r}.")
        if sorted(blankets) != list(range(len(blankets))):
            raise DataError(
                f"blankets must have one entry for each position from 0 to {len(blankets) - 1}; "
                f"got {sorted(blankets)}."
            )
        if names is not None and len(names) != len(blankets):
            raise DataError(f"there are {len(blankets)} blankets and {len(names)} names.")
        known = {x: frozenset(blanket) for x, blanket in blankets.items()}
        edges = []
        for x, blanket in known.items():
            for y in blanket:
                if y == x or y not in known:
                    raise DataError(f"{y!r} cannot be in the blanket of {x}, one of {len(known)} variables.")
                if rule == "either" or x in known[y]:
                    edges.append((x, y))
        return cls(len(known) if names is None else names, edges)

    @classmethod
    def from_body(cls, names: object, edges: object) -> UndirectedGraph:
        """Return the graph of names and pairs of positions as a file holds them."""
        named = plain.texts(names)
        pairs = (plain.positions(edge, len(named)) for edge in plain.items(edges))
        return cls(named, [(x, y) for x, y in pairs])

    @classmethod
    def from_networkx(cls, graph: nx.Graph) -> UndirectedGraph:
        """Return the structure of a networkx graph; nodes become names by ``str``, in their order."""
        if graph.is_directed():
            raise DataError("the networkx graph is directed; a Markov network is not. Moralize it first.")
        nodes = list(graph.nodes)
        index = {node: i for i, node in enumerate(nodes)}
        return cls([str(node) for node in nodes], [(index[u], index[v]) for u, v in graph.edges()])

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self._names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in order of position."""
        return self._names

    @cached_property
    def adjacency(self) -> tuple[int, ...]:
        """For every variable the mask of its blanket; see :mod:`graphoid.structure.separation`.

        Of many thousands of variables masks take much more memory than :attr:`blankets`.
        """
        return tuple(map(separation.mask, self.blankets))

    @cached_property
    def blankets(self) -> tuple[tuple[int, ...], ...]:
        """For every variable its Markov blanket, sorted."""
        return tuple([tuple(separation.members(bits)) for bits in self.adjacency])

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges as pairs of positions ``x < y``, sorted."""
        return tuple([(x, y) for x, own in enumerate(self.blankets) for y in own if y > x])

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return sum(map(len, self.blankets)) // 2

    def position(self, variable: int | str) -> int:
        """Return the position of a variable given by position or by name."""
        if type(variable) is int and 0 <= variable < len(self._names):
            return variable  # searches make graphs by the thousand and never need their index of names
        return self._index.position(variable)

    def has_edge(self, x: int | str, y: int | str) -> bool:
        """Return whether ``x`` and ``y`` are joined."""
        return self.position(y) in self.blankets[self.position(x)]

    def blanket(self, x: int | str) -> tuple[int, ...]:
        """Return the Markov blanket of ``x``: the variables joined to it, sorted."""
        return self.blankets[self.position(x)]

    def separated(self, x: int | str, y: int | str, given: Iterable[int | str] = ()) -> bool:
        """Return whether every path from ``x`` to ``y`` goes through ``given``.

        In a distribution that is faithful to the graph, that is X ⊥ Y | given ([Pearl1988]_, section 3.2).
        """
        x, y = self.position(x), self.position(y)
        if isinstance(given, str):
            raise SettingsError(f"given is {given!r}; it must be a list of variables, such as [{given!r}].")
        n, known = len(self._names), 0
        for z in given:
            known |= 1 << (z if type(z) is int and 0 <= z < n else self.position(z))
        if x == y:
            raise SettingsError(f"{self._names[x]!r} cannot be separated from itself; name two variables.")
        if (known >> x | known >> y) & 1:
            both = self._names[x] if known >> x & 1 else self._names[y]
            raise SettingsError(f"{both!r} is asked about and given at once; leave it out of given.")
        return separation.separated(self.adjacency, x, y, known)

    def with_edge(self, x: int | str, y: int | str) -> UndirectedGraph:
        """Return this graph with ``x`` and ``y`` joined."""
        return self._change((x, y), joined=True)

    def without_edge(self, x: int | str, y: int | str) -> UndirectedGraph:
        """Return this graph with ``x`` and ``y`` not joined."""
        return self._change((x, y), joined=False)

    def _change(self, edge: tuple[int | str, int | str], *, joined: bool) -> UndirectedGraph:
        x, y = self._ends(edge)
        blankets = list(self.blankets)
        for a, b in ((x, y), (y, x)):
            rest = [z for z in blankets[a] if z != b]
            blankets[a] = tuple(sorted([*rest, b]) if joined else rest)
        return self._of(self._names, blankets=tuple(blankets))

    def to_networkx(self) -> nx.Graph:
        """Return a ``networkx.Graph`` whose nodes are the names."""
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from(self._names)
        graph.add_edges_from((self._names[x], self._names[y]) for x, y in self.edges)
        return graph

    @cached_property
    def _index(self) -> Names:
        return Names(self._names)

    def _ends(self, edge: tuple[int | str, int | str]) -> Edge:
        """Return the two positions an edge joins."""
        try:
            u, v = edge
        except (TypeError, ValueError):
            raise DataError(f"an edge is a pair of variables, not {edge!r}.") from None
        x, y = self.position(u), self.position(v)
        if x == y:
            raise DataError(f"an edge from {self._names[x]!r} to itself means nothing; leave it out.")
        return x, y

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UndirectedGraph):
            return NotImplemented
        return self.blankets == other.blankets and self._names == other._names

    def __hash__(self) -> int:
        return hash((self._names, self.blankets))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"an UndirectedGraph does not change; cannot set {name!r}. Use with_edge or without_edge."
        )

    def __reduce__(self) -> tuple[object, ...]:
        return UndirectedGraph.of_sorted_blankets, (self._names, self.blankets)

    def __repr__(self) -> str:
        shown = [
            printable(f"{self._names[x]}–{self._names[y]}") for x, y in self.edges[:12]
        ]  # what fits a line or two
        more = [f"and {self.n_edges - 12:,} more"] if self.n_edges > 12 else []
        edges = ": " + ", ".join(shown + more) if shown else ""
        many = "edge" if self.n_edges == 1 else "edges"
        return f"<UndirectedGraph, {self.n:,} variables, {self.n_edges:,} {many}{edges}>"
