"""The experiments by name, in full and in a size for a first look."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphoid.experiments.bjp_comparison import QUICK
from graphoid.experiments.bjp_consistency import Consistency
from graphoid.experiments.bjp_structures import Hubs, RealNetworks, ScaleFree
from graphoid.experiments.classifier_uci import Classes
from graphoid.experiments.csgs import Divergence, Tests
from graphoid.experiments.density import Density
from graphoid.experiments.gsimn_exact import Exact
from graphoid.experiments.gsimn_fch import ForwardChaining
from graphoid.experiments.gsimn_networks import Networks
from graphoid.experiments.gsimn_sampled import Sampled
from graphoid.experiments.gsimn_settings import NamedSettings
from graphoid.experiments.gsimn_uci import UCI
from graphoid.experiments.ising_recovery import IsingRecovery, Spec
from graphoid.experiments.pfmn_exact import PFMNExact
from graphoid.experiments.pfmn_sampled import PFMNSampled
from graphoid.experiments.pfmn_uci import PFMNUCI
from graphoid.experiments.potts_recovery import PottsRecovery

if TYPE_CHECKING:
    from graphoid.experiments.experiment import Experiment


class Entry(NamedTuple):
    """An experiment as the paper has it, and one that takes seconds."""

    full: Experiment
    quick: Experiment


EXPERIMENTS = {
    "classifier-uci": Entry(
        Classes(), Classes(names=("titanic", "tic-tac-toe", "iris", "voting", "lenses"), repetitions=1)
    ),
    "density": Entry(Density(), Density(names=("nltcs",), n_queried=100, repetitions=1)),
    "csgs-kl": Entry(Divergence(), Divergence(sizes=(6,), n_rows=(100, 1_000), repetitions=2)),
    "csgs-tests": Entry(Tests(), Tests(sizes=(6, 8), n_rows=(100, 1_000), repetitions=2)),
    "gsimn-exact": Entry(Exact(), Exact(sizes=(20, 60, 100), repetitions=2)),
    "gsimn-fch": Entry(ForwardChaining(), ForwardChaining(sizes=(5, 6, 7), repetitions=2)),
    "gsimn-sampled": Entry(
        Sampled(), Sampled(sizes=(50,), degrees=(1, 4), thetas=(1.0,), n_rows=(1_000, 20_000), repetitions=2)
    ),
    "gsimn-networks": Entry(Networks(), Networks(n_rows=(1_000, 5_000), repetitions=1)),
    "gsimn-settings": Entry(NamedSettings(), NamedSettings(n=30, repetitions=2)),
    "gsimn-uci": Entry(UCI(), UCI(repetitions=3, n_triplets=1_000)),
    "pfmn-exact": Entry(
        PFMNExact(), PFMNExact(degrees=(1, 2), n_particles=(50,), budgets=(200,), repetitions=1)
    ),
    "pfmn-sampled": Entry(
        PFMNSampled(), PFMNSampled(degrees=(1, 2), n_rows=(500, 5_000), n_particles=50, repetitions=1)
    ),
    "pfmn-uci": Entry(PFMNUCI(), PFMNUCI(repetitions=1, published=False, n_triplets=500)),
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
    "ising-recovery": Entry(
        IsingRecovery(),
        IsingRecovery(specs=(Spec("grid", 9, 4, 0.4),), repetitions=5, steps=5, most_rows=20_000),
    ),
    "potts-recovery": Entry(
        PottsRecovery(), PottsRecovery(arities=(2,), repetitions=5, steps=5, most_rows=50_000)
    ),
}
