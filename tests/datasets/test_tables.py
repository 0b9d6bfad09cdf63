"""The bundled tables against published totals."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING
from urllib.error import URLError

import numpy as np
import pytest

from graphoid import datasets
from graphoid.datasets import fetched, simulated
from graphoid.errors import DataError, MissingExtra, SettingsError

if TYPE_CHECKING:
    from pathlib import Path

    from graphoid.data.table import Table

OWN = ("titanic", "tic-tac-toe", "monks-1", "monks-2", "monks-3", "balance-scale", "survey")


def states_of(table: Table, name: str) -> dict[object, int]:
    """How often each state of a variable occurs."""
    variable = table.variables[table.position(name)]
    counts = np.bincount(table.column(name), minlength=variable.arity)
    return dict(zip(variable.states, counts.tolist(), strict=True))


def test_titanic_has_the_published_margins() -> None:
    table = datasets.load("titanic")
    assert table.names == ("class", "sex", "age", "survived")
    assert table.n_rows == 2_201
    assert states_of(table, "class") == {"1st": 325, "2nd": 285, "3rd": 706, "crew": 885}
    assert states_of(table, "sex") == {"male": 1_731, "female": 470}
    assert states_of(table, "age") == {"child": 109, "adult": 2_092}
    assert states_of(table, "survived") == {"no": 1_490, "yes": 711}


def test_titanic_cells_are_in_their_places() -> None:
    # women of the first class: 145 aboard, 141 saved; children of the third: 79 aboard, 27 saved
    klass, sex, age, survived = datasets.load("titanic").codes.T
    first_class_women = (klass == 0) & (sex == 1)
    third_class_children = (klass == 2) & (age == 0)
    assert (first_class_women.sum(), (first_class_women & (survived == 1)).sum()) == (145, 141)
    assert (third_class_children.sum(), (third_class_children & (survived == 1)).sum()) == (79, 27)
    assert not ((klass == 3) & (age == 0)).any()


def test_tic_tac_toe_has_the_known_end_games() -> None:
    table = datasets.load("tic-tac-toe")
    assert table.n_rows == 958
    assert states_of(table, "class") == {"negative": 332, "positive": 626}
    assert states_of(table, "middle-middle") == {"x": 458, "o": 340, "blank": 160}
    boards = table.codes[:, :9]
    assert len(np.unique(boards, axis=0)) == 958
    x, o = (boards == 0).sum(axis=1), (boards == 1).sum(axis=1)
    assert np.isin(x - o, (0, 1)).all()
    assert (x[table.column("class") == 1] == o[table.column("class") == 1] + 1).all()


@pytest.mark.parametrize(("problem", "holds"), [(1, 216), (2, 142), (3, 228)])
def test_monks_classes_are_those_of_the_published_test_sets(problem: int, holds: int) -> None:
    table = datasets.load(f"monks-{problem}")
    assert table.n_rows == 432
    assert states_of(table, "class") == {0: 432 - holds, 1: holds}
    assert [v.arity for v in table.variables] == [3, 3, 2, 3, 4, 2, 2]
    assert len(np.unique(table.codes[:, :6], axis=0)) == 432


def test_balance_scale_tips_as_often_to_both_sides() -> None:
    table = datasets.load("balance-scale")
    assert table.n_rows == 625
    assert states_of(table, "class") == {"left": 288, "balanced": 49, "right": 288}
    # weight 5 at distance 5 on the left against 1 at 1 tips to the left
    row = (table.codes[:, :4] == [4, 4, 0, 0]).all(axis=1)
    assert table.column("class")[row].tolist() == [0]


def test_in_the_survey_age_matters_for_the_bus_in_the_city_only() -> None:
    from scipy.stats import chi2_contingency

    region, age, _, bus, _, _ = datasets.load("survey").codes.T

    def p_value(rows: np.ndarray) -> float:
        counts = np.histogram2d(age[rows], bus[rows], bins=(3, 2))[0]
        return float(chi2_contingency(counts, correction=False).pvalue)

    assert p_value(region == 0) < 1e-20
    assert p_value(region == 1) > 0.05
    assert simulated.survey_graph().n_edges == 7


@pytest.mark.parametrize("name", OWN)
def test_tables_are_the_same_every_time_and_every_state_occurs(name: str) -> None:
    table = datasets.load(name)
    assert table.data_id == datasets.load(name).data_id
    assert table.name == name
    for i, variable in enumerate(table.variables):
        assert np.unique(table.column(i)).tolist() == list(range(variable.arity))
        assert table.column(i).flags.c_contiguous


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="named 'titanik'; there are titanic, tic-tac-toe"):
        datasets.load("titanik")
    assert set(OWN) < set(datasets.names())


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [("iris", 150, 5), ("wine", 178, 14), ("breast-cancer", 569, 31), ("digits", 1_797, 65)],
)
def test_scikit_learn_tables_are_binned_and_keep_their_class(name: str, rows: int, columns: int) -> None:
    pytest.importorskip("sklearn")
    table = datasets.load(name)
    assert (table.n_rows, len(table.variables)) == (rows, columns)
    assert table.names[-1] == "class"
    assert table.codes.shape == (rows, columns)


def test_without_scikit_learn_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    for name in ("iris", "mushroom"):
        with pytest.raises(MissingExtra, match=rf"'{name}'.*graphoid\[sklearn\]"):
            datasets.load(name)


def test_without_a_network_openml_gives_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    sklearn_datasets = pytest.importorskip("sklearn.datasets")

    def offline(**_: object) -> None:
        raise URLError("no route to host")

    monkeypatch.setattr(sklearn_datasets, "fetch_openml", offline)
    with pytest.raises(DataError, match=r"'mushroom' could not be fetched from OpenML .*no route to host"):
        datasets.load("mushroom")


def test_openml_tables_are_checked_against_their_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    sklearn_datasets = pytest.importorskip("sklearn.datasets")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": ["x", "y", None, "x"], "b": ["0", "1", "1", "0"]})
    other_spelling = pd.DataFrame({"B": [True, False, True, False], "A": [1.0, None, 1.0, 2.0]})
    assert fetched.fingerprint(frame) == fetched.fingerprint(other_spelling)
    assert fetched.fingerprint(frame) != fetched.fingerprint(frame.iloc[:3])

    class Bunch:
        def __init__(self, frame: object) -> None:
            self.frame = frame

    monkeypatch.setitem(fetched.OPENML, "vote", fetched.Pinned(56, 4, 2, fetched.fingerprint(frame)))
    monkeypatch.setattr(sklearn_datasets, "fetch_openml", lambda **_: Bunch(frame))
    table = datasets.load("vote")
    assert table.n_rows == 4
    assert table.variables[0].arity == 3  # the missing value is a state
    monkeypatch.setattr(sklearn_datasets, "fetch_openml", lambda **_: Bunch(frame.iloc[:3]))
    with pytest.raises(
        DataError, match="'vote' is not the table expected of OpenML data set 56: it has 3 rows"
    ):
        datasets.load("vote")


def test_settings_of_a_fetch_are_what_scikit_learn_takes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    openml = pytest.importorskip("sklearn.datasets._openml")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))

    def offline(*_: object, **__: object) -> None:
        raise URLError("no route to host")

    monkeypatch.setattr(openml, "urlopen", offline)  # so that the settings are looked at before
    with pytest.raises(DataError, match="no route to host"):  # and no warning of scikit-learn's, which raises
        datasets.load("vote")
