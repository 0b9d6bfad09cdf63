"""What comes from data is text to a terminal, a spreadsheet and a shell; and secrets are not shown."""

from __future__ import annotations

import csv
import json
import shlex
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import graphoid as gd
from graphoid.counts.native import engine_for
from graphoid.errors import CountsTooLarge, GraphoidError
from graphoid.structure.safe_text import csv_cell, from_csv_cell, scrub
from tests.support.clock import Seconds
from tests.support.terminal import graphoid

HARMFUL = ["=HYPERLINK(0)", "@sum", "+x", "-x", "\tx", "'=x", "\x1b[31mred", "\x9b2J", "plain"]


def harmless(text):
    """Whether a terminal takes every character as text."""
    return all(c.isprintable() or c in "\n\r\t" for c in text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("harmful")
    rng = np.random.default_rng(0)
    column = rng.integers(0, 2, 400)
    columns = {}
    for name in HARMFUL:
        column = np.where(rng.random(400) < 0.1, 1 - column, column)
        columns[name] = [f"{name}{state}" for state in column]
    with (made / "h.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    arguments = ("--learner", "gsmn", "-q", "--out", "e.csv", "--out", "e.json", "--model", "m.json")
    assert graphoid("learn", "h.csv", *arguments, cwd=made).returncode == 0
    return made


def is_safe(cell):
    return harmless(cell) and not (cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not is_number(cell))


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_no_cell_of_an_edge_list_is_a_formula_or_an_order(folder):
    with (folder / "e.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) > len(HARMFUL) / 2
    assert all(is_safe(cell) for row in rows for cell in row)


def test_an_edge_list_is_still_the_same_graph(folder):
    done = graphoid("compare", "e.csv", "e.json", "--json", cwd=folder)
    assert done.returncode == 0
    steering = {name for name in HARMFUL if not harmless(name)}
    found = gd.load(folder / "e.json").graph
    kept = [e for e in found.edges if not steering & {found.names[v] for v in e}]
    assert len(json.loads(done.stdout)["shared"]) == len(kept)


@pytest.mark.parametrize("out", [(), ("--out", "rows.csv")])
def test_no_cell_of_a_sample_is_a_formula_or_an_order(folder, out):
    done = graphoid("sample", "m.json", "-n", "40", *out, cwd=folder)
    assert done.returncode == 0, done.stderr
    text = (folder / "rows.csv").read_bytes().decode() if out else done.stdout
    rows = list(csv.reader(text.splitlines()))
    assert len(rows) == 41
    assert len(rows[0]) == len(HARMFUL)
    assert all(is_safe(cell) for row in rows for cell in row)


@pytest.mark.parametrize("text", [*HARMFUL[:6], "''=x", "-1.5", "", "'", "'tis", "plain"])
def test_a_cell_comes_back(text):
    assert from_csv_cell(csv_cell(text)) == text


def test_printing_a_result_does_not_steer_a_terminal(folder):
    found = gd.load(folder / "e.json")
    for text in (str(found), repr(found.graph), found.why(0, 1), found.why("\x1b[31mred", "\x9b2J")):
        assert harmless(text)
    assert "\\x1b[31mred" in str(found)
    table = gd.read({"\x1b[31ma": [0, 1] * 40, "b": [0, 1] * 40, "c": [0, 0, 1, 1] * 20})
    contexts = gd.CSGS().fit(table).structure_
    assert harmless(str(contexts))
    assert all(harmless(str(sentence)) for sentence in contexts.independences())
    numbers = gd.read({"\x1b[31ma": np.arange(80.0) ** 2, "b": np.arange(80.0) % 7, "c": [0, 0, 1, 1] * 20})
    joined = gd.UndirectedGraph(numbers.names, [(0, 1), (0, 2)])
    assert all(harmless(edge.sentence) for edge in gd.strengths(joined, numbers))


@pytest.mark.parametrize("name", ["my  survey.csv", "a;touch x.csv", "$(x).csv", "it's.csv", "-x.csv"])
def test_hints_can_be_pasted_into_a_shell(tmp_path, name):
    (tmp_path / name).write_text("a,b\n" + "0,0\n1,1\n" * 20)
    done = graphoid("learn", "--learner", "gsmn", "--", name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    words = shlex.split(done.stderr.splitlines()[-1].removeprefix("keep it: "))
    assert words[:2] == ["graphoid", "learn"]
    assert (tmp_path / words[2]).samefile(tmp_path / name)
    assert words[3] == "--out"
    assert len(words) == 5
    done = graphoid("query", "no such;file.json", cwd=tmp_path)
    assert "--out 'no such;file.json'" in done.stderr


@pytest.mark.parametrize(
    "said",
    [
        "postgresql://me:s3cret@db/x",
        "postgresql:/me:s3cret@db/x",
        "postgresql://me:s3c/s3cret@db/x",
        "postgresql://me:p@s3cret@db/x",
        "postgresql://me:a s3cret@db/x",
        "https://s3cret@host/x",
        "password=s3cret host=db",
        "password = s3cret",
        "password: s3cret",
        "PASSWORD='a s3cret'",
        '{"password": "s3cret"}',
        "pwd=s3cret;server=db",
        "PWD={a s3cret};server=db",
        "Pwd=a s3cret;server=db",
        "api_key=s3cret&x=1",
        "apikey=s3cret",
        "X-Api-Key: s3cret",
        "token=s3cret",
        "motherduck_token=s3cret",
        "aws_secret_access_key=s3cret/s3cret+s3cret",
        "AccountKey=s3cret==;Endpoint=x",
        "sig=s3cret&se=2",
        "Authorization: Bearer s3cret",
        "Authorization: Basic s3cret==",
        'role for user "s3cret" does not exist',
        "passwd=s3cret",
    ],
)
def test_credentials_are_kept_out_of_messages(said):
    shown = scrub(f"cannot connect: {said}, give up")
    assert "s3cret" not in shown
    assert shown.startswith("cannot connect: ")


@pytest.mark.parametrize(
    "said", ["there is no file 'a.csv'.", "3 users share a token.", "http://host:80/x", "a = 3, b: 4"]
)
def test_other_messages_stay_as_they_are(said):
    assert scrub(said) == said


@pytest.mark.parametrize(
    "part", ["a", "://", "password=", "password='", "user", "a:/", ";a", " ", "@", "token-"]
)
def test_no_message_takes_long_to_be_looked_through(part):
    with Seconds() as seconds:
        scrub(part * 10_000)
    assert seconds.taken < 1


@pytest.mark.parametrize("where", ["auto", "memory", "source"])
def test_an_address_given_as_a_path_does_not_show_its_password(tmp_path, where):
    for address in (
        "postgresql://me:s3cret@db/x.csv",
        "x://me:s3cret@db/x.duckdb",
        "md:?motherduck_token=s3cret.csv",
    ):
        with pytest.raises(GraphoidError) as error:
            gd.read(address, where=where)
        assert "s3cret" not in str(error.value)
        done = graphoid("learn", address, "--where", where, cwd=tmp_path)
        assert done.returncode == 1
        assert "s3cret" not in done.stderr
        done = graphoid("check", address, cwd=tmp_path)
        assert "s3cret" not in done.stderr + done.stdout
        done = graphoid("query", address, cwd=tmp_path)
        assert "s3cret" not in done.stderr + done.stdout


@pytest.mark.parametrize("columns", ["0", "00", "-1", "many", "", "1"])
def test_a_terminal_without_columns_gets_its_answer(folder, columns):
    done = graphoid("learn", "h.csv", "--learner", "gsmn", cwd=folder, COLUMNS=columns)
    assert done.returncode == 0, done.stderr
    assert "9 variables" in done.stdout
    assert graphoid("learn", "--help", COLUMNS=columns).returncode == 0


def test_a_table_that_is_too_large_is_not_blamed_on_kernels_that_are_there():
    codes = np.arange(4000) % 1000
    table = gd.read(dict.fromkeys("abc", codes), kinds=dict.fromkeys("abc", "ordered"))
    assert [v.arity for v in table.variables] == [1000] * 3
    question = gd.Assertion(0, 1, (2,))
    (counts,) = engine_for(table).counts([gd.GTest().needs(question)])
    with pytest.raises(CountsTooLarge, match="merge rare states") as error:
        gd.GTest().judge(question, counts)
    assert "kernels" not in str(error.value)
    assert "compiler" not in str(error.value)


def test_a_network_whose_edges_cannot_be_measured_is_shown(tmp_path, capsys):
    from graphoid.cli import summary
    from graphoid.cli.clock import Clock

    columns = dict.fromkeys("abc", np.arange(4000) % 1000)
    table = gd.read(columns, kinds=dict.fromkeys("abc", "ordered"))
    graph = gd.UndirectedGraph(table.names, [("a", "b"), ("a", "c"), ("b", "c")])
    summary.show(summary.measure_in_time(gd.LearnedStructure(graph=graph), table, Clock(None), show=True)[1])
    shown = capsys.readouterr()
    assert "3 edges" in shown.out
    assert shown.out.count("too few rows") == 3
    for edge in gd.strengths(graph, table):
        assert "a model of either has 1,001 weights or more, too many for 4,000 rows" in edge.sentence


def test_pictures_and_pages_of_harmful_names_are_whole_xml_without_orders(folder):
    plots = [
        word for kind in ("centrality", "heatmap", "missing") for word in ("--plot", f"{kind}={kind}.svg")
    ]
    more = ("--bootstrap", "3", "--plot", "n.svg", "--plot", "intervals=i.svg", "--report", "l.html")
    done = graphoid("learn", "h.csv", "--learner", "gsmn", "-q", *more, *plots, cwd=folder)
    assert done.returncode == 0, done.stderr
    pictures = ("--plot", "g.svg", "--plot", "differences=d.svg", "--report", "g.html")
    done = graphoid("groups", "h.csv", "--by", "=HYPERLINK(0)", "--draws", "5", "-q", *pictures, cwd=folder)
    assert done.returncode == 0, done.stderr
    for path in folder.glob("*.svg"):
        ET.parse(path)  # noqa: S314 - ours; a control character is none of XML
    written = [*folder.glob("*.svg"), *folder.glob("*.html")]
    assert len(written) == 9
    assert [path.name for path in written if "\x1b" in path.read_text(encoding="utf-8")] == []
