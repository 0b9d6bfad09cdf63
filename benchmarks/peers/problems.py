"""Networks whose graph is known, and tables drawn from them."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import graphoid as gd

if TYPE_CHECKING:
    from collections.abc import Callable

PUBLIC = {name: f"{name}.bif" for name in ("alarm", "insurance", "hailfinder")} | {
    name: f"{name}.bif.gz" for name in ("water", "mildew")
}


class Problem(NamedTuple):
    """A table and the graph that is to be found in it."""

    table: gd.Table
    graph: gd.UndirectedGraph


def drawn(make: Callable[[int], object], rows: int, seed: int) -> Problem:
    """Return a sample of a network that is made from a seed."""
    network = make(seed)
    return Problem(network.sample(rows, seed + 1), network.graph)


def public(path: Path, rows: int, seed: int) -> Problem:
    """Return a sample of a network in a file."""
    return drawn(lambda _: gd.datasets.bayesian_network(path), rows, seed)


def ising(graph: Callable[[int], gd.UndirectedGraph], rows: int, seed: int) -> Problem:
    """Return a sample of an Ising network with couplings of .3 to .6 of random sign."""
    truth = graph(seed)
    network = gd.datasets.ising(truth, lambda r: r.choice([-1, 1]) * r.uniform(0.3, 0.6), rng=seed)
    return Problem(network.sample(rows, seed + 1), truth)


def random_ising(n: int, rows: int, seed: int) -> Problem:
    """Return a sample of an Ising network on a random graph with three edges a variable on average."""
    return ising(lambda own: gd.datasets.random_graph(n, 3, own), rows, seed)


def random_tables(n: int, rows: int, seed: int) -> Problem:
    """Return a sample of a Bayesian network of random tables, two to four states a variable."""
    return drawn(partial(gd.datasets.random_tables, n), rows, seed)


def hubs(n: int, rows: int, seed: int) -> Problem:
    """Return a sample of an Ising network of hubs."""
    return ising(lambda _: gd.datasets.hub_graph(n), rows, seed)


def public_problems() -> dict[str, Callable[[int, int], Problem]]:
    """Return the networks of the literature, if GRAPHOID_DATA says where they are."""
    data = os.environ.get("GRAPHOID_DATA")
    folder = Path(data or "") / "bif"
    return {
        name: partial(public, folder / file)
        for name, file in PUBLIC.items()
        if data and (folder / file).is_file()
    }


def problems() -> dict[str, Callable[[int, int], Problem]]:
    """Return what there is to learn, by name: from a number of rows and a seed to a problem."""
    found = public_problems()
    gates, tables, pedigree = gd.datasets.noisy_gates, gd.datasets.random_tables, gd.datasets.pedigree
    for n in (50, 220, 700):
        found[f"gates-{n}"] = partial(drawn, partial(gates, n))
    for n in (50, 200):
        found[f"tables-{n}"] = partial(random_tables, n)
    for n in (100, 440):
        found[f"pedigree-{n}"] = partial(drawn, partial(pedigree, n))
    found["states-30"] = partial(drawn, partial(tables, 30, states=(2, 40), most_parents=1))
    found["ising-75"] = partial(random_ising, 75)
    found["hubs-64"] = partial(hubs, 64)
    found["scale-free-64"] = partial(ising, lambda seed: gd.datasets.scale_free_graph(64, 2, seed))
    return found
