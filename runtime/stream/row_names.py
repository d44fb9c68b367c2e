"""What a row is known by, so that another one can replace it: the columns to merge by.

======================  ==========================================================================
``with_columns``        ``iw_row``: the number of the tuple, different for all tuples of a stream
``select``, ``emit``    ``iw_row`` and ``iw_part``: the number of the row among those of its tuple
``group_by().agg``      the keys and ``window``
======================  ==========================================================================
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from inwindow.runtime.query import Rows
from inwindow.runtime.stream.revisions import REVISION, WITHDRAWN

ROW, PART = "iw_row", "iw_part"
_OF_A_BUCKET = 40  # bits for the numbers of a bucket's tuples; the others are its label
_ADDED = {"every tuple": (ROW,), "some tuples": (ROW, PART), "groups": ()}
TYPES = {ROW: pa.int64(), PART: pa.int32(), REVISION: pa.int32(), WITHDRAWN: pa.bool_()}


def added_columns(rows: Rows) -> list[str]:
    """The columns that a result gets behind its own."""
    return [*_ADDED[rows], REVISION, WITHDRAWN]


@dataclass(frozen=True)
class RowNames:
    """How the rows of a bucket get their names. Their other columns are then named by position, as two may have one name."""

    rows: Rows
    first: int  # how many columns come before the tuple's number; for groups, how many keys there are

    @property
    def of_tuples(self) -> bool:
        """Whether a row belongs to a tuple."""
        return self.rows != "groups"

    @property
    def identity(self) -> list[str]:
        """The columns of named rows that are different for any two rows."""
        return list(_ADDED[self.rows]) if self.of_tuples else [f"_{at}" for at in range(self.first + 1)]

    def named(self, batch: pa.RecordBatch, label: int) -> pa.Table:
        """The rows of a bucket with such a label, with their names."""
        columns = list(batch.columns)
        number = columns.pop(self.first).to_numpy() if self.of_tuples else None
        rows = pa.table(columns, names=[f"_{at}" for at in range(len(columns))])
        if number is None:
            return rows
        rows = rows.append_column(ROW, pa.array((label << _OF_A_BUCKET) + number, pa.int64()))
        if self.rows == "every tuple":
            return rows
        at = np.arange(len(number))
        begins = np.append(True, number[1:] != number[:-1])[: len(number)]
        part = at - np.maximum.accumulate(np.where(begins, at, 0))
        return rows.append_column(PART, pa.array(part, pa.int32()))

    def fields(self, schema: pa.Schema) -> list[pa.Field]:
        """The columns of rows that come out, if those of the bucket are of this schema."""
        its = list(schema)
        if self.of_tuples:
            its.pop(self.first)
        return [*its, *(pa.field(name, TYPES[name]) for name in added_columns(self.rows))]
