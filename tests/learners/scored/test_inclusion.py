"""How probable pairs are, worked by numerical integration; and what is left for resamples to look at."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, ncx2

import graphoid as gd
from graphoid.data.table import code_columns
from graphoid.learners.power import column_of
from graphoid.learners.scored.inclusion import SIZES, PairEvidence, columns_of
from graphoid.scores.evidence import LogLinearEvidence
from graphoid.scores.priors import SparsePrior


def table_of(codes, ordered=False):
    states = [tuple(range(int(column.max()) + 1)) for column in codes.T]
    variables = tuple(gd.Variable(f"v{i}", own, ordered) for i, own in enumerate(states))
    return gd.Table(variables, code_columns(codes, variables), len(codes))


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(3)
    x = rng.integers(3, size=(600, 4)).astype(np.uint8)
    x[:, 1] = np.where(rng.random(600) < 0.6, x[:, 0], x[:, 1])
    x[:, 2] = np.where(rng.random(600) < 0.4, x[:, 1], x[:, 2])
    return table_of(x)


def bayes_factor(s, q, information, size):
    """The density of the noncentral chi-square over the central one, averaged over the moment prior."""
    g = information * size**2 / (q + 2)

    def weighed(noncentrality):  # of |z|^2 / g, chi-square times |z|^2 / (q g)
        density = chi2.pdf(noncentrality / g, q) / g * noncentrality / (q * g)
        return density * ncx2.pdf(s, q, noncentrality) / chi2.pdf(s, q)

    return quad(weighed, 0, 60 * g, limit=400)[0]


@pytest.mark.parametrize(("s", "q", "rows"), [(0.5, 1, 100), (9.0, 1, 400), (14.0, 4, 300), (30.0, 16, 1000)])
def test_bayes_factors_are_those_of_the_moment_prior(chain, s, q, rows):
    one = np.array([1.0])
    numbers = (s * one, q * one, one, rows * one, one, one)
    evidence = PairEvidence({(0, 1): 1.0}, LogLinearEvidence().on(chain), *numbers)
    expected = math.log(np.mean([bayes_factor(s, q, rows, size) for size in SIZES]))
    assert evidence.log_bayes_factors[0] == pytest.approx(expected, abs=1e-6)


def test_the_statistic_behind_a_gain_is_the_likelihood_ratio(chain):
    """Of two variables alone both ends fit the table exactly: S is about G, less what the prior shrinks."""
    pair = table_of(chain.codes[:, :2])
    scorer = LogLinearEvidence(ess=None).on(pair)
    joined = gd.UndirectedGraph(pair.names, [(0, 1)])
    worth = {(0, 1): -float(scorer.gains(joined, [(0, 1)])[0])}
    seen = np.zeros((3, 3))
    np.add.at(seen, tuple(pair.codes.T.astype(int)), 1.0)
    even = np.outer(seen.sum(1), seen.sum(0)) / seen.sum()
    g = 2 * (seen * np.log(seen / even)).sum()
    assert PairEvidence.of(worth, scorer, joined).statistic[0] == pytest.approx(g, rel=0.1)


def test_information_is_what_blankets_leave(chain):
    """The middle of a chain is explained by both its neighbors, the end by one, the lone variable by none."""
    graph = gd.UndirectedGraph(chain.names, [(0, 1), (1, 2)])
    left = [column.left for column in columns_of(LogLinearEvidence().on(chain), graph)]
    assert left[1] < left[0] < 1
    assert left[1] < left[2] < 1
    assert left[3] == 1


def test_columns_say_how_even_their_states_are():
    nominal, ordered = (gd.Variable("v", ("a", "b", "c"), flag) for flag in (False, True))
    even = column_of(nominal, np.array([10.0, 10.0, 10.0]))
    assert even.variances == pytest.approx([1 / 3, 1 / 3])
    assert even.evenness == pytest.approx(1.0)
    skewed = column_of(nominal, np.array([28.0, 1.0, 1.0]))
    assert skewed.evenness == pytest.approx(1.5 * (1 - (28**2 + 2) / 900))
    # steps -1, 0, 1 with probabilities .5, .3, .2: mean -.3, variance .7 - .09, of which two thirds are even
    assert column_of(ordered, np.array([5.0, 3.0, 2.0])).evenness == pytest.approx((0.7 - 0.09) * 1.5)
    assert column_of(nominal, None).evenness == 1.0


def test_a_state_that_never_occurs_takes_no_degree_of_freedom(chain):
    whole = LogLinearEvidence().on(chain)
    wider = tuple(gd.Variable(v.name, (*v.states, 9), v.ordered) for v in chain.variables)
    more = LogLinearEvidence().on(gd.Table(wider, chain.columns, chain.n_rows))
    few, many = (PairEvidence.of({(0, 1): 5.0}, s, gd.UndirectedGraph(s.names)).dof[0] for s in (whole, more))
    assert few == pytest.approx(4, abs=0.1)
    assert many == pytest.approx(few)


def test_as_many_edges_as_there_seem_to_be_unless_the_prior_says_how_many(chain):
    found = gd.learn(chain)
    scorer = LogLinearEvidence().on(chain)
    worth = found.scored.worth(found.graph)
    told = LogLinearEvidence(prior=SparsePrior(0.5)).on(chain)
    evidence = PairEvidence.of(worth, told, found.graph)
    expected = 1 / (1 + np.exp(-evidence.log_bayes_factors))
    for p, q, gain in zip(evidence.probabilities().values(), expected, worth.values(), strict=True):
        assert p == pytest.approx(max(q, 0.5) if gain > 0 else min(q, 0.5))
    own = PairEvidence.of(worth, scorer, found.graph).probabilities()
    assert own == found.edge_probabilities
    density = (sum(own.values()) + 1.5 * 0.5) / (6 + 1.5)
    p = 1 / (
        1 + np.exp(-PairEvidence.of(worth, scorer, found.graph).log_bayes_factors) * (1 - density) / density
    )
    free = [i for i, value in enumerate(own.values()) if value != 0.5]
    assert np.array(list(own.values()))[free] == pytest.approx(p[free], abs=1e-4)


def test_probabilities_are_on_the_side_of_the_graph(chain):
    found = gd.learn(chain)
    assert set(found.graph.edges) == {(0, 1), (1, 2)}
    for pair, p in found.edge_probabilities.items():
        assert (p >= 0.5) == found.graph.has_edge(*pair)


def test_resamples_look_at_edges_and_at_what_they_may_hide(chain):
    found = gd.learn(chain)
    climb = gd.Search(LogLinearEvidence()).for_resamples(found)
    pairs = set(climb.candidates.edges)
    assert set(found.graph.edges) <= pairs
    rows = found.bootstrap(20, random_state=1).edges()
    looked_at = {(chain.position(r.x), chain.position(r.y)) for r in rows if r.mean_probability is not None}
    assert looked_at == pairs
    everywhere = gd.Bootstrap(gd.Search(LogLinearEvidence(), effort=0, start=found.graph), 20, random_state=1)
    for row, whole in zip(rows, everywhere.fit(chain).edges(), strict=True):
        assert row.frequency == pytest.approx(whole.frequency, abs=0.05)


def test_of_no_pairs_nothing_is_said(chain):
    """A search whose time was up before it had flipped anything."""
    scorer = gd.LogLinearEvidence().on(chain)
    evidence = PairEvidence.of({}, scorer, gd.UndirectedGraph(chain.names))
    assert evidence.probabilities() == {}
    assert evidence.underpowered_pairs() == frozenset()
