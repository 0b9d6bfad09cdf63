"""What rows say of pairs in contexts: the kernel against the plain way, and that against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

import graphoid as gd
from graphoid.limits import OutOfTime, time_limit
from graphoid.structure import context_evidence, independences
from graphoid.structure.context_evidence import ContextGraphs, plain_evidence


def switched(seed, arities, n_rows=600):
    """Return a model of variables each of which depends on an earlier one where another is 0."""
    rng = np.random.default_rng(seed)
    columns = []
    for v, arity in enumerate(arities):
        log_odds = np.zeros((n_rows, arity))
        if v > 1:
            parent, switch = rng.choice(v, 2, replace=False)
            weights = rng.normal(0, 1.5, (arities[parent], arity))
            log_odds = weights[columns[parent]] * (columns[switch] == 0)[:, None]
        columns.append((log_odds + rng.gumbel(size=log_odds.shape)).argmax(axis=1))
    return gd.CSGS().fit(gd.read({f"v{i}": column for i, column in enumerate(columns)})).structure_


def contexts_of(rows, pair):
    """Return contexts of a few assignments, everything, and one that covers all rows but some."""
    others = [v for v in range(len(rows.model.names)) if v not in pair]
    some = [tuple((v, int(row[v])) for v in others[:k]) for k, row in enumerate(rows.model.assignments[:5])]
    return [(), *some]


@pytest.mark.parametrize("arities", [(2, 2, 2, 2, 2, 2), (2, 3, 2, 3, 3), (4, 2, 5, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_the_kernel_says_what_the_plain_way_says(seed, arities):
    rows = ContextGraphs(switched(seed, arities))
    for x in range(len(arities)):
        for y in range(x + 1, len(arities)):
            contexts = contexts_of(rows, (x, y))
            fast, plain = rows.evidence((x, y), contexts), plain_evidence(rows, (x, y), contexts)
            assert fast.given == plain.given
            np.testing.assert_allclose(fast.one, plain.one, atol=1e-9)
            for a, b in ((fast.inside, plain.inside), (fast.outside, plain.outside)):
                for one, other in zip(a, b, strict=True):
                    np.testing.assert_allclose(one, other, atol=1e-9)


def test_independences_are_the_same_without_the_kernel(monkeypatch):
    model = switched(1, (2, 3, 2, 2, 3, 2), 1_500)
    fast = independences.of(model)
    monkeypatch.setattr(ContextGraphs, "evidence", plain_evidence)
    plain = independences.of(model)
    assert len(fast) > 20
    assert list(map(str, fast)) == list(map(str, plain))
    for a, b in zip(fast, plain, strict=True):
        assert (a.context, a.given, a.n_rows, a.smallest) == (b.context, b.given, b.n_rows, b.smallest)
        assert (a.probability, a.matters) == (pytest.approx(b.probability), pytest.approx(b.matters))


def test_information_by_loops():
    model = switched(0, (2, 3, 2, 2))
    rows = ContextGraphs(model)
    found = rows.evidence((0, 1), [((2, 1),)])
    (given,) = found.given
    kept = model.assignments[:, 2] == 1
    statistic = 0.0
    for z in np.unique(model.assignments[kept][:, given], axis=0):
        here = kept & (model.assignments[:, given] == z).all(axis=1)
        table = np.zeros((2, 3))
        np.add.at(table, (model.assignments[here, 0], model.assignments[here, 1]), model.n_rows[here])
        for i in range(2):
            for j in range(3):
                if table[i, j]:
                    expected = table[i].sum() * table[:, j].sum() / table.sum()
                    statistic += 2 * table[i, j] * math.log(table[i, j] / expected)
    assert found.inside.statistic[0] == pytest.approx(statistic)
    assert found.inside.n_rows[0] == model.n_rows[kept].sum()


def test_counts_are_those_of_the_context():
    model = switched(2, (2, 3, 2, 2, 2))
    for found in model.independences(undecided=True):
        kept = context_evidence.matching(model.assignments, found.context)
        assert sum(table.sum() for _, table in found.counts) == model.n_rows[kept].sum() == found.n_rows


def test_a_time_limit_ends_it():
    model = switched(3, (2,) * 10, 3_000)
    with pytest.raises(OutOfTime), time_limit(0.01):
        model.independences()
