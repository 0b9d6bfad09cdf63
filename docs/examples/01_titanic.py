"""
The Titanic: who lived, and what that depended on
=================================================

The 2,201 people on board, counted by class, sex, age and fate [Dawson1995]_. Four columns are few enough to
check everything by hand, and enough to see what an edge means.
"""

import graphoid as gd

titanic = gd.datasets.load("titanic")
found = gd.learn(titanic)
print(found)

# %%
# The graph is nearly complete: fate depended on sex, class and age, and so did where one traveled. One edge
# is not sure, and the result says so:

for row in found.pairs():
    print(f"{row.x:6} {row.y:9} probability {row.probability:.3f}  {row.verdict}")

# %%
# A picture. Edges are as wide as their effects are large; class has four states without an order, so that its
# edges have no sign. The one that is undecided is dashed.

found.plot()

# %%
# "Women and children first" held, but not for everyone. The model of this graph gives the chances of every
# group, from all of the data at once:

model = gd.MarkovNetwork.fit(found, titanic)
for group in ("1st", "2nd", "3rd", "crew"):
    women, men = (model.query("survived", {"class": group, "sex": sex})[1] for sex in ("female", "male"))
    print(f"{group:5} women {women:.0%}, men {men:.0%}")

# %%
# The undecided edge, by a test. The p-value says that such a table would be rare if sex and age were
# independent given class and fate. The probability above also asks how well dependence explains it, and how
# many edges one expects: a small effect that takes many parameters is worth less than its p-value looks.

ci = gd.Tester(gd.GTest(dof="adjusted"), titanic)
verdict = ci.ask([("sex", "age", ["class", "survived"])])[0]
print(f"G² = {verdict.statistic:.1f} with {verdict.dof:.0f} degrees of freedom, p = {verdict.p_value:.2g}")
