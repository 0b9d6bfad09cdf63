"""Models from structures and tables, and from and to files."""

from __future__ import annotations

import copy
import itertools
import json
import os
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import minimize

import graphoid as gd
from graphoid import datasets
from graphoid.errors import CountsTooLarge, DataError, SettingsError
from graphoid.models.factors import Factor
from graphoid.models.maximum_pseudo_likelihood import L1, CrossValidated
from graphoid.structure.document import digest
from tests.support.networks import enumerated, random_network, variables_of
from tests.support.tables import random_table

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE = random_table(300, [2, 3, 2, 2], seed=5)
CHAIN = gd.UndirectedGraph(TABLE.names, [(0, 1), (1, 2)])  # v3 is alone
CHAIN_FEATURES = [
    *(((0, a), (1, b)) for a, b in itertools.product(range(2), range(3))),
    *(((1, b), (2, c)) for b, c in itertools.product(range(3), range(2))),
    ((3, 0),),
    ((3, 1),),
]


def plainly_fitted(features: list[Any], table: gd.Table, strength: float) -> np.ndarray:
    """Return weights by penalized pseudo-likelihood from its definition, without gradients or merged rows.

    The sum over rows and variables of log P(v | others), each conditional by adding up the features that
    agree with the row when the variable has each of its states; minus half the strength times the sum of
    squares.
    """
    states = [range(v.arity) for v in table.variables]
    holds = []  # for every variable: rows x its states x features
    for v, own in enumerate(states):
        agree = np.zeros((table.n_rows, len(own), len(features)))
        for r, row in enumerate(table.codes.tolist()):
            for s in own:
                changed = [*row[:v], s, *row[v + 1 :]]
                agree[r, s] = [all(changed[u] == t for u, t in feature) for feature in features]
        holds.append(agree)

    def loss(w: np.ndarray) -> float:
        total = 0.5 * strength * (w**2).sum()
        for v, agree in enumerate(holds):
            logits = agree @ w
            here = logits[np.arange(table.n_rows), table.codes[:, v]]
            total -= (here - np.log(np.exp(logits).sum(axis=1))).sum()
        return float(total)

    return np.asarray(minimize(loss, np.zeros(len(features)), method="BFGS", options={"gtol": 1e-4}).x)


@pytest.mark.parametrize("strength", [1.0, 10.0])
def test_a_graph_is_fitted_by_all_configurations_of_its_cliques(strength: float) -> None:
    model = gd.MarkovNetwork.fit(CHAIN, TABLE, strength)
    assert sorted(model.features) == sorted(CHAIN_FEATURES)
    assert model.graph == CHAIN
    expected = gd.MarkovNetwork(
        TABLE.variables, tuple(CHAIN_FEATURES), plainly_fitted(CHAIN_FEATURES, TABLE, strength)
    )
    np.testing.assert_allclose(enumerated(model), enumerated(expected), atol=1e-6)


def test_the_default_penalty_is_half_the_sum_of_squares() -> None:
    np.testing.assert_array_equal(
        gd.MarkovNetwork.fit(CHAIN, TABLE).weights, gd.MarkovNetwork.fit(CHAIN, TABLE, 1.0).weights
    )


def test_whatever_has_features_is_fitted_by_them() -> None:
    features = (((1, 0), (0, 1)), ((2, 1),), ((1, 2), (2, 0), (3, 1)))
    canonical = SimpleNamespace(features=features, names=TABLE.names)
    by_list = gd.MarkovNetwork.fit(features, TABLE)
    by_object = gd.MarkovNetwork.fit(canonical, TABLE)
    assert by_list.features == by_object.features == (((0, 1), (1, 0)), *features[1:])
    np.testing.assert_array_equal(by_list.weights, by_object.weights)
    again = gd.MarkovNetwork.fit(by_object, TABLE)
    np.testing.assert_array_equal(again.weights, by_object.weights)
    expected = gd.MarkovNetwork(TABLE.variables, features, plainly_fitted(list(features), TABLE, 1.0))
    np.testing.assert_allclose(enumerated(by_list), enumerated(expected), atol=1e-6)


def test_learned_structures_are_fitted_by_their_graph() -> None:
    table = datasets.load("titanic")
    learned = gd.GSMN().fit(table).structure_
    model = gd.MarkovNetwork.fit(learned, table)
    assert model.graph == learned.graph
    assert model.provenance["learner"]["learner"] == "GSMN"
    assert model.provenance["data_id"] == table.data_id
    errors = model.standard_errors
    assert errors is not None
    assert errors.shape == model.weights.shape
    assert (errors > 0).all()


def test_variables_are_matched_by_name_or_by_position() -> None:
    expected = enumerated(gd.MarkovNetwork.fit(CHAIN, TABLE))
    turned = gd.UndirectedGraph(["v2", "v3", "v1", "v0"], [("v0", "v1"), ("v1", "v2")])
    unnamed = gd.UndirectedGraph(4, [(0, 1), (1, 2)])
    for graph in (turned, unnamed):
        np.testing.assert_array_equal(enumerated(gd.MarkovNetwork.fit(graph, TABLE)), expected)
    with pytest.raises(DataError, match="same variables"):
        gd.MarkovNetwork.fit(gd.UndirectedGraph(["a", "b", "c", "d"]), TABLE)


def test_penalties_of_other_kinds() -> None:
    sparse = gd.MarkovNetwork.fit(CHAIN, TABLE, L1(20.0))
    assert (sparse.weights == 0).any()
    assert sparse.provenance["penalty"] == {"name": "L1", "strength": 20.0}
    chosen = gd.MarkovNetwork.fit(CHAIN, TABLE, CrossValidated(n_folds=3), method="exact")
    assert chosen.provenance["penalty"]["name"] == "L2"


def test_sources_are_read() -> None:
    rows = {"a": [0, 0, 1, 1, 1], "b": ["x", "y", "y", "y", "x"]}
    model = gd.MarkovNetwork.fit(gd.UndirectedGraph(["a", "b"], [(0, 1)]), rows)
    assert model.variables[1].states == ("x", "y")
    assert model.query("b", {"a": 1}).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("structure", "more", "error", "says"),
    [
        (17, {}, SettingsError, "got int"),
        ([((0, 9),)], {}, SettingsError, "no variable's state"),
        ([((9, 0),)], {}, SettingsError, "no variable's state"),
        ([5], {}, SettingsError, "partial assignment"),
        (CHAIN, {"method": "guess"}, SettingsError, "'pseudo' or 'exact'"),
        (CHAIN, {"penalty": -1.0}, SettingsError, "at least 0"),
    ],
)
def test_what_cannot_be_fitted_is_told(structure: Any, more: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        gd.MarkovNetwork.fit(structure, TABLE, **more)


def test_cliques_that_are_too_large_are_refused_with_their_size() -> None:
    table = random_table(20, [2] * 30)
    complete = gd.UndirectedGraph(table.names, itertools.combinations(range(30), 2))
    with pytest.raises(CountsTooLarge, match=r"1,073,741,824 configurations"):
        gd.MarkovNetwork.fit(complete, table)


def test_a_saturated_model_has_the_frequencies_of_the_table() -> None:
    table = random_table(5_000, [2, 2, 3], seed=2)
    complete = gd.UndirectedGraph(table.names, itertools.combinations(range(3), 2))
    counts = np.zeros((2, 2, 3))
    np.add.at(counts, tuple(table.codes.T), 1)
    for method in ("pseudo", "exact"):
        model = gd.MarkovNetwork.fit(complete, table, 1e-6, method=method)
        np.testing.assert_allclose(enumerated(model), counts / 5_000, atol=1e-4)


# Files


MIXED = gd.MarkovNetwork(
    (
        gd.Variable("ä <b>", ("no", "yes"), label="a label"),
        gd.Variable("n", (1, 2.5, True), ordered=True, cuts=(0.1, 0.2)),
    ),
    (((0, 1), (1, 2)), ((0, 0),)),
    np.array([1 / 3, -2.0]),
    (Factor((1, 0), np.array([[0.1, -np.inf], [1e-300, 2.0], [-7.5, 1 / 7]])),),
    provenance={"by": "hand"},
)


@pytest.mark.parametrize(
    "made", [lambda: MIXED, lambda: random_network(0), lambda: gd.MarkovNetwork.fit(CHAIN, TABLE)]
)
def test_models_survive_a_file(made: Callable[[], gd.MarkovNetwork], tmp_path: Path) -> None:
    path, model = tmp_path / "m.json", made()
    model.save(path)
    back = gd.load(path)
    assert isinstance(back, gd.MarkovNetwork)
    assert back.variables == model.variables
    assert [[type(s) for s in v.states] for v in back.variables] == [
        [type(s) for s in v.states] for v in model.variables
    ]
    assert back.features == model.features
    np.testing.assert_array_equal(back.weights, model.weights)
    assert [f.members for f in back.factors] == [f.members for f in model.factors]
    for ours, theirs in zip(back.factors, model.factors, strict=True):
        np.testing.assert_array_equal(ours.log_values, theirs.log_values)
    assert back.provenance == model.provenance
    if model.standard_errors is None:
        assert back.standard_errors is None
    else:
        np.testing.assert_array_equal(back.standard_errors, model.standard_errors)
    assert [p.name for p in tmp_path.iterdir()] == ["m.json"]
    json.loads(
        path.read_text(encoding="utf-8"), parse_constant=pytest.fail
    )  # plain JSON: no NaN, no Infinity
    assert gd.MarkovNetwork.from_json(model.to_json()).to_json() == model.to_json()


def test_models_can_be_copied_and_pickled() -> None:
    model = gd.MarkovNetwork.fit(CHAIN, TABLE)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301 - our own bytes
        assert again.to_json() == model.to_json()
        np.testing.assert_array_equal(again.query("v0"), model.query("v0"))


def test_loading_gives_whichever_kind_the_file_holds(tmp_path: Path) -> None:
    structure = gd.LearnedStructure(CHAIN)
    structure.save(tmp_path / "s.json")
    assert gd.load(tmp_path / "s.json") == structure
    with pytest.raises(DataError, match="not a model that graphoid saved"):
        gd.MarkovNetwork.from_json(structure.to_json())


def broken(text: str) -> dict[str, tuple[str, str]]:
    """Texts that are not what was saved, with what must be said about them."""
    document = json.loads(text)
    return {
        "empty": ("", "not whole JSON"),
        "truncated": (text[: len(text) // 2], "not whole JSON .* cut off"),
        "other": ('{"format": "graphoid zebra"}', "not a structure or .* a model that graphoid saved"),
        "tampered": (text.replace("-2.0", "-1.0", 1), "damaged or changed"),
        "newer": (json.dumps({**document, "version": 2}), "newer graphoid .file version 2; this one reads 1"),
        "older": (json.dumps({**document, "version": 0}), "damaged or changed"),
        "no body": (json.dumps({k: v for k, v in document.items() if k != "body"}), "damaged or changed"),
    }


@pytest.mark.parametrize("kind", list(broken(MIXED.to_json())))
def test_broken_files_get_one_clear_sentence(tmp_path: Path, kind: str) -> None:
    text, says = broken(MIXED.to_json())[kind]
    path = tmp_path / "m.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=says) as caught:
        gd.load(path)
    assert "m.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("variables", None),
        ("variables", [{"name": "a"}]),
        ("features", [[[0, 7]]]),
        ("weights", ["x", 1.0]),
        ("weights", [1.0]),
        ("factors", [{"members": [0, 1], "log_values": [0.0]}]),
        ("factors", [{"members": [99], "log_values": [0.0]}]),
        ("standard_errors", "no"),
    ],
)
def test_a_digest_that_fits_does_not_excuse_nonsense(part: str, value: object) -> None:
    document = json.loads(MIXED.to_json())
    body = {**document["body"], part: value}
    with pytest.raises(DataError, match="did not write"):
        gd.MarkovNetwork.from_json(json.dumps({**document, "body": body, "digest": digest(body)}))


def test_uai_files(tmp_path: Path) -> None:
    path = tmp_path / "m.uai"
    model = random_network(2, 6, zeros=True)
    model.to_uai(path)
    back = gd.MarkovNetwork.from_uai(path)
    assert back.names == ("0", "1", "2", "3", "4", "5")
    np.testing.assert_allclose(enumerated(back), enumerated(model), atol=1e-14)
    assert gd.MarkovNetwork.from_uai(path, model.variables).variables == model.variables
    with pytest.raises(DataError, match="states; those given have"):
        gd.MarkovNetwork.from_uai(path, variables_of([2]))


def test_the_uai_format_by_hand(tmp_path: Path) -> None:
    # two variables of 2 and 3 states, one table over (1, 0): the last listed, 0, changes fastest
    path = tmp_path / "hand.uai"
    path.write_text("MARKOV\n2\n2 3 # states\n1\n2 1 0\n\n6\n 1 2\n 3 4\n 5 6\n", encoding="utf-8")
    p = gd.MarkovNetwork.from_uai(path).query([0, 1])
    np.testing.assert_allclose(p, np.array([[1, 3, 5], [2, 4, 6]]) / 21)
    model = gd.MarkovNetwork(variables_of([2, 3]), (((0, 1), (1, 2)),), [np.log(7.0)])
    model.to_uai(path)
    words = path.read_text(encoding="utf-8").split()
    assert words[:8] == ["MARKOV", "2", "2", "3", "1", "2", "1", "0"]
    assert [float(w) for w in words[8:]] == pytest.approx([6, 1, 1, 1, 1, 1, 7])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "begins with ''"),
        ("hello world", "not MARKOV or BAYES"),
        ("MARKOV 2 2 2 1 2 0 1 4 1 2 3", "ends too early"),
        ("MARKOV 2 2 2 1 2 0 1 3 1 2 3", "3 values, not 4"),
        ("MARKOV 2 2 2 1 2 0 9 4 1 2 3 4", "not a whole UAI file"),
        ("MARKOV 2 2 2 1 2 0 1 4 1 2 3 -4", "at least 0"),
        ("MARKOV 2 2 2 1 2 0 1 4 1 2 3 x", "not a whole UAI file"),
        ("MARKOV two", "'two' stands where a whole number should"),
    ],
)
def test_broken_uai_files_get_one_clear_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "broken.uai"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=says) as caught:
        gd.MarkovNetwork.from_uai(path)
    assert "broken.uai" in str(caught.value)


def test_features_too_long_for_a_uai_table_are_refused(tmp_path: Path) -> None:
    long = gd.MarkovNetwork(variables_of([2] * 40), (tuple((v, 1) for v in range(40)),), [1.0])
    with pytest.raises(CountsTooLarge, match=r"1,099,511,627,776 values"):
        long.to_uai(tmp_path / "long.uai")


def test_networkx_and_graphml(tmp_path: Path) -> None:
    model = gd.MarkovNetwork.fit(CHAIN, TABLE)
    graph = model.to_networkx()
    assert set(graph.edges) == {("v0", "v1"), ("v1", "v2")}
    assert graph.nodes["v1"]["states"] == [0, 1, 2]
    path = tmp_path / "m.graphml"
    model.to_graphml(path)
    back = nx.read_graphml(path)
    assert set(back.edges) == set(graph.edges)
    assert json.loads(back.nodes["v1"]["states"]) == [0, 1, 2]


def test_bayesian_networks_become_models() -> None:
    folder = os.environ.get("GRAPHOID_DATA")
    if folder is None:
        pytest.skip("GRAPHOID_DATA names no folder with bif/alarm.bif")
    network = datasets.bayesian_network(Path(folder) / "bif" / "alarm.bif")
    model = network.to_markov_network()
    assert model.graph == network.graph
    assert model.log_partition == pytest.approx(0, abs=1e-12)
    # a variable without parents has its own table as its marginal
    root = next(v for v, known in enumerate(network.parents) if not known)
    np.testing.assert_allclose(model.query(root), network.tables[root], atol=1e-12)


def test_the_representation_says_how_large_it_is() -> None:
    assert repr(gd.MarkovNetwork.fit(CHAIN, TABLE)) == "<MarkovNetwork: 4 variables, 14 features>"
    assert repr(MIXED) == "<MarkovNetwork: 2 variables, 2 features, 1 factor>"
    assert repr(gd.MarkovNetwork(())) == "<MarkovNetwork: 0 variables, no features>"
