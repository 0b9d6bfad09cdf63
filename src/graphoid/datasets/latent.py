"""Gaussian variables behind what is seen: continuous, ordered and count columns whose network is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri, pdtr

from graphoid.datasets.columns import numbers_column, states_column, table_of
from graphoid.errors import SettingsError
from graphoid.structure.graph import UndirectedGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from graphoid.data.table import Table
    from graphoid.data.variables import Kind

    Matrix = NDArray[np.float64]

PARTIAL = 0.15
"""Entry of the precision matrix where [Gobler2024]_ joins two variables; its diagonal is one."""

MOST_TRIES = 1_000
"""Draws of a precision matrix until one is positive definite; of those published about all are."""


class Margin(NamedTuple):
    """How a standard normal variable is seen.

    With ``cuts`` as the number of them that it exceeds, an ordered column or a count; without as it is,
    raised to ``power``.
    """

    cuts: tuple[float, ...] = ()
    power: int = 1
    kind: Kind = "ordered"


@dataclass(frozen=True, eq=False)
class LatentGaussian:
    """Gaussian variables with a known precision matrix, each seen through a monotone function.

    Made by :func:`mixed_copula`, :func:`factor_blocks` and :func:`gaussian`.

    Parameters
    ----------
    precision
        Inverse of the covariance, positive definite; the latent variables are standardized.
    margins
        How each variable is seen.
    name
        For the tables sampled.

    Notes
    -----
    The graph is that of the latent variables. Of columns that are cut into states the rest of the latent
    variable stays unseen, and pairs that the graph does not join may depend a little given all others.
    """

    precision: Matrix
    margins: tuple[Margin, ...]
    name: str = "latent Gaussian"

    def __post_init__(self) -> None:
        if self.precision.shape != (len(self.margins), len(self.margins)):
            raise SettingsError(
                f"precision must be a square matrix with a row for each of the {len(self.margins)} margins; "
                f"got an array of shape {self.precision.shape}."
            )
        if not (np.allclose(self.precision, self.precision.T) and _is_positive(self.precision)):
            raise SettingsError("precision must be symmetric and positive definite; this matrix is not.")

    @cached_property
    def graph(self) -> UndirectedGraph:
        """Variables are joined where the precision matrix is not zero."""
        n = len(self.margins)
        return UndirectedGraph(n, [(x, y) for x, y in combinations(range(n), 2) if self.precision[x, y]])

    def sample(self, n: int, random_state: Generator | int | None = None) -> Table:
        """Return a table of ``n`` independent rows.

        Parameters
        ----------
        n
            How many rows.
        random_state
            Seed or generator; None for a different sample each time.
        """
        if n < 0:
            raise SettingsError(f"n is a number of rows and cannot be {n}.")
        latent = self.latent(n, random_state)
        columns = [
            numbers_column(name, latent[:, x] ** margin.power)
            if not margin.cuts
            else states_column(
                name, np.searchsorted(margin.cuts, latent[:, x]), len(margin.cuts) + 1, margin.kind
            )
            for x, (name, margin) in enumerate(zip(self.graph.names, self.margins, strict=True))
        ]
        return table_of(columns, n, "independent rows", self.name)

    def latent(self, n: int, random_state: Generator | int | None = None) -> Matrix:
        """Return the latent variables of ``n`` rows, those of :meth:`sample` for the same seed."""
        covariance = np.linalg.inv(self.precision)
        scale = np.sqrt(np.diag(covariance))
        root = np.linalg.cholesky(covariance / np.outer(scale, scale))
        draws = np.random.default_rng(random_state).normal(size=(n, len(self.margins)))
        return np.asarray(draws @ root.T)

    def __repr__(self) -> str:
        return f"<LatentGaussian {self.name!r}: {self.graph.n:,} variables, {self.graph.n_edges:,} edges>"


def factor_blocks(
    n_blocks: int = 3,
    n_items: int = 8,
    *,
    loading: float = 0.9,
    cuts: Sequence[float] = (-1.5, -0.5, 0.5, 1.5),
) -> LatentGaussian:
    r"""Return ordered items in blocks, those of a block being answers to the same question.

    Item :math:`k` of block :math:`b` is the number of ``cuts`` below

    .. math:: \lambda f_b + e_k, \qquad f_b, e_k \sim N(0, 1)

    with :math:`\lambda` the ``loading``. As the factors are not seen, all items of a block are joined.

    Examples
    --------
    >>> from graphoid import datasets
    >>> items = datasets.factor_blocks()
    >>> items.graph.n_edges
    84
    >>> items.sample(2000, random_state=5)
    <Table 'factor blocks': 2,000 rows x 24 variables>
    """
    share = loading**2
    block: Matrix = np.eye(n_items) - share / (1 + n_items * share) * np.ones((n_items, n_items))
    margin = Margin(tuple(float(cut) / np.sqrt(1 + share) for cut in cuts))
    precision = np.asarray(np.kron(np.eye(n_blocks), block), dtype=np.float64)
    return LatentGaussian(precision, (margin,) * (n_blocks * n_items), "factor blocks")


def gaussian(
    graph: UndirectedGraph,
    rng: Generator | int | None,
    *,
    weakest: float = 0.15,
    strongest: float = 0.4,
) -> LatentGaussian:
    r"""Return a Gaussian network whose edges have partial correlations of random sign.

    Sizes are uniform between ``weakest`` and ``strongest``; where the precision matrix of unit diagonal that
    they make is not positive definite with a smallest eigenvalue of at least .1, its diagonal is raised until
    it is, which shrinks all of them by the same factor.

    Parameters
    ----------
    graph
        The structure.
    rng
        Seed or generator for the partial correlations.
    weakest, strongest
        Their least and largest absolute value.

    Examples
    --------
    >>> from graphoid import datasets
    >>> datasets.gaussian(datasets.hub_graph(50), rng=0).sample(200, random_state=1)
    <Table 'Gaussian': 200 rows x 50 variables>
    """
    rng = np.random.default_rng(rng)
    precision = np.zeros((graph.n, graph.n))
    for x, y in graph.edges:
        precision[x, y] = precision[y, x] = rng.choice([-1, 1]) * rng.uniform(weakest, strongest)
    least = float(np.linalg.eigvalsh(precision)[0]) if graph.n else 0.0
    return LatentGaussian(
        precision + max(1.0, 0.1 - least) * np.eye(graph.n), (Margin(),) * graph.n, "Gaussian"
    )


def mixed_copula(
    n: int, rng: Generator | int | None, *, n_edges: int | None = None, cubed: bool = False
) -> LatentGaussian:
    r"""Return the mixed protocol of [Gobler2024]_: continuous, binary, ordered and count columns.

    Variables are points :math:`v_j` drawn uniformly from the unit square, joined with probability

    .. math:: (2 \pi)^{-1/2} \exp(-\lVert v_j - v_k \rVert / 2c)

    and the precision matrix of the latent variables has ones on its diagonal and .15 where two are joined.
    The first half of the columns are continuous, the others in turn binary (success .4 to .6, in every fifth
    .05 to .1), ordered (3 to 7 levels, probabilities proportional to 1, 2, ...) and Poisson counts of rate 6.

    Parameters
    ----------
    n
        How many variables.
    rng
        Seed or generator for the graph and the margins.
    n_edges
        What :math:`c` is chosen for: the expected number of edges; ``n`` if None.
    cubed
        Continuous columns are third powers.

    Examples
    --------
    >>> from graphoid import datasets
    >>> datasets.mixed_copula(50, rng=0, n_edges=200).sample(200, random_state=1)
    <Table 'mixed copula': 200 rows x 50 variables>

    Notes
    -----
    The exponent has a plus in the paper, with which :math:`c` could not matter as it should. A matrix that is
    not positive definite is drawn again.
    """
    rng = np.random.default_rng(rng)
    for _ in range(MOST_TRIES):
        precision = _protocol_precision(n, n if n_edges is None else n_edges, rng)
        if _is_positive(precision):
            return LatentGaussian(precision, _protocol_margins(n, rng, cubed=cubed), "mixed copula")
    raise SettingsError(
        f"no positive definite matrix of {n} variables and about {n_edges} edges in {MOST_TRIES:,} draws; "
        f"ask for fewer edges."
    )


def _protocol_precision(n: int, n_edges: int, rng: Generator) -> Matrix:
    """Return a precision matrix, perhaps not positive definite."""
    points = rng.uniform(size=(n, 2))
    apart = np.linalg.norm(points[:, None] - points, axis=2)[np.triu_indices(n, 1)]
    densest = (2 * np.pi) ** -0.5
    if not 0 < n_edges < densest * apart.size:
        raise SettingsError(f"n_edges must lie between 0 and {densest * apart.size:.0f}; got {n_edges}.")
    low, high = 1e-4, 1e4
    for _ in range(100):  # bisection: more edges are expected as c grows
        c = np.sqrt(low * high)
        low, high = (c, high) if densest * np.exp(-apart / (2 * c)).sum() < n_edges else (low, c)
    precision = np.zeros((n, n))
    precision[np.triu_indices(n, 1)] = PARTIAL * (
        rng.random(apart.size) < densest * np.exp(-apart / (2 * low))
    )
    return precision + precision.T + np.eye(n)


def _protocol_margins(n: int, rng: Generator, *, cubed: bool) -> tuple[Margin, ...]:
    """Return the first half continuous, then binary, ordered and counts in turn."""
    margins = [Margin(power=3 if cubed else 1)] * (n // 2)
    for k in range(n - n // 2):
        turn, kind = divmod(k, 3)
        if kind == 0:
            success = rng.uniform(0.05, 0.1) if turn % 5 == 4 else rng.uniform(0.4, 0.6)
            margins.append(Margin((float(ndtri(1 - success)),)))
        elif kind == 1:
            levels = np.arange(1, rng.integers(3, 8) + 1)
            margins.append(Margin(tuple(ndtri(np.cumsum(levels / levels.sum())[:-1]).tolist())))
        else:
            counted = tuple(ndtri(pdtr(np.arange(25), 6.0)).tolist())  # 25 and more: 1e-9
            margins.append(Margin(counted, kind="count"))
    return tuple(margins)


def _is_positive(matrix: Matrix) -> bool:
    """Whether a symmetric matrix is positive definite."""
    return not matrix.size or float(np.linalg.eigvalsh(matrix)[0]) > 0
