"""Which family predicts better is told from rows held out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import graphoid as gd
from graphoid.learners.directed.family import (
    FamilyScores,
    compare_families,
    directed_log_score,
    family_scores,
    mean_scores,
    split_rows,
)
from graphoid.learners.scored.search import climb_from, first_guess
from graphoid.structure.moral import moral_graph


def quick_search(table):
    """The moral graph of a directed search, and of every variable its parents."""
    search = gd.DirectedSearch(reinsertions=3, random_state=0).fit(table)
    parents = [[table.position(p) for p in search.dag_[name]] for name in table.names]
    return search.structure_.graph, parents


def signed_ising(seed: int) -> tuple[gd.UndirectedGraph, gd.Table]:
    graph = gd.datasets.random_graph(20, 4, seed)
    network = gd.datasets.ising(graph, lambda r: r.choice([-1, 1]) * r.uniform(0.3, 0.6), rng=seed)
    return graph, network.sample(2_000, seed)


@pytest.mark.parametrize("seed", [3, 4])
def test_gates_are_directed_and_ising_fields_are_not(seed: int) -> None:
    score = gd.LogLinearEvidence(order=2)
    network = gd.datasets.noisy_gates(40, seed)
    gates = network.sample(5_000, seed)
    assert compare_families(gates, score, first_guess, climb_from).better == "directed"
    _, field = signed_ising(seed)
    assert compare_families(field, score, first_guess, climb_from).better == "undirected"


def test_undirected_graphs_are_not_beaten_for_the_haste_in_which_they_are_found() -> None:
    score, graph = gd.LogLinearEvidence(), gd.datasets.random_graph(20, 3, 101)
    field = gd.datasets.pairwise_binary(graph, 0.5).sample(1_000, 1)
    assert compare_families(field, score, first_guess, lambda _, start: start).better == "directed"
    assert compare_families(field, score, first_guess, climb_from).better == "undirected"


def test_of_many_rows_some_are_drawn() -> None:
    table = gd.datasets.noisy_gates(6, 1).sample(500, 1)
    kept, out, both = split_rows(table, 0, 100)
    assert (kept.n_rows, out.n_rows, both.n_rows) == (80, 20, 100)


def test_parts_are_held_out_until_they_settle_it() -> None:
    table = gd.datasets.noisy_gates(12, 1).sample(300, 1)
    parts = [split_rows(table, 0, 200, part) for part in range(5)]
    assert sum(part.out.n_rows for part in parts) == 200
    assert all(part.kept.n_rows == 160 for part in parts)
    score = gd.LogLinearEvidence()
    alike = gd.read({f"v{i}": np.random.default_rng(i).integers(0, 2, 300) for i in range(4)})
    assert compare_families(alike, score, first_guess, climb_from).rows == 300
    network = gd.datasets.random_tables(20, 2, states=(3, 6)).sample(1_000, 2)
    clear = compare_families(network, score, first_guess, climb_from)
    assert (clear.rows, clear.better) == (200, "directed")
    assert clear.lead > 30


def test_scores_of_parts_count_by_their_rows() -> None:
    found = mean_scores([FamilyScores(-1.0, -2.0, 100), FamilyScores(-4.0, -3.0, 300, moral=True)])
    assert found == FamilyScores(-3.25, -2.75, 400, moral=True)
    assert found.lead == pytest.approx(-200)


def test_conditionals_of_a_directed_graph_by_enumeration() -> None:
    table = gd.datasets.random_tables(4, 1, states=(2, 3)).sample(300, 1)
    parents: list[tuple[int, ...]] = [(), (0,), (0, 1), (2,)]
    kept, out, _ = split_rows(table, 0)
    assert (kept.n_rows, out.n_rows) == (240, 60)
    arities = [v.arity for v in table.variables]

    def log_p(row: tuple[int, ...]) -> float:
        total = 0.0
        for v, own in enumerate(parents):
            same = (
                np.all([kept.column(p) == row[p] for p in own], axis=0) if own else np.ones(240, dtype=bool)
            )
            counts = np.bincount(kept.column(v)[same], minlength=arities[v]) + 1 / arities[v]
            total += float(np.log(counts[row[v]] / counts.sum()))
        return total

    joint = {row: np.exp(log_p(row)) for row in itertools.product(*map(range, arities))}
    expected = 0.0
    for row in zip(*(out.column(v).tolist() for v in range(4)), strict=True):
        for v in range(4):
            others = [joint[*row[:v], state, *row[v + 1 :]] for state in range(arities[v])]
            expected += np.log(joint[row] / sum(others)) / 60
    assert directed_log_score(parents, kept, out) == pytest.approx(expected, rel=1e-12)


def test_what_a_score_gains_by_more_rows_is_their_probability() -> None:
    # of a marginal likelihood by tables the posterior means predict row after row
    table = gd.datasets.random_tables(3, 2, states=(2, 2)).sample(50, 2)
    parents = [(), (0,), (1,)]
    split = split_rows(table, 1)
    found = family_scores(split, parents, moral_graph(table.names, parents), gd.MPL().on(split.kept))
    kept, out, _ = split
    blankets, total = [(1,), (0, 2), (1,)], 0.0
    seen = [tuple(int(kept.column(v)[i]) for v in range(3)) for i in range(kept.n_rows)]
    for i in range(out.n_rows):
        row = tuple(int(out.column(v)[i]) for v in range(3))
        for v, others in enumerate(blankets):
            cell = 1 / 2 ** (len(others) + 1)
            same = [r[v] for r in seen if all(r[u] == row[u] for u in others)]
            total += float(np.log((same.count(row[v]) + cell) / (len(same) + 2 * cell)))
        seen.append(row)
    assert found.undirected == pytest.approx(total / out.n_rows, rel=1e-9)


def test_the_order_of_rows_changes_nothing() -> None:
    table = gd.datasets.noisy_gates(10, 1).sample(400, 1)
    graph, parents = quick_search(table)
    order = np.random.default_rng(0).permutation(400)
    shuffled = gd.Table(table.variables, tuple(c[order] for c in table.columns if c is not None), 400)
    score = gd.LogLinearEvidence()
    splits = [split_rows(t, 0) for t in (table, shuffled)]
    first, again = (family_scores(split, parents, graph, score.on(split.kept)) for split in splits)
    assert again == pytest.approx(first, rel=1e-12)


def test_weights_count_as_rows() -> None:
    table = gd.datasets.noisy_gates(6, 2).sample(200, 2)
    kept, out, _ = split_rows(table, 0)
    parents = quick_search(table)[1]
    columns = {v.name: [int(c) for c in out.column(v.name)] for v in out.variables}
    twice = gd.read({**columns, "w": [2] * out.n_rows}, weights="w")
    assert directed_log_score(parents, kept, twice) == pytest.approx(
        directed_log_score(parents, kept, out), rel=1e-12
    )
