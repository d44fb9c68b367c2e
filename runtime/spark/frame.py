"""A Spark DataFrame, classic or Connect, as a place where queries run."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import types as T

from inwindow.runtime.query import Plan, Query
from inwindow.runtime.spark.analysis import ask_spark
from inwindow.runtime.spark.columns import Columns, is_plain, named_column
from inwindow.runtime.spark.naming import over_names
from inwindow.runtime.spark.new_rows import new_rows
from inwindow.runtime.spark.plans import SparkPlan
from inwindow.runtime.spark.points import plan_at, rows_at
from inwindow.runtime.spark.result_columns import with_result_columns
from inwindow.runtime.spark.session import Session
from inwindow.udaf.applied import is_expression


@dataclass(frozen=True)
class AnyFrame:
    """A DataFrame with its columns and session, each requested once."""

    data: Any
    session: Session
    schema: T.StructType

    def columns(self) -> Columns:
        """Its columns, before any has a name in the plan."""
        return Columns(self.data, self.session, self.schema)

    def names(self) -> list[str]:
        return [field.name for field in self.schema.fields]

    def check(self, names: Iterable[str], where: str) -> None:
        columns = self.names()
        for name in names:
            if not is_plain(columns, name):
                named_column(self.data, columns, name, where, self.session)

    def replaced(self, results: Iterable[str]) -> list[str]:
        """The results that have the name of a column, ignoring case: Spark replaces that column."""
        columns = {column.casefold() for column in self.names()}
        return [name for name in results if name.casefold() in columns]

    def item(self, item: Any) -> tuple[str, Any] | None:
        """A column that passes through: its name, and the expression for it."""
        if isinstance(item, str):
            self.check([item], "select")
            return (item if item in self.names() else self.data.select(item).columns[0]), item
        if is_expression(item):
            return ask_spark(lambda: self.data.select(item).columns, "select", item, self.names())[0], item
        return None


class Frame(AnyFrame):
    """A batch DataFrame."""

    def plan(self, query: Query) -> Plan:
        """The passes, and the shuffle of each."""
        return self._plan(self.columns(), query)

    def _plan(self, columns: Columns, query: Query) -> SparkPlan:
        if isinstance(query.of, AnyFrame):
            return plan_at(columns, query.of.columns(), query)
        return SparkPlan.of(over_names(columns, query), columns)

    def run(self, query: Query) -> Any:
        """The result as a DataFrame: no job runs yet, except samples."""
        columns = self.columns()
        plan = self._plan(columns, query)
        plan.warn_of_one_task()
        if query.of is not None:
            return rows_at(columns, plan)
        return with_result_columns(plan) if query.verb.rows == "every tuple" else new_rows(plan)
