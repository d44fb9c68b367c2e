"""Bad tuples in Spark's workers: a last column of a batch job's output, with those that were found since the batch before.

It is a list of them, or, if they are only skipped, how many there are.

A job that makes new rows may find bad tuples and no row. So it has one more column, which is false for a row of bad tuples alone.
"""

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from inwindow.optimizer.plan import Pass, failures_in
from inwindow.runtime.stream.bucket import whole
from inwindow.udaf.failures import Failures, flat


def guarding(works: Iterable[Pass]) -> Failures | None:
    """The option of a call, if some hooks of these passes may raise."""
    return next((failures for work in works if (failures := failures_in(work)) is not None), None)


def with_failed(
    failures: Failures | None, batches: Iterator[pa.RecordBatch], schema: Callable[[], pa.Schema] | None
) -> Iterator[pa.RecordBatch]:
    """The output with the bad tuples of each batch in its first row; ``schema`` is that of new rows, None for result columns."""
    if failures is None:
        yield from batches
        return
    failures.take()  # of a task before, in the same worker
    for batch in batches:
        yield _with_column(failures, batch, None if schema is None else True)
    if schema is not None and failures.count:
        columns = [pa.nulls(1, field.type) for field in schema()]
        nothing = pa.RecordBatch.from_arrays(columns, [f"_{at}" for at in range(len(columns))])
        yield _with_column(failures, nothing, False)


def _with_column(failures: Failures, batch: pa.RecordBatch, real: bool | None) -> pa.RecordBatch:
    count, found = failures.take() if batch.num_rows else (0, failures.none)
    if failures.collects:
        batch = batch.append_column("failed", _in_first_row(flat(whole(found)), batch.num_rows))
    else:
        batch = batch.append_column("failed", pa.array(([count] + [0] * batch.num_rows)[: batch.num_rows], pa.int64()))
    return batch if real is None else batch.append_column("real", pa.array([real] * batch.num_rows, pa.bool_()))


def _in_first_row(found: pa.RecordBatch, rows: int) -> pa.Array:
    """A list for each row: all in the first one."""
    kind = pa.struct([(f"_{at}", field.type) for at, field in enumerate(found.schema)])
    values = pa.StructArray.from_arrays(found.columns, fields=list(kind))
    return pa.ListArray.from_arrays(pa.array([0] + [found.num_rows] * rows, pa.int32()), values)
