"""
From a structure to queries
===========================

A network is learned once, and then asked many things: what follows from what is known, what is most
probable, how surprising a row is. Answers are exact and come with the uncertainty of the weights where it
matters.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphoid as gd

survey = gd.datasets.load("survey")
found = gd.learn(survey)
model = gd.MarkovNetwork.fit(found, survey, penalty=gd.CrossValidated())
print(model, model.provenance["penalty"])

# %%
# Every variable, before and after something is known. One pass gives them all.

before, after = model.marginals(), model.marginals({"bus": "yes", "car": "no"})
fig, axes = plt.subplots(2, 3, figsize=(9, 5))
for ax, variable in zip(axes.flat, model.variables, strict=True):
    at = np.arange(variable.arity)
    ax.bar(at - 0.2, before[variable.name], 0.38, color="#cfe3ea", label="nothing known")
    ax.bar(at + 0.2, after[variable.name], 0.38, color="#2a7f9e", label="takes the bus, has no car")
    ax.set_xticks(at, variable.states)
    ax.set_title(variable.name, fontsize=10)
    ax.set_ylim(0, 1)
axes[0, 0].legend(fontsize=7)
fig.tight_layout()

# %%
# Many rows at once: the chance of a car for every age and income in the city.

ages, incomes = ("young", "middle", "old"), ("low", "middle", "high")
grid = [(age, income) for age in ages for income in incomes]
chance = model.query(
    "car", {"region": ["city"] * 9, "age": [a for a, _ in grid], "income": [i for _, i in grid]}
)[:, 1]
print(chance.reshape(3, 3).round(2))

# %%
# Age makes no difference: given income and region, the car does not depend on it. That is what the missing
# edge says. The same is not true the other way around: seeing a car, one learns about age through income.

print(
    "no car:",
    model.query("age", {"car": "no"}).round(2),
    " car:",
    model.query("age", {"car": "yes"}).round(2),
)

# %%
# The least probable answers of the survey, for a second look:

log_p = model.log_probability(survey)
_, once = np.unique(log_p, return_index=True)  # one row of each kind, the least probable first
for row in once[:3]:
    answers = {v.name: v.states[survey.codes[row, i]] for i, v in enumerate(survey.variables)}
    print(f"{np.exp(log_p[row]):.5f}", answers)
