"""Counting columns at several sites: where they are if one site has them all, else where they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphoid.counts.backends.stream import StreamTabulator
from graphoid.counts.remote.access import Fetched, Tabulator, tabulator_for
from graphoid.counts.remote.access_cost import AccessCost
from graphoid.counts.remote.accumulate import Accumulator
from graphoid.counts.remote.distinct_rows import DistinctRows, as_codes
from graphoid.data.remote.sql import SqlRelation
from graphoid.errors import DataChanged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphoid.data.remote.federate import Site, SitesRelation
    from graphoid.data.remote.table import RemoteTable
    from graphoid.data.table import Codes


class SitesTabulator(Tabulator):
    """Counts a table over several sites.

    Notes
    -----
    It never prefetches: a column that nobody has asked for yet would travel for nothing.
    """

    def __init__(self, table: RemoteTable) -> None:
        self._table = table
        self._relation: SitesRelation = table.relation
        self.label = table.name
        self._site_of = {v: site for site in self._relation.sites for v in site.variables}
        self._counting = {site.name: tabulator_for(site.table) for site in self._relation.sites}
        self._kept: dict[int, Codes] = {}
        self._begun = False

    def transient(self, error: Exception) -> bool:
        """Say whether trying again may help, as one of the sites sees it."""
        said = [tabulator.transient(error) for tabulator in self._counting.values()]  # each may reconnect
        return any(said)

    def tables(self, wanted: Sequence[tuple[int, ...]], *, whole: bool) -> Fetched:  # noqa: ARG002 - rows would travel
        """Return the merged rows of each set of variables; every column that has to travels once."""
        out: list[DistinctRows | None] = [None] * len(wanted)
        # the keys have travelled before anything was asked
        spent = AccessCost() if self._begun else AccessCost(bytes_moved=self._relation.key_bytes)
        self._begun = True
        left = list(range(len(wanted)))
        if self._relation.complete:
            for site in self._relation.sites:
                mine = [i for i in left if all(self._site_of[v] is site for v in wanted[i])]
                if mine:
                    left = [i for i in left if i not in set(mine)]
                    fetched = self._at(site, [wanted[i] for i in mine])
                    spent += fetched.spent
                    for i, table in zip(mine, fetched.tables, strict=True):
                        out[i] = table
        if left:
            fetched = self._together([wanted[i] for i in left])
            spent += fetched.spent
            for i, table in zip(left, fetched.tables, strict=True):
                out[i] = table
        return Fetched([table for table in out if table is not None], spent)

    def _at(self, site: Site, wanted: Sequence[tuple[int, ...]]) -> Fetched:
        """Have a site count what it has."""
        own = [tuple([site.variables.index(v) for v in w]) for w in wanted]
        fetched = self._counting[site.name].tables(own, whole=False)
        of = self._table.variables
        tables = [
            DistinctRows(w, [of[v] for v in w], table.keys, table.units, table.unit)
            for w, table in zip(wanted, fetched.tables, strict=True)
        ]
        return Fetched(tables, fetched.spent)

    def _together(self, wanted: Sequence[tuple[int, ...]]) -> Fetched:
        """Count what no site has alone: the columns travel here."""
        needed = sorted(set().union(*wanted))
        fetched: dict[int, Codes] = {v: self._kept[v] for v in needed if v in self._kept}
        spent = AccessCost()
        for site in self._relation.sites:
            mine = [v for v in needed if self._site_of[v] is site and v not in fetched]
            if mine:
                columns = self._codes(site, mine)
                size = sum(column.nbytes for column in columns)
                spent += AccessCost(1, site.table.n_rows, 8 * site.table.n_rows * len(mine), size)
                fetched.update(zip(mine, (column[site.rows] for column in columns), strict=True))
        if self._relation.keep:
            self._kept.update(fetched)
        counting = Accumulator(self._table.variables, needed, wanted, 1.0)
        counting.add([fetched[v] for v in needed], None, self._table.n_rows)
        return Fetched(counting.tables(), spent)

    def _codes(self, site: Site, variables: Sequence[int]) -> list[Codes]:
        """Return columns of a site as codes, in its order of rows."""
        own = [site.variables.index(v) for v in variables]
        relation = site.table.relation
        if isinstance(relation, SqlRelation):
            found = relation.sorted_rows(
                [relation.code_of(site.table.codings[v]).as_(f"c{v}") for v in own], site.key
            )
            columns = [found[f"c{v}"].to_numpy() for v in own]
            if any((column < 0).any() for column in columns):
                raise DataChanged(
                    f"site {site.name!r} has values that were not there before: its data have changed."
                )
        else:
            parts = list(StreamTabulator(site.table).batches(own))
            columns = [np.concatenate([codes[k] for codes, _, _ in parts]) for k in range(len(own))]
        if any(len(column) != site.table.n_rows for column in columns):
            raise DataChanged(
                f"site {site.name!r} has another number of rows than before: its data have changed."
            )
        return [
            as_codes(column, self._table.variables[v].arity)
            for v, column in zip(variables, columns, strict=True)
        ]
