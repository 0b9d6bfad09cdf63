"""How a network was learned, in words for a paper: with the formula, and who to cite."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Method(NamedTuple):
    """A part of the method: what it is, the formula behind it, and who to cite."""

    words: str
    formula: str = ""
    """As one line of text."""
    tex: str = ""
    """The same for LaTeX."""
    cite: tuple[str, ...] = ()


PFMN = Method(
    "A population of networks was weighted by how well they agree with the answers so far; the next test "
    "was always the one with the largest expected information for its cost (PFMN).",
    "P(G | answers) ∝ P(G) ∏ P(answer | G)",
    r"P(G \mid y_{1:t}) \propto P(G) \prod_t P(y_t \mid G)",
    ("Margaritis2009",),
)

BEST = "G* = argmax score(G)", r"G^\star = \arg\max_G s(G)"
"""What all searches by a score look for, as a line of text and for LaTeX."""

LEARNERS = {
    "GSMN": Method(
        "The Markov blanket of each variable was learned by growing and shrinking: variables that depend on "
        "it given the current blanket are added, then those independent of it given the rest are removed. "
        "Two variables are joined by an edge if one is in the blanket of the other (GSMN*).",
        "y ∈ B(x)  ⇔  x and y depend on each other given B(x) ∖ {y}",
        r"y \in B(x) \iff x \not\perp y \mid B(x) \setminus \{y\}",
        ("Bromberg2009",),
    ),
    "GSIMN": Method(
        "Markov blankets were grown and shrunk as in GSMN*, but a test was run only if its result did not "
        "follow from earlier ones by Strong Union or the Triangle theorem (GSIMN).",
        "x ⊥ w | A and w not ⊥ y | B  ⇒  x ⊥ y | A,  for A ⊆ B",
        r"(x \perp w \mid A) \wedge (w \not\perp y \mid B) \implies (x \perp y \mid A), \quad A \subseteq B",
        ("Bromberg2009", "Pearl1988"),
    ),
    "RobustGSMN": Method(
        "All Markov blankets were grown together, the strongest remaining dependence first, with the false "
        "discovery rate controlled at each step. Each pair was then tested from both of its ends, and "
        "joined by an edge if the geometric mean of the two p-values is a discovery among all pairs at the "
        "same rate.",
        "the k-th member of a blanket has p ≤ k q / (n − 1)",
        r"p_{(k)} \le k q / (n - 1)",
        ("Bromberg2009", "Benjamini1995"),
    ),
    "PFMN": PFMN,
    "PublishedPFMN": PFMN,
    "HillClimb": Method(
        "The graph with the highest score was searched for by hill climbing, one edge at a time.",
        *BEST,
        ("Schluter2014",),
    ),
    "TwoPhase": Method(
        "The Markov blanket of each variable was learned first, by hill climbing; the graph with the highest "
        "score was then searched for among the edges that occur in the blankets.",
        *BEST,
        ("Pensar2017",),
    ),
    "DirectedSearch": Method(
        "The directed acyclic graph with the highest score (BIC or BDeu) was searched for by additions, "
        "deletions and reversals of arcs with a tabu list, and by optimal reinsertion of one variable at a "
        "time. Its moral graph is shown: arcs without their direction, and an edge between parents of the "
        "same child.",
        "BIC: log P(data | G, fitted tables) − ½ log(rows) · (number of parameters)",
        r"\sum_{jk} N_{jk} \log \frac{N_{jk}}{N_j} - \tfrac12 \log N \, (r - 1) q",
        ("Heckerman1995", "Schwarz1978", "Moore2003"),
    ),
    "ExhaustiveSearch": Method("The graph with the highest score was found by comparing all graphs.", *BEST),
    "Search": Method(
        "The graph with the highest score was searched for by hill climbing with tabu steps at local optima "
        "and restarts from perturbed optima.",
        *BEST,
    ),
    "Posterior": Method(
        "Graphs were drawn from their posterior distribution by a continuous-time Markov chain; the "
        "inclusion probability of an edge is its average over them.",
        "P(G | data) ∝ exp(score(G) / c)",
        r"P(G \mid D) \propto \exp(s(G) / c)",
        ("Zanella2020", "Gelman1992"),
    ),
    "CSGS": Method(
        "For every distinct row of the data, a graph was learned by growing and shrinking blankets in the "
        "context given by that row (CSGS): an edge may be present in one context and absent in another.",
        "x, y not joined in G(xⁱ)  ⇔  x ⊥ y | the values of B(x) in xⁱ",
        r"(a,b) \notin G(x^i) \iff I(X_a, X_b \mid x^i_{MB(a)})",
        ("Edera2014",),
    ),
    "CSPC": Method(
        "For every distinct row of the data, a graph was learned by the PC search in the context given by "
        "that row (CSPC): an edge may be present in one context and absent in another.",
        "x, y not joined in G(xⁱ)  ⇔  x ⊥ y | the values of some W in xⁱ",
        r"(a,b) \notin G(x^i) \iff \exists W: I(X_a, X_b \mid x^i_W)",
        ("Edera2014",),
    ),
    "MarkovNetworkClassifier": Method(
        "Sets of attributes that are jointly informative about the class (hyperedges) were added one by one, "
        "the most probable structure first; class probabilities were averaged over structures, weighted by "
        "their posterior probability.",
        "P(class | attributes) ∝ ∏ P(class, region)^c(region)",
        r"P(y \mid x) \propto \prod_R P(y, x_R)^{c_R}",
        ("Jakulin2006",),
    ),
}

TESTS = {
    "ChiSquare": Method(
        "Independence was tested by Pearson's χ², summed over the configurations z of the conditioning set.",
        "χ² = Σ (N(x,y,z) − E(x,y,z))² / E(x,y,z),  E = N(x,z) N(y,z) / N(z)",
        r"\chi^2 = \sum_{xyz} \frac{(N_{xyz} - E_{xyz})^2}{E_{xyz}},\quad E_{xyz} = "
        r"\frac{N_{xz} N_{yz}}{N_z}",
        ("Agresti2013",),
    ),
    "GTest": Method(
        "Independence was tested by the likelihood-ratio statistic G², summed over the configurations z "
        "of the conditioning set.",
        "G² = 2 Σ N(x,y,z) log [N(x,y,z) N(z) / (N(x,z) N(y,z))]",
        r"G^2 = 2 \sum_{xyz} N_{xyz} \log \frac{N_{xyz} N_z}{N_{xz} N_{yz}}",
        ("Agresti2013",),
    ),
    "BayesianTest": Method(
        "The probability of independence was computed by comparing, for every configuration z of the "
        "conditioning set, one table of x and y with two separate ones, under Dirichlet priors.",
        "P(x ⊥ y | Z, data) = 1 / (1 + prior odds⁻¹ ∏ P(data | dependent in z) / P(data | independent in z))",
        r"\log\frac{P(\mathrm{CI} \mid D)}{P(\neg\mathrm{CI} \mid D)}",
        ("Margaritis2009",),
    ),
    "PartialCorrelation": Method(
        "Independence was tested by the partial correlation r, with Fisher's transformation.",
        "z = √(N − |Z| − 3) · artanh r",
        r"z = \sqrt{N - |Z| - 3}\,\operatorname{artanh} r",
    ),
    "RankPartialCorrelation": Method(
        "Independence was tested by the partial correlation r of normal scores, with Fisher's "
        "transformation.",
        "z = √(N − |Z| − 3) · artanh r",
        r"z = \sqrt{N - |Z| - 3}\,\operatorname{artanh} r",
        ("VanDerWaerden1952",),
    ),
    "LikelihoodRatio": Method(
        "Independence was tested by the likelihood ratio of regressions of x on the conditioning set with "
        "and without y, each variable in the family of its kind: multinomial, adjacent-category or Gaussian.",
        "Λ = 2 (max log L(x | z, y) − max log L(x | z))",
        r"\Lambda = 2 (\max \log L(x \mid z, y) - \max \log L(x \mid z))",
        ("Agresti2013", "Bartlett1938"),
    ),
    "BayesFactor": Method(
        "The probability of independence was computed from the BIC of regressions of x on the conditioning "
        "set, with and without y, each variable in the family of its kind.",
        "log odds = prior log odds − (Λ − d log N) / 2",
        r"\log\frac{P(\mathrm{CI} \mid D)}{P(\neg\mathrm{CI} \mid D)} = \mathrm{const} - "
        r"\frac{\Lambda - d \log N}{2}",
        ("KassWasserman1995",),
    ),
    "DegenerateGaussian": Method(
        "Independence was tested by the correlation of the residuals of x and y after linear regression on "
        "the conditioning set, with states as columns of zeros and ones and numbers as normal scores.",
        "Q = (N − 1 − p) tr(Sxx⁻¹ Sxy Syy⁻¹ Syx)",
        r"Q = (N - 1 - p) \operatorname{tr}(S_{xx}^{-1} S_{xy} S_{yy}^{-1} S_{yx})",
        ("Andrews2019",),
    ),
    "LinearByLinear": Method(
        "Independence was tested by the linear-by-linear association of ordered states, summed over the "
        "configurations of the conditioning set.",
        "M² = (Σ d)² / Σ V",
        r"M^2 = \frac{(\sum_z d_z)^2}{\sum_z V_z}",
        ("Mantel1963", "Agresti2013"),
    ),
    "MantelHaenszel": Method(
        "Independence was tested by the generalized Cochran-Mantel-Haenszel statistic: one association over "
        "all configurations of the conditioning set.",
        "M² = (Σ (n − m))ᵀ (Σ V)⁻¹ (Σ (n − m))",
        r"M^2 = \left(\sum_z (n_z - m_z)\right)^\top \left(\sum_z V_z\right)^{-1} \left(\sum_z (n_z - "
        r"m_z)\right)",
        ("Mantel1959", "Agresti2013"),
    ),
}

SCORES = {
    "MPL": Method(
        "The score is the marginal pseudo-likelihood: the likelihood of every variable given its blanket, "
        "with the probabilities integrated out under Dirichlet priors.",
        "log P(data | G) = Σ over variables of log ∫ P(x | B(x), θ) dθ",
        r"\log P(D \mid G) = \sum_j \sum_l \log \frac{\Gamma(\alpha_l)}{\Gamma(\alpha_l + c_{jl})} "
        r"+ \sum_i \log \frac{\Gamma(\alpha_{il} + c_{ijl})}{\Gamma(\alpha_{il})}",
        ("Pensar2017", "Schluter2018"),
    ),
    "IBScore": Method(
        "The score is the joint posterior probability of the independences and dependences that define the "
        "graph, treated as independent of each other (IB-score).",
        "log score = Σ log P(assertion | data)",
        r"\log \sigma(G) = \sum_{c \in C(G)} \log P(c \mid D)",
        ("Schluter2014",),
    ),
    "BJP": Method(
        "The score is the blankets joint posterior: every pair is judged once, from the end with the smaller "
        "blanket.",
        "log BJP(G) = Σ over pairs of log P(assertion about the pair | data)",
        r"\log \mathrm{BJP}(G) = \sum_{i<k} \log P(c_{\psi_i \psi_k} \mid D)",
        ("Schluter2018",),
    ),
    "LogLinearScore": Method(
        "The score is the penalized pseudo-likelihood of logistic models of each variable given its blanket.",
        "Σ over variables of log P(x | B(x)) − k/2 log N − γ k log n,  for k parameters, N rows, n variables",
        r"\sum_i \max_w \ell_i(w \mid B_i) - \tfrac{k_i}{2} \log N - \gamma k_i \log n",
        ("Barber2015", "Ravikumar2010"),
    ),
    "LogLinearEvidence": Method(
        "The score is the evidence (marginal likelihood) of logistic models of each variable given its "
        "Markov blanket, or of full conditional tables where these explain the data better, with the "
        "parameters integrated out.",
        "log P(data | G) = Σ over variables of log ½ (P(x | B(x), logistic) + P(x | B(x), table))",
        r"\log P(D \mid G) = \sum_j \log \tfrac12 \left( P_{\mathrm{logistic}} + P_{\mathrm{table}} \right)",
        ("Pensar2017", "Barber2015"),
    ),
}


def method_of(settings: Mapping[str, object]) -> list[Method]:
    """Return the parts of the method that some settings describe; those that are not known are left out."""
    learner = "RobustGSMN" if settings.get("preset") == "robust" else str(settings.get("learner"))
    found = [LEARNERS.get(learner)]
    if "convergence" in settings and settings.get("learner") != "Posterior":
        found.append(LEARNERS["Posterior"])
    for key, known in (("test", TESTS), ("score", SCORES)):
        part = settings.get(key)
        if isinstance(part, dict):
            found.append(known.get(str(part.get("name"))))
            inner = part.get("test")
            if isinstance(inner, dict):
                found.append(TESTS.get(str(inner.get("name"))))
    return [method for method in found if method is not None]


def bibtex(keys: list[str]) -> str:
    """Return the entries of some keys, each once, in order; what nobody wrote down is left out."""
    return "\n\n".join(_entries()[key] for key in dict.fromkeys(keys) if key in _entries())


@cache
def _entries() -> dict[str, str]:
    text = files("graphoid.report").joinpath("references.bib").read_text(encoding="utf-8")
    entries = re.finditer(r"^@\w+\{(\w+),.*?^\}", text, flags=re.MULTILINE | re.DOTALL)
    return {entry.group(1): entry.group(0) for entry in entries}
