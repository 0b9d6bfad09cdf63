"""How complex a structure is, and how likely that makes it before any data are seen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

PRIORS = ("aicc", "exp")
"""What the setting ``prior`` may be."""


def degrees_of_freedom(
    regions: Mapping[frozenset[Hashable], int], sizes: Mapping[Hashable, int], target: Hashable
) -> int:
    r"""Return the degrees of freedom of a model that predicts one variable ([Jakulin2006]_, Eq. 4).

    .. math:: \sum_{\langle S, c \rangle} c \Bigl(\prod_{V \in S} |V| - \prod_{V \in S, V \ne Y} |V|\Bigr)

    Parameters
    ----------
    regions
        Regions with their counting numbers.
    sizes
        How many values each variable has.
    target
        The variable that is predicted.

    Notes
    -----
    The search adds them up as it goes: a face that a hyperedge brings adds :math:`(|Y| - 1) \prod (|V| - 1)`.
    """
    return sum(
        c * (math.prod(sizes[v] for v in region) - math.prod(sizes[v] for v in region if v != target))
        for region, c in regions.items()
    )


def log_prior(dof: NDArray[np.float64], n_rows: float, prior: str = "aicc") -> NDArray[np.float64]:
    r"""Return the logarithm of the prior of structures with some degrees of freedom.

    "aicc" is :math:`-m\,df / (m - df - 1)` ([Jakulin2006]_, Eq. 5), with :math:`m` the ``n_rows`` learned
    from, and minus infinity from :math:`df = m - 1` on; "exp" is :math:`-df`.
    """
    if prior == "exp":
        return -dof
    left = n_rows - dof - 1.0
    return np.where(left > 0, -n_rows * dof / np.where(left > 0, left, 1.0), -np.inf)
