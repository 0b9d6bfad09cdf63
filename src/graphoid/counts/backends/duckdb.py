"""Counting in DuckDB: one scan for all tables, by GROUPING SETS."""

from __future__ import annotations

from graphoid.counts.backends.sql import SqlTabulator


class DuckDBTabulator(SqlTabulator):
    """Counts a relation of DuckDB, in this process: what comes back costs little to move."""

    ahead = 2**14
