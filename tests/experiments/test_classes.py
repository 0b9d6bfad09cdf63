"""Table 1 of the classifier's paper, from small files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")

from graphoid.errors import DataError
from graphoid.experiments.classifier_uci import COMPARED, FITTED, PAPER, Classes
from graphoid.experiments.experiment import Run
from graphoid.experiments.labeled_data import read_labeled, stratify
from graphoid.experiments.papers.jakulin2006 import LOG_LOSS, METHODS

HEADER = "id,number,few,word,class"


def written(folder, name, rows):
    (folder / "uci").mkdir(exist_ok=True)
    path = folder / "uci" / f"{name}.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return path


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    number = np.round(rng.normal(size=n) + 2 * y, 2)
    return [f"r{i},{number[i]},{rng.integers(3)},{'ab'[rng.integers(2)]},{'pq'[y[i]]}" for i in range(n)]


def test_columns_have_types_and_rows_without_a_class_go(tmp_path):
    read = read_labeled(written(tmp_path, "t", ["a,1.5,2,x,p", "b,,3,,q", "c,1,4,y,"]))
    assert read.attributes.column_names == ["number", "few", "word"]  # no identifier, no class
    assert read.attributes.to_pydict() == {"number": [1.5, None], "few": [2, 3], "word": ["x", None]}
    assert read.classes.tolist() == ["p", "q"]
    with pytest.raises(DataError, match="has no column 'outcome'"):
        read_labeled(written(tmp_path, "horse-colic", rows(5)))


def test_folds_share_every_class_evenly():
    classes = np.repeat(["a", "b", "c"], [50, 23, 7])
    folds = stratify(classes, 5, np.random.default_rng(0))
    assert np.bincount(folds).tolist() == [16] * 5
    for label in "abc":
        counts = np.bincount(folds[classes == label], minlength=5)
        assert counts.max() - counts.min() <= 1


def test_the_table(tmp_path):
    written(tmp_path, "iris", rows())
    found = Classes(names=("iris",), repetitions=1, n_folds=2).run(data=tmp_path)
    lines = [record for record in found.records() if record["data set"] == "iris"]
    assert [line["method"] for line in lines] == [*PAPER, *COMPARED]
    by_method = {line["method"]: line for line in lines}
    assert by_method["B4"]["printed log-loss"] == LOG_LOSS["iris"][METHODS.index("B4")]
    assert all(0 < line["log-loss"] < 1 and 0 <= line["error"] < 0.5 for line in lines)
    ranks = [r for r in found.records() if r["data set"] == "rank, all sets"]
    assert sum(r["log-loss"] for r in ranks) == pytest.approx(15)  # 1 to 5, whoever is first


@pytest.mark.slow
def test_processes_change_nothing(tmp_path):
    written(tmp_path, "iris", rows())
    alone = Classes(names=("iris",), repetitions=2, n_folds=3)
    found, again = alone.run(data=tmp_path), replace(alone, processes=2).run(data=tmp_path)
    assert [r["log-loss"] for r in again.records()] == [r["log-loss"] for r in found.records()]


DATA = os.environ.get("GRAPHOID_DATA")


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="GRAPHOID_DATA names no folder with the UCI files")
@pytest.mark.parametrize(
    ("name", "method", "expected"),
    [("titanic", "B4", 0.48), ("cmc", "B4", 0.92), ("iris", "B4", 0.18), ("car", "B4", 0.19)],
)
def test_log_loss_near_the_printed_one(name, method, expected):
    path = Path(DATA) / "uci" / f"{name}.csv"
    measured = {m.method: m for m in Classes(repetitions=1).measure(name, read_labeled(path), Run())}
    assert measured[method].log_loss.mean == pytest.approx(expected, abs=0.02)  # once, not five times
    assert measured[FITTED].log_loss.mean < measured["naive Bayes"].log_loss.mean


@pytest.mark.skipif(not DATA, reason="GRAPHOID_DATA names no folder with the UCI files")
def test_the_structures_of_figures_2_and_3():
    import graphoid as gd

    board = read_labeled(Path(DATA) / "uci" / "tic-tac-toe.csv")
    model = gd.MarkovNetworkClassifier().fit(board.attributes, board.classes)
    assert np.bincount([h.order for h in model.hyperedges_]).tolist() == [0, 0, 5, 4, 6]
    titanic = read_labeled(Path(DATA) / "uci" / "titanic.csv")
    model = gd.MarkovNetworkClassifier().fit(titanic.attributes, titanic.classes)
    assert {h.attributes for h in model.hyperedges_ if not h.covered} == {
        ("ticket_class", "age"),
        ("ticket_class", "sex"),
    }
