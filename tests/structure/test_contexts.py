"""Canonical models: contexts, features, graphs by assignment, and independences in words."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError, UnknownVariable
from graphoid.structure.context_odds import SCALES, Odds, log_bayes_factors
from graphoid.structure.contexts import CanonicalModel


def model_of(rows, graphs, n_rows=None, names=None, states=None):
    """Return a canonical model of given graphs: a list of edges for each row."""
    codes = np.array(rows, dtype=np.uint16)
    size, n = codes.shape
    adjacency = np.zeros((size, n, n), dtype=bool)
    for i, edges in enumerate(graphs):
        for x, y in edges:
            adjacency[i, x, y] = adjacency[i, y, x] = True
    return CanonicalModel.of(
        names=names or tuple(map(str, range(n))),
        states=states or tuple(tuple(range(int(top) + 1)) for top in codes.max(axis=0)),
        assignments=codes,
        n_rows=np.ones(size, dtype=np.int64) if n_rows is None else np.array(n_rows),
        adjacency=adjacency,
    )


def true_model(n, n_rows=None):
    """Return the true canonical model of the simulation, each state as often as the distribution says."""
    network = gd.datasets.context_model(n, rng=0)
    rows = list(itertools.product((0, 1), repeat=n))
    weights = np.rint(1e6 * network.probabilities.ravel()).astype(np.int64) if n_rows is None else n_rows
    return network, model_of(rows, [network.graph_for(row).edges for row in rows], weights)


@pytest.fixture
def votes():
    rows = list(itertools.product((0, 1), (0, 1), (0, 1)))
    graphs = [[(1, 2)] if region else [] for region, _, _ in rows]
    weights = [30, 30, 30, 30, 90, 10, 10, 90]
    names, states = ("region", "income", "vote"), (("north", "south"), ("low", "high"), ("red", "blue"))
    return model_of(rows, graphs, weights, names, states)


def test_contexts_are_the_different_graphs(votes):
    south, north = votes.contexts
    assert south.graph.edges == ((1, 2),)
    assert south.assignments == ((1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1))
    assert (south.n_rows, north.n_rows) == (200, 120)
    assert north.graph.edges == ()
    assert votes.graph.edges == ((1, 2),)


def test_graphs_by_assignment_in_any_form(votes):
    for assignment in ((1, 0, 0), [1, 0, 0], np.array([1, 0, 0]), ((2, 0), (0, 1), (1, 0))):
        assert votes.graph_for(assignment).edges == ((1, 2),)
    assert votes.graph_for({"vote": "red", "region": "north", "income": "low"}).edges == ()


def test_assignments_that_make_no_sense_are_refused(votes):
    with pytest.raises(SettingsError, match="one state for each of the 3 variables"):
        votes.graph_for([1, 0])
    with pytest.raises(SettingsError, match="one state for each of the 3 variables"):
        votes.graph_for(((0, 1), (0, 1), (1, 0)))
    for nonsense in ("abc", [0.5, 0, 1], [None, 0, 1], ((0, 1, 2), (1, 0, 0), (2, 0, 0))):
        with pytest.raises(SettingsError, match="one state for each of the 3 variables"):
            votes.graph_for(nonsense)
    with pytest.raises(SettingsError, match="'vote' has 2 states, with codes from 0; got 2"):
        votes.graph_for([0, 0, 2])
    with pytest.raises(SettingsError, match="'region' has no state 'east'; it has 'north', 'south'"):
        votes.graph_for({"vote": "red", "region": "east", "income": "low"})
    with pytest.raises(UnknownVariable, match="no variable is named 'town'"):
        votes.graph_for({"vote": "red", "town": "north", "income": "low"})
    fewer = model_of([[0, 0], [1, 1]], [[], []])
    with pytest.raises(SettingsError, match="no row of the data has 0 = 0, 1 = 1"):
        fewer.graph_for([0, 1])
    with pytest.raises(DataError, match="as many names"):
        CanonicalModel(("a",), ((0,),), np.zeros((1, 2), np.uint16), np.ones(1), (), np.zeros(1, np.intp))


def test_features_are_cliques_with_states(votes):
    # north: three variables alone, each with both states; south: region alone, and the pair with four states
    assert votes.features == (
        *(((0, 0),), ((0, 1),)),
        *(((1, 0),), ((1, 0), (2, 0)), ((1, 0), (2, 1)), ((1, 1),), ((1, 1), (2, 0)), ((1, 1), (2, 1))),
        *(((2, 0),), ((2, 1),)),
    )


def test_features_of_the_true_structure():
    network, model = true_model(4)
    assert model.features == network.features
    # the eight states with the switch at 0, and three pairs with the switch at 1, two states each
    assert len(model.features) == 8 + 3 * 2


def test_an_independence_in_words_with_its_counts(votes):
    found = {(i.x, i.y): i for i in votes.independences(undecided=True)}
    vote = found["income", "vote"]
    assert str(vote) == "given region = north, income tells nothing about vote; elsewhere it does"
    assert votes.independences(undecided=True)[0] is not vote
    assert votes.independences(undecided=True)[0].words == vote.words  # it matters most
    assert vote.context == ((0, 0),)
    assert vote.n_rows == 120
    ((slice_, table),) = vote.counts
    assert slice_ == ()
    assert table.tolist() == [[30, 30], [30, 30]]
    assert vote.information == 0
    # two by two with 90, 10, 10, 90: sum p log p / (1/4) = .9 log 1.8 + .1 log .2 nats, less 1 / (2 * 200)
    elsewhere = 0.9 * np.log(1.8) + 0.1 * np.log(0.2) - 1 / 400
    assert vote.outside == pytest.approx(elsewhere)
    assert vote.matters == pytest.approx(120 * elsewhere)
    assert str(found["region", "income"]) == "in every context, region tells nothing about income"
    assert found["region", "vote"].outside is None


def test_what_else_must_be_known_is_said():
    rows = list(itertools.product((0, 1), repeat=4))
    graphs = [[(0, 1), (1, 2)] + ([(0, 2)] if row[3] else []) for row in rows]
    model = model_of(rows, graphs, names=("a", "b", "c", "w"))
    found = {(i.x, i.y): i for i in model.independences(undecided=True)}
    # sixteen rows do not tell whether it does elsewhere
    assert str(found["a", "c"]) == "given w = 0, a tells nothing about c once b is known"
    assert [slice_ for slice_, _ in found["a", "c"].counts] == [((1, 0),), ((1, 1),)]
    assert sum(table.sum() for _, table in found["a", "c"].counts) == found["a", "c"].n_rows == 8


def test_contexts_are_merged_into_the_fewest():
    rows = list(itertools.product((0, 1), (0, 1), (0, 1), (0, 1, 2)))
    # 0 and 1 are joined unless 2 is 0 or 3 is 1
    graphs = [[] if row[2] == 0 or row[3] == 1 else [(0, 1)] for row in rows]
    found = [i for i in model_of(rows, graphs).independences(undecided=True) if (i.x, i.y) == ("0", "1")]
    assert sorted(i.context for i in found) == [((2, 0),), ((3, 1),)]
    assert all(i.smallest and i.n_others == 1 for i in found)


def test_what_joins_some_states_of_the_pair_only_is_no_independence():
    rows = list(itertools.product((0, 1), repeat=3))
    graphs = [[(0, 1)] if row == (0, 0, 0) else [] for row in rows]
    found = [i for i in model_of(rows, graphs).independences(undecided=True) if (i.x, i.y) == ("0", "1")]
    assert [i.context for i in found] == [((2, 1),)]


def test_the_true_model_says_just_what_is_true():
    network, model = true_model(5)
    found = model.independences(undecided=True)
    assert {(i.x, i.y) for i in found} == set(itertools.combinations("1234", 2))
    joint = network.probabilities
    for i in found:
        assert i.context == ((0, 1),)
        assert i.given == ()
        assert i.information < 1e-6 < i.outside
        # exactly independent in the distribution, where the switch is 1
        inside = joint[1] / joint[1].sum()
        axes = tuple(v for v in range(4) if v + 1 not in (int(i.x), int(i.y)))
        pair = inside.sum(axis=axes)
        np.testing.assert_allclose(pair, np.outer(pair.sum(axis=1), pair.sum(axis=0)), atol=1e-12)
    by_verdict = [[i.matters for i in found if i.verdict == verdict] for verdict in ("sure", "undecided")]
    assert [matters for group in by_verdict for matters in group] == [i.matters for i in found]
    assert all(matters == sorted(matters, reverse=True) for matters in by_verdict)


@pytest.mark.parametrize("learner", [gd.CSGS, gd.CSPC])
def test_learned_from_enough_rows_the_switch_is_found(learner):
    table = gd.datasets.context_model(4, rng=1).sample(20_000, random_state=2)
    model = learner(test=gd.ChiSquare(alpha=1e-4)).fit(table).structure_
    # the margins of the switch and another may be independent by chance, which CSPC takes for a missing edge
    found = model.independences(undecided=True)
    assert {(i.x, i.y, i.context) for i in found if i.x != "0"} == {
        (x, y, ((0, 1),)) for x, y in itertools.combinations("123", 2)
    }


def test_the_dependence_of_the_survey_that_holds_in_the_city_only():
    table = gd.datasets.load("survey")
    first = gd.CSGS().fit(table).structure_.independences(undecided=True)[0]
    assert (first.x, first.y) == ("age", "bus")
    assert str(first).startswith("given region = country, age tells nothing about bus")
    rows = (table.column("region") == 1).sum()
    assert first.n_rows == rows == sum(t.sum() for _, t in first.counts)


def test_it_shows_itself(votes):
    assert repr(votes) == (
        "<CanonicalModel by a learner: 3 variables, 8 assignments, 2 different graphs, 0 tests>"
    )
    assert "3 independences that the graphs say are undecided; independences(undecided=True) has them" in str(
        votes
    )
    many = model_of(
        votes.assignments,
        [[(1, 2)] if region else [] for region, _, _ in votes.assignments],
        10_000 * votes.n_rows,
        votes.names,
        votes.states,
    )
    sentence = (
        "given region = north, income tells nothing about vote; elsewhere it does (1,200,000 rows, sure: "
    )
    assert sentence in str(many)
    assert "1 edge in 4 assignments, 62.5% of the rows" in str(votes)


def test_two_states_are_as_three_of_which_one_does_not_occur():
    tables = np.random.default_rng(0).integers(0, 40, (20, 2, 2))
    padded = np.pad(tables, ((0, 0), (0, 1), (0, 1)))
    assert log_bayes_factors(tables) == pytest.approx(log_bayes_factors(padded), rel=1e-9)


def test_a_bayes_factor_by_hand():
    # margins of one half: every eigenvalue is 1/2, and so the information is 100 / 4; chi-square is 4
    factors = log_bayes_factors(np.array([[[30, 20], [20, 30]], [[60, 0], [40, 0]], [[1, 0], [0, 0]]]))
    gain = 25 * SCALES**2
    np.testing.assert_allclose(factors[0], 0.5 * (4 * gain / (1 + gain) - np.log1p(gain)), atol=1e-12)
    assert not factors[1:].any()  # what does not vary says nothing


def test_without_rows_the_probability_is_what_was_known_before():
    odds = Odds.of(np.zeros((10, len(SCALES))))
    nothing = np.zeros((1, len(SCALES)))
    here, elsewhere = odds.probabilities(nothing, nothing, nothing, np.array([False]))
    assert odds.independent == pytest.approx(0.5)
    assert here == pytest.approx(0.5 + 0.5 * 0.1)  # or in this context alone, one in ten
    assert elsewhere == pytest.approx(0.5)


@pytest.fixture(scope="module")
def chain():
    """Return the distribution of a chain of five variables of three states, without contexts."""
    rng = np.random.default_rng(5)
    potentials = [np.exp(rng.normal(0, 0.7, (3, 3))) for _ in range(4)]
    joint = np.einsum("ab,bc,cd,de->abcde", *potentials)
    return joint / joint.sum()


@pytest.mark.parametrize("learner", [gd.CSGS, gd.CSPC])
def test_contexts_of_few_rows_are_not_listed(learner, chain):
    codes = np.unravel_index(np.random.default_rng(0).choice(243, 500, p=chain.ravel()), chain.shape)
    model = learner().fit(gd.read({f"v{i}": code for i, code in enumerate(codes)})).structure_
    every, listed = model.independences(undecided=True), model.independences()
    edges = {(f"v{i}", f"v{i + 1}") for i in range(4)}
    assert sum((i.x, i.y) in edges for i in every) > 2  # the graphs lack edges where there are few rows
    assert not [str(i) for i in listed if (i.x, i.y) in edges]
    assert listed == every[: len(listed)]
    assert all(i.sure for i in listed)
    assert all(0 < i.probability < 1 and i.n_rows > 0 for i in every)


def test_what_many_rows_show_is_sure(chain):
    """Where the last variable is 0, the first two are independent: 8,000 rows as the distribution says."""
    joint = chain.copy()
    inside = joint[..., 0]
    pair = inside.sum(axis=(2, 3))
    apart = np.outer(pair.sum(axis=1), pair.sum(axis=0)) / pair.sum()
    joint[..., 0] = inside * (apart / pair)[:, :, None, None]
    rows = list(itertools.product(range(3), repeat=5))
    edges = [[(i, i + 1) for i in range(row[4] == 0, 4)] + [(0, 4), (1, 4)] for row in rows]
    model = model_of(rows, edges, np.rint(8_000 * joint.ravel()).astype(np.int64))
    (found,) = [i for i in model.independences() if (i.x, i.y) == ("0", "1")]
    assert found.verdict == "sure"
    assert str(found) == "given 4 = 0, 0 tells nothing about 1; elsewhere it does"
    assert found.evidence.startswith(f"{found.n_rows:,} rows, sure: 0.9")
