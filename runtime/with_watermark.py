"""``with_watermark``: a watermark that one wrong clock cannot move, and that one silent stream cannot hold back."""

from typing import Any

from inwindow.runtime.places import place_of
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.runtime.stream.watermarks import Watermark
from inwindow.udaf.calls import says_what_it_takes


@says_what_it_takes
def with_watermark(data: Any, column: str, delay: Any, *, ahead: Any = None, idle: Any = None) -> Any:
    """The stream with a watermark on a time column, as by Spark's ``withWatermark``, and bounds by the clock.

    A tuple more than ``ahead`` beyond the clock does not move the watermark: it is late (:func:`outputs`, :func:`late`), with its
    time as it was, and counted as ``ahead_tuples``. A stream without tuples for longer than ``idle`` does not hold the watermark
    back: it is never earlier than the clock minus ``idle`` minus ``delay``. The clock is the time of the micro-batch; in a replay,
    ``clock=``.

    ``data`` is a streaming DataFrame, classic or Connect, with a ``TIMESTAMP`` column, or the stream that
    :func:`inwindow.testing.replay` calls a query with. Batch data come back as they are: they need no watermark.

    >>> import pyarrow as pa, inwindow as iw
    >>> batches = [pa.table({"t": [1, 2]}), pa.table({"t": [3, 2058]}), pa.table({"t": [4]}), pa.table({"t": [5]})]
    >>> def query(df):
    ...     df = iw.with_watermark(df, "t", 0, ahead=10)
    ...     return iw.outputs(iw.with_columns(df, n=iw.count().over(iw.range(5, order_by="t"))))
    >>> replayed = iw.testing.replay(batches, query, clock=[2, 3, 4, 5])
    >>> replayed.watermarks
    [None, 2, 3, 4, 5]
    >>> [output["late"] for output in replayed.table.to_pylist() if output["kind"] == "late"]
    [{'t': 2058}]
    """
    mark = Watermark.of(column, delay, ahead, idle)
    if isinstance(data, Stream):
        return data.marked(mark)
    if type(data).__module__.startswith("pyspark.sql.") and getattr(data, "isStreaming", False):
        from inwindow.runtime.spark.watermarks import marked

        return marked(data, mark)
    place_of(data, "with_watermark").check([column], "with_watermark")
    return data
