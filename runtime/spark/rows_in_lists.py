"""New rows from an Arrow UDF: a list for each arriving tuple; most lists are NULL.

Spark computes the size of every row that goes to ``mapInArrow``, because it crosses in a struct. The columns of an Arrow UDF
cross without that. But an Arrow UDF must give as many values as it takes. So each value is a list of rows, and ``inline`` makes
rows of the lists. This pays if few rows come out of many tuples, as with partials of panes.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from inwindow.runtime.spark.output_types import spark_batch
from inwindow.runtime.tasks import Batches

_SPARE = 1 << 12  # lists that are kept for the last rows


class Lists:
    """Counts the tuples that have arrived, and the lists that have been returned."""

    def __init__(self, schema: pa.Schema) -> None:
        none = pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
        self.kind = spark_batch(none).to_struct_array().type
        self.arrived = self.given = 0

    def counted(self, columns: Iterator[list[pa.Array]]) -> Iterator[list[pa.Array]]:
        """Count the arguments, and pass them on."""
        for arrays in columns:
            self.arrived += len(arrays[0])
            yield arrays

    def of(self, rows: Batches) -> Iterator[pa.Array]:
        """The rows in lists; in the end there are as many lists as tuples."""
        held: list[pa.Array] = []
        for batch in rows:
            held.append(spark_batch(batch).to_struct_array())
            if self.arrived - self.given > _SPARE:
                yield self._lists(held, self.arrived - self.given - _SPARE)
                held = []
        if self.arrived > self.given:
            yield self._lists(held, self.arrived - self.given)

    def _lists(self, held: list[pa.Array], count: int) -> pa.Array:
        """That many lists; the first of them have all rows."""
        self.given += count
        return in_lists(pa.concat_arrays(held) if held else pa.array([], self.kind), count)


def in_lists(rows: Any, count: int) -> pa.Array:
    """Rows in ``count`` lists: as many each as it takes, and NULL where none are left.

    >>> in_lists(pa.array([1, 2, 3]), 2).to_pylist(), in_lists(pa.array([1]), 3).to_pylist()
    ([[1, 2], [3]], [[1], None, None])
    """
    each = max(-(-len(rows) // count), 1)
    offsets = np.minimum(np.arange(count + 1) * each, len(rows)).astype(np.int32)
    empty = offsets[1:] == offsets[:-1]
    return pa.ListArray.from_arrays(pa.array(offsets), rows, mask=pa.array(empty))
