"""Rows gathered from a stream: in memory, in a file, in parts; and learners that never notice which."""

from __future__ import annotations

import shutil
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.counts.backends import stream as streaming
from graphoid.counts.native import NativeEngine
from graphoid.counts.remote import engine as remote, local_rows, native
from graphoid.counts.remote.distinct_rows import DistinctRows
from graphoid.counts.remote.spilled_rows import Gathering, PackedRows
from tests.support.tables import needs_kernels, random_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from graphoid.counts.remote.distinct_rows import Batch

ARITIES = [3, 1, 300, 2, 4] + [4] * 30  # two words, a constant, and a variable of more than 256 states


def listed(batches: Iterable[Batch]) -> Counter[tuple[int, ...]]:
    """Return how much each different row weighs."""
    out: Counter[tuple[int, ...]] = Counter()
    for codes, units, n in batches:
        assert all(len(column) == n for column in codes)
        weights = [1] * n if units is None else units.tolist()
        for row, weight in zip(zip(*(c.tolist() for c in codes), strict=True), weights, strict=True):
            out[row] += weight
    return out


def gathered(
    arities: list[int], most: int, rows: int = 5000, distinct: int | None = None, weights: str | None = None,
    **parts: int,
) -> tuple[DistinctRows | PackedRows | None, list[Batch]]:  # fmt: skip
    """Return what is gathered of random rows, and the rows."""
    table = random_table(distinct or rows, arities, weights=weights)
    which = np.random.default_rng(0).integers(0, distinct, rows) if distinct else np.arange(rows)
    gathering = Gathering(tuple(range(len(arities))), table.variables, most, n_rows=rows, **parts)
    batches: list[Batch] = []
    for start in range(0, rows, 700):
        some = which[start : start + 700]
        codes = [np.ascontiguousarray(table.column(v)[some]) for v in range(len(arities))]
        units = None if table.weights is None else np.ascontiguousarray(table.weights.units[some])
        gathering.add(codes, units, len(some))
        batches.append((codes, units, len(some)))
    return gathering.rows(), batches


@pytest.mark.parametrize("weights", [None, "whole"])
@pytest.mark.parametrize(
    ("most", "distinct", "kind"),
    [(10**6, None, DistinctRows), (1500, None, PackedRows), (700, 900, PackedRows), (900, 900, DistinctRows)],
)
def test_rows_come_back_as_they_went_in(
    most: int, distinct: int | None, kind: type, weights: str | None
) -> None:
    rows, batches = gathered(ARITIES, most, distinct=distinct, weights=weights)
    assert type(rows) is kind
    assert isinstance(rows, (DistinctRows, PackedRows))
    wanted = list(range(len(ARITIES)))
    assert listed(rows.batches(wanted)) == +listed(batches)  # rows of weight zero do not occur
    some = [2, 34, 1, 0]
    chosen: list[Batch] = [([codes[v] for v in some], units, n) for codes, units, n in batches]
    assert listed(rows.batches(some)) == +listed(chosen)


def test_rows_that_are_alike_are_merged_in_the_file_where_that_pays() -> None:
    alike, _ = gathered([4] * 12, 1000, rows=40_000, distinct=1200)
    different, _ = gathered([256] * 8, 1000, rows=20_000)
    assert alike is not None
    assert different is not None
    assert 1200 < len(alike) < 40_000 / 2
    assert len(different) == 20_000
    assert isinstance(different, PackedRows)
    assert different.nbytes < 8.1 * 20_000  # eight variables of eight bits in a word, and no weights


def test_rows_of_a_slice_lie_in_one_part() -> None:
    rows, batches = gathered([3, 2, 4, 5, 2], 200, leading=3, n_parts=7)
    assert isinstance(rows, PackedRows)
    parts = [listed(part) for part in rows.parts(range(5))]
    assert len(parts) == 7
    assert sum(parts, Counter()) == listed(batches)
    slices = [{row[:3] for row in part} for part in parts]
    assert sum(map(len, slices)) == len(set().union(*slices)) == 24


@pytest.mark.parametrize("n_parts", [7, 16, 64])
def test_parts_are_about_equally_large(n_parts: int) -> None:
    rows, _ = gathered([4] * 14, 1000, rows=20_000, leading=12, n_parts=n_parts)
    assert isinstance(rows, PackedRows)
    sizes = [sum(n for _, _, n in part) for part in rows.parts([0])]
    assert len(sizes) == n_parts
    assert max(sizes) < 2 * len(rows) / n_parts


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Nine variables in a chain with a hub, and rows that nearly all differ."""
    rng = np.random.default_rng(5)
    n = 6000
    columns = {"v0": rng.integers(0, 4, n)}
    for k in range(1, 9):
        parent = columns["v0" if k % 2 else f"v{k - 1}"]
        columns[f"v{k}"] = np.where(rng.random(n) < 0.4, parent, rng.integers(0, 4, n))
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=1000)
    return path


def tiny(monkeypatch: pytest.MonkeyPatch, *, large: int = 2**21) -> None:
    """Make memory small: rows go to a file, and tables with more than so many rows are judged in parts."""
    monkeypatch.setattr(streaming, "MERGED_BYTES", 1000)
    monkeypatch.setattr(remote, "DIRECT_ROWS", 10)
    monkeypatch.setattr(native, "LARGE_ROWS", large)
    monkeypatch.setattr(local_rows, "GATHERED_ROWS", 500)
    monkeypatch.setattr(local_rows, "PART_BYTES", 2**14)


LEARNERS = [
    gd.GSIMN(),
    gd.GSIMN(test=gd.GTest(dof="adjusted")),
    gd.GSIMN(test=gd.ChiSquare(dof="full")),
    gd.GSMN(test=gd.BayesianTest()),
    gd.GSIMN(test=gd.MantelHaenszel()),
    gd.PFMN(random_state=0, n_particles=16),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_learners_hear_the_same_of_rows_in_a_file(
    file: Path, learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = learner.fit(gd.read(file)).structure_
    tiny(monkeypatch)
    there = learner.fit(gd.read(file, where="source")).structure_
    assert there.trace == here.trace
    assert there.graph == here.graph
    assert there.cost.queries <= 2  # all else came from the rows that were gathered


@needs_kernels
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_learners_hear_the_same_of_tables_in_parts(
    file: Path, learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = learner.fit(gd.read(file)).structure_
    tiny(monkeypatch, large=60)
    judged = []
    in_parts = native.judge_in_parts

    def watched(*args: Any, **named: Any) -> Any:
        judged.append(args[1])
        return in_parts(*args, **named)

    monkeypatch.setattr(native, "judge_in_parts", watched)
    monkeypatch.setattr(local_rows, "MOST_CELLS", 0.0)  # as if there were too many to number
    there = learner.fit(gd.read(file, where="source")).structure_
    assert judged
    assert there.trace == here.trace


@needs_kernels
@pytest.mark.parametrize("held", [100, 5000, 2**20])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_learners_hear_the_same_of_packed_rows(
    file: Path, learner: Any, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = learner.fit(gd.read(file)).structure_
    tiny(monkeypatch, large=60)
    monkeypatch.setattr(local_rows, "HELD_NUMBERS", held)
    monkeypatch.setattr(native, "judge_in_parts", None)  # not needed
    there = learner.fit(gd.read(file, where="source")).structure_
    assert there.trace == here.trace


@needs_kernels
@pytest.mark.parametrize("weights", [None, "whole"])
@pytest.mark.parametrize("held", [10, 1000, 10**6])
def test_packed_rows_are_judged_as_rows_are(held: int, weights: str | None, monkeypatch: Any) -> None:
    # two words a row, a constant, many states, and conditioning sets from none to all others
    table = random_table(5000, ARITIES, weights=weights)
    here = NativeEngine(table)
    monkeypatch.setattr(local_rows, "HELD_NUMBERS", held)
    questions = [(0, 3, ()), (4, 0, (3, 1)), (5, 7, (6, 8, 9, 10)), (34, 5, (33, 32, 31, 30, 29)),
                 (0, 2, (4, 3)), (9, 3, tuple(range(10, 34)))]  # fmt: skip
    for most in (10**6, 1500):
        rows, _ = gathered(ARITIES, most, weights=weights)
        assert rows is not None
        local = local_rows.LocalRows(rows, table.variables, 1.0)
        for test in (gd.ChiSquare(), gd.GTest(), gd.BayesianTest(), gd.MantelHaenszel()):
            columns = here.judge(test.kernel, list(questions), lambda question: question)
            for question, *expected in zip(questions, *columns[3:9], strict=True):
                assert local.judge(test.kernel, question) == tuple(expected)


@needs_kernels
def test_weighted_tables_in_parts(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pq.read_table(file)
    weights = pa.array(np.random.default_rng(1).exponential(size=table.num_rows))
    path = tmp_path / "weighted.parquet"
    pq.write_table(table.append_column("w", weights), path)
    questions = [(0, 1, (2, 3, 4)), (5, 2, (1, 0, 7, 8)), (8, 7, (6, 5, 4, 3, 2, 1))]
    for test in (gd.ChiSquare(), gd.BayesianTest()):
        here = gd.Tester(test, gd.read(path, weights="w")).ask(questions)
        tiny(monkeypatch, large=60)
        assert gd.Tester(test, gd.read(path, weights="w", where="source")).ask(questions) == here
        monkeypatch.undo()


def test_without_room_on_disk_the_source_is_gone_through_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = gd.GSIMN().fit(gd.read(file)).structure_
    tiny(monkeypatch)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    there = gd.GSIMN().fit(gd.read(file, where="source")).structure_
    assert there.trace == here.trace
    assert there.cost.queries > 1


@needs_kernels
def test_a_table_too_large_for_memory_and_disk_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(monkeypatch, large=60)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(gd.errors.CountsTooLarge, match="TMPDIR"):
        gd.Tester(gd.ChiSquare(), gd.read(file, where="source")).ask([(0, 1, (2, 3, 4, 5, 6, 7))])


def test_passes_over_a_file_are_in_the_cost_and_those_in_memory_are_not(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory = gd.GSIMN().fit(gd.read(file, where="source")).structure_.cost
    tiny(monkeypatch)
    in_a_file = gd.GSIMN().fit(gd.read(file, where="source")).structure_.cost
    assert in_memory.rows_read == 6000
    assert in_a_file.rows_read > 10_000
    assert in_a_file.bytes_read > in_memory.bytes_read


def test_what_was_learned_from_a_file_is_kept(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(monkeypatch)
    cache = tmp_path / "counts"
    first = gd.GSIMN().fit(gd.read(file, where="source", cache=cache)).structure_
    again = gd.GSIMN().fit(gd.read(file, where="source", cache=cache)).structure_
    assert again.trace == first.trace
    assert again.cost.queries == again.cost.rows_read == 0
