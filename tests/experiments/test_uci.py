"""UCI tables: how files are prepared, and Table 1 from small ones."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from graphoid.errors import DataError
from graphoid.experiments.gsimn_comparison import ALGORITHMS
from graphoid.experiments.gsimn_uci import MEAN, UCI, UNKNOWN
from graphoid.experiments.papers.bromberg2009 import TABLE_1
from graphoid.experiments.uci_tables import AS_IT_IS, PREPARATIONS, Preparation, prepare

# 16 rows without a gap: k = int(1 + log2 16) = 5
ROWS = [(f"id{i}", f"{i:03}", f"{i % 5}", "ab"[i % 2]) for i in range(16)]


def written(folder, name, rows, header="id,number,few,class"):
    path = folder / name
    text = "\n".join([header, *(",".join(row) for row in rows)]) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def test_numbers_with_too_many_values_are_cut_into_bins_of_equal_width(tmp_path):
    table = prepare(written(tmp_path, "t.csv", ROWS), Preparation(drop=("id",)))
    assert table.names == ("number", "few", "class")
    # 0..15 in five bins of width 3: 0-3, 4-6, 7-9, 10-12, 13-15, closed on the right
    assert table.column("number").tolist() == [0] * 4 + [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3
    assert table.variables[1].states == (0, 1, 2, 3, 4)
    assert table.variables[2].states == ("a", "b")


def test_an_identifier_is_kept_if_it_is_named_a_label(tmp_path):
    table = prepare(written(tmp_path, "t.csv", ROWS), Preparation(labels=("id", "number")))
    assert [v.arity for v in table.variables] == [16, 16, 5, 2]
    assert table.variables[1].states[2] == "002"


def test_rows_with_a_missing_cell_go_but_not_for_a_column_left_out(tmp_path):
    rows = [("", *ROWS[0][1:]), ("id1", "1", "", "b"), *ROWS[2:]]
    path = written(tmp_path, "t.csv.gz", rows)
    assert prepare(path).n_rows == 14
    kept = prepare(path, Preparation(drop=("id",)))
    assert (kept.n_rows, kept.name) == (15, "t")


def test_a_row_number_counts_the_rows_of_the_file(tmp_path):
    rows = [("", *row[1:]) if i < 8 else row for i, row in enumerate(ROWS)]
    table = prepare(written(tmp_path, "t.csv", rows), Preparation(row_number=True))
    # rows 8 to 15 are left: k = 4 bins of width 7/4
    assert table.names[-1] == "row"
    assert table.column("row").tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("rows", "preparation", "message"),
    [
        ([("a", "", "1", "x")], AS_IT_IS, "no row without a missing cell"),
        ([("a", "1", "1")], AS_IT_IS, "line 2 of t.csv has 3 cells, not 4"),
        (ROWS, Preparation(drop=("nothing",)), "no column 'nothing'"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path, rows, preparation, message):
    with pytest.raises(DataError, match=message):
        prepare(written(tmp_path, "t.csv", rows), preparation)


def test_an_empty_file_is_an_error(tmp_path):
    (tmp_path / "t.csv").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read"):
        prepare(tmp_path / "t.csv")


@pytest.fixture
def data(tmp_path):
    (tmp_path / "uci").mkdir()
    lenses = [(f"{i}", *(str(i >> bit & 1) for bit in range(4)), str(i % 3)) for i in range(24)]
    written(tmp_path / "uci", "lenses.csv", lenses, "id,age,spectacle,astigmatic,tear_rate,class")
    return tmp_path


def test_table_1_has_our_figures_beside_the_printed_ones(data):
    found = UCI(names=("lenses", "adult"), repetitions=2, n_triplets=50).run(data=data)
    assert [column.name for column in found.columns][:7] == [
        "data set",
        "n",
        "rows",
        "algorithm",
        "cost",
        "printed cost",
        "log ratio",
    ]
    assert found.column("algorithm") == list(ALGORITHMS) * 3
    assert found.column("printed cost")[:6] == [60, 40, 20, 870, 652, 418]
    assert found.rows[0][4].mean >= 60
    assert found.rows[3][4] is None, "adult cannot be rebuilt"
    assert [row[0] for row in found.rows[6:]] == [MEAN] * 3
    assert found.rows[6][6] == pytest.approx(abs(found.rows[0][6]))


def test_a_folder_or_file_that_is_not_there_is_named(data, tmp_path):
    with pytest.raises(DataError, match="GRAPHOID_DATA"):
        UCI().run()
    with pytest.raises(DataError, match="no folder uci/"):
        UCI().run(data=data / "uci")
    with pytest.raises(DataError, match=r"no file car\.csv or car\.csv\.gz"):
        UCI(names=("car",)).run(data=data)


REAL = os.environ.get("GRAPHOID_DATA")
needs_data = pytest.mark.skipif(not REAL, reason="set GRAPHOID_DATA to the folder that holds uci/")


@needs_data
@pytest.mark.parametrize("name", [name for name in TABLE_1 if name not in UNKNOWN])
def test_prepared_tables_have_the_printed_size(name):
    files = [p for p in (Path(REAL) / "uci").iterdir() if p.name in (f"{name}.csv", f"{name}.csv.gz")]
    table = prepare(files[0], PREPARATIONS.get(name, AS_IT_IS))
    assert (len(table.variables), table.n_rows) == (TABLE_1[name].n, TABLE_1[name].n_rows)


@needs_data
@pytest.mark.slow
def test_costs_are_near_the_printed_ones():
    # Mean absolute log ratio at most .30 for each algorithm; 20, 20 and 42 on most seeds.
    found = UCI(repetitions=5, n_triplets=100).run(data=Path(REAL))
    means = [row[6] for row in found.rows if row[0] == MEAN]
    assert len(means) == 3
    assert max(means) <= 0.30
    costs = {(row[0], row[3]): row[4] for row in found.rows}
    for name, printed in (("lenses", 20), ("balloons", 20), ("monks-1", 42)):
        assert costs[name, "GSIMN"].mean == pytest.approx(printed, rel=0.1)
