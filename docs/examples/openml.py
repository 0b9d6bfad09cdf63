"""
OpenML: a set by its number
===========================

Where there is a network, the catalog fetches tables of OpenML by their number, and checks that each is the
one it was written for: rows, columns, and how often each state occurs. (This example is not run where there
is no network: set ``GRAPHOID_ONLINE=1`` when building the pages.)
"""

import graphoid as gd

votes = gd.datasets.load("vote")  # OpenML 56: how 435 representatives voted on 16 questions in 1984
found = gd.RobustGSMN().fit(votes).structure_
print(found)

# %%
# What tells the party, once all other votes are known?

print([found.names[v] for v in found.graph.blanket(votes.names[-1])])

# %%
# Any other set: fetch it as a data frame and read that.
from sklearn.datasets import fetch_openml

frame = fetch_openml(data_id=24, as_frame=True, parser="auto").frame
print(gd.read(frame, missing="category", name="mushroom"))
