"""Files that are damaged, hostile or no files: one sentence each, and no row is lost in silence."""

from __future__ import annotations

import gzip
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import graphoid as gd
from graphoid.data.check import check
from graphoid.errors import DataError, GraphoidError
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
