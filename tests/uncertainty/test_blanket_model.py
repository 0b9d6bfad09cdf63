"""A variable given its blanket: against a plain maximization, and rows added one by one."""

import numpy as np
import pytest
from scipy.optimize import minimize

from graphoid.uncertainty.blanket_model import BlanketModel
from graphoid.uncertainty.effects import group_rows, size_interval
from graphoid.uncertainty.pair_terms import contrast_code, score_code


def counts_of(seed, ordered, n=300):
    """Return counts of a response with three states, its code, and the blanket: one score, one nominal."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(4, size=n), rng.integers(3, size=n)
    y = np.clip((a + b + rng.integers(4, size=n)) // 3, 0, 2)
    group, first = group_rows([a, b], n)
    counts = np.bincount(group * 3 + y, minlength=len(first) * 3).reshape(-1, 3).astype(float)
    shares = counts.sum(axis=0) / n
    code = score_code(shares) if ordered else contrast_code(shares)
    blanket = {
        5: score_code(np.bincount(a) / n)[a[first]],
        7: contrast_code(np.bincount(b) / n)[b[first]],
    }
    return counts, code, blanket


def plain_fit(counts, code, blanket):
    """Maximize the log-likelihood plus half the log determinant of the information, written out."""
    columns = np.hstack(list(blanket.values()))
    design = np.array(
        [
            [np.concatenate([np.eye(3)[k, 1:], np.outer(row, code[k]).ravel()]) for k in range(3)]
            for row in columns
        ]
    )

    def evaluate(weights):
        eta = design @ weights
        log_p = eta - np.logaddexp.reduce(eta, axis=1, keepdims=True)
        p = np.exp(log_p)
        centered = design - np.einsum("gk,gkp->gp", p, design)[:, None]
        information = np.einsum("g,gk,gkp,gkq->pq", counts.sum(axis=1), p, centered, centered)
        return (counts * log_p).sum() + np.linalg.slogdet(information)[1] / 2, information

    found = minimize(
        lambda w: -evaluate(w)[0], np.zeros(design.shape[2]), method="BFGS", options={"gtol": 1e-6}
    )
    return found.x, np.linalg.inv(evaluate(found.x)[1])


@pytest.mark.parametrize("ordered", [True, False])
def test_weights_are_at_the_mode(ordered):
    counts, code, blanket = counts_of(1, ordered)
    weights, covariance = plain_fit(counts, code, blanket)
    model = BlanketModel(counts, code, blanket)
    p = code.shape[1]
    assert model.n_weights == len(weights)
    for z, own in ((5, np.arange(2, 2 + p)), (7, np.arange(2 + p, 2 + 3 * p))):
        order = own.reshape(-1, p).T.ravel()
        term = model.term(z)
        assert term.value == pytest.approx(weights[order], abs=1e-3)
        assert term.covariance == pytest.approx(covariance[np.ix_(order, order)], rel=0.01, abs=1e-5)


@pytest.mark.parametrize("ordered", [True, False])
def test_influence_is_what_one_more_row_does(ordered):
    counts, code, blanket = counts_of(2, ordered)
    term = BlanketModel(counts, code, blanket).term(5)
    cells = np.argwhere(counts > 0)[::7]
    for g, k in cells:
        more = counts.copy()
        more[g, k] += 1
        moved = BlanketModel(more, code, blanket).term(5).value - term.value
        assert moved == pytest.approx(term.influence[g, k], abs=0.1 * np.abs(term.influence).max())


def test_states_that_never_meet_have_finite_weights():
    counts = np.array([[20.0, 0.0], [0.0, 20.0]])
    code = score_code(np.array([0.5, 0.5]))
    term = BlanketModel(counts, code, {0: code}).term(0)
    # half a row more in every cell
    assert term.value[0] == pytest.approx(np.log(20.5**2 / 0.5**2) / 4, rel=1e-3)


def test_nothing_is_left_of_a_copy():
    counts, code, blanket = counts_of(3, True)
    model = BlanketModel(counts, code, {**blanket, 9: blanket[5]})
    assert model.term(5) is None
    assert model.term(9) is None
    assert model.term(7) is not None


def test_rows_are_grouped_however_many_columns_there_are():
    columns = np.random.default_rng(0).integers(3, size=(90, 50))
    columns[:, 25:] = columns[:, :25]
    group, first = group_rows(list(columns), 50)
    assert len(first) == 25
    assert np.array_equal(columns[:, first[group]], columns)


@pytest.mark.parametrize(("squared", "bias", "unit"), [(0.0, 4.0, 1.0), (4.0, 4.0, 1.0), (30.0, 16.0, 1.3)])
def test_the_interval_of_a_size_has_its_estimate(squared, bias, unit):
    low, high = size_interval(squared, bias, unit)
    assert low <= max(0.0, squared - bias) < high
