"""The likelihood-ratio test of conditional independence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from graphoid.independence.classical import ClassicalTest

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class GTest(ClassicalTest):
    r"""Judge X ⊥ Y | Z by the likelihood-ratio statistic.

    .. math:: G^2 = 2 \sum_{xyz} N_{xyz} \log \frac{N_{xyz} N_{z}}{N_{xz} N_{yz}}

    with :math:`N_{xyz}` the counts of a table whose slices are the configurations of Z. Settings, degrees of
    freedom and thin data are those of :class:`~graphoid.independence.classical.ClassicalTest`.

    Examples
    --------
    >>> import graphoid as gd
    >>> table = gd.read({"x": [0, 0, 1, 1] * 25, "y": [0, 1, 0, 1] * 25})
    >>> gd.Tester(gd.GTest(), table).independent("x", "y")
    True
    """

    _kind: ClassVar[str] = "g"

    def statistic(
        self, observed: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
    ) -> float:
        """Return the statistic, summed over slices (first axis)."""
        n = rows.sum(axis=1)[:, None, None]
        expected = rows[:, :, None] * columns[:, None, :] / n
        deviation = (observed * n - rows[:, :, None] * columns[:, None, :]) / n
        # N log(N / E) + E - N: the last two add up to nothing, and no term is negative, so nothing cancels
        ratio = np.divide(deviation, expected, out=np.zeros_like(expected), where=expected > 0)
        logs = np.log1p(ratio, out=np.zeros_like(ratio), where=observed > 0)
        terms = np.where(observed > 0, observed * logs - deviation, expected)
        small = np.abs(ratio) < 1e-3  # where even that cancels, the first terms of the series
        series = expected * ratio**2 * (1 / 2 - ratio / 6 + ratio**2 / 12 - ratio**3 / 20 + ratio**4 / 30)
        return float(2 * np.where(small, series, terms).sum())
