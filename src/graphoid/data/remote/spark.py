"""A Spark data frame as a relation."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import sqlglot

from graphoid.data.remote.sql import SqlRelation
from graphoid.errors import missing_extra

if TYPE_CHECKING:
    import pyarrow as pa
    import pyspark.sql


class SparkRelation(SqlRelation):
    """A data frame of PySpark, asked by SQL under a temporary name."""

    kind = "spark"
    sets = False  # Spark writes every row once for every set

    def __init__(self, frame: pyspark.sql.DataFrame) -> None:
        try:
            from pyspark.sql.pandas.types import to_arrow_schema
        except ImportError:
            raise missing_extra("a Spark data frame", "spark") from None
        self.frame = frame
        self.session = frame.sparkSession
        self._view = f"graphoid_{id(frame):x}"
        frame.createOrReplaceTempView(self._view)
        source = sqlglot.parse_one(f"SELECT * FROM {self._view}", dialect="spark")  # noqa: S608 - a name of ours
        super().__init__(source, "spark", to_arrow_schema(frame.schema), "Spark data frame")

    @property
    def identity(self) -> str:
        """The plan of the data frame, without the numbers that differ from run to run."""
        inputs = sorted(self.frame.inputFiles()) if hasattr(self.frame, "inputFiles") else []
        plan = f"{self.frame.schema.simpleString()} {inputs}"
        return f"spark {hashlib.blake2b(plan.encode(), digest_size=16).hexdigest()}"

    def fetch(self, statement: str) -> pa.Table:
        """Run a query."""
        return self.session.sql(statement).toArrow()
