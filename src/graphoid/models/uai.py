"""Models in the format of the UAI inference competitions, which other tools read and write.

A line with the kind of network, the number of variables, how many states each has, the number of tables, and
for each the number of its members and their positions; then for each table how many values it has, and the
values, the last member's state changing fastest. There are no names and no states. What follows a ``#`` on a
line is a comment.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import numpy as np

from graphoid.data.variables import Variable
from graphoid.errors import CountsTooLarge, DataError
from graphoid.models.factors import Factor, spread
from graphoid.models.network import MarkovNetwork
from graphoid.structure import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

LARGEST = 700.0
"""Logarithms above this overflow as plain numbers; such a table is divided by its largest value."""

MOST_STATES = 1_000_000
"""States of all variables together, where no table shows them: a number could promise any."""

MOST_DIGITS = 4_000
"""Of a number that counts: Python reads 4,300."""

PYAGRUM = "# nbr Factors"
"""What tells a file of pyAgrum (seen in 3.3), which lists members in the order of a hash table and has the
first position change fastest whatever it lists."""


def write(model: MarkovNetwork, path: str | os.PathLike[str]) -> None:
    """Write a model: a table for every set of variables that factors or features share.

    Members are listed from the last position to the first: some readers, pyAgrum's among them, take the first
    position to change fastest whatever is listed.
    """
    tables: dict[tuple[int, ...], NDArray[np.float64]] = {}
    for potential in model.potentials:
        scope = tuple(sorted(potential.members, reverse=True))
        size = math.prod(potential.arities)
        if size > model.max_cells:
            raise CountsTooLarge(
                f"a table of {len(scope)} variables would have {size:,} values; at most {model.max_cells:,} "
                f"are written (max_cells). Use shorter features."
            )
        values = spread(potential.members, potential.given(()).tables[..., 0], scope)
        tables[scope] = tables.get(scope, 0.0) + values
    scopes, numbers = [], []
    for scope, values in sorted(tables.items()):
        if values.max() > LARGEST:
            values = values - values.max()  # noqa: PLW2901 - the same up to a constant
        scopes.append(f"{len(scope)} {' '.join(map(str, scope))}")
        numbers.append(f"\n{values.size}\n{' '.join(repr(float(x)) for x in np.exp(values).ravel())}")
    lines = ["MARKOV", str(len(model.variables)), " ".join(map(str, model.arities)), str(len(scopes))]
    document.save("\n".join([*lines, *scopes, *numbers]), path)


def read(path: str | os.PathLike[str], variables: Sequence[Variable] | None = None) -> MarkovNetwork:
    """Return the model in a file, or raise one clear error."""
    where = repr(os.fspath(path))
    text = document.read_text(path)
    words = (word for line in text.splitlines() for word in line.partition("#")[0].split())
    kind = next(words, "")
    if kind not in ("MARKOV", "BAYES"):
        raise DataError(f"{where} is not a UAI file: it begins with {kind!r:.40}, not MARKOV or BAYES.")
    try:
        arities = _arities(words, max(MOST_STATES, len(text)))
        scopes = [_scope(words, len(arities)) for _ in range(_whole(words))]
        if PYAGRUM in text:
            scopes = [tuple(sorted(scope, reverse=True)) for scope in scopes]
        factors = tuple(_factor(words, scope, [arities[v] for v in scope]) for scope in scopes)
    except ValueError as error:
        raise DataError(f"{where} is not a whole UAI file: {error}.") from None
    if variables is None:
        variables = [Variable(str(v), tuple(range(arity))) for v, arity in enumerate(arities)]
    elif [v.arity for v in variables] != arities:
        raise DataError(
            f"{where} has variables with {arities} states; those given have {[v.arity for v in variables]}."
        )
    return MarkovNetwork(tuple(variables), factors=factors, provenance={"read": f"UAI, {kind}"})


def _arities(words: Iterator[str], most: int) -> list[int]:
    """Return how many states each variable has; who is in a table has at least as many values there."""
    arities = [_whole(words) for _ in range(_whole(words))]
    if sum(arities) > most:
        raise ValueError(f"it promises {sum(arities):,} states, and at most {most:,} are read")
    return arities


def _scope(words: Iterator[str], n: int) -> tuple[int, ...]:
    """Return the members of the next table."""
    scope = tuple([_whole(words) for _ in range(_whole(words))])
    if any(v >= n for v in scope):
        raise ValueError(f"a table is over variable {max(scope)}, and there are {n:,}")
    return scope


def _factor(words: Iterator[str], scope: tuple[int, ...], shape: list[int]) -> Factor:
    """Return the factor of the next table."""
    size = _whole(words)
    if size != math.prod(shape):
        raise ValueError(f"the table of {scope} has {size:,} values, not {math.prod(shape):,}")
    values = np.array([float(_word(words)) for _ in range(size)])
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"the table of {scope} has a value that is no finite number of at least 0")
    with np.errstate(divide="ignore"):
        return Factor(scope, np.log(values).reshape(shape))


def _whole(words: Iterator[str]) -> int:
    """Return the next word as a number that counts or places something."""
    word = _word(words)
    if not word.isdecimal():
        raise ValueError(f"{word!r:.40} stands where a whole number should")
    if len(word) > MOST_DIGITS:
        raise ValueError(f"{word[:20]}... has {len(word):,} digits")
    return int(word)


def _word(words: Iterator[str]) -> str:
    word = next(words, None)
    if word is None:
        raise ValueError("it ends too early and may be cut off")
    return word
