"""Bad tuples in Spark's workers: a last column of a batch job's output, with those that were found since the batch before.

A job that makes new rows may find bad tuples and no row. So it has one more column, which is false for a row of bad tuples alone.
"""

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from inwindow.optimizer.plan import Pass, failures_in
from inwindow.runtime.stream.bucket import whole
from inwindow.udaf.failures import Failures, flat


def collected_by(works: Iterable[Pass]) -> Failures | None:
    """What collects the bad tuples of passes; None if nothing does."""
    found = [failures for work in works if (failures := failures_in(work)) is not None]
    return found[0] if found and found[0].collects else None


def with_failed(
    failures: Failures | None, batches: Iterator[pa.RecordBatch], schema: Callable[[], pa.Schema] | None
) -> Iterator[pa.RecordBatch]:
    """The output with the bad tuples of each batch in its first row; ``schema`` is that of new rows, None for result columns."""
    if failures is None:
        yield from batches
        return
    for batch in batches:
        yield _with_list(failures, batch, None if schema is None else True)
    if schema is not None and failures.count:
        columns = [pa.nulls(1, field.type) for field in schema()]
        nothing = pa.RecordBatch.from_arrays(columns, [f"_{at}" for at in range(len(columns))])
        yield _with_list(failures, nothing, False)


def _with_list(failures: Failures, batch: pa.RecordBatch, real: bool | None) -> pa.RecordBatch:
    found = flat(whole(failures.take()[1]))
    kind = pa.struct([(f"_{at}", field.type) for at, field in enumerate(found.schema)])
    values = pa.StructArray.from_arrays(found.columns, fields=list(kind))
    offsets = pa.array([0] + [found.num_rows] * batch.num_rows, pa.int32())
    batch = batch.append_column("failed", pa.ListArray.from_arrays(offsets, values))
    return batch if real is None else batch.append_column("real", pa.array([real] * batch.num_rows, pa.bool_()))
