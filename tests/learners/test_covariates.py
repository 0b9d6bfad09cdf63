"""Columns that are adjusted for, and are in neither tables nor drawings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

import graphoid as gd
from graphoid.cli.main import app
from graphoid.errors import GraphoidError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def columns() -> dict[str, np.ndarray]:
    """Return rows of a <- age -> b -> c <- sex: without age, a and b depend on each other."""
    rng = np.random.default_rng(1)
    age, sex = rng.normal(size=1_000), rng.integers(2, size=1_000)
    a, b = age + rng.normal(size=1_000), age + rng.normal(size=1_000)
    c = 0.8 * b + sex + rng.normal(size=1_000)
    return {"age": age, "a": a, "sex": np.array(["f", "m"])[sex], "b": b, "c": c}


@pytest.fixture(scope="module")
def found(columns: dict[str, np.ndarray]) -> gd.LearnedStructure:
    return gd.learn(columns, covariates=["sex", "age"])


def names(found: gd.LearnedStructure) -> list[tuple[str, str]]:
    return [(row.x, row.y) for row in found.edges()]


def test_what_covariates_explain_is_no_edge(
    found: gd.LearnedStructure, columns: dict[str, np.ndarray]
) -> None:
    assert names(gd.learn({name: columns[name] for name in "abc"})) == [("a", "b"), ("b", "c")]
    assert names(found) == [("b", "c")]
    assert found.covariates == ("sex", "age")
    assert [(row.x, row.y) for row in found.pairs()] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert sorted(found.to_networkx().nodes) == ["a", "b", "c"]
    assert str(found).startswith(
        "Markov network of 3 variables, 1 edge, adjusted for sex and age, learned by"
    )


def test_weights_are_those_given_covariates(
    found: gd.LearnedStructure, columns: dict[str, np.ndarray]
) -> None:
    # the partial correlation of b and c given sex and age, of residuals of normal scores by least squares
    from scipy.stats import norm, rankdata

    scores = {name: norm.ppf((rankdata(columns[name]) - 0.5) / 1_000) for name in ("age", "b", "c")}
    given = np.column_stack([np.ones(1_000), columns["sex"] == "m", scores["age"]])
    left = [scores[v] - given @ np.linalg.lstsq(given, scores[v], rcond=None)[0] for v in "bc"]
    (row,) = found.edges()
    assert row.weight == pytest.approx(np.corrcoef(*left)[0, 1], abs=0.02)


def test_pages_and_pictures_leave_covariates_out(found: gd.LearnedStructure, tmp_path: Path) -> None:
    drawn = {text.get_text() for text in found.plot().texts}
    assert drawn == {"a", "b", "c"}
    for kind in ("heatmap", "intervals", "centrality"):
        labels = {text.get_text() for text in found.plot(kind).get_yticklabels()}
        assert not any("age" in label for label in labels)
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Adjusted for sex and age: every edge and weight is given them; they" in page
    assert "age" not in found._repr_html_().split("svg")[1]


def test_a_file_and_an_update_keep_them(
    found: gd.LearnedStructure, columns: dict[str, np.ndarray], tmp_path: Path
) -> None:
    found.save(tmp_path / "s.json")
    loaded = gd.load(tmp_path / "s.json")
    assert isinstance(loaded, gd.LearnedStructure)
    assert loaded.covariates == found.covariates
    assert loaded.edges() == found.edges()
    later = found.update({name: column[:50] for name, column in columns.items()})
    assert names(later) == [("b", "c")]


def test_other_learners_adjust_as_well(columns: dict[str, np.ndarray]) -> None:
    found = gd.learn(columns, gd.GSMN(), covariates=["age", "sex"])
    assert names(found) == [("b", "c")]


@pytest.mark.parametrize(
    ("covariates", "said"),
    [("age", "list of columns"), (["height"], "height"), (["age", "a", "b", "sex"], "one column")],
)
def test_covariates_that_cannot_be_are_refused(
    columns: dict[str, np.ndarray], covariates: list[str], said: str
) -> None:
    with pytest.raises((GraphoidError, LookupError), match=said):
        gd.learn(columns, covariates=covariates)


def test_the_command_line_adjusts(
    columns: dict[str, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    asked = ["learn", "rows.csv", "--covariates", "age,sex", "--out", "s.json"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert "3 variables, 1 edge, adjusted for age and sex" in done.stdout
    again = CliRunner().invoke(app, ["learn", "--config", "s.json", "--json"])
    assert [(row["x"], row["y"]) for row in json.loads(again.stdout)["edges"]] == [("b", "c")]
    refused = CliRunner().invoke(app, [*asked, "--learner", "cspc"])
    assert refused.exit_code == 1
    assert "cspc finds many" in refused.stderr
