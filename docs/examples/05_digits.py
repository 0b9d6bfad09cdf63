"""
Digits: neighbors find each other
=================================

1,797 handwritten digits of eight by eight pixels, from scikit-learn, in black and white. Nobody tells the
learner which pixels lie side by side. It draws its edges by the data alone.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import graphoid as gd

images = load_digits().images
ink = {f"{row},{column}": images[:, row, column] > 7 for row in range(8) for column in range(8)}
ink = {
    pixel: black for pixel, black in ink.items() if 90 <= black.sum() <= len(black) - 90
}  # those that vary
table = gd.read(ink, name="digits")
print(table)

# %%
# Of the 64 pixels, 45 are neither nearly always white nor nearly always black. A search that only climbs
# takes seconds:

found = gd.Search(gd.LogLinearEvidence(order=2), effort=0, random_state=0).fit(table).structure_
print(repr(found))

# %%
# Pixels where they are. Edges between neighbors are blue, others gray; those of the strongest evidence are
# widest.

at = {name: (int(name[2]), -int(name[0])) for name in found.names}
fig, ax = plt.subplots(figsize=(6, 6))
near = 0
for row in sorted(found.edges(), key=lambda edge: edge.strength):
    (x1, y1), (x2, y2) = at[row.x], at[row.y]
    touching = max(abs(x1 - x2), abs(y1 - y2)) == 1
    near += touching
    color, width = ("#2a7f9e", 0.8 + row.strength / 12) if touching else ("#cccccc", 0.8)
    ax.plot([x1, x2], [y1, y2], color=color, linewidth=width, zorder=1 + touching)
ax.scatter(*zip(*at.values(), strict=True), s=160, color="#e07a3f", zorder=3)
ax.set_aspect("equal")
ax.set_axis_off()

# %%
pairs = [(a, b) for a in at for b in at if a < b]
touch = sum(max(abs(at[a][0] - at[b][0]), abs(at[a][1] - at[b][1])) == 1 for a, b in pairs)
print(
    f"{near / found.graph.n_edges:.0%} of the edges join neighbors, {touch / len(pairs):.0%} of all pairs are"
)
