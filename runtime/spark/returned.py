"""What goes back from Python to Spark: columns known by their positions, instants in UTC.

Spark takes a result in UTC, and casts what is not. So the result has the type that Spark expects, over the same bytes.
"""

import pyarrow as pa

from inwindow.runtime.instants import in_utc, under


def returned(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch for Spark."""
    columns = [under(column, in_utc(column.type)) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, [f"_{number}" for number in range(len(columns))])
