"""Pearson's chi-square test of conditional independence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graphoid.independence.classical import ClassicalTest
from graphoid.independence.pearson_null import pearson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class ChiSquare(ClassicalTest):
    r"""Judge X ⊥ Y | Z by Pearson's statistic.

    .. math:: X^2 = \sum_{xyz} \frac{(N_{xyz} - E_{xyz})^2}{E_{xyz}},
       \qquad E_{xyz} = \frac{N_{xz} N_{yz}}{N_z}

    with :math:`N_{xyz}` the counts of a table whose slices are the configurations of Z. Settings, degrees of
    freedom and thin data are those of :class:`~graphoid.independence.classical.ClassicalTest`.

    Examples
    --------
    >>> import graphoid as gd
    >>> table = gd.read({"x": [0, 0, 1, 1] * 25, "y": [0, 1, 0, 1] * 25})
    >>> gd.Tester(gd.ChiSquare(alpha=0.01), table).ask([("x", "y", ())])[0].p_value
    1.0
    """

    _kind: ClassVar[str] = "chi_square"

    def statistic(
        self, observed: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
    ) -> float:
        """Return the statistic, summed over slices (first axis)."""
        return pearson(observed, rows, columns)


DEFAULT_TEST = ChiSquare()
"""The test of learners that are given none."""
