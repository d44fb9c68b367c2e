"""Feed a table to an operator: only the columns that it reads, in order, slice by slice."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from inwindow.runtime.dictionaries import read_column, readable
from inwindow.runtime.moving import slices
from inwindow.runtime.ordering import Arranged, arranged
from inwindow.runtime.progress import Run
from inwindow.runtime.query import Part
from inwindow.runtime.reserved import BEGINS, PREFIX

ROW = f"{PREFIX}row"
SLICE = 1 << 16  # rows fed at a time: bounds and results of a slice stay in the cache


class Feed:
    """A part's operator over a table; the order is given or found."""

    def __init__(self, part: Part, table: pa.Table, run: Run, order: Arranged | None = None) -> None:
        self.operator = part.operator(readable(table.schema))
        self.order = arranged(table, part.work) if order is None else order
        self.rows, self.run = len(table), run
        reads = self.operator.reads(begins_known=self.order.begins is not None)
        columns = {name: read_column(table, name) for name in readable(table.schema).names if name in reads}
        # A count of tuples needs only their number.
        self.read = pa.table(columns or {ROW: pa.nulls(len(table))})

    def batches(self) -> Iterator[pa.RecordBatch]:
        return self.operator.over(self._slices())

    def _slices(self) -> Iterator[pa.RecordBatch]:
        for at, batch in enumerate(slices(self.read, self.order.rows, SLICE)):
            if self.order.begins is not None:
                begins = self.order.begins[at * SLICE : (at + 1) * SLICE]
                batch = batch.append_column(BEGINS, pa.array(begins.view(np.uint8)))
            yield batch
            self.run.took(batch.num_rows)

    def columns(self) -> dict[str, pa.ChunkedArray]:
        """The whole output; its pieces are not copied together."""
        given = list(self.batches())
        return {
            field.name: pa.chunked_array([batch.column(index) for batch in given], field.type)
            for index, field in enumerate(self.operator.schema)
        }
