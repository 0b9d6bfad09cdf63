"""The Cochran-Mantel-Haenszel test: one association for all slices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.engine import Columns, Kernel, refuse_if_too_many_states
from graphoid.independence.base import slices_of
from graphoid.independence.classical import SignificanceTest
from graphoid.independence.tail import log_chi2_sf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphoid.counts.contingency import Counts
    from graphoid.logic.assertion import Assertion
    from graphoid.logic.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class MantelHaenszel(SignificanceTest):
    r"""Judge X ⊥ Y | Z by what the slices of Z have in common.

    What the cells of a slice have more than independence expects is added up over the slices, and so are the
    covariances of these differences given the margins of each slice:

    .. math:: d_{xy} = \sum_z \Bigl( N_{xyz} - \frac{N_{xz} N_{yz}}{N_z} \Bigr), \qquad
       V = \sum_z \frac{(N_z \operatorname{diag} r_z - r_z r_z^T) \otimes
                        (N_z \operatorname{diag} c_z - c_z c_z^T)}{N_z^2 (N_z - 1)}, \qquad
       Q = d^T V^{-1} d

    with :math:`r_z` the counts :math:`N_{xz}` of the states of X in slice z, :math:`c_z` those of Y, and the
    last state of each left out. Q is chi-square with :math:`(|X|-1)(|Y|-1)` degrees of freedom however many
    slices there are. Where an association has the same direction in all of them, as in a pairwise Markov
    network, the test sees it in far fewer rows than :class:`~graphoid.ChiSquare`, whose degrees of freedom
    grow with the slices. One that changes direction from slice to slice may escape it.

    Parameters
    ----------
    alpha
        Significance: dependent if and only if the p-value is at most alpha.
    thin
        What to do about tables with too few rows. Slices are never too small for this test, but those of one
        row say nothing.

    Notes
    -----
    The statistic for general association of [Mantel1959]_ and [Agresti2013]_, section 8.4.3, without a
    continuity correction. States that never meet a choice leave V singular; degrees of freedom are its rank.
    Without Z it is Pearson's statistic times :math:`(N-1)/N`.

    Examples
    --------
    >>> import graphoid as gd
    >>> ci = gd.Tester(gd.MantelHaenszel(), gd.datasets.load("titanic"))
    >>> verdict, = ci.ask([("sex", "survived", ("class",))])
    >>> verdict.independent, verdict.dof
    (False, 1.0)
    """

    @property
    def kernel(self) -> Kernel:
        """The same test for engines that judge next to the counts."""
        return Kernel("mantel_haenszel")

    def judge(self, a: Assertion, counts: Counts) -> Verdict:
        """Judge ``a`` from its counts."""
        rx, ry = counts.shape[-2:]
        refuse_if_too_many_states(rx, ry)
        slices = slices_of(counts)
        statistic, dof = association(slices)
        log_p = log_chi2_sf(statistic, dof)
        numbers = ([v] for v in (statistic, dof, math.exp(log_p), log_p, 0.0, float(len(slices) * rx * ry)))
        return self.verdicts(Columns([a.x], [a.y], [a.given], *numbers), counts.total)[0]


def association(
    slices: NDArray[np.float64],
    to_x: NDArray[np.float64] | None = None,
    to_y: NDArray[np.float64] | None = None,
) -> tuple[float, float]:
    """Return the statistic and its degrees of freedom for the slices (first axis) of a table.

    ``to_x`` and ``to_y`` make columns of numbers of the states of X and Y, a line each; unless they are
    given, every state but the last is a column.
    """
    n = slices.sum(axis=(1, 2))
    slices, n = slices[n > 1], n[n > 1]
    to_x = np.eye(slices.shape[1])[:-1] if to_x is None else to_x
    to_y = np.eye(slices.shape[2])[:-1] if to_y is None else to_y
    size = len(to_x) * len(to_y)
    if not len(slices) or not size:
        return 0.0, 0.0
    rows, columns = slices.sum(axis=2), slices.sum(axis=1)
    expected_n = rows[:, :, None] * columns[:, None, :]  # n times what is expected: a whole number
    difference = ((slices * n[:, None, None] - expected_n) / n[:, None, None]).sum(axis=0)
    spread_x, spread_y = to_x @ _spread(rows, n) @ to_x.T, to_y @ _spread(columns, n) @ to_y.T
    covariance = np.einsum("zik,zjl,z->ijkl", spread_x, spread_y, 1 / (n**2 * (n - 1)), optimize=True)
    values, vectors = np.linalg.eigh(covariance.reshape(size, size))
    # directions without variance carry no information; rounding leaves far less than this of them
    kept = values > 1e-10 * max(float(values[-1]), 0.0)
    along = vectors[:, kept].T @ (to_x @ difference @ to_y.T).reshape(-1)
    return float((along**2 / values[kept]).sum()), float(kept.sum())


def _spread(margin: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return n diag(m) - m m' for the margin m of every slice."""
    spread = -margin[:, :, None] * margin[:, None, :]
    i = np.arange(margin.shape[1])
    spread[:, i, i] += n[:, None] * margin
    return spread
