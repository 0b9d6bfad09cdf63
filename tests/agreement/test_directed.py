"""The walk over directed graphs takes the same steps in C++ as in Python."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from scipy.special import betaln

import graphoid as gd
from graphoid.counts.engine import ChainSettings, DirectedSettings
from graphoid.counts.native import NativeEngine, kernels
from graphoid.counts.reference import ReferenceEngine
from graphoid.learners.directed.chain import sample_directed
from graphoid.learners.directed.known import known_arcs, orient
from graphoid.learners.directed.plain import PlainSearch
from graphoid.scores.families import FamilyScorer
from graphoid.structure.knowledge import KnownPairs
from graphoid.structure.moral import moral_graph

if TYPE_CHECKING:
    from graphoid.counts.engine import DirectedWalk
    from graphoid.data.table import Table

pytestmark = pytest.mark.skipif(kernels() is None, reason="the compiled kernels are not there")


def tables() -> dict[str, Table]:
    rng = np.random.default_rng(4)
    mixed = gd.datasets.random_tables(8, 1, states=(2, 4)).sample(300, 1)
    wide = {f"v{i}": [f"s{k}" for k in rng.integers(0, 30, 200)] for i in range(4)}
    wide["copy"] = [state[:2] for state in wide["v0"]]
    columns = {name: [int(c) for c in mixed.column(name)] for name in mixed.names}
    weights = rng.choice([0.5, 1.0, 2.25], mixed.n_rows).tolist()
    return {
        "mixed": mixed,
        "binary": gd.datasets.noisy_gates(9, 2).sample(400, 2),
        "pedigree": gd.datasets.pedigree(8, 3).sample(200, 3),
        "wide": gd.read(wide),
        "weighted": gd.read({**columns, "w": weights}, weights="w"),
        "few rows": gd.datasets.random_tables(6, 5).sample(12, 5),
    }


TABLES = tables()


def search(walk: DirectedWalk, seed: int) -> None:
    while walk.walk(7):
        pass
    for key in np.random.default_rng(seed).integers(2**63, size=8).tolist():
        walk.reinsert(key)
        while walk.walk(7):
            pass


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(
    ("ess", "density"), [((), None), ((1.0,), None), ((10.0,), 0.1), ((), 0.05), ((1.0, 16.0, 64.0), 0.1)]
)
@pytest.mark.parametrize(("partners", "max_parents"), [(0, 9), (3, 9), (0, 2), (0, 0)])
def test_the_same_steps(
    name: str, ess: tuple[float, ...], density: float | None, partners: int, max_parents: int
) -> None:
    engine = NativeEngine(TABLES[name])
    scorer = FamilyScorer(engine, ess, density)
    settings = DirectedSettings(ess, scorer.arc_log_odds, max_parents, partners, tenure=5, patience=3)
    plain, native = PlainSearch(scorer, settings), engine.directed_walk(scorer.order, settings)
    for walk in (plain, native):
        search(walk, seed=1)
    assert [sorted(own) for own in native.best_parents()] == [sorted(own) for own in plain.best_parents()]
    assert native.n_steps() == plain.n_steps()
    assert native.gain() == pytest.approx(plain.gain(), rel=1e-9, abs=1e-9)
    empty = scorer.value([()] * scorer.n)
    assert scorer.value(native.best_parents()) - empty == pytest.approx(native.gain(), rel=1e-9, abs=1e-9)
    for child in range(scorer.n):
        np.testing.assert_allclose(native.row(child), plain.row(child), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("ess", "max_parents"), [((1.0,), 9), ((4.0,), 1), ((2.0, 50.0), 9)])
def test_the_same_draws(name: str, ess: tuple[float, ...], max_parents: int) -> None:
    engine = NativeEngine(TABLES[name])
    scorer = FamilyScorer(engine, ess)
    settings = ChainSettings(ess, max_parents, 1.5, 20.0, sweeps=30, burn_in=5, key=11)
    start: list[list[int]] = [[] for _ in range(scorer.n)]
    some = [pair for pair in combinations(range(scorer.n), 2) if sum(pair) % 5]
    native = sample_directed(scorer, start, some, settings)
    plain = sample_directed(FamilyScorer(ReferenceEngine(TABLES[name]), ess), start, some, settings)
    assert native.probabilities.keys() == plain.probabilities.keys()
    assert native.density == pytest.approx(plain.density, rel=1e-12)
    for pair, probability in native.probabilities.items():
        assert probability == pytest.approx(plain.probabilities[pair], rel=1e-6, abs=1e-9)


def known_pairs(names: tuple[str, ...], seed: int) -> KnownPairs:
    """Return facts about pairs: a star of required edges, and others that are forbidden or have odds."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in combinations(range(len(names)), 2) if 0 not in pair]
    order = [pairs[int(i)] for i in rng.permutation(len(pairs))]
    star = [(0, int(v)) for v in rng.choice(np.arange(1, len(names)), 2, replace=False)]
    return KnownPairs(
        gd.UndirectedGraph(names, star),
        gd.UndirectedGraph(names, order[: len(order) // 3]),
        {order[-1]: 2.0, order[-2]: -3.0},
    )


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize(("ess", "density"), [((), None), ((1.0,), 0.1)])
@pytest.mark.parametrize("partners", [0, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_steps_with_what_is_known(
    name: str, ess: tuple[float, ...], density: float | None, partners: int, seed: int
) -> None:
    engine = NativeEngine(TABLES[name])
    known = known_pairs(tuple(v.name for v in engine.variables), seed)
    scorer = FamilyScorer(engine, ess, density, known)
    arcs = known_arcs(known, scorer.order)
    settings = DirectedSettings(ess, scorer.arc_log_odds, 9, partners, tenure=5, patience=3, known=arcs)
    plain, native = PlainSearch(scorer, settings), engine.directed_walk(scorer.order, settings)
    for walk in (plain, native):
        search(walk, seed=1)
    parents = native.best_parents()
    assert [sorted(own) for own in parents] == [sorted(own) for own in plain.best_parents()]
    assert native.gain() == pytest.approx(plain.gain(), rel=1e-9, abs=1e-9)
    empty = scorer.value([()] * scorer.n)
    assert scorer.value(parents) - empty == pytest.approx(native.gain(), rel=1e-9, abs=1e-9)
    for child in range(scorer.n):
        np.testing.assert_allclose(native.row(child), plain.row(child), rtol=1e-9, atol=1e-9)
    moral = moral_graph(scorer.names, parents)
    assert known.impose(moral) == moral


@pytest.mark.parametrize("name", TABLES)
def test_the_same_draws_with_what_is_known(name: str) -> None:
    engine = NativeEngine(TABLES[name])
    known = known_pairs(tuple(v.name for v in engine.variables), 0)
    scorer = FamilyScorer(engine, (1.0,), None, known)
    arcs = known_arcs(known, scorer.order)
    settings = ChainSettings((1.0,), 9, 1.5, 20.0, sweeps=30, burn_in=5, key=11, known=arcs)
    start: list[list[int]] = [[] for _ in range(scorer.n)]
    for parent, child in orient(known, scorer.order):
        start[child].append(parent)
    pairs = [pair for pair in combinations(range(scorer.n), 2) if known.is_open(*pair)]
    native = sample_directed(scorer, start, pairs, settings)
    plain_scorer = FamilyScorer(ReferenceEngine(TABLES[name]), (1.0,), None, known)
    plain = sample_directed(plain_scorer, start, pairs, settings)
    assert native.probabilities.keys() == plain.probabilities.keys()
    for pair, probability in native.probabilities.items():
        assert probability == pytest.approx(plain.probabilities[pair], rel=1e-6, abs=1e-9)
    assert not any(known.forbidden.has_edge(*pair) for pair in native.probabilities)
    assert all(native.probabilities[pair] == 1 for pair in known.required.edges)


def test_graphs_are_drawn_as_often_as_they_are_probable() -> None:
    """All 543 directed graphs of four variables, by their scores, against the chain."""
    table = gd.datasets.random_tables(4, 8).sample(60, 8)
    scorer = FamilyScorer(NativeEngine(table), (1.0,))
    pairs = list(combinations(range(4), 2))
    a, b = 1.5, 4.0
    weights: dict[tuple[int, ...], float] = {}
    joined = np.zeros(len(pairs))
    for states in product((0, 1, 2), repeat=len(pairs)):
        parents: list[list[int]] = [[] for _ in range(4)]
        for (x, y), state in zip(pairs, states, strict=True):
            if state:
                parents[y if state == 1 else x].append(x if state == 1 else y)
        if not nx.is_directed_acyclic_graph(nx.DiGraph([(p, v) for v in range(4) for p in parents[v]])):
            continue
        arcs = sum(map(bool, states))
        prior = betaln(arcs + a, 6 - arcs + b) - arcs * np.log(2)
        weights[states] = scorer.value(parents) + prior
        weight = np.exp(weights[states] - weights[(0,) * 6])
        moral = moral_graph(scorer.names, parents)
        joined += weight * np.array([moral.has_edge(x, y) for x, y in pairs])
    assert len(weights) == 543
    joined /= sum(np.exp(v - weights[(0,) * 6]) for v in weights.values())
    settings = ChainSettings((1.0,), 4, a, b, sweeps=20_000, burn_in=100, key=3)
    found = sample_directed(scorer, [[] for _ in range(4)], pairs, settings).probabilities
    assert ((joined > 0.1) & (joined < 0.9)).any(), "something must be open"
    np.testing.assert_allclose([found[pair] for pair in pairs], joined, atol=0.02)


@pytest.mark.parametrize("simd", ["plain", "avx2", "avx512"])
@pytest.mark.parametrize("threads", [1, 3])
def test_any_processor_any_threads(simd: str, threads: int) -> None:
    native = kernels()
    if native is None or simd not in native.simd_names():
        pytest.skip(f"this processor has no {simd}")
    found = []
    for own in ({}, {"simd": simd, "threads": threads}):
        engine = NativeEngine(TABLES["mixed"], **own)
        walk = engine.directed_walk(range(8), DirectedSettings((), 0.0, 8, 0, 10, 3))
        search(walk, seed=2)
        found.append((walk.best_parents(), walk.gain(), walk.n_steps()))
    assert found[0] == found[1]


def test_a_walk_in_parts_is_the_walk() -> None:
    engine = NativeEngine(TABLES["binary"])
    whole, parts = (engine.directed_walk(range(9), DirectedSettings((), 0.0, 9, 0, 10, 3)) for _ in range(2))
    while whole.walk(1_000):
        pass
    while parts.walk(1):
        pass
    assert whole.best_parents() == parts.best_parents()
    assert whole.n_steps() == parts.n_steps()
