"""What a user chose on the page: how a table is read and learned from, and the script that does it again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Self, cast

from graphoid.data.check import Report, check
from graphoid.data.read import open_source, read
from graphoid.errors import DataError, SettingsError
from graphoid.logic.names import quote
from graphoid.structure import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.data.table import Table
    from graphoid.data.variables import Kind

MISSING = "error"


@dataclass(frozen=True)
class Choices:
    """The settings of a run."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    """Of columns, where they are not to be found out."""
    missing: str = MISSING
    drop: tuple[str, ...] = ()
    """Columns that are left out."""
    na_values: tuple[str, ...] = ()
    decimal: str = "."
    seconds: float | None = None
    """Time after which the search stops with the best so far."""

    @classmethod
    def from_values(cls, values: Mapping[str, object]) -> Self:
        """Return the choices that plain values describe, or raise one clear error."""
        if unknown := sorted(values.keys() - cls.__dataclass_fields__.keys()):
            raise SettingsError(f"there is no setting {unknown[0]!r:.60}.")
        try:
            kinds = plain.record(values.get("kinds", {}))
            seconds = values.get("seconds")
            return cls(
                {name: plain.text(kind) for name, kind in kinds.items()},
                plain.text(values.get("missing", MISSING)),
                tuple(plain.texts(values.get("drop", []))),
                tuple(plain.texts(values.get("na_values", []))),
                plain.text(values.get("decimal", ".")),
                None if seconds is None else plain.number(seconds),
            )
        except ValueError as error:
            raise SettingsError(f"a setting has the wrong shape: {error}.") from None

    def to_values(self) -> dict[str, object]:
        """Return them as plain values."""
        return {**asdict(self), "drop": list(self.drop), "na_values": list(self.na_values)}

    def columns(self, path: str) -> list[str] | None:
        """Return the columns to read; None for all."""
        if not self.drop:
            return None
        known = list(open_source(path).names)
        for name in self.drop:
            if name not in known:
                raise DataError(f"there is no column {name!r} to leave out; there are {quote(known)}.")
        return [name for name in known if name not in self.drop]

    def check(self, path: str) -> Report:
        """Return what reading a file would do."""
        return check(
            path,
            columns=self.columns(path),
            kinds=self._kinds(),
            missing=self.missing,
            na_values=self.na_values,
            decimal=self.decimal,
        )

    def read(self, path: str, name: str) -> Table:
        """Return the table of a file."""
        return read(
            path,
            columns=self.columns(path),
            kinds=self._kinds(),
            missing=self.missing,
            na_values=self.na_values,
            decimal=self.decimal,
            name=name,
        )

    def _kinds(self) -> Mapping[str, Kind]:
        kept = {name: kind for name, kind in self.kinds.items() if name not in self.drop}
        return cast("Mapping[str, Kind]", kept)

    def script(self, name: str, table: Table) -> str:
        """Return the Python script that learns the network again from the file of that name."""
        given = [repr(name)]
        given += [f"columns={list(table.names)!r}"] * bool(self.drop)
        given += [f"kinds={dict(self._kinds())!r}"] * bool(self._kinds())
        given += [f"missing={self.missing!r}"] * (self.missing != MISSING)
        given += [f"na_values={list(self.na_values)!r}"] * bool(self.na_values)
        given += [f"decimal={self.decimal!r}"] * (self.decimal != ".")
        limit = "" if self.seconds is None else f", seconds={self.seconds!r}"
        return (
            "# Learns the network again, as graphoid serve did.\n\n"
            "import graphoid as gd\n\n"
            f"table = gd.read({', '.join(given)})\n"
            f"assert table.data_id == {table.data_id!r}, 'the file has other rows now'\n"
            f"found = gd.learn(table, random_state=0{limit})\n"
            'found.report("report.html")\n'
        )
