"""What is known of pairs in scores: own odds in every gain and probability, and no flips of decided pairs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

import graphoid as gd
from graphoid.learners.scored.exhaustive import all_graphs
from graphoid.learners.scored.inclusion import PairEvidence

TABLE = gd.datasets.load("survey")
KNOWN = gd.Knowledge(
    required=[("age", "income")], forbidden=[("bus", "content")], prior={("age", "content"): 0.9}
)
SCORES = {
    "MPL": gd.MPL(),
    "BJP": gd.BJP(),
    "evidence": gd.LogLinearEvidence(),
    "sparse": gd.MPL(prior=gd.SparsePrior(0.1)),
}


@pytest.mark.parametrize("name", SCORES)
def test_a_probability_is_the_log_odds_of_the_pair(name: str) -> None:
    score, plain = SCORES[name], SCORES[name].on(TABLE)
    told = score.on(TABLE)
    told.believe(KNOWN.on(TABLE.names))
    pair = (TABLE.position("age"), TABLE.position("content"))
    empty = gd.UndirectedGraph(TABLE.names)
    shift = (math.log(9) - plain.prior[pair]) * score.evidence_counts
    assert told.gain(empty, pair) - plain.gain(empty, pair) == pytest.approx(shift)
    assert told.value(empty.with_edge(*pair)) - plain.value(empty.with_edge(*pair)) == pytest.approx(shift)
    graphs = all_graphs(len(TABLE.names), 0, 64)
    assert told.values(graphs) == pytest.approx(
        [told.value(gd.UndirectedGraph.from_adjacency(TABLE.names, line)) for line in graphs.tolist()]
    )


@pytest.mark.parametrize("name", SCORES)
def test_only_open_pairs_may_be_flipped(name: str) -> None:
    told = SCORES[name].on(TABLE)
    told.believe(KNOWN.on(TABLE.names))
    decided = {tuple(sorted(map(TABLE.position, pair))) for pair in (*KNOWN.required, *KNOWN.forbidden)}
    assert set(told.open_pairs()) == set(combinations(range(told.n), 2)) - decided
    assert told.n_open_pairs == 15 - 2
    assert told.graph([(0, 1)]).has_edge("age", "income")


def test_the_best_of_the_graphs_that_agree_is_found() -> None:
    """By enumeration: exhaustive search among 2**15 graphs, and the search we recommend."""
    exhaustive = gd.ExhaustiveSearch(gd.MPL(), knowledge=KNOWN).fit(TABLE).structure_
    found = gd.Search(gd.MPL(), knowledge=KNOWN, random_state=0).fit(TABLE).structure_
    assert found.graph == exhaustive.graph
    scorer = gd.MPL().on(TABLE)
    scorer.believe(KNOWN.on(TABLE.names))
    values = scorer.values(all_graphs(6))
    agree = [
        i
        for i, line in enumerate(all_graphs(6).tolist())
        if (graph := gd.UndirectedGraph.from_adjacency(TABLE.names, line)).has_edge("age", "income")
        and not graph.has_edge("bus", "content")
    ]
    assert exhaustive.scored is not None
    assert exhaustive.scored.value == pytest.approx(values[agree].max())


def test_posterior_odds_move_with_prior_odds() -> None:
    """Of a pair beside which nothing else is open, posterior odds are Bayes factor times prior odds."""
    rng = np.random.default_rng(3)
    table = gd.read({"a": rng.integers(0, 2, 60).tolist(), "b": rng.integers(0, 2, 60).tolist()})

    def log_odds(p: float) -> float:
        known = gd.Knowledge(prior={("a", "b"): p})
        found = gd.Posterior(gd.MPL(), random_state=0, knowledge=known).fit(table).structure_
        probability = found.probability("a", "b")
        assert probability is not None
        return math.log(probability / (1 - probability))

    assert log_odds(0.7) - log_odds(0.3) == pytest.approx(2 * math.log(7 / 3), abs=0.1)


def test_a_stated_probability_has_no_say_in_how_dense_others_are() -> None:
    """And its own odds move by those of the prior, while what is decided is 1 or 0 whatever the rows say."""
    table = gd.datasets.pairwise_binary(gd.datasets.random_graph(8, 2, 1), 1.0, 1).sample(300, 1)
    names, graph = table.names, gd.RobustGSMN().fit(table).structure_.graph
    found = []
    for p in (0.2, 0.3):
        known = gd.Knowledge(prior={(names[0], names[1]): p}, required=[(names[2], names[3])]).on(names)
        scorer = gd.LogLinearEvidence(prior=gd.SparsePrior()).on(table)
        scorer.believe(known)
        pairs = list(combinations(range(8), 2))
        gains = scorer.gains(graph, pairs)
        worth = [-g if graph.has_edge(*pair) else g for pair, g in zip(pairs, gains.tolist(), strict=True)]
        evidence = PairEvidence.of(dict(zip(pairs, worth, strict=True)), scorer, graph)
        found.append(known.decide(evidence.probabilities()))
    low, high = found
    odds = [math.log(p[0, 1] / (1 - p[0, 1])) for p in found]
    assert low[0, 1] < 0.4
    assert odds[1] - odds[0] == pytest.approx(math.log((3 / 7) / (1 / 4)))
    others = [pair for pair in low if pair != (0, 1)]
    assert [low[pair] for pair in others] == [high[pair] for pair in others]
    assert low[2, 3] == 1
