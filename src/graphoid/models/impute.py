"""Holes of rows drawn from a model: Gibbs sweeps over the missing cells of all rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.errors import SettingsError
from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Vector = NDArray[np.float64]

    Draw = Callable[[int, Matrix, np.random.Generator], Vector]
    """Returns a code or a score of a variable for each of some rows, drawn given the rest of the row."""

SWEEPS = 50
"""Sweeps over the missing cells; the chains begin at values of other rows, and have to forget them."""


def fill_holes(values: Matrix, sweeps: int, draw: Draw, start: Draw, rng: np.random.Generator) -> Matrix:
    """Return rows without holes, drawn given what was observed.

    Parameters
    ----------
    values
        Codes and scores, a line a row; NaN where nothing was observed.
    sweeps
        How often every missing cell is drawn.
    draw
        Draws a variable given all others.
    start
        Draws a variable that no row has.
    rng
        Where all random numbers come from.
    """
    if sweeps < 1:
        raise SettingsError(f"sweeps is {sweeps}; expected a number of at least 1.")
    filled, holes = values.copy(), np.isnan(values)
    some = np.flatnonzero(holes.any(axis=0)).tolist()
    for v in some:
        seen, hidden = np.sort(values[~holes[:, v], v]), holes[:, v]
        n = int(hidden.sum())
        filled[hidden, v] = rng.choice(seen, n) if len(seen) else start(v, filled[hidden], rng)
    for _ in range(sweeps if some else 0):
        check_time()
        for v in some:
            hidden = holes[:, v]
            filled[hidden, v] = draw(v, filled[hidden], rng)
    return filled


def draw_states(log_p: Matrix, rng: np.random.Generator) -> Vector:
    """Return a state for every row from log probabilities, a line a state."""
    cumulative = np.cumsum(np.exp(log_p - log_p.max(axis=0)), axis=0)
    u = rng.random(log_p.shape[1])
    return np.asarray((u * cumulative[-1] >= cumulative[:-1]).sum(axis=0), dtype=np.float64)
