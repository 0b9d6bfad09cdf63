"""What is known about edges before the data are seen, and what the data say about it.

Names become positions where knowledge meets a table (:meth:`Knowledge.on`); learners see
:class:`KnownPairs` only.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import Names, quote
from graphoid.logic.sets import mask
from graphoid.logic.verdict import Verdict
from graphoid.settings import PROBABILITY
from graphoid.structure import plain
from graphoid.structure.document import read_toml, refuse_pipe
from graphoid.structure.graph import Edge, UndirectedGraph
from graphoid.structure.scored import SHOWN_PAIRS

if TYPE_CHECKING:
    from graphoid.structure.document import Json

KNOWLEDGE = "knowledge"
"""The source of an answer that was given beforehand, and where settings keep what was given."""

CONTRADICTED = -3.0
"""Log Bayes factor for a fact below which the data contradict it: 20 to 1."""

KINDS = ("autoregressive", "lag 1", "contemporaneous")
"""Of the edges of a panel: one item in neighboring waves, two items in neighboring waves, one wave."""

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What is known about edges before the data are seen. Variables are called by their names.

    Parameters
    ----------
    required
        Pairs that have an edge.
    forbidden
        Pairs that have none.
    blocks
        Lists of variables in their order, such as earlier and later ones, or a mapping that names each list:
        no edge joins two blocks that are not neighbors. Blocks that are not named are called "1", "2", ...
        Variables in no block may be joined to any.
    prior
        The probability of an edge, above 0 and below 1, for pairs of variables, or for pairs of blocks (a
        block with itself: between its variables).
    waves
        How columns of a panel are called, such as ``"{item}_t{wave}"``, with the number of the wave: each
        wave is then a block, named by its number. Other columns are in no block.

    Examples
    --------
    >>> import graphoid as gd
    >>> known = gd.Knowledge(required=[("sex", "survived")], forbidden=[("class", "survived")])
    >>> found = gd.learn(gd.datasets.load("titanic"), knowledge=known)
    >>> found.graph.has_edge("sex", "survived"), found.graph.has_edge("class", "survived")
    (True, False)
    >>> [(row.fact, row.verdict) for row in found.knowledge]
    [('required', 'the data support this'), ('forbidden', 'the data contradict this')]
    """

    required: Sequence[Pair] = ()
    forbidden: Sequence[Pair] = ()
    blocks: Mapping[str, Sequence[str]] | Sequence[Sequence[str]] = field(default_factory=dict)
    prior: Mapping[Pair, float] = field(default_factory=dict)
    waves: str | None = None

    def __post_init__(self) -> None:
        own = {
            "required": _pairs(self.required, "required"),
            "forbidden": _pairs(self.forbidden, "forbidden"),
            "blocks": _blocks(self.blocks),
            "prior": _prior(self.prior),
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)
        both = {frozenset(pair) for pair in self.required} & {frozenset(pair) for pair in self.forbidden}
        for a, b in self.required:
            if frozenset((a, b)) in both:
                raise SettingsError(
                    f"knowledge: {a!r} and {b!r} are required and forbidden; say one of both."
                )
        decided = {frozenset(pair) for pair in (*self.required, *self.forbidden)}
        for a, b in self.prior:
            if a != b and frozenset((a, b)) in decided:
                raise SettingsError(
                    f"knowledge: {a!r} and {b!r} are required or forbidden and have a probability as well; "
                    f"say one of both."
                )
        if self.waves is not None:
            _wave_pattern(self.waves)
            if self.blocks:
                raise SettingsError("knowledge: waves are blocks already; give waves or blocks, not both.")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Return the knowledge in a TOML file.

        It has ``required`` and ``forbidden`` (lists of pairs), ``blocks`` (a list of lists, or a table that
        names them), ``waves``, and for each probability a table ``[[prior]]`` with ``pair`` and
        ``probability``; each may be left out.
        """
        where = repr(os.fspath(path))
        refuse_pipe(path)
        try:
            values = read_toml(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"{where} cannot be read: {error.strerror or error}.") from None
        except ValueError as error:
            raise DataError(f"{where} is not TOML that can be read: {error}.") from None
        return cls.from_values(values, where)

    @classmethod
    def from_values(cls, values: object, where: str = "knowledge") -> Self:
        """Return the knowledge that plain values describe: those of a TOML file, or of a result."""
        own: dict[str, Any] = dict(values) if isinstance(values, Mapping) else {repr(values): None}
        known = set(cls.__dataclass_fields__)
        if unknown := sorted(set(own) - known):
            raise SettingsError(f"{where} has {quote(unknown)}; knowledge has {', '.join(sorted(known))}.")
        rows = own.get("prior", [])
        prior: dict[Pair, float] = {}
        for row in rows if isinstance(rows, list) else [rows]:
            if not isinstance(row, Mapping) or set(row) != {"pair", "probability"}:
                raise SettingsError(f"{where}: each [[prior]] has a pair and a probability, not {row!r}.")
            (pair,) = _pairs([row["pair"]], "prior", same=True)
            prior[pair] = row["probability"]
        return cls(**{**own, "prior": prior})

    def to_values(self) -> dict[str, object]:
        """Return what was said as plain values, without what was not."""
        values: dict[str, object] = {
            "required": [list(pair) for pair in self.required],
            "forbidden": [list(pair) for pair in self.forbidden],
            "blocks": [{"name": name, "members": list(own)} for name, own in self.named_blocks.items()],
            "prior": [{"pair": list(pair), "probability": p} for pair, p in self.prior.items()],
            "waves": self.waves,
        }
        return {name: value for name, value in values.items() if value}

    @property
    def named_blocks(self) -> Mapping[str, Sequence[str]]:
        """The blocks by name, in their order."""
        return self.blocks if isinstance(self.blocks, Mapping) else {}

    def on(self, names: Sequence[str]) -> KnownPairs:
        """Return what is known of the pairs of variables, by position; unknown names are refused."""
        index = Names(tuple(names)).index
        blocks = self.blocks_of(names)
        self._refuse_unknown(index, blocks)
        at = {name: k for k, own in enumerate(blocks.values()) for name in own}
        masks = [mask(index[name] for name in own) for own in blocks.values()]
        apart = [sum(m for j, m in enumerate(masks) if abs(i - j) > 1) for i in range(len(masks))]
        forbidden = [apart[at[name]] if name in at else 0 for name in names]
        for a, b in (*self.required, *self.prior):
            if a in index and b in index and forbidden[index[a]] >> index[b] & 1:
                raise SettingsError(
                    f"knowledge: {a!r} and {b!r} are in blocks that are not neighbors, between which there "
                    f"is no edge; leave out what is said of the pair, or the blocks."
                )
        for a, b in self.forbidden:
            forbidden[index[a]] |= 1 << index[b]
            forbidden[index[b]] |= 1 << index[a]
        required = UndirectedGraph(names, [(index[a], index[b]) for a, b in self.required])
        own = UndirectedGraph.from_adjacency(tuple(names), forbidden)
        return KnownPairs(required, own, self._log_odds(index, blocks, required, own))

    def blocks_of(self, names: Sequence[str]) -> dict[str, Sequence[str]]:
        """Return the blocks among these variables, in their order, by name."""
        if self.waves is None:
            return dict(self.named_blocks)
        found: dict[int, list[str]] = {}
        for name, (_, wave) in self.items_of(names).items():
            found.setdefault(wave, []).append(name)
        if len(found) < 2:
            raise SettingsError(
                f"knowledge: waves is {self.waves!r}, and {len(found)} wave(s) are called so among "
                f"{quote(tuple(names))}; a panel has two or more."
            )
        return {str(wave): found[wave] for wave in sorted(found)}

    def items_of(self, names: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Return the item and the wave of every column of a panel."""
        if self.waves is None:
            return {}
        pattern = _wave_pattern(self.waves)
        matches = ((name, pattern.fullmatch(name)) for name in names)
        return {name: (m["item"], int(m["wave"])) for name, m in matches if m is not None}

    def _refuse_unknown(self, index: Mapping[str, int], blocks: Mapping[str, Sequence[str]]) -> None:
        """Raise for the first name that is neither a variable nor, in a probability, a block."""
        said = [(name, "an edge is required of") for pair in self.required for name in pair]
        said += [(name, "an edge is forbidden of") for pair in self.forbidden for name in pair]
        said += [(name, f"block {block!r} has") for block, own in blocks.items() for name in own]
        for name, what in said:
            if name not in index:
                raise SettingsError(
                    f"knowledge: {what} {name!r}, and no variable is called so; there are "
                    f"{quote(tuple(index))}."
                )
        for a, b in self.prior:
            if both := [name for name in (a, b) if name in index and name in blocks]:
                raise SettingsError(f"knowledge: {both[0]!r} is a variable and a block; rename the block.")
            variables = a in index and b in index and a != b
            if not variables and not (a in blocks and b in blocks):
                raise SettingsError(
                    f"knowledge: a probability is that of two variables or of two blocks, not of {a!r} and "
                    f"{b!r}; there are the variables {quote(tuple(index))} and "
                    f"{f'the blocks {quote(tuple(blocks))}' if blocks else 'no blocks'}."
                )

    def _log_odds(
        self,
        index: Mapping[str, int],
        blocks: Mapping[str, Sequence[str]],
        required: UndirectedGraph,
        forbidden: UndirectedGraph,
    ) -> dict[Edge, float]:
        """Return the log odds of pairs; what is said of a pair goes before what is said of its blocks."""
        found: dict[Edge, float] = {}
        place = {name: k for k, name in enumerate(blocks)}
        for (a, b), p in sorted(self.prior.items(), key=lambda said: said[0][0] in index):
            odds = math.log(p) - math.log1p(-p)
            if a in index:
                pairs: Iterable[tuple[str, str]] = [(a, b)]
            elif abs(place[a] - place[b]) > 1:
                raise SettingsError(
                    f"knowledge: the blocks {a!r} and {b!r} are not neighbors, so no edge joins them; leave "
                    f"out their probability."
                )
            else:
                pairs = combinations(blocks[a], 2) if a == b else product(blocks[a], blocks[b])
            for one, other in pairs:
                x, y = sorted((index[one], index[other]))
                if not (required.adjacency[x] | forbidden.adjacency[x]) >> y & 1:
                    found[x, y] = odds
        return found

    def kind_of(self, x: str, y: str) -> str | None:
        """Return which of :data:`KINDS` an edge of a panel is; None of columns that are in no wave."""
        items = self.items_of((x, y))
        if len(items) < 2:
            return None
        (item, wave), (other, later) = items[x], items[y]
        if wave == later:
            return "contemporaneous"
        return "autoregressive" if item == other else "lag 1"


def _pairs(said: object, where: str, *, same: bool = False) -> tuple[Pair, ...]:
    """Return pairs of names, each once."""
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise SettingsError(f"knowledge: {where} is {said!r}; expected pairs of names such as [('a', 'b')].")
    found: dict[frozenset[str], Pair] = {}
    for pair in said:
        names = tuple(pair) if isinstance(pair, (tuple, list)) else ()
        if len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise SettingsError(f"knowledge: {where} has {pair!r}; a pair is two names, such as ('a', 'b').")
        if names[0] == names[1] and not same:
            raise SettingsError(f"knowledge: {where} has {pair!r}; an edge joins two different variables.")
        found.setdefault(frozenset(names), (names[0], names[1]))
    return tuple(found.values())


def _blocks(said: object) -> dict[str, tuple[str, ...]]:
    """Return blocks by name; each variable is in one."""
    if isinstance(said, Mapping):
        named: Iterable[tuple[object, object]] = said.items()
    elif isinstance(said, str) or not isinstance(said, Iterable):
        raise SettingsError(f"knowledge: blocks is {said!r}; expected lists of names.")
    else:
        named = [
            (own["name"], own["members"])
            if isinstance(own, Mapping) and own.keys() == {"name", "members"}
            else (str(place), own)
            for place, own in enumerate(said, 1)
        ]
    found: dict[str, tuple[str, ...]] = {}
    block_of: dict[str, str] = {}
    for name, own in named:
        if isinstance(own, str) or not isinstance(own, Iterable) or not isinstance(name, str):
            raise SettingsError(f"knowledge: block {name!r} is {own!r}; expected a list of names.")
        members = tuple(own)
        for member in members:
            if not isinstance(member, str):
                raise SettingsError(f"knowledge: block {name!r} has {member!r}, which is no name.")
            if member in block_of:
                raise SettingsError(
                    f"knowledge: {member!r} is in the blocks {block_of[member]!r} and {name!r}; "
                    f"it can be in one."
                )
            block_of[member] = name
        found[name] = members
    return found


def _prior(said: object) -> dict[Pair, float]:
    if not isinstance(said, Mapping):
        raise SettingsError(f"knowledge: prior is {said!r}; expected probabilities by pairs of names.")
    found: dict[Pair, float] = {}
    for pair, probability in said.items():
        (names,) = _pairs([pair], "prior", same=True)
        if probability not in PROBABILITY:
            raise SettingsError(
                f"knowledge: the probability of {names[0]!r} and {names[1]!r} is {probability!r}; it must be "
                f"above 0 and below 1 (required and forbidden are 1 and 0)."
            )
        if names[::-1] in found and names[0] != names[1]:
            raise SettingsError(f"knowledge: {names[0]!r} and {names[1]!r} have two probabilities; say one.")
        found[names] = float(probability)
    return found


def _wave_pattern(said: str) -> re.Pattern[str]:
    """Return what finds the item and the wave of a column in its name."""
    if not isinstance(said, str) or said.count("{item}") != 1 or said.count("{wave}") != 1:
        raise SettingsError(
            f"knowledge: waves is {said!r}; it says where a name has its item and the number of its wave, "
            f"such as '{{item}}_t{{wave}}'."
        )
    parts = {"{item}": "(?P<item>.+)", "{wave}": "(?P<wave>[0-9]+)"}
    return re.compile(
        "".join(parts.get(part, re.escape(part)) for part in re.split(r"(\{item\}|\{wave\})", said))
    )


@dataclass(frozen=True)
class KnownPairs:
    """What is known of the pairs of a table, by position."""

    required: UndirectedGraph
    forbidden: UndirectedGraph
    """Blocks forbid most pairs, for which masks are smaller than blankets."""
    log_odds: Mapping[Edge, float]
    """Of pairs that have a probability of their own."""

    @cached_property
    def decided(self) -> tuple[int, ...]:
        """For every variable the mask of those that it is known to be joined to, or not."""
        return tuple(a | b for a, b in zip(self.required.adjacency, self.forbidden.adjacency, strict=True))

    @property
    def n_decided(self) -> int:
        """How many pairs are known to be joined or not."""
        return sum(map(int.bit_count, self.decided)) // 2

    def is_open(self, x: int, y: int) -> bool:
        """Return whether a pair may be joined or not."""
        return not self.decided[x] >> y & 1

    def impose(self, graph: UndirectedGraph) -> UndirectedGraph:
        """Return a graph with all required edges and no forbidden one."""
        blankets = (
            tuple(sorted({*required, *(y for y in own if not apart >> y & 1)}))
            for own, required, apart in zip(
                graph.blankets, self.required.blankets, self.forbidden.adjacency, strict=True
            )
        )
        return UndirectedGraph.of_sorted_blankets(graph.names, blankets)

    def answer(self, x: int, y: int, given: tuple[int, ...]) -> Verdict | None:
        """Return the answer that need not be asked for: who is joined depends on each other given anything.

        That a pair is not joined says that it is independent given some; what a search for neighbors wants to
        know of it is that, and no more.
        """
        if self.is_open(x, y):
            return None
        return Verdict(x, y, given, bool(self.forbidden.adjacency[x] >> y & 1), source=KNOWLEDGE)

    def decide(self, probabilities: Mapping[Edge, float]) -> dict[Edge, float]:
        """Return probabilities of pairs, of which those that are known are 1 and 0."""
        masks = self.forbidden.adjacency
        few = sum(map(int.bit_count, masks)) // 2 <= SHOWN_PAIRS
        apart = self.forbidden.edges if few else ((x, y) for x, y in probabilities if masks[x] >> y & 1)
        known = dict.fromkeys(self.required.edges, 1.0) | dict.fromkeys(apart, 0.0)
        return dict(sorted({**probabilities, **known}.items()))

    def restrict(self, variables: Sequence[int]) -> KnownPairs:
        """Return what is known of the pairs of some variables."""
        if list(variables) == list(range(self.required.n)):
            return self
        place = {v: i for i, v in enumerate(variables)}
        names = [self.required.names[v] for v in variables]

        def inside(pairs: Iterable[Edge]) -> list[Edge]:
            return [
                (min(place[x], place[y]), max(place[x], place[y]))
                for x, y in pairs
                if x in place and y in place
            ]

        odds = {pair: v for (x, y), v in self.log_odds.items() for pair in inside([(x, y)])}
        required, forbidden = (
            UndirectedGraph(names, inside(g.edges)) for g in (self.required, self.forbidden)
        )
        return KnownPairs(required, forbidden, odds)


class KnowledgeRow(NamedTuple):
    """A fact that was given, and what the data say about it."""

    fact: str
    """"required", "forbidden", "forbidden by blocks", or "probability" and the number."""
    x: str
    y: str
    log_bayes_factor: float | None
    """For the fact, against its contrary; None where it was not measured."""
    verdict: str
    """"the data support this", "the data contradict this", "the data leave this open" or "not measured"."""

    @classmethod
    def of(cls, fact: str, x: str, y: str, log_bayes_factor: float | None) -> Self:
        """Return the row of a fact, with the verdict that goes with the number."""
        if log_bayes_factor is None:
            return cls(fact, x, y, None, "not measured")
        said = "contradict this" if log_bayes_factor < CONTRADICTED else "leave this open"
        said = "support this" if log_bayes_factor > -CONTRADICTED else said
        return cls(fact, x, y, log_bayes_factor, f"the data {said}")

    @property
    def contradicted(self) -> bool:
        """Whether the data contradict the fact."""
        return self.log_bayes_factor is not None and self.log_bayes_factor < CONTRADICTED

    def __str__(self) -> str:
        number = (
            ""
            if self.log_bayes_factor is None
            else f" (log Bayes factor for it {self.log_bayes_factor:,.2f})"
        )
        return f"{self.x} – {self.y}, {self.fact}: {self.verdict}{number}"


def read_knowledge(settings: Json) -> Knowledge | None:
    """Return what the settings of a result say was known."""
    return Knowledge.from_values(settings[KNOWLEDGE]) if settings.get(KNOWLEDGE) else None


def read_rows(rows: object) -> tuple[KnowledgeRow, ...]:
    """Return the rows that a file has."""
    return tuple(
        KnowledgeRow.of(
            plain.text(fact),
            plain.text(x),
            plain.text(y),
            None if number is None else float(plain.number(number)),
        )
        for fact, x, y, number, *_ in map(plain.items, plain.items(rows))
    )


class HasKnowledge(Protocol):
    """A result that says what the data say about facts."""

    @property
    def knowledge(self) -> tuple[KnowledgeRow, ...]:
        """A row for every fact."""


def knowledge_body(settings: Json, found: HasKnowledge) -> dict[str, object]:
    """Return the part of a file that has the rows; nothing where nothing was known."""
    return {KNOWLEDGE: [list(row) for row in found.knowledge]} if settings.get(KNOWLEDGE) else {}


SHOWN_FACTS = 12
"""Facts that are shown: those that the data contradict first."""


def knowledge_sentences(rows: Sequence[KnowledgeRow]) -> list[str]:
    """Return what the data say about facts, in sentences; none where nothing was known."""
    if not rows:
        return []
    wrong = sum(row.contradicted for row in rows)
    facts = "1 fact" if len(rows) == 1 else f"{len(rows):,} facts"
    sentences = [
        f"known beforehand: {facts}, of which the data contradict {f'{wrong:,}' if wrong else 'none'}."
    ]
    sentences += [f"{row}." for row in sorted(rows, key=lambda row: not row.contradicted)[:SHOWN_FACTS]]
    more = len(rows) - SHOWN_FACTS
    return [*sentences, f"and {more:,} more; knowledge has them all."] if more > 0 else sentences
