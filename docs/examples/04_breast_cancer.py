"""
Tumors: which measurements matter by themselves
===============================================

Ten measurements of cell nuclei and the diagnosis, from scikit-learn. Nearly all of them go together with the
diagnosis; the blanket of the diagnosis is what is left when the others are known.
"""

from sklearn.datasets import load_breast_cancer

import graphoid as gd

tumors = load_breast_cancer()
means = [i for i, name in enumerate(tumors.feature_names) if name.startswith("mean ")]
table = gd.read(
    {
        **{tumors.feature_names[i].removeprefix("mean "): tumors.data[:, i] for i in means},
        "diagnosis": tumors.target_names[tumors.target],
    },
    discretize="auto",
    name="tumors",
)
print(table.notes[0])

# %%
# Every measurement by itself tells about the diagnosis:

ci = gd.Tester(gd.GTest(), table)
verdicts = ci.ask([(name, "diagnosis", ()) for name in table.names[:-1]])
print({table.names[v.x]: f"{v.p_value:.0e}" for v in verdicts})

# %%
# The network says which of them do when all others are known:

found = gd.Search(gd.LogLinearEvidence(), effort=0, random_state=0).fit(table).structure_
print("blanket of the diagnosis:", [found.names[v] for v in found.graph.blanket("diagnosis")])

found.plot(highlight=["diagnosis"])

# %%
# Five bins a measurement are coarse. A classifier that cuts numbers where the diagnosis changes, and as
# often as it pays, gives probabilities for tumors it has not seen:

from sklearn.model_selection import cross_val_score

model = gd.MarkovNetworkClassifier()
scores = cross_val_score(model, tumors.data[:, means], tumors.target, scoring="neg_log_loss", cv=5)
print(f"log-loss in five folds: {-scores.mean():.3f}")
