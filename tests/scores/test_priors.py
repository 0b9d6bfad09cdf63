"""What is believed of edges beforehand, and what the data make of it."""

from itertools import combinations

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError

NAMES = [f"v{i:02}" for i in range(24)]


def sure_of(edges, n=24):
    """Probabilities of a search that is nearly sure of its edges."""
    edges = {tuple(sorted(edge)) for edge in edges}
    return {pair: 0.99 if pair in edges else 0.001 for pair in combinations(range(n), 2)}


def blocks_of(size=8, n=24):
    return [pair for pair in combinations(range(n), 2) if pair[0] // size == pair[1] // size]


def test_blocks_have_two_densities():
    prior = gd.BlockPrior((("a", "c"), ("b", "d")), within=0.5, between=0.1)
    odds = prior.log_odds(["a", "b", "c", "d", "e"])
    expected = np.full((5, 5), np.log(0.1 / 0.9))
    expected[0, 2] = expected[2, 0] = expected[1, 3] = expected[3, 1] = 0.0
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(odds, expected)
    with pytest.raises(SettingsError, match="within"):
        gd.BlockPrior((("a", "b"),), within=1.5, between=0.1)


def test_blocks_are_noticed():
    found = gd.CommunityPrior().adapt(NAMES, sure_of(blocks_of()))
    assert sorted(map(sorted, found.blocks)) == [NAMES[:8], NAMES[8:16], NAMES[16:]]
    edges, others = 84 * 0.99, 192 * 0.001
    assert found.within == pytest.approx((edges + 1) / 86)
    assert found.between == pytest.approx((others + 1) / 194)


def test_two_densities_have_to_be_worth_their_labels():
    # three of the 28 pairs of two blocks of eight: not more than chance gives among 2^16 labelings
    weak = sure_of([(0, 1), (2, 3), (8, 9)], 16)
    assert gd.CommunityPrior().adapt(NAMES[:16], weak) is None


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_chains_and_hubs_have_no_communities(seed):
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(24), 2))
    graphs = [
        [pairs[i] for i in rng.choice(len(pairs), 36, replace=False)],
        [(i, i + 1) for i in range(23)],
        [(0, i) for i in range(1, 24)],
        [],
    ]
    for edges in graphs:
        assert gd.CommunityPrior().adapt(NAMES, sure_of(edges)) is None


def test_the_order_of_columns_has_no_say():
    order = np.random.default_rng(0).permutation(24)
    place = np.argsort(order)
    probabilities = {
        tuple(sorted((int(place[x]), int(place[y])))): p for (x, y), p in sure_of(blocks_of()).items()
    }
    found = gd.CommunityPrior().adapt([NAMES[i] for i in order], probabilities)
    again = gd.CommunityPrior().adapt(NAMES, sure_of(blocks_of()))
    assert {frozenset(b) for b in found.blocks} == {frozenset(b) for b in again.blocks}
    assert (found.within, found.between) == pytest.approx((again.within, again.between))


def test_until_then_it_is_the_sparse_prior():
    np.testing.assert_array_equal(gd.CommunityPrior().log_odds(NAMES), gd.SparsePrior().log_odds(NAMES))


def test_log_odds_of_pairs_take_no_matrix():
    from graphoid.scores.priors import PairOdds

    names = [f"v{i}" for i in range(5)]
    for prior in (
        gd.UniformPrior(),
        gd.SparsePrior(0.2),
        gd.EdgePrior({("v3", "v1"): 0.9, (0, 4): 0.6}, density=0.3),
        gd.BlockPrior((("v0", "v2"), ("v1", "v4")), within=0.7, between=0.1),
    ):
        odds = prior.log_odds(names)
        matrix = np.asarray(odds)
        assert np.array_equal(matrix, matrix.T)
        assert not matrix.diagonal().any()
        x, y = np.nonzero(~np.eye(5, dtype=bool))
        assert np.array_equal(odds.at(x, y), matrix[x, y])
        assert all(odds[a, b] == matrix[a, b] for a in range(5) for b in range(5))
        assert np.array_equal(np.asarray(odds.scale(2.0)), 2 * matrix)
        kept = [4, 1, 2]
        assert np.array_equal(np.asarray(odds.restrict(kept)), matrix[np.ix_(kept, kept)])
        assert np.array_equal(np.asarray(PairOdds.of(matrix)), matrix)  # of priors that give a matrix
