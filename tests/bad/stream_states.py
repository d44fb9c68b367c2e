"""States, unions and hooks of streams: what belongs to another query, what has no order in common, what raises."""

from threading import Lock
from typing import Any

from bad.input import TABLE, Bad

import inwindow as iw
from inwindow.runtime.stream.replay import Stream
from inwindow.runtime.stream.stored import state_from_bytes, state_to_bytes


class Refuses(iw.WindowAggregate):
    """Raises at a price."""

    def iterate(self, price):
        if price == 6.0:
            raise ValueError("six")

    def expire(self, price): ...

    def terminate(self) -> float:
        return 0.0


def refusing(window: Any) -> Any:
    """A hook that raises, on a stream."""
    return iw.testing.replay([TABLE], lambda df: iw.with_columns(df, a=Refuses()("price").over(window)))


class Locks(iw.Aggregate):
    """Holds what cannot be stored."""

    def iterate(self, price):
        self.lock = Lock()

    def terminate(self) -> float:
        return 0.0


def locking() -> Any:
    """A state that cannot be stored, beside one that can."""
    window = iw.unbounded(partition_by="item", order_by="t")
    return iw.testing.replay(
        [TABLE], lambda df: iw.with_columns(df, n=iw.count().over(window), a=Locks()("price").over(window)), until=99
    )


class Reading:
    """Of a class that no module has, as that of a script in Spark's workers."""


Reading.__module__ = "a_script"


def bucket(size: int = 5) -> Any:
    """A bucket of a stream's query."""
    window = iw.range(size, order_by="t")
    return Stream(TABLE.select(["t", "price"]).schema).with_columns({"a": iw.avg("price").over(window)}).bucket()


ROWS = [
    Bad(
        "a hook that raises",
        lambda: refusing(iw.range(5, partition_by="item", order_by="t")),
        iw.HookError,
        "Refuses.iterate(6.0) raised ValueError: six\n  in Refuses(price), at item='a', t=5\n  File "
        '"stream_states.py", in iterate\n    raise ValueError("six")',
    ),
    Bad(
        "a hook of a growing frame that raises",
        lambda: refusing(iw.unbounded(partition_by="item", order_by="t")),
        iw.HookError,
        "Refuses.iterate(6.0) raised ValueError: six\n  in Refuses(price), at item='a', t=5\n  File "
        '"stream_states.py", in iterate\n    raise ValueError("six")',
    ),
    Bad(
        "a state that cannot be stored",
        locking,
        iw.UsageError,
        "Locks(price) goes on from micro-batch to micro-batch, but its state cannot be stored (TypeError: cannot "
        "pickle '_thread.lock' object): what is in self must be picklable; make connections, locks and open files "
        "where they are used",
    ),
    Bad(
        "the state of another query",
        lambda: bucket().restore(bucket(6).state()),
        iw.StateError,
        "the state in this checkpoint belongs to other aggregates or windows, and would be misread:\n  the "
        "checkpoint has  a = avg(price) over (order by t range between 6 preceding and current row) by delta: double; "
        "in the order of t; of t int64, price double; buckets: 1\n  the query has       a = avg(price) over (order by t "
        "range between 5 preceding and current row) by delta: double; in the order of t; of t int64, price double; "
        "buckets: 1\ngo on with the query that wrote it, or give the changed one a new checkpointLocation",
    ),
    Bad(
        "a state with a value of a class that the query no longer has",
        lambda: state_from_bytes(state_to_bytes(Reading(), lambda: {("a_script", "Reading"): Reading}), dict),
        iw.StateError,
        "the state in this checkpoint holds a Reading of a_script, but the hooks of the query name no such class: go on "
        "with the query that wrote it, or give the changed one a new checkpointLocation",
    ),
    Bad(
        "the state of another version",
        lambda: bucket().restore(bucket().state().replace(b'"version": 3', b'"version": 9')),
        iw.StateError,
        "the state in this checkpoint has version 9, but this inwindow reads versions 2 and 3: go on with the "
        "version that wrote it, or start from a new checkpoint",
    ),
    Bad(
        "the state of something else",
        lambda: bucket().restore(b"else"),
        iw.DataError,
        "this is not the state of a stream of inwindow: it begins with b'else'",
    ),
    Bad(
        "late tuples of a table",
        lambda: iw.late(TABLE),
        iw.UsageError,
        "late(Table): late tuples are those of a stream: give the very result of iw.with_columns, iw.select "
        "or iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it",
    ),
    Bad(
        "a union of one",
        lambda: iw.union(TABLE, order_by="t"),
        iw.UsageError,
        "union() was given 1 stream: give two or more, as in union(bids, closings, order_by='ts')",
    ),
    Bad(
        "a union by an unknown column",
        lambda: iw.union(TABLE.select(["t"]), TABLE.select(["t"]), order_by="x"),
        iw.UsageError,
        "union(order_by='x'): there is no such column; there are 't'",
    ),
    Bad(
        "a union of other columns",
        lambda: iw.union(TABLE.select(["t", "ts"]), TABLE.select(["t", "n"]), order_by="t"),
        iw.UsageError,
        "union(): one stream has the columns t, ts, another t, n: select and rename them to be the same, "
        "with NULLs where one has none",
    ),
    Bad(
        "a union of a table and a list",
        lambda: iw.union(TABLE, [1], order_by="t"),
        iw.UsageError,
        "union(Table, list): give pyarrow.Tables, or Spark DataFrames, all of one kind",
    ),
]
