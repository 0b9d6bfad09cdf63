"""The posterior over graphs: against enumeration of all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import SettingsError
from graphoid.learners.scored.exhaustive import all_graphs
from graphoid.learners.scored.posterior import r_hat
from graphoid.structure.scored import verdict


def cliques(n: int, seed: int, rows: int = 150) -> gd.Table:
    rng = np.random.default_rng(seed)
    return gd.datasets.random_cliques(gd.datasets.random_graph(n, 2, rng), rng).sample(rows, seed)


def enumerated(score: gd.MPL, table: gd.Table) -> dict[tuple[int, int], float]:
    """Edge probabilities from all graphs, each weighted by the exponential of its score."""
    n = len(table.variables)
    graphs = all_graphs(n)
    values = score.on(table).values(graphs) / score.evidence_counts
    weights = np.exp(values - values.max())
    weights /= weights.sum()
    return {(x, y): float(weights @ (graphs[:, x] >> y & 1)) for x, y in combinations(range(n), 2)}


@pytest.mark.parametrize(
    "score",
    [
        gd.LogLinearEvidence(),
        gd.BJP(),
        gd.MPL(prior=gd.SparsePrior(0.2)),
        gd.IBScore(prior=gd.EdgePrior({(0, 1): 0.9}, density=0.3)),
    ],
    ids=lambda score: type(score).__name__,
)
def test_probabilities_are_those_of_all_graphs(score: gd.MPL) -> None:
    table = cliques(4, 2)
    exact = enumerated(score, table)
    found = gd.Posterior(score, precision=0.005, random_state=1).fit(table).structure_
    for pair, probability in exact.items():
        assert found.edge_probabilities[pair] == pytest.approx(probability, abs=0.02)
    assert found.stopped == "converged"
    assert found.settings["convergence"]["standard_error"] <= 0.005


def test_rows_say_how_sure_and_by_how_much_the_data_changed_it() -> None:
    found = (
        gd.Posterior(gd.LogLinearEvidence(prior=gd.SparsePrior(0.2)), random_state=1)
        .fit(cliques(4, 3))
        .structure_
    )
    rows = found.pairs()
    assert len(rows) == 6
    for row in rows:
        assert row.probability is not None
        pair = found.graph.position(row.x), found.graph.position(row.y)
        assert row.verdict == verdict(row.probability, powered=pair not in found.underpowered)
        odds = row.probability / (1 - row.probability) if row.probability < 1 else np.inf
        assert row.bayes_factor == pytest.approx(odds * 4, rel=1e-6)  # prior odds are 1 : 4
    assert [(r.x, r.y) for r in found.edges()] == [(r.x, r.y) for r in rows if (r.probability or 0) > 0.5]
    assert "inclusion probability" in found.why(0, 1)


def test_same_seed_same_numbers_and_they_survive_a_file(tmp_path: object) -> None:
    table = cliques(4, 5)
    first = gd.Posterior(gd.MPL(), precision=0.05, random_state=3).fit(table).structure_
    again = gd.Posterior(gd.MPL(), precision=0.05, random_state=3).fit(table).structure_
    assert first.edge_probabilities == again.edge_probabilities
    assert gd.LearnedStructure.from_json(first.to_json()).edge_probabilities == first.edge_probabilities


def test_a_short_run_says_so() -> None:
    found = gd.Posterior(gd.BJP(), rounds=10, max_rounds=10, precision=1e-9, random_state=0).fit(
        cliques(5, 1)
    )
    assert found.structure_.stopped == "max_steps"


def test_r_hat_tells_runs_apart() -> None:
    rng = np.random.default_rng(0)
    alike = [rng.normal(0.5, 0.1, size=(400, 2)) for _ in range(2)]
    assert r_hat(alike) < 1.02
    assert r_hat([alike[0], alike[1] + 0.3]) > 1.5


@pytest.mark.parametrize("settings", [{"rounds": 3}, {"runs": 0}, {"precision": 0}, {"max_rounds": 2.5}])
def test_bad_settings_get_one_sentence(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="Posterior: "):
        gd.Posterior(gd.BJP(), **settings).fit(cliques(4, 1))  # type: ignore[arg-type]


def test_a_round_that_leaves_a_slow_place_for_a_fast_one_ends() -> None:
    """Some graphs are so sure that chains hardly leave them, for others among which they flip freely."""
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(300, 6))
    for i in range(1, 6):
        scores[:, i] += 0.8 * scores[:, (i - 1) // 2]
    codes = np.clip(np.round(scores + 2), 0, 4).astype(int)
    learner = gd.Posterior(gd.MPL(), rounds=10, max_rounds=20, random_state=1)
    found = gd.learn({f"v{i}": codes[:, i].astype(str) for i in range(6)}, learner, seconds=600)
    assert found.stopped != "budget"
    assert found.settings["convergence"]["jumps"] < 100_000
