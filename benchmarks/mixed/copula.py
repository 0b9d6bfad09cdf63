"""Part 2: the mixed protocol of Göbler and others, by the area under the curve of the ranking of pairs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.datasets.latent import mixed_copula
from mixed.answers import Answer, auc
from mixed.cells import OURS, Cell, Peer
from mixed.certainty import Verdicts
from mixed.page import bar, begin
from mixed.peers import answer_of, bdgraph, glasso_path, shrunk_partial

if TYPE_CHECKING:
    from mixed.cells import Options

CELLS = [(50, 200, 200), (250, 200, 250), (750, 300, 750)]
"""Variables, rows, expected edges."""

MOST_SECONDS = 180.0
"""CPU time of the widest tables."""

BDGRAPH = {50: (5_000, 5), 250: (300, 1)}
"""Iterations and data sets by the number of variables; 750 would take hours."""


def part(options: Options) -> None:
    """AUC beside three peers, calibration, CPU seconds of the widest."""
    begin(2, "Mixed protocol: area under the curve of the ranking of pairs")
    averages(
        [
            one_cell(*sizes, options, cubed=cubed)
            for sizes in (CELLS[:1] if options.quick else CELLS)
            for cubed in (False, True)
        ]
    )


def one_cell(n: int, rows: int, n_edges: int, options: Options, *, cubed: bool) -> Cell:
    """Run a cell, and print its bars."""
    found: list[tuple[gd.LearnedStructure, gd.UndirectedGraph]] = []

    def data_set(seed: int) -> tuple[gd.Table, gd.UndirectedGraph]:
        network = mixed_copula(n, seed, n_edges=n_edges, cubed=cubed)
        return network.sample(rows, seed), network.graph

    def ours(table: gd.Table) -> Answer:
        structure = gd.learn(table)
        found.append((structure, structure.graph))
        return answer_of(structure)

    methods = {
        OURS: Peer(ours),
        "glasso path": Peer(glasso_path, most_sets=2 if n > 500 else 20),
        "shrunk partial correlations": Peer(shrunk_partial),
    }
    if n in BDGRAPH:
        iterations, sets = BDGRAPH[n]
        methods["BDgraph copula"] = Peer(
            partial(bdgraph, iterations=iterations), sets, f"{iterations:,} iterations"
        )
    name = f"{n} x {rows}{', cubed' if cubed else ''}"
    cell = Cell(name).run(data_set, methods, auc, options, 20 if n < 500 else 3)
    if OURS not in cell.found:
        return cell
    for peer in cell.peers():
        difference, error = cell.against(peer) or (0.0, 0.0)
        said = f"{difference:+.4f}, standard error {error:.4f}, at most one below 0"
        bar(f"{name}, over {peer}", said, holds=difference >= -error, shown=False)
    graphs = [data_set(seed)[1] for seed in cell.found[OURS]]
    runs = zip([structure for structure, _ in found], graphs, strict=True)
    Verdicts.of(runs).report(f"{name}, verdicts", n)
    slowest = float(np.max(cell.seconds(OURS)))
    if n > 500:
        bar(f"{name}, slowest", f"{slowest:.0f} CPU s, at most 180", holds=slowest <= MOST_SECONDS)
    return cell


def averages(cells: list[Cell]) -> None:
    """Say whether we are above each peer on average over the cells."""
    for peer in dict.fromkeys(peer for cell in cells for peer in cell.peers()):
        both = [compared.difference for cell in cells if (compared := cell.against(peer))]
        if both:
            mean = float(np.mean(both))
            bar(f"all cells, over {peer} on average", f"{mean:+.4f}, above 0", holds=mean > 0)
