"""Minima of smooth functions of many weights: SciPy's L-BFGS, kept to one thread of linear algebra."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from graphoid.limits import check_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray
    from threadpoolctl import ThreadpoolController

    Vector = NDArray[np.float64]

MEMORY = 20
"""Steps remembered: thousands of weights need fewer iterations than with the usual 10."""


class Minimum(NamedTuple):
    """Where a search ended."""

    at: Vector
    value: float
    slope: Vector
    """The derivatives there."""
    n_iterations: int


def minimize(
    loss: Callable[[Vector], tuple[float, Vector]],
    start: Vector,
    *,
    most_iterations: int,
    slope: float,
    gain: float = 0.0,
    bounds: Sequence[tuple[float | None, float | None]] | None = None,
) -> Minimum:
    """Return where a function is smallest, by L-BFGS.

    Parameters
    ----------
    loss
        Value and derivatives.
    start
        Where to begin.
    most_iterations
        After which to stop, or after twice as many evaluations.
    slope
        Stop where no derivative is larger.
    gain
        Stop when a step gains less than this share of the loss.
    bounds
        The least and the largest value of each weight.
    """
    from scipy import optimize  # not at the top: `import graphoid` stays light

    options = {
        "maxiter": most_iterations,
        "maxfun": 2 * most_iterations,
        "maxcor": MEMORY,
        "ftol": gain,
        "gtol": slope,
    }

    def watch(weights: Vector) -> tuple[float, Vector]:
        check_time()
        return loss(weights)

    with one_thread():
        found = optimize.minimize(watch, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return Minimum(found.x, float(found.fun), found.jac, int(found.nit))


def one_thread() -> AbstractContextManager[object]:
    """While inside, linear algebra has one thread.

    Threads take several times as long to start as a product of such vectors, and how many there are would
    decide how sums are rounded.
    """
    limit: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limit


@cache
def _libraries() -> ThreadpoolController:
    """Return the control of the libraries that NumPy and SciPy use; finding them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
