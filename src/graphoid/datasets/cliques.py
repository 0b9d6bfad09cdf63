"""Markov networks with a random factor for every maximal clique."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from graphoid.datasets.networks import BinaryNetwork
from graphoid.errors import SettingsError
from graphoid.models.factors import Factor
from graphoid.structure.cliques import maximal_cliques

if TYPE_CHECKING:
    from numpy.random import Generator

    from graphoid.structure.graph import UndirectedGraph

MAX_CLIQUE = 20
"""Most members of a clique: a million values."""


def random_cliques(
    graph: UndirectedGraph, rng: Generator | int | None, *, split_beyond: int | None = None
) -> BinaryNetwork:
    r"""Return a binary network with a random potential for every maximal clique.

    .. math:: P(v) = \frac{1}{Z} \prod_{c} \phi_c(v_c), \qquad \phi_c(v_c) \sim U(0, 1)

    where :math:`c` goes over the maximal cliques, a variable without neighbors being one of its own.

    Parameters
    ----------
    graph
        The structure.
    rng
        Seed or generator for the potentials; None for different ones each time.
    split_beyond
        Cliques of more members than this have a potential for each of their pairs instead: a table of 80
        members could not be written down. None splits none, and refuses what is too large.

    Examples
    --------
    >>> from graphoid import datasets
    >>> network = datasets.random_cliques(datasets.hub_graph(16), rng=0)
    >>> network.sample(250, random_state=1)
    <Table 'random cliques': 250 rows x 16 variables>

    Notes
    -----
    The distributions of [Schluter2018]_, section 4.1. Some of them come close to being unfaithful: a
    potential may happen to say little about a pair that the graph joins.
    """
    rng = np.random.default_rng(rng)
    cliques = maximal_cliques(graph)
    if split_beyond is not None:
        large = [clique for clique in cliques if len(clique) > split_beyond]
        pairs = {pair for clique in large for pair in combinations(clique, 2)}
        cliques = tuple(sorted({*cliques} - {*large} | pairs))
    largest = max(map(len, cliques), default=0)
    if largest > MAX_CLIQUE:
        raise SettingsError(
            f"the graph has a clique of {largest} variables, whose potential has 2**{largest} values; "
            f"at most {MAX_CLIQUE} are possible. Split it into pairs with split_beyond={MAX_CLIQUE}."
        )
    tiny = np.finfo(float).tiny  # the interval is open: a zero would forbid states
    potentials = (np.log(rng.uniform(tiny, 1.0, (2,) * len(clique))) for clique in cliques)
    factors = tuple(Factor(clique, values) for clique, values in zip(cliques, potentials, strict=True))
    return BinaryNetwork(graph, factors, "random cliques")
