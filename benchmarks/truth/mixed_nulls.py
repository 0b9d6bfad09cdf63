"""How often tests for columns of any kinds reject independences that are true, at a level of .05.

Eight columns that are independent given none to six others, which move them all by sums of effects: nominal,
ordered, numbers (skewed by a cube), or a mixture; two to seven states, even or skewed; 100 to 5,000 rows.
Prints the share of rejections among the questions that are not thin, and the share that is; exits with 1 if
the likelihood ratio rejects more than .07, or less than .03, by more than two standard errors.

    python benchmarks/truth/mixed_nulls.py [TABLES] [FIRST SEED] [kind ...]
"""

from __future__ import annotations

import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np

import graphoid as gd

sys.path.insert(0, str(Path(__file__).parents[1]))  # what all benchmarks share
from graphoid.data.table import Table
from graphoid.data.variables import Variable
from measure import closing_line, word

COLUMNS = 8
KINDS = {"nominal": "n", "ordered": "o", "numbers": "c", "mixed": "nco"}
TESTS = {"ratio": gd.LikelihoodRatio(), "factor": gd.BayesFactor()}


def effect(codes: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
    """Return what a column does to a response of one dimension."""
    if kind == "n":
        return rng.normal(0, 0.4, int(codes.max()) + 1)[codes]
    return rng.normal(0, 0.4) * (codes - codes.mean()) / max(codes.std(), 1e-9)


def null_table(kind: str, states: int, given: int, rows: int, *, skewed: bool, seed: int) -> Table:
    """Return columns that are independent given the last few."""
    rng = np.random.default_rng([seed, states, given, rows, skewed, len(kind)])
    kinds = [KINDS[kind][i % len(KINDS[kind])] for i in range(COLUMNS + given)]
    common, columns = rng.normal(size=rows), []
    for k in kinds[COLUMNS:]:
        u = 0.5 * common + rng.normal(size=rows)
        columns.append(u if k == "c" else np.digitize(u, np.quantile(u, np.arange(1, states) / states)))
    steep = np.arange(states) * (0.7 if skewed else 0.0)
    for k in kinds[:COLUMNS][::-1]:
        others = list(zip(columns[-given:] if given else [], kinds[COLUMNS:], strict=True))
        if k == "c":
            columns.insert(0, (sum(effect(c, z, rng) for c, z in others) + rng.normal(size=rows)) ** 3)
            continue
        if k == "n":
            eta = np.array([sum(effect(c, z, rng) for c, z in others) + np.zeros(rows) for _ in steep]).T
        else:
            scores = (np.arange(states) - (states - 1) / 2) / max(1, states / 3)
            eta = (sum(effect(c, z, rng) for c, z in others) + np.zeros(rows))[:, None] * scores
        columns.insert(0, (eta - steep + rng.gumbel(size=eta.shape)).argmax(axis=1))
    variables = tuple(
        Variable(f"v{i}", () if k == "c" else tuple(range(states)), ordered=k == "o")
        for i, k in enumerate(kinds)
    )
    codes = tuple(None if k == "c" else c.astype(np.uint8) for c, k in zip(columns, kinds, strict=True))
    values = {i: c for i, (c, k) in enumerate(zip(columns, kinds, strict=True)) if k == "c"}
    return Table(variables, codes, rows, values=values)


def main(tables: int, first: int, names: list[str]) -> None:
    """Print a line for every cell."""
    print(f"{'kind    states given  rows skewed':35} {'ratio':>7} {'thin':>6} {'factor':>7}")
    for kind, states, given, skewed, rows in product(
        names, (2, 4, 7), (0, 2, 6), (False, True), (100, 300, 1_000, 5_000)
    ):
        if kind == "numbers" and (states > 2 or skewed):
            continue  # there are none
        found: dict[str, list[bool]] = {name: [] for name in TESTS}
        n_thin = 0
        for seed in range(first, first + tables):
            table = null_table(kind, states, given, rows, skewed=skewed, seed=seed)
            z = tuple(range(COLUMNS, COLUMNS + given))
            questions = [(x, y, z) for x, y in combinations(range(COLUMNS), 2)]
            for name, test in TESTS.items():
                verdicts = gd.Tester(test, table).ask(questions)
                found[name] += [not v.independent for v in verdicts if not v.thin]
                n_thin += sum(v.thin for v in verdicts) if name == "ratio" else 0
        n = len(found["ratio"])
        rate = float(np.mean(found["ratio"])) if n else 0.0
        error = 2 * float(np.sqrt(0.05 * 0.95 / max(n, 1)))
        holds = n == 0 or 0.03 - error <= rate <= 0.07 + error
        cell = f"{kind:8} {states:5} {given:5} {rows:6,} {'yes' if skewed else 'no':>6}"
        factor = float(np.mean(found["factor"])) if found["factor"] else 0.0
        share = n_thin / max(n + n_thin, 1)
        print(f"{cell:35} {rate:7.3f} {share:6.2f} {factor:7.3f}", word(cell, holds=holds), flush=True)


if __name__ == "__main__":
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    names = [a for a in sys.argv[1:] if not a.isdigit()] or list(KINDS)
    main((numbers or [20])[0], (*numbers[:2], 0, 0)[1], names)
    sys.exit(closing_line())
