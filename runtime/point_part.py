"""Results at points in time: a row for each row of a spine, which comes among the events."""

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.optimizer.points import in_one_sequence
from inwindow.runtime.point_operator import AtPoints
from inwindow.runtime.query import Part
from inwindow.runtime.reserved import EVENT


class EveryPoint(Part):
    """A row per row of the spine."""

    @property
    def ordered(self) -> Pass:
        """The spine first among equal times."""
        return in_one_sequence(self.work, EVENT)

    def operator(self, schema: pa.Schema) -> AtPoints:
        """Rows for points."""
        return AtPoints(self.work, schema, self.passed)
