"""Part 3: nominal and continuous columns in one network."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import graphoid as gd
from graphoid.datasets.pairwise import pairwise_mixed
from mixed.answers import f1
from mixed.cells import OURS, Cell, Peer
from mixed.page import bar, begin
from mixed.peers import bdgraph, binned_search, learn, neighborhoods

if TYPE_CHECKING:
    from mixed.cells import Options

BDGRAPH = {
    (20, 200): (5_000, 5),
    (20, 1_000): (5_000, 3),
    (20, 5_000): (1_000, 2),
    (60, 200): (2_000, 2),
    (60, 1_000): (1_000, 1),
    (60, 5_000): (300, 1),
}
"""Iterations and data sets by variables and rows: as many as take about a minute each."""


def data_set(n: int, rows: int, seed: int) -> tuple[gd.Table, gd.UndirectedGraph]:
    """Return a table of a conditional Gaussian network of 3 neighbors on average, half of it nominal."""
    graph = gd.datasets.random_graph(n, 3, seed)
    network = pairwise_mixed(graph, ["nominal", "continuous"] * (n // 2), seed)
    return network.sample(rows, seed), graph


def part(options: Options) -> None:
    """F1 beside three peers."""
    begin(3, "Nominal and continuous columns: F1")
    for (n, rows), (iterations, sets) in list(BDGRAPH.items())[: 2 if options.quick else None]:
        methods = {
            OURS: Peer(learn),
            "BDgraph copula": Peer(
                partial(bdgraph, iterations=iterations), sets, f"{iterations:,} iterations"
            ),
            "bins and nominal evidence": Peer(binned_search, most_sets=10 if n == 20 else 2),
            "neighborhood lasso": Peer(neighborhoods, most_sets=10 if n == 20 else 3),
        }
        name = f"{n} variables, {rows:,} rows"
        cell = Cell(name).run(lambda seed: data_set(n, rows, seed), methods, f1, options, 10)
        if OURS not in cell.found:
            continue
        for peer in cell.peers():
            difference, error = cell.against(peer) or (0.0, 0.0)
            said = f"{difference:+.3f}, standard error {error:.3f}, more than one above 0"
            bar(f"{name}, over {peer}", said, holds=difference > error, shown=False)
