"""Data that stay where they are: merged rows, recoding, the cache, prefetch, cost, and what is refused."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.counts.engine import CountRequest
from graphoid.counts.native import engine_for
from graphoid.counts.reference import ReferenceEngine
from graphoid.counts.remote.access import retry
from graphoid.counts.remote.access_cost import AccessCost
from graphoid.counts.remote.distinct_rows import PlainMerger, merger_of, places_of
from graphoid.counts.remote.estimate import estimate
from graphoid.counts.remote.prefetch import Prefetch
from graphoid.data.remote.cache import BlobCache
from graphoid.errors import CacheWarning, DataChanged, DataError, EngineError, SettingsError
from tests.support.tables import needs_kernels, random_table, same_counts

if TYPE_CHECKING:
    from pathlib import Path


def written(tmp_path: Path, columns: dict[str, Any], name: str = "data.parquet") -> Path:
    path = tmp_path / name
    pq.write_table(pa.table(columns), path, row_group_size=100)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file in which c depends on a and b, and d on c."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2, 3000), rng.integers(0, 3, 3000)
    c = (a + b + (rng.random(3000) < 0.2)) % 3
    d = np.where(rng.random(3000) < 0.7, c, rng.integers(0, 3, 3000))
    return written(tmp_path, {"a": a, "b": b, "c": c, "d": d})


@needs_kernels
@pytest.mark.parametrize("arities", [[2, 3], [1, 1], [2] * 70, [256, 300, 2, 65_536, 1, 4], [4] * 33])
@pytest.mark.parametrize("weights", [None, "whole"])
def test_the_kernel_merges_what_numpy_merges(arities: list[int], weights: str | None) -> None:
    table = random_table(3001, arities, weights=weights)
    units = None if table.weights is None else table.weights.units
    kernel, plain = merger_of(arities, 2**30), PlainMerger(arities, 2**30)
    assert not isinstance(kernel, PlainMerger)
    for rows in (slice(0, 1), slice(1, 1500), slice(1500, 3001)):
        columns = [np.ascontiguousarray(table.column(v)[rows]) for v in range(len(arities))]
        some = None if units is None else np.ascontiguousarray(units[rows])
        assert kernel.add(columns, some, len(columns[0]))
        assert plain.add(columns, some, len(columns[0]))
    words = places_of(arities)[-1].word + 1
    found, expected = ({k.tobytes(): n for k, n in zip(keys.reshape(-1, words), weigh, strict=True)}
                       for keys, weigh in (kernel.rows(), plain.rows()))  # fmt: skip
    assert found == expected
    assert len(kernel) == len(plain)


def test_merging_stops_at_too_many_rows() -> None:
    merger = merger_of([256], 10)
    assert merger.add([np.arange(10, dtype=np.uint8)], None, 10)
    assert not merger.add([np.arange(20, dtype=np.uint8)], None, 20)


def test_a_large_table_is_merged_and_not_written_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    path = written(tmp_path, {f"v{k}": rng.integers(0, 9, 2000) for k in range(8)})
    here, there = gd.read(path), gd.read(path, where="source")
    request = [CountRequest(tuple(range(8))), CountRequest((7, 3, 5, 0, 1, 2))]
    for found, right in zip(
        engine_for(there).counts(request), ReferenceEngine(here).counts(request), strict=True
    ):
        same_counts(found, right)


def test_prefetch_takes_those_that_tell_most() -> None:
    association = np.array([[0, 1, 9, 5], [1, 0, 0, 0], [9, 0, 0, 0], [5, 0, 0, 0]], dtype=float)
    prefetch = Prefetch([2, 2, 2, 2], 8, lambda: association)
    # space for three variables: 0, the 1 that was asked about, and 2, which tells most of 0; then 0 with 3
    assert prefetch.around(0, 1, (), all_others=True) == [frozenset({0, 1, 2}), frozenset({0, 3})]
    assert prefetch.around(0, 1, (), all_others=False) == [frozenset({0, 1, 2})]
    assert prefetch.around(0, 1, (2, 3), all_others=True) == [frozenset({0, 1, 2, 3})]


def test_a_second_run_asks_only_for_what_is_new(file: Path, tmp_path: Path) -> None:
    cache = tmp_path / "counts"
    first = gd.GSIMN().fit(gd.read(file, where="source", cache=cache)).structure_
    assert first.cost.queries == 1
    again = gd.read(file, where="source", cache=cache)
    second = gd.PFMN(random_state=0, n_particles=16).fit(again).structure_
    assert second.cost.queries == second.cost.rows_read == 0
    assert second.trace == gd.PFMN(random_state=0, n_particles=16).fit(gd.read(file)).structure_.trace


def test_a_cache_of_other_data_is_not_used(file: Path, tmp_path: Path) -> None:
    cache = tmp_path / "counts"
    gd.GSIMN().fit(gd.read(file, where="source", cache=cache))
    other = written(tmp_path, {"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25, "c": [1, 0] * 50}, "other.parquet")
    found = gd.GSIMN().fit(gd.read(other, where="source", cache=cache)).structure_
    assert found.cost.queries == 1
    assert found.trace == gd.GSIMN().fit(gd.read(other)).structure_.trace


def test_a_damaged_piece_is_counted_again(file: Path, tmp_path: Path) -> None:
    cache = tmp_path / "counts"
    gd.GSIMN().fit(gd.read(file, where="source", cache=cache))
    with sqlite3.connect(cache) as connection:
        connection.execute("UPDATE pieces SET body = zeroblob(length(body))")
    found = gd.GSIMN().fit(gd.read(file, where="source", cache=cache)).structure_
    assert found.cost.queries == 1
    assert found.trace == gd.GSIMN().fit(gd.read(file)).structure_.trace


def test_a_file_that_is_no_cache_is_refused(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "text"
    other.write_text("not a database, and long enough to be taken for one " * 20)
    with pytest.raises(DataError, match="no cache that graphoid wrote"):
        gd.read(file, where="source", cache=other)


def test_a_cache_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    with pytest.warns(CacheWarning, match="cannot be kept"):
        cache = BlobCache(tmp_path / "no such folder" / "cache", "data")
    cache.put([("name", 1, b"body")])
    assert cache.get("name") is None


def test_a_cache_that_another_process_is_making_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = iter(range(3))

    class Contended(sqlite3.Connection):
        """Says that the file is locked, as SQLite does at once while another one turns to its log."""

        def execute(self, sql: str, *more: Any) -> sqlite3.Cursor:
            if sql.startswith("PRAGMA journal_mode") and next(refusals, None) is not None:
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error
            return super().execute(sql, *more)

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Contended))
    cache = BlobCache(tmp_path / "cache", "data")
    cache.put([("name", 1, b"body")])
    assert next(refusals, None) is None
    assert cache.get("name") == b"body"


@pytest.mark.parametrize(
    "change", ["INSERT INTO t VALUES (0, 0)", "UPDATE t SET a = 1 - a WHERE b = 0", "UPDATE t SET a = 7"]
)
def test_data_that_change_are_noticed(change: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT (i % 3 = 0)::INT AS a, i % 4 AS b FROM range(100) r(i)")
    table = gd.read(connection.table("t"), where="source")
    connection.execute(change)
    with pytest.raises(DataChanged):
        gd.GSIMN().fit(table)


def test_a_change_of_weighted_data_is_noticed_by_their_total() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t AS SELECT (i % 3 = 0)::INT AS a, i % 4 AS b, 1 + i % 2 AS w FROM range(100) r(i)"
    )
    engine = engine_for(gd.read(connection.table("t"), where="source", weights="w"))
    assert engine.counts([CountRequest((0,))])[0].total == engine.n_rows == 150
    connection.execute("UPDATE t SET w = w + 1 WHERE b = 0")  # the states and the number of rows stay
    with pytest.raises(DataChanged, match="had 150 rows and now has 175"):
        engine.counts([CountRequest((0, 1))])
    assert engine.counts([CountRequest((0,))])[0].total == 150  # what was held before still answers


def test_cost_has_queries_bytes_and_money(file: Path) -> None:
    prices = gd.PriceList(per_query=2.0, per_gigabyte_read=1e9)
    table = gd.read(file, where="source", prices=prices)
    cost = gd.GSIMN().fit(table).structure_.cost
    assert cost.queries == 1
    assert cost.rows_read == 3000
    assert cost.money == 2.0 + cost.bytes_read
    assert (
        gd.LearnedStructure.from_json(gd.GSIMN().fit(replace(table)).structure_.to_json()).cost.money
        == cost.money
    )
    bounds = estimate(table)
    assert bounds.least.queries <= cost.queries <= bounds.most.queries
    assert bounds.least_money == pytest.approx(cost.money)
    with pytest.raises(SettingsError, match="in memory"):
        estimate(gd.read(file))


def test_what_reading_took_is_in_the_cost(file: Path, tmp_path: Path) -> None:
    prices = gd.PriceList(per_query=2.0, per_gigabyte_read=1e9)
    kept = {"where": "source", "prices": prices, "cache": tmp_path / "counts"}
    found = gd.GSIMN().fit(gd.read(file, **kept)).structure_
    spent = found.cost.discovery
    assert spent is not None
    assert (spent.queries, spent.rows_read) == (1, 3000)
    metadata = pq.read_metadata(file)
    groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
    assert spent.bytes_read == sum(g.column(i).total_compressed_size for g in groups for i in range(4))
    assert spent.money == 2.0 + spent.bytes_read
    assert found.cost.queries == 1  # not added to what learning took
    assert gd.LearnedStructure.from_json(found.to_json()).cost == found.cost
    again = gd.GSIMN().fit(gd.read(file, **kept)).structure_.cost.discovery
    assert again is not None
    assert again.queries == again.rows_read == again.bytes_read == 0  # from the cache
    assert gd.GSIMN().fit(gd.read(file)).structure_.cost.discovery is None


def test_what_sites_were_asked_is_added_up() -> None:
    sites = {k: pa.table({"id": [1, 2, 3, 4], k: ["no", "yes", "no", "yes"]}) for k in "ab"}
    spent = gd.GSMN().fit(gd.federate(sites, key="id")).structure_.cost.discovery
    assert spent is not None
    assert (spent.queries, spent.rows_read) == (2, 8)


def test_rows_that_stay_are_not_handed_out(file: Path) -> None:
    table = gd.read(file, where="source")
    with pytest.raises(DataError, match="where='memory'"):
        table.codes  # noqa: B018 - the property is what is tested
    with pytest.raises(DataError, match="where='memory'"):
        table.column("a")


def test_settings_for_places_are_refused_in_memory(file: Path) -> None:
    with pytest.raises(SettingsError, match="cache is for data that stay"):
        gd.read(file, cache="x")
    with pytest.raises(SettingsError, match="where is 'here'"):
        gd.read(file, where="here")
    with pytest.raises(SettingsError, match="in memory already"):
        gd.read({"a": [1, 2]}, where="source")


class Failing:
    label, ahead, merges = "the far server", 0, False

    def __init__(self, *, passes: bool) -> None:
        self.tried, self._passes = 0, passes

    def tables(self, wanted: Any, *, whole: bool) -> Any:
        self.tried += 1
        raise OSError("no route to postgresql://me:secret@far/db")

    def transient(self, error: Exception) -> bool:
        return self._passes


def test_a_trip_is_tried_again_and_then_one_error_says_why() -> None:
    far = Failing(passes=True)
    with pytest.raises(EngineError, match="the far server could not be reached 3 times: no route") as raised:
        retry(lambda: far.tables([], whole=False), far, attempts=3, pause=0.0)
    assert far.tried == 3
    assert "secret" not in str(raised.value)
    lasting = Failing(passes=False)
    with pytest.raises(EngineError, match="could not answer"):
        retry(lambda: lasting.tables([], whole=False), lasting, pause=0.0)
    assert lasting.tried == 1


def test_what_was_spent_is_added_up() -> None:
    assert (
        AccessCost(1, 2, 3, 4, 5.0) + AccessCost(1, 1, 1, 1, 1.0) - AccessCost(2, 3, 4, 5, 6.0)
        == AccessCost()
    )


def test_progress_is_told(file: Path) -> None:
    heard: list[Any] = []
    gd.GSIMN().fit(gd.read(file, where="source", progress=heard.append))
    assert heard[-1].phase == "rows"
    assert heard[-1].done == heard[-1].total == 3000


def test_federate_counts_at_a_site_where_it_can_and_joins_by_the_key(file: Path) -> None:
    table = pq.read_table(file)
    ids = pa.array(np.random.default_rng(1).permutation(3000))
    whole = table.append_column("id", ids)
    one, two = whole.select(["id", "a", "b"]), whole.select(["id", "c", "d"]).sort_by("c")
    there = gd.federate({"one": one, "two": two}, key="id")
    found = gd.GSMN().fit(there).structure_
    assert found.trace == gd.GSMN().fit(gd.read(table)).structure_.trace
    kept = gd.GSMN().fit(gd.federate({"one": one, "two": two}, key="id", keep=True)).structure_
    assert kept.trace == found.trace
    # keys of eight bytes from both, four columns of a byte, and the counts that a site made by itself
    assert 2 * 8 * 3000 + 4 * 3000 <= kept.cost.bytes_moved < 2 * 8 * 3000 + 4 * 3000 + 2000
    assert found.cost.bytes_moved > kept.cost.bytes_moved
    fewer = gd.federate({"one": one.slice(0, 2000), "two": two}, key="id")
    assert fewer.n_rows == 2000
    assert (
        gd.GSMN().fit(fewer).structure_.trace == gd.GSMN().fit(gd.read(table.slice(0, 2000))).structure_.trace
    )
    with pytest.raises(DataError, match="repeats"):
        gd.federate({"one": pa.concat_tables([one, one]), "two": two}, key="id")
    with pytest.raises(SettingsError, match="drop"):
        gd.federate({"one": one, "two": two}, key="id", missing="drop")
