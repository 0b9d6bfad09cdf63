"""CSGS and CSPC once more, in plain Python on lists of rows: what the learners are held to."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
from scipy.stats import chi2, chi2_contingency

from graphoid.independence.pearson_null import null_moments


class Rows:
    """Rows of states, a test on those that agree with a context, and every question asked."""

    def __init__(self, rows, independent):
        self.rows = [tuple(int(state) for state in row) for row in rows]
        self.constant = {i for i, column in enumerate(zip(*self.rows, strict=True)) if len(set(column)) < 2}
        self.test = independent
        self.asked = []
        self.known = {}

    def independent(self, a, b, x, given):
        if self.constant & {a, b}:
            return True  # of which nothing is asked
        context = tuple((w, x[w]) for w in sorted(given))
        self.asked.append((frozenset((a, b)), context))
        a, b = sorted((a, b))
        if (a, b, context) not in self.known:  # the rows would say the same again
            matching = [row for row in self.rows if all(row[w] == state for w, state in context)]
            self.known[a, b, context] = self.test(Counter((row[a], row[b]) for row in matching), a, b)
        return self.known[a, b, context]


def chi_square(alpha=0.05):
    """Pearson's test on the states that occur; no variation means independent.

    Where its mean by chance is a tenth of a standard deviation above the degrees of freedom, or its variance
    a tenth off what goes with that mean, both are matched (the moments are held to all tables with the same
    margins in tests/independence/test_pearson_null.py).
    """

    def independent(counts, _a, _b):
        xs, ys = sorted({x for x, _ in counts}), sorted({y for _, y in counts})
        if len(xs) < 2 or len(ys) < 2:
            return True
        table = np.array([[counts[x, y] for y in ys] for x in xs], dtype=float)
        statistic, p, dof, _ = chi2_contingency(table, correction=False)
        mean, variance, *_ = null_moments(table.sum(axis=1)[None], table.sum(axis=0)[None])
        if variance < 1e-9:
            return True  # every table with these margins has the same statistic
        matched = 2 * mean**2 / variance
        if mean - dof > 0.1 * math.sqrt(2 * dof) or abs(matched / dof - 1) > 0.1:
            p = chi2.sf(statistic * matched / mean, matched)
        return bool(p > alpha)

    return independent


def bayesian(arities):
    """Two multinomials against a joint one, uniform priors; dependent from three to one, five rows a cell."""

    def marginal(counts, cells):
        return (
            math.lgamma(cells)
            - math.lgamma(cells + sum(counts))
            + sum(math.lgamma(1 + count) for count in counts)
        )

    def independent(counts, a, b):
        xs, ys = Counter(), Counter()
        for (x, y), count in counts.items():
            xs[x] += count
            ys[y] += count
        if len(xs) < 2 or len(ys) < 2:
            return True
        ra, rb = arities[a], arities[b]
        apart = marginal(xs.values(), ra) + marginal(ys.values(), rb)
        log_odds = apart - marginal(counts.values(), ra * rb)
        return sum(counts.values()) < 5 * ra * rb or log_odds > -math.log(3)

    return independent


def csgs(ci, x, *, repeat=False):
    """Algorithm 2 of the paper, with the readings in the docstring of graphoid.learners.contexts.csgs."""
    nodes, edges = range(len(x)), set()

    def blanket(a):
        return {b for b in nodes if frozenset((a, b)) in edges}

    for a in nodes:
        before = None
        while before is None or (repeat and blanket(a) != before):
            before = blanket(a)
            for b in [b for b in nodes if b != a and b not in before]:
                if not ci.independent(a, b, x, blanket(a)):
                    edges.add(frozenset((a, b)))
        for b in sorted(blanket(a)):
            if ci.independent(a, b, x, blanket(a) - {b}):
                edges.remove(frozenset((a, b)))
    return edges


def cspc(ci, x):
    """The PC skeleton, with the readings in the docstring of graphoid.learners.contexts.cspc."""
    nodes = range(len(x))
    edges = {frozenset(pair) for pair in itertools.combinations(nodes, 2)}
    for m in range(len(x)):
        for a, b in itertools.permutations(nodes, 2):
            if frozenset((a, b)) not in edges:
                continue
            neighbors = [w for w in nodes if w != b and frozenset((a, w)) in edges]
            for given in itertools.combinations(neighbors, m):
                if ci.independent(a, b, x, given):
                    edges.remove(frozenset((a, b)))
                    break
    return edges


def cliques(n, edges):
    """Maximal cliques by looking at every set of nodes."""
    sets = [
        set(nodes)
        for size in range(1, n + 1)
        for nodes in itertools.combinations(range(n), size)
        if all(frozenset(pair) in edges for pair in itertools.combinations(nodes, 2))
    ]
    return [one for one in sets if not any(one < other for other in sets)]


def learned(strategy, rows, independent):
    """Return the edges of every distinct row, the questions asked, how many differ, and the features."""
    ci = Rows(rows, independent)
    graphs = {x: strategy(ci, x) for x in sorted(set(ci.rows))}
    features = {
        tuple((v, x[v]) for v in sorted(clique))
        for x, edges in graphs.items()
        for clique in cliques(len(x), edges)
    }
    return graphs, len(ci.asked), len(set(ci.asked)), features


def same(model, expected):
    """Check a canonical model against what :func:`learned` returned."""
    graphs, n_asked, n_distinct, features = expected
    assert model.assignments.tolist() == [list(x) for x in graphs]
    for x, edges in graphs.items():
        assert {frozenset(edge) for edge in model.graph_for(x).edges} == edges, x
    assert model.cost.n_tests == n_asked
    assert model.cost.n_distinct == n_distinct
    assert set(model.features) == features
    assert len(model.features) == len(features)


def dependent_rows(n_rows, arities, seed):
    """Return rows whose columns depend on earlier ones, some only where the first is 0; with rare states."""
    rng = np.random.default_rng([seed, n_rows, *arities])
    columns = [rng.choice(arities[0], n_rows, p=rng.dirichlet(np.ones(arities[0])))]
    for arity in arities[1:]:
        own = rng.choice(arity, n_rows, p=rng.dirichlet(np.full(arity, 0.7)))
        source = columns[rng.integers(len(columns))] % arity
        follows = rng.random(n_rows) < rng.uniform(0.1, 0.7)
        if rng.random() < 0.5:
            follows &= columns[0] == 0
        columns.append(np.where(follows, source, own))
    return np.stack(columns, axis=1)
