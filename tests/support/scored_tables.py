"""Tables on which scores are compared: every shape that has broken a counting loop somewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import graphoid as gd
from tests.support.tables import random_table, table_of

if TYPE_CHECKING:
    from graphoid.data.table import Table


def constant_column() -> Table:
    """Return a table whose third column never varies, though it could."""
    drawn = random_table(150, [2, 3, 2, 2], seed=5)
    columns = [drawn.column(i) for i in range(4)]
    return table_of([columns[0], columns[1], np.zeros(150, dtype=int), columns[3]], [2, 3, 2, 2])


def unobserved_state() -> Table:
    """Return a table with states that no row has, at the begin, in the middle and at the end."""
    rng = np.random.default_rng(6)
    a, c = rng.choice([1, 2], 120), rng.choice([0, 3], 120)
    return table_of([a, rng.integers(0, 2, 120), c, (a + c) % 2], [3, 3, 5, 2])


def one_state() -> Table:
    """Return a table with a variable that has a single state."""
    drawn = random_table(90, [2, 2, 3], seed=7)
    return table_of(
        [drawn.column(0), np.zeros(90, dtype=int), drawn.column(1), drawn.column(2)], [2, 1, 2, 3]
    )


TABLES: dict[str, Table] = {
    "binary": random_table(200, [2, 2, 2, 2], seed=1),
    "many states": random_table(300, [3, 2, 5, 4], seed=2),
    "rare levels": random_table(60, [2, 5, 3, 6], seed=3),
    "few rows": random_table(3, [2, 2, 3, 2], seed=4),
    "no rows": table_of([[], [], [], []], [2, 3, 2, 2]),
    "constant": constant_column(),
    "unobserved": unobserved_state(),
    "one state": one_state(),
    "whole weights": random_table(200, [2, 3, 2, 3], seed=8, weights="whole"),
    "fractional weights": random_table(200, [2, 3, 2, 3], seed=9, weights="fractional"),
}


def random_edges(n: int, seed: int) -> frozenset[tuple[int, int]]:
    """Return a graph that has every pair with the same chance, the chance drawn too."""
    rng = np.random.default_rng([seed, n])
    chance = rng.random()
    return frozenset((x, y) for x in range(n) for y in range(x + 1, n) if rng.random() < chance)


def graph_of(table: Table, edges: Any) -> gd.UndirectedGraph:
    """Return the graph over the variables of a table."""
    return gd.UndirectedGraph([v.name for v in table.variables], sorted(edges))


def graphs(n: int, number: int = 6) -> list[frozenset[tuple[int, int]]]:
    """Return the empty graph, the complete one and some between."""
    complete = frozenset((x, y) for x in range(n) for y in range(x + 1, n))
    return [frozenset(), complete, *(random_edges(n, seed) for seed in range(number - 2))]


every_table = list(TABLES.items())
