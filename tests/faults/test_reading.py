"""Files that are damaged, hostile or no files: one sentence each, and no row is lost in silence."""

from __future__ import annotations

import gzip
import os
import random
import struct

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.cli import files
from graphoid.cli.learn_options import LearnOptions
from graphoid.cli.learners import LEARNERS
from graphoid.data.check import check
from graphoid.data.formats import labelled
from graphoid.errors import DataError, GraphoidError
from tests.support.clock import Seconds
from tests.support.damage import damage_bytes, damage_numbers
from tests.support.odd_tables import to_spss
from tests.support.terminal import graphoid

ROWS = "".join(f"{i % 2},x{i % 3},{i % 2}\n" for i in range(20))


@pytest.fixture(params=["memory", "source"])
def where(request):
    return request.param


def write(folder, text, name="m.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b,c\n1,x0,"0\n' + ROWS, 2),
        ('a,b,c\n1,x0,"0\n' + ROWS + '1,x0,"1"\n' + ROWS, 2),
        ("a,b,c\n" + ROWS + '1,x0,"1', 22),
        ("a,b,c\r\n" + ROWS.replace("\n", "\r\n") + '1,x0,"1\r\n', 22),
        ("a,b,c\n" + '1,"x\n0",0\n' + ROWS + '1,x0,"1\n' + ROWS, 24),
        ("a,b,c\n" + ROWS + '1,x0,"' + "1" * 140_000, 22),
    ],
)
def test_an_unclosed_quote_is_refused_with_its_line(tmp_path, where, text, line):
    with pytest.raises(DataError, match=rf"quote in the row of line {line} that is not closed"):
        gd.read(write(tmp_path, text), where=where)


@pytest.mark.parametrize(
    "last", ['1,x0,"1"\n', '1,x0,"1"d', '1,x0,1"', '1,x0,"1\n2"\n', '1,x0,"1\n""2"', '1,x0,"""1"']
)
def test_quotes_that_are_closed_or_mean_nothing_lose_no_row(tmp_path, where, last):
    assert gd.read(write(tmp_path, "a,b,c\n" + ROWS + last), where=where).n_rows == 21
    assert (
        gd.read(write(tmp_path, "\n\na,b,c\n" + last.strip("\n") + "\n\n" + ROWS), where=where).n_rows == 21
    )


@pytest.mark.parametrize(
    ("text", "line"), [("a\0,b,c\n" + ROWS, 1), ("a,b,c\n" + ROWS + "1,\0,1\n", 22), ("a,b,c\n\0" + ROWS, 2)]
)
def test_a_nul_byte_is_refused_with_its_line(tmp_path, where, text, line):
    with pytest.raises(DataError, match=rf"NUL byte in line {line}\b"):
        gd.read(write(tmp_path, text), where=where)


def test_a_packed_file_that_does_not_fit_into_memory_is_refused_with_its_size(tmp_path, monkeypatch):
    path = write(tmp_path, gzip.compress(b"a,b\n" + b"0,1\n1,0\n" * 4_000_000), "bomb.csv.gz")
    monkeypatch.setenv("GRAPHOID_MEMORY", "16000000")
    with pytest.raises(DataError, match=r"bomb.csv.gz does not fit .* GiB of text are unpacked"):
        gd.read(path)
    assert check(path).problems[0].startswith("bomb.csv.gz does not fit into memory")
    monkeypatch.setenv("GRAPHOID_MEMORY", "much")
    with pytest.raises(ValueError, match="GRAPHOID_MEMORY is 'much'; expected a number of bytes"):
        gd.read(path)


@pytest.mark.parametrize(
    ("text", "said"), [(b"a" * (1 + (1 << 26)), "a first line of more than"), (b"\n" * (1 << 20), "is empty")]
)
def test_a_packed_file_without_an_end_of_its_header_is_refused(tmp_path, where, text, said):
    with pytest.raises(DataError, match=said):
        gd.read(write(tmp_path, gzip.compress(text), "bomb.csv.gz"), where=where)


@pytest.mark.parametrize(
    "name", ["pipe.csv", "pipe.csv.gz", "pipe.parquet", "pipe.arff", "pipe.sav", "pipe.duckdb"]
)
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(DataError, match=rf"{name}' is a pipe or a device; expected a file"):
        gd.read(tmp_path / name)
    with pytest.raises(ValueError, match=r"is a pipe or a device|cannot be streamed"):
        gd.read(tmp_path / name, where="source")


def test_a_pipe_is_refused_in_a_terminal(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    done = graphoid("learn", "pipe.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "is a pipe or a device" in done.stderr


READERS = {
    "result": gd.load,
    "model": gd.MarkovNetwork.from_uai,
    "knowledge": gd.Knowledge.read,
    "Bayesian network": gd.datasets.bayesian_network,
    "edge list": gd.datasets.read_graph,
    "options": LearnOptions.from_file,
    "graph": files.load_graph,
}


@pytest.mark.parametrize("what", READERS)
def test_nothing_else_waits_for_a_pipe_or_reads_a_device(tmp_path, what):
    for name in ("p.json", "p.csv", "p.graphml"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(DataError, match=rf"{name}' is a pipe or a device; expected a file"):
            READERS[what](str(tmp_path / name))
    with pytest.raises(DataError, match="'/dev/zero' is a pipe or a device"):
        READERS[what]("/dev/zero")


def test_a_packed_arff_file_that_does_not_fit_into_memory_is_refused(tmp_path, monkeypatch):
    head = b"@relation t\n@attribute a {0,1}\n@attribute b numeric\n@data\n"
    path = write(tmp_path, gzip.compress(head + b"0,1\n1,2\n" * 20_000), "bomb.arff.gz")
    assert gd.read(path).n_rows == 40_000
    monkeypatch.setenv("GRAPHOID_MEMORY", "2000000")
    with pytest.raises(
        DataError, match=r"bomb.arff.gz does not fit into memory: its first 1\d,\d+ lines take"
    ):
        gd.read(path)
    assert check(path).problems[0].startswith("bomb.arff.gz does not fit into memory")


def test_a_line_of_arff_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(labelled, "LONGEST_LINE", 1_000)
    head = "@relation t\n@attribute a {0,1}\n@data\n"
    with pytest.raises(DataError, match=r"cannot be read as ARFF: line 4 has more than 1,000 characters\."):
        gd.read(write(tmp_path, gzip.compress((head + "0" * 5_000).encode()), "line.arff.gz"))
    assert gd.read(write(tmp_path, head + "0\n1\n" * 600, "m.arff")).n_rows == 1_200


def test_a_file_of_which_no_row_is_as_the_header_says_so(tmp_path):
    with pytest.raises(DataError, match=r"1 row\(s\) of m.csv do not have 2 fields .*: line 2 has 1\."):
        gd.read(write(tmp_path, "a,b\n000"))


def test_a_parquet_file_whose_footer_contradicts_itself_is_refused(tmp_path, where):
    path = tmp_path / "m.parquet"  # what a column says of its levels ended the process
    pq.write_table(pa.table({"a": [0, 1] * 30, "b": [0, 1, 1] * 20}), path)
    levels = bytes.fromhex("29 06 19 26 00 78")  # none of repetition, two of definition: 0 and 60 rows
    assert levels in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(levels, bytes.fromhex("29 46 19 26 00 78")))
    with pytest.raises(DataError, match=r"m.parquet .*histogram size mismatch"):
        gd.read(path, where=where)


def damage(content, rng):
    """Return bytes of which some were changed, lost or put in."""
    content, how = bytearray(content), rng.integers(4)
    for _ in range(rng.integers(1, 6)):
        place = int(rng.integers(len(content) + 1))
        if how == 0 and place < len(content):
            content[place] = rng.integers(256)
        elif how == 1:
            del content[place:]
        elif how == 2:
            del content[place : place + int(rng.integers(1, 20))]
        else:
            content[place:place] = rng.bytes(int(rng.integers(1, 9)))
    return bytes(content)


def whole_file(path):
    cells = pa.table({"a": [0.0, 1.0] * 30, "b": ["x", "yy", "z"] * 20})
    cells = cells.append_column("c", cells["b"].dictionary_encode())
    if path.suffix == ".parquet":
        pq.write_table(cells, path)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(str(path), cells.schema) as writer:
            writer.write_table(cells)
    elif path.suffix == ".arff":
        path.write_text("@RELATION t\n@ATTRIBUTE a {0,1}\n@ATTRIBUTE b NUMERIC\n@DATA\n" + "0,1\n1,2\n" * 20)
    else:
        path.write_bytes(gzip.compress(b"a,b\n" + b"0,x\n1,y\n" * 20))
    return path.read_bytes()


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arff", "csv.gz"])
def test_damaged_files_are_read_or_refused_in_a_sentence(tmp_path, ending):
    path = tmp_path / f"m.{ending}"
    content, rng = whole_file(path), np.random.default_rng(5)
    said = []
    for _ in range(60):
        path.write_bytes(damage(content, rng))
        for where in ("auto", "source") if ending != "arff" else ("auto",):
            try:
                gd.read(path, where=where)
            except GraphoidError as error:
                said.append(str(error))
        if ending != "arrow":
            said += check(path).problems
    assert said
    assert not [text for text in said if "\n" in text]


@pytest.fixture
def spss(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"a": [0.0, 1.0] * 10, "b": ["x", "yy"] * 10})
    labels = {"a": {0.0: "no", 1.0: "yes"}, "b": {"x": "X"}}
    pyreadstat.write_sav(frame, str(tmp_path / "m.sav"), variable_value_labels=labels)
    return tmp_path / "m.sav"


LABELLED = struct.pack("<3i", 4, 1, 1)
"""The record that says to which one variable labels belong: the first."""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (LABELLED, struct.pack("<3i", 4, 1, 9_000), "labels belong to a variable 9000, which is not there"),
        (LABELLED, struct.pack("<3i", 5, 1, 1), "labels belong to no variable"),
        (
            struct.pack("<4i", 2, 0, 0, 0),
            struct.pack("<4i", 2, 900, 0, 0),
            "the record of variable 1 is none",
        ),
        (struct.pack("<4i", 2, 0, 0, 0), struct.pack("<4i", 2, 16, 0, 0), "texts are not as wide as it says"),
        (b"\x08\x05\x00A ", b"\x08\x01\x00A ", "the record of variable 1 is none"),
        (b"x" + b" " * 7 + b"\x01X", b"\xe7\x03\0" + b" " * 5 + b"\x01X", "has a label and is no text"),
        (b"x" + b" " * 7 + b"\x01X", b"\xff" + b" " * 7 + b"\x01X", "can't decode byte 0xff"),
        (struct.pack("<i", 20), struct.pack("<i", 2**30), "promises 1,073,741,824 rows and is too small"),
        (struct.pack("<i", 20), struct.pack("<i", 10), "promises 10 rows and holds more"),
        (b"$FL2", b"$FL9", "does not begin as such a file does"),
    ],
)
def test_an_spss_file_that_would_end_the_process_is_refused(spss, old, new, says):
    content = spss.read_bytes()
    assert old in content
    spss.write_bytes(content.replace(old, new, 1))
    with pytest.raises(DataError, match=f"m.sav cannot be read as SPSS: .*{says}"):
        gd.read(spss)


def test_a_packed_spss_file_of_more_rows_than_promised_is_refused(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    path = tmp_path / "m.sav"
    pyreadstat.write_sav(pd.DataFrame({"a": [0.0, 1.0] * 10}), str(path), compress=True)
    path.write_bytes(path.read_bytes().replace(struct.pack("<i", 20), struct.pack("<i", 0), 1))
    with pytest.raises(DataError, match="it promises fewer rows than it holds"):
        gd.read(path)


def test_fuzz_damaged_spss_files_are_read_or_refused(tmp_path):
    pytest.importorskip("pyreadstat")
    path, said = tmp_path / "m.sav", 0
    for seed in range(2_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 60):
        rng = random.Random(seed)  # noqa: S311 - not for secrets
        to_spss(path, rng)
        path.write_bytes(rng.choice([damage_bytes, damage_numbers])(path.read_bytes(), rng))
        try:
            gd.read(path, missing="category")
        except GraphoidError:
            said += 1
    assert said


def test_columns_of_one_name_in_a_parquet_file_are_told_apart(tmp_path, where):
    path = tmp_path / "m.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([0, 1]), pa.array(["x", "y"])], names=["a", "a"]), path)
    with pytest.raises(DataError, match="used more than once: 'a'"):
        gd.read(path, where=where)
    states = [gd.read(path, where=where, columns=[i]).variables[0].states for i in (0, 1)]
    assert states == [(0, 1), ("x", "y")]


@pytest.mark.parametrize("values", [[[1], [2]], [{"x": 1}, {"x": 2}]])
def test_values_within_values_are_refused(tmp_path, where, values):
    pq.write_table(pa.table({"a": values, "b": [0, 1]}), tmp_path / "m.parquet")
    with pytest.raises(DataError, match=r"'a' holds .* values; a variable has one plain value a row"):
        gd.read(tmp_path / "m.parquet", where=where)


def test_a_factor_without_levels_is_missing(tmp_path):
    empty = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int32()), pa.array([], pa.string()))
    pq.write_table(pa.table({"a": empty, "b": [0, 1]}), tmp_path / "m.parquet")
    assert gd.read(tmp_path / "m.parquet", missing="category").n_rows == 2


def test_a_name_that_is_no_text_is_refused(tmp_path, where):
    pq.write_table(pa.table({"name": [0, 1]}), tmp_path / "m.parquet", store_schema=False)
    content = (tmp_path / "m.parquet").read_bytes()
    (tmp_path / "m.parquet").write_bytes(content.replace(b"name", b"n\xffme"))
    with pytest.raises(DataError, match=r"m.parquet cannot be read as Parquet: .*decode byte 0xff"):
        gd.read(tmp_path / "m.parquet", where=where)


@pytest.mark.parametrize("learner", list(LEARNERS))
def test_one_column_is_enough_for_every_learner(tmp_path, learner):
    write(tmp_path, "a\n" + "0\n1\n" * 10)
    done = graphoid("learn", "m.csv", "--learner", learner, "-q", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("last", ["", "x y}", "'x'y}"])
def test_a_list_of_values_that_is_none_is_refused_at_once(tmp_path, last):
    values = ",".join(f"'{i}'" for i in range(60))
    text = f"@RELATION t\n@ATTRIBUTE 'a' {{{values},{last}\n@ATTRIBUTE b {{0,1}}\n@DATA\n0,1\n"
    with pytest.raises(DataError, match=r"^m.arff cannot be read as ARFF: the values in line 2"):
        gd.read(write(tmp_path, text, "m.arff"))


@pytest.mark.parametrize("values", ["{0,1}", "{ 0 , 1 }", "{0, 1, 'it\\'s', \"a, b\"}", "{0,\t1}"])
def test_lists_of_values_are_read_however_they_are_written(tmp_path, values):
    text = f"% {{x\n@relation t\n@attribute 'a b' {values}\n@attribute c {{x}}\n@data\n" + "0,x\n1,x\n" * 9
    assert gd.read(write(tmp_path, text, "m.arff")).n_rows == 18


def test_more_columns_than_can_be_looked_at_are_refused_at_once(tmp_path):
    names = [f"v{i}" for i in range(100_001)]
    path, columns = tmp_path / "wide.csv", {name: [0, 1] for name in names}
    path.write_text("\n".join([",".join(names), *[",".join("01" * 50_000 + "0")] * 2]))
    with Seconds() as seconds:
        with pytest.raises(DataError, match=r"wide.csv has 100,001 columns, and at most 100,000 can be read"):
            gd.read(path)
        with pytest.raises(DataError, match=r"has 100,001 columns.* with columns="):
            gd.read(columns)
    assert seconds.taken < 10
    assert gd.read(columns, columns=names[:3]).names == tuple(names[:3])


@pytest.mark.parametrize("n_rows", [0, 10, 40_000])  # the last: more than Python's reader takes for a field
@pytest.mark.parametrize("where", ["memory", "source"])
def test_a_quote_that_is_not_closed_in_the_header_is_refused_with_its_line(tmp_path, n_rows, where):
    path = write(tmp_path, 'a,"b\n' + "0,1\n1,0\n" * n_rows)
    with pytest.raises(DataError, match="has a quote in line 1 that is not closed"):
        gd.read(path, where=where)
    path = write(tmp_path, 'a,"b\n' + "0,1\n1,0\n" * n_rows + '1,"0\n' + "0,1\n" * 9)
    with pytest.raises(DataError, match=r"quote in (the row of )?line 1 that is not closed"):
        gd.read(path, where=where)


def test_declared_states_that_no_complete_row_has_are_refused_in_a_sentence(tmp_path):
    states = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 5, pa.int32()), pa.array([0.5, float("nan")]))
    batch = pa.record_batch([states, pa.array([None] * 10, pa.int64())], names=["a", "b"])
    with pa.OSFile(str(tmp_path / "m.arrow"), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    with pytest.raises(DataError, match="every row has a missing cell"):
        gd.read(tmp_path / "m.arrow", missing="drop")


@pytest.mark.parametrize("values", [["x"] * 5 + ["y"] * 20, ["x"] * 25, [1.5] * 25])
def test_columns_that_make_no_groups_are_named_in_one_line(values):
    name = "new\nline and\x1b[31m a tab\t"
    table = gd.read({name: values, "b": [0, 1] * 12 + [0], "c": [0, 1, 1, 0, 1] * 5})
    with pytest.raises(DataError, match=r"^'new\\nline and\\x1b\[31m a tab\\t' is .*\.$"):
        gd.compare_groups(table, name, learner=gd.GSMN(), n=20, random_state=0)


def test_a_name_with_a_percent_sign_that_comes_twice_is_refused_in_a_sentence(tmp_path):
    text = "@RELATION t\n@ATTRIBUTE '100 %_x' {a,b}\n@ATTRIBUTE '100 %_x' NUMERIC\n@DATA\na,1\n"
    with pytest.raises(DataError, match=r"^m.arff cannot be read as ARFF: .*100 %_x.* line 3"):
        gd.read(write(tmp_path, text, "m.arff"))


def test_a_row_of_too_many_fields_that_is_not_utf8_leaves_no_traceback(tmp_path, capfd):
    rows = (b"0," + b"x" * 100 + b"\n") * 25_000  # the row is in a block that begins well
    done = graphoid("learn", write(tmp_path, b"a,b\n" + rows + b"0,\xd3(,1\n" + rows), cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("error: m.csv is not UTF-8: byte 0xd3 in line 25,002 ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_a_delimiter_within_a_quoted_name_is_none(tmp_path, where, mark):
    path = write(tmp_path, f'"age, years"{mark}b\n' + f"0{mark}1\n1{mark}0\n" * 9)
    assert gd.read(path, where=where).names == ("age, years", "b")
