"""Counting wherever Ibis reaches: PostgreSQL, DuckDB, Spark, and warehouses."""

from __future__ import annotations

from graphoid.counts.sql import SqlTabulator


class IbisTabulator(SqlTabulator):
    """Counts an Ibis table: one scan for all tables where the backend has GROUPING SETS, else by UNION ALL."""
