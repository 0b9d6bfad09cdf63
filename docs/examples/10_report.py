"""
A report that can be asked
==========================

One file that opens without a network: the drawing with a slider for the strength of edges, the table behind
each edge, "is A independent of B given C?", and all that a paper needs.
"""

import graphoid as gd

survey = gd.datasets.load("survey")
found = gd.learn(survey)
found.report("survey.html", title="A survey about getting around")

# %%
# Here it is. Click a node for its blanket, an edge for what drives it, two nodes for what separates them.
#
# .. raw:: html
#
#     <iframe src="survey.html" title="The report" style="width: 100%; height: 46rem"></iframe>
#     <p><a href="survey.html">The report by itself</a></p>
#
# From a terminal: ``graphoid learn survey.csv --report survey.html``.
#
# For print there are static pictures of the same, as matplotlib axes:

found.plot()
