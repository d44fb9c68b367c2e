"""What tables, readers and replayed streams share: a plan needs only their Arrow schema."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from inwindow.optimizer.columns import check_columns
from inwindow.optimizer.explain import Explanation
from inwindow.optimizer.plan import Pass
from inwindow.runtime.expressions import Computed, compute_arguments
from inwindow.runtime.point_table import plan_at
from inwindow.runtime.query import Plan, Query


@dataclass(frozen=True)
class LocalPlan:
    """A query over names, its computed columns, and its passes."""

    query: Query
    computed: Computed
    schema: pa.Schema  # with the computed columns
    passes: list[Pass]
    place: str = "local"

    @property
    def explanation(self) -> Explanation:
        return Explanation(self.passes, self.place, at_points=self.query.of is not None)


@dataclass(frozen=True)
class ArrowData:
    """The data, or only their schema."""

    data: Any

    def plan(self, query: Query) -> Plan:
        if query.of is not None:
            assert isinstance(query.of, ArrowData)
            passes, place = plan_at(self.schema, query.of.schema, query.aggregates)
            return LocalPlan(query, Computed({}), self.schema, passes, place)
        plan = planned(self.schema, query)
        lines = [f"local, pass {at}: {self.ordered(work)}" for at, work in enumerate(plan.passes, 1)]
        return replace(plan, place="\n".join(lines))

    def ordered(self, work: Pass) -> str:
        """How rows get into the order of a pass, for explain."""
        if not work.position_columns:
            return "in the order of arrival"
        return "a table is put in order, after one look whether it is already; a reader must come in order"

    def run(self, query: Query) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no rows")

    def check(self, names: Iterable[str], where: str) -> None:
        check_columns(self.schema, names, where)

    def names(self) -> list[str]:
        names: list[str] = self.schema.names
        return names

    def replaced(self, results: Iterable[str]) -> list[str]:
        return [name for name in results if name in self.schema.names]

    def item(self, item: Any) -> tuple[str, Any] | None:
        """A column that passes through: its name, and its source."""
        if not isinstance(item, str):
            return None
        self.check([item], "select")
        return item, item

    @property
    def schema(self) -> pa.Schema:
        schema: pa.Schema = self.data if isinstance(self.data, pa.Schema) else self.data.schema
        return schema


def planned(given: pa.Schema, query: Query) -> LocalPlan:
    named, computed = compute_arguments(query.aggregates)
    query = query.over(named)
    schema = computed.schema(given)
    return LocalPlan(query, computed, schema, query.verb.passes(query, schema))
