"""The state of a stream outside of its checkpoint: a table with a row per bucket, which can be saved and read as any other."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from inwindow.udaf.errors import UsageError, shown

STATES = pa.schema(
    [("bucket", pa.int32()), ("buckets", pa.int32()), ("placed_by", pa.string()), ("content", pa.binary())]
)
BY_SPARK, BY_REPLAY = "Spark's hash", "replay()"  # how keys were given to buckets


def state_rows(
    labels: Sequence[int], contents: Sequence[bytes], placed_by: str, buckets: int | None = None
) -> pa.Table:
    """The rows of some buckets, of ``buckets`` in all."""
    count = len(labels) if buckets is None else buckets
    columns = [list(labels), [count] * len(labels), [placed_by] * len(labels), list(contents)]
    return pa.table([pa.array(its, one.type) for its, one in zip(columns, STATES, strict=True)], schema=STATES)


def check_rows(names: Sequence[str], given: Any, where: str) -> None:
    """Check that a table has the columns of such rows."""
    if set(names) != set(STATES.names):
        raise UsageError(
            f"{where}({shown(given)}): its columns are {', '.join(names)}, but a state has {', '.join(STATES.names)}: give "
            "what iw.testing.replay gives, a state that was saved, or the checkpointLocation of a query"
        )
