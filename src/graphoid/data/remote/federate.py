"""Columns at several sites, joined by a key: one table over all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphoid.data.options import ReadOptions, RemoteOptions, Transformer
from graphoid.data.remote.sources import relation_of
from graphoid.data.remote.sql import SqlRelation
from graphoid.data.remote.stream import ArrowStream, Stream
from graphoid.data.remote.table import RemoteTable, remote_table
from graphoid.errors import DataError, SettingsError, UnknownVariable
from graphoid.logic.names import quote
from graphoid.structure.learned import Discovery

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.variables import Variable

    SiteRelation = SqlRelation | Stream
    """What can be a site: it says what values it has, and gives its rows in the order of a key."""


@dataclass(frozen=True, eq=False)
class Site:
    """Some of the columns, at one place."""

    name: str
    """Of the site."""
    table: RemoteTable
    """The columns there, counted there."""
    key: int
    """Position of the key in the relation."""
    variables: tuple[int, ...]
    """Positions of the site's variables in the table over all sites."""
    rows: NDArray[np.int64]
    """For every row of the join, its place among the rows of the site."""


@dataclass(frozen=True, eq=False)
class SitesRelation:
    """Several relations that are joined by a key."""

    sites: Sequence[Site]
    names: Sequence[str]
    key: str
    """What is joined, the names of all variables, and by which column."""
    complete: bool
    """Whether every row is at every site, so that a site may count by itself."""
    keep: bool
    """Whether columns that have travelled are kept."""
    key_bytes: int
    """What it took to bring the keys together."""
    kind = "sites"

    def take(self, positions: Sequence[int]) -> SitesRelation:
        """Return the relation for some of the variables; a site may be left with none, and tells its rows."""
        sites = []
        for site in self.sites:
            at = {v: k for k, v in enumerate(site.variables)}
            variables = tuple(i for i, v in enumerate(positions) if v in at)
            own = [at[positions[i]] for i in variables]
            table = site.table.select(ReadOptions(own), RemoteOptions()) if own else site.table
            sites.append(replace(site, table=table, variables=variables))
        return replace(self, sites=sites, names=[self.names[v] for v in positions])

    @property
    def name(self) -> str:
        """The names of the sites."""
        return " + ".join(site.name for site in self.sites)

    @property
    def identity(self) -> str:
        """What tells the sites from others."""
        return f"sites {self.key} " + " ".join(site.table.data_id for site in self.sites)

    @property
    def snapshot(self) -> str | None:
        """None: as little as the sites know."""
        return None


def federate(
    sites: Mapping[str, object],
    key: str,
    *,
    discretize: str | Transformer | None = None,
    missing: str = "error",
    keep: bool = False,
    cache: str | os.PathLike[str] | None = None,
    version: str | None = None,
    prices: object = None,
) -> RemoteTable:
    """Return one table over columns at several sites, joined by a key.

    A test whose columns are all at one site is counted there, and only counts travel. Of any other, the
    columns it needs travel, once for a batch of questions: as codes, in the order of the key. So the price
    of a test is what it has to move (``structure_.cost.bytes_moved``).

    Parameters
    ----------
    sites
        By name: what :func:`graphoid.read` takes where it stays (an Ibis table, a Spark frame, a DuckDB
        relation or database, a file that can be streamed), or an Arrow, pandas or polars table.
    key
        The column that all sites have and that joins them; no value may repeat within a site. Rows that are
        not at every site are left out.
    discretize, missing
        As for :func:`graphoid.read`; not ``missing="drop"``, because no site knows which rows the others
        would drop.
    keep
        Keep columns that have travelled, so that none travels twice; by default they are let go after each
        batch.
    cache, version, prices
        As for :func:`graphoid.read`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> a = pa.table({"id": [1, 2, 3, 4], "rain": ["no", "yes", "no", "yes"]})
    >>> b = pa.table({"id": [4, 3, 2, 1], "wet": ["yes", "no", "yes", "no"]})
    >>> federate({"weather": a, "street": b}, key="id").names
    ('rain', 'wet')
    """
    if missing == "drop":
        raise SettingsError(
            "missing='drop' needs all sites at once; choose 'category', or drop the rows at the sites."
        )
    if len(sites) < 2:
        raise SettingsError(f"federate joins at least two sites; got {len(sites)}.")
    options = ReadOptions(discretize=discretize, missing=missing)
    relations = {name: _relation_at(name, source) for name, source in sites.items()}
    table = _join(relations, key, options, version, keep=keep)
    return replace(table, cache=cache, version=version, prices=prices)


def _relation_at(name: str, source: object) -> SiteRelation:
    """Return the source of a site as a relation."""
    if isinstance(source, RemoteTable):
        return cast("SiteRelation", source.relation)
    if isinstance(source, pa.Table):
        return ArrowStream(source, name)
    home = type(source).__module__.split(".")[0]
    if home in ("pandas", "polars"):
        import narwhals.stable.v2 as nw

        return ArrowStream(nw.from_native(cast("Any", source), eager_only=True).to_arrow(), name)
    relation = relation_of(source, None, always=True)
    if not isinstance(relation, (SqlRelation, Stream)):
        raise DataError(f"site {name!r} is a {type(source).__name__}, which cannot be a site.")
    return relation


def _join(
    relations: Mapping[str, SiteRelation], key: str, options: ReadOptions, version: str | None, *, keep: bool
) -> RemoteTable:
    """Return the table over the columns of all sites but their key."""
    for name, relation in relations.items():
        if key not in relation.names:
            raise UnknownVariable(
                f"site {name!r} has no column {key!r}; it has {quote(list(relation.names))}."
            )
    owners = Counter(column for relation in relations.values() for column in relation.names if column != key)
    variables: list[Variable] = []
    places: list[tuple[int, ...]] = []
    tables: list[RemoteTable] = []
    for name, relation in relations.items():
        own = replace(options, columns=[column for column in relation.names if column != key])
        table = remote_table(relation, own, RemoteOptions(version=version))
        table = table.discretized
        places.append(tuple(range(len(variables), len(variables) + len(table.variables))))
        variables += [
            replace(v, name=f"{name}.{v.name}") if owners[v.name] > 1 else v for v in table.variables
        ]
        tables.append(table)
    at = [relation.names.index(key) for relation in relations.values()]
    keys = [keys_of(relation, k, name) for (name, relation), k in zip(relations.items(), at, strict=True)]
    rows, complete = _match(keys)
    notes = [note for table in tables for note in table.notes]
    if not complete:
        lost = zip(relations, (len(k) - len(rows[0]) for k in keys), strict=True)
        left = ", ".join(f"{n:,} of {name!r}" for name, n in lost if n)
        notes.append(f"{len(rows[0]):,} rows are at every site; left out are {left}.")
    sites = [Site(*parts) for parts in zip(relations, tables, at, places, rows, strict=True)]
    size = sum(int(k.nbytes) for k in keys)
    names = [v.name for v in variables]
    return RemoteTable(
        tuple(variables),
        (None,) * len(variables),
        len(rows[0]),
        notes=tuple(notes),
        name=" + ".join(relations),
        relation=SitesRelation(sites, names, key, complete=complete, keep=keep, key_bytes=size),
        margins=tuple(m for table in tables for m in table.margins) if complete else (),
        discovery=sum((table.discovery for table in tables), Discovery()),
    )


def keys_of(relation: SiteRelation, position: int, site: str) -> pa.Array:
    """Return the keys of a site in its order; they travel once."""
    if isinstance(relation, SqlRelation):
        keys = relation.sorted_rows([relation.column(position).as_("k")], position)["k"].combine_chunks()
    else:
        keys = pa.chunked_array([cells[0] for cells in relation.batches([position])]).combine_chunks()
    if pa.types.is_dictionary(keys.type):
        keys = keys.dictionary_decode()
    if keys.null_count or len(pc.unique(keys)) < len(keys):
        raise DataError(
            f"the key of site {site!r} is missing or repeats in some rows; it must tell all rows apart."
        )
    return keys


def _match(keys: Sequence[pa.Array]) -> tuple[list[NDArray[np.int64]], bool]:
    """Return for each site the places of the rows that are at all sites, and whether these are all."""
    alike = [k.cast(keys[0].type) if k.type != keys[0].type else k for k in keys]
    common = pa.array(np.ones(len(keys[0]), dtype=bool))
    for other in alike[1:]:
        common = pc.and_(common, pc.is_in(alike[0], value_set=other))
    wanted = alike[0].filter(common)
    if not len(wanted):
        raise DataError("no key is at every site. Is it the same key everywhere, and of the same type?")
    rows = [np.asarray(pc.index_in(wanted, value_set=k).to_numpy(), dtype=np.int64) for k in alike]
    return rows, all(len(k) == len(wanted) for k in alike)
