"""Bayesian networks from BIF text.

BIF is the interchange format of [Cozman1998]_: a block for each variable and one for each probability table.
What reads it elsewhere comes with a whole modelling library, so this is a reader of its own.
"""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from graphoid.data.variables import Variable
from graphoid.datasets.bayesian import BayesianNetwork
from graphoid.errors import DataError
from graphoid.structure.document import refuse_pipe

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

_SPACE = re.compile(r"\s*")
_COMMENT = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_WORD = re.compile(r'"[^"\n]*"|[^\s,;|(){}\[\]"]+')
_NAME = r'("[^"\n]*"|[^\s,;|(){}\[\]"]+)'
_HEAD = {
    "network": re.compile(rf"\s*(?:{_NAME}\s*)?\{{"),
    "variable": re.compile(rf"\s*{_NAME}\s*\{{"),
    "probability": re.compile(r"\s*\(([^(){};]*)\)\s*\{"),
}
_END = re.compile(r"\s*\}")
_PROPERTY = re.compile(r'\s*property\b(?:"[^"\n]*"|[^;"])*;')
_TYPE = re.compile(r"\s*type\s+discrete\s*\[\s*(\d+)\s*\]\s*\{([^{}]*)\}\s*;")
_ENTRY = re.compile(r"\s*(?:\(([^(){};]*)\)|(table|default)\b)\s*([^;(){}]*);")

_TOLERANCE = 1e-3
"""How far probabilities may be from adding up to one: published files are rounded to three digits or more."""

MOST_CELLS = 2**24
"""Probabilities of all tables together: 128 MB. Mildew, a large published network, has 540,150."""

MOST_PARENTS = 60
"""Arrays have at most 64 axes."""

MOST_BYTES = 2**28
"""Text that a compressed file may become."""


def bayesian_network(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Return the Bayesian network of a BIF file, to sample from.

    Parameters
    ----------
    path
        A file in BIF text, or the same compressed (.gz).

    Returns
    -------
    BayesianNetwork
        With ``.sample(n, random_state)``, ``.names``, ``.parents``, and ``.graph``, its moral graph.

    Raises
    ------
    DataError
        The file cannot be read, or is not BIF; the message has the line.

    Notes
    -----
    Probabilities that miss one by at most 0.001 are divided by their sum. Properties are passed over.
    """
    path = Path(path)
    refuse_pipe(path)
    try:
        content = path.read_bytes()
        text = (_decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8")
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise DataError(f"{path} cannot be read as a BIF file: {error}.") from error
    name = path.name.removesuffix(".gz").removesuffix(".bif")
    return parse_bif(text, name)


def _decompress(content: bytes) -> bytes:
    """Return what is compressed, if it is not too much."""
    with gzip.open(io.BytesIO(content)) as stream:
        found = stream.read(MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise EOFError(f"{len(content):,} bytes become more than {MOST_BYTES:,}")
    return found


def parse_bif(text: str, name: str = "network") -> BayesianNetwork:
    """Return the Bayesian network of BIF text; ``name`` is for messages and for the tables sampled."""
    return _Reader(text, name).network()


class _Reader:
    """Goes through the text from block to block; ``at`` is where it stands."""

    def __init__(self, text: str, name: str) -> None:
        # comments become blanks: positions and lines stay what they were
        self.text = _COMMENT.sub(_blank, text)
        self.name = name
        self.at = 0
        self.variables: dict[str, Variable] = {}
        self.n_cells = 0
        self.families: dict[str, tuple[tuple[str, ...], NDArray[np.float64]]] = {}

    def network(self) -> BayesianNetwork:
        """Return the network of the whole text."""
        readers = {
            "network": lambda *_: self._close("network"),
            "variable": self._variable,
            "probability": self._probability,
        }
        while self._skip():
            word = _WORD.match(self.text, self.at)
            if word is None or word.group() not in readers:
                found = word.group() if word else self.text[self.at]
                self._fail(f"expected 'network', 'variable' or 'probability', found {found[:40]!r}")
            self.at = word.end()
            head = _HEAD[word.group()].match(self.text, self.at)
            if head is None:
                self._fail(f"'{word.group()}' is not followed by what it is about and '{{'")
            start, self.at = self.at, head.end()
            readers[word.group()](head, start)
        position = {name: i for i, name in enumerate(self.variables)}
        if not position:
            self._fail("there are no variables")
        for v in position:
            if v not in self.families:
                self._fail(f"there is no probability table for {v!r}")
        families = [self.families[v] for v in position]
        return BayesianNetwork(
            tuple(self.variables.values()),
            tuple(tuple(position[u] for u in parents) for parents, _ in families),
            tuple(table for _, table in families),
            self.name,
        )

    def _variable(self, head: re.Match[str], start: int) -> None:
        name = _unquote(head.group(1))
        if name in self.variables:
            self._fail(f"{name!r} is declared twice", start)
        while match := _PROPERTY.match(self.text, self.at):
            self.at = match.end()
        kind = _TYPE.match(self.text, self.at)
        if kind is None:
            self._fail(f"{name!r} needs 'type discrete [ number ] {{ states }};'")
        states = tuple(_words(kind.group(2)))
        if len(states) != int(kind.group(1)) or len(set(states)) < len(states) or not states:
            self._fail(f"{name!r} should have {kind.group(1)} different states; found {', '.join(states)}")
        self.variables[name] = Variable(name, states)
        self.at = kind.end()
        self._close(name)

    def _probability(self, head: re.Match[str], start: int) -> None:
        child, _, given = head.group(1).partition("|")
        family = [*_words(child), *_words(given)]
        for v in family:
            if v not in self.variables:
                self._fail(f"there is no variable {v!r}", start)
        if len(_words(child)) != 1 or len(set(family)) < len(family):
            self._fail("a table is for one variable given others", start)
        x, *parents = family
        if x in self.families:
            self._fail(f"{x!r} has two probability tables", start)
        self.families[x] = (tuple(parents), self._table(x, parents))
        self._close(x)

    def _table(self, x: str, parents: list[str]) -> NDArray[np.float64]:
        """Return the entries of a probability block; they stand for the parents' states in any order."""
        shape = [self.variables[v].arity for v in parents]
        arity = self.variables[x].arity
        codes = [{state: i for i, state in enumerate(self.variables[v].states)} for v in parents]
        self.n_cells += math.prod(shape) * arity
        if len(parents) > MOST_PARENTS or self.n_cells > MOST_CELLS:
            self._fail(
                f"the table of {x!r} given {len(parents)} parents has {math.prod(shape) * arity:,} "
                f"probabilities; at most {MOST_CELLS:,} in all and {MOST_PARENTS} parents are read"
            )
        table = np.full((*shape, arity), np.nan)
        default = None
        while True:
            if match := _PROPERTY.match(self.text, self.at):
                self.at = match.end()
                continue
            match = _ENTRY.match(self.text, self.at)
            if match is None:
                break
            self._skip()
            states, word, values = match.groups()
            if word == "table":
                # the variable first, the last parent varies fastest
                whole = self._numbers(values, arity * int(np.prod(shape)))
                table[...] = np.moveaxis(whole.reshape(arity, *shape), 0, -1)
            elif word == "default":
                default = self._numbers(values, arity)
            else:
                labels = _words(states)
                try:
                    cell = tuple(code[label] for code, label in zip(codes, labels, strict=True))
                except (KeyError, ValueError):
                    self._fail(
                        f"({', '.join(labels)}) are not states of {', '.join(parents) or 'no parents'}"
                    )
                table[cell] = self._numbers(values, arity)
            self.at = match.end()
        if default is not None:
            table[np.isnan(table).any(axis=-1)] = default
        return self._normalize(x, table)

    def _normalize(self, x: str, table: NDArray[np.float64]) -> NDArray[np.float64]:
        missing = int(np.isnan(table).any(axis=-1).sum())
        if missing:
            self._fail(f"{missing:,} configuration(s) of the parents of {x!r} have no probabilities")
        total = table.sum(axis=-1, keepdims=True)
        if (table < 0).any() or not (np.abs(total - 1) <= _TOLERANCE).all():
            worst = float(total.ravel()[np.abs(total - 1).argmax()])
            self._fail(
                f"probabilities of {x!r} must not be negative and add up to 1; a row adds up to {worst:g}"
            )
        return np.asarray(table / total)

    def _numbers(self, text: str, expected: int) -> NDArray[np.float64]:
        words = text.replace(",", " ").split()
        try:
            numbers = np.array(words, dtype=np.float64)
        except ValueError:
            self._fail(f"these are not all numbers: {text[:60].strip()}")
        if len(numbers) != expected or not np.isfinite(numbers).all():
            self._fail(f"expected {expected:,} probabilities, found {len(numbers):,}: {text[:60].strip()}")
        return numbers

    def _skip(self) -> bool:
        """Go to the next character that is not blank; return whether there is one."""
        blank = _SPACE.match(self.text, self.at)
        self.at = blank.end() if blank else self.at
        return self.at < len(self.text)

    def _close(self, name: str) -> None:
        while match := _PROPERTY.match(self.text, self.at):
            self.at = match.end()
        end = _END.match(self.text, self.at)
        if end is None:
            if not self._skip():
                self._fail(f"the block of {name!r} has no end")
            found = self.text[self.at : self.at + 40].split("\n")[0]
            self._fail(f"the block of {name!r} cannot have {found!r}")
        self.at = end.end()

    def _fail(self, what: str, at: int | None = None) -> NoReturn:
        """Raise with the line where the reader stands; the last one, if it has come to the end."""
        if at is None:
            at = self.at if self._skip() else len(self.text.rstrip())
        line = self.text.count("\n", 0, at) + 1
        raise DataError(f"{self.name}, line {line}: {' '.join(what.split())}.")


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)


def _words(text: str) -> list[str]:
    return [_unquote(word) for word in _WORD.findall(text)]


def _unquote(word: str) -> str:
    return word[1:-1] if word.startswith('"') else word
