"""Random tables and batches of questions for property-based tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
import numpy as np

import graphoid as gd
from tests.support.tables import table_of, table_of_numbers

if TYPE_CHECKING:
    from graphoid.data.table import Table

arities = st.one_of(
    st.integers(1, 5),
    st.sampled_from([1, 2, 2, 2, 7, 8, 9, 16, 17, 127, 128, 181, 182, 256, 257, 5000, 65_536]),
)
row_numbers = st.one_of(
    st.integers(0, 70), st.sampled_from([127, 128, 129, 255, 256, 257, 511, 513, 1000, 4096, 4097, 9001])
)
shapes = st.sampled_from(["even", "skewed", "one state", "two states", "last state", "copies", "blocks"])
weight_kinds = st.sampled_from([None, None, "whole", "fractional", "zero", "huge", "tiny"])


def _column(shape: str, arity: int, n_rows: int, before: Any, rng: np.random.Generator) -> Any:
    """Return codes of a column of some shape; ``before`` is the column before it."""
    match shape:
        case "skewed":
            return np.minimum(rng.geometric(0.6, n_rows) - 1, arity - 1)
        case "one state":
            return np.full(n_rows, rng.integers(0, arity))
        case "two states":
            return rng.choice(rng.integers(0, arity, 2), n_rows)
        case "last state":
            return np.full(n_rows, arity - 1)
        case "copies" if before is not None:
            return before % arity
        case "blocks":
            return np.arange(n_rows) * arity // max(n_rows, 1)
    return rng.integers(0, arity, n_rows)


def _weights(kind: str | None, n_rows: int, rng: np.random.Generator) -> Any:
    """Return row weights of some kind."""
    match kind:
        case "whole":
            return rng.integers(0, 4, n_rows)
        case "fractional":
            return rng.exponential(size=n_rows) * (rng.random(n_rows) < 0.8)
        case "zero":
            return np.zeros(n_rows)
        case "huge":
            return rng.integers(0, 10**9, n_rows)
        case "tiny":
            return rng.random(n_rows) * 1e-6
    return None


@st.composite
def tables(draw: st.DrawFn, most_variables: int = 9) -> Table:
    """Draw a table of codes, degenerate ones among them."""
    n_rows = draw(row_numbers)
    if draw(st.booleans()):  # all alike: what bit planes and hubs are made for
        wanted = [draw(arities)] * draw(st.integers(2, most_variables))
    else:
        wanted = draw(st.lists(arities, min_size=2, max_size=most_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns: list[Any] = []
    for arity in wanted:
        columns.append(_column(draw(shapes), arity, n_rows, columns[-1] if columns else None, rng))
    return table_of(columns, wanted, _weights(draw(weight_kinds), n_rows, rng))


@st.composite
def tables_of_numbers(draw: st.DrawFn) -> Table:
    """Draw a table of numbers: constant, collinear, huge and tiny columns among them."""
    n_rows = draw(st.integers(0, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = [np.zeros(n_rows)]
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["normal", "constant", "copy", "sum", "huge", "tiny", "few", "step"]))
        fresh = rng.normal(size=n_rows)
        columns.append(
            {
                "normal": fresh,
                "constant": np.full(n_rows, draw(st.floats(-1e300, 1e300))),
                "copy": -3.0 * columns[-1] + 1,
                "sum": columns[-1] + columns[0] + 1e-9 * fresh,
                "huge": fresh * 1e300,
                "tiny": fresh * 1e-300,
                "few": np.round(fresh),
                "step": 1e9 + 1e-6 * fresh,
            }[kind]
        )
    weights = _weights(draw(weight_kinds), n_rows, rng)
    return table_of_numbers(columns, weights)


@st.composite
def batches(draw: st.DrawFn, table: Table) -> list[tuple[int, int, tuple[int, ...]]]:
    """Draw questions about a table: some alone, some that share a conditioning set, some about one hub."""
    n = len(table.variables)
    questions = []
    for _ in range(draw(st.integers(1, 4))):
        order = draw(st.permutations(range(n)))
        given = tuple(order[: draw(st.integers(0, n - 2))])
        rest = order[len(given) :]
        pairs = [(rest[0], y) for y in rest[1:]] + [(y, rest[-1]) for y in rest[1:-1]]
        asked = pairs[: draw(st.sampled_from([1, 1, 3, 20]))]
        questions += [(x, y, given) for x, y in asked]
    return questions


probabilities = st.floats(0.001, 0.999)
conventions = st.sampled_from(["slices", "adjusted", "full"])
policies = st.builds(
    gd.ThinData,
    rows_per_cell=st.sampled_from([0, 1, 5, 1e9]),
    answer=st.sampled_from(["test", "independent", "dependent"]),
)
discrete_tests = st.one_of(
    st.builds(gd.ChiSquare, alpha=probabilities, dof=conventions, thin=policies),
    st.builds(gd.GTest, alpha=probabilities, dof=conventions, thin=policies),
    st.builds(
        gd.BayesianTest,
        threshold=probabilities,
        prior=st.one_of(probabilities, st.sampled_from([1e-300, 1 - 1e-15])),
        pseudo_count=st.sampled_from([1.0, 0.5, 2.7, 1e-3, 50.0]),
        slices=st.sampled_from(["all", "occurring"]),
        thin=policies,
    ),
)
