"""Names become learners, tests and scores: the only place where strings do."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from graphoid.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphoid.cli.settings import Run


class Named(NamedTuple):
    """A learner by name: its class, what the name decides of its settings, and what it is."""

    cls: str
    what: str
    fixed: Mapping[str, Any] = {}
    score: str | None = None


LEARNERS = {
    "auto": Named("", "the one we recommend: Search of LogLinearEvidence, probabilities up to 12 variables"),
    "gsmn": Named("GSMN", "GSMN*: blankets by tests"),
    "gsimn": Named("GSIMN", "GSIMN: the same with fewer tests, since answers are inferred"),
    "gsimn-fch": Named(
        "GSIMN", "GSIMN-FCH: infers all that follows; up to 13 variables", {"chaining": "forward"}
    ),
    "pfmn": Named("PFMN", "PFMN: the most informative test that the budget affords"),
    "pfmn-published": Named("PublishedPFMN", "PFMN as in the paper: a particle filter that asks tests"),
    "mpl": Named("TwoPhase", "marginal pseudo-likelihood, two-phase search", score="mpl"),
    "ib": Named("HillClimb", "independence-based score, IBMAP-HC", score="ib"),
    "bjp": Named("HillClimb", "blankets joint posterior, IBMAP-HC", score="bjp"),
    "log-linear": Named("Search", "penalized log-linear score", score="log-linear"),
    "search": Named("Search", "our search, of any --score", score="evidence"),
    "posterior": Named("Posterior", "probability of every edge, by any --score", score="evidence"),
    "exhaustive": Named(
        "ExhaustiveSearch", "the best of all graphs, by any --score; up to 7 variables", score="mpl"
    ),
    "cspc": Named("CSPC", "contexts: who is joined may depend on the row (PC-like)"),
    "csgs": Named("CSGS", "contexts, with far fewer tests (grow-shrink)"),
}

CONTEXTS = ("cspc", "csgs")
"""Learners that find a graph for every context, and not one."""

TESTS = {
    "chi-square": "ChiSquare",
    "g": "GTest",
    "bayesian": "BayesianTest",
    "mantel-haenszel": "MantelHaenszel",
    "partial-correlation": "PartialCorrelation",
}

SCORES = {
    "evidence": "LogLinearEvidence",
    "log-linear": "LogLinearScore",
    "mpl": "MPL",
    "ib": "IBScore",
    "bjp": "BJP",
}

OBJECTS = frozenset({"cost", "progress", "random_state", "score", "start", "test"})
"""Settings that are objects in Python; here they have options of their own, or none."""


def made(run: Run, start: Any = None) -> Any:
    """Return the learner that a run asks for, or None for the recommended one.

    A setting that the learner does not have is refused, never ignored.
    """
    import graphoid as gd

    if run.learner == "pfmn" and "method" in run.set:
        published = run.set["method"] == "paper"
        rest = {key: value for key, value in run.set.items() if key != "method"}
        run = replace(run, learner="pfmn-published" if published else "pfmn", set=rest)
    named = LEARNERS[run.learner]
    if not named.cls:
        _refuse(run, {"seconds"})
        return None
    cls = getattr(gd, named.cls)
    known = {f.name for f in fields(cls)}
    settings: dict[str, Any] = {**named.fixed, **_own(run, known)}
    takes = {"preset", "budget", "seconds"} & known
    if named.score is not None:
        takes |= {"score"}
        settings["score"] = _score(run, named.score)
    elif "test" in known:
        takes |= {"test", "alpha"}
        settings["test"] = _test(run, "bayesian" if "budget" in known else "chi-square")
    if "budget" in known:
        takes |= {"seconds"}
        settings["budget"] = gd.Budget(price=run.budget, seconds=run.seconds)
    elif run.seconds is not None:
        settings["seconds"] = run.seconds
    _refuse(run, takes)
    if run.preset is not None:
        settings["preset"] = run.preset
    if "random_state" in known:
        settings["random_state"] = run.seed
    if start is not None and "start" in known:
        settings["start"] = start
    return cls(**settings)


def _refuse(run: Run, takes: set[str]) -> None:
    """Raise for the first option that was given and means nothing to the learner."""
    for name in ("test", "alpha", "score", "preset", "budget", "seconds"):
        if getattr(run, name) is not None and name not in takes:
            others = [other for other in LEARNERS if name in _options(other)]
            raise SettingsError(
                f"--{name} means nothing to {run.learner}; it is for {', '.join(others)}. Leave it out."
            )
    if run.learner == "auto" and run.set:
        raise SettingsError(
            f"the recommended learner has no setting {next(iter(run.set))!r}; name a --learner to choose its "
            f"settings."
        )


def _options(name: str) -> set[str]:
    """Return the named options that mean something to a learner."""
    import graphoid as gd

    named = LEARNERS[name]
    if not named.cls:
        return {"seconds"}
    known = {f.name for f in fields(getattr(gd, named.cls))}
    by = {"score"} if named.score is not None else {"test", "alpha"}
    return by | ({"preset", "budget", "seconds"} & known) | ({"seconds"} if "budget" in known else set())


def _own(run: Run, known: set[str]) -> dict[str, Any]:
    """Return the settings of the learner itself that were set by name."""
    own = {key: value for key, value in run.set.items() if "." not in key}
    allowed = sorted(known - OBJECTS | ({"score"} if run.learner == "pfmn-published" else set()))
    for key in own:
        if key not in allowed:
            raise SettingsError(
                f"{run.learner} has no setting {key!r} to --set; it has {', '.join(allowed) or 'none'}."
            )
    return own


def _test(run: Run, usual: str) -> Any:
    import graphoid as gd

    name = run.test or usual
    cls = getattr(gd, TESTS[name])
    settings = _part(run, "test", cls, name)
    if run.alpha is not None:
        if "alpha" not in {f.name for f in fields(cls)}:
            raise SettingsError(f"--alpha means nothing to the {name} test; use --set test.threshold=0.5.")
        settings["alpha"] = run.alpha
    if "thin" in settings:
        settings["thin"] = gd.ThinData(answer=settings["thin"])
    return cls(**settings)


def _score(run: Run, usual: str) -> Any:
    import graphoid as gd

    name = run.score or usual
    cls = getattr(gd, SCORES[name])
    return cls(**_part(run, "score", cls, name))


def _part(run: Run, what: str, cls: Any, name: str) -> dict[str, Any]:
    """Return the settings of the test or the score that were set by name, such as ``test.dof``."""
    found = {
        key.removeprefix(f"{what}."): value for key, value in run.set.items() if key.startswith(f"{what}.")
    }
    allowed = sorted(
        {f.name for f in fields(cls)} - {"prior", "test"} | ({"prior"} if what == "test" else set())
    )
    for key in found:
        if key not in allowed:
            raise SettingsError(f"{name} has no setting {key!r}; it has {', '.join(allowed)}.")
    return found
