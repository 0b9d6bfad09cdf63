"""Files that graphoid saves: JSON with format, version and a digest. Nothing in one is ever run.

And verdicts, and numbers of pairs, as rows of such a file.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tomllib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias, TypeVar

from graphoid.errors import DataError, GraphoidError, GraphoidWarning
from graphoid.logic.verdict import Fact, Verdict
from graphoid.structure import plain, whole_file

Json: TypeAlias = Mapping[str, Any]
"""Plain values by name, as JSON holds them; who reads a value from a file checks it."""


WRONG = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What values of another kind than expected lead to."""

ROUNDING = 1e-6
"""How far above zero rounding may take the logarithm of a probability."""


ANSWER = {True: True, False: False}
"""What is true or false, and nothing else."""


class Document(ABC):
    """What is saved as a file of its own format: it turns into plain values and comes back from them."""

    FORMAT: ClassVar[str]
    VERSION: ClassVar[int] = 1

    @abstractmethod
    def to_body(self) -> Json:
        """Return everything as plain values."""

    @classmethod
    @abstractmethod
    def from_body(cls, body: Json) -> Self:
        """Return what plain values describe; any error says that they describe nothing."""

    def to_json(self) -> str:
        """Return everything as JSON text; :meth:`from_json` reads it."""
        return pack(self.FORMAT, self.VERSION, self.to_body())

    @classmethod
    def from_json(cls, text: str, where: str = "the text") -> Self:
        """Return what :meth:`to_json` wrote, or raise one clear error that calls the text ``where``."""
        return _parse(text, where, [cls])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a JSON file, which :func:`graphoid.load` reads."""
        save(self.to_json(), path)


AnyDocument = TypeVar("AnyDocument", bound=Document)


def load(path: str | os.PathLike[str], kinds: Sequence[type[AnyDocument]]) -> AnyDocument:
    """Return what a file holds, one of some kinds of documents.

    A damaged, changed or newer file is refused in one sentence.
    """
    return _parse(read_text(path), repr(os.fspath(path)), kinds)


def _parse(text: str, where: str, kinds: Sequence[type[AnyDocument]]) -> AnyDocument:
    found = unpack(text, where, {kind.FORMAT: kind.VERSION for kind in kinds})
    kind = next(kind for kind in kinds if found.format == kind.FORMAT)
    with reading(where):
        return kind.from_body(found.body)


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Make one clear sentence of what is wrong with values that are read from a file."""
    try:
        yield
    except KeyError as error:
        raise DataError(f"{where} has a part that graphoid did not write (there is no {error}).") from None
    except (*WRONG, GraphoidError) as error:
        reason = str(error).removesuffix(".")
        raise DataError(f"{where} has a part that graphoid did not write ({reason}).") from None


class Unpacked(NamedTuple):
    """What is inside a file: the format says what the body describes."""

    format: str
    body: Json


def pack(format_: str, version: int, body: Json) -> str:
    """Return a body as JSON text: format, version, a digest of the body, and the body."""
    text = _text(body, allow_nan=False)
    head = json.dumps({"format": format_, "version": version, "digest": _digest(text)}, separators=(",", ":"))
    return f'{head[:-1]},"body":{text}}}'


def unpack(text: str, where: str, versions: Mapping[str, int]) -> Unpacked:
    """Return the document in JSON text, or raise one clear error.

    Parameters
    ----------
    text
        The whole of it.
    where
        What to call it in a message.
    versions
        The formats expected, and the newest version of each that can be read.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is not whole JSON ({error}); it may be cut off. Save it again.") from None
    format_ = document.get("format") if isinstance(document, dict) else None
    if not isinstance(format_, str) or format_ not in versions:
        expected = " or ".join(f"a {name.removeprefix('graphoid ')}" for name in versions)
        raise DataError(f"{where} is JSON, but not {expected} that graphoid saved.")
    version, newest = document.get("version"), versions[format_]
    if isinstance(version, int) and version > newest:
        raise DataError(
            f"{where} was saved by a newer graphoid (file version {version}; this one reads {newest}). "
            f"Upgrade graphoid."
        )
    body = document.get("body")
    try:  # what cannot be written was not written: no number that is none, no half of a character
        same = document.get("digest") == _digest(_text(body, allow_nan=False), "strict")
    except (ValueError, RecursionError):
        same = False
    if version != newest or not isinstance(body, dict) or not same:
        raise DataError(f"{where} was damaged or changed after it was saved: its digest does not match.")
    return Unpacked(format_, body)


def refuse_another_run(found: object, run: Json, where: str) -> None:
    """Raise if a file that a run would go on from was begun by another run."""
    known = found if isinstance(found, dict) else {}
    for name, value in run.items():
        if known.get(name) != value:
            raise DataError(
                f"{where} belongs to another run: its {name} is {known.get(name)!r}, here it is {value!r}. "
                f"Give another file, or the same settings."
            )


def save(text: str, path: str | os.PathLike[str]) -> None:
    """Write text and the end of its last line to a file, whole or not at all."""
    whole_file.write(path, text + "\n")


def check_checkpoint(path: str | os.PathLike[str]) -> None:
    """Raise, before a run begins, if what it finds on the way cannot be kept in a file."""
    refuse_pipe(path)
    try:
        whole_file.probe(path)
    except OSError as error:
        raise DataError(
            f"checkpoint {os.fspath(path)!r} cannot be written: {error.strerror or error}; give another file."
        ) from None


def save_checkpoint(text: str, path: str | os.PathLike[str]) -> None:
    """Write what a run has found so far to a file, or warn: a full disk does not take the run along."""
    try:
        save(text, path)
    except OSError as error:
        warnings.warn(
            f"checkpoint {os.fspath(path)!r} cannot be written now ({error.strerror or error}); the run goes "
            f"on, and what was kept before stays.",
            GraphoidWarning,
            stacklevel=3,
        )


def refuse_pipe(path: str | os.PathLike[str]) -> None:
    """Raise if a path is no file that ends: a pipe would be waited for, a device may go on for ever."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise DataError(f"{os.fspath(path)!r} is a pipe or a device; expected a file.")


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, or raise one clear error."""
    refuse_pipe(path)
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise DataError(
            f"{os.fspath(path)!r} is not a text file; expected JSON that graphoid saved."
        ) from None
    except ValueError as error:  # a NUL, or half of a character
        raise DataError(f"no file can be called {os.fspath(path)!r}: {error}.") from None


_PART = r"""(?:[\w-]++|"[^"\n]*"|'[^'\n]*')"""
_DEEP = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{64}}")
"""A name in TOML of so many parts: each is a value within the one before, and Python's reader takes memory by
the square of their number."""


def read_toml(text: str) -> dict[str, Any]:
    """Return the values in TOML text, or raise a ValueError that says in a line what is wrong."""
    too_deep = ValueError("it has values too deep in each other")
    if _DEEP.search(text):
        raise too_deep
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise too_deep from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise ValueError("it has a number of more digits than are read") from None


def digest(body: object) -> str:
    """Return a digest of the content, whatever the layout of the text."""
    return _digest(_text(body, allow_nan=True))


def _text(body: object, *, allow_nan: bool) -> str:
    """Return a body as text, the same for equal bodies."""
    return json.dumps(body, ensure_ascii=False, allow_nan=allow_nan, sort_keys=True, separators=(",", ":"))


def _digest(text: str, errors: str = "surrogatepass") -> str:
    return hashlib.blake2b(text.encode("utf-8", errors), digest_size=16).hexdigest()


def pair_rows(numbers: Mapping[tuple[int, int], float]) -> list[list[float]]:
    """Return a row for every pair: its two positions, and its number."""
    return [[x, y, number] for (x, y), number in numbers.items()]


def pair_mapping(rows: object, n: int, **limits: float) -> dict[tuple[int, int], float]:
    """Return the numbers of pairs of ``n`` variables that :func:`pair_rows` wrote; they keep to limits."""
    return {
        (plain.whole(x, n), plain.whole(y, n)): float(plain.number(number, **limits))
        for x, y, number in map(plain.items, plain.items(rows))
    }


def to_row(v: Verdict) -> list[object]:
    """Return a verdict as a JSON row; infinite numbers are words there, since JSON has none."""
    row: list[object] = [
        str(value) if value.__class__ is float and not math.isfinite(value) else value for value in v[:-1]
    ]
    row.append([[fact.x, fact.y, fact.given, fact.independent] for fact in v.because])
    return row


def verdicts(fields: object, rows: object, n: int) -> tuple[Verdict, ...]:
    """Return the verdicts on ``n`` variables in JSON rows, whose fields are named once for all."""
    names = tuple(plain.texts(fields))
    position: dict[object, int] = {v: v for v in range(n)}
    try:
        listed: Iterable[Sequence[Any]] = plain.items(rows)
        if names != Verdict._fields:  # written when verdicts had other fields
            listed = (Verdict(**dict(zip(names, row, strict=True))) for row in listed)
        return tuple([_verdict(row, position) for row in listed])
    except KeyError as error:
        raise ValueError(f"no variable is {error} and no answer") from None


def _verdict(row: Sequence[Any], position: Mapping[object, int]) -> Verdict:
    """Return the verdict in a row; there may be millions, so what is not a position is not looked up."""
    x, y, given, independent, *numbers, thin, source, because = row
    known = [
        value if value is None or value.__class__ is float else plain.any_number(value) for value in numbers
    ]
    _, _, _, log_p, log_odds, _ = known
    # these are compared and written as powers of ten, so they are numbers
    if (log_p is not None and not log_p <= ROUNDING) or log_odds != log_odds:
        raise ValueError(f"log_p is {log_p} and log_odds is {log_odds}")
    if x == y or source.__class__ is not str:
        raise ValueError(f"expected two variables and a source, got {x!r}, {y!r} and {source!r}")
    question = position[x], position[y], tuple([position[z] for z in given])
    facts = tuple([_fact(fact, position) for fact in because]) if because else ()
    return Verdict._make((*question, ANSWER[independent], *known, ANSWER[thin], source, facts))


def _fact(row: Sequence[Any], position: Mapping[object, int]) -> Fact:
    x, y, given, independent = row
    known = [position[z] for z in given]
    return Fact.of(position[x], position[y], known, independent=ANSWER[independent])
