"""Part 5: nominal columns of many states."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import graphoid as gd
from graphoid.datasets.bayesian import BayesianNetwork
from mixed.answers import cpu_seconds, f1
from mixed.cells import OURS, Cell, Peer
from mixed.page import bar, begin
from mixed.peers import hill_climb, learn

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from mixed.cells import Options

MOST_SECONDS = 30.0
ROWS = 10_000
BUDGET, LATEST = 10.0, 12.0
"""Seconds that a search may take, and when it must have ended."""


def wide_network(rng: Generator | int, n: int = 48) -> BayesianNetwork:
    """Return a Bayesian network of variables with 2 to 70 states, tables of at most 4,000 rows.

    Like published ones of this kind, it has many variables that are numbers cut into bins: a child with more
    than six states is centered at a weighted mean of its parents' places, the others have random tables.
    """
    rng = np.random.default_rng(rng)
    arity = np.where(rng.random(n) < 0.6, rng.integers(2, 7, n), rng.integers(7, 30, n))
    arity[rng.choice(n, 3, replace=False)] = [70, 67, 48]
    parents: list[tuple[int, ...]] = []
    tables: list[NDArray[np.float64]] = []
    for v in range(n):
        known: list[int] = []
        for u in rng.permutation(np.arange(max(0, v - 12), v))[: rng.integers(1, 4)].tolist():
            if np.prod(arity[[*known, u]]) <= 4_000:
                known.append(u)
        parents.append(tuple(sorted(known)))
        tables.append(_table([int(arity[u]) for u in sorted(known)], int(arity[v]), rng))
    variables = tuple(gd.Variable(f"v{v}", tuple(f"s{k}" for k in range(arity[v]))) for v in range(n))
    return BayesianNetwork(variables, tuple(parents), tuple(tables), f"{n} variables, up to 70 states")


def _table(shape: list[int], states: int, rng: Generator) -> NDArray[np.float64]:
    """Return the probabilities of a variable given its parents."""
    if states <= 6:
        return rng.dirichlet([0.4] * states, size=shape) if shape else rng.dirichlet([2.0] * states)
    weights = rng.normal(size=len(shape))
    weights /= np.abs(weights).sum() if shape else 1.0
    place = np.zeros(shape)
    for axis, (weight, size) in enumerate(zip(weights, shape, strict=True)):
        steps = np.linspace(-1, 1, size) * weight
        place = place + steps.reshape([-1 if k == axis else 1 for k in range(len(shape))])
    apart = np.linspace(-1, 1, states) - place[..., None]
    density = np.exp(-0.5 * (apart / rng.uniform(0.15, 0.4)) ** 2) + 1e-4
    return density / density.sum(axis=-1, keepdims=True)


def networks() -> dict[str, BayesianNetwork]:
    """Return the networks that are here; the reason for those that are not is printed."""
    found = {}
    data = os.environ.get("GRAPHOID_DATA")
    for name in ("mildew", "water"):
        path = Path(data or "") / "bif" / f"{name}.bif.gz"
        if data and path.is_file():
            found[name] = gd.datasets.bayesian_network(path)
        else:
            print(f"{name}: skipped; set GRAPHOID_DATA to the folder that holds bif/{name}.bif.gz")
    return found


def mushroom() -> gd.Table | None:
    """Return the table, if it is here."""
    path = Path(os.environ.get("GRAPHOID_DATA", "")) / "uci" / "mushroom.csv"
    if path.is_file():
        return gd.read(path, missing="category")
    try:
        return gd.datasets.load("mushroom")
    except gd.errors.DataError as reason:
        print(f"mushroom: skipped; {reason}")
        return None


def part(options: Options) -> None:
    """CPU seconds, F1 beside hill climbing over directed graphs, budgets kept."""
    begin(5, "Many states, 10,000 rows: F1")
    methods = {OURS: Peer(learn), "pyAgrum hill climb, moral graph": Peer(hill_climb)}
    known = networks()
    for name in [*known, "generated"]:
        sets = 1 if name != "generated" else 2

        def data_set(seed: int) -> tuple[gd.Table, gd.UndirectedGraph]:
            network = known.get(name) or wide_network(seed)
            return network.sample(ROWS, seed), network.graph

        cell = Cell(name).run(data_set, methods, f1, options, sets)
        if OURS not in cell.found:
            continue
        slowest = float(np.max(cell.seconds(OURS)))
        bar(f"{name}, slowest", f"{slowest:.1f} CPU s, at most 30", holds=slowest <= MOST_SECONDS)
        for peer in cell.peers():
            if compared := cell.against(peer):
                said = f"{compared.difference:+.3f}, at least 0"
                bar(f"{name}, over {peer}", said, holds=compared.difference >= 0)
    if "mildew" in known:
        sizes("mildew", gd.learn(known["mildew"].sample(ROWS, options.first)))
    table = mushroom()
    if table is not None:
        start = cpu_seconds()
        found = gd.learn(table)
        seconds = cpu_seconds() - start
        size = f"{table.n_rows:,} x {len(table.names)}"
        said = f"{found.graph.n_edges} edges, {seconds:.1f} CPU s, at most 30"
        bar(f"mushroom, {size}", said, holds=seconds <= MOST_SECONDS)
        sizes("mushroom", found)
        budget("mushroom", table)
    budget("generated", wide_network(options.first).sample(ROWS, options.first))
    interrupt(options.first)


def sizes(name: str, found: gd.LearnedStructure) -> None:
    """See what it takes to measure how large the effects of all edges are, as a page shows them."""
    start = cpu_seconds()
    found.pairs()
    seconds = cpu_seconds() - start
    said = f"{seconds:.1f} CPU s, at most 30"
    bar(f"{name}, sizes of its edges", said, holds=seconds <= MOST_SECONDS)


def budget(name: str, table: gd.Table) -> None:
    """See that a search of ten seconds ends within twelve, by the clock on the wall."""
    start = time.perf_counter()
    found = gd.learn(table, seconds=BUDGET)
    taken = time.perf_counter() - start
    said = f"{taken:.1f} s ({found.stopped}), at most 12"
    bar(f"{name}, `seconds=10`", said, holds=taken <= LATEST)


INTERRUPTED = """
import sys
import graphoid as gd
from mixed.many_states import ROWS, wide_network
table = wide_network({seed}).sample(ROWS, {seed})
print("go", flush=True)
try:
    print("ended", gd.learn(table).graph.n_edges)
except gd.errors.Interrupted as stopped:
    print("kept", stopped.structure.graph.n_edges)
"""


def interrupt(seed: int) -> None:
    """See that Ctrl-C keeps the best graph so far."""
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(seed=seed)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    if process.stdout is None or process.stdout.readline().strip() != "go":
        raise SystemExit("the search to be interrupted did not start")
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    start = time.perf_counter()
    said = process.communicate(timeout=300)[0].strip()
    taken = time.perf_counter() - start
    holds = said.startswith(("kept", "ended")) and taken <= LATEST - BUDGET
    bar("Ctrl-C keeps the best graph", f"{said or 'nothing'} edges, {taken:.1f} s after it", holds=holds)
