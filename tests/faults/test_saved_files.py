"""A damaged file is refused in a sentence when it is loaded; what loads can be used."""

from __future__ import annotations

import contextlib
import errno
import gzip
import json
import os
import random
import sqlite3
import warnings

import pytest

import graphoid as gd
from graphoid.cli import files
from graphoid.cli.learn_options import LearnOptions, parse_settings
from graphoid.datasets import bif
from graphoid.errors import DataError, GraphoidError, GraphoidWarning, SettingsError
from graphoid.structure import document, whole_file
from tests.support.damage import damage_bytes, damage_file, saved_things, use

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
TIMES = 1_500 if LONG else 15


@pytest.fixture(scope="module")
def saved():
    return saved_things()


KINDS = (
    "structure",
    "posterior",
    "search",
    "canonical model",
    "model",
    "factors",
    "bootstrap",
    "dropped cases",
    "directed",
    "mixed structure",
    "mixed model",
    "mixed bootstrap",
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_file_comes_back_as_it_was(saved, kind, tmp_path):
    saved[kind].save(tmp_path / "saved.json")
    assert gd.load(tmp_path / "saved.json").to_json() == saved[kind].to_json()


@pytest.mark.parametrize("kind", KINDS)
def test_fuzz_a_damaged_file_is_refused_or_can_be_used(saved, kind, tmp_path):
    text, path = saved[kind].to_json(), tmp_path / "damaged.json"
    for seed in range(TIMES):
        path.write_bytes(damage_file(text, random.Random(f"{kind} {seed}")))  # noqa: S311 - not for secrets
        try:
            load_and_use(path)
        except Exception as error:
            raise AssertionError(f"{kind}, seed {seed}: {type(error).__name__}: {error}") from error


def load_and_use(path):
    try:
        loaded = gd.load(path)
    except DataError:
        return
    with warnings.catch_warnings(), contextlib.suppress(GraphoidError):
        warnings.simplefilter("ignore")  # numbers that overflow
        use(loaded, path.with_suffix(".used"))


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
@pytest.mark.parametrize(
    "load",
    [gd.load, gd.MarkovNetwork.from_uai, gd.datasets.bayesian_network, gd.datasets.read_graph, gd.read],
)
def test_what_no_file_can_be_called_is_refused(load, name):
    with pytest.raises(DataError):
        load(name)


def altered(thing, **parts):
    body = json.loads(thing.to_json())["body"]
    return document.pack(thing.FORMAT, 1, {**body, **parts})


@pytest.mark.parametrize(
    ("kind", "parts", "says"),
    [
        ("structure", {"names": 3 * 10**9}, "expected a list, got 3000000000"),
        ("bootstrap", {"names": [str(i) for i in range(50_000)], "edges": []}, "should be 1,249,975,000"),
        ("structure", {"edges": [[0, 9]]}, "expected a whole number from 0 to 3, got 9"),
        ("structure", {"settings": []}, r"expected values by name, got \[\]"),
        ("structure", {"cost": {"n_tests": "many"}}, "got 'many'"),
        ("posterior", {"edge_probabilities": [[0, 1, 2.0]]}, "from 0 to 1, got 2.0"),
        ("model", {"weights": ["1"]}, "numbers, got"),
        ("bootstrap", {"kind": "columns"}, "expected one of halves, rows, bayesian, cases, got 'columns'"),
    ],
)
def test_a_part_of_another_kind_is_named(saved, kind, parts, says, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(altered(saved[kind], **parts), encoding="utf-8")
    with pytest.raises(DataError, match=rf"other.json' has a part that graphoid did not write \(.*{says}"):
        gd.load(path)


@pytest.mark.parametrize("depth", [100, 900, 100_000])
def test_values_deep_within_values_are_refused(saved, depth, tmp_path):
    path = tmp_path / "deep.json"
    text = altered(saved["structure"], details={"x": "deep"})
    path.write_text(text.replace('"deep"', "[" * depth + "]" * depth), encoding="utf-8")
    with pytest.raises(DataError, match=r"deep|digest|not whole JSON"):
        gd.load(path)


@pytest.mark.parametrize("value", ["NaN", "-Infinity", r'"\ud800"'])
def test_what_json_cannot_hold_is_refused(saved, value, tmp_path):
    path = tmp_path / "odd.json"
    text = altered(saved["structure"], details={"x": "odd"}).replace('"odd"', value)
    body = json.loads(text)["body"]
    digest = json.loads(text)["digest"]
    path.write_text(text.replace(digest, document.digest(body)), encoding="utf-8")
    with pytest.raises(DataError, match="damaged or changed"):
        gd.load(path)


def graph_of(path):
    return files.load_graph(str(path))


OTHERS = {
    "a.uai": (gd.MarkovNetwork.from_uai, use),
    "a.bif": (
        gd.datasets.bayesian_network,
        lambda b, path: (b.sample(3, 0), use(b.to_markov_network(), path)),
    ),
    "a.txt": (gd.datasets.read_graph, lambda g, path: (repr(g), g.to_networkx())),
    "a.graphml": (graph_of, lambda g, path: (repr(g), g.to_networkx())),
    "a.csv": (graph_of, lambda g, path: (repr(g), g.to_networkx())),
}

BIF = """
variable a { type discrete [ 2 ] { yes, no }; }
variable b { type discrete [ 3 ] { x, y, z }; }
probability ( a ) { table 0.2, 0.8; }
probability ( b | a ) { default 0.2, 0.2, 0.6; (yes) 0.1, 0.2, 0.7; }
"""


@pytest.mark.parametrize("name", list(OTHERS))
def test_fuzz_damaged_files_of_other_formats_are_refused_or_can_be_used(saved, name, tmp_path):
    path, (load, use_it) = tmp_path / name, OTHERS[name]
    if name == "a.uai":
        saved["model"].to_uai(path)
    elif name in ("a.graphml", "a.csv"):
        files.write(saved["structure"], str(path), files.STRUCTURES)
    else:
        path.write_text(BIF if name == "a.bif" else "x,y\n0,1\n1,2\n", encoding="utf-8")
    whole = path.read_bytes()
    use_it(load(path), tmp_path / "used")
    for seed in range(4 * TIMES):
        path.write_bytes(damage_bytes(whole, random.Random(f"{name} {seed}")))  # noqa: S311 - not for secrets
        try:
            with warnings.catch_warnings(), contextlib.suppress(GraphoidError):
                warnings.simplefilter("ignore")
                use_it(load(path), tmp_path / "used")
        except Exception as error:
            raise AssertionError(f"{name}, seed {seed}: {type(error).__name__}: {error}") from error


def parents(n):
    lines = [f"variable v{i} {{ type discrete [ 2 ] {{ 0, 1 }}; }}" for i in range(n + 1)]
    given = ", ".join(f"v{i}" for i in range(1, n + 1))
    return "\n".join([*lines, f"probability ( v0 | {given} ) {{ default 0.5, 0.5; }}"])


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.uai", "MARKOV\n1\n1000000000000\n0\n", "promises 1,000,000,000,000 states"),
        ("a.uai", "MARKOV\n3000000000\n2 2\n0\n", "ends too early"),
        ("a.uai", "MARKOV\n2\n2 2\n1\n1 7\n2 1 1\n", "over variable 7, and there are 2"),
        ("a.bif", parents(31), "given 31 parents has 4,294,967,296 probabilities; at most"),
        ("a.bif", parents(70), "given 70 parents"),
        (
            "a.bif",
            BIF.replace("table 0.2, 0.8", "table 0.2\n\nx"),
            "line 4: these are not all numbers: 0.2 x",
        ),
        ("a.txt", "x,y\n0,3000000000\n", "speaks of a variable 3000000000"),
        ("a.txt", f"x,y\n0,{'9' * 5000}\n", "speaks of a variable 9999"),
        ("a.csv", "x,y\na\n", "line 2: expected the two ends of an edge"),
        ("a.csv", "x,y\n\xff", "expected the two ends"),
        ("a.graphml", '<?xml version="1.0" encoding="utf-99"?><graphml/>', "is not GraphML that can be read"),
    ],
)
def test_a_file_that_promises_too_much_is_refused_with_the_size(name, text, says, tmp_path):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=says):
        OTHERS[name][0](path)


def test_a_compressed_network_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bif, "MOST_BYTES", 1000)
    path = tmp_path / "bomb.bif.gz"
    path.write_bytes(gzip.compress(b" " * 10_000))
    with pytest.raises(DataError, match="bytes become more than 1,000"):
        gd.datasets.bayesian_network(path)


@pytest.mark.parametrize("deep", ["[" * 5000 + "]" * 5000, "{a=" * 5000 + "1" + "}" * 5000])
def test_options_deep_within_options_are_refused(deep, tmp_path):
    path = tmp_path / "options.toml"
    path.write_text(f"set = {deep}", encoding="utf-8")
    with pytest.raises(DataError, match="too deep"):
        LearnOptions.from_file(str(path))
    with pytest.raises(SettingsError, match="too deep"):
        parse_settings([f"a={deep}"])


@pytest.mark.parametrize(
    "learn",
    [
        lambda table, path: gd.PFMN(budget=6, random_state=1, checkpoint=path).fit(table),
        lambda table, path: gd.Bootstrap(gd.GSMN(), n=2, random_state=1, checkpoint=path).fit(table),
    ],
    ids=["PFMN", "Bootstrap"],
)
def test_fuzz_a_damaged_checkpoint_is_refused_or_gone_on_from(learn, tmp_path):
    table, path = gd.datasets.load("titanic"), tmp_path / "checkpoint.json"
    learn(table, path)
    text = path.read_text(encoding="utf-8")
    for seed in range(TIMES):
        path.write_bytes(damage_file(text, random.Random(f"checkpoint {seed}")))  # noqa: S311 - not for secrets
        try:
            with contextlib.suppress(GraphoidError):
                learn(table, path)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error


def test_a_checkpoint_with_answers_to_other_questions_is_refused(tmp_path):
    table, path = gd.datasets.load("titanic"), tmp_path / "checkpoint.json"
    learner = gd.PFMN(budget=6, random_state=1, checkpoint=path)
    learner.fit(table)
    whole = json.loads(path.read_text(encoding="utf-8"))
    rows = whole["body"]["verdicts"]
    rows[0], rows[1] = rows[1], rows[0]
    path.write_text(document.pack(whole["format"], whole["version"], whole["body"]), encoding="utf-8")
    with pytest.raises(DataError, match="the checkpoint answers"):
        learner.fit(table)


@pytest.mark.parametrize("checkpoint", ["folder", "none/c.json", "/dev/full"])
@pytest.mark.parametrize("learner", [gd.PFMN(budget=6, random_state=1), gd.Bootstrap(gd.GSMN(), n=3)])
def test_a_checkpoint_that_cannot_be_written_is_refused_before_learning(
    tmp_path, monkeypatch, learner, checkpoint
):
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr(gd.Tester, "ask", lambda *_: pytest.fail("it began to learn"))
    with pytest.raises(DataError, match=r"^(checkpoint )?'.*(cannot be written|is a pipe or a device)"):
        learner.with_params(checkpoint=tmp_path / checkpoint).fit(gd.datasets.load("titanic"))


@pytest.mark.parametrize("learner", [gd.PFMN(budget=6, random_state=1), gd.Bootstrap(gd.GSMN(), n=3)])
def test_a_disk_that_is_full_on_the_way_does_not_take_the_run_along(tmp_path, monkeypatch, learner):
    table, path = gd.datasets.load("titanic"), tmp_path / "c.json"
    whole = learner.fit(table)

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(whole_file, "write", fail)
    with pytest.warns(GraphoidWarning, match=r"c.json' cannot be written now \(No space left on device\)"):
        fitted = learner.with_params(checkpoint=path).fit(table)
    if isinstance(learner, gd.Bootstrap):
        assert fitted.result_.graph == whole.result_.graph
    else:
        assert fitted.structure_.graph == whole.structure_.graph
    assert not path.exists()


def test_a_database_of_something_else_is_no_cache(tmp_path):
    (tmp_path / "m.csv").write_text("a,b\n" + "0,1\n1,0\n" * 9)
    path = tmp_path / "own.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as own:
        own.execute("CREATE TABLE survey (answer)")
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"own\.sqlite is no cache that graphoid wrote"):
        gd.read(tmp_path / "m.csv", where="source", cache=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text", [".".join("a" * 20_000) + " = 1", "x = [1]\n[" + ' . "a b" .'.join("b" * 20_000) + "]"]
)
def test_a_name_of_many_parts_takes_no_memory(tmp_path, text):
    path = tmp_path / "deep.toml"  # Python's reader takes a gigabyte and more for the first
    path.write_text(text)
    with pytest.raises(
        DataError, match=r"'.*deep\.toml' is not TOML that can be read: it has values too deep"
    ):
        gd.Knowledge.read(path)
    with pytest.raises(
        DataError, match=r"'.*deep\.toml' is not TOML that can be read: it has values too deep"
    ):
        LearnOptions.from_file(str(path))
    with pytest.raises(SettingsError, match="--set x cannot be read: it has values too deep"):
        parse_settings(["x={" + ".".join("a" * 20_000) + "=1}"])


def test_a_number_of_too_many_digits_is_refused(tmp_path):
    path = tmp_path / "long.toml"
    path.write_text('[[prior]]\npair = ["a", "b"]\nprobability = ' + "9" * 5_000)
    with pytest.raises(DataError, match="it has a number of more digits than are read"):
        gd.Knowledge.read(path)
    (tmp_path / "m.uai").write_text("MARKOV\n" + "9" * 5_000)
    with pytest.raises(DataError, match=r"not a whole UAI file: 9{20}\.\.\. has 5,000 digits"):
        gd.MarkovNetwork.from_uai(tmp_path / "m.uai")


def test_names_and_numbers_with_points_are_no_deep_values(tmp_path):
    path, pairs = tmp_path / "known.toml", [[f"a.{i}.b", "x . y"] for i in range(200)]
    path.write_text(
        f"required = {json.dumps(pairs)}\nforbidden = []\n[[prior]]\npair=['p', 'q']\nprobability=.5"
    )
    with pytest.raises(DataError, match="not TOML"):  # .5 is no number there
        gd.Knowledge.read(path)
    path.write_text(path.read_text().replace("=.5", "=0.5"))
    assert len(gd.Knowledge.read(path).required) == 200
