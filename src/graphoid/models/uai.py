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
from graphoid.models.factors import Factor
from graphoid.models.network import MarkovNetwork
from graphoid.structure import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LARGEST = 700.0
"""Logarithms above this overflow as plain numbers; such a table is divided by its largest value."""


def write(model: MarkovNetwork, path: str | os.PathLike[str]) -> None:
    """Write a model: a table for each of its factors, and for each set of variables that features share."""
    scopes, tables = [], []
    for potential in model.potentials:
        size = math.prod(potential.arities)
        if size > model.max_cells:
            raise CountsTooLarge(
                f"a table of {len(potential.members)} variables would have {size:,} values; at most "
                f"{model.max_cells:,} are written (max_cells). Use shorter features."
            )
        log_values = potential.given(())
        values = log_values.tables[..., 0].ravel()
        if values.max(initial=0.0) > LARGEST:
            values = values - values.max()
        scopes.append(f"{len(potential.members)} {' '.join(map(str, potential.members))}")
        tables.append(f"\n{size}\n{' '.join(repr(float(x)) for x in np.exp(values))}")
    lines = ["MARKOV", str(len(model.variables)), " ".join(map(str, model.arities)), str(len(scopes))]
    document.save("\n".join([*lines, *scopes, *tables]), path)


def read(path: str | os.PathLike[str], variables: Sequence[Variable] | None = None) -> MarkovNetwork:
    """Return the model in a file, or raise one clear error."""
    where = repr(os.fspath(path))
    words = _words(document.read_text(path))
    kind = next(words, "")
    if kind not in ("MARKOV", "BAYES"):
        raise DataError(f"{where} is not a UAI file: it begins with {kind!r:.40}, not MARKOV or BAYES.")
    try:
        arities = [_whole(words) for _ in range(_whole(words))]
        scopes = [tuple(_whole(words) for _ in range(_whole(words))) for _ in range(_whole(words))]
        factors = tuple(_factor(words, scope, [arities[v] for v in scope]) for scope in scopes)
    except StopIteration:
        raise DataError(f"{where} ends too early: a UAI file that was cut off.") from None
    except (ValueError, IndexError) as error:
        raise DataError(f"{where} is not a whole UAI file: {error}.") from None
    if variables is None:
        variables = [Variable(str(v), tuple(range(arity))) for v, arity in enumerate(arities)]
    elif [v.arity for v in variables] != arities:
        raise DataError(
            f"{where} has variables with {arities} states; those given have {[v.arity for v in variables]}."
        )
    return MarkovNetwork(tuple(variables), factors=factors, provenance={"read": f"UAI, {kind}"})


def _factor(words: Iterator[str], scope: tuple[int, ...], shape: list[int]) -> Factor:
    """Return the factor of the next table."""
    size = _whole(words)
    if size != math.prod(shape):
        raise ValueError(f"the table of {scope} has {size:,} values, not {math.prod(shape):,}")
    values = np.array([float(next(words)) for _ in range(size)])
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(f"the table of {scope} has a value that is no finite number of at least 0")
    with np.errstate(divide="ignore"):
        return Factor(scope, np.log(values).reshape(shape))


def _words(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from line.partition("#")[0].split()


def _whole(words: Iterator[str]) -> int:
    """Return the next word as a number that counts or places something."""
    word = next(words)
    if not word.isdecimal():
        raise ValueError(f"{word!r:.40} stands where a whole number should")
    return int(word)
