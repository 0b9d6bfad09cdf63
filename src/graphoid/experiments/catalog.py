"""The experiments by name, in full and in a size for a first look."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphoid.experiments.consistency import Consistency
from graphoid.experiments.exact import Exact
from graphoid.experiments.forward import ForwardChaining
from graphoid.experiments.networks import Networks
from graphoid.experiments.sampled import Sampled
from graphoid.experiments.score_learners import QUICK
from graphoid.experiments.structures import Hubs, RealNetworks, ScaleFree
from graphoid.experiments.uci import UCI

if TYPE_CHECKING:
    from graphoid.experiments.compared import Experiment


class Entry(NamedTuple):
    """An experiment as the paper has it, and one that takes seconds."""

    full: Experiment
    quick: Experiment


EXPERIMENTS = {
    "gsimn-exact": Entry(Exact(), Exact(sizes=(20, 60, 100), repetitions=2)),
    "gsimn-fch": Entry(ForwardChaining(), ForwardChaining(sizes=(5, 6, 7), repetitions=2)),
    "gsimn-sampled": Entry(
        Sampled(), Sampled(sizes=(50,), degrees=(1, 4), thetas=(1.0,), n_rows=(1_000, 20_000), repetitions=2)
    ),
    "gsimn-networks": Entry(Networks(), Networks(n_rows=(1_000, 5_000), repetitions=1)),
    "gsimn-uci": Entry(UCI(), UCI(repetitions=3, n_triplets=1_000)),
    "bjp-consistency": Entry(
        Consistency(), Consistency(structures=(1, 4, 6), n_rows=(1_000, 8_000), repetitions=3, samples=1)
    ),
    "bjp-hubs": Entry(Hubs(), Hubs(sizes=(16, 32), n_rows=(250, 2_000), repetitions=3, learners=QUICK)),
    "bjp-scale-free": Entry(
        ScaleFree(), ScaleFree(sizes=(16,), n_rows=(250, 2_000), repetitions=3, learners=QUICK)
    ),
    "bjp-networks": Entry(
        RealNetworks(),
        RealNetworks(names=("karate", "ibm32"), n_rows=(250, 2_000), repetitions=2, learners=QUICK),
    ),
}
