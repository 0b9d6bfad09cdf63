"""Tables of codes at random: few and many states, weights, missing cells, rare states and copies."""

from __future__ import annotations

import numpy as np

from graphoid.data.table import Table, Weights
from graphoid.data.variables import Variable


def random_codes(rng: np.random.Generator, most_rows: int = 5_000) -> Table:
    """Return a table of 2 to 90 columns, or now and then of hundreds, with 1 to ``most_rows`` rows."""
    n = int(rng.integers(2, 90)) if rng.random() < 0.85 else int(rng.integers(300, 700))
    n_rows = int(np.exp(rng.uniform(0, np.log(most_rows))))
    most = int(rng.choice([2, 2, 3, 4, 20]))
    arities = rng.integers(2, most + 1, n) if rng.random() < 0.6 else np.full(n, most)
    missing, skew = rng.random() < 0.3, float(rng.choice([1.0, 0.2, 5.0]))
    common, columns, holes = rng.normal(size=(n_rows, 3)), [], set()
    for v, arity in enumerate(arities.tolist()):
        z = common @ rng.normal(size=3) * rng.choice([0.0, 0.5, 2.0]) + rng.normal(size=n_rows)
        shares = np.cumsum(rng.dirichlet(np.full(arity, skew)))[:-1]
        codes = np.searchsorted(np.quantile(z, np.minimum(shares, 1)), z).astype(np.uint8)
        if missing and rng.random() < 0.5:
            codes[rng.random(n_rows) < rng.choice([0.05, 0.3])] = arity
            holes.add(v)
        columns.append(codes)
    if rng.random() < 0.2:  # equals, which only their place tells apart
        columns[-1], arities[-1] = columns[0].copy(), arities[0]
        holes = holes | {n - 1} if 0 in holes else holes - {n - 1}
    variables = tuple(Variable(f"v{i}", tuple(map(str, range(r)))) for i, r in enumerate(arities.tolist()))
    return Table(variables, tuple(columns), n_rows, weights=_weights(rng, n_rows), holes=frozenset(holes))


def _weights(rng: np.random.Generator, n_rows: int) -> Weights | None:
    if rng.random() < 0.7:
        return None
    units = rng.integers(0, int(rng.choice([3, 1_000, 10**6])), n_rows)
    units[0] = max(int(units[0]), 1)
    return Weights(units.astype(np.int64), float(rng.choice([1.0, 2.0**-10])))
