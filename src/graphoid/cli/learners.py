"""Names become learners, tests and scores: the only place where strings do."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.cli.learn_options import LearnOptions
    from graphoid.independence.base import Test
    from graphoid.learners.base import AskingLearner
    from graphoid.learners.contexts.base import CanonicalLearner
    from graphoid.learners.directed.search import DirectedSearch
    from graphoid.learners.scored.base import ScoreLearner
    from graphoid.scores.base import Score
    from graphoid.structure.contexts import CanonicalModel
    from graphoid.structure.graph import UndirectedGraph
    from graphoid.structure.knowledge import Knowledge

    AnyLearner = AskingLearner | CanonicalLearner | DirectedSearch | ScoreLearner


class Named(NamedTuple):
    """A learner by name: its class, what the name decides of its settings, and what it is."""

    cls: str
    what: str
    fixed: Mapping[str, object] = {}
    score: str | None = None
    test: str = "chi-square"


LEARNERS = {
    "auto": Named("", "the recommended one: any kinds of columns, with the probability of every pair"),
    "gsmn": Named("GSMN", "GSMN*: Markov blankets by independence tests"),
    "gsimn": Named("GSIMN", "GSIMN: the same with fewer tests, since some results are inferred from others"),
    "gsimn-fch": Named(
        "GSIMN",
        "GSIMN-FCH: infers all that follows from earlier tests; up to 13 variables",
        {"chaining": "forward"},
    ),
    "pfmn": Named("PFMN", "PFMN: always the most informative test that the budget allows", test="bayesian"),
    "pfmn-published": Named(
        "PublishedPFMN", "PFMN as published: a particle filter that chooses the tests", test="bayesian"
    ),
    "mpl": Named("TwoPhase", "marginal pseudo-likelihood, two-phase search", score="mpl"),
    "ib": Named("HillClimb", "independence-based score, IBMAP-HC", score="ib"),
    "bjp": Named("HillClimb", "blankets joint posterior, IBMAP-HC", score="bjp"),
    "log-linear": Named("Search", "penalized log-linear score", score="log-linear"),
    "search": Named("Search", "the recommended search, with any --score", score="evidence"),
    "posterior": Named(
        "Posterior", "posterior probability of every edge, with any --score", score="evidence"
    ),
    "directed": Named("DirectedSearch", "a directed graph by BIC or BDeu (--set score=bdeu), then moralized"),
    "exhaustive": Named(
        "ExhaustiveSearch", "the best of all graphs, with any --score; up to 7 variables", score="mpl"
    ),
    "cspc": Named("CSPC", "context-specific independences, by a PC-like search"),
    "csgs": Named("CSGS", "context-specific independences, by grow-shrink, with far fewer tests"),
}

CONTEXTS = ("cspc", "csgs")
"""Learners that find a graph for every context, and not one."""

TESTS = {
    "chi-square": "ChiSquare",
    "g": "GTest",
    "bayesian": "BayesianTest",
    "mantel-haenszel": "MantelHaenszel",
    "likelihood-ratio": "LikelihoodRatio",
    "bayes-factor": "BayesFactor",
    "degenerate-gaussian": "DegenerateGaussian",
    "linear-by-linear": "LinearByLinear",
    "partial-correlation": "PartialCorrelation",
    "rank-partial-correlation": "RankPartialCorrelation",
}

SCORES = {
    "evidence": "LogLinearEvidence",
    "gaussian": "GaussianEvidence",
    "log-linear": "LogLinearScore",
    "mpl": "MPL",
    "ib": "IBScore",
    "bjp": "BJP",
}

NAMED_SCORES = ("pfmn-published", "directed")
"""Learners whose score is a name, to --set."""

OBJECTS = frozenset({"cost", "knowledge", "progress", "random_state", "score", "start", "test"})
"""Settings that are objects in Python; here they have options of their own, or none."""


def learner_of(
    options: LearnOptions, start: UndirectedGraph | CanonicalModel | None = None
) -> AnyLearner | None:
    """Return the learner that a run asks for, or None for the recommended one.

    A setting that the learner does not have is refused, never ignored.
    """
    import graphoid as gd

    if options.learner == "pfmn" and "method" in options.set:
        published = options.set["method"] == "paper"
        rest = {key: value for key, value in options.set.items() if key != "method"}
        options = replace(options, learner="pfmn-published" if published else "pfmn", set=rest)
    named = LEARNERS[options.learner]
    _refuse(options)
    if not named.cls:
        return None
    cls = _class(named.cls)
    known = {f.name for f in fields(cls)}
    settings: dict[str, object] = {**named.fixed, **_own_settings(options, known)}
    if named.score is not None:
        settings["score"] = score_of(options)
    elif "test" in known:
        settings["test"] = test_of(options)
    if "budget" in known:
        settings["budget"] = gd.Budget(price=options.budget, seconds=options.seconds)
    elif options.seconds is not None:
        settings["seconds"] = options.seconds
    if options.preset is not None:
        settings["preset"] = options.preset
    if "random_state" in known:
        settings["random_state"] = options.seed
    if start is not None and "start" in known:
        settings["start"] = start
    settings["knowledge"] = knowledge_of(options)
    learner: AnyLearner = cls(**settings)
    return learner


def knowledge_of(options: LearnOptions) -> Knowledge | None:
    """Return what a run is told beforehand."""
    from graphoid.structure.knowledge import Knowledge

    return None if options.knowledge is None else Knowledge.from_values(options.knowledge)


def _refuse(options: LearnOptions) -> None:
    """Raise for the first option that was given and means nothing to the learner."""
    given = options.to_values()
    for name in ("test", "alpha", "score", "preset", "budget"):
        if name in given and name not in _meaningful(options.learner):
            others = [other for other in LEARNERS if name in _meaningful(other)]
            raise SettingsError(
                f"--{name} means nothing to {options.learner}; it is for {', '.join(others)}. Leave it out."
            )
    if options.learner == "auto" and options.set:
        raise SettingsError(
            f"the recommended learner has no setting {next(iter(options.set))!r}; name a --learner to choose "
            f"its settings."
        )


def _meaningful(name: str) -> set[str]:
    """Return the named options that mean something to a learner."""
    named = LEARNERS[name]
    if not named.cls:
        return set()
    known = {f.name for f in fields(_class(named.cls))}
    by = {"score"} if named.score is not None else {"test", "alpha"} if "test" in known else set()
    return by | ({"preset", "budget"} & known)


def _own_settings(options: LearnOptions, known: set[str]) -> dict[str, object]:
    """Return the settings of the learner itself that were set by name."""
    own = {key: value for key, value in options.set.items() if "." not in key}
    allowed = sorted(known - OBJECTS | ({"score"} if options.learner in NAMED_SCORES else set()))
    for key in own:
        if key not in allowed:
            raise SettingsError(
                f"{options.learner} has no setting {key!r} to --set; it has {', '.join(allowed) or 'none'}."
            )
    return own


def test_of(options: LearnOptions) -> Test | None:
    """Return the test that a run asks for; None for the one of its learner that fits the columns."""
    import graphoid as gd

    parts = [key for key in options.set if key.startswith("test.")]
    if options.test is None and options.alpha is None and not parts:
        return None
    name = options.test or LEARNERS[options.learner].test
    cls = _class(TESTS[name])
    known = {f.name for f in fields(cls)}
    settings = _part_settings(options, "test", known, name)
    if options.alpha is not None:
        if "alpha" not in known:
            raise SettingsError(f"--alpha means nothing to the {name} test; use --set test.threshold=0.5.")
        settings["alpha"] = options.alpha
    if "thin" in settings:
        settings["thin"] = gd.ThinData(answer=settings["thin"])
    test: Test = cls(**settings)
    return test


def score_of(options: LearnOptions) -> Score:
    """Return the score that a run asks for, or the usual one of its learner."""
    name = options.score or LEARNERS[options.learner].score or "evidence"
    cls = _class(SCORES[name])
    known = {f.name for f in fields(cls)} - {"prior", "test"}
    score: Score = cls(**_part_settings(options, "score", known, name))
    return score


def _part_settings(options: LearnOptions, part: str, known: set[str], name: str) -> dict[str, Any]:
    """Return the settings of the test or the score that were set by name, such as ``test.dof``."""
    dotted = {key: value for key, value in options.set.items() if key.startswith(f"{part}.")}
    found = {key.removeprefix(f"{part}."): value for key, value in dotted.items()}
    for key in found:
        if key not in known:
            raise SettingsError(f"{name} has no setting {key!r}; it has {', '.join(sorted(known))}.")
    return found


def _class(name: str) -> type:
    """Return a class of the public interface, which is loaded only now."""
    import graphoid as gd

    found: type = getattr(gd, name)
    return found
