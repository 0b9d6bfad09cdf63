"""What a bootstrap found: everything is kept, so that nothing has to be chosen before the run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, NamedTuple, get_args

import numpy as np

from graphoid.errors import DataError, missing_extra
from graphoid.scores.communities import communities
from graphoid.structure import plain
from graphoid.structure.document import Document, Json
from graphoid.structure.effect import MATTERS
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.uncertainty import intervals
from graphoid.uncertainty.checkpoint import array, number, numbers, pack_pairs, unpack_pairs
from graphoid.uncertainty.inclusion import MEANINGS, Inclusion
from graphoid.uncertainty.intervals import LEARNER, OFTEN, RULE
from graphoid.uncertainty.pair_effects import NUMBERS
from graphoid.uncertainty.replicates import pairs_of
from graphoid.uncertainty.resampling import Kind
from graphoid.uncertainty.stability import (
    CentralityRow,
    CurveRow,
    DifferenceRow,
    SelectionRow,
    correlations,
    cs_coefficient,
    curve,
    node_sums,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from numpy.typing import NDArray


class EdgeStability(NamedTuple):
    """One pair of variables: how often it is joined, how strongly, and the verdict."""

    x: str
    y: str
    joined: bool
    """Whether the learner joins them from all rows."""
    frequency: float
    """Share of the resamples in which they are joined."""
    size: float | None
    """Effect size; None where rows are too few for it, or pairs too many to measure those that are not found.
    """
    low: float | None
    high: float | None
    """Its interval of 95 %."""
    weight: float | None
    """Signed edge weight; None also where a variable has more than two states without an order."""
    weight_low: float | None
    weight_high: float | None
    """Its interval of 95 %."""
    bits: float | None
    """Conditional mutual information, corrected for its bias; None where slices have too few rows for it."""
    measure: str | None
    """"log_odds" or "partial_correlation", or None where there is no such number."""
    value: float | None
    value_low: float | None
    value_high: float | None
    """That number, and its interval of 95 %."""
    p_value: float | None
    """How probable such an effect, or a larger one, is where there is none."""
    given: tuple[str, ...]
    """What both are looked at given: the rest of the smaller blanket."""
    verdict: str
    """"present", "absent" or "undecided"."""
    rule: str
    """How the verdict comes about."""
    probability: float | None = None
    """Posterior probability from all rows, where the learner or its test is Bayesian: see
    :data:`graphoid.uncertainty.inclusion.MEANINGS`."""
    mean_probability: float | None = None
    """Its mean over the resamples in which the pair was looked at."""
    bayes_factor: float | None = None
    """Inclusion Bayes factor from all rows: posterior odds over prior odds."""


@dataclass(frozen=True, eq=False, repr=False)
class Resampled(Document):
    """Graphs and strengths from the resamples of a table.

    Made by :class:`~graphoid.Bootstrap`. Pairs x < y are in the order of their positions, x major.
    """

    FORMAT: ClassVar[str] = "graphoid bootstrap"

    graph: UndirectedGraph
    """What the learner found in all rows."""
    kind: str
    seed: int
    shares: tuple[float, ...]
    """How the table was resampled; the share of the rows that every resample kept."""
    n_rows: float
    data_id: str
    learner: str
    """Where it comes from."""
    found: NDArray[np.bool_]
    """For every resample which pairs were joined."""
    given: tuple[tuple[int, ...], ...]
    """For every pair what it was looked at given."""
    signs: NDArray[np.bool_]
    """For every pair whether more of one may go with more or less of the other: whether both have an
    order or two states."""
    continuous: NDArray[np.bool_]
    """For every pair whether its columns are numbers."""
    followed: NDArray[np.int64]
    """Places of the pairs whose strength was followed through the resamples."""
    effects: NDArray[np.float64]
    """For every pair :data:`graphoid.uncertainty.pair_effects.NUMBERS`, from all rows."""
    weights: NDArray[np.float64]
    """For every resample and the pairs that were followed the edge weight, or the size where there is none.
    """
    inclusion: Inclusion | None = None
    """Posterior probabilities, where the learner or its test is Bayesian; else None."""
    own_verdicts: tuple[str, ...] | None = None
    """What the learner itself says of every pair, where it gives probabilities; else None."""

    @cached_property
    def pairs(self) -> list[Edge]:
        """All pairs of variables."""
        return pairs_of(self.graph.n)

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """For every pair the share of the resamples in which it is joined."""
        return np.asarray(self.found.mean(axis=0), dtype=np.float64)

    @cached_property
    def verdicts(self) -> list[str]:
        """Of every pair; its ``rule`` says how they come about."""
        if self.own_verdicts is not None:
            return list(self.own_verdicts)
        if self.kind == "cases":
            return ["undecided"] * len(self.pairs)
        joined = np.array([self.graph.has_edge(x, y) for x, y in self.pairs])
        often = self.frequencies >= OFTEN
        p = self.effects[:, NUMBERS.index("p_value")]
        present = joined & often & intervals.discoveries(np.nan_to_num(p, nan=1.0))
        absent = ~joined & ~often & (self.effects[:, NUMBERS.index("high")] < MATTERS)
        named = np.where(present, "present", np.where(absent, "absent", "undecided"))
        return [str(verdict) for verdict in named]

    def edges(self, verdict: str | None = None) -> list[EdgeStability]:
        """Return a row for every pair, by position; ready for ``pandas.DataFrame``.

        Parameters
        ----------
        verdict
            Only pairs called "present", "absent" or "undecided".
        """
        rows = [self._row(i) for i in range(len(self.pairs))]
        return [row for row in rows if verdict in (None, row.verdict)]

    def _row(self, i: int) -> EdgeStability:
        (x, y), names = self.pairs[i], self.graph.names
        effect = dict(zip(NUMBERS, map(number, self.effects[i]), strict=True))
        measure = "partial_correlation" if self.continuous[i] else "log_odds"
        known = self.inclusion
        return EdgeStability(
            x=names[x],
            y=names[y],
            joined=self.graph.has_edge(x, y),
            frequency=float(self.frequencies[i]),
            **effect,
            measure=None if effect["value"] is None else measure,
            given=tuple(names[z] for z in self.given[i]),
            verdict=self.verdicts[i],
            rule=LEARNER
            if self.own_verdicts is not None
            else RULE
            if self.kind != "cases"
            else "no verdict from dropped cases: resample halves.",
            probability=None if known is None else number(known.whole[i]),
            mean_probability=None if known is None else known.mean(i),
            bayes_factor=None if known is None else known.bayes_factor(i),
        )

    def centrality(self) -> list[CentralityRow]:
        """Return strength, expected influence and bridge strength of every variable, with 95 % intervals.

        Bridge strength counts edges into other communities (:attr:`communities`, of the graph of all rows).
        Expected influence is left out where no edge has a sign.
        """
        community = {v: k for k, members in enumerate(self.communities) for v in members}
        rows = []
        for measure in self._measures:
            whole, replicates = self._sums(measure)
            low, high = np.quantile(np.vstack([replicates, whole]), intervals.ENDS, axis=0)
            low, high = np.minimum(low, whole), np.maximum(high, whole)
            rows += [
                CentralityRow(name, measure, float(whole[v]), float(low[v]), float(high[v]), community[v])
                for v, name in enumerate(self.graph.names)
            ]
        return rows

    @cached_property
    def communities(self) -> list[list[int]]:
        """Communities of the graph of all rows, its edges weighing their effect sizes; the largest first."""
        place = {pair: i for i, pair in enumerate(self.pairs)}
        sizes = np.nan_to_num(self.effects[:, 0])
        weights = {edge: float(sizes[place[edge]]) for edge in self.graph.edges}
        return communities(range(self.graph.n), weights)

    def bridges(self) -> list[CentralityRow]:
        """Return the variables with edges into other communities, the strongest first."""
        rows = [row for row in self.centrality() if row.measure == "bridge_strength" and row.value > 0]
        return sorted(rows, key=lambda row: -row.value)

    @property
    def _measures(self) -> tuple[str, ...]:
        signed = bool((self.signs & np.isfinite(self.effects[:, 3]))[self.followed].any())
        return ("strength", *(("expected_influence",) if signed else ()), "bridge_strength")

    def _sums(self, measure: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a centrality from all rows, and a line of it from every resample."""
        pairs = [self.pairs[i] for i in self.followed]
        if measure == "expected_influence":
            counted = self.signs[self.followed]
            whole, lines = self.effects[self.followed, 3][None], self.weights
        else:
            counted = np.ones(len(pairs), dtype=bool)
            whole, lines = self.effects[self.followed, 0][None], np.abs(self.weights)
        if measure == "bridge_strength":
            community = {v: k for k, members in enumerate(self.communities) for v in members}
            counted = np.array([community[x] != community[y] for x, y in pairs], dtype=bool)
        joined = np.array([self.graph.has_edge(x, y) for x, y in pairs], dtype=bool) & counted
        n = self.graph.n
        of_all = node_sums(n, pairs, np.where(joined, np.nan_to_num(whole), 0.0))[0]
        there = self.found[:, self.followed] & counted
        return of_all, node_sums(n, pairs, np.where(there, np.nan_to_num(lines), 0.0))

    def stability(self) -> list[CurveRow]:
        """Return how well the centrality of a share of the rows agrees with that of all: the case-drop curve.

        For ``kind="cases"``; other kinds keep all rows, and have one point each.
        """
        shares = np.array(self.shares)
        rows = []
        for measure in self._measures:
            whole, replicates = self._sums(measure)
            rows += curve(measure, shares, correlations(replicates, whole))
        return rows

    def cs_coefficient(self, measure: str = "strength") -> float:
        """Return the correlation-stability coefficient of a centrality: the largest share that can go."""
        rows = [row for row in self.stability() if row.measure == measure]
        if not rows or self.kind != "cases":
            raise DataError(
                f"there is no case-drop curve of {measure!r}: resample with kind='cases', and ask for one of "
                f"{', '.join(self._measures)}."
            )
        return cs_coefficient(rows)

    def differences(self) -> list[DifferenceRow]:
        """Return for every two edges of the graph whether their sizes differ, with 95 % intervals."""
        sizes, lines = self.effects[self.followed, 0], np.abs(self.weights)
        at = {int(i): k for k, i in enumerate(self.followed)}
        edges = [(i, at[i]) for i, pair in enumerate(self.pairs) if self.graph.has_edge(*pair) and i in at]
        edges = [(i, k) for i, k in edges if np.isfinite(sizes[k])]
        names, rows = self.graph.names, []
        for (i, a), (j, b) in combinations(edges, 2):
            middle = float(sizes[a] - sizes[b])
            low, high = np.quantile(lines[:, a] - lines[:, b], intervals.ENDS)
            low, high = min(low, middle), max(high, middle)
            (x, y), (x2, y2) = self.pairs[i], self.pairs[j]
            ends = names[x], names[y], names[x2], names[y2]
            apart = bool(low > 0 or high < 0)
            rows.append(DifferenceRow(*ends, middle, float(low), float(high), apart))
        return rows

    def selection(self) -> list[SelectionRow]:
        """Return how often each edge that was ever found is found, by the share of the rows kept."""
        shares = np.array(self.shares)
        names, rows = self.graph.names, []
        for i in np.flatnonzero(self.found.any(axis=0)):
            x, y = self.pairs[i]
            for share in sorted(set(self.shares), reverse=True):
                here = self.found[shares == share, i]
                rows.append(SelectionRow(names[x], names[y], share, len(here), float(here.mean())))
        return rows

    def to_frame(self, what: str = "edges") -> pd.DataFrame:
        """Return "edges", "centrality", "differences", "stability" or "selection" as a pandas data frame."""
        tables: dict[str, Callable[[], Sequence[NamedTuple]]] = {
            "edges": self.edges,
            "centrality": self.centrality,
            "differences": self.differences,
            "stability": self.stability,
            "selection": self.selection,
        }
        if what not in tables:
            raise DataError(f"there is no table {what!r}; there are {', '.join(tables)}.")
        try:
            import pandas as pd
        except ImportError:
            raise missing_extra("a data frame", "pandas") from None
        return pd.DataFrame(tables[what]())

    def to_body(self) -> Json:
        """Return everything as plain values."""
        return {
            "names": list(self.graph.names),
            "edges": [list(edge) for edge in self.graph.edges],
            "kind": self.kind,
            "seed": self.seed,
            "shares": list(self.shares),
            "n_rows": self.n_rows,
            "data_id": self.data_id,
            "learner": self.learner,
            "found": pack_pairs(self.found),
            "given": [list(given) for given in self.given],
            "signs": self.signs.tolist(),
            "continuous": self.continuous.tolist(),
            "followed": self.followed.tolist(),
            "effects": numbers(self.effects),
            "weights": numbers(self.weights),
            "inclusion": None
            if self.inclusion is None
            else {name: v if name == "of" else numbers(v) for name, v in vars(self.inclusion).items()},
            "own_verdicts": self.own_verdicts,
        }

    @classmethod
    def from_body(cls, body: Json) -> Resampled:
        """Return the bootstrap that plain values describe."""
        graph = UndirectedGraph.from_body(body["names"], body["edges"])
        n_pairs = graph.n * (graph.n - 1) // 2
        parts = {
            name: plain.items(body[name]) for name in ("given", "signs", "continuous", "shares", "found")
        }
        n = len(parts["found"])
        for name, values in parts.items():
            expected = n if name in ("shares", "found") else n_pairs
            if len(values) != expected or not n:
                raise DataError(f"{name} has {len(values):,} values where there should be {expected:,}.")
        followed = plain.positions(body["followed"], n_pairs)
        return cls(
            graph=graph,
            kind=plain.choice(body["kind"], get_args(Kind)),
            seed=plain.seed(body["seed"]),
            shares=tuple(plain.number(share, least=0, most=1) for share in parts["shares"]),
            n_rows=plain.number(body["n_rows"], least=0),
            data_id=plain.text(body["data_id"]),
            learner=plain.text(body["learner"]),
            found=unpack_pairs(parts["found"], n_pairs),
            given=tuple(plain.positions(given, graph.n) for given in parts["given"]),
            signs=np.array(list(map(plain.flag, parts["signs"])), dtype=bool),
            continuous=np.array(list(map(plain.flag, parts["continuous"])), dtype=bool),
            followed=np.array(followed, dtype=np.int64),
            effects=array(body["effects"], (n_pairs, len(NUMBERS))),
            weights=array(body["weights"], (n, len(followed))),
            inclusion=_unpack_inclusion(body.get("inclusion"), n_pairs, n),
            own_verdicts=None
            if body.get("own_verdicts") is None
            else _unpack_verdicts(body["own_verdicts"], n_pairs),
        )

    def __repr__(self) -> str:
        counts = {v: self.verdicts.count(v) for v in ("present", "absent", "undecided")}
        said = ", ".join(f"{number:,} {verdict}" for verdict, number in counts.items())
        return f"<Resampled: {len(self.found):,} resamples ({self.kind}) of {self.n_rows:,.0f} rows; {said}>"


def _unpack_verdicts(body: object, n_pairs: int) -> tuple[str, ...]:
    said = tuple(plain.choice(word, ("present", "absent", "undecided")) for word in plain.items(body))
    if len(said) != n_pairs:
        raise DataError(f"own_verdicts has {len(said):,} values where there should be {n_pairs:,}.")
    return said


def _unpack_inclusion(body: object, n_pairs: int, n: int) -> Inclusion | None:
    if body is None:
        return None
    body = plain.record(body)
    whole, against = (array(body[name], (n_pairs,), least=0, most=1) for name in ("whole", "against"))
    prior, replicates = array(body["prior_log_odds"], (n_pairs,)), array(body["replicates"], (n, n_pairs))
    return Inclusion(plain.choice(body["of"], MEANINGS), whole, against, prior, replicates)
