"""Knowledge: what may be said, what it means for a table, and what is refused in one sentence."""

from __future__ import annotations

import math
from typing import Any

import pytest

import graphoid as gd
from graphoid.errors import DataError, SettingsError
from graphoid.structure.knowledge import KnowledgeRow

NAMES = ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"required": [("a", "b")], "forbidden": [("b", "a")]}, "'a' and 'b' are required and forbidden"),
        ({"required": "ab"}, "required is 'ab'; expected pairs of names"),
        ({"required": [("a", "b", "c")]}, r"required has \('a', 'b', 'c'\); a pair is two names"),
        ({"required": [("a", 1)]}, "a pair is two names"),
        ({"forbidden": [("a", "a")]}, "an edge joins two different variables"),
        (
            {"prior": {("a", "b"): 1.0}},
            "the probability of 'a' and 'b' is 1.0; it must be above 0 and below 1",
        ),
        ({"prior": {("a", "b"): 0}}, "is 0; it must be above 0 and below 1"),
        ({"prior": {("a", "b"): 0.2, ("b", "a"): 0.3}}, "have two probabilities"),
        (
            {"prior": {("a", "b"): 0.2}, "required": [("b", "a")]},
            "required or forbidden and have a probability",
        ),
        ({"prior": [0.2]}, r"prior is \[0.2\]"),
        ({"blocks": [["a", "b"], ["b", "c"]]}, "'b' is in the blocks '1' and '2'"),
        ({"blocks": ["ab"]}, "block '1' is 'ab'; expected a list of names"),
        ({"blocks": 3}, "blocks is 3"),
        ({"blocks": [[1]]}, "block '1' has 1, which is no name"),
        ({"waves": "t{wave}"}, "such as '{item}_t{wave}'"),
        ({"waves": "{item}_t{wave}", "blocks": [["a"], ["b"]]}, "give waves or blocks, not both"),
    ],
)
def test_what_means_nothing_is_refused_in_a_sentence(said: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message) as error:
        gd.Knowledge(**said)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"required": [("a", "x")]},
            "an edge is required of 'x', and no variable is called so; there are 'a'",
        ),
        ({"forbidden": [("a", "x")]}, "an edge is forbidden of 'x'"),
        ({"blocks": {"old": ["a", "x"]}}, "block 'old' has 'x'"),
        ({"prior": {("a", "x"): 0.2}}, "not of 'a' and 'x'; there are the variables .* and no blocks"),
        ({"prior": {("1", "a"): 0.2}, "blocks": [["a"], ["b"]]}, "of two variables or of two blocks"),
        ({"blocks": {"a": ["b"]}, "prior": {("a", "c"): 0.2}}, "'a' is a variable and a block"),
        ({"blocks": [["a"], ["b"], ["c"]], "required": [("a", "c")]}, "are in blocks that are not neighbors"),
        (
            {"blocks": [["a"], ["b"], ["c"]], "prior": {("a", "c"): 0.2}},
            "are in blocks that are not neighbors",
        ),
        ({"blocks": [["a"], ["b"], ["c"]], "prior": {("1", "3"): 0.2}}, "'1' and '3' are not neighbors"),
        ({"waves": "{item}_t{wave}"}, r"0 wave\(s\) are called so among 'a', 'b', 'c', 'd'"),
    ],
)
def test_names_are_checked_against_the_table(said: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        gd.Knowledge(**said).on(NAMES)


def test_pairs_become_positions() -> None:
    known = gd.Knowledge(required=[("d", "a")], forbidden=[("b", "c")], prior={("c", "a"): 0.8}).on(NAMES)
    assert known.required.edges == ((0, 3),)
    assert known.forbidden.edges == ((1, 2),)
    assert known.log_odds == {(0, 2): pytest.approx(math.log(4))}
    assert [known.is_open(0, y) for y in (1, 2, 3)] == [True, True, False]
    assert known.impose(gd.UndirectedGraph(NAMES, [("b", "c"), ("a", "b")])).edges == ((0, 1), (0, 3))
    assert known.decide({(0, 1): 0.4, (1, 2): 0.7}) == {(0, 1): 0.4, (0, 3): 1.0, (1, 2): 0.0}
    answer = known.answer(3, 0, (1,))
    assert answer is not None
    assert (answer.independent, answer.source) == (False, "knowledge")
    assert known.answer(0, 1, ()) is None


def test_blocks_that_are_not_neighbors_have_no_edge() -> None:
    known = gd.Knowledge(blocks=[["a"], ["b", "c"], ["d"]]).on((*NAMES, "sex"))
    assert known.forbidden.edges == ((0, 3),)


def test_what_is_said_of_a_pair_goes_before_what_is_said_of_its_blocks() -> None:
    known = gd.Knowledge(
        blocks={"early": ["a", "b"], "late": ["c", "d"]},
        prior={("a", "c"): 0.5, ("early", "late"): 0.2, ("late", "late"): 0.8},
        required=[("b", "d")],
    ).on(NAMES)
    low, high = math.log(0.25), math.log(4)
    assert known.log_odds == pytest.approx({(0, 2): 0.0, (0, 3): low, (1, 2): low, (2, 3): high})


def test_waves_are_blocks_by_their_numbers() -> None:
    names = ["mood_t10", "sleep_t10", "mood_t2", "sleep_t1", "mood_t1", "sex"]
    panel = gd.Knowledge(waves="{item}_t{wave}")
    assert list(panel.blocks_of(names)) == ["1", "2", "10"]
    assert set(panel.on(names).forbidden.edges) == {(0, 3), (0, 4), (1, 3), (1, 4)}
    assert panel.kind_of("mood_t1", "mood_t2") == "autoregressive"
    assert panel.kind_of("mood_t2", "sleep_t1") == "lag 1"
    assert panel.kind_of("mood_t1", "sleep_t1") == "contemporaneous"
    assert panel.kind_of("mood_t1", "sex") is None


def test_a_file_says_the_same(tmp_path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(
        """
        required = [["a", "b"]]
        forbidden = [["a", "c"]]

        [blocks]
        early = ["a", "b"]
        late = ["c", "d"]

        [[prior]]
        pair = ["b", "c"]
        probability = 0.8
        """,
        encoding="utf-8",
    )
    known = gd.Knowledge(
        required=[("a", "b")],
        forbidden=[("a", "c")],
        blocks={"early": ["a", "b"], "late": ["c", "d"]},
        prior={("b", "c"): 0.8},
    )
    assert gd.Knowledge.read(path) == known
    assert gd.Knowledge.from_values(known.to_values()) == known


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("required = [", "known.toml' is not TOML"),
        ("edges = []", "known.toml' has 'edges'; knowledge has blocks, forbidden, prior, required, waves"),
        ("[[prior]]\npair = ['a', 'b']", "has a pair and a probability"),
        ("[[prior]]\npair = ['a', 'b']\nprobability = 2", "is 2; it must be above 0 and below 1"),
        ("[[prior]]\npair = ['a']\nprobability = 0.2", "a pair is two names"),
    ],
)
def test_a_file_that_says_something_else_is_refused(text: str, message: str, tmp_path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((SettingsError, DataError), match=message):
        gd.Knowledge.read(path)


def test_a_file_that_is_not_there_is_refused(tmp_path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        gd.Knowledge.read(tmp_path / "none.toml")


def test_a_row_says_what_the_data_say() -> None:
    verdicts = [KnowledgeRow.of("required", "a", "b", number).verdict for number in (4.0, 0.0, -3.1, None)]
    assert verdicts == [
        "the data support this",
        "the data leave this open",
        "the data contradict this",
        "not measured",
    ]


def test_learners_refuse_what_is_no_knowledge() -> None:
    table = gd.datasets.load("titanic")
    for learner in (gd.GSMN(knowledge={"required": []}), gd.Search(gd.MPL(), knowledge=3)):  # type: ignore[arg-type]
        with pytest.raises(SettingsError, match=r"knowledge must be Knowledge\(...\) or None"):
            learner.fit(table)
    with pytest.raises(SettingsError, match="knowledge must be"):
        gd.learn(table, knowledge=3)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="no variable is called so"):
        gd.learn(table, gd.GSMN(), knowledge=gd.Knowledge(required=[("sex", "fare")]))
