"""
The Titanic: who lived, and what that depended on
=================================================

The 2,201 people on board, counted by class, sex, age and fate [Dawson1995]_. Four columns are few enough to
check everything by hand, and enough to see what an edge means.
"""

import matplotlib.pyplot as plt
import networkx as nx

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
# A picture. Edges are as wide as the evidence for them is strong, on a log scale; the one that is undecided
# is dashed.

graph = found.to_networkx()
places = nx.circular_layout(graph)
fig, ax = plt.subplots(figsize=(5, 4))
for row in found.edges():
    nx.draw_networkx_edges(
        graph,
        places,
        edgelist=[(row.x, row.y)],
        width=1 + row.strength**0.35,
        style="solid" if row.verdict == "present" else "dashed",
        edge_color="#2a7f9e",
        ax=ax,
    )
nx.draw_networkx_nodes(graph, places, node_size=2600, node_color="#f6e3d7", edgecolors="#e07a3f", ax=ax)
nx.draw_networkx_labels(graph, places, font_size=10, ax=ax)
ax.set_axis_off()
ax.margins(0.2)

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
