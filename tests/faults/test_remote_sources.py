"""Data that stay where they are: every table that is there can be read, by several threads at once."""

from __future__ import annotations

import os
import shutil
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.errors import DataChanged, DataError

CELLS = np.random.default_rng(3).integers(0, 2, (300, 5))
CELLS[:, 1] = CELLS[:, 0]
COLUMNS = {name: CELLS[:, k] for k, name in enumerate("abcde")}


@pytest.fixture
def database(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    columns = pa.table(COLUMNS)  # noqa: F841 - DuckDB finds it by its name
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        for statement in (
            "CREATE TABLE t AS FROM columns",
            "CREATE VIEW v AS SELECT a, b FROM t",
            "CREATE SCHEMA s; CREATE TABLE s.u AS SELECT a, b FROM t; CREATE VIEW s.w AS FROM s.u",
            'CREATE TABLE "odd ""name.x" AS FROM t',
            'CREATE SCHEMA "my s"; CREATE TABLE "my s"."a.b" AS FROM t',
            "CREATE SCHEMA r; CREATE TABLE r.t AS SELECT a FROM t; CREATE TABLE r.u AS SELECT a FROM t",
        ):
            connection.execute(statement)
    return tmp_path / "d.duckdb"


@pytest.mark.parametrize(
    ("table", "n_columns"),
    [
        ("t", 5), ("main.t", 5), ("r.t", 1), ("v", 2), ('"v"', 2), ("s.u", 2), ("s.w", 2), ("w", 2),
        ("r.u", 1), ('odd "name.x', 5), ('"odd ""name.x"', 5), ("my s.a.b", 5), ('"my s"."a.b"', 5),
        ("a.b", 5),
    ],
)  # fmt: skip
def test_views_schemas_and_quoted_names_of_duckdb(database, table, n_columns):
    found = gd.read(database, table=table)
    assert len(found.variables) == n_columns
    assert found.n_rows == 300
    assert gd.GSMN().fit(found).structure_ is not None


def test_a_table_that_is_not_there_or_in_several_schemas_is_refused(database):
    with pytest.raises(DataError, match=r"has no table or view 'x'; it has .*'r.t'"):
        gd.read(database, table="x")
    with pytest.raises(DataError, match=r"several tables and views 'u': 'r.u', 's.u'"):
        gd.read(database, table="u")


@pytest.mark.parametrize("kind", ["file", "cache", "database", "relation", "ibis", "sites"])
def test_fits_in_several_threads_share_a_table(tmp_path, database, kind):
    expected = gd.GSMN().fit(COLUMNS).structure_.graph
    if kind == "relation":
        import duckdb

        columns = pa.table(COLUMNS)  # noqa: F841 - DuckDB finds it by its name
        table = gd.read(duckdb.connect().sql("FROM columns").set_alias("own"), where="source")
    elif kind == "ibis":
        ibis = pytest.importorskip("ibis")
        table = gd.read(ibis.duckdb.connect(str(database), read_only=True).table("t"))
    elif kind == "database":
        table = gd.read(database, table="t")
    elif kind == "sites":
        table = federated()
    else:
        pq.write_table(pa.table(COLUMNS), tmp_path / "m.parquet")
        cache = tmp_path / "counts.db" if kind == "cache" else None
        table = gd.read(tmp_path / "m.parquet", where="source", cache=cache)
    found, begin = [], threading.Barrier(8)

    def fit():
        begin.wait()
        try:
            found.append(gd.GSMN().fit(table).structure_.graph)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it
            found.append(error)

    threads = [threading.Thread(target=fit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == [expected] * 8


def federated():
    key = pa.array(range(300))
    left = pa.table({"id": key, **{name: COLUMNS[name] for name in "abc"}})
    right = pa.table({"id": key, **{name: COLUMNS[name] for name in "de"}})
    return gd.federate({"p": left, "q": right}, key="id")


@pytest.mark.parametrize("columns", [["b", "a"], ["e", "a", "b"], ["d", "e"], [4, 2, 0, 1], None])
def test_some_columns_of_a_federated_table(columns):
    some = gd.read(federated(), columns=columns, name="some")
    assert some.name == "some"
    plain = gd.read(COLUMNS, columns=columns)
    assert some.names == plain.names
    assert gd.GSMN().fit(some).structure_.graph == gd.GSMN().fit(plain).structure_.graph


@pytest.mark.parametrize("where", ["file", "database"])
@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_bins_of_a_transformer_at_the_source_are_those_in_memory(tmp_path, where, strategy, kind):
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    numbers = np.round(np.random.default_rng(0).normal(size=400), 1).astype(kind)
    columns = pa.table({"x": numbers, "y": (numbers > 0).astype(int)})
    path = tmp_path / "m.parquet"
    pq.write_table(columns, path)
    bins = preprocessing.KBinsDiscretizer(4, encode="ordinal", strategy=strategy)
    memory = gd.read(path, discretize=bins)
    if where == "database":
        duckdb = pytest.importorskip("duckdb")
        with duckdb.connect(str(tmp_path / "m.duckdb")) as connection:
            connection.execute("CREATE TABLE t AS FROM columns")
        path = tmp_path / "m.duckdb"
    source = gd.read(path, where="source", discretize=bins)
    assert source.variables == memory.variables
    assert gd.GSMN().fit(source).structure_.graph == gd.GSMN().fit(memory).structure_.graph


def write_alike(path, cells):
    """Write a file that has the size and the time of the one before it, if there is one."""
    before = path.stat() if path.exists() else None
    if path.suffix == ".csv":
        path.write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in cells))
    else:  # plain pages without statistics: the same footer whatever the cells
        columns = pa.table({name: cells[:, k] for k, name in enumerate("abc")})
        pq.write_table(columns, path, use_dictionary=False, compression="none", write_statistics=False)
    if before is not None:
        assert path.stat().st_size == before.st_size
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return path


@pytest.fixture(params=["csv", "parquet"])
def twins(tmp_path, request):
    """Return a file and cells alike to its own in all margins, in which other variables depend."""
    a = np.arange(400) % 2
    c = np.arange(400) // 2 % 2
    first, second = np.stack([a, a, c], axis=1), np.stack([a, c, c], axis=1)
    return write_alike(tmp_path / f"m.{request.param}", first), second


def edges_of(table):
    return sorted((edge.x, edge.y) for edge in gd.GSMN().fit(table).structure_.edges())


def test_a_cache_never_answers_for_other_data_of_the_same_size_and_time(tmp_path, twins):
    path, other = twins
    before = gd.read(path, where="source", cache=tmp_path / "counts.db")
    assert edges_of(before) == [("a", "b")]
    write_alike(path, other)
    after = gd.read(path, where="source", cache=tmp_path / "counts.db")
    assert after.data_id != before.data_id
    assert edges_of(after) == [("b", "c")]


def test_a_file_that_changes_after_it_was_read_is_noticed(twins):
    path, other = twins
    table = gd.read(path, where="source")
    write_alike(path, other)
    with pytest.raises(DataChanged, match=r"has changed since it was read\. Read it again"):
        edges_of(table)


def test_a_file_that_was_touched_or_copied_is_the_same(tmp_path, twins):
    path, _ = twins
    table = gd.read(path, where="source")
    os.utime(path)
    assert edges_of(table) == [("a", "b")]
    copy = shutil.copy(path, tmp_path / f"copy{path.suffix}")
    assert gd.read(copy, where="source").data_id == table.data_id


def test_a_database_that_is_gone_is_said_so(tmp_path, database):
    path = database.rename(tmp_path / "gone.duckdb")
    table = gd.read(path, table="t")
    path.unlink()
    with pytest.raises(DataError, match=r"gone.duckdb' cannot be read: No such file"):
        gd.GSMN().fit(table)


def test_a_damaged_database_is_refused_in_a_sentence(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    whole = tmp_path / "whole.duckdb"
    with duckdb.connect(str(whole)) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 2 AS a, i % 3 AS b FROM range(9000) AS r(i)")
    content, said = whole.read_bytes(), set()
    for k, at in enumerate(range(0, len(content), 9_973)):
        path = tmp_path / f"m{k}.duckdb"  # DuckDB knows databases by their names
        path.write_bytes(content[:at] + b"\xff" * 40 + content[at + 40 :] if k % 4 else content[:at])
        try:
            gd.GSMN().fit(gd.read(path))
        except DataError as error:
            said.add(str(error).replace(path.name, "it"))
    assert any(text.startswith("it cannot be read by DuckDB: ") for text in said)
    assert not [text for text in said if "\n" in text]


KINDS_OF_DUCKDB = {
    "time": "TIME '10:00:00' + INTERVAL (i % 2) HOUR",
    "hugeint": "(i % 2)::HUGEINT * 170141183460469231731687303715884105727",
    "decimal": "(i % 2)::DECIMAL(38, 10)",
    "timestamp": "TIMESTAMP '2020-01-01' + INTERVAL (i % 2) DAY",
    "json": "('{\"a\":' || (i % 2) || '}')::JSON",
    "uuid": "('00000000-0000-0000-0000-00000000000' || (i % 2))::UUID",
}


@pytest.mark.parametrize("kind", KINDS_OF_DUCKDB)
def test_columns_of_every_kind_are_those_in_memory(tmp_path, kind):
    duckdb = pytest.importorskip("duckdb")
    query = f"SELECT {KINDS_OF_DUCKDB[kind]} AS x, i % 2 = 0 AS y, i // 2 % 3 AS z FROM range(60) AS r(i)"  # noqa: S608
    with duckdb.connect(str(tmp_path / "m.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS {query}")
        memory = gd.read(connection.table("t"), where="memory")
    table = gd.read(tmp_path / "m.duckdb")
    assert table.variables == memory.variables
    assert edges_of(table) == edges_of(memory) == [("x", "y")]


@pytest.mark.parametrize("value", ["[i % 2]", "{'a': i % 2}", "MAP([i % 2], [1])", "UNION_VALUE(a := i % 2)"])
def test_values_within_values_of_a_database_are_refused(tmp_path, value):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "m.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {value} AS x, i % 2 AS y FROM range(9) AS r(i)")  # noqa: S608
    with pytest.raises(DataError, match=r"^'x' holds .* values; a variable has one plain value a row"):
        gd.read(tmp_path / "m.duckdb")
    assert gd.read(tmp_path / "m.duckdb", columns=["y"]).n_rows == 9


@pytest.mark.parametrize("kind", ["runs", "json", "uuid"])
def test_columns_that_arrow_stores_in_its_own_way_are_streamed_as_they_are_read(tmp_path, kind):
    if kind == "runs":
        column = pa.RunEndEncodedArray.from_arrays([20, 40, 60], ["a", "b", "a"])
    else:
        named = getattr(pa, {"json": "json_", "uuid": "uuid"}[kind], None) or pytest.skip("not in this Arrow")
        plain = ["1", "2"] * 30 if kind == "json" else [b"a" * 16, b"b" * 16] * 30
        column = pa.ExtensionArray.from_storage(named(), pa.array(plain, named().storage_type))
    batch = pa.record_batch([column, pa.array([0, 1, 1] * 20)], names=["x", "y"])
    with pa.OSFile(str(tmp_path / "m.arrow"), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    table = gd.read(tmp_path / "m.arrow")
    assert table.variables == gd.read(batch).variables
    assert edges_of(table) == edges_of(gd.read(batch))
