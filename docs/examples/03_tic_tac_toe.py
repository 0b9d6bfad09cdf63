"""
Tic-tac-toe: interactions of four
=================================

All 958 ways a game can end, found by playing every game. Whether x has won depends on three squares
*together*: no single square, and no pair, says much. A classifier of hyperedges finds the lines by itself.
"""

import matplotlib.pyplot as plt
import pandas as pd

import graphoid as gd

games = gd.datasets.load("tic-tac-toe")
columns = {v.name: [v.states[code] for code in games.column(v.name)] for v in games.variables}
boards = pd.DataFrame(columns)
won = boards.pop("class")

# %%
# Its best structure has hyperedges of four: three squares and the class. ``information`` is what a
# hyperedge tells about the class beyond its parts, as a share of the entropy of the class.

model = gd.MarkovNetworkClassifier().fit(boards, won)
for edge in model.hyperedges_:
    if not edge.covered:
        print(f"{', '.join(edge.attributes):45} {edge.information:.1%}")

# %%
# Drawn where the squares are. Lines through three squares are the hyperedges of four.

places = {name: (i % 3, -(i // 3)) for i, name in enumerate(boards.columns)}
fig, ax = plt.subplots(figsize=(6, 5))
ax = model.draw(positions=places, ax=ax)

# %%
# One game taken apart: what speaks for a win of x, in log-odds.

print(boards.iloc[0].to_numpy().reshape(3, 3))
print("\n".join(str(model.explain(boards.iloc[:1])).splitlines()[:6]))

# %%
# How good it is on games that it has not seen, next to single squares only (``max_order=2``):

from sklearn.model_selection import StratifiedKFold, cross_val_score

folds = StratifiedKFold(5, shuffle=True, random_state=0)
for order in (2, 4):
    loss = -cross_val_score(
        gd.MarkovNetworkClassifier(max_order=order), boards, won, scoring="neg_log_loss", cv=folds
    )
    print(f"up to {order} members: log-loss {loss.mean():.3f}")
