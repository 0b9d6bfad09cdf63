"""``graphoid demo`` shows a network and always the same one."""

from __future__ import annotations

import re

import pytest

from graphoid import LearnedStructure, UndirectedGraph, Verdict
from graphoid.cli.demo import demo, edge_table, in_words


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "100")
    demo()
    return capsys.readouterr().out


def test_the_demo_shows_edges_a_gap_the_cost_and_what_next(shown: str) -> None:
    assert "Titanic: 2,201 people on board, 4 variables: class, sex, age, survived" in shown
    assert re.search(r"sex +│ survived +│ \d\.?\d*e-8\d +│ beyond doubt", shown)
    assert "sex and age are not joined: given" in shown
    assert "above alpha = 0.001" in shown
    assert "17 tests, 6 of them on all pairs, 37,417 rows behind them;\n11 more answers followed" in shown
    assert "7 edges right, 0 too many, 0 missing" in shown
    assert "graphoid check FILE" in shown


def test_the_demo_is_the_same_every_time_but_for_the_clock(
    shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    demo()
    again = capsys.readouterr().out

    def timeless(text: str) -> str:
        return re.sub(r"[\d.e-]+ seconds", "", text)

    assert timeless(again) == timeless(shown)


def test_names_that_look_like_markup_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    graph = UndirectedGraph(["[red]a[/red]", "b"], [(0, 1)])
    found = LearnedStructure(graph, (Verdict(0, 1, (), False, log_p=-10.0),))
    Console(width=80).print(edge_table(found))
    assert "[red]a[/red]" in capsys.readouterr().out


def test_strength_in_words() -> None:
    assert [in_words(s) for s in (None, 1, 3, 6, 20)] == [
        "known",
        "weak",
        "strong",
        "very strong",
        "beyond doubt",
    ]


def test_demo_is_a_command() -> None:
    from typer.testing import CliRunner

    from graphoid.cli.main import app

    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0
    assert "Titanic" in result.output
