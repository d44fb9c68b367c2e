"""Operators on streams of Spark: the rows of all sides as one stream, through buckets (``runtime/stream/advancing.py``)."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from inwindow.runtime.operation import Operation
from inwindow.runtime.sides import Sides
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.operation_columns import columns_read, results_of, sent_of
from inwindow.runtime.spark.stateful import operator_of
from inwindow.runtime.spark.stream_job import check_query, check_time, hash_of, job_of, stateful
from inwindow.runtime.spark.stream_plans import check_before
from inwindow.runtime.spark.stream_results import StreamCall, tracked
from inwindow.runtime.stream.advancing import Advancing


def advanced_on(
    operation: Operation, sides: Sequence[Columns], schemas: tuple[pa.Schema, ...], keys: list[tuple[str, ...]]
) -> Any:
    """A streaming DataFrame of what is decided."""
    where, session = operation.where, sides[0].session
    layout = Sides.of(schemas, columns_read(operation, schemas), keys, operation.time())
    part = Advancing.of(operation, layout)
    result = part.bucket(layout.schema, session.zone).schema
    behind = False
    for side in sides:
        check_query(side.df, side.session, where, stacklevel=6)
        check_time(side, operation.time(), where, "the column", "make both ends timestamps before that")
        alone = not operator_of(side.df.sparkSession.conf).goes_with_others
        behind |= check_before(side.df, where, timed=True, alone=alone)
    sent = sent_of(
        sides, layout, lambda _, made: hash_of([made[name] for name in layout.known or ()], session).alias("hash")
    )
    results = results_of(operation, schemas, sides, result)
    call = StreamCall.new(where, timed=True, alone=alone, is_behind_state=behind)
    job = job_of(part, layout.schema, session.zone)
    return tracked(stateful(sent, job, results, tuple(results), str(call.metrics), session), call)
