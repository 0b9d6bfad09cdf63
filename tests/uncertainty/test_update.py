"""Rows that come later: the result is that of all rows, and says what they changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import graphoid as gd
from graphoid.errors import DataError
from graphoid.uncertainty.drift import PairDrift, random_orders, rank

if TYPE_CHECKING:
    from pathlib import Path

    from graphoid.data.table import Table

LEARNERS = {
    "gsmn": gd.GSMN(),
    "gsimn": gd.GSIMN(),
    "robust": gd.GSIMN(preset="robust"),
    "mpl": gd.HillClimb(gd.MPL(), moves="best"),
    "bjp": gd.HillClimb(gd.BJP()),
    "search": gd.Search(gd.LogLinearScore(), random_state=1),
}


@pytest.fixture(scope="module")
def titanic() -> Table:
    return gd.datasets.load("titanic")


def split(table: Table, seed: int) -> tuple[Table, Table, Table]:
    """Return a table in random order, its first rows, and the others."""
    rng = np.random.default_rng(seed)
    rows, at = rng.permutation(table.n_rows), int(rng.integers(300, table.n_rows - 1))
    return table.keep(rows), table.keep(rows[:at]), table.keep(rows[at:])


def chain(n: int, strength: float, seed: int) -> dict[str, list[int]]:
    """Return rows of x - y, which agree with a probability, and z by itself."""
    rng = np.random.default_rng(seed)
    x, z = rng.integers(0, 2, (2, n))
    y = np.where(rng.random(n) < strength, x, 1 - x)
    return {"x": x.tolist(), "y": y.tolist(), "z": z.tolist()}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("seed", range(3))
def test_an_update_is_a_fit_on_all_rows(name: str, seed: int, titanic: Table) -> None:
    learner, (whole, first, later) = LEARNERS[name], split(titanic, seed)
    before = learner.fit(first).structure_
    after = before.update(later)
    start = {"start": before.graph} if "start" in learner.get_params(deep=False) else {}
    again = learner.with_params(**start).fit(whole).structure_
    assert after.data_id == again.data_id
    assert after.graph == again.graph
    assert after.evidence_rows() == again.evidence_rows()


@pytest.mark.parametrize("seed", range(3))
def test_what_is_recommended_is_learned_again_as_recommended(seed: int, titanic: Table) -> None:
    whole, first, later = split(titanic, seed)
    before = gd.learn(first, random_state=1)
    after = before.update(later)
    start = before.graph if isinstance(before.learner, gd.Search) else None
    again = gd.learn(whole, start=start, random_state=1)
    assert after.settings["reason"] == again.settings["reason"]
    assert after.evidence_rows() == again.evidence_rows()


def test_rows_come_from_files_and_columns_in_any_order(tmp_path: Path) -> None:
    first, later = chain(400, 0.9, 1), chain(100, 0.9, 2)
    found = gd.GSMN().fit(gd.read(first)).structure_
    path = tmp_path / "later.csv"
    lines = ["z,y,x", *(f"{z},{y},{x}" for z, y, x in zip(later["z"], later["y"], later["x"], strict=True))]
    path.write_text("\n".join(lines) + "\n")
    texts = {name: [str(value) for value in later[name]] for name in ("y", "z", "x")}
    both = {name: first[name] + later[name] for name in first}
    for rows in (later, path, texts, gd.read(later)):
        assert found.update(rows).data_id == gd.read(both).data_id


def test_one_row_is_enough() -> None:
    found = gd.GSMN().fit(gd.read(chain(400, 0.9, 1))).structure_
    assert not any(row.alarm for row in found.update({"x": [1], "y": [0], "z": [1]}).drift)


def test_states_not_seen_before_are_said() -> None:
    table = gd.read({"x": ["a", "b"] * 50, "y": ["c", "d"] * 50})
    after = gd.GSMN().fit(table).structure_.update({"x": ["new"], "y": ["c"]})
    assert after.details["update"]["notes"] == ["'x': 'new' had not been seen before."]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"x": [1], "y": [1]}, "no column 'z'"),
        ({"x": [1], "y": [1], "z": [1], "id": [7]}, "a column 'id', which the table does not have"),
        ({"x": [1], "y": [1], "zz": [1]}, "no column 'z', which the table has, but 'zz'"),
        ({"x": [], "y": [], "z": []}, "row"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows: dict[str, list[int]], message: str) -> None:
    found = gd.GSMN().fit(gd.read(chain(100, 0.9, 1))).structure_
    with pytest.raises(DataError, match=message):
        found.update(rows)


def test_weights_are_for_all_rows_or_none() -> None:
    rows = {**chain(100, 0.9, 1), "w": [1] * 99 + [2]}
    found = gd.GSMN().fit(gd.read(rows, weights="w")).structure_
    with pytest.raises(DataError, match="have weights and"):
        found.update(chain(10, 0.9, 2))
    after = found.update(gd.read({**chain(10, 0.9, 2), "w": [1] * 10}, weights="w"))
    assert after.drift == []


def test_an_edge_that_switches_is_noticed_and_others_are_not() -> None:
    found = gd.GSMN().fit(gd.read(chain(2000, 0.85, 1))).structure_
    for batch in range(3):
        found = found.update(chain(500, 0.5, 10 + batch))
    alarms = [(row.x, row.y, row.since) for row in found.drift if row.alarm]
    assert alarms == [("x", "y", 2000)]


def test_an_edge_that_switches_leaves_its_neighbors_alone() -> None:
    def rows(n: int, sign: int, seed: int) -> dict[str, list[int]]:
        rng = np.random.default_rng(seed)
        columns = [rng.integers(2, size=n)]
        for agree in (0.8, 0.8 if sign > 0 else 0.2, 0.8):
            columns.append(np.where(rng.random(n) < agree, columns[-1], 1 - columns[-1]))
        return {name: column.tolist() for name, column in zip("abcd", columns, strict=True)}

    for seed in range(3):
        found = gd.GSMN().fit(gd.read(rows(2000, 1, seed))).structure_
        for batch in range(5):
            found = found.update(rows(400, -1, 100 * seed + 10 + batch))
        assert [(row.x, row.y) for row in found.drift if row.alarm] == [("b", "c")]


def test_edges_that_appear_are_told() -> None:
    found = gd.GSMN().fit(gd.read(chain(300, 0.5, 3))).structure_
    after = found.update(chain(1500, 0.9, 4))
    assert ("x", "y", "appeared") in [row[:3] for row in after.changes]


def test_a_file_keeps_what_an_update_said(tmp_path: Path) -> None:
    first = chain(400, 0.9, 1)
    after = gd.GSMN().fit(gd.read(first)).structure_.update(chain(300, 0.9, 2))
    after.save(tmp_path / "s.json")
    loaded = gd.load(tmp_path / "s.json")
    assert isinstance(loaded, gd.LearnedStructure)
    assert (loaded.changes, loaded.drift) == (after.changes, after.drift)
    with pytest.raises(DataError, match="does not have its rows"):
        loaded.update(chain(10, 0.9, 3))
    with pytest.raises(DataError, match="not the one"):
        loaded.update(chain(10, 0.9, 3), table=first, learner=gd.GSMN())


def test_the_rank_of_a_sum_is_counted_among_all_windows() -> None:
    rng = np.random.default_rng(1)
    values, orders = rng.integers(-3, 4, 12), random_orders(12, 5, rng)[:7]
    assert set(orders[0][-5:]) == {7, 8, 9, 10, 11}
    sums = [sum(values[order[(s + i) % 12]] for i in range(5)) for order in orders for s in range(12)]
    own = values[7:].sum()
    expected = (np.mean([s >= own for s in sums]), np.mean([s <= own for s in sums]))
    assert rank(values, 5, orders) == pytest.approx(expected)


def test_ranks_of_the_same_rows_in_any_order_are_uniform() -> None:
    rng = np.random.default_rng(2)
    values = rng.integers(-3, 9, 60) ** 3  # skewed
    ps = np.array([rank(rng.permutation(values), 9, random_orders(60, 9, rng)[:20])[0] for _ in range(4000)])
    for level in (0.001, 0.01, 0.05, 0.5):  # at most, up to three standard errors
        assert np.mean(ps <= level) <= level + 3 * np.sqrt(level / 4000)
    assert np.mean(ps <= 0.5) > 0.45


def test_evidence_for_a_change_is_its_share_of_all_ways_to_begin() -> None:
    shifts, scores = np.array([0.5, 1.0, 2.0]), [(1.0, -1.0), (2.0, -2.0), (-0.5, 0.5)]
    others = [(0.5, -0.5), (-1.0, 1.0), (1.5, -1.5)]
    state = PairDrift()
    for k, ends in enumerate(zip(scores, others, strict=True), start=1):
        state = state.step(k, shifts, ends, 1000.0)
    plain = []
    for end in (scores, others):
        plain.append(1 / 4)
        for j in (1, 2, 3):
            for side in (0, 1):
                for delta in shifts:
                    ratios = [np.exp(delta * z[side] - delta**2 / 2) for z in end[j - 1 :]]
                    plain[-1] += np.prod(ratios) / (j * (j + 1)) / 6
    assert np.exp(state.log_e) == pytest.approx(min(plain))


def test_sampling_weights_are_not_joined() -> None:
    rows = {**chain(100, 0.9, 1), "w": [1] * 99 + [2]}
    found = gd.GSMN().fit(gd.read(rows, weights="w", weighting="sampling")).structure_
    with pytest.raises(DataError, match="sampling weights"):
        found.update(gd.read({**chain(10, 0.9, 2), "w": [1] * 10}, weights="w", weighting="sampling"))
