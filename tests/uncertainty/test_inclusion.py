"""Posterior probabilities and Bayes factors of a bootstrap, against what learner and test say themselves."""

import math

import numpy as np
import pytest

import graphoid as gd
from graphoid.uncertainty import bootstrap, plots
from graphoid.uncertainty.resampling import Resampler

PRIOR = 0.8  # of independence
TEST = gd.BayesianTest(prior=PRIOR)
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.fixture(scope="module")
def titanic():
    return gd.datasets.load("titanic")


@pytest.fixture(scope="module")
def tested(titanic):
    return gd.Bootstrap(gd.GSMN(test=TEST), n=10, random_state=3).fit(titanic)


@pytest.fixture(scope="module")
def sampled(titanic):
    return gd.Bootstrap(quick_posterior(), n=4, random_state=3).fit(titanic)


def quick_posterior():
    return gd.Posterior(gd.MPL(), precision=0.1, rounds=40, max_rounds=80, random_state=0)


def test_what_the_test_says_of_all_rows_and_of_resamples(titanic, tested):
    resampler = Resampler(titanic, "halves", 3)
    for row, (x, y) in zip(tested.edges(), PAIRS, strict=True):
        given = [titanic.position(z) for z in row.given]
        (answer,) = gd.Tester(TEST, titanic).ask([(x, y, given)])
        # log odds of independence a: P(dependent) is 1 / (1 + e^a), its prior odds are .2 / .8
        assert row.probability == pytest.approx(1 / (1 + math.exp(answer.log_odds)), rel=1e-12)
        assert row.bayes_factor == pytest.approx(math.exp(-answer.log_odds) * 4, rel=1e-9)
        again = [gd.Tester(TEST, resampler.table(r)).ask([(x, y, given)])[0].log_odds for r in range(10)]
        assert row.mean_probability == pytest.approx(np.mean([1 / (1 + math.exp(a)) for a in again]))


def test_what_the_learner_says_of_all_rows_and_of_resamples(titanic, sampled):
    whole = quick_posterior().fit(titanic).structure_
    resampler = Resampler(titanic, "halves", 3)
    again = [quick_posterior().fit(resampler.table(r)).structure_.edge_probabilities for r in range(4)]
    told = {(row.x, row.y): row for row in whole.pairs()}
    for row, pair in zip(sampled.edges(), PAIRS, strict=True):
        assert row.probability == told[row.x, row.y].probability
        assert row.bayes_factor == pytest.approx(told[row.x, row.y].bayes_factor)
        known = [p[pair] for p in again if pair in p]
        assert row.mean_probability == pytest.approx(np.mean(known))


def test_there_are_none_where_nothing_is_bayesian(titanic):
    run = gd.Bootstrap(gd.GSIMN(), n=3, random_state=1).fit(titanic)
    assert run.result_.inclusion is None
    assert all(row.probability is row.mean_probability is row.bayes_factor is None for row in run.edges())
    pytest.importorskip("matplotlib")
    with pytest.raises(gd.errors.DataError, match="gives no probabilities"):
        plots.probabilities(run.result_)


def test_the_same_for_any_n_jobs_and_after_a_stop(titanic, tested, sampled, tmp_path, monkeypatch):
    threads = gd.Bootstrap(gd.GSMN(test=TEST), n=10, random_state=3, n_jobs=3).fit(titanic)
    assert threads.edges() == tested.edges()
    monkeypatch.setattr(bootstrap, "AT_ONCE", 2)
    path = tmp_path / "kept.json"
    with pytest.raises(Stopped):
        gd.Bootstrap(quick_posterior(), n=4, random_state=3, checkpoint=path).fit(titanic, _stop)
    resumed = gd.Bootstrap(quick_posterior(), n=4, random_state=3, checkpoint=path).fit(titanic)
    assert resumed.edges() == sampled.edges()
    read = gd.Bootstrap(quick_posterior(), n=4, random_state=3, checkpoint=path).fit(titanic)
    assert read.edges() == sampled.edges()


class Stopped(BaseException):
    """As Ctrl-C: no listener's failure stops a run otherwise."""


def _stop(step):
    if step.phase == "resampling" and step.done:
        raise Stopped


def test_saved_framed_drawn_and_reported(tested, titanic, tmp_path):
    tested.save(tmp_path / "run.json")
    assert gd.load(tmp_path / "run.json").edges() == tested.edges()
    frame = tested.result_.to_frame()
    assert frame["bayes_factor"].tolist() == [row.bayes_factor for row in tested.edges()]
    found = gd.GSMN(test=TEST).fit(titanic).structure_
    found.report(tmp_path / "page.html", bootstrap=tested)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "inclusion Bayes factor" in page
    assert "by the Bayesian test, that the two depend" in page
    pytest.importorskip("matplotlib")
    ax = plots.probabilities(tested.result_)
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert dots == sorted(row.probability for row in tested.edges())
