"""Part 4: continuous columns only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.datasets.latent import gaussian
from mixed.answers import cpu_seconds, f1
from mixed.cells import OURS, Cell, Peer
from mixed.page import bar, begin
from mixed.peers import glasso_cv, glasso_ebic, learn, partial_correlation_robust

if TYPE_CHECKING:
    from mixed.cells import Options

GRAPHS = ("random", "hub", "scale-free")
CELLS = [(kind, n, rows) for n in (50, 200) for rows in (100, 300, 1_000) for kind in GRAPHS]


def data_set(kind: str, n: int, rows: int, seed: int) -> tuple[gd.Table, gd.UndirectedGraph]:
    """Return a table of a Gaussian network, partial correlations of .15 to .4."""
    graph = {
        "random": lambda: gd.datasets.random_graph(n, 3, seed),
        "hub": lambda: gd.datasets.hub_graph(n),
        "scale-free": lambda: gd.datasets.scale_free_graph(n, 1, seed),
    }[kind]()
    return gaussian(graph, seed).sample(rows, seed), graph


def part(options: Options) -> None:
    """F1 beside three peers, and the CPU seconds of diabetes."""
    begin(4, "Continuous columns: F1")
    cells = []
    for kind, n, rows in CELLS[:3] if options.quick else CELLS:
        methods = {
            OURS: Peer(learn),
            "GraphicalLassoCV": Peer(glasso_cv, most_sets=10 if n == 50 else 1),
            "EBIC-glasso": Peer(glasso_ebic, most_sets=10 if n == 50 else 2),
            "PartialCorrelation, robust": Peer(partial_correlation_robust),
        }
        name = f"{kind}, {n} variables, {rows:,} rows"
        cell = Cell(name).run(
            lambda seed: data_set(kind, n, rows, seed), methods, f1, options, 10 if n == 50 else 3
        )
        cells.append(cell)
        for peer in cell.peers():
            if compared := cell.against(peer):
                said = f"{compared.difference:+.3f}, at least -.01"
                bar(f"{name}, over {peer}", said, holds=compared.difference >= -0.01, shown=False)
    for peer in dict.fromkeys(peer for cell in cells for peer in cell.peers()):
        both = [compared.difference for cell in cells if (compared := cell.against(peer))]
        if both:
            mean = float(np.mean(both))
            bar(f"all cells, over {peer} on average", f"{mean:+.3f}, above 0", holds=mean > 0)
    diabetes()


def diabetes() -> None:
    """CPU seconds of 442 patients and 11 columns."""
    try:
        from sklearn.datasets import load_diabetes
    except ImportError:
        print("diabetes: skipped, scikit-learn is not installed")
        return
    frame = load_diabetes(as_frame=True).frame
    start = cpu_seconds()
    found = gd.learn(gd.read(frame))
    seconds = cpu_seconds() - start
    said = f"{found.graph.n_edges} edges, {seconds:.2f} CPU s, at most 1"
    bar("diabetes, 442 rows x 11 columns", said, holds=seconds <= 1)
