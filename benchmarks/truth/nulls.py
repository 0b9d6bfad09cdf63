"""How often tests reject independences that are true, at a level of .05.

Columns of two to six states, even or skewed, that are independent given none to three others, which move them
all; 100 to 10,000 rows. Prints the share of rejections of every test in every cell; exits with 1 if G, or
chi-square with adjusted degrees of freedom, rejects more than .07. Below .03 a test is merely cautious.

    python benchmarks/truth/nulls.py [TABLES] [FIRST SEED]
"""

from __future__ import annotations

import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np

import graphoid as gd

sys.path.insert(0, str(Path(__file__).parents[1]))  # what all benchmarks share
from generators import table_of

from measure import closing_line, word

COLUMNS = 12
TESTS = {
    "G": gd.GTest(),
    "G adjusted": gd.GTest(dof="adjusted"),
    "chi-square adjusted": gd.ChiSquare(dof="adjusted"),
    "chi-square": gd.ChiSquare(),
    "Mantel-Haenszel": gd.MantelHaenszel(),
    "Bayesian": gd.BayesianTest(),
}
JUDGED = ("G", "G adjusted", "chi-square adjusted")


def null_table(states: int, given: int, rows: int, *, skewed: bool, rng: np.random.Generator) -> gd.Table:
    """Return columns that are independent given the last few."""
    others = rng.integers(states, size=(given, rows))
    slices = np.zeros(rows, dtype=np.int64)
    for column in others:
        slices = slices * states + column
    columns = []
    for _ in range(COLUMNS):
        steep = np.arange(states) * (1.2 if skewed else 0.0)
        logits = rng.normal(0, 0.5, (states**given, states)) - steep
        columns.append((logits[slices] + rng.gumbel(size=(rows, states))).argmax(axis=1))
    return table_of(np.array([*columns, *others]).T, [states] * (COLUMNS + given), ordered=False)


def rates(states: int, given: int, rows: int, *, skewed: bool, tables: int, first: int) -> dict[str, float]:
    """Return the share of true independences that each test rejects."""
    rejected: dict[str, list[bool]] = {name: [] for name in TESTS}
    for seed in range(first, first + tables):
        rng = np.random.default_rng([seed, states, given, rows, skewed])
        table = null_table(states, given, rows, skewed=skewed, rng=rng)
        z = tuple(range(COLUMNS, COLUMNS + given))
        questions = [(x, y, z) for x, y in combinations(range(COLUMNS), 2)]
        for name, test in TESTS.items():
            rejected[name] += [not v.independent for v in gd.Tester(test, table).ask(questions)]
    return {name: float(np.mean(answers)) for name, answers in rejected.items()}


def main(tables: int = 40, first: int = 0) -> None:
    """Print a line for every cell."""
    print(f"{'states given  rows skewed':26}", *(f"{name:>19}" for name in TESTS))
    for states, given, skewed, rows in product(
        (2, 3, 4, 6), range(4), (False, True), (100, 300, 1_000, 10_000)
    ):
        found = rates(states, given, rows, skewed=skewed, tables=tables, first=first)
        cell = f"{states:6} {given:5} {rows:6,} {'yes' if skewed else 'no':>6}"
        bad = [name for name in JUDGED if found[name] > 0.07]
        said = word(f"{cell.strip()}: {', '.join(bad)}", holds=not bad)
        print(f"{cell:26}", *(f"{found[name]:19.3f}" for name in TESTS), said, flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
    sys.exit(closing_line())
