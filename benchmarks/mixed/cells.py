"""A cell of a comparison: the same tables given to several methods, and what came out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mixed.answers import Answer, Measured, measure
from mixed.page import sections
from mixed.peers import MissingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import graphoid as gd

    Method = Callable[[gd.Table], Answer]
    Value = Callable[[Answer, gd.UndirectedGraph], float]

OURS = "gd.learn"


class Options(NamedTuple):
    """What a run was asked for."""

    sets: int | None
    """Most data sets of a cell; None for as many as the bar says."""
    first: int
    """Seed of the first."""
    quick: bool
    """Whether to leave out what takes minutes."""
    only: tuple[str, ...] = ()
    """What the names of methods to run begin with; all if empty."""
    kept: Path | None = None
    """File that keeps what peers reached: they are run once, and only what is ours is run again."""

    def n_sets(self, usual: int) -> int:
        """Return how many data sets a cell has."""
        return min(usual, self.sets or (2 if self.quick else usual))


class Peer(NamedTuple):
    """A method and how many data sets of a cell it gets: those that take minutes get few."""

    method: Method
    most_sets: int = 1_000
    note: str = ""
    """What else is to be known, such as iterations."""


class Compared(NamedTuple):
    """Our value less that of a peer over the tables that both were given."""

    difference: float
    error: float
    """Its standard error; 0 where there is one table."""


skipped: set[str] = set()
"""Peers that are not here, each said once."""


def _read(path: Path) -> dict[str, list[float]]:
    """Return what peers reached in earlier runs."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


@dataclass
class Cell:
    """Answers by method, each a mapping from the seed of a table."""

    name: str
    found: dict[str, dict[int, Measured]] = field(default_factory=dict)

    def run(
        self,
        make: Callable[[int], tuple[gd.Table, gd.UndirectedGraph]],
        methods: Mapping[str, Peer],
        value: Value,
        options: Options,
        usual: int,
    ) -> Cell:
        """Give every table to every method; return self."""
        for k in range(options.n_sets(usual)):
            seed = options.first + k
            table, graph = make(seed)
            for name, peer in methods.items():
                wanted = not options.only or name.startswith(options.only)
                if wanted and k < peer.most_sets and name not in skipped:
                    self._one(name, peer, table, graph, value, seed, options.kept)
        row = {name: self.words(name, methods[name].note) for name in self.found}
        print(f"{self.name}: {'; '.join(f'{name} {said}' for name, said in row.items())}", flush=True)
        sections[-1].rows.append({"data": self.name, "sets": str(options.n_sets(usual)), **row})
        return self

    def _one(
        self,
        name: str,
        peer: Peer,
        table: gd.Table,
        graph: gd.UndirectedGraph,
        value: Value,
        seed: int,
        kept: Path | None,
    ) -> None:
        """Measure a method on a table, unless it is a peer of which the file of kept results has that."""
        key = f"{self.name} | {f'{name} {peer.note}'.strip()} | {seed} | {table.data_id}"
        known = _read(kept) if kept and name != OURS else {}
        if key in known:
            self.found.setdefault(name, {})[seed] = Measured(*known[key])
            return
        try:
            measured = measure(peer.method, table, lambda answer: value(answer, graph))
        except MissingError as reason:
            print(f"skipped: {name} ({reason})", flush=True)
            skipped.add(name)
            return
        self.found.setdefault(name, {})[seed] = measured
        if kept and name != OURS:
            kept.write_text(json.dumps({**known, key: list(measured)}, indent=0), encoding="utf-8")

    def values(self, name: str) -> list[float]:
        """Return what a method reached, by table."""
        return [measured.value for measured in self.found.get(name, {}).values()]

    def mean(self, name: str) -> float:
        """Return what a method reached on average."""
        return float(np.mean(self.values(name)))

    def seconds(self, name: str) -> list[float]:
        """Return CPU seconds of a method, by table."""
        return [measured.seconds for measured in self.found.get(name, {}).values()]

    def against(self, peer: str) -> Compared | None:
        """Return our value less that of a peer on the tables that both were given; None if there are none."""
        ours, theirs = self.found.get(OURS, {}), self.found.get(peer, {})
        both = [ours[seed].value - theirs[seed].value for seed in ours if seed in theirs]
        if not both:
            return None
        error = float(np.std(both, ddof=1) / np.sqrt(len(both))) if len(both) > 1 else 0.0
        return Compared(float(np.mean(both)), error)

    def peers(self) -> list[str]:
        """Return the methods that are not ours."""
        return [name for name in self.found if name != OURS]

    def words(self, name: str, note: str) -> str:
        """Return the mean of a method, its standard error and CPU seconds."""
        values, seconds = self.values(name), float(np.mean(self.seconds(name)))
        error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        few = len(values) < max(map(len, self.found.values()))
        more = [f"{len(values)} set{'s' * (len(values) > 1)}"] * few + [note] * bool(note)
        return f"{np.mean(values):.3f} ± {error:.3f} ({', '.join([f'{seconds:.2g} s', *more])})"
