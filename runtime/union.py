"""Streams put together as one, in the order of a time column (ESL, section 2.2: union as a sort-merge)."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.columns import check_columns
from inwindow.runtime.spark.stream_results import calls_of
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.runtime.unpacked import unpacked
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown

_WATERMARK = "spark.watermarkDelayMs"  # in the metadata of a column that has one


@says_what_it_takes
def union(*data: Any, order_by: str) -> Any:
    """Two or more streams with the same columns as one, for a window to see in the order of ``order_by``.

    Streaming DataFrames have a watermark on it, each its own: the union's is the slowest of them, so no tuple of one is taken
    before the other's of an earlier time; so are the streams that :func:`inwindow.testing.replay` calls a query with. Tables come
    back as one, sorted; ties keep the order in which the tables were given.

    >>> import pyarrow as pa, inwindow as iw
    >>> bids, closings = pa.table({"t": [1, 5], "what": ["bid", "bid"]}), pa.table({"t": [3], "what": ["closing"]})
    >>> iw.union(bids, closings, order_by="t").to_pydict()
    {'t': [1, 3, 5], 'what': ['bid', 'closing', 'bid']}
    """
    if len(data) < 2:
        raise UsageError(
            f"union() was given {len(data) or 'no'} stream: give two or more, as in union(bids, closings, order_by='ts')"
        )
    if all(isinstance(one, (pa.Table, pa.RecordBatch)) for one in data):
        return _tables([unpacked(pa.table(one)) for one in data], order_by)
    if all(isinstance(one, Stream) for one in data):
        for one in data:
            _check_names(data[0].names(), one.names(), order_by)
        return data[0].united(data[1:])
    frames = [hasattr(one, "isStreaming") and type(one).__module__.startswith("pyspark.sql.") for one in data]
    if not all(frames):
        kinds = ", ".join(type(one).__name__ for one in data)
        raise UsageError(f"union({kinds}): give pyarrow.Tables, or Spark DataFrames, all of one kind")
    return _frames(data, order_by)


def _tables(tables: list[pa.Table], order_by: str) -> pa.Table:
    names = tables[0].schema.names
    for table in tables:
        check_columns(table.schema, table.schema.names, "union")  # each once
        _check_names(names, table.schema.names, order_by)
    whole = pa.concat_tables([table.select(names) for table in tables], promote_options="permissive")
    return whole.take(pc.sort_indices(whole, sort_keys=[(order_by, "ascending")]))


def _frames(frames: Any, order_by: str) -> Any:
    whole = frames[0]
    for number, df in enumerate(frames, 1):
        _check_names(frames[0].columns, df.columns, order_by)
        for call in calls_of(df):
            raise UsageError(
                f"union(order_by={order_by!r}): stream {number} is the result of {call.where} on a stream, and a query is one "
                "call: unite the streams first, or write the result and read it as a stream of its own"
            )
        if df.isStreaming and _WATERMARK not in df.schema[order_by].metadata:
            raise UsageError(
                f"union(order_by={order_by!r}): stream {number} has no watermark on {order_by!r}, so nothing would say when its "
                f"tuples are all there: give it one, as in df.withWatermark({order_by!r}, '10 seconds')"
            )
        if number > 1:
            whole = whole.unionByName(df)
    return whole


def _check_names(first: list[str], names: list[str], order_by: str) -> None:
    if order_by not in names:
        raise UsageError(
            f"union(order_by={shown(order_by)}): there is no such column; there are {', '.join(map(repr, names))}"
        )
    if sorted(first) != sorted(names):
        raise UsageError(
            f"union(): one stream has the columns {', '.join(first)}, another {', '.join(names)}: select and rename them to be the "
            "same, with NULLs where one has none"
        )
