"""
Learners compared, on networks whose answer is known
====================================================

Two kinds of networks of 16 variables, two sizes of data, three data sets each: how many pairs does each
learner get wrong? :doc:`/guide/which-learner` has the larger tables.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphoid as gd

learners = {
    "GSMN*": gd.GSMN(),
    "GSIMN": gd.GSIMN(),
    "robust": gd.RobustGSMN(),
    "MPL": gd.TwoPhase(gd.MPL()),
    "BJP": gd.HillClimb(gd.BJP()),
    "gd.learn": None,
}
structures = {"hubs": gd.datasets.hub_graph(16), "random, 3 neighbors": gd.datasets.random_graph(16, 3, 4)}

# %%
# Maximal cliques have random potentials, as in the experiments of [Schluter2018]_.

wrong = {}
for what, truth in structures.items():
    for rows in (250, 2_000):
        for seed in range(3):
            data = gd.datasets.random_cliques(truth, rng=seed).sample(rows, random_state=seed)
            for name, learner in learners.items():
                hamming = gd.learn(data, learner).compare(truth).hamming
                wrong.setdefault((what, rows), {}).setdefault(name, []).append(hamming)

# %%
fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
for ax, what in zip(axes, structures, strict=True):
    for shift, rows in enumerate((250, 2_000)):
        means = [np.mean(wrong[what, rows][name]) for name in learners]
        at = np.arange(len(learners)) + 0.38 * shift
        ax.bar(at, means, 0.36, label=f"{rows:,} rows", color=("#9cc4d1", "#2a7f9e")[shift])
    ax.set_xticks(np.arange(len(learners)) + 0.19, learners, rotation=30, ha="right")
    ax.set_title(f"{what} ({structures[what].n_edges} edges)")
axes[0].set_ylabel("wrong pairs of 120")
axes[0].legend()
fig.tight_layout()

# %%
for (what, rows), by_learner in wrong.items():
    print(
        f"{what}, {rows:,} rows:",
        {name: round(float(np.mean(found)), 1) for name, found in by_learner.items()},
    )
