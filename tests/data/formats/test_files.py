"""Files: what they may look like, and what is said about those that cannot be read."""

from __future__ import annotations

import gzip
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.errors import DataError, UnknownVariable


def write(folder, text, name="data.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def states(table):
    return [v.states for v in table.variables]


def test_golden_codes_of_a_csv_file(tmp_path):
    table = gd.read(write(tmp_path, "sex,age,smokes\nm,1,true\nf,2,false\nm,10,true\n"))
    assert states(table) == [("f", "m"), (1, 2, 10), (False, True)]
    np.testing.assert_array_equal(table.codes, [[1, 0, 1], [0, 1, 0], [1, 2, 1]])
    assert table.codes.dtype == np.uint8
    assert table.codes.flags.f_contiguous
    assert table.name == "data.csv"


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.tsv.gz", "t.txt", "t.CSV"])
def test_each_delimited_file_gives_the_same_table(tmp_path, name):
    text = "a,b\n1,x\n2,é\n"
    if "csv" not in name.lower():
        text = text.replace(",", "\t")
    path = write(tmp_path, gzip.compress(text.encode()) if name.endswith(".gz") else text, name)
    assert states(gd.read(path)) == [(1, 2), ("x", "é")]
    assert gd.read(str(path)).data_id == gd.read(path).data_id


@pytest.mark.parametrize("mark", ["\ufeff", "", "\n\n", "\r\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_byte_order_mark_blank_lines_and_line_ends(tmp_path, mark, newline):
    if newline == "\r" and mark.startswith("\n"):
        mark = "\r"
    table = gd.read(write(tmp_path, mark + newline.join(["a,b", "1,2", "", "3,4", ""])))
    assert table.names == ("a", "b")
    assert table.n_rows == 2


def test_semicolons_and_decimal_commas_are_noted(tmp_path):
    table = gd.read(write(tmp_path, "a;b\n1,5;x\n2,25;y\n"))
    assert states(table) == [(1.5, 2.25), ("x", "y")]
    assert "semicolons" in table.notes[0]


def test_quotes_hold_delimiters_quotes_and_line_ends(tmp_path):
    table = gd.read(write(tmp_path, 'a,"b\nc"\n"1,5","say ""hi"""\n"x\ny",z\n'))
    assert table.names == ("a", "b\nc")
    assert states(table) == [("1,5", "x\ny"), ('say "hi"', "z")]


def test_blanks_around_values_are_stripped(tmp_path):
    assert states(gd.read(write(tmp_path, " a ,b\n x ,1\nx, 2 \n"))) == [("x",), (1, 2)]
    assert gd.read(write(tmp_path, " a ,b\n x ,1\nx, 2 \n")).names == ("a", "b")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["0.10", "0.1", "1"], (0.1, 1.0)),
        (["1", "1.0", "2"], (1, 2)),
        (["-1", "+1", "1e1"], (-1, 1, 10)),
        (["TRUE", "false", "True"], (False, True)),
        (["00501", "90210", "00501"], ("00501", "90210")),
        (["01", "1", "2"], (1, 2)),
        (["0x10", "1", "2"], ("0x10", "1", "2")),
        (["none", "-", "some"], ("-", "none", "some")),
        (["b", "10", "9"], ("10", "9", "b")),
        (["1e30", "2", "3"], (2.0, 3.0, 1e30)),
    ],
)
def test_cells_are_read_by_what_all_of_them_mean(tmp_path, cells, expected):
    table = gd.read(write(tmp_path, "a,b\n" + "".join(f"{cell},0\n" for cell in cells)))
    assert table.variables[0].states == expected
    assert [type(s) for s in table.variables[0].states] == [type(s) for s in expected]


def test_numbers_and_text_in_one_column_are_noted(tmp_path):
    table = gd.read(write(tmp_path, "a,b\n1,0\nmany,0\n"))
    assert table.notes[0] == "'a' has numbers (1) and text ('many'); all are taken as text."


@pytest.mark.parametrize(
    "cell", ["", " ", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", '""', "<NA>"]
)
def test_what_is_missing_in_a_text_file(tmp_path, cell):
    table = gd.read(write(tmp_path, f"a,b\n1,x\n{cell},y\n"), missing="category")
    assert table.variables[0].states == (1, "missing")


def test_unnamed_column_gets_a_name(tmp_path):
    table = gd.read(write(tmp_path, ",b\nx,1\ny,2\n"))
    assert table.names == ("column 1", "b")
    assert "no name" in table.notes[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b\n", "a header (2 columns) and no rows"),
        (b"a,b", "a header (2 columns) and no rows"),
        (b"a,b\n1,2\n1,2,3\n4\n", "line 3 has 3, line 4 has 1"),
        (b"a,b\n1,th\xe9\n", "byte 0xe9 in line 2 (position 8)"),
        ("a,b\n1,é\n".encode("utf-16"), "begins as UTF-16 does"),
        (b"a,a,b\n1,2,3\n", "used more than once: 'a'"),
        (b"0,1,0\n1,1,0\n", "is the first line data"),
        (b"a,b\ninf,2\n", "'a' has 1 infinite value(s), first in row 0"),
        (b"a,b\n1,\n,NA\n", "2 cell(s)"),
    ],
)
def test_one_sentence_for_a_file_that_cannot_be_read(tmp_path, text, said):
    if said == "2 cell(s)":
        said = "3 cell(s) are missing: 'a' 1, 'b' 2 (written 'NA')"
    with pytest.raises(DataError) as caught:
        gd.read(write(tmp_path, text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bad_character_far_into_a_file_is_found(tmp_path):
    rows = b"x,1\n" * 400_000
    with pytest.raises(DataError, match=r"byte 0xff in line 400,002 \(position 1,600,004\)"):
        gd.read(write(tmp_path, b"a,b\n" + rows + b"\xff,1\n" + rows))


def test_row_longer_than_a_block(tmp_path):
    table = gd.read(write(tmp_path, "a,b\n1," + "x" * 5_000_000 + "\n2,y\n"), columns=["a"])
    assert table.n_rows == 2


def test_missing_file_directory_and_unknown_kind(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        gd.read(tmp_path / "none.csv")
    with pytest.raises(DataError, match="there is no file"):
        gd.read(tmp_path / "none.parquet")
    with pytest.raises(DataError, match="cannot be read: File name too long"):
        gd.read("a,b\n1,2\n" * 1000)
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    with pytest.raises(DataError, match="is a directory"):
        gd.read(folder)
    with pytest.raises(DataError, match=r"ends in '.xlsx'; expected one of .csv"):
        gd.read(write(tmp_path, "", "t.xlsx"))


def test_truncated_gzip(tmp_path):
    packed = gzip.compress(b"a,b\n" + b"1,x\n2,y\n" * 1000)
    with pytest.raises(DataError, match="not a whole gzip file"):
        gd.read(write(tmp_path, packed[: len(packed) // 2], "t.csv.gz"))


def test_damaged_parquet(tmp_path):
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        gd.read(write(tmp_path, b"PAR1 not really PAR1", "t.parquet"))


def test_parquet_in_row_groups_with_strings_nulls_and_dotted_names(tmp_path):
    table = pa.table({"a": ["x", "y", None, "é"] * 5, "a.b": [1, None, 3, 1] * 5, "c": [True, False] * 10})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=3)
    read = gd.read(tmp_path / "t.parquet", missing="category")
    assert states(read) == [("x", "y", "é", "missing"), (1, 3, "missing"), (False, True)]
    np.testing.assert_array_equal(read.codes[:4], [[0, 0, 1], [1, 2, 0], [3, 1, 1], [2, 0, 0]])
    assert read.data_id == gd.read(table, missing="category").data_id


def test_parquet_does_not_depend_on_threads(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    data = {f"v{i}": rng.integers(0, 2 + i, 40_000) for i in range(6)} | {"s": rng.choice(["b", "a"], 40_000)}
    pq.write_table(pa.table(data), tmp_path / "t.parquet")
    monkeypatch.setattr("graphoid.data.formats.parquet.CELLS", 40_000)
    two = gd.read(tmp_path / "t.parquet").data_id
    monkeypatch.setattr("graphoid.data.encoding.profile.SHORT", 1 << 30)
    assert gd.read(tmp_path / "t.parquet").data_id == two == gd.read(data).data_id


def test_parquet_keeps_categories(tmp_path):
    frame = pd.DataFrame({"size": pd.Categorical(["S", "L"], categories=["S", "M", "L"], ordered=True)})
    frame.to_parquet(tmp_path / "t.parquet")
    read = gd.read(tmp_path / "t.parquet")
    assert read.variables[0] == gd.Variable("size", ("S", "M", "L"), ordered=True)
    assert read.data_id == gd.read(frame).data_id


def test_many_columns(tmp_path):
    codes = np.random.default_rng(0).integers(0, 2, (3, 20_000))
    codes[0], codes[1] = 0, 1
    frame = pd.DataFrame(codes, columns=[f"v{i}" for i in range(20_000)])
    frame.to_csv(tmp_path / "wide.csv", index=False)
    table = gd.read(tmp_path / "wide.csv")
    np.testing.assert_array_equal(table.codes, codes)
    assert table.data_id == gd.read({name: frame[name].to_numpy() for name in frame}).data_id


def test_columns_by_name_and_position(tmp_path):
    path = write(tmp_path, "a,b,c,a\n1,2,3,4\n")
    assert gd.read(path, columns=["c", "b"]).names == ("c", "b")
    assert gd.read(path, columns=[3, 1]).names == ("a", "b")
    assert gd.read(path, columns="b").names == ("b",)
    with pytest.raises(UnknownVariable, match="no column is named 'd'"):
        gd.read(path, columns=["d"])
    with pytest.raises(UnknownVariable, match="positions go from 0 to 3"):
        gd.read(path, columns=[4])
    with pytest.raises(DataError, match="2 columns are named 'a'"):
        gd.read(path, columns=["a"])
    with pytest.raises(DataError, match="no columns are left"):
        gd.read(path, columns=[])


ARFF = """% a comment
@relation weather
@attribute 'out look' {sunny, overcast, rainy}
@attribute humidity numeric
@attribute note string
@data
rainy, 80, 'very wet'
sunny, 70.5, dry
?, 80, dry
"""


def test_arff_keeps_declared_states_and_their_order(tmp_path):
    pytest.importorskip("arff")
    table = gd.read(write(tmp_path, ARFF, "t.arff"), missing="drop")
    assert table.names == ("out look", "humidity", "note")
    assert states(table) == [("sunny", "overcast", "rainy"), (70.5, 80.0), ("dry", "very wet")]
    np.testing.assert_array_equal(table.codes, [[2, 1, 1], [0, 0, 0]])


def test_sparse_arff(tmp_path):
    pytest.importorskip("arff")
    text = "@relation r\n@attribute a {no, yes}\n@attribute n numeric\n@data\n{0 yes}\n{1 3}\n"
    np.testing.assert_array_equal(gd.read(write(tmp_path, text, "t.arff")).codes, [[1, 0], [0, 1]])


def test_arff_error_is_one_sentence(tmp_path):
    pytest.importorskip("arff")
    with pytest.raises(DataError, match=r"cannot be read as ARFF: .*foggy"):
        gd.read(write(tmp_path, ARFF.replace("rainy, 80", "foggy, 80"), "t.arff"))
    with pytest.raises(DataError, match="is not UTF-8"):
        gd.read(write(tmp_path, ARFF.replace("dry", "th\xe9").encode("latin-1"), "t.arff"))


@pytest.fixture
def spss(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame(
        {
            "sex": [2.0, 1, 9, 1],
            "agree": [1.0, 5, 3, np.nan],
            "code": ["m", "f", "", "m"],
            "n": [0.0, 1, 2, 3],
        }
    )
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "t.sav"),
        column_labels={"sex": "Sex of respondent"},
        variable_value_labels={
            "sex": {1: "male", 2: "female", 3: "other", 9: "refused"},
            "agree": {1: "not at all", 5: "fully"},
            "code": {"m": "Mann", "f": "Frau"},
        },
        missing_ranges={"sex": [9]},
        variable_measure={"agree": "ordinal"},
    )
    return tmp_path / "t.sav"


def test_spss_value_labels_are_states(spss):
    table = gd.read(spss, missing="category")
    assert table.variables[0] == gd.Variable(
        "sex", ("male", "female", "other", "missing"), label="Sex of respondent"
    )
    assert table.variables[1].states == ("not at all", "3", "fully", "missing")
    assert table.variables[2].states == ("Frau", "Mann", "missing")
    assert table.variables[3] == gd.Variable("n", (0, 1, 2, 3), ordered=True)
    np.testing.assert_array_equal(table.codes, [[1, 0, 1, 0], [0, 2, 0, 1], [3, 1, 2, 2], [0, 3, 1, 3]])
    assert gd.read(spss, columns=["agree"], missing="drop").variables[0].ordered


def test_spss_user_missing_counts_as_missing(spss):
    with pytest.raises(DataError, match="'sex' 1, 'agree' 1, 'code' 1"):
        gd.read(spss)


def test_spss_file_that_is_none(tmp_path):
    pytest.importorskip("pyreadstat")
    with pytest.raises(DataError, match="cannot be read as SPSS"):
        gd.read(write(tmp_path, b"nothing", "t.sav"))


def test_spss_and_arff_name_the_extra_they_need(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "arff", None)
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(gd.errors.MissingExtra, match=r"graphoid\[arff\]"):
        gd.read(write(tmp_path, ARFF, "t.arff"))
    with pytest.raises(gd.errors.MissingExtra, match=r"graphoid\[survey\]"):
        gd.read(write(tmp_path, b"", "t.sav"))


def test_reading_leaves_nothing_open(tmp_path):
    path = write(tmp_path, "a,b\n1,x\n")
    gd.read(path)
    shutil.rmtree(tmp_path)
    assert not path.exists()
