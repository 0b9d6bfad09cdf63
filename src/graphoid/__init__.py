"""graphoid: discover Markov networks from data.

>>> import graphoid as gd
>>> table = gd.datasets.load("titanic")
>>> ci = gd.Tester(gd.ChiSquare(alpha=0.01), table)
>>> ci.independent("age", "survived", given=["class", "sex"])
False

Names are loaded when they are first used, so that ``import graphoid`` costs next to nothing.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphoid import datasets as datasets
    from graphoid.classifiers.markov import MarkovNetworkClassifier as MarkovNetworkClassifier
    from graphoid.classifiers.mdlp import MDLPDiscretizer as MDLPDiscretizer
    from graphoid.counts.remote.access_cost import PriceList as PriceList
    from graphoid.data.read import read as read
    from graphoid.data.remote.federate import federate as federate
    from graphoid.data.table import Table as Table
    from graphoid.data.variables import Variable as Variable
    from graphoid.independence.bayes_factor import BayesFactor as BayesFactor
    from graphoid.independence.bayesian import BayesianTest as BayesianTest
    from graphoid.independence.chi_square import ChiSquare as ChiSquare
    from graphoid.independence.degenerate_gaussian import DegenerateGaussian as DegenerateGaussian
    from graphoid.independence.g import GTest as GTest
    from graphoid.independence.inferring import Inferring as Inferring
    from graphoid.independence.ledger import Ledger as Ledger
    from graphoid.independence.likelihood_ratio import LikelihoodRatio as LikelihoodRatio
    from graphoid.independence.linear_by_linear import LinearByLinear as LinearByLinear
    from graphoid.independence.mantel_haenszel import MantelHaenszel as MantelHaenszel
    from graphoid.independence.oracle import Oracle as Oracle
    from graphoid.independence.partial_correlation import (
        PartialCorrelation as PartialCorrelation,
        RankPartialCorrelation as RankPartialCorrelation,
    )
    from graphoid.independence.tester import Tester as Tester
    from graphoid.independence.thin import ThinData as ThinData
    from graphoid.learners.contexts.csgs import CSGS as CSGS
    from graphoid.learners.contexts.cspc import CSPC as CSPC
    from graphoid.learners.directed.search import DirectedSearch as DirectedSearch
    from graphoid.learners.grow_shrink.gsimn import GSIMN as GSIMN
    from graphoid.learners.grow_shrink.gsmn import GSMN as GSMN
    from graphoid.learners.grow_shrink.robust import RobustGSMN as RobustGSMN
    from graphoid.learners.pfmn.budget import Budget as Budget, SitePrice as SitePrice
    from graphoid.learners.pfmn.learner import PFMN as PFMN, PublishedPFMN as PublishedPFMN
    from graphoid.learners.recommended import learn as learn
    from graphoid.learners.scored.exhaustive import ExhaustiveSearch as ExhaustiveSearch
    from graphoid.learners.scored.hill_climb import HillClimb as HillClimb
    from graphoid.learners.scored.posterior import Posterior as Posterior
    from graphoid.learners.scored.search import Search as Search
    from graphoid.learners.scored.two_phase import TwoPhase as TwoPhase
    from graphoid.logic.assertion import Assertion as Assertion
    from graphoid.logic.verdict import Verdict as Verdict
    from graphoid.models.density import DensityLearner as DensityLearner
    from graphoid.models.maximum_pseudo_likelihood import (
        L1 as L1,
        L2 as L2,
        CrossValidated as CrossValidated,
        ElasticNet as ElasticNet,
    )
    from graphoid.models.mixed.network import MixedNetwork as MixedNetwork
    from graphoid.models.network import MarkovNetwork as MarkovNetwork
    from graphoid.report.view import view as view
    from graphoid.scores.bjp import BJP as BJP
    from graphoid.scores.evidence import LogLinearEvidence as LogLinearEvidence
    from graphoid.scores.gaussian import GaussianEvidence as GaussianEvidence
    from graphoid.scores.ib import IBScore as IBScore
    from graphoid.scores.log_linear import LogLinearScore as LogLinearScore
    from graphoid.scores.mpl import MPL as MPL
    from graphoid.scores.priors import (
        BlockPrior as BlockPrior,
        CommunityPrior as CommunityPrior,
        EdgePrior as EdgePrior,
        SparsePrior as SparsePrior,
        UniformPrior as UniformPrior,
    )
    from graphoid.structure.compare import accuracy as accuracy, compare as compare
    from graphoid.structure.contexts import CanonicalModel as CanonicalModel
    from graphoid.structure.graph import UndirectedGraph as UndirectedGraph
    from graphoid.structure.knowledge import Knowledge as Knowledge
    from graphoid.structure.learned import LearnedStructure as LearnedStructure
    from graphoid.uncertainty.bootstrap import Bootstrap as Bootstrap
    from graphoid.uncertainty.groups import compare_groups as compare_groups
    from graphoid.uncertainty.imputation import impute as impute
    from graphoid.uncertainty.io import load as load
    from graphoid.uncertainty.power import power as power
    from graphoid.uncertainty.sensitivity import sensitivity as sensitivity
    from graphoid.uncertainty.strength import strengths as strengths


__version__ = "0.2.0"

_HOME = {
    "Assertion": "logic.assertion",
    "BJP": "scores.bjp",
    "BayesFactor": "independence.bayes_factor",
    "BayesianTest": "independence.bayesian",
    "BlockPrior": "scores.priors",
    "Bootstrap": "uncertainty.bootstrap",
    "impute": "uncertainty.imputation",
    "Budget": "learners.pfmn.budget",
    "CSGS": "learners.contexts.csgs",
    "CSPC": "learners.contexts.cspc",
    "CanonicalModel": "structure.contexts",
    "ChiSquare": "independence.chi_square",
    "CommunityPrior": "scores.priors",
    "CrossValidated": "models.maximum_pseudo_likelihood",
    "DegenerateGaussian": "independence.degenerate_gaussian",
    "DensityLearner": "models.density",
    "EdgePrior": "scores.priors",
    "DirectedSearch": "learners.directed.search",
    "ElasticNet": "models.maximum_pseudo_likelihood",
    "ExhaustiveSearch": "learners.scored.exhaustive",
    "GSIMN": "learners.grow_shrink.gsimn",
    "GSMN": "learners.grow_shrink.gsmn",
    "GTest": "independence.g",
    "HillClimb": "learners.scored.hill_climb",
    "IBScore": "scores.ib",
    "Inferring": "independence.inferring",
    "Knowledge": "structure.knowledge",
    "L1": "models.maximum_pseudo_likelihood",
    "L2": "models.maximum_pseudo_likelihood",
    "LearnedStructure": "structure.learned",
    "Ledger": "independence.ledger",
    "LikelihoodRatio": "independence.likelihood_ratio",
    "LinearByLinear": "independence.linear_by_linear",
    "GaussianEvidence": "scores.gaussian",
    "LogLinearEvidence": "scores.evidence",
    "LogLinearScore": "scores.log_linear",
    "MDLPDiscretizer": "classifiers.mdlp",
    "MPL": "scores.mpl",
    "MantelHaenszel": "independence.mantel_haenszel",
    "MarkovNetwork": "models.network",
    "MarkovNetworkClassifier": "classifiers.markov",
    "MixedNetwork": "models.mixed.network",
    "Oracle": "independence.oracle",
    "PFMN": "learners.pfmn.learner",
    "PartialCorrelation": "independence.partial_correlation",
    "Posterior": "learners.scored.posterior",
    "PriceList": "counts.remote.access_cost",
    "PublishedPFMN": "learners.pfmn.learner",
    "RankPartialCorrelation": "independence.partial_correlation",
    "RobustGSMN": "learners.grow_shrink.robust",
    "Search": "learners.scored.search",
    "SitePrice": "learners.pfmn.budget",
    "SparsePrior": "scores.priors",
    "Table": "data.table",
    "Tester": "independence.tester",
    "ThinData": "independence.thin",
    "TwoPhase": "learners.scored.two_phase",
    "UndirectedGraph": "structure.graph",
    "UniformPrior": "scores.priors",
    "Variable": "data.variables",
    "Verdict": "logic.verdict",
    "accuracy": "structure.compare",
    "compare": "structure.compare",
    "compare_groups": "uncertainty.groups",
    "federate": "data.remote.federate",
    "learn": "learners.recommended",
    "load": "uncertainty.io",
    "power": "uncertainty.power",
    "read": "data.read",
    "sensitivity": "uncertainty.sensitivity",
    "strengths": "uncertainty.strength",
    "view": "report.view",
}

__all__ = ["__version__", "datasets", *sorted(_HOME)]  # noqa: PLE0604 - names, all of them strings

logging.getLogger("graphoid").addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    if name in {"datasets", "report"}:
        return importlib.import_module(f"graphoid.{name}")
    if name in _HOME:
        value = getattr(importlib.import_module(f"graphoid.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'graphoid' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
