"""Counting wherever Ibis reaches: PostgreSQL, DuckDB, Spark, and warehouses."""

from __future__ import annotations

from graphoid.counts.backends.sql import SqlTabulator


class IbisTabulator(SqlTabulator):
    """Counts an Ibis table: by GROUPING SETS where the backend has them, else by UNION ALL."""
