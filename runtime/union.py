"""``union``: several streams as one, in the order of a time column (ESL, section 2.2: union as a sort-merge)."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.columns import check_columns
from inwindow.runtime.places import place_of
from inwindow.runtime.reader import Reader
from inwindow.runtime.spark.stream_results import calls_of
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.runtime.stream.watermarks import BOUND
from inwindow.runtime.table import Table
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown

_WATERMARK = "spark.watermarkDelayMs"  # in the metadata of a column with a watermark


@says_what_it_takes
def union(*data: Any, order_by: str) -> Any:
    """Two or more streams with the same columns as one, for a window to see in the order of ``order_by``.

    Streaming DataFrames have a watermark on it, each its own: the union's is the slowest of them, so no tuple of one is taken
    before the other's of an earlier time; so are the streams that :func:`inwindow.testing.replay` calls a query with. Tables, and
    frames of pandas, Polars and others, come back as one of the first one's kind, sorted; ties keep the order in which they were
    given.

    >>> import pyarrow as pa, inwindow as iw
    >>> bids, closings = pa.table({"t": [1, 5], "what": ["bid", "bid"]}), pa.table({"t": [3], "what": ["closing"]})
    >>> iw.union(bids, closings, order_by="t").to_pydict()
    {'t': [1, 3, 5], 'what': ['bid', 'closing', 'bid']}
    """
    if len(data) == 1 and isinstance(data[0], (list, tuple)):
        data = tuple(data[0])
    if len(data) < 2:
        raise UsageError(
            f"union() was given {len(data) or 'no'} stream: give two or more, as in union(bids, closings, order_by='ts')"
        )
    if all(isinstance(one, Stream) for one in data):
        for one in data:
            _check_names(data[0].names(), one.names(), order_by)
        _check_bounds({source.mark.ahead if source.mark else None for one in data for source in one.sources}, order_by)
        return data[0].united(data[1:])
    modules = {".".join(type(one).__module__.split(".")[:2]) for one in data}
    if modules == {"pyspark.sql"} and all(hasattr(one, "isStreaming") for one in data):
        return _frames(data, order_by)
    places = [place_of(one, "union") for one in data]
    if modules == {"pyspark.pandas"}:
        from inwindow.runtime.spark.pandas_frame import united

        return united(places, lambda frames: _frames(frames, order_by))
    here = [place for place in places if isinstance(place, (Table, Reader))]
    if len(here) < len(places):
        kinds = ", ".join(type(one).__name__ for one in data)
        raise UsageError(
            f"union({kinds}): give tables and frames of this machine, or Spark DataFrames, all of one kind"
        )
    return here[0].as_given(_tables([_table(place.data) for place in here], order_by))


def _table(data: Any) -> pa.Table:
    return data.read_all() if isinstance(data, pa.RecordBatchReader) else data


def _tables(tables: list[pa.Table], order_by: str) -> pa.Table:
    names = tables[0].schema.names
    for table in tables:
        check_columns(table.schema, table.schema.names, "union")  # no name twice
        _check_names(names, table.schema.names, order_by)
    try:
        whole = pa.concat_tables([table.select(names) for table in tables], promote_options="permissive")
    except pa.ArrowException as error:
        raise UsageError(f"union(): {str(error).splitlines()[0]}: cast the columns to the same types") from None
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
    _check_bounds({df.schema[order_by].metadata.get(BOUND) for df in frames if df.isStreaming}, order_by)
    return whole


def _check_bounds(bounds: set[Any], order_by: str) -> None:
    if len(bounds) > 1:
        raise UsageError(
            f"union(order_by={order_by!r}): the streams have different bounds ahead= (or some have none): a window over the union "
            f"has one: give each the same, as in iw.with_watermark(df, {order_by!r}, '10 seconds', ahead='1 day')"
        )


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
