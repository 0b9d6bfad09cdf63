"""What people do with a model of mixed kinds."""

from __future__ import annotations

import copy
import json
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import graphoid as gd
from graphoid.data.table import Table
from graphoid.data.variables import Variable
from graphoid.errors import DataError, SettingsError
from graphoid.models.gibbs import GibbsSampler
from graphoid.structure.document import digest
from tests.support.mixed import MIXED_GRAPH, mixed_table

if TYPE_CHECKING:
    from pathlib import Path

TABLE = mixed_table(400, 0)
MODEL = gd.MarkovNetwork.fit(MIXED_GRAPH, TABLE)
QUICK = GibbsSampler(burn_in=5, thin=1, n_chains=64)


def test_it_is_a_markov_network_of_its_own_kind():
    assert isinstance(MODEL, gd.MixedNetwork)
    assert isinstance(MODEL, gd.MarkovNetwork)
    assert repr(MODEL) == f"<MixedNetwork: 5 variables, 3 of them numbers, {len(MODEL.weights)} weights>"
    assert MODEL.graph == MIXED_GRAPH
    assert MODEL.standard_errors.shape == MODEL.weights.shape
    assert MODEL.provenance["n_rows"] == 400
    assert "joined to" in MODEL._repr_html_()
    assert MODEL.to_networkx().number_of_edges() == 4


def test_samples_are_of_the_kinds_of_the_table():
    rows = MODEL.sample(300, 1)
    assert rows.variables == TABLE.variables
    assert rows.n_rows == 300
    visits = rows.numbers("visits")
    assert np.array_equal(visits, np.rint(visits))
    assert visits.min() >= 0
    for name in ("age", "size", "visits"):
        assert TABLE.numbers(name).min() <= rows.numbers(name).min()
        assert rows.numbers(name).max() <= TABLE.numbers(name).max()
    assert np.corrcoef(rows.numbers("age"), np.log(rows.numbers("size")))[0, 1] > 0.4
    assert rows.name == "Markov network"


def test_samples_become_data_frames_that_are_read_back():
    pytest.importorskip("pandas")
    rows = MODEL.sample(200, 2)
    frame = rows.to_frame()
    assert list(frame["color"].cat.categories) == ["red", "green", "blue"]
    assert frame["grade"].cat.ordered
    assert frame["visits"].dtype.kind == "i"
    assert frame["size"].dtype.kind == "f"
    again = gd.read(frame)
    assert [v.kind for v in again.variables] == [v.kind for v in TABLE.variables]
    np.testing.assert_array_equal(MODEL.conditional_log_scores(frame), MODEL.conditional_log_scores(rows))
    assert isinstance(gd.MarkovNetwork.fit(MIXED_GRAPH, frame), gd.MixedNetwork)  # a source is read


def test_the_same_seed_is_the_same_answer():
    for sampler in (None, QUICK):
        a, b = (MODEL.sample(50, 7, sampler=sampler) for _ in range(2))
        assert a.data_id == b.data_id
        assert a.data_id != MODEL.sample(50, 8, sampler=sampler).data_id
    again = gd.MarkovNetwork.fit(MIXED_GRAPH, TABLE)
    np.testing.assert_array_equal(MODEL.weights, again.weights)
    a, b = (MODEL.estimate("age", random_state=3, sampler=QUICK).numbers["age"].mean for _ in range(2))
    assert a == b


def test_evidence_stays_in_samples():
    for sampler in (None, QUICK):
        rows = MODEL.sample(40, 0, evidence={"color": "blue", "size": 123.0, "visits": 2}, sampler=sampler)
        assert set(rows.column("color").tolist()) == {2}
        assert set(rows.numbers("size").tolist()) == {123.0}  # beyond the table, and yet as given
        assert set(rows.numbers("visits").tolist()) == {2.0}
    assert MODEL.sample(0, 0).n_rows == 0
    with pytest.raises(SettingsError, match="cannot be -1"):
        MODEL.sample(-1)
    with pytest.raises(SettingsError, match="a sample takes one row of evidence; got 2"):
        MODEL.sample(3, evidence={"age": [0.0, 1.0]})


def test_files_bring_everything_back(tmp_path: Path):
    MODEL.save(tmp_path / "m.json")
    again = gd.load(tmp_path / "m.json")
    assert isinstance(again, gd.MixedNetwork)
    np.testing.assert_array_equal(again.weights, MODEL.weights)
    np.testing.assert_array_equal(again.standard_errors, MODEL.standard_errors)
    assert again.variables == MODEL.variables
    assert again.provenance == MODEL.provenance
    assert again.sample(20, 4).data_id == MODEL.sample(20, 4).data_id
    np.testing.assert_array_equal(again.conditional_log_scores(TABLE), MODEL.conditional_log_scores(TABLE))
    for other in (pickle.loads(pickle.dumps(MODEL)), copy.deepcopy(MODEL)):  # noqa: S301 - our own
        np.testing.assert_array_equal(other.weights, MODEL.weights)
        assert other.query("age").mean == MODEL.query("age").mean


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("pairs", [[0, 1]]),  # two columns of one variable
        ("pairs", [[3, 0]]),
        ("weights", [0.0]),
        ("weights", "none"),
        ("scales", []),
        ("scales", [{"variable": 9}]),
        ("standard_errors", [1.0]),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, part: str, value: object):
    whole = json.loads(MODEL.to_json())
    whole["body"][part] = value
    whole["digest"] = digest(whole["body"])
    path = tmp_path / "m.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(DataError, match="has a part that graphoid did not write"):
        gd.load(path)


def test_weights_without_a_distribution_are_refused():
    weights = np.array(MODEL.weights)
    weights[MODEL.layout.first_curvature] = -1.0
    with pytest.raises(SettingsError, match="precision is not positive definite"):
        gd.MixedNetwork(MODEL.variables, weights=weights, scales=MODEL.scales, pairs=MODEL.pairs)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m: m.to_uai("m.uai"), "has no UAI file. Save it as JSON"),
        (lambda m: m.kl(m), "has no divergence. Compare pseudo_log_likelihood"),
        (lambda m: m.most_probable(), "has no most probable states"),
        (lambda m: m.query("color", {"age": "old"}), r"'old' \(text\) is no value of 'age'"),
        (lambda m: m.query("color", {"age": float("inf")}), "'age' is inf in row 0"),
        (lambda m: m.query("age", {"color": "pink"}), "'pink' is not a state of 'color'"),
        (lambda m: m.estimate("age", {"size": [1.0, 2.0]}), "one row of evidence; got 2"),
        (lambda m: m.pseudo_log_likelihood({"age": 1.0}), "a whole row needs a value of every variable"),
        (lambda m: m.query("age", np.zeros((1, 3))), "must be codes and numbers with 5 columns"),
        (lambda m: m.query("age", np.array([[7.0, 0, 0, 0, 0]])), "code 7 is none of 'color'"),
    ],
)
def test_what_does_not_exist_is_told_in_a_sentence(call, says: str):
    with pytest.raises((DataError, SettingsError), match=says) as caught:
        call(MODEL)
    assert "\n" not in str(caught.value)


def test_rows_come_as_tables_frames_dictionaries_and_arrays():
    pd = pytest.importorskip("pandas")
    expected = MODEL.conditional_log_scores(TABLE)
    assert expected.shape == (400, 5)
    columns = {
        v.name: TABLE.numbers(x) if v.continuous else [v.states[c] for c in TABLE.column(x)]
        for x, v in enumerate(TABLE.variables)
    }
    np.testing.assert_allclose(MODEL.conditional_log_scores(columns), expected)
    np.testing.assert_allclose(MODEL.conditional_log_scores(pd.DataFrame(columns)), expected)
    array = np.column_stack([TABLE.numbers(x) if v.continuous else TABLE.column(x) for x, v in enumerate(TABLE.variables)])  # fmt: skip # noqa: E501
    np.testing.assert_allclose(MODEL.conditional_log_scores(array), expected)
    assert MODEL.pseudo_log_likelihood(TABLE) == pytest.approx(expected.sum())
    frame = pd.DataFrame({"age": [0.5, None], "color": ["red", "blue"]})
    answers = MODEL.query("size", frame)
    assert [a.mean for a in answers] == [
        MODEL.query("size", {"age": 0.5, "color": "red"}).mean,
        MODEL.query("size", {"color": "blue"}).mean,
    ]


def test_values_beyond_the_table_count_as_the_nearest():
    low, high = TABLE.numbers("age").min(), TABLE.numbers("age").max()
    for beyond, end in ((low - 100, low), (high + 100, high)):
        np.testing.assert_array_equal(
            MODEL.query("grade", {"age": beyond}), MODEL.query("grade", {"age": end})
        )
        assert MODEL.query("age", {"age": beyond}).mean == beyond


COLUMNS = st.sampled_from(["constant", "states", "unseen", "ordered", "number", "count", "same number"])


@settings(max_examples=40)
@given(st.lists(COLUMNS, min_size=1, max_size=5), st.integers(1, 12), st.booleans(), st.integers(0, 99))
def test_odd_tables_are_fitted_and_sampled(columns: list[str], n_rows: int, joined: bool, seed: int):
    rng = np.random.default_rng(seed)
    variables, codes, values = [], [], {}
    for x, kind in enumerate([*columns, "number"]):
        if kind in ("number", "count", "same number"):
            numbers = rng.normal(size=n_rows) if kind == "number" else 1.0 * rng.poisson(2, n_rows)
            values[x] = np.full(n_rows, 2.5) if kind == "same number" else numbers
            variables.append(Variable(f"v{x}", ()))
            codes.append(None)
            continue
        arity = {"constant": 1, "states": 3, "unseen": 4, "ordered": 6}[kind]
        variables.append(Variable(f"v{x}", tuple(range(arity)), ordered=kind == "ordered"))
        codes.append(rng.integers(0, max(1, arity - (kind == "unseen")), n_rows).astype(np.uint8))
    table = Table(tuple(variables), tuple(codes), n_rows, values)
    n = len(variables)
    edges = [(x, y) for y in range(n) for x in range(y)] if joined else []
    model = gd.MarkovNetwork.fit(gd.UndirectedGraph(table.names, edges), table)
    assert isinstance(model, gd.MixedNetwork)
    assert np.isfinite(model.weights).all()
    assert np.isfinite(model.standard_errors).all()
    assert np.isfinite(model.conditional_log_scores(table)).all()
    for sampler in (None, QUICK):
        rows = model.sample(5, 0, sampler=sampler)
        assert rows.variables == table.variables
        for x, column in values.items():
            assert column.min() <= rows.numbers(x).min() <= rows.numbers(x).max() <= column.max()
    for answer in model.marginals().values():
        if isinstance(answer, np.ndarray):
            assert answer.sum() == pytest.approx(1)
        else:
            assert np.isfinite(answer.mean)
