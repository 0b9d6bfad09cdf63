import numpy as np
import pytest

import graphoid as gd
from graphoid.report import plots
from tests.support.hostile_names import hostile_table

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def titanic():
    return gd.GSMN().fit(gd.datasets.load("titanic")).structure_


def test_a_network_has_a_line_an_edge_and_a_label_a_variable(titanic):
    ax = plots.network(titanic)
    assert len(ax.lines) == titanic.graph.n_edges
    assert {label.get_text() for label in ax.texts} == set(titanic.names)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_it_is_written_in_every_format(titanic, tmp_path, ending):
    plots.network(titanic).figure.savefig(tmp_path / f"a.{ending}")
    assert (tmp_path / f"a.{ending}").stat().st_size > 1_000


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_hostile_names_are_drawn_as_they_are(tmp_path):
    ax = plots.network(gd.GSMN().fit(hostile_table()).structure_)
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        ax.figure.savefig(tmp_path / "a.svg")
    from xml.etree import ElementTree as ET

    root = ET.parse(tmp_path / "a.svg").getroot()  # noqa: S314 - our own file
    assert not [e for e in root.iter() if e.tag.endswith(("script", "img"))]
    words = " ".join("".join(e.itertext()) for e in root.iter() if e.tag.endswith("text"))
    assert "<script>window." in words


def test_the_interval_of_a_log_odds_ratio(titanic):
    ax = plots.edge_intervals(titanic)
    segments = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2]
    assert all(low < high for low, high in segments[:-1])
    with pytest.raises(ValueError, match="no edge has an interval"):
        plots.edge_intervals(gd.LearnedStructure(gd.UndirectedGraph(2, [(0, 1)])))


def test_cost_against_entropy_falls_to_nothing():
    table = gd.datasets.load("survey")
    found = gd.PFMN(random_state=0).fit(table).structure_
    ax = plots.cost_against_entropy({"PFMN": found})
    line = ax.lines[0]
    assert (np.diff(line.get_xdata()) >= 0).all()
    assert line.get_ydata()[-1] < line.get_ydata()[0]
    with pytest.raises(ValueError, match="PFMN"):
        plots.cost_against_entropy(gd.GSMN().fit(table).structure_)


def test_contexts_are_drawn_side_by_side():
    model = gd.CSGS().fit(gd.datasets.load("survey")).structure_
    panels = plots.contexts(model, most=4)
    assert len(panels) == min(4, len(model.graphs))
    for ax, context in zip(panels, model.contexts, strict=False):
        assert len(ax.lines) == context.graph.n_edges


def test_hyperedges_need_a_classifier(titanic):
    with pytest.raises(ValueError, match="MarkovNetworkClassifier"):
        plots.hyperedges(titanic)


def test_a_dollar_sign_in_a_name_begins_no_formula():
    bad = r"$\no such{ thing$"  # drawing it as a formula raises
    found = gd.LearnedStructure(gd.UndirectedGraph(1), details={"entropy_by_cost": [[0, 1.0], [2, 0.5]]})
    ax = plots.cost_against_entropy({bad: found})
    ax.figure.canvas.draw()
    assert ax.get_legend().get_texts()[0].get_text() == bad.replace("$", r"\$")


@pytest.fixture(scope="module")
def survey():
    return gd.learn(gd.datasets.load("survey"))


@pytest.mark.parametrize("kind", ["network", "centrality", "intervals", "heatmap", "missing"])
def test_every_kind_draws_by_itself_and_on_given_axes(survey, kind):
    from matplotlib import pyplot as plt

    ax = survey.plot(kind)
    assert plt.fignum_exists(ax.figure.number)  # a notebook shows what pyplot knows
    ax.figure.canvas.draw()
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 4
    _, mine = plt.subplots()
    assert survey.plot(kind, ax=mine) is mine
    with pytest.raises(ValueError, match="kind is 'pie'; expected one of network, centrality"):
        survey.plot("pie")


def test_centrality_is_what_it_says(survey):
    from graphoid.report.centrality import centrality_of
    from graphoid.report.edges import edges_of
    from graphoid.report.subject import subject_of

    subject = subject_of(survey)
    rows = {(r.measure, subject.names[r.v]): r.value for r in centrality_of(subject, edges_of(subject))}
    weights = survey.weights()
    bus = survey.names.index("bus")
    assert rows["strength", "bus"] == pytest.approx(np.abs(weights[bus]).sum(), rel=1e-6)
    assert rows["expected influence", "bus"] == pytest.approx(weights[bus].sum(), rel=1e-6)
    assert rows["betweenness", "content"] == 0  # a leaf is on no path between others
    assert rows["betweenness", "bus"] == pytest.approx(0.4)  # all four paths to content, of ten pairs


def test_missing_cells_are_drawn_where_they_are():
    from graphoid.data.missing_cells import missing_cells

    columns = {"a": [1, None, 3, 4], "b": ["x", "y", None, None]}
    names, absent = missing_cells(columns)
    assert names == ("a", "b")
    assert absent.tolist() == [[False, False], [True, False], [False, True], [False, True]]
    ax = plots.missing(columns)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a  25%", "b  50%"]
    assert "37.5%" in ax.get_ylabel()


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_command_line_writes_the_same_pictures(tmp_path, ending):
    from tests.support.terminal import graphoid

    graphoid("datasets", "survey", "--out", tmp_path / "survey.csv")
    wanted = [f"{kind}={tmp_path / kind}.{ending}" for kind in ("centrality", "heatmap", "missing")]
    given = [word for text in [f"{tmp_path}/net.{ending}", *wanted] for word in ("--plot", text)]
    done = graphoid("learn", tmp_path / "survey.csv", "--learner", "gsmn", *given)
    assert done.returncode == 0, done.stderr
    start = {"svg": (b"<svg", b"<?xml"), "png": (b"\x89PNG",), "pdf": (b"%PDF",)}[ending]
    for name in ("net", "centrality", "heatmap", "missing"):
        assert (tmp_path / f"{name}.{ending}").read_bytes().startswith(start)
    assert (
        "must end in .svg or .png or .pdf"
        in graphoid("learn", tmp_path / "survey.csv", "--plot", "a.gif").stderr
    )


def test_a_picture_that_does_not_exist_is_refused_by_name(tmp_path, monkeypatch):
    from tests.support.terminal import graphoid

    monkeypatch.chdir(tmp_path)
    graphoid("datasets", "titanic", "--out", "t.csv")
    done = graphoid("learn", "t.csv", "--plot", "centralty=c.svg")
    assert done.returncode == 1
    assert "no picture is named 'centralty'; there are network, centrality" in done.stderr
    assert graphoid("learn", "t.csv", "--quiet", "--plot", "./a=b.svg").returncode == 0
    assert (tmp_path / "a=b.svg").exists()


def words_of(ax):
    return [text.get_text() for text in ax.texts]


def test_a_picture_says_how_much_it_leaves_out(survey):
    for kind, of in (("intervals", "the first 2 of 7 edges"), ("centrality", "the first 2 of 6 variables")):
        assert any(words.startswith(of) for words in words_of(survey.plot(kind, most=2)))
        assert not any("first" in words for words in words_of(survey.plot(kind)))


def test_a_table_without_missing_cells_has_a_picture_that_says_so():
    assert words_of(plots.missing({"a": [1, 2], "b": [1, 1]})) == ["no cell is missing"]


def test_of_many_columns_those_with_missing_cells_are_named():
    columns = {f"c{i}": [1, 2, 1] for i in range(plots.NAMED + 1)}
    columns["c7"] = [1, None, 2]
    ax = plots.missing(columns)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["c7  33%"]


def test_intervals_of_a_centrality_hold_signs_of_two_states(survey):
    """A survey has columns of two states, whose edges have signs."""
    run = survey.bootstrap(20, random_state=1)
    ax = survey.plot("centrality", bootstrap=run, measures=["expected influence"])
    lines = [line.get_xdata() for line in ax.lines]
    points = [x[0] for x in lines if len(x) == 1]
    intervals = [x for x in lines if len(x) == 2]
    assert len(points) == len(intervals) == 6
    inside = [low - 0.05 <= at <= high + 0.05 for at, (low, high) in zip(points, intervals, strict=True)]
    assert sum(inside) >= 5


def clipped(page):
    """Return the texts of a figure that are not within it, as drawn."""
    from matplotlib.text import Text

    page.canvas.draw()
    inside = page.bbox.padded(1)
    ticks = [tick for ax in page.axes for axis in (ax.xaxis, ax.yaxis) for tick in axis.get_major_ticks()]
    drawn = {
        tick
        for ax in page.axes
        for axis in (ax.xaxis, ax.yaxis)
        for tick in axis._update_ticks()
        if ax.axison
    }
    not_drawn = {text for tick in ticks if tick not in drawn for text in (tick.label1, tick.label2)}
    texts = [t for t in page.findobj(Text) if t.get_text().strip() and t.get_visible() and t not in not_drawn]
    boxes = [text.get_window_extent() for text in texts]
    return [
        text.get_text()
        for text, box in zip(texts, boxes, strict=True)
        if box.x0 < inside.x0 or box.y0 < inside.y0 or box.x1 > inside.x1 or box.y1 > inside.y1
    ]


def field_of(n):
    """Return a network of ordered items, each named by a phrase, with what was measured of it."""
    rng = np.random.default_rng(n)
    common = rng.normal(size=(300, -(-n // 8)))
    columns = {
        f"item {v} of the questionnaire": np.clip(
            np.round(common[:, v // 8] + rng.normal(size=300) + 3), 1, 5
        )
        for v in range(n)
    }
    return (
        gd.GSMN(test=gd.PartialCorrelation(alpha=1e-6))
        .fit(gd.read(columns, kinds=dict.fromkeys(columns, "continuous")))
        .structure_
    )


@pytest.mark.parametrize("kind", ["network", "centrality", "intervals", "heatmap", "missing"])
@pytest.mark.parametrize("n", [4, 24, 200])
def test_no_word_of_a_picture_is_cut_off(kind, n):
    from matplotlib import pyplot as plt

    ax = field_of(n).plot(kind)
    assert clipped(ax.figure) == []
    if n == 4:
        ax.set_xlabel("much longer than the whole figure " * 9)
        assert kind == "network" or clipped(ax.figure)
    plt.close(ax.figure)


def test_a_legend_can_be_read_and_a_heat_map_names_no_more_than_it_can():
    edges = [(10 * block + i, 10 * block + i + 1) for block in range(20) for i in range(9)]
    found = gd.LearnedStructure(gd.UndirectedGraph(200, edges))
    assert all(text.get_fontsize() >= 6.9 for text in found.plot().get_legend().get_texts())
    ax = found.plot("heatmap")
    labels = ax.get_yticklabels()
    assert len(labels) == 20
    assert all(label.get_fontsize() >= 7 for label in labels)
    assert found.graph.n_edges * 2 == (np.asarray(ax.images[0].get_array())[:, :, 0] < 0.9).sum()


def test_missing_cells_on_the_command_line_are_those_of_the_columns_that_are_read(tmp_path, monkeypatch):
    from graphoid.report import plots as drawn
    from tests.support.terminal import graphoid

    rows = [f'{i},{-99 if i % 4 == 0 else i % 3},{i % 2},"{i % 7 + 20},5"' for i in range(80)]
    (tmp_path / "t.csv").write_text("id,mood,sex,size\n" + "\n".join(rows) + "\n", encoding="utf-8")
    shown, missing = [], drawn.missing
    monkeypatch.setitem(
        drawn.KINDS,
        "missing",
        lambda structure, table, **rest: shown.append(missing(table, **rest)) or shown[0],
    )
    wanted = ["--drop", "id", "--na", "-99", "--decimal", ",", "--missing", "drop"]
    done = graphoid("learn", tmp_path / "t.csv", *wanted, "--plot", f"missing={tmp_path / 'm.png'}")
    assert done.returncode == 0, done.stderr
    assert [label.get_text() for label in shown[0].get_xticklabels()] == ["mood  25%", "sex", "size"]
