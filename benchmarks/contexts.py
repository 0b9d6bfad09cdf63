"""Canonical models: all assignments together against a plain loop over them, and what graphs say in words.

On 10,000 rows of 8 variables the plain loop takes one assignment after the other and counts the rows anew for
every question; it must come to the same graphs with the same number of questions. Times are CPU seconds, the
best of three or more; the loop runs once. Prints each figure and whether its bar holds; exits with 1 if not.

    python benchmarks/contexts.py
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import graphoid as gd
from graphoid.independence.contexts import ContextTester, PlainContexts
from graphoid.learners.contexts.base import one_by_one
from graphoid.learners.contexts.csgs import csgs, gs_strategy
from graphoid.learners.contexts.cspc import cspc, pc_strategy
from measure import best, closing_line, word

if TYPE_CHECKING:
    from collections.abc import Callable

N, ROWS = 8, 10_000
LEAST_RATIO = 20
MOST_INDEPENDENCES_S = 4.0  # of ten thousand contexts; without the kernel it is thrice as long


def compared(name: str, most: float, learner: Any, together: Callable[..., Any], strategy: Any) -> None:
    """Print how long a learner takes, and how long the plain loop."""
    table = gd.datasets.context_model(N, rng=0).sample(ROWS, random_state=0)
    seconds = best(lambda: learner().fit(table), clock=time.process_time) / 1e6
    ci, plain = ContextTester(gd.ChiSquare(), table), PlainContexts(gd.ChiSquare(), table)
    graphs = together(ci)
    start = time.process_time()
    alone = one_by_one(strategy, plain, ci.assignments.codes)
    loop = time.process_time() - start
    same = np.array_equal(alone, graphs.adjacency) and plain.n_questions == ci.n_questions
    bars = (
        word(f"{name} within {most:g} s", holds=seconds <= most),
        word(f"{name} {LEAST_RATIO} times as fast", holds=loop >= LEAST_RATIO * seconds),
        word(f"{name} as the plain loop", holds=same),
    )
    print(
        f"{name:>5} {ci.n_questions:>9,} {ci.n_distinct:>9,} {ci.n_counted:>7,} {seconds:>8.3f} {loop:>8.2f} "
        f"{loop / seconds:>6.0f}x  {' '.join(bars)}"
    )


def independences() -> None:
    """Print how long it takes to say what thousands of graphs say."""
    network = gd.datasets.pairwise_binary(gd.datasets.random_graph(14, 4, 0), 0.7, rng=1)
    model = gd.CSGS().fit(network.sample(40_000, 0)).structure_
    start = time.process_time()
    found = model.independences()
    seconds = time.process_time() - start
    print(
        f"{len(found):,} independences of {len(model.graphs):,} graphs "
        f"in {len(model.assignments):,} contexts: {seconds:.1f} s",
        word("independences", holds=seconds <= MOST_INDEPENDENCES_S),
    )


if __name__ == "__main__":
    print(f"{'':>5} {'questions':>9} {'different':>9} {'counts':>7} {'seconds':>8} {'loop':>8} {'ratio':>7}")
    compared("CSGS", 2, gd.CSGS, csgs, gs_strategy)
    compared("CSPC", 5, gd.CSPC, cspc, pc_strategy)
    independences()
    sys.exit(closing_line())
