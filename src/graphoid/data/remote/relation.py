"""What data that stay where they are must be able to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphoid.data.remote.census import Census


class Relation(Protocol):
    """A table somewhere. Engines in :mod:`graphoid.counts` count it."""

    kind: str
    """Which engine counts it: "stream", "duckdb", "ibis", "spark" or "sites"."""
    name: str
    """For reports; never has a user, a password or a host in it."""
    names: Sequence[str]

    @property
    def identity(self) -> str:
        """What tells this relation from others."""

    @property
    def snapshot(self) -> str | None:
        """What tells this state of it from earlier ones, or None if it cannot know."""


class CensusRelation(Relation, Protocol):
    """A table somewhere that can say what values it has."""

    def census(self, columns: Sequence[int], weights: int | None, *, complete: bool) -> Census:
        """Return the different values of each column; if ``complete``, of rows without a missing cell."""


@runtime_checkable
class SizedRelation(Protocol):
    """A relation that knows how large its columns are."""

    def size_of(self, positions: Iterable[int]) -> int:
        """Return the bytes that some columns take where they are."""


@runtime_checkable
class JoinedRelation(Protocol):
    """A relation that knows which of its parts has which variable."""

    def take(self, positions: Sequence[int]) -> Relation:
        """Return the relation for some of the variables, in the order given."""
