"""Every learner that there is, with settings quick enough for tests of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import graphoid as gd

if TYPE_CHECKING:
    from graphoid.learners.base import Learner

EVERY_LEARNER: dict[str, Learner[Any, Any]] = {
    "GSMN": gd.GSMN(),
    "GSMN, fdr": gd.GSMN(fdr=0.05, max_given=2),
    "GSIMN": gd.GSIMN(),
    "GSIMN-FCH": gd.GSIMN(chaining="forward"),
    "RobustGSMN": gd.RobustGSMN(),
    "PFMN": gd.PFMN(random_state=3, n_particles=32, moves=20),
    "PublishedPFMN": gd.PublishedPFMN(random_state=3, n_particles=20, budget={"tests": 8}),
    "IBMAP-HC": gd.HillClimb(gd.IBScore()),
    "BJP": gd.HillClimb(gd.BJP()),
    "BJP, best": gd.HillClimb(gd.BJP(), moves="best"),
    "MPL, two phases": gd.TwoPhase(gd.MPL()),
    "MPL, sparse prior": gd.HillClimb(gd.MPL(prior=gd.SparsePrior()), moves="best"),
    "ExhaustiveSearch": gd.ExhaustiveSearch(gd.IBScore()),
    "Search": gd.Search(gd.MPL(), effort=0.3, random_state=1),
    "Search, evidence": gd.Search(gd.LogLinearEvidence(), effort=0.1, random_state=1),
    "Posterior": gd.Posterior(gd.MPL(), rounds=10, max_rounds=20, runs=2, random_state=1),
    "DirectedSearch": gd.DirectedSearch(random_state=1),
    "DirectedSearch, BDeu": gd.DirectedSearch("bdeu", random_state=1),
    "CSGS": gd.CSGS(),
    "CSPC": gd.CSPC(),
}


def named_edges(found: gd.LearnedStructure | gd.CanonicalModel) -> set[frozenset[str]]:
    """Return the edges by the names of their ends."""
    return {frozenset((found.names[x], found.names[y])) for x, y in found.graph.edges}
