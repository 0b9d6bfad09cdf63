"""Part 1: ordered items in blocks, and fields of ordered variables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.datasets.latent import factor_blocks
from graphoid.datasets.pairwise import ordinal_field
from mixed.answers import f1
from mixed.cells import OURS, Cell, Peer
from mixed.page import bar, begin
from mixed.peers import bdgraph, binned_search, glasso_ebic, learn, robust

if TYPE_CHECKING:
    from mixed.cells import Options

BARS = {
    ("factor blocks 3 x 8", 2_000): 0.99,
    ("factor blocks 3 x 8", 500): 0.90,
    ("ordinal field, 20 variables", 1_000): 0.98,
    ("ordinal field, 20 variables", 300): 0.96,
}
METHODS = {
    OURS: Peer(learn),
    "GSMN robust": Peer(robust),
    "nominal evidence": Peer(binned_search, most_sets=1),
    "EBIC-glasso": Peer(glasso_ebic),
    "BDgraph copula": Peer(partial(bdgraph, iterations=1_000), 1, "1,000 iterations"),
}


def data_set(kind: str, rows: int, seed: int) -> tuple[gd.Table, gd.UndirectedGraph]:
    """Return a table of one of the two kinds, and its network."""
    if kind.startswith("factor"):
        network = factor_blocks()
    else:
        network = ordinal_field(gd.datasets.random_graph(20, 3, seed), seed)
    return network.sample(rows, seed), network.graph


def part(options: Options) -> None:
    """F1, CPU seconds, and how far below the robust learner."""
    begin(1, "Ordered columns: F1")
    for (kind, rows), least in BARS.items():
        name = f"{kind}, {rows:,} rows"
        cell = Cell(name).run(lambda seed: data_set(kind, rows, seed), METHODS, f1, options, 10)
        if OURS not in cell.found:
            continue
        mean, slowest = cell.mean(OURS), float(np.max(cell.seconds(OURS)))
        bar(name, f"F1 {mean:.3f}, at least {least}", holds=mean >= least)
        bar(f"{name}, slowest", f"{slowest:.2f} CPU s, at most 1", holds=slowest <= 1, shown=False)
        if against := cell.against("GSMN robust"):
            said = f"{against.difference:+.3f}, at least -.02"
            bar(f"{name}, over GSMN robust", said, holds=against.difference >= -0.02, shown=False)
