"""Check the input of a replayed stream: micro-batches of one stream or of several, and their delays."""

from collections.abc import Callable, Iterable
from inspect import signature
from typing import Any

import pyarrow as pa

from inwindow.optimizer.columns import check_columns
from inwindow.runtime.places import place_of
from inwindow.udaf.errors import UsageError, shown
from inwindow.windows.interval import is_negative, size_of

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
