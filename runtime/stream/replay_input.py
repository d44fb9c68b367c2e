"""Check the input of a replayed stream: micro-batches of one stream or of several, and their delays."""

from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from typing import Any

import pyarrow as pa

from inwindow.optimizer.columns import check_columns
from inwindow.runtime.places import place_of
from inwindow.runtime.stream.watermarks import Watermark
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import is_negative, size_of
from inwindow.windows.order_key import OrderKey

MicroBatch = tuple[pa.Table, ...]  # a table for each stream


def micro_batches(batches: Iterable[Any]) -> list[MicroBatch]:
    """Each micro-batch as a table per stream; all tables of a stream have the same columns."""
    if isinstance(batches, (pa.Table, pa.RecordBatch)):
        raise UsageError("replay() was given one table: give a list, with a pyarrow.Table for each micro-batch")
    given = [batch if isinstance(batch, (tuple, list)) else (batch,) for batch in batches]
    tables = [tuple(_table(table) for table in batch) for batch in given]
    if not tables:
        raise UsageError("replay() was given no micro-batch: give a list of pyarrow.Tables, empty ones if need be")
    for table in tables[0]:
        check_columns(table.schema, table.schema.names, "replay")  # no name twice
    for number, batch in enumerate(tables):
        if len(batch) != len(tables[0]) or not batch:
            raise UsageError(
                f"replay(): of tables micro-batch {number} has {len(batch)}, but the first one {len(tables[0])}: give a tuple for "
                "each micro-batch, with a table for each stream, an empty one if need be, as in zip(bids, closings)"
            )
        for stream, (table, first) in enumerate(zip(batch, tables[0], strict=True)):
            if table.schema != first.schema:
                of = f" of stream {stream}" if len(batch) > 1 else ""
                raise UsageError(
                    f"replay(): micro-batch {number}{of} has the columns {_columns(table)}, but the first one {_columns(first)}: "
                    "give all the same columns, with the same types"
                )
    return tables


def check_query(query: Any, streams: int) -> None:
    """Check that a query can be called with that many streams."""
    if not callable(query):
        raise UsageError(
            f"replay(batches, {shown(query)}): a query is a function of the stream, called once to plan it: write "
            "replay(batches, lambda df: iw.with_columns(df, ...))"
        )
    if not _takes(query, streams):
        given = "is a table" if streams == 1 else f"has {streams} tables"
        raise UsageError(
            f"replay(): a micro-batch {given}, so the query is called with {streams} stream{'s' if streams > 1 else ''}, which it "
            "does not take: give a tuple for each micro-batch, with a table for each stream, as in zip(bids, closings)"
        )


def delays_of(delay: Any, streams: int) -> list[Any]:
    delays = list(delay) if isinstance(delay, (tuple, list)) else [delay] * streams
    if len(delays) != streams:
        raise UsageError(
            f"replay(delay={shown(delay)}): {len(delays)} delays for {streams} streams: give one for each, or one for all"
        )
    for one in delays:
        if is_negative(size_of(one, "delay")):
            raise UsageError(f"replay(delay={one!r}): a delay is not negative")
    return delays


def clocks_of(clock: Any, key: OrderKey | None, marks: Sequence[Watermark], count: int) -> list[int | None]:
    """The time of each micro-batch, as a key. The watermarks of a query stand on what its windows are ordered by."""
    for mark in marks:
        if key is not None and mark.column not in (None, key.column):
            raise UsageError(
                f"replay(): the windows are ordered by {key.column!r}, which has no watermark: that of the stream is on "
                f"{mark.column!r}: move it, as in iw.with_watermark(df, {key.column!r}, ...)"
            )
    if clock is None:
        if any(mark.needs_clock for mark in marks):
            raise UsageError(
                "replay(): iw.with_watermark(ahead=, idle=) goes by the clock, and a replay has none: give clock= the time of each "
                "micro-batch, in a list, or one time for all"
            )
        return [None] * count
    if key is None:
        raise UsageError("replay(clock=...): the windows have no order column, so nothing goes by a clock: drop clock=")
    times = list(clock) if isinstance(clock, (list, tuple)) else [clock] * count
    if len(times) != count:
        raise UsageError(
            f"replay(clock=...): {len(times)} times for {count} micro-batches: give one for each, or one for all"
        )
    return [int(key.value(time, what="replay: clock")) for time in times]


def _takes(query: Callable[..., Any], streams: int) -> bool:
    try:
        signature(query).bind(*[None] * streams)
    except TypeError:
        return False
    except ValueError:  # a callable without a signature
        return True
    return True


def _columns(table: pa.Table) -> str:
    return ", ".join(f"{one.name}: {one.type}" for one in table.schema)


def _table(batch: Any) -> pa.Table:
    if not isinstance(batch, (pa.Table, pa.RecordBatch)):
        raise UsageError(f"replay(): a micro-batch is a pyarrow.Table, not {shown(batch)}")
    return place_of(batch, "replay").data
