"""``where`` in a query: the rows whose values satisfy a condition, with their validity."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.runtime.expressions import Computed
from inwindow.runtime.operation import Operation
from inwindow.runtime.unpacked import empty_table
from inwindow.udaf.errors import UsageError, shown

_MET = "__inwindow_met"


@dataclass(frozen=True)
class Where(Operation):
    """A filter, which looks at each row by itself."""

    condition: pc.Expression
    name = "where"
    steps = "a filter"

    def described(self) -> str:
        return str(self.condition)

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """None: each row is by itself."""
        return None

    def timed_by(self) -> str | None:
        """Rows begin when they did."""
        return "since"

    def run(self, *tables: pa.Table) -> pa.Table:
        """Filter; NULL counts as false."""
        (table,) = tables
        if not isinstance(self.condition, pc.Expression):
            raise UsageError(
                f"where({shown(self.condition)}): write an Arrow expression, as in pyarrow.compute.field('price') > 5"
            )
        met = Computed({_MET: self.condition}).onto(table).column(_MET)
        if not pa.types.is_boolean(met.type):
            raise UsageError(
                f"where({self.condition}) is of type {met.type}: write a comparison, whose value is true or false"
            )
        return table.filter(met)

    def looks_only_at(self, schema: pa.Schema, names: Sequence[str]) -> bool:
        """Whether the condition uses only these columns."""
        try:
            Computed({_MET: self.condition}).onto(empty_table(pa.schema([schema.field(name) for name in names])))
        except (UsageError, pa.ArrowInvalid, KeyError):
            return False
        return True
