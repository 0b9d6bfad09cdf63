"""
A warehouse: data stay where they are
=====================================

A table may be a handle: the database counts, and nothing but small tables of counts travels. Learners take
it as any other table.
"""

import duckdb
import numpy as np
import pyarrow as pa

import graphoid as gd
from graphoid.datasets.simulated import survey_graph

model = gd.MarkovNetwork.fit(survey_graph(), gd.datasets.load("survey"))
drawn = model.sample(500_000, random_state=0)
answers = pa.table({v.name: np.array(v.states)[drawn.column(v.name)] for v in drawn.variables})
connection = duckdb.connect()
connection.execute("CREATE TABLE answers AS SELECT * FROM answers")

# %%
# ``where="source"`` leaves the rows in DuckDB:

table = gd.read(connection.table("answers"), where="source")
found = gd.RobustGSMN(infer=True).fit(table).structure_
print(repr(table))
print(found)
print("wrong pairs:", found.compare(survey_graph()).hamming, " queries:", found.cost.queries)

# %%
# and the result is that of the rows in memory, verdict by verdict:

in_memory = gd.RobustGSMN(infer=True).fit(gd.read(answers)).structure_
print(in_memory.graph == found.graph)

# %%
# A PostgreSQL or other warehouse goes through Ibis (extra ``ibis``), a Spark frame as it is:
#
# .. code-block:: python
#
#     import ibis
#
#     warehouse = ibis.postgres.connect(host="warehouse", database="sales")
#     table = gd.read(warehouse.table("answers"), cache="answers.counts")
#     found = gd.RobustGSMN(infer=True).fit(table).structure_
#
# ``cache`` is a file that keeps the counts: a run that was stopped goes on from there, and another learner
# asks only for what is new. Files too large for memory (Parquet, Arrow, CSV) are streamed:
# ``gd.read("large.parquet", where="source")``.
