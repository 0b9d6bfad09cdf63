"""
A survey with contexts: where does an edge hold?
================================================

4,000 simulated answers. In the city the young take the bus; in the country taking it does not depend on
age. A single graph joins age and bus, and is silent about where.
"""

import matplotlib.pyplot as plt
import networkx as nx

import graphoid as gd

survey = gd.datasets.load("survey")
model = gd.CSGS().fit(survey).structure_
print(model)

# %%
# The graphs of one and the same person, once in the city and once in the country:

person = {"age": "young", "income": "middle", "bus": "yes", "car": "no", "content": "yes"}
city, country = (model.graph_for({"region": region, **person}) for region in ("city", "country"))

places = nx.circular_layout(city.to_networkx())
fig, axes = plt.subplots(1, 2, figsize=(9, 4))
for ax, graph, other, title in zip(axes, (city, country), (country, city), ("city", "country"), strict=True):
    drawn = graph.to_networkx()
    here_only = [edge for edge in drawn.edges if not other.to_networkx().has_edge(*edge)]
    nx.draw_networkx_edges(drawn, places, width=2, edge_color="#2a7f9e", ax=ax)
    nx.draw_networkx_edges(drawn, places, edgelist=here_only, width=4, edge_color="#e07a3f", ax=ax)
    nx.draw_networkx_nodes(drawn, places, node_size=2000, node_color="#cfe3ea", ax=ax)
    nx.draw_networkx_labels(drawn, places, font_size=9, ax=ax)
    ax.set_title(f"region = {title}")
    ax.set_axis_off()
    ax.margins(0.2)

# %%
# What the answers were drawn from says the same (:func:`graphoid.datasets.simulated.survey`). A model with
# these contexts has weights for "region = city and age = young and bus = yes", and none that speak of age
# in the country:

fitted = gd.MarkovNetwork.fit(model, survey)
for region in ("city", "country"):
    chances = [fitted.query("bus", {"region": region, "age": age})[1] for age in ("young", "middle", "old")]
    print(region, " ".join(f"{chance:.2f}" for chance in chances))
