"""The state of a stream outside of its checkpoint: a table with a row per bucket, which can be saved and read as any other."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from inwindow.udaf.errors import StateError, UsageError, shown

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


def check_until(until: Any, *, timed: bool) -> None:
    """Check that there is a watermark, if there is a time."""
    if timed and until is None:
        raise UsageError(
            "state_of(): say where the history ends, the watermark with which the stream begins: until=datetime(2026, 3, 1)"
        )


def starts(rows: pa.Table, placed_by: str, buckets: int | None) -> dict[int, bytes]:
    """The states by the labels of their buckets; an error if they are not those of so many buckets (None: of any number)."""
    found = dict(zip(rows.column("bucket").to_pylist(), rows.column("content").to_pylist(), strict=True))
    check_place(rows.select(["buckets", "placed_by"]).slice(0, 1).to_pylist(), placed_by, buckets)
    count = rows.column("buckets")[0].as_py()
    if len(found) != count or len(rows) != count:
        raise StateError(
            f"this state has {len(rows)} rows, for {len(found)} buckets, but it was made for {count}: give all that "
            "iw.state_of gave, once"
        )
    return found


def check_place(rows: list[dict[str, Any]], placed_by: str, buckets: int | None) -> None:
    """Check by any row of a state that keys were given to buckets as here."""
    if not rows:
        raise StateError("this state has no rows: give all that iw.state_of gave")
    (row,) = rows
    if row["placed_by"] != placed_by:
        raise UsageError(
            f"continued(): in this state keys were given to buckets by {row['placed_by']}, here they are by {placed_by}: make "
            "it with iw.state_of where the stream runs"
        )
    if buckets is not None and row["buckets"] != buckets:
        raise UsageError(
            f"continued(): this state is of {row['buckets']} buckets, and this stream has {buckets}: {_FITTING[placed_by]}"
        )


_FITTING = {
    BY_REPLAY: "give iw.testing.replay the same buckets=",
    BY_SPARK: "set spark.sql.shuffle.partitions to what it was when the state was made, or make the state again",
}
