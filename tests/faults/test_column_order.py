"""The order of the columns changes no edge; where a paper's algorithm goes by it, the result says so."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import graphoid as gd
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


@pytest.mark.parametrize(
    "learner",
    [
        None,
        gd.GSMN(test=gd.LikelihoodRatio()),
        gd.GSIMN(test=gd.BayesFactor()),
        gd.RobustGSMN(test=gd.DegenerateGaussian()),
    ],
    ids=["recommended", "likelihood ratio", "Bayes factor", "degenerate Gaussian"],
)
def test_the_order_of_columns_of_every_kind_changes_no_edge(learner: Any) -> None:
    columns, rng = mixed_columns(), np.random.default_rng(2)
    columns["again"] = columns["weight"][:30] + columns["height"][30:]
    found = []
    for k in range(4):
        names = list(columns) if k == 0 else rng.permutation(list(columns)).tolist()
        table = gd.read({name: columns[name] for name in names}, kinds={"calls": "count"})
        found.append(named_edges(gd.learn(table, copy.copy(learner))))
    assert len(found[0]) > 1
    assert found[1:] == found[:1] * 3
