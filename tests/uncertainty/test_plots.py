"""Pictures: what is on the axes is what the tables say."""

from dataclasses import replace

import pytest

import graphoid as gd
from graphoid.uncertainty import plots

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def found():
    return (
        gd.Bootstrap(gd.GSIMN(), n=16, kind="rows", random_state=1).fit(gd.datasets.load("titanic")).result_
    )


def test_edge_intervals(found):
    ax = plots.edge_intervals(found)
    labels = {text.get_text() for text in ax.get_yticklabels()}
    rows = [row for row in found.edges() if row.frequency > 0 or row.joined]
    assert labels == {f"{row.x} – {row.y}" for row in rows}
    drawn = {tuple(line.get_xdata()) for line in ax.lines}
    assert {(row.low, row.high) for row in rows} <= drawn


def test_centrality_and_differences(found):
    ax = plots.centrality(found)
    assert [text.get_text() for text in ax.get_yticklabels()][-1] == max(
        (row for row in found.centrality() if row.measure == "strength"), key=lambda row: row.value
    ).variable
    shade = plots.differences(found).images[0].get_array()
    assert shade.sum() == 2 * sum(row.different for row in found.differences())


def test_case_drop():
    table = gd.datasets.load("titanic")
    found = gd.Bootstrap(gd.GSIMN(), n=16, kind="cases", random_state=1).fit(table).result_
    ax = plots.case_drop(found)
    curve = [row for row in found.stability() if row.measure == "strength"]
    assert list(ax.lines[0].get_ydata()) == [row.correlation for row in curve]
    assert plots.case_drop(found, ax) is ax


def test_a_dollar_sign_in_a_name_begins_no_formula(tmp_path):
    titanic = gd.datasets.load("titanic")
    bad = [rf"$\no such{{ {name}$" for name in titanic.names]  # drawing one as a formula raises
    table = replace(titanic, variables=tuple(map(_renamed, titanic.variables, bad)))
    found = gd.Bootstrap(gd.GSIMN(), n=8, random_state=1).fit(table).result_
    for draw in (plots.edge_intervals, plots.centrality, plots.differences):
        ax = draw(found)
        ax.figure.savefig(tmp_path / "some.png")
        assert any(bad[0] in label.get_text() for label in ax.get_yticklabels())


def _renamed(variable, name):
    return replace(variable, name=name)
