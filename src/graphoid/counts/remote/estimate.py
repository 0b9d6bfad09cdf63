"""What learning from data that stay where they are will take, before anything is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphoid.counts.remote.access_cost import AccessCost
from graphoid.data.remote.table import RemoteTable
from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from graphoid.data.table import Table

SECONDS_PER_VALUE = {"stream": 8e-9, "duckdb": 6e-8, "ibis": 1.5e-7, "spark": 3e-7, "sites": 1.5e-7}
"""Seconds for every value that a query goes through, by the kind of the source, on one machine."""

SECONDS_PER_QUERY = {"stream": 0.05, "duckdb": 0.05, "ibis": 0.2, "spark": 3.0, "sites": 0.3}

BYTES_PER_TABLE = 4_000
"""What an average table of counts takes on its way back."""


class Estimate(NamedTuple):
    """What a run will take: at least, where nearly all follows from the first counts, and at most."""

    least: AccessCost
    most: AccessCost
    least_money: float
    most_money: float

    def __str__(self) -> str:
        low, high = self.least, self.most
        money = f", {self.least_money:,.2f} to {self.most_money:,.2f} of money" if self.most_money else ""
        return (
            f"{low.queries:,} to {high.queries:,} queries, {low.rows_read:,} to {high.rows_read:,} rows and "
            f"{low.bytes_read / 1e9:,.2f} to {high.bytes_read / 1e9:,.2f} GB read, "
            f"{low.bytes_moved / 1e6:,.1f} to {high.bytes_moved / 1e6:,.1f} MB moved, "
            f"{low.seconds:,.0f} to {high.seconds:,.0f} seconds{money}"
        )


def estimate(table: Table) -> Estimate:
    """Return what a learner will about take on a table that stays where it is; nothing is counted for it.

    At least one query for all pairs; at most, beside it, one around every variable for each of three sizes
    of its blanket, which is what prefetch leaves of the queries of a learner that grows blankets.

    Examples
    --------
    >>> import pyarrow as pa, graphoid as gd
    >>> sites = {k: pa.table({"id": [1, 2], k: ["no", "yes"]}) for k in "ab"}
    >>> estimate(gd.federate(sites, key="id")).least.queries
    1
    """
    if not isinstance(table, RemoteTable):
        raise SettingsError(
            f"{table.name!r} is in memory, where counting costs no queries; there is nothing to estimate."
        )
    n, relation = len(table.variables), table.relation
    bounds = []
    for queries, tables in ((1, n * (n - 1) // 2), (1 + 3 * n, n * (n - 1) // 2 + 9 * n)):
        rows = queries * table.n_rows
        positions = [coding.position for coding in table.codings]
        once = relation.size_of(positions) if relation.kind == "stream" else 8 * table.n_rows * n
        values = rows * n
        seconds = values * SECONDS_PER_VALUE[relation.kind] + queries * SECONDS_PER_QUERY[relation.kind]
        back = tables * BYTES_PER_TABLE + (table.n_rows * n * queries if relation.kind == "sites" else 0)
        bounds.append(AccessCost(queries, rows, once * queries, back, seconds))
    money = [0.0 if table.prices is None else table.prices.of(spent) for spent in bounds]
    return Estimate(bounds[0], bounds[1], money[0], money[1])
