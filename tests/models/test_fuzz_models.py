"""Models of any shape: everything they say, against all joint states written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

import graphoid as gd
from graphoid.models.factors import Factor
from tests.support.networks import agreeing, enumerated, marginal, random_evidence, variables_of


@st.composite
def models(draw: st.DrawFn) -> tuple[gd.MarkovNetwork, np.random.Generator]:
    """Return a model of up to seven variables of one to three states, in pieces or not, with zeros or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 7))
    zeros = draw(st.booleans())
    strength = draw(st.sampled_from([0.1, 2.0, 10.0]))
    arities = rng.integers(1, 4, n)
    factors, features = [], []
    for _ in range(draw(st.integers(0, n + 1))):
        members = tuple(rng.choice(n, rng.integers(1, min(n, 4) + 1), replace=False).tolist())
        log_values = strength * rng.normal(size=[arities[v] for v in members])
        if zeros:
            impossible = rng.random(log_values.shape) < 0.15
            impossible[(0,) * len(members)] = False
            log_values[impossible] = -np.inf
        factors.append(Factor(members, log_values))
    for _ in range(draw(st.integers(0, n + 1))):
        fixed = sorted(rng.choice(n, rng.integers(1, n + 1), replace=False).tolist())
        features.append(tuple((v, int(rng.integers(arities[v]))) for v in fixed))
    weights = 2 * rng.normal(size=len(features))
    return gd.MarkovNetwork(variables_of(arities.tolist()), tuple(features), weights, tuple(factors)), rng


@given(models(), st.integers(1, 60), st.sampled_from([0.0, 0.2, 0.5, 0.9]))
def test_everything_agrees_with_enumeration(
    made: tuple[gd.MarkovNetwork, np.random.Generator], n_rows: int, share: float
) -> None:
    model, rng = made
    p = enumerated(model)
    evidence = random_evidence(model, rng, n_rows, share)
    over = tuple(rng.choice(p.ndim, rng.integers(1, p.ndim + 1), replace=False).tolist())
    joint, log_p, marginals = (
        model.query(over, evidence),
        model.log_evidence(evidence),
        model.marginals(evidence),
    )
    explained, drawn = model.exact.most_probable(evidence), model.exact.draw(evidence, rng)
    assert isinstance(log_p, np.ndarray)
    kept = [agreeing(p, row) for row in evidence]
    total = np.array([rows.sum() for rows in kept])
    expected = np.array([marginal(rows, over) / rows.sum() for rows in kept])
    np.testing.assert_allclose(joint, expected, atol=1e-10)
    np.testing.assert_allclose(log_p, np.log(total), rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(p[tuple(explained.T)], [rows.max() for rows in kept], rtol=1e-9)
    assert all(rows[tuple(state)] > 0 for rows, state in zip(kept, drawn, strict=True))
    for v, name in enumerate(model.names):
        one = np.array([marginal(rows, [v]) for rows in kept])
        np.testing.assert_allclose(marginals[name], one / total[:, None], atol=1e-10)
