"""The order of the columns changes no edge; where a paper's algorithm goes by it, the result says so."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import GraphoidError
from graphoid.structure.explain import COLUMN_ORDER
from tests.support.damage import mixed_columns
from tests.support.learners import EVERY_LEARNER, named_edges

BY_ORDER = {"GSIMN-FCH", "PFMN", "PublishedPFMN", "CSGS", "CSPC"}
"""Learners that go through the columns in their order."""


def tables() -> dict[str, dict[str, list[str]]]:
    """Return columns of data with strong and weak dependences, and with ties between columns."""
    rng = np.random.default_rng(0)
    found = {}
    for name, rows, noise in (("small", 40, 0.2), ("usual", 300, 0.3)):
        base = rng.integers(0, 3, (rows, 2))
        columns = [
            np.where(rng.random(rows) < noise, rng.integers(0, 3, rows), base[:, i % 2]) for i in range(6)
        ]
        found[name] = {f"v{i}": [str(v) for v in column] for i, column in enumerate(columns)}
    tied = {**found["usual"]}
    tied["copy"] = tied["v1"]
    tied["turned"] = [{"0": "2", "1": "0", "2": "1"}[v] for v in tied["v4"]]
    del tied["v5"]
    found["tied"] = tied
    titanic = gd.datasets.load("titanic")
    found["titanic"] = {v.name: [str(v.states[k]) for k in titanic.column(v.name)] for v in titanic.variables}
    return found


TABLES = tables()


@pytest.mark.parametrize("name", EVERY_LEARNER)
@pytest.mark.parametrize("data", TABLES)
def test_the_order_of_columns_changes_no_edge_or_the_result_says_so(name: str, data: str) -> None:
    columns, rng = TABLES[data], np.random.default_rng(5)
    if name == "ExhaustiveSearch":
        columns = dict(list(columns.items())[:5])
    found: list[Any] = []
    for k in range(3):
        names = list(columns) if k == 0 else rng.permutation(list(columns)).tolist()
        table = gd.read({column: columns[column] for column in names})
        found.append(copy.copy(EVERY_LEARNER[name]).fit(table).structure_)
    if name in BY_ORDER:
        assert all(COLUMN_ORDER in str(one) for one in found)
        assert all("column_order" in one.settings for one in found)
    else:
        assert "column_order" not in found[0].settings
        assert named_edges(found[1]) == named_edges(found[0])
        assert named_edges(found[2]) == named_edges(found[0])


def test_the_report_says_so_as_well(tmp_path: Any) -> None:
    table = gd.read(TABLES["small"])
    for learner, says in ((gd.CSGS(), True), (gd.GSMN(), False), (gd.PFMN(random_state=0), True)):
        learner.fit(table).structure_.report(tmp_path / "page.html")
        assert (COLUMN_ORDER in (tmp_path / "page.html").read_text()) == says


KINDS = {
    "ordered": dict.fromkeys(["v0", "v1", "v2", "v3"], "ordered"),
    "mixed": {"v0": "ordered", "x0": "continuous", "x1": "continuous", "calls": "count"},
    "gaps": {},
    "ordered gaps": dict.fromkeys(["v0", "v1", "v2", "v3"], "ordered"),
}


def columns_of_kinds() -> dict[str, dict[str, list[Any]]]:
    """Return columns of every kind and with missing cells; one column is another with its states renamed."""
    rng = np.random.default_rng(3)
    grades = rng.normal(size=(160, 4))
    for i in range(1, 4):
        grades[:, i] += 0.9 * grades[:, (i - 1) // 2]
    codes = np.clip(np.round(grades + 1), 0, 2).astype(int)
    ordered = {f"v{i}": codes[:, i].tolist() for i in range(4)}
    numbers = {f"x{i}": (grades[:, i] + rng.normal(size=160)).round(6).tolist() for i in range(2)}
    mixed = {
        "v0": ordered["v0"],
        **numbers,
        "again": numbers["x1"],
        "calls": rng.poisson(1 + codes[:, 1]).tolist(),
    }
    gaps = {
        name: [None if hidden else str(v) for v, hidden in zip(column, rng.random(160) < 0.15, strict=True)]
        for name, column in ordered.items()
    }
    renamed = {None: None, "0": "c", "1": "a", "2": "b"}
    return {
        "ordered": {**ordered, "again": ordered["v3"]},
        "mixed": mixed,
        "gaps": {**gaps, "turned": [renamed[v] for v in gaps["v3"]]},
        "ordered gaps": gaps,
    }


OF_KINDS = columns_of_kinds()


def edges_or_refusal(
    learner: Any, columns: dict[str, list[Any]], kinds: dict[str, Any], names: list[str]
) -> Any:
    """Return the edges that are learned, by name; of a learner that refuses the table, that it does."""
    table = gd.read(
        {name: columns[name] for name in names},
        kinds={name: kind for name, kind in kinds.items() if name in names},
        missing="available",
    )
    try:
        return named_edges(gd.learn(table, copy.copy(learner)))
    except GraphoidError:
        return "refused"


@pytest.mark.filterwarnings("ignore::graphoid.errors.DiscretizedWarning")
@pytest.mark.parametrize("name", [name for name in [*EVERY_LEARNER, "gd.learn"] if name not in BY_ORDER])
@pytest.mark.parametrize("data", OF_KINDS)
def test_the_order_of_columns_of_every_kind_changes_no_edge(name: str, data: str) -> None:
    columns, rng = OF_KINDS[data], np.random.default_rng(2)
    found = [
        edges_or_refusal(EVERY_LEARNER.get(name), columns, KINDS[data], names)
        for names in (list(columns), *(rng.permutation(list(columns)).tolist() for _ in range(2)))
    ]
    assert found[0]
    assert found[1:] == found[:1] * 2


def either_family(family: str) -> dict[str, list[str]]:
    """Return columns that a directed graph explains best, or a ring, which none does."""
    table = gd.datasets.random_tables(12, 2).sample(3_000, 4)
    if family == "undirected":
        ring = gd.UndirectedGraph(list("abcdef"), [(i, (i + 1) % 6) for i in range(6)])
        table = gd.datasets.pairwise_binary(ring, 1.0).sample(1_000, 1)
    return {v.name: [str(v.states[k]) for k in table.column(v.name)] for v in table.variables}


@pytest.mark.parametrize("family", ["directed", "undirected"])
def test_the_order_of_columns_changes_no_edge_of_either_family(family: str) -> None:
    columns, rng = either_family(family), np.random.default_rng(5)
    found = [gd.learn(columns)]
    for _ in range(3):
        names = rng.permutation(list(columns)).tolist()
        found.append(gd.learn({name: columns[name] for name in names}))
    assert {one.settings["reason"].startswith("a directed graph") for one in found} == {family == "directed"}
    assert [named_edges(one) for one in found[1:]] == [named_edges(found[0])] * 3


@pytest.mark.parametrize(
    "learner",
    [
        gd.GSMN(test=gd.LikelihoodRatio()),
        gd.GSIMN(test=gd.BayesFactor()),
        gd.RobustGSMN(test=gd.DegenerateGaussian()),
    ],
    ids=["likelihood ratio", "Bayes factor", "degenerate Gaussian"],
)
def test_the_order_of_columns_changes_no_edge_by_tests_of_every_kind(learner: Any) -> None:
    columns, rng = mixed_columns(), np.random.default_rng(2)
    columns["again"] = columns["weight"][:30] + columns["height"][30:]
    found = []
    for k in range(4):
        names = list(columns) if k == 0 else rng.permutation(list(columns)).tolist()
        table = gd.read({name: columns[name] for name in names}, kinds={"calls": "count"})
        found.append(named_edges(gd.learn(table, copy.copy(learner))))
    assert len(found[0]) > 1
    assert found[1:] == found[:1] * 3


@pytest.mark.parametrize("seed", range(6))
def test_columns_that_say_the_same_are_told_apart_by_name_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base, n_states = rng.integers(0, 4, 200), 2 + seed % 3
    columns = {
        f"v{i}": (np.where(rng.random(200) < 0.5, base, rng.integers(0, 4, 200)) % n_states).tolist()
        for i in range(4)
    }
    columns |= {"a": columns["v1"], "z": [n_states - v for v in columns["v3"]]}
    found = [
        named_edges(gd.RobustGSMN().fit({name: columns[name] for name in names}).structure_)
        for names in (list(columns), *(rng.permutation(list(columns)).tolist() for _ in range(4)))
    ]
    assert found[1:] == found[:1] * 4
