"""Data sets that are hard to agree on, and the places where they are put."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import graphoid as gd

if TYPE_CHECKING:
    from pathlib import Path

    from graphoid.data.table import Table

EMBEDDED = ("parquet", "csv", "arrow", "duckdb", "relation", "ibis")
SERVERS = ("postgres", "spark")
PLACES = (*EMBEDDED, *(pytest.param(name, marks=pytest.mark.engines) for name in SERVERS))


def survey() -> tuple[pa.Table, dict[str, Any]]:
    """Return answers with missing cells, names and states in several scripts, and a number to be cut."""
    rng = np.random.default_rng(11)
    n = 1500
    age = rng.normal(45, 15, n).round(1)
    mood = (age > 45).astype(int) + (rng.random(n) < 0.4)
    town = np.array(["København", "東京", "São Paulo", "O'Hare"], dtype=object)[
        (mood + rng.integers(0, 2, n)) % 4
    ]
    likes = rng.random(n) < np.where(mood > 0, 0.8, 0.3)
    odd = (likes.astype(int) + (rng.random(n) < 0.2)) % 2
    columns = {
        "Alter in Jahren": pa.array(age, mask=rng.random(n) < 0.04),
        "настроение": pa.array(mood, mask=rng.random(n) < 0.06),
        "town": pa.array(town.tolist(), mask=rng.random(n) < 0.02),
        "likes 'it'": pa.array(likes),
        '"; drop table x; --': pa.array(odd),
    }
    return pa.table(columns), {"missing": "category"}


def rare() -> tuple[pa.Table, dict[str, Any]]:
    """Return columns of which three in ten states are rare, in rows of which some are dropped."""
    rng = np.random.default_rng(12)
    n = 1800
    chances = np.array([0.3, 0.25, 0.15, 0.12, 0.1, 0.05, 0.01, 0.008, 0.007, 0.005])
    a = rng.choice(10, n, p=chances)
    b = np.where(rng.random(n) < 0.5, a, rng.choice(10, n, p=chances))
    c = (b > 2).astype(int) ^ (rng.random(n) < 0.1)
    d = np.where(rng.random(n) < 0.4, c, rng.integers(0, 3, n))
    states = np.array([f"state {k}" for k in range(10)], dtype=object)
    columns = {
        "a": pa.array(states[a].tolist(), mask=rng.random(n) < 0.03),
        "b": pa.array(b),
        "c": pa.array(c, mask=rng.random(n) < 0.03),
        "d": pa.array(d),
    }
    return pa.table(columns), {"missing": "drop"}


def network() -> tuple[pa.Table, dict[str, Any]]:
    """Return a chain with a hub of seven variables, weighed row by row."""
    rng = np.random.default_rng(13)
    n = 2000
    columns: dict[str, Any] = {"v0": rng.integers(0, 2, n)}
    for k in range(1, 7):
        parent = columns["v0" if k % 2 else f"v{k - 1}"]
        columns[f"v{k}"] = np.where(rng.random(n) < 0.6, parent, rng.integers(0, 2 + k % 2, n))
    columns["w"] = rng.exponential(size=n)
    return pa.table({name: pa.array(column) for name, column in columns.items()}), {"weights": "w"}


def mixed() -> tuple[pa.Table, dict[str, Any]]:
    """Return numbers of several types beside states, in rows of which some are dropped."""
    rng = np.random.default_rng(14)
    n = 1600
    age = rng.normal(50, 12, n)
    pressure = np.exp(4.8 + 0.01 * (age - 50) + 0.1 * rng.normal(size=n))
    town = np.clip(np.rint(rng.normal(size=n) + (pressure - 120) / 20), -1, 2).astype(int) + 1
    visits = rng.poisson(np.exp(2.5 + 0.02 * (age - 50)))
    likert = np.clip(np.rint(3 + (age - 50) / 15 + rng.normal(size=n)), 1, 5).astype(int)
    columns = {
        "Alter": pa.array(age, mask=rng.random(n) < 0.03),
        "pressure": pa.array(pressure.astype(np.float32)),
        "town": pa.array(np.array(["København", "東京", "O'Hare", "x"], dtype=object)[town].tolist()),
        "visits": pa.array(visits, mask=rng.random(n) < 0.02),
        "likert": pa.array(likert),
        "cold": pa.array((-rng.exponential(size=n) * 1e-3).round(9)),
        "smokes": pa.array(rng.random(n) < np.where(likert > 3, 0.6, 0.2)),
    }
    return pa.table(columns), {"missing": "drop", "kinds": {"visits": "count"}}


def weighted_mixed() -> tuple[pa.Table, dict[str, Any]]:
    """Return two columns of numbers and one of states, weighed row by row."""
    rng = np.random.default_rng(15)
    n = 900
    a = rng.normal(size=n)
    b = a + rng.normal(size=n)
    c = np.where(b + rng.normal(size=n) > 0, "high", "low")
    columns = {"a": a, "b": b, "c": c, "w": rng.exponential(size=n)}
    return pa.table({name: pa.array(column) for name, column in columns.items()}), {"weights": "w"}


DATA = {"survey": survey, "rare": rare, "network": network}
NUMBERS = {"mixed": mixed, "weighted mixed": weighted_mixed}
"""Sets whose numbers have no states: they are added up, not counted."""


class Place:
    """Somewhere to put a table, and to read it from."""

    def __init__(self, name: str, folder: Path, servers: Any = None) -> None:
        self.name, self._folder, self._servers = name, folder, servers
        self._open: list[Any] = []
        self._read: dict[str, tuple[Table, Table]] = {}

    def put(self, table: pa.Table, label: str = "data") -> Any:
        """Put a table here; return what :func:`graphoid.read` takes."""
        path = self._folder / f"{label}.{self.name}"
        if self.name in ("parquet", "relation", "ibis", "duckdb", "spark"):
            path = path.with_suffix(".parquet")
            pq.write_table(table, path, row_group_size=700)
        if self.name == "csv":
            pyarrow.csv.write_csv(table, path)
        elif self.name == "arrow":
            with pa.ipc.new_file(path, table.schema) as writer:
                writer.write_table(table, max_chunksize=600)
        elif self.name == "duckdb":
            import duckdb

            database = path.with_suffix(".duckdb")
            with duckdb.connect(str(database)) as connection:
                connection.execute(
                    "CREATE OR REPLACE TABLE data AS SELECT * FROM read_parquet(?)", [str(path)]
                )
            return database
        elif self.name == "relation":
            import duckdb

            return duckdb.connect().read_parquet(str(path))
        elif self.name == "ibis":
            import ibis

            return ibis.duckdb.connect().read_parquet(path)
        elif self.name == "postgres":
            self._servers.postgres.load(label, table)
            self._open.append(self._servers.postgres.connect())
            return self._open[-1].table(label)
        elif self.name == "spark":
            return self._servers.spark.read.parquet(str(path)).repartition(3)
        return path

    def both(self, label: str) -> tuple[Table, Table]:
        """Return one of the data sets in memory, and as it is read from here; each is put here once."""
        if label not in self._read:
            table, settings = {**DATA, **NUMBERS}[label]()
            source = self.put(table, label.replace(" ", "_"))
            in_memory = gd.read(source if self.name == "csv" else table, where="memory", **settings)
            self._read[label] = in_memory, gd.read(source, where="source", **settings)
        return self._read[label]

    def close(self) -> None:
        """Let go of connections."""
        for connection in self._open:
            connection.disconnect()
