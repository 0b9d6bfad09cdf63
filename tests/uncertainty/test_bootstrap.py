"""The bootstrap: against a direct computation on written-out rows, for any threads, after a kill."""

import json
import math
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import graphoid as gd
from graphoid.data.table import Weights
from graphoid.errors import DataError, SettingsError
from graphoid.regression.coding import normal_scores
from graphoid.uncertainty.effects import Effects, sample_of
from graphoid.uncertainty.intervals import RULE, discoveries
from graphoid.uncertainty.resampling import Resampler
from graphoid.uncertainty.stability import CentralityRow, CurveRow, cs_coefficient
from tests.support.tables import table_of

SURVEY = gd.datasets.load("survey")


def small_survey(n_rows=600):
    columns = tuple(column[:n_rows] for column in SURVEY.columns)
    return gd.Table(SURVEY.variables, columns, n_rows)


def written_out(resampler, r):
    """The rows of a resample, one by one: what weights stand for."""
    codes = np.repeat(resampler.rows.codes, resampler.weights(r), axis=0)
    arities = [v.arity for v in resampler.rows.variables]
    return codes, table_of(list(codes.T), arities)


def plain_bits(codes, x, y, given):
    """Plug-in conditional mutual information in bits and its bias, by loops over configurations."""
    n, total, free = len(codes), 0.0, 0
    slices = {tuple(row) for row in codes[:, list(given)]} if given else {()}
    for state in slices:
        part = codes[np.all(codes[:, list(given)] == state, axis=1)] if given else codes
        xs, ys = np.unique(part[:, x]), np.unique(part[:, y])
        free += (len(xs) - 1) * (len(ys) - 1)
        for a in xs:
            for b in ys:
                both = np.mean((part[:, x] == a) & (part[:, y] == b))
                if both > 0:
                    ratio = both / (np.mean(part[:, x] == a) * np.mean(part[:, y] == b))
                    total += len(part) / n * both * math.log2(ratio)
    return total, free / (2 * n * math.log(2))


def plain_log_odds(codes, x, y, given):
    """Mantel-Haenszel log odds ratio, by loops."""
    r = s = 0.0
    slices = {tuple(row) for row in codes[:, list(given)]} if given else {()}
    for state in slices:
        part = codes[np.all(codes[:, list(given)] == state, axis=1)] if given else codes
        cell = [[np.sum((part[:, x] == a) & (part[:, y] == b)) for b in (0, 1)] for a in (0, 1)]
        r += cell[0][0] * cell[1][1] / len(part)
        s += cell[0][1] * cell[1][0] / len(part)
    return math.log(r / s)


def test_frequencies_and_intervals_are_those_of_written_out_rows():
    table, n = small_survey(400), 24
    run = gd.Bootstrap(gd.GSMN(), n=n, random_state=3).fit(table)
    graph = gd.GSMN().fit(table).structure_.graph
    resampler = Resampler(table, "halves", 3)
    samples = [written_out(resampler, r) for r in range(n)]
    graphs = [gd.GSMN().fit(sample).structure_.graph for _, sample in samples]
    for row in run.edges():
        x, y = table.position(row.x), table.position(row.y)
        given = [table.position(z) for z in row.given]
        rests = [set(graph.blanket(a)) - {b} for a, b in ((x, y), (y, x))]
        assert len(given) == min(map(len, rests))
        assert set(given) in rests
        assert row.frequency == pytest.approx(np.mean([g.has_edge(x, y) for g in graphs]))
        if row.bits is not None:
            bits, bias = plain_bits(table.codes, x, y, given)
            assert row.bits == pytest.approx(max(0.0, bits - bias), abs=1e-12)
        if table.variables[x].arity == table.variables[y].arity == 2:
            assert row.value == pytest.approx(plain_log_odds(table.codes, x, y, given))
    assert any(row.bits is not None for row in run.edges())
    alone = {(s.x, s.y): s for s in gd.strengths(graph, table)}
    for row in run.edges():
        assert row.low <= row.size <= row.high
        assert row.low < row.high
        if row.joined:
            s = alone[row.x, row.y]
            assert (row.size, row.low, row.high) == pytest.approx((s.size, s.low, s.high))
            assert row.weight == (s.weight if s.weight is None else pytest.approx(s.weight))


def test_no_interval_lacks_its_estimate_on_likert_items():
    """With plug-in bits of 78,125 slices all did, and some were of no width."""
    rng = np.random.default_rng(5)
    factors = rng.normal(size=(1000, 2))
    items = [
        np.digitize(0.9 * factors[:, k // 6] + rng.normal(size=1000), [-1.5, -0.5, 0.5, 1.5])
        for k in range(12)
    ]
    run = gd.Bootstrap(gd.RobustGSMN(), n=12, random_state=1).fit(
        gd.read({f"q{k}": c for k, c in enumerate(items)})
    )
    for row in run.edges():
        assert row.low <= row.size <= row.high
        assert row.weight_low < row.weight < row.weight_high
        assert row.weight_low > 0 or not row.joined
        assert row.bits is None or len(row.given) < 3  # slices of so few rows tell nothing
    for part in (*run.centrality(), *run.differences()):
        value = part.value if isinstance(part, CentralityRow) else part.difference
        assert part.low <= value <= part.high


def test_effects_of_resamples_are_nearly_those_of_written_out_rows():
    table, n = small_survey(2000), 12
    run = gd.Bootstrap(gd.GSMN(), n=n, random_state=3).fit(table).result_
    resampler = Resampler(table, "halves", 3)
    for r in range(n):
        _, sample = written_out(resampler, r)
        again = Effects(run.graph, table.variables, sample_of(sample))
        for k, i in enumerate(run.followed):
            if run.graph.has_edge(*run.pairs[i]):
                effect = again.estimate(run.pairs[i]).effect
                expected = effect.size if effect.weight is None else effect.weight
                assert run.weights[r, k] == pytest.approx(expected, abs=0.03)


def test_cs_coefficient_is_that_of_written_out_rows():
    table, shares, n = small_survey(400), (0.9, 0.6, 0.3, 0.1), 40
    run = gd.Bootstrap(gd.GSMN(), n=n, kind="cases", random_state=5, shares=shares).fit(table)
    graph = gd.GSMN().fit(table).structure_.graph
    resampler = Resampler(table, "cases", 5, shares)
    weights = dict(zip(run.result_.pairs, run.result_.weights.T, strict=True))
    sizes = dict(zip(run.result_.pairs, run.result_.effects[:, 0], strict=True))

    def strength(found, r=None):
        sums = np.zeros(6)
        for pair in found.edges:
            sums[list(pair)] += sizes[pair] if r is None else abs(weights[pair][r])
        return sums

    whole = strength(graph)
    reached = {share: [] for share in shares}
    for r in range(n):
        codes, sample = written_out(resampler, r)
        assert len(codes) == round(shares[r % 4] * 400)
        sums = strength(gd.GSMN().fit(sample).structure_.graph, r)
        reached[shares[r % 4]].append(np.ptp(sums) > 0 and np.corrcoef(sums, whole)[0, 1] >= 0.7)
    expected = max((1 - share for share, hits in reached.items() if np.mean(hits) >= 0.95), default=0.0)
    assert run.result_.cs_coefficient() == pytest.approx(expected)
    assert 0 < expected < 0.9  # neither end: the data can tell
    curve = {row.share: row.reached for row in run.stability() if row.measure == "strength"}
    assert curve == pytest.approx({share: np.mean(hits) for share, hits in reached.items()})


def test_cs_coefficient_of_a_curve():
    def row(share, reached):
        return CurveRow("strength", share, 100, 0.9, 0.8, 1.0, reached)

    assert cs_coefficient([row(0.9, 1.0), row(0.5, 0.95), row(0.25, 0.94)]) == 0.5
    assert cs_coefficient([row(0.9, 0.5)]) == 0.0


LEARNERS = [gd.GSIMN(), gd.GSIMN(preset="robust"), gd.HillClimb(gd.MPL(), moves="best", random_state=1)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("kind", ["halves", "rows", "bayesian", "cases"])
def test_any_number_of_threads_gives_the_same(learner, kind):
    table = small_survey(300)
    one, two, three = (
        gd.Bootstrap(learner, n=7, kind=kind, n_jobs=jobs, random_state=1).fit(table).result_.to_json()
        for jobs in (1, 2, 3)
    )
    assert one == two == three
    other = gd.Bootstrap(learner, n=7, kind=kind, random_state=2).fit(table).result_.to_json()
    assert other != one


SCRIPT = """
import os, signal, sys
import graphoid as gd

def kill(step):
    if step.done >= 100:
        os.kill(os.getpid(), signal.SIGKILL)

columns = gd.datasets.load("survey").columns
table = gd.Table(gd.datasets.load("survey").variables, tuple(c[:300] for c in columns), 300)
gd.Bootstrap(gd.GSIMN(), n=170, random_state=4, checkpoint=sys.argv[1]).fit(table, progress=kill)
"""


def test_a_killed_run_goes_on_and_ends_the_same(tmp_path):
    path = tmp_path / "run.json"
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(SCRIPT), str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(json.loads(path.read_text())["body"]["found"]) == 100
    assert os.listdir(tmp_path) == ["run.json"]
    table = small_survey(300)
    heard = []
    settings = {"n": 170, "random_state": 4}
    resumed = gd.Bootstrap(gd.GSIMN(), checkpoint=path, **settings).fit(table, progress=heard.append)
    assert heard[0].done == 100
    assert (heard[-1].done, heard[-1].total) == (170, 170)
    assert resumed.result_.to_json() == gd.Bootstrap(gd.GSIMN(), **settings).fit(table).result_.to_json()


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    path, table = tmp_path / "run.json", small_survey(100)
    gd.Bootstrap(gd.GSMN(), n=5, random_state=4, checkpoint=path).fit(table)
    with pytest.raises(DataError, match="another run: its seed is 4"):
        gd.Bootstrap(gd.GSMN(), n=5, random_state=5, checkpoint=path).fit(table)
    path.write_text("{")
    with pytest.raises(DataError):
        gd.Bootstrap(gd.GSMN(), n=5, random_state=4, checkpoint=path).fit(table)


def awkward(name):
    rng = np.random.default_rng(0)
    a, b = rng.integers(2, size=40), rng.integers(3, size=40)
    tables = {
        "a level with one row": [a, np.r_[3, b[1:]], a ^ (rng.random(40) < 0.1)],
        "a level without rows": ([a, b, a], [2, 5, 3]),
        "a constant column": [a, np.zeros(40, int), b],
        "nearly constant columns": [np.r_[1, np.zeros(39, int)], np.r_[1, np.zeros(39, int)], b],
        "one row": [[0], [1], [0]],
        "two rows": [[0, 1], [1, 0], [0, 1]],
        "copies of one column": [a, a, a],
        "more states than rows": [np.arange(40), a, b],
        "one variable": [a],
    }
    made = tables[name]
    return table_of(*made) if isinstance(made, tuple) else table_of(made)


NAMES = [
    "a level with one row",
    "a level without rows",
    "a constant column",
    "nearly constant columns",
    "one row",
]
NAMES += ["two rows", "copies of one column", "more states than rows", "one variable"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["halves", "rows", "bayesian", "cases"])
def test_awkward_tables_never_crash(name, kind):
    table = awkward(name)
    for learner in (*LEARNERS, gd.GSMN(test=gd.BayesianTest())):
        run = gd.Bootstrap(learner, n=8, kind=kind, random_state=1).fit(table)
        rows = run.edges()
        assert len(rows) == len(table.variables) * (len(table.variables) - 1) // 2
        assert {row.verdict for row in rows} <= {"present", "absent", "undecided"}
        for row in rows:
            assert 0 <= row.frequency <= 1
            for number in (row.bits, row.low, row.high, row.value, row.value_low, row.value_high):
                assert number is None or math.isfinite(number)
        run.centrality(), run.stability(), run.differences(), run.result_.selection(), run.result_.bridges()
        run.result_.to_json()


def test_the_recommended_learner_and_continuous_columns():
    run = gd.Bootstrap(n=3, random_state=1).fit(small_survey(150))
    assert "Search" in run.result_.learner
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    b = a + rng.normal(size=200)
    table = gd.read({"a": a, "b": b, "c": rng.normal(size=200)}, discretize=None)
    run = gd.Bootstrap(gd.GSMN(test=gd.PartialCorrelation()), n=60, random_state=1).fit(table)
    first = run.edges()[0]
    assert first.measure == "partial_correlation"
    assert first.value == pytest.approx(np.corrcoef(normal_scores(a), normal_scores(b))[0, 1])
    assert first.value_low < first.value < first.value_high
    assert first.verdict == "present"
    assert any(row.measure == "expected_influence" for row in run.centrality())


def test_weights_of_rows_are_kept():
    # every row twice as a weight is every row twice
    table = small_survey(200)
    weights = np.full(200, 2.0)
    weighted = gd.Table(table.variables, table.columns, 200, weights=Weights.of(weights))
    run = gd.Bootstrap(gd.GSMN(), n=6, random_state=1).fit(weighted)
    twice = gd.Table(table.variables, tuple(np.repeat(c, 2) for c in table.columns), 400)
    assert [row.bits for row in run.edges()] == pytest.approx(
        [row.bits for row in gd.Bootstrap(gd.GSMN(), n=1, random_state=1).fit(twice).edges()]
    )
    assert run.result_.n_rows == 400


def test_verdicts_follow_their_rule():
    run = gd.Bootstrap(gd.GSMN(), n=60, random_state=1).fit(SURVEY)
    verdict = {(row.x, row.y): row.verdict for row in run.edges()}
    true = gd.UndirectedGraph(SURVEY.names, [("age", "income"), ("income", "car"), ("region", "car")])
    assert {verdict[SURVEY.names[x], SURVEY.names[y]] for x, y in true.edges} == {"present"}
    assert verdict["car", "content"] == "absent"
    assert {row.rule for row in run.edges()} == {RULE}
    assert run.edges("present") == [row for row in run.edges() if row.verdict == "present"]
    cases = gd.Bootstrap(gd.GSMN(), n=8, kind="cases", random_state=1).fit(SURVEY)
    assert {row.verdict for row in cases.edges()} == {"undecided"}


def test_an_association_that_changes_direction_is_seen():
    # x and y agree where z is 0 and disagree where it is 1: the pooled odds ratio is about one
    rng = np.random.default_rng(0)
    x, z = rng.integers(2, size=(2, 800))
    y = np.where(rng.random(800) < 0.8, x ^ z, rng.integers(2, size=800))
    run = gd.Bootstrap(n=8, random_state=1).fit(table_of([x, y, z]))
    first = run.edges()[0]
    assert first.given == ("v2",)
    assert abs(first.value) < 0.3
    assert first.bits > 0.2
    assert first.verdict == "present"


def test_discoveries_are_those_of_benjamini_and_hochberg():
    # .05 k / 5 is .01 .02 .03 .04 .05: the third is the last below its line, and takes the second along
    assert discoveries(np.array([0.2, 0.025, 0.001, 0.028, 0.9])).tolist() == [False, True, True, True, False]
    assert not discoveries(np.array([0.5, 0.04])).any()


def test_saved_and_loaded(tmp_path):
    run = gd.Bootstrap(gd.GSIMN(), n=10, random_state=1).fit(small_survey(200))
    run.save(tmp_path / "b.json")
    again = gd.load(tmp_path / "b.json")
    assert again.edges() == run.edges()
    assert again.centrality() == run.centrality()
    assert again.to_json() == run.result_.to_json()
    text = (tmp_path / "b.json").read_text().replace('"kind":"halves"', '"kind":"cases"')
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(DataError, match="digest"):
        gd.load(tmp_path / "b.json")
    gd.learn(small_survey(50), gd.GSMN()).save(tmp_path / "s.json")
    assert isinstance(gd.load(tmp_path / "s.json"), gd.LearnedStructure)


def test_tables_for_people():
    run = gd.Bootstrap(gd.GSIMN(), n=16, kind="cases", random_state=1).fit(small_survey(300))
    for what in ("edges", "centrality", "differences", "stability", "selection"):
        frame = run.result_.to_frame(what)
        assert next(iter(frame.columns)) in ("x", "variable", "measure")
    with pytest.raises(DataError, match="there is no table"):
        run.result_.to_frame("graph")
    assert "16 resamples (cases) of 300 rows" in repr(run.result_)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n": 0}, "n is 0"),
        ({"kind": "columns"}, "'columns'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"learner": "gsimn"}, "must be a learner"),
        ({"learner": gd.GSIMN}, "must be an object"),
        ({"shares": (0.5, 2)}, "shares"),
    ],
)
def test_settings_that_cannot_be(settings, said):
    with pytest.raises(SettingsError, match=said):
        gd.Bootstrap(**settings).fit(small_survey(50))


def test_the_learner_is_left_as_it_is():
    learner = gd.GSIMN()
    gd.Bootstrap(learner, n=3, random_state=1).fit(small_survey(50))
    with pytest.raises(AttributeError):
        _ = learner.structure_


def factor_blocks(rows, seed):
    """Two blocks of four items of five points, each block with a factor of its own."""
    rng = np.random.default_rng(seed)
    factors = np.repeat(rng.normal(size=(rows, 2)), 4, axis=1)
    return gd.read(np.digitize(0.9 * factors + rng.normal(size=(rows, 8)), [-1.5, -0.5, 0.5, 1.5]))


@pytest.mark.parametrize("kind", ["halves", "rows", "bayesian"])
def test_nothing_is_called_present_that_the_fit_does_not_join(kind):
    run = gd.Bootstrap(gd.GSMN(preset="robust"), n=12, kind=kind, random_state=0).fit(factor_blocks(1_000, 5))
    rows = run.edges()
    within = {(row.x, row.y) for row in rows if int(row.x[1:]) // 4 == int(row.y[1:]) // 4}
    assert {(row.x, row.y) for row in run.edges("present")} <= within
    assert not {(row.x, row.y) for row in run.edges("absent")} & within
    assert all(row.joined for row in run.edges("present"))


def test_a_result_resamples_the_learner_that_found_it():
    table = small_survey(400)
    found = gd.learn(table)
    run = found.bootstrap(8, random_state=1)
    said = {(row.x, row.y): (row.verdict, row.probability) for row in found.pairs()}
    for row in run.edges():  # one verdict, one probability
        assert (row.verdict, row.probability) == said[row.x, row.y]
    with pytest.raises(DataError, match="Bootstrap"):
        gd.LearnedStructure.from_json(found.to_json()).bootstrap()


def test_more_resamples_than_memory_holds_are_refused():
    with pytest.raises(SettingsError, match=r"99,999,999,999 resamples of 15 pairs take .* GiB, more than"):
        gd.Bootstrap(gd.GSMN(), n=99_999_999_999).fit(small_survey(50))
