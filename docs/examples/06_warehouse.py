"""
A warehouse: the database counts, rows stay where they are
==========================================================

All that learners need of discrete data is counts. So an engine may let the database do the counting, and
nothing but small tables travels: one query for a batch of questions. Here it is DuckDB; for PostgreSQL two
lines change.
"""

import duckdb
import numpy as np
import pyarrow as pa

import graphoid as gd
from graphoid.counts.contingency import tabulate
from graphoid.data.variables import Variable
from graphoid.datasets.simulated import survey_graph

# %%
# A warehouse to try it on: 200,000 answers from a model of the simulated survey, as text.

model = gd.MarkovNetwork.fit(survey_graph(), gd.datasets.load("survey"))
drawn = model.sample(200_000, random_state=0)
answers = pa.table({v.name: np.array(v.states)[drawn.column(v.name)] for v in drawn.variables})
connection = duckdb.connect()
connection.execute("CREATE TABLE answers AS SELECT * FROM answers")


# %%
# The engine. ``GROUPING SETS`` counts many tables in one pass over the rows; what comes back is a line for
# each cell that occurs.


class SQLEngine:
    """Counts a table where it is, by SQL."""

    def __init__(self, run, table):
        self._run, self._table, self.n_queries = run, table, 0
        names = [line[0] for line in run(f"SELECT * FROM {table} LIMIT 0", columns=True)]
        self.variables = tuple(Variable(n, tuple(self._states(n))) for n in names)
        self._codes = [{state: code for code, state in enumerate(v.states)} for v in self.variables]
        self.n_rows = run(f"SELECT count(*) FROM {table}")[0][0]

    def _states(self, name):
        return [value for (value,) in self._run(f'SELECT DISTINCT "{name}" FROM {self._table} ORDER BY 1')]

    def counts(self, requests):
        self.n_queries += 1
        if any(request.context for request in requests):
            raise NotImplementedError("contexts would be a WHERE each")
        wanted = sorted({v for request in requests for v in request.variables})
        named = {v: f'"{self.variables[v].name}"' for v in wanted}
        sets = [", ".join(named[v] for v in request.variables) for request in requests]
        columns = [*named.values(), *(f"GROUPING({name})" for name in named.values())]
        lines = self._run(
            f"SELECT {', '.join(columns)}, count(*) FROM {self._table} "
            f"GROUP BY GROUPING SETS ({', '.join(f'({one})' for one in dict.fromkeys(sets))})"
        )
        cells = {}
        for line in lines:
            present = frozenset(
                v for v, absent in zip(wanted, line[len(wanted) : -1], strict=True) if not absent
            )
            codes = {v: self._codes[v][line[i]] for i, v in enumerate(wanted) if v in present}
            cells.setdefault(present, []).append((codes, line[-1]))
        return [self._table_of(request, cells[frozenset(request.variables)]) for request in requests]

    def _table_of(self, request, cells):
        shape = tuple(self.variables[v].arity for v in request.variables)
        rows = np.array([[codes[v] for v in request.variables] for codes, _ in cells], dtype=np.uint16)
        times = np.array([n for _, n in cells], dtype=np.int64)
        return tabulate(request.variables, shape, rows, times, 1.0, self.n_rows)


def run(query, columns=False):
    cursor = connection.execute(query)
    return cursor.description if columns else cursor.fetchall()


# %%
# Any tester, score or learner takes it where it takes a table:

engine = SQLEngine(run, "answers")
found = gd.GSMN(preset="robust").learn(gd.Tester(gd.ChiSquare(alpha=0.001), engine))
print(found)
print("wrong pairs:", found.compare(survey_graph()).hamming)
print(
    f"{engine.n_queries} queries over {engine.n_rows:,} rows; tests share them where they are asked together"
)

# %%
# and the answers are those of the rows themselves, to the last digit:

question = [("bus", "car", ("region", "income"))]
in_memory = gd.Tester(gd.GTest(), gd.read(connection.table("answers")))
print(gd.Tester(gd.GTest(), engine).ask(question)[0].statistic, in_memory.ask(question)[0].statistic)

# %%
# In PostgreSQL the same engine runs with another ``run``; nothing else changes:
#
# .. code-block:: python
#
#     import psycopg
#
#     connection = psycopg.connect("dbname=warehouse")
#
#     def run(query, columns=False):
#         with connection.cursor() as cursor:
#             cursor.execute(query)
#             return cursor.description if columns else cursor.fetchall()
#
#     engine = SQLEngine(run, "answers")
