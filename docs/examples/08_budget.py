"""
Tests that cost money: what a budget buys
=========================================

Fourteen variables at two sites. Each test has a price: every column that has to travel costs ten, and each
test one. PFMN asks next what its population of structures disagrees on most for the price. How far does the
money go?
"""

import matplotlib.pyplot as plt

import graphoid as gd

truth = gd.datasets.random_graph(14, 2, 7)
price = gd.SitePrice(["clinic"] * 7 + ["registry"] * 7, per_column=10.0, per_test=1.0)
found = gd.PFMN(cost=price, random_state=0).learn(gd.Oracle(truth))
print(f"right: {found.graph == truth}, proved: {found.details['verified']}")
print(f"price: {found.details['spent']:,.0f}")

# %%
# What the same answers would have cost GSIMN, which does not look at prices:

bill = gd.Ledger(gd.Oracle(truth), price=price)
gd.GSIMN().learn(bill)
print(f"GSIMN: {bill.spent:,.0f}")

# %%
# With less money it stops earlier, with the best structure so far. The entropy of the population, what it
# does not yet know, is kept after every test:

budgets = (50, 75, 100, 125, 150, 175, 200)
results = [gd.PFMN(cost=price, budget=b, random_state=0).learn(gd.Oracle(truth)) for b in budgets]
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5))
spent, entropy = zip(*found.details["entropy_by_cost"], strict=True)
left.plot(spent, entropy, color="#2a7f9e")
left.set_xlabel("money spent")
left.set_ylabel("entropy of the population")
right.plot(budgets, [r.compare(truth).hamming for r in results], "o-", color="#e07a3f")
right.set_xlabel("budget")
right.set_ylabel("wrong pairs of 91")
fig.tight_layout()

# %%
# What it would ask next with 100, had it more:

following = results[2].details["next_test"]
print(f"{following['x']} and {following['y']} given {following['given']}: {following['why']}")
