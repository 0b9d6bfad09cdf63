import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import graphoid as gd
from graphoid.report import page
from graphoid.structure.learned import LearnedStructure
from tests.support.hostile_names import HOSTILE, hostile_table


class Read(HTMLParser):
    """The tags and the text of a page, as a browser would see them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.sources, self._in = [], [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._in = tag

    def handle_endtag(self, tag):
        self._in = None

    def handle_data(self, data):
        self.text.append(data)
        if self._in in ("style", "script"):
            self.sources.setdefault(self._in, []).append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def data_of(text):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, flags=re.DOTALL)
    return json.loads(found[1])


@pytest.fixture(scope="module")
def titanic():
    return gd.datasets.load("titanic")


@pytest.fixture(scope="module")
def found(titanic):
    return gd.GSMN(test=gd.ChiSquare(alpha=0.001)).fit(titanic).structure_


@pytest.fixture(scope="module")
def text(found, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "titanic.html"
    found.report(path)
    return path.read_text(encoding="utf-8")


def test_the_policy_allows_this_style_and_this_script_and_nothing_else(text):
    read = Read(text)
    policy = next(attrs["content"] for tag, attrs in read.tags if attrs.get("http-equiv"))
    digests = [
        base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        for source in (read.sources["script"][-1], read.sources["style"][0])
    ]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digests[0]}'; style-src 'sha256-{digests[1]}'; "
        f"base-uri 'none'; form-action 'none'"
    )


def test_the_page_asks_for_nothing(text):
    for tag, attrs in Read(text).tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert "src" not in attrs
        assert not [key for key in attrs if key.startswith("on") or key == "style"]
        assert attrs.get("href", "#").startswith("#")
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "").replace(
        "http://graphml", ""
    ).replace("http://www.w3.org/2001", "")


def test_everything_a_paper_needs_is_said(text, found, titanic):
    words = Read(text).words
    for part in (
        "Edges",
        "Conditional independences",
        "Variables",
        "Method",
        "Centrality",
        "Adjacency matrix",
    ):
        assert part in words
    for part in (
        "Appendix: cost",
        "Appendix: provenance",
        "Limits",
        "How to repeat it",
        "@article{Bromberg2009",
    ):
        assert part in words
    assert titanic.data_id in words
    assert "2,201" in words
    assert f"Tests executed {found.cost.n_tests}" in words
    assert "Pearson's χ²" in words
    assert "structure = gd.GSMN(test=gd.ChiSquare(alpha=0.001" in words


def test_counts_behind_an_edge_add_up_to_the_rows(text, found, titanic):
    edges = data_of(text)["edges"]
    assert [(e["x"], e["y"]) for e in edges] == list(found.graph.edges)
    sex_survived = next(e for e in edges if (e["x"], e["y"]) == (1, 3))
    # of 1,731 males 367 and of 470 females 344 survived: the official counts
    assert sex_survived["meeting"]["observed"] == [[1364, 367], [126, 344]]
    assert np.isclose(np.sum(sex_survived["meeting"]["expected"]), titanic.n_rows, atol=0.1)
    assert sex_survived["asked"]
    assert "are joined" in sex_survived["why"]


def test_a_saved_structure_reports_without_the_table_and_better_with_it(found, titanic, tmp_path):
    loaded = LearnedStructure.from_json(found.to_json())
    assert loaded == found
    assert loaded.table is None
    loaded.report(tmp_path / "a.html")
    assert "meeting" not in data_of((tmp_path / "a.html").read_text(encoding="utf-8"))["edges"][0]
    loaded.report(tmp_path / "b.html", table=titanic)
    assert "meeting" in data_of((tmp_path / "b.html").read_text(encoding="utf-8"))["edges"][0]


def test_a_table_of_other_columns_is_refused(found, tmp_path):
    with pytest.raises(
        gd.errors.DataError if hasattr(gd, "errors") else ValueError, match="was learned from"
    ):
        found.report(tmp_path / "a.html", table={"a": [0, 1], "b": [1, 0]})


def test_rows_of_another_table_are_owned_up_to(found, titanic, tmp_path):
    half = replace(titanic, columns=tuple(c[::2].copy() for c in titanic.columns), n_rows=1101)
    found.report(tmp_path / "a.html", table=half)
    assert "come from another table than the one" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_two_reports_share_their_layout(found, titanic, tmp_path):
    found.report(tmp_path / "a.html", seed=5)
    other = gd.GSMN(test=gd.ChiSquare(alpha=1e-30)).fit(titanic).structure_
    other.report(tmp_path / "b.html", layout_from=tmp_path / "a.html")
    places = [
        {node["key"]: node["at"] for node in data_of((tmp_path / f"{name}.html").read_text())["nodes"]}
        for name in "ab"
    ]
    assert places[0] == places[1]


@pytest.mark.parametrize(
    "content", ["<p>no report</p>", '<script type="application/json" id="data">{}</script>', ""]
)
def test_a_layout_comes_from_a_report(found, tmp_path, content):
    (tmp_path / "x.html").write_text(content)
    with pytest.raises(ValueError, match="no report that graphoid wrote"):
        found.report(tmp_path / "a.html", layout_from=tmp_path / "x.html")


def test_hostile_names_are_shown_and_are_not_markup(tmp_path):
    table = hostile_table()
    gd.GSMN().fit(table).structure_.report(tmp_path / "a.html", title="<script>window.broken = 2</script>")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    read = Read(text)
    assert sum(tag == "script" for tag, _ in read.tags) == 2
    assert not [tag for tag, _ in read.tags if tag in ("img", "b")]
    data = data_of(text)
    assert [node["key"] for node in data["nodes"]] == list(HOSTILE)
    for shown in (
        "<script>window.broken = 1</script>",
        "new↵line⇥and[U+001B][31mtab",
        "turned [U+202E] around",
    ):
        assert shown in read.words
    # a spreadsheet does not take a name for a formula, and LaTeX does not take one for a command
    assert "\n=" not in data["files"]["csv"]
    assert "'=cmd|" in data["files"]["csv"]
    assert r"\textless{}script\textgreater{}" in data["files"]["latex"]
    import networkx as nx

    graph = nx.parse_graphml(data["files"]["graphml"])
    assert nx.get_node_attributes(graph, "label")["n0"] == HOSTILE[0]


def test_names_that_no_file_can_hold(tmp_path):
    graph = gd.UndirectedGraph(["a\ud800", "\x00", ""], [(0, 1)])
    LearnedStructure(graph).report(tmp_path / "a.html")
    assert "(no name)" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_graphs_of_contexts_can_be_chosen(tmp_path):
    model = gd.CSGS().fit(gd.datasets.load("survey")).structure_
    model.report(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "those of the union of the graphs of all contexts" in text
    assert "9 more independences of the graphs are undecided" in text
    data = data_of(text)
    for number, context in enumerate(model.contexts[: len(data["views"])]):
        drawn = [(e["x"], e["y"]) for e in data["edges"] if number in e.get("views", ())]
        assert tuple(drawn) == context.graph.edges


def test_strengths_are_those_of_the_context_that_is_chosen(tmp_path):
    table = gd.datasets.load("survey")
    model = gd.CSGS().fit(table).structure_
    model.report(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert text.count("strengths are those of all rows together") == 2  # below the drawing and the table
    data = data_of(text)
    edges = {(e["x"], e["y"]): e for e in data["edges"]}
    lines = data["files"]["csv"].splitlines()
    for number, context in enumerate(model.contexts):
        known = dict(zip(context.graph.edges, gd.strengths(context, table), strict=True))
        for pair, strength in known.items():
            own = edges[pair]["by_view"][str(number)]
            assert own["weight"] == pytest.approx(strength.weight)
            assert own["weight_interval"] == pytest.approx([strength.weight_low, strength.weight_high])
            assert own["words"] == strength.sentence
            assert own["sign"] == ("positive" if strength.weight >= 0 else "negative")
        widest = max(known, key=lambda pair: known[pair].size)
        widths = {pair: edges[pair]["by_view"][str(number)]["width"] for pair in known}
        assert widths[widest] == max(widths.values()) == 6.5
        assert sum(f",{number + 1}," in line for line in lines) >= len(known)
    assert lines[0].startswith("x,y,context,weight")


def test_contexts_of_few_rows_have_no_false_numbers(tmp_path):
    table = gd.datasets.load("survey").keep(np.arange(60))
    gd.CSGS().fit(table).structure_.report(tmp_path / "a.html")
    data = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
    own = [one for edge in data["edges"] for one in edge.get("by_view", {}).values()]
    assert all("weight" in one or "size" in one or "cannot be estimated" in one["words"] for one in own)


def test_hyperedges_of_a_classifier_are_drawn(tmp_path):
    table = gd.datasets.load("monks-1")
    columns = [np.array(v.states)[table.column(i)] for i, v in enumerate(table.variables)]
    model = gd.MarkovNetworkClassifier().fit(np.array(columns[:-1], dtype=object).T, columns[-1])
    page.write(model, tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    data = data_of(text)
    assert {tuple(h["members"]) for h in data["hulls"]} == {
        tuple(sorted(int(name[1:]) for name in h.attributes)) for h in model.hyperedges_
    }
    assert text.count("data-edge") >= sum(h.order == 3 for h in model.hyperedges_)


def test_other_things_are_refused(tmp_path):
    with pytest.raises(ValueError, match="a report is about"):
        page.write({"a": 1}, tmp_path / "a.html")


def test_empty_and_unconnected_graphs_have_reports(tmp_path):
    for n in (0, 1, 3):
        LearnedStructure(gd.UndirectedGraph(n)).report(tmp_path / "a.html")
        assert "There are no edges." in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_continuous_columns_have_a_report(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    table = gd.read({"a": x, "b": x + rng.normal(size=500), "c": rng.normal(size=500)}, discretize=None)
    gd.GSMN(test=gd.PartialCorrelation()).fit(table).structure_.report(tmp_path / "a.html")
    edge = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))["edges"][0]
    assert 0.6 < edge["r"] < 0.8  # 1 / sqrt(2)


def test_a_structure_keeps_its_table_to_itself(found, titanic):
    import pickle

    assert found.table is titanic
    assert "table" not in json.loads(found.to_json())["body"]
    assert pickle.loads(pickle.dumps(found)).table is None  # noqa: S301 - our own bytes
    assert gd.learn(titanic).table is titanic


def test_resampling_gives_every_edge_a_frequency_and_an_interval(found, titanic, tmp_path):
    run = gd.Bootstrap(gd.GSMN(test=gd.ChiSquare(alpha=0.001)), n=20, random_state=1).fit(titanic)
    found.report(tmp_path / "a.html", bootstrap=run)
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    rows = {(row.x, row.y): row for row in run.edges()}
    for edge in data_of(text)["edges"]:
        row = rows[found.names[edge["x"]], found.names[edge["y"]]]
        assert edge["frequency"] == row.frequency
        assert edge["interval"] == pytest.approx([row.low, row.high])
        assert edge["verdict"] == row.verdict
    assert "resampled 20 times" in Read(text).words
    run.save(tmp_path / "run.json")
    found.report(tmp_path / "b.html", bootstrap=gd.load(tmp_path / "run.json"))
    assert data_of((tmp_path / "b.html").read_text(encoding="utf-8"))["edges"] == data_of(text)["edges"]


def test_resamples_of_another_table_are_refused(found, tmp_path):
    run = gd.Bootstrap(gd.GSMN(), n=2, random_state=1).fit(gd.datasets.load("survey"))
    with pytest.raises(ValueError, match="which the network does not have"):
        found.report(tmp_path / "a.html", bootstrap=run)


def test_states_are_quoted_as_they_are(tmp_path):
    gd.GSMN().fit(hostile_table()).structure_.report(tmp_path / "a.html")
    words = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))["edges"][0]["words"]
    assert "'</script>לא↵'" in words
    assert "\\u20" not in words
