"""Results at points in time: a row for each point, which comes among the events."""

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.points import in_one_sequence
from inwindow.runtime.point_operator import PointOperator
from inwindow.runtime.query import Part
from inwindow.runtime.reserved import EVENT


class EveryPoint(Part):
    """A row per point."""

    @property
    def ordered(self) -> Pass:
        """Points first among equal times."""
        return in_one_sequence(self.work, EVENT)

    def operator(self, schema: pa.Schema) -> PointOperator:
        """Rows for points."""
        return PointOperator(self.work, schema, self.passed)
