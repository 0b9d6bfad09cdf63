"""Counting in DuckDB: one scan for all tables, by GROUPING SETS."""

from __future__ import annotations

from graphoid.counts.sql import SqlTabulator


class DuckDBTabulator(SqlTabulator):
    """Counts a table, view or query of DuckDB in this process, so that what comes back costs nothing to move."""

    ahead = 2**14
