"""Bayesian networks from BIF text."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from graphoid.datasets import bayesian_network
from graphoid.datasets.bif import parse_bif
from graphoid.errors import DataError, SettingsError

SPRINKLER = """network unknown {
}
variable rain {
  type discrete [ 2 ] { no, yes };
}
variable wet {
  type discrete [ 3 ] { dry, damp, wet };
}
variable sprinkler {
  type discrete [ 2 ] { off, on };
}
probability ( rain ) {
  table 0.8, 0.2;
}
probability ( sprinkler | rain ) {
  (yes) 0.99, 0.01;
  (no) 0.6, 0.4;
}
probability ( wet | sprinkler, rain ) {
  (off, no) 0.9, 0.1, 0.0;
  (on, no) 0.1, 0.3, 0.6;
  (off, yes) 0.2, 0.3, 0.5;
  (on, yes) 0.0, 0.1, 0.9;
}
"""


def test_variables_parents_and_tables() -> None:
    network = parse_bif(SPRINKLER, "sprinkler")
    assert network.names == ("rain", "wet", "sprinkler")
    assert network.variables[1].states == ("dry", "damp", "wet")
    assert network.parents == ((), (2, 0), (0,))
    assert network.arcs == ((2, 1), (0, 1), (0, 2))
    assert network.n_parameters == 1 + 4 * 2 + 2
    assert network.graph.edges == ((0, 1), (0, 2), (1, 2))
    assert network.graph.names == network.names
    np.testing.assert_allclose(network.tables[2], [[0.6, 0.4], [0.99, 0.01]])
    np.testing.assert_allclose(network.tables[1][1, 0], [0.1, 0.3, 0.6])
    assert repr(network) == "<BayesianNetwork 'sprinkler': 3 variables, 3 arcs>"


def test_samples_have_the_frequencies_of_the_tables() -> None:
    network = parse_bif(SPRINKLER, "sprinkler")
    n = 100_000
    table = network.sample(n, random_state=0)
    assert table.name == "sprinkler"
    assert table.names == network.names
    assert {c.dtype for c in table.columns} == {np.dtype(np.uint8)}
    rain, wet, sprinkler = (table.column(v).astype(int) for v in range(3))
    counts = np.bincount((rain * 2 + sprinkler) * 3 + wet, minlength=12).reshape(2, 2, 3)
    expected = network.tables[0][:, None] * network.tables[2]
    expected = expected[..., None] * network.tables[1].transpose(1, 0, 2)
    assert (np.abs(counts / n - expected) <= 5 * np.sqrt(expected * (1 - expected) / n)).all()
    assert table.data_id == network.sample(n, np.random.default_rng(0)).data_id
    assert table.data_id != network.sample(n, 1).data_id
    with pytest.raises(SettingsError, match="-3"):
        network.sample(-3)


def test_a_state_without_probability_never_occurs() -> None:
    # thirds and tenths do not add up to exactly one
    network = parse_bif(
        "network n {} variable a { type discrete [ 5 ] { p, q, r, s, t }; }"
        "probability ( a ) { table 0.0, 0.7, 0.1, 0.2, 0.0; }"
    )
    (levels,) = network._cumulative
    assert levels[:, 0].tolist() == [0.0, 0.7, pytest.approx(0.8), 1.0]
    assert set(network.sample(1000, 0).column("a").tolist()) == {1, 2, 3}


def test_other_ways_to_write_it() -> None:
    network = parse_bif(
        """
        // Cozman's order of a whole table: the variable slowest, the last parent fastest
        network "family out" { property author somebody; }
        variable "family out" { // with a blank
            property position = (1, 2);
            type discrete[2] { "true" false };
        }
        variable bark { type discrete [2] { true, false }; property about = "a { dog; }" ; }
        /* two
           lines */
        probability("family out") { default 0.15 0.85; }
        probability(bark | "family out") { table 0.7 0.01 0.3 0.99; }
        """
    )
    assert network.names == ("family out", "bark")
    np.testing.assert_allclose(network.tables[0], [0.15, 0.85])
    np.testing.assert_allclose(network.tables[1], [[0.7, 0.3], [0.01, 0.99]])


def test_default_fills_what_is_not_listed_and_rounding_is_mended() -> None:
    text = SPRINKLER.replace("  (yes) 0.99, 0.01;", "  default 0.3333, 0.6666;")
    np.testing.assert_allclose(parse_bif(text).tables[2], [[0.6, 0.4], [1 / 3, 2 / 3]], atol=1e-4)
    assert parse_bif(text).tables[2].sum(axis=-1) == pytest.approx([1, 1], abs=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("variable wet", "node wet", 6, "found 'node'"),
        ("[ 3 ]", "[ 4 ]", 7, "4 different states"),
        ("dry, damp, wet", "dry, damp, dry", 7, "3 different states"),
        ("type discrete [ 3 ]", "type continuous", 7, "type discrete"),
        ("variable wet", "variable rain", 6, "declared twice"),
        ("( rain )", "( snow )", 12, "no variable 'snow'"),
        ("( rain )", "rain", 12, "not followed by"),
        ("table 0.8, 0.2", "table 0.8, 0.1, 0.1", 13, "expected 2 probabilities, found 3"),
        ("table 0.8, 0.2", "table 0.8, 0.3", 14, "adds up to 1.1"),
        ("table 0.8, 0.2", "table 1.2, -0.2", 14, "negative"),
        ("table 0.8, 0.2", "table 0.8, much", 13, "not all numbers"),
        ("  (yes) 0.99, 0.01;\n", "", 17, "1 configuration"),
        ("(yes)", "(perhaps)", 16, "not states of rain"),
        ("(on, yes)", "(on)", 23, "not states of sprinkler, rain"),
        ("sprinkler | rain )", "sprinkler | rain, sprinkler )", 15, "one variable given others"),
        ("probability ( rain )", "probability ( sprinkler )", 15, "two probability tables"),
        ("  (on, yes) 0.0, 0.1, 0.9;\n}", "  (on, yes) 0.0, 0.1, 0.9;\n", 23, "no end"),
        ("  table 0.8, 0.2;", "  table 0.8, 0.2;\n  nonsense", 14, "cannot have 'nonsense'"),
    ],
)
def test_malformed_text_is_refused_with_the_line(old: str, new: str, line: int, said: str) -> None:
    assert old in SPRINKLER
    with pytest.raises(DataError, match=rf"^broken, line {line}: .*{said}"):
        parse_bif(SPRINKLER.replace(old, new, 1), "broken")


def test_missing_tables_circles_and_nothing_at_all_are_refused() -> None:
    with pytest.raises(DataError, match="no variables"):
        parse_bif("")
    with pytest.raises(DataError, match="no probability table for 'rain'"):
        parse_bif(SPRINKLER.replace("probability ( rain ) {\n  table 0.8, 0.2;\n}", ""))
    circle = SPRINKLER.replace(
        "probability ( rain ) {\n  table 0.8, 0.2;",
        "probability ( rain | sprinkler ) {\n  (on) 0.8, 0.2;\n  (off) 0.5, 0.5;",
    )
    with pytest.raises(DataError, match="circle"):
        parse_bif(circle)


def test_files_may_be_compressed(tmp_path: Path) -> None:
    plain, packed = tmp_path / "sprinkler.bif", tmp_path / "sprinkler.bif.gz"
    plain.write_text(SPRINKLER, encoding="utf-8")
    packed.write_bytes(gzip.compress(SPRINKLER.encode()))
    assert bayesian_network(plain).name == bayesian_network(str(packed)).name == "sprinkler"
    assert bayesian_network(plain).sample(50, 1).data_id == bayesian_network(packed).sample(50, 1).data_id
    with pytest.raises(DataError, match=r"nowhere\.bif"):
        bayesian_network(tmp_path / "nowhere.bif")
    packed.write_bytes(packed.read_bytes()[:50])
    with pytest.raises(DataError, match="cannot be read"):
        bayesian_network(packed)
    plain.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read"):
        bayesian_network(plain)


# nodes, arcs and free parameters as the repositories that distribute these networks list them
@pytest.mark.skipif(not os.environ.get("GRAPHOID_DATA"), reason="GRAPHOID_DATA names no directory of data")
@pytest.mark.parametrize(
    ("name", "nodes", "arcs", "parameters"),
    [
        ("alarm.bif", 37, 46, 509),
        ("insurance.bif", 27, 52, 1008),
        ("hailfinder.bif", 56, 66, 2656),
        ("mildew.bif.gz", 35, 46, 540150),
        ("water.bif.gz", 32, 66, 10083),
    ],
)
def test_published_networks(name: str, nodes: int, arcs: int, parameters: int) -> None:
    path = Path(os.environ["GRAPHOID_DATA"], "bif", name)
    if not path.exists():
        pytest.skip(f"{name} is not in the bif folder of GRAPHOID_DATA")
    network = bayesian_network(path)
    assert (len(network.names), len(network.arcs), network.n_parameters) == (nodes, arcs, parameters)
    assert network.sample(1000, 0).n_rows == 1000
