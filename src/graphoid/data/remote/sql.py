"""Relations that answer SQL: sqlglot builds the statements, and quotes every name and value."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
import pyarrow as pa
import sqlglot.expressions as sql

from graphoid.data.encoding.columns import refuse_nested
from graphoid.data.encoding.encode import cuts_for
from graphoid.data.remote.census import MOST_VALUES, Census, ValueCounts, WeightSummary
from graphoid.errors import DataError, leave_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphoid.data.remote.table import Coding, Weighing

GROUPING_ARGUMENTS = 30
"""What GROUPING() takes where it gives a signed 32-bit number."""

ONE_AT_A_TIME = threading.RLock()
"""Held while a connection of the caller's answers: few of them can be asked by several threads at once."""

UNKNOWN = -1
"""The code of a value that has none."""


class Score(Protocol):
    """A score of numbers that runs straight from one knot to the next."""

    @property
    def knots(self) -> NDArray[np.float64]:
        """Some numbers, ascending."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """Theirs."""

    @property
    def slopes(self) -> NDArray[np.float64]:
        """From each to the next."""


class SqlRelation(ABC):
    """A table, view or query of a database.

    Parameters
    ----------
    source
        The query, in the dialect of the database.
    dialect
        Its dialect, as sqlglot calls it.
    schema
        Names and Arrow types of the columns.
    name
        For reports.
    """

    kind = "sql"
    sets = True
    """Whether one query may count many tables by GROUPING SETS; if not, by UNION ALL."""

    def __init__(self, source: sql.Expression, dialect: str, schema: pa.Schema, name: str) -> None:
        self.source, self.dialect, self.schema, self.name = source, dialect, schema, name
        self.names: Sequence[str] = schema.names

    def __deepcopy__(self, memo: object) -> Self:
        return self  # it never changes, and has one connection

    def __reduce__(self) -> tuple[object, ...]:
        raise DataError(
            f"{self.name} cannot be pickled: its connection lives in this process. Pickle what was learned "
            f"from it, or read it where it is needed."
        )

    @property
    @abstractmethod
    def identity(self) -> str:
        """What tells this relation from others."""

    @property
    def snapshot(self) -> str | None:
        """None: a database does not say whether it has changed; a declared version does."""
        return None

    def transient(self, error: Exception) -> bool:  # noqa: ARG002 - for those that can reconnect
        """Say whether trying again after an error may help."""
        return False

    @abstractmethod
    def fetch(self, statement: str) -> pa.Table:
        """Run a query in a read-only transaction and return its rows."""

    def declared_states(self, position: int) -> tuple[pa.Array, bool] | None:  # noqa: ARG002 - for those that know
        """Return the states that the database declares for a column, and whether they are ordered."""
        return None

    def census(self, columns: Sequence[int], weights: int | None, *, complete: bool) -> Census:
        """Return the different values of each column, by one query."""
        for i in columns:
            refuse_nested(self.schema.field(i).type, self.names[i])
        labels = [f"c{k}" for k in range(len(columns))]
        present = [self.present(i) for i in columns]
        whole = sql.Case().when(sql.and_(*present), sql.Literal.number(1)).else_(sql.Literal.number(0))
        selected = [self.text_of(i).as_(label) for i, label in zip(columns, labels, strict=True)]
        numbers: list[sql.Expression] = [
            sql.Count(this=sql.Star()).as_("n"),
            sql.Sum(this=sql.column("f")).as_("m"),
        ]
        if weights is not None:
            selected += self._weight_parts(weights)
            numbers += [
                sql.Sum(this=_only(sql.column("f") if complete else None, sql.column(w))).as_(w)
                for w in ("wb", "wf", "ws")
            ]
        inner = self._from(sql.select(*selected, whole.as_("f")))
        groups = [(label,) for label in labels]
        found = self.fetch(self.group_statement(inner, labels, [*groups, ()], numbers, limit=4 * MOST_VALUES))
        rows = {
            key: found.take(pa.array(at)) for key, at in self._by_group(found, labels, [*groups, ()]).items()
        }
        total = rows[()]
        n_rows, n_complete = int(total["n"][0].as_py() or 0), int(total["m"][0].as_py() or 0)
        values, gaps = [], []
        for i, label in zip(columns, labels, strict=True):
            group = rows.get((label,))
            part = self._values(i, label, group, "m" if complete else "n")
            values.append(part)
            if group is not None and group[label].null_count:
                gaps.append(i)
        summary = None
        if weights is not None:
            bad, fractional, weighed = (total[w][0].as_py() or 0 for w in ("wb", "wf", "ws"))
            summary = WeightSummary(float(weighed), not fractional, int(bad))
        return Census(n_rows, n_complete, values, gaps, summary)

    def _values(self, position: int, label: str, group: pa.Table | None, number: str) -> ValueCounts:
        if group is None:
            return ValueCounts(pa.array([], pa.string()), np.zeros(0, dtype=np.int64))
        times = np.array([int(n or 0) for n in group[number].to_pylist()], dtype=np.int64)
        occurs = times > 0
        if int(occurs.sum()) > MOST_VALUES:
            raise DataError(
                f"{self.names[position]!r} has more than {MOST_VALUES:,} different values, too many "
                f"to make states of. Cut it into bins in the query, or leave it out "
                f"{leave_out(self.names[position])}."
            )
        texts = group[label].combine_chunks().cast(pa.string()).filter(pa.array(occurs))
        times = times[occurs]
        # by their text, so that the order in which a server answers leaves no trace
        order = np.array(
            sorted(range(len(texts)), key=lambda k: (texts[k].as_py() is None, texts[k].as_py() or "")),
            dtype=int,
        )
        texts, times = texts.take(pa.array(order)), times[order]
        kind = self.schema.field(position).type
        states = self.declared_states(position)
        if states is not None:
            return ValueCounts(texts, times, "declared", *states)
        if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
            return ValueCounts(texts.cast(kind), times)
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return ValueCounts(texts, times, "undeclared")
        return ValueCounts(texts, times, "cast", pa.array([], kind))

    def _weight_parts(self, position: int) -> list[sql.Expression]:
        """Return what is needed of a row weight: whether it is bad, whether it has a fraction, and itself."""
        w = sql.cast(self.column(position), "double")
        good = sql.and_(self.present(position), w.copy() >= 0, w.copy() < sql.Literal.number("1e300"))
        fraction = sql.and_(good.copy(), sql.Floor(this=w.copy()).neq(w.copy()))
        return [
            sql.Case().when(good.copy(), _number(0)).else_(_number(1)).as_("wb"),
            sql.Case().when(fraction, _number(1)).else_(_number(0)).as_("wf"),
            sql.Case().when(good.copy(), w.copy()).else_(sql.cast(_number(0), "double")).as_("ws"),
        ]

    def column(self, position: int) -> sql.Expression:
        """Return a column by its name, quoted."""
        return sql.column(sql.to_identifier(self.names[position], quoted=True), table="s")

    def text_of(self, position: int) -> sql.Expression:
        """Return a column as text; NaN is missing."""
        text = sql.cast(self.column(position), "text")
        if not pa.types.is_floating(self.schema.field(position).type):
            return text
        nan = sql.Lower(this=text.copy()).eq(sql.Literal.string("nan"))
        return sql.Case().when(nan, sql.null()).else_(text.copy())

    def present(self, position: int) -> sql.Expression:
        """Return the condition that a cell is not missing."""
        may_be_nan = pa.types.is_floating(self.schema.field(position).type)
        cell = self.text_of(position) if may_be_nan else self.column(position)
        return cell.is_(sql.null()).not_()

    def code_of(self, coding: Coding) -> sql.Expression:
        """Return the code of a variable: by cut points, by the distance from the lowest, or by value."""
        column = self.column(coding.position)
        kind = self.schema.field(coding.position).type
        missing = _number(UNKNOWN if coding.missing is None else coding.missing)
        case = sql.Case().when(sql.not_(self.present(coding.position)), missing)
        if coding.cuts and (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            narrow = pa.types.is_float32(kind)
            cuts = cuts_for(coding.cuts, np.dtype(np.float32)).tolist() if narrow else coding.cuts
            for k, at in enumerate(cuts):
                case = case.when(column.copy() <= sql.cast(_number(at), "double"), _number(k))
            return case.else_(_number(len(coding.cuts)))
        if (
            pa.types.is_integer(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_string(kind)
            or pa.types.is_large_string(kind)
        ):
            compared = column
        else:
            compared = self.text_of(coding.position)
        pairs = [
            (v, int(c)) for v, c in zip(coding.values.to_pylist(), coding.codes, strict=True) if v is not None
        ]
        if pa.types.is_integer(kind) and pairs:
            low = min(v for v, _ in pairs)
            if sorted(pairs) == [(low + k, k) for k in range(len(pairs))]:  # no value is new between them
                inside = sql.and_(
                    compared.copy() >= _number(low), compared.copy() <= _number(low + len(pairs) - 1)
                )
                return case.when(inside, compared.copy() - _number(low)).else_(_number(UNKNOWN))
        for value, code in pairs:
            case = case.when(compared.copy().eq(sql.convert(value)), _number(code))
        return case.else_(_number(UNKNOWN))

    def number_of(self, coding: Coding) -> sql.Expression:
        """Return a column of numbers as such."""
        kind = self.schema.field(coding.position).type
        # 0.1 in four bytes is 0.1, as in memory
        narrow = pa.types.is_floating(kind) and not pa.types.is_float64(kind)
        return sql.cast(self.text_of(coding.position) if narrow else self.column(coding.position), "double")

    def score_rows(
        self,
        scores: Mapping[int, Score],
        codings: Sequence[Coding],
        gaps: Sequence[int],
        weighing: Weighing | None,
    ) -> sql.Select:
        """Return the query of all rows: scores of columns of numbers, codes of others, and units."""
        selected = [
            (self.number_of(coding) if v in scores else self.code_of(coding)).as_(f"c{v}")
            for v, coding in enumerate(codings)
        ]
        selected += [] if weighing is None else [self.units(weighing).as_("u")]
        inner = self._from(sql.select(*selected))
        for position in gaps:
            inner = inner.where(self.present(position))
        outer = [
            score_of(f"c{v}", scores[v]) if v in scores else sql.column(f"c{v}") for v in range(len(codings))
        ]
        outer += [] if weighing is None else [sql.column("u")]
        whole = sql.Subquery(this=inner, alias=sql.TableAlias(this=sql.to_identifier("a")))
        return sql.Select(expressions=outer).from_(whole, copy=False)

    def sums(
        self, inner: sql.Select, factors: Sequence[Sequence[int]], states: Sequence[int], *, weighted: bool
    ) -> dict[tuple[int, ...], list[tuple[int, list[int]]]]:
        """Return sums of products of scores, in all rows and by the states of each of some variables.

        By variable, or without one, a line a state: its code (0 for all rows) and the sums.
        """
        labels = [f"c{v}" for v in states]
        numbers: list[sql.Expression] = []
        for k, product in enumerate(factors):
            term = _whole(
                _product([sql.column(f"s{v}") for v in product]) if product else self._row_flag(inner)
            )
            total = sql.Sum(this=_whole(sql.column("u")) * term if weighted else term)
            numbers.append(sql.cast(total, "text").as_(f"p{k}"))  # drivers know no integers of 128 bits
        groups = [(label,) for label in labels]
        if labels:
            found = self.fetch(self.group_statement(inner, labels, [*groups, ()], numbers))
            rows = self._by_group(found, labels, [*groups, ()])
        else:
            whole = sql.Subquery(this=inner.copy(), alias=sql.TableAlias(this=sql.to_identifier("b")))
            found = self.fetch(str(sql.select(*numbers).from_(whole).sql(dialect=self.dialect)))
            rows = {(): np.zeros(1, dtype=np.int64)}
        columns = [found[f"p{k}"].to_pylist() for k in range(len(factors))]
        answer: dict[tuple[int, ...], list[tuple[int, list[int]]]] = {}
        for group, at in rows.items():
            codes = found[group[0]].to_numpy()[at] if group else np.zeros(1)
            sums = [[int(column[i] or 0) for column in columns] for i in at]
            answer[tuple(int(label[1:]) for label in group)] = [
                (int(code), line) for code, line in zip(codes, sums, strict=True)
            ]
        return answer

    @staticmethod
    def _row_flag(inner: sql.Select) -> sql.Expression:
        """Return 1 for rows that have all scores: one has none where its number was not there before."""
        scores = [sql.column(name) for name in inner.named_selects if name.startswith("s")]
        new = sql.or_(*[score.is_(sql.null()) for score in scores])
        return sql.Case().when(new, _number(0)).else_(_number(1))

    def units(self, weighing: Weighing) -> sql.Expression:
        """Return the units of a row: rounded to the nearest, halves to the even one, as in memory."""
        w = sql.cast(self.column(weighing.position), "double")
        if weighing.unit == 1.0:
            return sql.cast(w, "bigint")
        v = sql.paren(w * sql.cast(_number(1 / weighing.unit), "double"))
        down = sql.Floor(this=v.copy())
        rest = sql.paren(v.copy() - down.copy())
        half = sql.cast(_number(0.5), "double")
        halved = sql.paren(down.copy() * half.copy())
        odd = sql.Floor(this=halved.copy()).neq(halved.copy())
        up = sql.or_(rest.copy() > half.copy(), sql.and_(rest.copy().eq(half.copy()), odd))
        return sql.cast(down.copy(), "bigint") + sql.Case().when(up, _number(1)).else_(_number(0))

    def sorted_rows(self, columns: Sequence[sql.Expression], by: int) -> pa.Table:
        """Return columns of all rows, in the order of one of them."""
        statement = self._from(sql.select(*columns)).order_by(self.column(by))
        return self.fetch(str(statement.sql(dialect=self.dialect)))

    def count_statement(
        self,
        codings: dict[str, Coding],
        wanted: Sequence[Sequence[str]],
        gaps: Sequence[int],
        weighing: Weighing | None,
    ) -> str:
        """Return the statement that counts tables of codes, without rows that miss a cell in ``gaps``."""
        selected: list[sql.Expression] = [
            self.code_of(coding).as_(label) for label, coding in codings.items()
        ]
        number: sql.Expression = sql.Count(this=sql.Star())
        if weighing is not None:
            selected.append(self.units(weighing).as_("u"))
            number = sql.Sum(this=sql.column("u"))
        inner = self._from(sql.select(*selected))
        for position in gaps:
            inner = inner.where(self.present(position))
        return self.group_statement(inner, list(codings), wanted, [number.as_("n")])

    def count(
        self, statement: str, labels: Sequence[str], wanted: Sequence[Sequence[str]]
    ) -> list[tuple[NDArray[np.integer], NDArray[np.int64]]]:
        """Run a counting statement; return for each table the codes (a row each) and the units."""
        found = self.fetch(statement)
        units = np.array([int(n or 0) for n in found["n"].to_pylist()], dtype=np.int64)
        codes = {label: found[label].to_numpy() for label in labels}
        rows = self._by_group(found, labels, [tuple(w) for w in wanted])
        out = []
        for w in wanted:
            at = rows.get(tuple(w), np.zeros(0, dtype=int))
            # a column has nulls for the tables that it is not part of, and is then one of floats
            own = np.array([codes[label][at].astype(np.int64) for label in w]).T.reshape(len(at), len(w))
            out.append((own, units[at]))
        return out

    def _from(self, select: sql.Select) -> sql.Select:
        return select.from_(
            sql.Subquery(this=self.source.copy(), alias=sql.TableAlias(this=sql.to_identifier("s")))
        )

    def group_statement(
        self,
        inner: sql.Select,
        labels: Sequence[str],
        groups: Sequence[Sequence[str]],
        numbers: Sequence[sql.Expression],
        limit: int | None = None,
    ) -> str:
        """Return the statement that aggregates by every group of columns in one go."""
        whole = sql.Subquery(this=inner, alias=sql.TableAlias(this=sql.to_identifier("b")))
        if self.sets:
            columns = [sql.column(label) for label in labels]
            marks = [
                sql.Anonymous(
                    this="GROUPING",
                    expressions=[sql.column(label) for label in labels[k : k + GROUPING_ARGUMENTS]],
                ).as_(f"g{k}")
                for k in range(0, len(labels), GROUPING_ARGUMENTS)
            ]
            tuples: list[sql.Expression] = [
                sql.Tuple(expressions=[sql.column(c) for c in group]) for group in groups
            ]
            statement: sql.Query = sql.select(*columns, *marks, *[n.copy() for n in numbers]).from_(whole)
            statement.set("group", sql.Group(grouping_sets=[sql.GroupingSets(expressions=tuples)]))
        else:
            statement = None
            for k, group in enumerate(groups):
                own = [(sql.column(c) if c in group else sql.null()).as_(c) for c in labels]
                one = sql.select(*own, _number(k).as_("g0"), *[n.copy() for n in numbers]).from_(whole.copy())
                if group:
                    one = one.group_by(*[sql.column(c) for c in group])
                statement = one if statement is None else sql.union(statement, one, distinct=False)
        if limit is not None:
            statement = statement.limit(limit)
        return str(statement.sql(dialect=self.dialect))

    def _by_group(
        self, found: pa.Table, labels: Sequence[str], groups: Sequence[tuple[str, ...]]
    ) -> dict[tuple[str, ...], NDArray[np.integer]]:
        """Return the rows of the answer that belong to each group of columns."""
        marks: dict[tuple[int, ...], tuple[str, ...]] = {}
        if not self.sets:
            marks = {(k,): tuple(group) for k, group in enumerate(groups)}
            names = ["g0"]
        else:
            starts = range(0, len(labels), GROUPING_ARGUMENTS)
            names = [f"g{k}" for k in starts]
            for group in groups:
                key = []
                for k in starts:  # a bit for each column that is not grouped by, the first the highest
                    part = labels[k : k + GROUPING_ARGUMENTS]
                    key.append(
                        sum(1 << (len(part) - 1 - j) for j, label in enumerate(part) if label not in group)
                    )
                marks[tuple(key)] = tuple(group)
        keys = np.stack([found[name].to_numpy().astype(np.int64) for name in names], axis=1)
        different, row = np.unique(keys, axis=0, return_inverse=True)
        order = np.argsort(row.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(row.reshape(-1), minlength=len(different)))
        return {
            marks[tuple(int(g) for g in key)]: order[end - n : end]
            for key, end, n in zip(different, ends, np.diff(ends, prepend=0), strict=True)
        }


def score_of(name: str, score: Score) -> sql.Expression:
    """Return the score of a column of numbers: which knots a number is between is found by halving.

    Nodes are made as they are: the library's operators would copy everything at every level.
    """

    def line(k: int) -> sql.Expression:
        along = sql.Paren(this=sql.Sub(this=sql.column(name), expression=_double(score.knots[k])))
        scaled = sql.Mul(this=along, expression=_double(score.slopes[k]))
        return sql.Add(this=scaled, expression=_double(score.scores[k]))

    def between(low: int, high: int) -> sql.Expression:
        if high - low == 1:
            return line(low)
        middle = (low + high) // 2
        below = sql.LT(this=sql.column(name), expression=_double(score.knots[middle]))
        return _choose(below, between(low, middle), between(middle, high))

    lines = between(0, len(score.slopes)) if len(score.slopes) else _double(score.scores[0])
    up = sql.Add(this=sql.Paren(this=lines), expression=_double(0.5))
    known = sql.And(
        this=sql.GTE(this=sql.column(name), expression=_double(score.knots[0])),
        expression=sql.LTE(this=sql.column(name), expression=_double(score.knots[-1])),
    )
    whole = sql.Cast(this=sql.Floor(this=up), to=sql.DataType.build("bigint"))
    return sql.Alias(this=_choose(known, whole, sql.null()), alias=sql.to_identifier(name.replace("c", "s")))


def _choose(condition: sql.Expression, one: sql.Expression, other: sql.Expression) -> sql.Expression:
    return sql.Case(ifs=[sql.If(this=condition, true=one)], default=other)


def _double(value: float) -> sql.Expression:
    """Return a number that is one of floating point wherever it is read: others have decimals, too."""
    text = repr(abs(float(value)))
    literal = sql.Literal.number(text if "e" in text else f"{text}e0")
    return literal if value >= 0 else sql.Paren(this=sql.Neg(this=literal))


def _whole(value: sql.Expression) -> sql.Expression:
    """Return a whole number below 2**62 so that products of two, and sums of these, are exact."""
    return sql.cast(value, "decimal(19, 0)")


def _product(factors: Sequence[sql.Expression]) -> sql.Expression:
    product = factors[0]
    for factor in factors[1:]:
        product = product * factor
    return sql.paren(product)


def _number(value: float) -> sql.Expression:
    if isinstance(value, float) and not math.isfinite(value):
        raise DataError(f"{value} cannot be a cut point.")
    return sql.Literal.number(repr(value)) if value >= 0 else sql.Neg(this=sql.Literal.number(repr(-value)))


def _only(flag: sql.Expression | None, value: sql.Expression) -> sql.Expression:
    return value if flag is None else sql.Case().when(flag.eq(_number(1)), value).else_(_number(0))
