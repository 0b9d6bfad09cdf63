"""The learned structure: what it says, and that a file says the same."""

from __future__ import annotations

import copy
import json
import math
from typing import TYPE_CHECKING

import pytest

import graphoid as gd
from graphoid.errors import DataError, UnknownVariable
from graphoid.logic.verdict import Verdict
from graphoid.structure.explain import listing, probability
from graphoid.structure.learned import Cost

if TYPE_CHECKING:
    from pathlib import Path


def judged(x: int, y: int, given: tuple[int, ...], log_p: float, **more: object) -> Verdict:
    return Verdict(
        x, y, given, log_p > math.log(0.05), 12.5, 2.0, math.exp(log_p), log_p, n_rows=2_201, **more
    )


NAMES = ["a", "b <i>", "ç"]
TRACE = (
    judged(0, 1, (), -40.0),
    judged(0, 2, (), -9.0),
    judged(1, 2, (), -12_000.0),
    judged(0, 1, (), -40.0),
    judged(0, 2, (1,), math.log(0.4), thin=True),
    judged(0, 1, (), -41.0),
    Verdict(1, 0, (), False, source="propagation"),
    judged(1, 2, (0,), -11_990.0),
    judged(1, 2, (0,), -11_991.0),
    Verdict(2, 0, (1,), True, source="propagation"),
)
SETTINGS = {
    "learner": "GSMN",
    "test": {"name": "ChiSquare", "alpha": 0.05, "dof": "slices"},
    "propagate": True,
}


@pytest.fixture
def found() -> gd.LearnedStructure:
    graph = gd.UndirectedGraph(NAMES, [(0, 1), (1, 2)])
    cost = Cost.of(TRACE, n_initial=3, seconds=0.25, queries=6)
    return gd.LearnedStructure(graph, TRACE, cost, settings=SETTINGS, data_id="abc")


def test_cost_counts_what_was_executed(found: gd.LearnedStructure) -> None:
    assert found.cost.n_tests == 8
    assert found.cost.n_inferred == 2
    assert found.cost.weighted == 5 * 2 + 3 * 3
    assert found.cost.rows_read == 8 * 2_201


def test_the_deciding_verdict_is_the_last_that_agrees_and_was_not_taken_over(
    found: gd.LearnedStructure,
) -> None:
    assert found.verdicts == {(0, 1): TRACE[5], (0, 2): TRACE[4], (1, 2): TRACE[8]}


def test_edges_are_tidy_rows(found: gd.LearnedStructure) -> None:
    rows = found.edges()
    assert [(row.x, row.y) for row in rows] == [("a", "b <i>"), ("b <i>", "ç")]
    assert rows[0].evidence == "p = 1.56e-18 unconditionally"
    assert rows[1].evidence == "p = 2.37e-5208 given a"
    assert rows[0].strength == pytest.approx(41 / math.log(10))


def test_why_explains_edges_and_gaps(found: gd.LearnedStructure) -> None:
    assert found.why("a", "ç").splitlines() == [
        (
            "a and ç are not joined: given b <i>, they are independent "
            "(p = 0.4, above alpha = 0.05, 2,201 rows, too little data to be sure)."
        ),
        "Asked, in this order:",
        (
            "  2. dependent in the initial tests: p = 0.000123 unconditionally, "
            "statistic 12.5 with 2 degrees of freedom"
        ),
        (
            "  5. independent: p = 0.4 given b <i>, too little data to be sure, "
            "statistic 12.5 with 2 degrees of freedom"
        ),
        "  10. independent, as found when a was examined (propagation)",
    ]
    assert found.why(1, 0).startswith(
        "b <i> and a are joined: with nothing given, they depend on each other "
        "(p = 1.56e-18, not above alpha = 0.05, 2,201 rows)."
    )
    assert "one variable" in found.why("a", 0)
    with pytest.raises(UnknownVariable, match="named 'zebra'"):
        found.why("a", "zebra")


def test_why_without_a_record() -> None:
    bare = gd.LearnedStructure(gd.UndirectedGraph(2, [(0, 1)]))
    assert bare.why(0, 1) == "0 and 1 are joined. No question about them was recorded."
    assert bare.edges()[0].evidence == "no record"


def test_terminal_text_has_the_strongest_edge_first(found: gd.LearnedStructure) -> None:
    assert str(found).splitlines() == [
        "Markov network of 3 variables, 2 edges, learned by GSMN with ChiSquare(alpha=0.05, dof='slices')",
        "  b <i> – ç  p = 2.37e-5208 given a",
        "  a – b <i>  p = 1.56e-18 unconditionally",
        "8 tests (weighted 19, 3 initial), 2 answers inferred without a test, 0.25 s",
    ]
    assert repr(found) == "<LearnedStructure by GSMN: 3 variables, 2 edges, 8 tests>"


def test_variables_joined_to_nothing_are_named() -> None:
    assert "isolated: 2" in str(gd.LearnedStructure(gd.UndirectedGraph(3, [(0, 1)])))


def test_very_many_edges_are_cut_in_text_and_not_in_rows() -> None:
    graph = gd.UndirectedGraph(80, [(0, x) for x in range(1, 80)])
    many = gd.LearnedStructure(
        graph, tuple(Verdict(x, y, (), False, source="oracle") for x, y in graph.edges)
    )
    assert "and 29 more; edges() has them all" in str(many)
    assert "and 29 more" in many._repr_html_()
    assert len(many.edges()) == 79
    assert many.edges()[0].evidence == "known unconditionally"


def test_notebook_html_is_escaped(found: gd.LearnedStructure) -> None:
    page = found._repr_html_()
    assert "b &lt;i&gt;" in page
    assert "<i>" not in page


def test_an_empty_graph_explains_itself() -> None:
    trace = (
        judged(0, 1, (), math.log(0.2)),
        judged(0, 2, (), math.log(0.07)),
        judged(1, 2, (), -0.1, thin=True),
    )
    empty = gd.LearnedStructure(gd.UndirectedGraph(["a", "b", "c"]), trace, Cost.of(trace, n_initial=3))
    for shown in (str(empty), empty._repr_html_()):
        assert "No edge: every pair was found independent" in shown
        assert "The nearest to one: a – c, p = 0.07 unconditionally." in shown
        assert "1 of 3 answers rest on too little data." in shown
        assert "With 2,201 rows weak dependences may go unseen" in shown
    assert "no two variables" in str(gd.LearnedStructure(gd.UndirectedGraph(1)))
    assert "No question was asked" in str(gd.LearnedStructure(gd.UndirectedGraph(2)))


def test_words() -> None:
    assert listing(["a", "b"]) == "a and b"
    assert probability(0.0) == "1"
    assert probability(-math.inf) == "0"
    assert probability(-1_000 * math.log(10)) == "1.00e-1000"  # and not 10.00e-1001
    bayesian = Verdict(0, 1, (), False, log_odds=-900.0)
    found = gd.LearnedStructure(gd.UndirectedGraph(2, [(0, 1)]), (bayesian,))
    assert found.edges()[0].evidence == "P(independent) = 1.36e-391 unconditionally"
    assert found.edges()[0].strength == pytest.approx(900 / math.log(10))


def test_networkx_edges_carry_their_evidence(found: gd.LearnedStructure) -> None:
    edges = found.to_networkx().edges
    assert edges["a", "b <i>"]["evidence"] == "p = 1.56e-18 unconditionally"


def test_a_saved_structure_comes_back_equal(found: gd.LearnedStructure, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    found.save(path)
    back = gd.load(path)
    assert back == found
    assert str(back) == str(found)
    assert gd.LearnedStructure.from_json(found.to_json()) == found
    assert copy.deepcopy(found) == found
    assert [p.name for p in tmp_path.iterdir()] == ["s.json"]  # nothing half-written stays behind
    json.loads(
        path.read_text(encoding="utf-8"), parse_constant=pytest.fail
    )  # plain JSON: no NaN, no Infinity


def test_infinite_numbers_survive() -> None:
    v = Verdict(0, 1, (), False, statistic=math.inf, p_value=0.0, log_p=-math.inf)
    found = gd.LearnedStructure(gd.UndirectedGraph(2, [(0, 1)]), (v,))
    assert gd.LearnedStructure.from_json(found.to_json()) == found


def test_layout_of_the_file_does_not_matter(found: gd.LearnedStructure) -> None:
    pretty = json.dumps(json.loads(found.to_json()), indent=2, sort_keys=True)
    assert gd.LearnedStructure.from_json(pretty) == found


def broken(text: str) -> dict[str, tuple[str, str]]:
    """Texts that are not what was saved, with what must be said about them."""
    document = json.loads(text)
    newer = {**document, "version": 2}
    older = {**document, "version": 0}
    no_body = {key: value for key, value in document.items() if key != "body"}
    return {
        "empty": ("", "not whole JSON"),
        "truncated": (text[: len(text) // 2], "not whole JSON .* cut off"),
        "a list": ("[1, 2]", "not a structure or .* a model that graphoid saved"),
        "other JSON": ('{"format": "something"}', "not a structure or .* a model that graphoid saved"),
        "tampered": (text.replace("[0,1]", "[0,2]", 1), "damaged or changed"),
        "renamed": (text.replace('"a"', '"z"', 1), "damaged or changed"),
        "newer": (json.dumps(newer), "newer graphoid .file version 2; this one reads 1.* Upgrade"),
        "older": (json.dumps(older), "damaged or changed"),
        "no body": (json.dumps(no_body), "damaged or changed"),
        "deep": ("[" * 100_000, "not whole JSON"),
    }


@pytest.mark.parametrize("kind", list(broken('{"format": "", "body": ""}')))
def test_broken_files_get_one_clear_sentence(found: gd.LearnedStructure, tmp_path: Path, kind: str) -> None:
    text, says = broken(found.to_json())[kind]
    path = tmp_path / "s.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=says) as caught:
        gd.load(path)
    assert "s.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_digest_that_fits_does_not_excuse_nonsense(found: gd.LearnedStructure) -> None:
    from graphoid.structure.document import digest

    document = json.loads(found.to_json())
    for part, value in (("names", None), ("edges", [[0, 9]]), ("cost", {"n": 1}), ("trace", {})):
        body = {**document["body"], part: value}
        text = json.dumps({**document, "body": body, "digest": digest(body)})
        with pytest.raises(DataError, match="did not write"):
            gd.LearnedStructure.from_json(text)


def test_binary_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(b"\x80\x04\x95pickle\xff")
    with pytest.raises(DataError, match="not a text file"):
        gd.load(path)
    with pytest.raises(FileNotFoundError):
        gd.load(tmp_path / "none.json")
