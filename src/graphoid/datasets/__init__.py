"""Tables to try things on, and graphs whose answer is known.

>>> from graphoid import datasets
>>> datasets.load("titanic")
<Table 'titanic': 2,201 rows x 4 variables>

No file is bundled: a table is a fact written down, generated from its rule, simulated from a stated model,
taken from scikit-learn, or fetched from OpenML and checked. :func:`names` lists them.
"""

from __future__ import annotations

from graphoid.datasets.bif import bayesian_network
from graphoid.datasets.catalog import load, names
from graphoid.datasets.cliques import random_cliques
from graphoid.datasets.contexts import context_model
from graphoid.datasets.directed import noisy_gates, pedigree, random_tables
from graphoid.datasets.edge_lists import read_graph
from graphoid.datasets.graphs import (
    grid_graph,
    hub_graph,
    random_graph,
    regular_graph,
    scale_free_graph,
)
from graphoid.datasets.latent import factor_blocks, gaussian, mixed_copula
from graphoid.datasets.networks import ising, pairwise_binary
from graphoid.datasets.pairwise import ordinal_field, pairwise_mixed

__all__ = [
    "bayesian_network",
    "context_model",
    "factor_blocks",
    "gaussian",
    "grid_graph",
    "hub_graph",
    "ising",
    "load",
    "mixed_copula",
    "names",
    "noisy_gates",
    "ordinal_field",
    "pairwise_binary",
    "pairwise_mixed",
    "pedigree",
    "random_cliques",
    "random_graph",
    "random_tables",
    "read_graph",
    "regular_graph",
    "scale_free_graph",
]
