"""The graph that was learned, with its evidence and what it cost."""

from __future__ import annotations

import math
import operator
from dataclasses import asdict, astuple, dataclass, field, fields
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from graphoid.errors import CountsTooLarge, DataError, missing_extra
from graphoid.limits import memory_limit
from graphoid.logic.trace import Trace, tallies_of
from graphoid.logic.verdict import Verdict, name_verdicts
from graphoid.structure import explain, plain
from graphoid.structure.changes import EdgeChange, EdgeDrift, read_changes, read_drift
from graphoid.structure.compare import Comparison, HasGraph, compare
from graphoid.structure.decisions import Decisions
from graphoid.structure.document import Document, Json, pair_mapping, pair_rows, to_row, verdicts
from graphoid.structure.effect import Effect, effect_mapping, effect_rows
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.structure.knowledge import KNOWLEDGE, KnowledgeRow, knowledge_body, read_knowledge, read_rows
from graphoid.structure.scored import Scored, bayes_factor, verdict

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from graphoid.settings import RandomState
    from graphoid.uncertainty.bootstrap import Bootstrap


LISTED_PAIRS = 1_000_000
"""Pairs up to which :meth:`LearnedStructure.pairs` has all."""

EXECUTED = frozenset({"test", "oracle"})
"""Sources of a verdict that was paid for; any other is the rule that answered in place of a test."""


@dataclass(frozen=True)
class Discovery:
    """What finding out the states of variables took, when data that stay where they are were read."""

    queries: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    seconds: float = 0.0
    money: float = 0.0

    def __add__(self, other: Discovery) -> Discovery:
        return Discovery(*map(operator.add, astuple(self), astuple(other)))


@dataclass(frozen=True)
class Cost:
    """What an answer cost to find.

    >>> from graphoid import Verdict
    >>> Cost.of([Verdict(0, 1, (), True), Verdict(0, 1, (2,), True)], n_initial=1).weighted
    5
    """

    n_tests: int = 0
    """Tests executed, initial ones included."""
    weighted: int = 0
    """Sum of 2 + |given| over the tests executed: [Bromberg2009]_'s weighted number of tests, section 5."""
    n_initial: int = 0
    """Unconditional tests executed before the search began."""
    n_inferred: int = 0
    """Questions answered by a rule and not by a test."""
    seconds: float = 0.0
    """Wall-clock time."""
    rows_read: float = 0
    """Rows behind the tests, added up; of data that stay where they are, rows that an engine went through."""
    queries: int = 0
    """Data accesses: a batch of questions is one. Of data that stay where they are: queries."""
    bytes_read: int = 0
    """Bytes that an engine went through, of data that stay where they are."""
    bytes_moved: int = 0
    """Bytes that came back from there."""
    money: float = 0.0
    """What that costs by the price list given to :func:`graphoid.read`."""
    discovery: Discovery | None = None
    """What :func:`graphoid.read` took before that, of data that stay where they are; in none of the above."""

    @classmethod
    def from_body(cls, body: Json) -> Self:
        """Return the cost that plain values describe."""
        discovery = plain.optional(_amounts(Discovery), body.get("discovery"))
        amounts = _amounts(cls)({name: body[name] for name in body if name != "discovery"})
        return cls(**amounts, discovery=None if discovery is None else Discovery(**discovery))

    @classmethod
    def of(
        cls, trace: Iterable[Verdict], *, n_initial: int = 0, seconds: float = 0.0, queries: int = 0
    ) -> Cost:
        """Return the cost of a trace."""
        n_questions = n_tests = weighted = 0
        rows: float = 0
        for source, n_given, n_rows, times in tallies_of(trace):
            n_questions += times
            if source in EXECUTED:
                n_tests += times
                weighted += times * (2 + n_given)
                rows += times * (n_rows or 0)
        return cls(n_tests, weighted, n_initial, n_questions - n_tests, seconds, rows, queries)


def _amounts(kind: type[Cost | Discovery]) -> Callable[[object], dict[str, Any]]:
    """Return what checks that plain values are amounts of such a cost."""
    kinds = {part.name: plain.whole if part.type == "int" else plain.number for part in fields(kind)}
    return lambda body: {name: kinds[name](value) for name, value in plain.record(body).items()}


class EdgeRow(NamedTuple):
    """One edge in a tidy table of edges."""

    x: str
    y: str
    evidence: str
    """What decided for the edge, in words."""
    strength: float | None
    """Of the evidence: -log10 of the p-value, a Bayesian test's log10 odds of dependence, or the Bayes
    factor of the edge (log10); None where there is no number. It grows with the rows; weight and size do not.
    """
    probability: float | None = None
    """Posterior probability of the edge, where the learner gives one."""
    bayes_factor: float | None = None
    """Posterior odds over prior odds of the edge, where there is a probability."""
    verdict: str = "present"
    """"present", "absent" or "undecided": see :func:`graphoid.structure.scored.verdict`."""
    joined: bool = True
    size: float | None = None
    """Effect size; None where there is no edge, no table or too few rows, as all that follows."""
    low: float | None = None
    high: float | None = None
    """Its interval of 95 %."""
    weight: float | None = None
    """Signed edge weight; None also where a variable has more than two states without an order."""
    weight_low: float | None = None
    weight_high: float | None = None
    """Its interval of 95 %."""


class Result(Document):
    """What was learned: it is saved, shown on a page, and remembers its table while the process lasts."""

    table: object
    learner: object
    settings: Json
    facts: Sequence[KnowledgeRow] | None
    """What a file has of :attr:`knowledge`."""

    if TYPE_CHECKING:

        @property
        def graph(self) -> UndirectedGraph:
            """The pairs that are joined, in some context at least."""

    @cached_property
    def knowledge(self) -> tuple[KnowledgeRow, ...]:
        """What the data say about every fact that was given (``knowledge=``); measured when first asked for.

        A result that comes from another process has no table to measure in.
        """
        known = read_knowledge(self.settings)
        if known is None or self.facts is not None:
            return tuple(self.facts or ())
        from graphoid.uncertainty.knowledge import knowledge_rows

        return knowledge_rows(known, self.graph, self.table)

    def report(self, path: str | os.PathLike[str], table: object = None, **options: Any) -> None:
        """Write a page that shows what was learned, lets one ask it, and says all that a paper needs.

        One file that works without a network connection; see :func:`graphoid.report.page.write` for the
        options. A result that was loaded from a file needs ``table=`` for the counts behind every edge.
        """
        from graphoid.report import page

        page.write(self, path, table=table, **options)

    def plot(self, kind: str = "network", ax: Axes | None = None, **options: Any) -> Axes:
        """Draw what was learned, and return the axes; a notebook shows it, ``ax.figure.savefig`` writes it.

        Parameters
        ----------
        kind
            "network", "centrality", "intervals" (of edge weights), "heatmap" (the adjacency matrix) or
            "missing" (cells; of the table that is given).
        ax
            Axes to draw on; a new figure by default.
        **options
            Those of the functions of :mod:`graphoid.report.plots`, such as ``bootstrap``, ``groups`` and
            ``highlight``.
        """
        from graphoid.report import plots

        return plots.plot(self, kind, ax=ax, **options)

    def bootstrap(self, n: int = 200, random_state: RandomState = None, **options: Any) -> Bootstrap:
        """Resample the table it was learned from by the learner that found it; return the fitted bootstrap.

        ``options`` are those of :class:`graphoid.Bootstrap`. A search for the best score climbs in every
        resample from the graph of all rows, by its edges and the pairs that may be joined in half of the
        rows; of others there is no ``mean_probability``.
        """
        from graphoid.uncertainty.bootstrap import Bootstrap

        if self.learner is None or self.table is None:
            raise DataError(
                "a result that comes from a file or another process has neither its rows nor its learner: "
                "use Bootstrap(learner).fit(table)."
            )
        bootstrap = Bootstrap(self.learner, n=n, random_state=random_state, **options)  # type: ignore[arg-type]
        return bootstrap.fit(self.table, structure=self)  # type: ignore[arg-type]

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "table": None, "learner": None}  # rows stay where they are


@dataclass(frozen=True, repr=False)
class LearnedStructure(Result):
    """A graph, how every question about it was answered, and at what cost.

    Made by learners. Shows itself in a terminal and in a notebook, says :meth:`why` of any pair, and is saved
    as JSON (:meth:`save`, :func:`graphoid.load`).

    Parameters
    ----------
    graph
        What was learned.
    trace
        A verdict for every question in the order asked, initial tests first. Its ``source`` is "test" or
        "oracle" where it was executed, else the rule that answered. A tuple; of more than a million verdicts
        a sequence that makes each when it is looked at.
    cost
        Tests, rows and seconds.
    stopped
        Why the search ended: "converged", "budget" or "max_steps".
    settings
        The learner and its settings, as plain values.
    seed
        The seed used, or None where nothing is random.
    data_id
        Digest of the table learned from, or None where answers came from elsewhere.
    scored
        The score of the graph and what each edge is worth to it, where a score was climbed; else None.
    edge_probabilities
        For pairs ``x < y`` the posterior probability of an edge, where the learner gives one.
    underpowered
        Pairs of which so few rows could not have shown an edge of a size that matters: never called absent.
    details
        What else the learner has to say, as plain values; its docstring says what.
    table
        What it was learned from, where that was in this process: kept for :meth:`report`, neither saved nor
        copied to another process nor compared.
    measured
        Effects of its edges, of a structure that was read from a file; others measure them in their table.
    learner
        Who learned it, with all settings; kept for :meth:`bootstrap`, likewise.
    facts
        What the data say about what was known, of a structure that was read from a file; others measure it.
    """

    FORMAT: ClassVar[str] = "graphoid structure"

    graph: UndirectedGraph
    trace: Sequence[Verdict] = ()
    cost: Cost = field(default_factory=Cost)
    stopped: str = "converged"
    settings: Json = field(default_factory=dict)
    seed: int | None = None
    data_id: str | None = None
    scored: Scored | None = None
    edge_probabilities: Mapping[Edge, float] = field(default_factory=dict)
    underpowered: frozenset[Edge] = frozenset()
    details: Json = field(default_factory=dict)
    table: object = field(default=None, compare=False)
    measured: Mapping[Edge, Effect] | None = field(default=None, compare=False)
    learner: object = field(default=None, compare=False)
    facts: Sequence[KnowledgeRow] | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, in order of position."""
        return self.graph.names

    @cached_property
    def verdicts(self) -> Mapping[Edge, Verdict]:
        """The verdict that decided each pair ``x < y``: the last in the trace that agrees with the graph.

        One that was executed or inferred goes before one that was propagated, which only repeats it.
        """
        if isinstance(self.trace, Trace):
            return Decisions(self.trace, self.graph)
        decided: dict[Edge, Verdict] = {}
        for v in self.trace:
            pair = (v.x, v.y) if v.x < v.y else (v.y, v.x)
            if v.independent == bool(self.graph.adjacency[v.x] >> v.y & 1):
                continue
            if v.source != "propagation" or pair not in decided:
                decided[pair] = v
        return dict(zip(decided, name_verdicts(decided.values(), self.names), strict=True))

    @property
    def covariates(self) -> tuple[str, ...]:
        """Columns that are adjusted for, and in neither tables nor drawings: see :func:`graphoid.learn`.

        The graph joins them with all others, so that every weight is given all of them.
        """
        return tuple(name for name in plain.texts(self.settings.get("covariates", [])) if name in self.names)

    def edges(self) -> list[EdgeRow]:
        """Return a row for every edge, by position; ready for ``pandas.DataFrame``.

        Weights and sizes are measured when first asked for: see :func:`graphoid.strengths`.
        """
        return [self._measure(row) for row in self.evidence_rows()]

    def to_frame(self, *, pairs: bool = False) -> pd.DataFrame:
        """Return the edges as a data frame, a row each: names, weights, intervals, probability, verdict.

        Parameters
        ----------
        pairs
            Whether all pairs are wanted, edges or not.

        Returns
        -------
        pandas.DataFrame
            Of a panel (``Knowledge(waves=...)``) it has a column ``kind``: "autoregressive", "lag 1" or
            "contemporaneous".
        """
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("a data frame", "pandas") from None
        frame = pd.DataFrame(self.pairs() if pairs else self.edges(), columns=EdgeRow._fields)
        known = read_knowledge(self.settings)
        if known is not None and known.waves is not None:
            kinds = [known.kind_of(x, y) for x, y in zip(frame["x"], frame["y"], strict=True)]
            frame["kind"] = pd.Series(kinds, dtype=object)  # None stays None
        return frame

    to_pandas = to_frame

    def pairs(self) -> list[EdgeRow]:
        """Return a row for every pair of variables, edges or not, by position.

        Of more than a million pairs, for those that the learner looked at: edges, and pairs of which it has a
        verdict, a probability or a worth. :meth:`probability` and :meth:`verdict` answer for any.
        """
        n = self.graph.n
        if n * (n - 1) // 2 <= LISTED_PAIRS:
            shown = self._without_covariates(combinations(range(n), 2))
        else:
            gains = {} if self.scored is None else self.scored.gains
            shown = self._without_covariates(
                sorted({*self.graph.edges, *self.verdicts, *self.edge_probabilities, *gains})
            )
        return [self._measure(self.evidence_row(x, y)) for x, y in shown]

    def evidence_rows(self) -> list[EdgeRow]:
        """Return the rows of all edges without effects, which take a look at the table."""
        return [self.evidence_row(x, y) for x, y in self._without_covariates(self.graph.edges)]

    def _without_covariates(self, pairs: Iterable[Edge]) -> list[Edge]:
        """Return pairs without those of covariates."""
        hidden = {self.graph.position(name) for name in self.covariates}
        return [pair for pair in pairs if hidden.isdisjoint(pair)]

    def weights(self, table: object = None) -> NDArray[np.float64]:
        """Return the signed edge weights as a symmetric matrix in the order of :attr:`names`.

        0 where there is no edge; not a number where the weight has no sign, since one of the two has more
        than two states without an order (its ``size`` is in :meth:`edges`), or cannot be estimated from so
        few rows. Of two states, the second counts as more. Of thousands of variables the matrix takes
        gigabytes, and is refused where there is no room; :meth:`edges` has the weights as well.

        Parameters
        ----------
        table
            What to measure in; by default the table that it was learned from.
        """
        from graphoid.uncertainty.strength import effects_of

        if table is None and self.table is None and self.measured is None:
            raise DataError("edge weights are measured in a table: weights(table), the one learned from.")
        n_bytes, limit = 8.0 * self.graph.n**2, memory_limit()
        if limit is not None and n_bytes > limit / 2:
            raise CountsTooLarge(
                f"a matrix of {self.graph.n:,} x {self.graph.n:,} weights takes {n_bytes / 2**30:.1f} GB, "
                f"more than half of the memory there is; edges() has the weights of the edges."
            )
        effects = self._effects if table is None else effects_of(self.graph, table)
        matrix = np.zeros((self.graph.n, self.graph.n))
        for x, y in self.graph.edges:
            weight = effects[x, y].weight if (x, y) in effects else None
            matrix[x, y] = matrix[y, x] = np.nan if weight is None else weight
        return matrix

    @cached_property
    def _effects(self) -> Mapping[Edge, Effect]:
        from graphoid.uncertainty.strength import effects_of

        return effects_of(self.graph, self.table) if self.measured is None else self.measured

    @property
    def pooled(self) -> Mapping[Edge, Effect] | None:
        """The effects that were pooled over completed tables; None unless it was learned from such."""
        return self.measured if "imputation" in self.settings else None

    def _measure(self, row: EdgeRow) -> EdgeRow:
        pair = self.graph.position(row.x), self.graph.position(row.y)
        effect = self._effects.get(pair)
        return row if effect is None else row._replace(**effect._asdict())

    def evidence_row(self, x: int, y: int) -> EdgeRow:
        """Return the row of one pair ``x < y``, likewise."""
        names, joined = (self.names[x], self.names[y]), self.graph.has_edge(x, y)
        v, probability = self.verdicts.get((x, y)), self.probability(x, y)
        if v is not None:
            numbers: tuple[str, float | None] = (explain.evidence(v, self.names), strength(v))
        else:
            worth = self.worth(x, y)
            numbers = (explain.worth(worth), None if worth is None else worth / math.log(10))
            if worth is None and probability is not None:  # pooled over tables in which cells were drawn
                numbers = f"inclusion probability {probability:.3g}", None
        if probability is None:
            return EdgeRow(*names, *numbers, verdict=self.verdict(x, y), joined=joined)
        prior = self.scored.prior((x, y)) if self.scored else 0.0
        known = probability in (0, 1) and KNOWLEDGE in self.settings  # not by the rows
        factor = None if known else bayes_factor(probability, prior)
        return EdgeRow(*names, *numbers, probability, factor, self.verdict(x, y), joined)

    def probability(self, x: int | str, y: int | str) -> float | None:
        """Return the posterior probability of an edge; None if the learner has none.

        A pair that was not looked at, because both have many stronger dependences, is taken to be no more
        probable than the least probable of those that were.
        """
        pair = self._pair(x, y)
        if pair in self.edge_probabilities or not self.edge_probabilities:
            return self.edge_probabilities.get(pair)
        known = [self._least_probable[v] for v in pair if v in self._least_probable]
        return max(self.edge_probabilities[least] for least in known) if len(known) == 2 else None

    def verdict(self, x: int | str, y: int | str) -> str:
        """Return "present", "absent" or "undecided": see :func:`graphoid.structure.scored.verdict`.

        Without probabilities that is what the graph says; of a search that was stopped, only "absent" where
        an answer separates the two, and "present" where that was known beforehand.
        """
        pair, probability = self._pair(x, y), self.probability(x, y)
        if probability is None and not self.edge_probabilities:
            joined = self.graph.has_edge(*pair)
            if self.stopped != "converged":  # the search might have taken apart what it had joined
                answer = self.verdicts.get(pair)
                if answer is None or (joined and answer.source != KNOWLEDGE):
                    return "undecided"
            return "present" if joined else "absent"
        if probability is None:
            return "undecided"  # a constant, or the search was stopped before it came to that
        pairs = [pair] if pair in self.edge_probabilities else map(self._least_probable.get, pair)
        return verdict(probability, powered=self.underpowered.isdisjoint(pairs))

    def _pair(self, x: int | str, y: int | str) -> Edge:
        a, b = self.graph.position(x), self.graph.position(y)
        return (a, b) if a < b else (b, a)

    @cached_property
    def _least_probable(self) -> dict[int, Edge]:
        """For every variable, the least probable of its pairs that were looked at."""
        order = sorted(self.edge_probabilities, key=lambda pair: (-self.edge_probabilities[pair], pair))
        return {v: pair for pair in order for v in pair}

    def worth(self, x: int | str, y: int | str) -> float | None:
        """Return by how much the score is higher with an edge than without it; None where it is not known."""
        pair = self._pair(x, y)
        gain = None if self.scored is None else self.scored.gains.get(pair)
        if gain is None:
            return None
        return -gain if self.graph.has_edge(*pair) else gain

    def why(self, x: int | str, y: int | str) -> str:
        """Return in words why ``x`` and ``y`` are joined, or why not, and every question asked about them."""
        return explain.why(self, self.graph.position(x), self.graph.position(y))

    def update(self, rows: object, *, alpha: float = 0.05, **options: Any) -> LearnedStructure:
        """Learn again with rows that came later, from what is known; see :attr:`changes` and :attr:`drift`.

        Parameters
        ----------
        rows
            Anything that :func:`graphoid.read` takes, with a column for every variable.
        alpha
            The probability, at most, that any pair is ever said to drift, over all updates, if nothing
            changes.
        **options
            Those of :func:`graphoid.uncertainty.update.update`, such as ``table`` and ``learner`` of a result
            that comes from a file.
        """
        from graphoid.uncertainty.update import update

        return update(self, rows, alpha=alpha, **options)

    @property
    def changes(self) -> list[EdgeChange]:
        """Edges that the last :meth:`update` made appear, vanish, or more or less sure."""
        return read_changes(self.details)

    @property
    def drift(self) -> list[EdgeDrift]:
        """For every pair, whether rows that came by :meth:`update` differ from those before."""
        return read_drift(self.details, self.graph)

    def compare(self, true: UndirectedGraph | HasGraph) -> Comparison:
        """Compare with the true graph; see :func:`graphoid.compare`."""
        return compare(self.graph, true)

    def to_networkx(self) -> nx.Graph:
        """Return a ``networkx.Graph`` whose nodes are the names.

        Edges have ``evidence``, ``strength`` and, where the learner gives them, ``probability`` and
        ``verdict``.
        """
        graph = self.graph.to_networkx()
        graph.remove_nodes_from(self.covariates)
        for row in self.evidence_rows():
            graph.edges[row.x, row.y].update(evidence=row.evidence, strength=row.strength)
            if row.probability is not None:
                graph.edges[row.x, row.y].update(probability=row.probability, verdict=row.verdict)
        return graph

    def to_graphml(self, path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_networkx` as GraphML, which Gephi, Cytoscape and yEd read."""
        from graphoid.structure import graphml

        graphml.write(self.to_networkx(), path)

    def to_body(self) -> Json:
        """Return everything as plain values."""
        return {
            "names": list(self.names),
            "edges": [list(edge) for edge in self.graph.edges],
            "trace": {"fields": list(Verdict._fields), "rows": [to_row(v) for v in self.trace]},
            "cost": asdict(self.cost),
            "stopped": self.stopped,
            "settings": dict(self.settings),
            "seed": self.seed,
            "data_id": self.data_id,
            "scored": None if self.scored is None else self.scored.to_body(),
            "edge_probabilities": pair_rows(self.edge_probabilities),
            "underpowered": [list(pair) for pair in sorted(self.underpowered)],
            "details": dict(self.details),
            "effects": effect_rows(self._effects) if self._effects else None,
            **knowledge_body(self.settings, self),
        }

    @classmethod
    def from_body(cls, body: Json) -> Self:
        """Return the structure that plain values describe."""
        graph = UndirectedGraph.from_body(body["names"], body["edges"])
        trace, scored = plain.record(body["trace"]), body.get("scored")
        return cls(
            graph=graph,
            trace=verdicts(trace["fields"], trace["rows"], graph.n),
            cost=Cost.from_body(plain.record(body["cost"])),
            stopped=plain.text(body["stopped"]),
            settings=plain.record(body["settings"]),
            seed=plain.optional(plain.seed, body["seed"]),
            data_id=plain.optional(plain.text, body["data_id"]),
            scored=None if scored is None else Scored.from_body(plain.record(scored), graph.n),
            edge_probabilities=pair_mapping(body.get("edge_probabilities", []), graph.n, least=0, most=1),
            underpowered=frozenset(
                (plain.whole(x, graph.n), plain.whole(y, graph.n))
                for x, y in plain.items(body.get("underpowered", []))
            ),
            details=_details(body.get("details", {})),
            measured=None if body.get("effects") is None else effect_mapping(body["effects"], graph.n),
            facts=plain.optional(read_rows, body.get(KNOWLEDGE)),
        )

    def __str__(self) -> str:
        return explain.text(self)

    def __repr__(self) -> str:
        learner = self.settings.get("learner", "a learner")
        n, n_edges = self.graph.n - len(self.covariates), len(self._without_covariates(self.graph.edges))
        many = "edge" if n_edges == 1 else "edges"
        return (
            f"<LearnedStructure by {learner}: {n:,} variables, {n_edges:,} {many}, "
            f"{self.cost.n_tests:,} tests>"
        )

    def _repr_html_(self) -> str:
        from graphoid.report.notebook import html

        return html(self)


def _details(value: object) -> Json:
    """Return what a learner has to say beyond a graph; a directed graph is as it must be."""
    details = plain.record(value)
    for parents in plain.record(details.get("parents", {})).values():
        plain.texts(parents)
    return details


def strength(v: Verdict) -> float | None:
    """Return how strongly a verdict speaks for dependence (log10); None where it has no number."""
    if v.log_p is not None:
        return -v.log_p / math.log(10)
    if v.log_odds is not None:
        return -v.log_odds / math.log(10)
    return None
