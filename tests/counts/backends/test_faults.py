"""What goes wrong elsewhere: servers restart, workers and processes die, disks are full."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import graphoid as gd
from graphoid.counts.remote import access
from graphoid.errors import EngineError
from tests.support.places import network, survey
from tests.support.servers import PASSWORD, executors, wait_for

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.engines

LEARN = """
import json, sys, warnings
import graphoid as gd
path, cache, alpha = sys.argv[1:]
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    table = gd.read(path, where="source", cache=cache)
    engine = gd.Tester(gd.ChiSquare(), table).engine
    engine._prefetch._most = 1  # no prefetch: many queries, so that there is much to be interrupted
    engine._access.tabulator.merges = False
    found = gd.GSMN(test=gd.ChiSquare(alpha=float(alpha))).fit(table).structure_
told = [str(w.message) for w in said if w.category.__name__ == "CacheWarning"]
print(json.dumps([found.graph.edges, [list(map(str, v)) for v in found.trace], found.cost.queries, told]))
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of eight variables that depend on each other."""
    import numpy as np
    import pyarrow.parquet as pq

    rng = np.random.default_rng(5)
    columns: dict[str, Any] = {"v0": rng.integers(0, 2, 20_000)}
    for k in range(1, 8):
        columns[f"v{k}"] = np.where(
            rng.random(20_000) < 0.4, columns[f"v{k // 2}"], rng.integers(0, 3, 20_000)
        )
    path = tmp_path_factory.mktemp("faults") / "data.parquet"
    pq.write_table(pa.table({name: pa.array(c) for name, c in columns.items()}), path)
    return path


def start(data: Path, cache: Path, alpha: float = 0.05, before: Any = None) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", LEARN, str(data), str(cache), str(alpha)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,  # noqa: PLW1509 - no threads yet
    )


def finish(process: subprocess.Popen[str]) -> list[Any]:
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    found: list[Any] = json.loads(out)
    return found


def n_kept(cache: Path) -> int:
    """Return how much a cache has; nothing while it is made or written to."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True)) as connection,
    ):
        return int(connection.execute("SELECT COUNT(*) FROM pieces").fetchone()[0])
    return 0


def expected(data: Path) -> list[Any]:
    found = gd.GSMN().fit(gd.read(data)).structure_
    return [[list(edge) for edge in found.graph.edges], [list(map(str, v)) for v in found.trace]]


def test_killed_at_twenty_moments_it_ends_in_the_same_structure(data: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    began = time.monotonic()
    whole = finish(start(data, tmp_path / "other"))
    lasts = time.monotonic() - began
    assert whole[:2] == expected(data)
    assert whole[2] > 8, "there must be much to interrupt"
    chance = random.Random(7)  # noqa: S311 - any moment will do
    for _ in range(20):
        process = start(data, cache)
        time.sleep(lasts * chance.uniform(0.5, 1.0))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    process = start(data, cache)  # on a busy machine the others may not have come far
    assert wait_for(lambda: process.poll() is not None or n_kept(cache) > 1)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    last = finish(start(data, cache))
    assert last[:2] == whole[:2]
    assert last[3] == []
    assert last[2] < whole[2], "what was finished before is not counted again"
    assert finish(start(data, cache))[2] == 0


def test_two_processes_share_a_cache(data: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    both = [start(data, cache), start(data, cache, 0.01)]
    first, second = (finish(process) for process in both)
    assert first[:2] == expected(data)
    assert first[3] == second[3] == []
    assert finish(start(data, cache))[2] == 0


def test_a_full_disk_costs_the_cache_and_nothing_else(data: Path, tmp_path: Path) -> None:
    import resource

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    cache = tmp_path / "cache"
    limited = finish(start(data, cache, before=little_room))
    assert limited[:2] == expected(data)
    assert len(limited[3]) == 1
    assert "cannot be kept" in limited[3][0]
    after = finish(start(data, cache))
    assert after[:2] == limited[:2]
    assert after[3] == []
    assert finish(start(data, cache))[2] == 0


@pytest.fixture
def far(servers: Any) -> Any:
    """A table of PostgreSQL, read with prefetch off so that many queries follow."""
    table, settings = network()
    servers.postgres.load("faulty", table)
    connection = servers.postgres.connect()
    yield gd.read(connection.table("faulty"), **settings), gd.read(table, **settings)
    connection.disconnect()


def one_by_one(table: Any) -> Any:
    engine = gd.Tester(gd.ChiSquare(), table).engine
    engine._access.tabulator.prefetch_cells = 0
    return engine


def test_postgres_restarts_in_mid_run(servers: Any, far: Any, caplog: pytest.LogCaptureFixture) -> None:
    there, here = far
    one_by_one(there)
    relation, fetch, queries = there.relation, there.relation.fetch, []

    def restarting(statement: str) -> pa.Table:
        queries.append(statement)
        if len(queries) in (2, 5):
            servers.postgres.stop()
            servers.postgres.start()
        return fetch(statement)

    relation.fetch = restarting
    with caplog.at_level(logging.WARNING, logger="graphoid"):
        found = gd.GSIMN().fit(there).structure_
    assert len(queries) > 6
    assert found.trace == gd.GSIMN().fit(here).structure_.trace
    assert "attempt 1 of" in caplog.text
    assert PASSWORD not in caplog.text


def test_postgres_stays_away(servers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "PAUSE", 0.01)
    table, settings = network()
    servers.postgres.load("away", table)
    connection = servers.postgres.connect()
    there: Any = gd.read(connection.table("away"), cache=tmp_path / "cache", version="1", **settings)
    engine = one_by_one(there)
    before = engine.spent.queries
    fetch, queries = there.relation.fetch, []

    def failing(statement: str) -> pa.Table:
        queries.append(statement)
        if len(queries) == 4:
            servers.postgres.stop()
        return fetch(statement)

    there.relation.fetch = failing
    try:
        with pytest.raises(EngineError, match="could not be reached 5 times") as raised:
            gd.GSIMN().fit(there)
    finally:
        servers.postgres.start()
    assert PASSWORD not in str(raised.value)
    assert "reader" not in str(raised.value)
    spent = engine.spent.queries - before
    assert spent == 3
    # the same call goes on: with what is on disk, and with the same answers
    again: Any = gd.read(
        servers.postgres.connect().table("away"), cache=tmp_path / "cache", version="1", **settings
    )
    one_by_one(again)
    found = gd.GSIMN().fit(again).structure_
    fresh: Any = replace(again, cache=None)
    one_by_one(fresh)
    whole = gd.GSIMN().fit(fresh).structure_
    assert found.trace == whole.trace == gd.GSIMN().fit(gd.read(table, **settings)).structure_.trace
    assert found.cost.queries == whole.cost.queries - spent
    assert PASSWORD not in found.to_json()


def test_postgres_is_only_read(far: Any) -> None:
    there, _ = far
    asked = there.relation.fetch("SELECT current_setting('transaction_read_only') AS mode")
    assert asked["mode"].to_pylist() == ["on"]
    import psycopg

    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        there.relation.fetch("CREATE TABLE no (x int)")


def test_spark_loses_a_worker(servers: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table, settings = survey()
    pq.write_table(table, tmp_path / "data.parquet", row_group_size=200)
    frame = servers.spark.read.parquet(str(tmp_path / "data.parquet")).repartition(6)
    there = gd.read(frame, **settings)
    running = executors()
    assert len(running) == 2
    os.kill(running[0], signal.SIGKILL)
    found = gd.GSIMN().fit(there).structure_
    assert found.trace == gd.GSIMN().fit(gd.read(table, **settings)).structure_.trace
    assert wait_for(lambda: len(executors()) == 2), "Spark starts another one"


def test_columns_in_two_databases_and_a_file(servers: Any, tmp_path: Path) -> None:
    import numpy as np
    import pyarrow.parquet as pq

    table, _ = network()
    table = table.drop_columns(["w"]).append_column(
        "id", pa.array(np.random.default_rng(0).permutation(table.num_rows))
    )
    servers.postgres.load("left", table.select(["id", "v0", "v1", "v2"]), database="north")
    servers.postgres.load("right", table.select(["id", "v3", "v4"]).sort_by("v3"), database="south")
    pq.write_table(table.select(["id", "v5", "v6"]).sort_by("v5"), tmp_path / "file.parquet")
    sites = {
        "north": servers.postgres.connect("north").table("left"),
        "south": servers.postgres.connect("south").table("right"),
        "file": tmp_path / "file.parquet",
    }
    there = gd.federate(sites, key="id")
    found = gd.GSIMN().fit(there).structure_
    assert found.trace == gd.GSIMN().fit(gd.read(table.drop_columns(["id"]))).structure_.trace
    # a column of two thousand codes takes two thousand bytes, the keys eight times that from each site
    assert found.cost.bytes_moved >= 3 * 8 * 2000 + 7 * 2000
