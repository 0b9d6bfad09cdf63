"""Whether ``compare_groups`` finds what differs between two groups, and nothing else.

Pairwise fields of 8 variables and 10 edges of size .35 to .65 for a standard deviation of each. In the second
group nothing differs, or only the thresholds (about even in the first, falling in the second), or one edge
has the opposite sign, or there is one edge more. A figure is a share of data sets: *false* with some
unchanged pair called different (p_adjusted at most .05; the bar is .05 and two standard errors), *found* with
the changed one called so; *odd* counts pairs with a Bayes factor above 10 and a p-value above .05, or below
.1 and .001.

    python benchmarks/truth/groups.py [DATA SETS] [FIRST SEED] [STATES and o or n, such as 2o 5n ...]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

import graphoid as gd
from graphoid.data.table import code_columns

sys.path.insert(0, str(Path(__file__).parents[1]))

from generators import random_edges, sample_field, table_of, term, thresholds

from measure import closing_line, word

N, EDGES, WEIGHT = 8, 10, 0.5
KINDS = ("2o", "3o", "5o", "3n", "5n")
ROWS = ((100, 100), (500, 500), (1_900, 100))
WHAT = ("nothing", "margins", "flip", "more")


def problem(
    seed: int, states: int, kind: str, rows: tuple[int, int], what: str
) -> tuple[gd.Table, tuple[int, int] | None]:
    """Return a table of two groups, and the pair that differs."""
    rng = np.random.default_rng([seed, states, len(kind), *rows, WHAT.index(what)])
    edges = random_edges(N, EDGES, rng)
    sizes = rng.choice([-1, 1], EDGES) * rng.uniform(0.7, 1.3, EDGES) * WEIGHT
    terms = {edge: term(states, size, kind, rng) for edge, size in zip(edges, sizes, strict=True)}
    constants = thresholds(N, states, rng)
    others, changed, own = terms, None, constants
    if what == "margins":
        own = thresholds(N, states, rng, skewed=True)
    elif what == "flip":
        changed = edges[int(rng.integers(EDGES))]
        others = {**terms, changed: -terms[changed]}
    elif what == "more":
        free = [pair for pair in random_edges(N, N * (N - 1) // 2, rng) if pair not in terms]
        changed = free[int(rng.integers(len(free)))]
        others = {**terms, changed: term(states, WEIGHT, kind, rng)}
    groups = sample_field(constants, terms, rows[0], rng), sample_field(own, others, rows[1], rng)
    table = table_of(np.vstack(groups), [states] * N, ordered=kind == "ordered")
    group = gd.Variable("group", ("first", "second"))
    columns = code_columns(np.repeat([[0], [1]], rows, axis=0), (group,))
    return gd.Table((group, *table.variables), (*columns, *table.columns), table.n_rows), changed


def measure(
    states: int, kind: str, rows: tuple[int, int], what: str, seeds: range
) -> tuple[float, float, int]:
    """Return the shares of data sets with a false and with the true difference, and odd pairs."""
    false = true = odd = 0
    for seed in seeds:
        table, changed = problem(seed, states, kind, rows, what)
        found = gd.compare_groups(table, "group", learner=gd.GSMN(preset="robust"), n=500, random_state=seed)
        called = {
            (table.position(row.x) - 1, table.position(row.y) - 1)
            for row in found.pairs
            if row.p_adjusted <= 0.05
        }
        false += bool(called - {changed})
        true += changed in called
        for row in found.pairs:
            factor = 1.0 if row.bayes_factor is None else row.bayes_factor
            odd += (factor > 10 and row.p_value > 0.05) or (factor < 0.1 and row.p_value < 0.001)
    return false / len(seeds), true / len(seeds), odd


def main() -> None:
    """Print all cells; exit with 1 if a bar is missed."""
    given = sys.argv[1:3]
    count, start = (int(text) for text in [*given, *("100", "0")[len(given) :]])
    limit = 0.05 + 2 * math.sqrt(0.05 * 0.95 / count)
    for cell in sys.argv[3:] or KINDS:
        kind = "ordered" if cell[1] == "o" else "nominal"
        for rows in ROWS:
            for what in WHAT:
                false, true, odd = measure(int(cell[0]), kind, rows, what, range(start, start + count))
                name = f"{cell[0]} {kind}, {rows[0]:,} + {rows[1]:,} rows, {what}"
                shown = f"{name:44} false {false:.2f}  found {true:.2f}  odd {odd}"
                print(f"{shown}  {word(name, holds=false <= limit and not odd)}", flush=True)
    closing_line()


if __name__ == "__main__":
    main()
