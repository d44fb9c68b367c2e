"""A Spark DataFrame, classic or Connect, as a place where aggregates run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inwindow.optimizer.explain import Explanation
from inwindow.runtime.reserved import check_names
from inwindow.runtime.spark.asking import asked
from inwindow.runtime.spark.columns import Columns, named_column
from inwindow.runtime.spark.emitted import groups, plan_of_groups, select
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.spine import plan_at, with_columns_at
from inwindow.runtime.spark.tuples import plan, with_columns
from inwindow.udaf.applied import Applied, is_expression
from inwindow.windows.spec import Extent, Order


@dataclass(frozen=True)
class Frame:
    """The DataFrame, and what the calls on it become."""

    data: Any
    session: Session
    hot_keys: str = "auto"

    @classmethod
    def of(cls, df: Any, where: str, hot_keys: str = "auto") -> "Frame":
        """The DataFrame, if it is one that we can work on."""
        check_names(df.columns, where)
        if df.isStreaming:
            from inwindow.runtime.spark.streams import StreamFrame

            return StreamFrame(df, Session.of(df))
        return cls(df, Session.of(df), hot_keys)

    def check(self, names: Iterable[str], where: str) -> None:
        """The columns are there, or an error."""
        columns = self.names()
        for name in names:
            named_column(self.data, columns, name, where, self.session.F)

    def names(self) -> list[str]:
        """All columns."""
        names: list[str] = self.data.columns
        return names

    def replaced(self, results: Iterable[str]) -> list[str]:
        """Those results that have the name of a column, in whatever case: Spark replaces it."""
        columns = {column.casefold() for column in self.names()}
        return [name for name in results if name.casefold() in columns]

    def item(self, item: Any) -> tuple[str, Any] | None:
        """A column that :func:`inwindow.select` passes through: its name, and what it is made of."""
        if isinstance(item, str):
            self.check([item], "select")
            return (item if item in self.data.columns else self.data.select(item).columns[0]), item
        if is_expression(item):
            return asked(lambda: self.data.select(item).columns, "select", item, self.names())[0], item
        return None

    def with_early_results(self) -> "Frame":
        """The same: what is all there has no early results."""
        return self

    def with_columns(self, applied: Mapping[str, Applied]) -> Any:
        """See :func:`inwindow.with_columns`."""
        return with_columns(Columns(self.data, self.session), applied, self.hot_keys)

    def at_points(self, events: "Frame", applied: Mapping[str, Applied]) -> Any:
        """See :func:`inwindow.with_columns`, with ``of=``."""
        return with_columns_at(Columns(self.data, self.session), Columns(events.data, events.session), applied)

    def explain_at_points(self, events: "Frame", applied: Mapping[str, Applied]) -> Explanation:
        """What that would do."""
        planned = plan_at(Columns(self.data, self.session), Columns(events.data, events.session), applied)
        return Explanation(
            planned.passes,
            planned.describe("results at the other rows; mapInArrow, on the union of both,"),
            at_points=True,
        )

    def select(
        self, passed: Mapping[str, Any], applied: Mapping[str, Applied], emitted_at: str | None, order: list[str]
    ) -> Any:
        """See :func:`inwindow.select`."""
        return select(Columns(self.data, self.session), passed, applied, emitted_at, order, self.hot_keys)

    def groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> Any:
        """See :func:`inwindow.group_by`."""
        return groups(Columns(self.data, self.session), keys, extent, applied, order_by)

    def explain(self, applied: Mapping[str, Applied]) -> Explanation:
        """What aggregates over windows would do."""
        planned = plan(Columns(self.data, self.session), applied, self.hot_keys)
        udf = (
            "one Arrow UDF (in select: mapInArrow)"
            if self.session.has_iterator_udf
            else "mapInArrow (no Arrow UDFs in 4.0)"
        )
        return Explanation(planned.passes, planned.describe(udf))

    def explain_groups(
        self, keys: tuple[str, ...], extent: Extent | None, applied: Mapping[str, Applied], order_by: tuple[Order, ...]
    ) -> Explanation:
        """What aggregates of groups would do."""
        planned = plan_of_groups(Columns(self.data, self.session), keys, extent, applied, order_by)
        return Explanation(planned.passes, planned.describe("mapInArrow"))
