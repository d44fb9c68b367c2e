"""States, unions and hooks of streams: what belongs to another query, what has no order in common, what raises."""

import json
import re
from threading import Lock
from typing import Any
from unittest.mock import patch

import pyarrow as pa
from bad.input import TABLE, Bad

import inwindow as iw
from inwindow.runtime import sealed
from inwindow.runtime.stream import log
from inwindow.runtime.stream.inspection import inspected
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.runtime.stream.state_rows import BY_SPARK, state_rows
from inwindow.runtime.stream.storage import state_from_bytes, state_to_bytes
from inwindow.runtime.stream.stored import head_of, stored


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


class Reads(iw.Aggregate):
    """A class whose state is no plain data."""

    def iterate(self, price):
        self.last = re.compile(str(price))

    def terminate(self) -> str:
        return self.last.pattern


class Handle:
    """What is the same in all copies, and cannot be pickled."""

    def __deepcopy__(self, memo: Any) -> "Handle":
        return self

    def __reduce__(self) -> Any:
        raise TypeError


class Locked(iw.Aggregate):
    """With a parameter."""

    def __init__(self, lock: Any) -> None:
        self.lock = lock

    def iterate(self, price):
        pass

    def terminate(self) -> float:
        return 0.0


def bucket(size: int = 5, aggregate: Any = iw.avg) -> Any:
    """A bucket of a stream's query."""
    window = iw.range(size, order_by="t")
    return iw.with_columns(Stream(TABLE.select(["t", "price"]).schema), a=aggregate("price").over(window)).bucket()


def labelled(label: int) -> Any:
    """One of several."""
    made = bucket()
    made.label = label
    return made


def chunked(price: float = 1.0) -> Any:
    """What a bucket stores whose tuples are more than its head should hold."""
    made = bucket()
    made.step(pa.table({"t": [1], "price": [price]}), 2)
    with patch.object(log, "FULL", 1):
        return made.changed()


def unsaid() -> bytes:
    """A state as an earlier inwindow wrote it."""
    found = stored(bucket().state())
    header = {name: its for name, its in found.header.items() if name not in ("keys", "time")}
    return head_of(json.dumps(header), {}, found.tables())


def counting(df: Any, size: int = 5) -> Any:
    """A query."""
    return iw.with_columns(df, n=iw.count().over(iw.range(size, partition_by="item", order_by="t")))


def saved() -> pa.Table:
    """The state of a history, in four buckets."""
    return iw.state_of(TABLE, counting, until=9)


def continuing(start: Any, changes: Any = "exact", **options: Any) -> Any:
    """A stream that begins with a state."""
    return iw.testing.replay([TABLE], lambda df: iw.continued(counting(df), start, changes=changes), **options)


def without_the_class() -> None:
    """A query that has dropped the only aggregate whose state is pickled."""
    grows, schema = iw.unbounded(order_by="t"), TABLE.select(["t", "price"]).schema
    kept = {"n": iw.count().over(grows)}
    was = iw.with_columns(Stream(schema), x=Reads()("price").over(grows), **kept).bucket()
    was.step(TABLE.select(["t", "price"]), 9)
    iw.with_columns(Stream(schema), **kept).bucket().restore(was.state())


ROWS = [
    Bad(
        "states that are pickled, under a query without classes",
        without_the_class,
        iw.StateError,
        "states in this checkpoint are pickled, as they hold what is no plain data, but the query has no class of yours any "
        "more, and reading a pickle can run any code: leave the aggregate of that class in the query, or begin anew from a new "
        "checkpoint",
    ),
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
        lambda: bucket(6).restore(bucket().state()),
        iw.StateError,
        "the state in this checkpoint belongs to other aggregates or windows, and would be misread:\n  the window of a: (range "
        "between 5 preceding and current row) in the state, (range between 6 preceding and current row) in the query\nto take a "
        "nevertheless, write iw.continued(result, changes='from now'): its first frames lack the tuples that are not held\ngo on "
        "with the query that wrote it, or give the changed one a new checkpointLocation",
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
        lambda: bucket().restore(bucket().state().replace(b"inwindow\xffs\x07", b"inwindow\xffs\x09")),
        iw.StateError,
        "the state in this checkpoint is of version 9, but this inwindow reads versions 6 to 7: go on with the inwindow that wrote "
        "it, or start from a new checkpoint",
    ),
    Bad(
        "the state of an earlier version",
        lambda: bucket().restore(b'inwindow\x10\x00\x00\x00{"version": 3}  '),
        iw.StateError,
        "the state in this checkpoint is of an earlier version, but this inwindow reads versions 6 to 7: go on with the inwindow "
        "that wrote it, or start from a new checkpoint",
    ),
    Bad(
        "the state of something else",
        lambda: bucket().restore(b"else"),
        iw.StateError,
        "this is not the state of a bucket of a stream of inwindow: it begins with b'else'",
    ),
    Bad(
        "the state of another bucket",
        lambda: labelled(2).restore(labelled(1).state()),
        iw.StateError,
        "this is the state of bucket 1, not of bucket 2",
    ),
    Bad(
        "the state of an operator",
        lambda: bucket().restore(sealed.sealed(sealed.OPERATOR, b"")),
        iw.StateError,
        "this is the state of an operator, not of a bucket of a stream",
    ),
    Bad(
        "a state that no inwindow has written, with its checksum",
        lambda: bucket().restore(sealed.sealed(sealed.STREAM, b"\x02\x00\x00\x00{}")),
        iw.StateError,
        "the bytes of this state are not those that were written: they have been changed, or cut off; go on from a copy (an "
        "earlier checkpoint, another replica), or begin anew (KeyError: 'parts')",
    ),
    Bad(
        "a chunk that is not there",
        lambda: bucket().restore(chunked().head, {}.__getitem__),
        iw.StateError,
        "chunk 0 of the state is not there: go on from an earlier checkpoint, or begin anew",
    ),
    Bad(
        "a chunk of another bucket",
        lambda: bucket().restore(chunked().head, chunked(3.0).chunks.__getitem__),
        iw.StateError,
        "chunk 0 of the state is another's: go on from an earlier checkpoint, or begin anew",
    ),
    Bad(
        "a parameter that nobody can tell from another",
        lambda: bucket(aggregate=Locked(Handle())).state(),
        iw.UsageError,
        "the parameter lock of a: its value cannot be told from another, by a state that is read later: a Handle cannot be "
        "pickled; give the class a __reduce__, or a __repr__ that says all that matters",
    ),
    Bad(
        "other columns, and other results",
        lambda: bucket().restore(bucket(aggregate=Locked(2)).state()),
        iw.StateError,
        "the state in this checkpoint belongs to other aggregates or windows, and would be misread:\n  the aggregate of a: "
        "Locked(price) in the state, avg(price) in the query\nto take a nevertheless, write iw.continued(result, changes='from "
        "now'): it is folded anew from the tuples that are held\ngo on with the query that wrote it, or give the changed one a new "
        "checkpointLocation",
    ),
    Bad(
        "the state of what is no stream",
        lambda: iw.stream_state(3),
        iw.UsageError,
        "stream_state(3): give the checkpointLocation of a query, what iw.testing.replay gives, or a state that was saved",
    ),
    Bad(
        "the state in a table of something else",
        lambda: iw.stream_state(TABLE.select(["t", "n"])),
        iw.UsageError,
        "stream_state(a pyarrow.Table): its columns are t, n, but a state has bucket, buckets, placed_by, content: give what "
        "iw.testing.replay gives, a state that was saved, or the checkpointLocation of a query",
    ),
    Bad(
        "the state by what it has no rows for",
        lambda: iw.stream_state(TABLE, by="tuple"),
        iw.UsageError,
        "stream_state(by='tuple'): write 'key' or 'bucket'",
    ),
    Bad(
        "an operator of a state that was saved",
        lambda: iw.stream_state(TABLE, operator=1),
        iw.UsageError,
        "stream_state(operator=..., batch=...): they choose among the states of a checkpoint of Spark",
    ),
    Bad(
        "a state that does not say its keys",
        lambda: inspected(unsaid(), None),
        iw.StateError,
        "this state does not say which columns are its keys: an earlier inwindow wrote it; run the query for one more "
        "micro-batch, and read it then",
    ),
    Bad(
        "the state of a replay, and a query",
        lambda: iw.state_of(iw.testing.replay([TABLE], counting), counting),
        iw.UsageError,
        "state_of(a replay): it has its query and its watermark already: give nothing else",
    ),
    Bad(
        "the state of a history without its query",
        lambda: iw.state_of(TABLE, until=9),
        iw.UsageError,
        "state_of(a pyarrow.Table): give the query, too, as a function of the stream: state_of(history, lambda df: "
        "iw.with_columns(df, ...), until=...)",
    ),
    Bad(
        "the state of a history, and a result in place of the query",
        lambda: iw.state_of(TABLE, counting(TABLE), until=9),
        iw.UsageError,
        "state_of(a pyarrow.Table, a pyarrow.Table): the history comes first, and then the query, a function of the stream: "
        "state_of(history, lambda df: iw.with_columns(df, ...), until=...)",
    ),
    Bad(
        "the end of a history that is no time of it",
        lambda: iw.state_of(TABLE, counting, until="soon"),
        iw.UsageError,
        "until = 'soon' is no value of the order column 't' of type int64: write a whole number (of 64 bits)",
    ),
    Bad(
        "the state of a history without an end",
        lambda: iw.state_of(TABLE, counting),
        iw.UsageError,
        "state_of(): say where the history ends, the watermark with which the stream begins: until=datetime(2026, 3, 1)",
    ),
    Bad(
        "a table that begins with a state",
        lambda: iw.continued(TABLE, saved()),
        iw.UsageError,
        "continued(a pyarrow.Table): only a result on a stream begins with a state: give the very result of iw.with_columns, "
        "iw.select or iw.group_by(...).agg on a stream, before any select or filter on it",
    ),
    Bad(
        "a stream that begins with a path",
        lambda: continuing("state.parquet"),
        iw.UsageError,
        "continued(start='state.parquet'): give the table that iw.state_of gives",
    ),
    Bad(
        "a stream that begins with the state of another query",
        lambda: continuing(iw.state_of(TABLE, lambda df: counting(df, 4), until=9)),
        iw.StateError,
        "the state in this checkpoint belongs to other aggregates or windows, and would be misread:\n  the window of n: (range "
        "between 4 preceding and current row) in the state, (range between 5 preceding and current row) in the query\nto take n "
        "nevertheless, write iw.continued(result, changes='from now'): its first frames lack the tuples that are not held\ngo on "
        "with the query that wrote it, or give the changed one a new checkpointLocation",
    ),
    Bad(
        "changes that nobody knows",
        lambda: continuing(saved(), changes="all"),
        iw.UsageError,
        "continued(changes='all'): write 'exact' (take a changed query if its results are those of a batch run) or 'from now' "
        "(also one that begins with what is held)",
    ),
    Bad(
        "a stream that begins with the state of another number of buckets",
        lambda: continuing(saved(), buckets=2),
        iw.UsageError,
        "continued(): this state is of 4 buckets, and this stream has 2: give iw.testing.replay the same buckets=",
    ),
    Bad(
        "a stream that begins with a state from Spark",
        lambda: continuing(state_rows([0], [b""], BY_SPARK)),
        iw.UsageError,
        "continued(): in this state keys were given to buckets by Spark's hash, here they are by replay(): make it with "
        "iw.state_of where the stream runs",
    ),
    Bad(
        "a stream that begins with a part of a state",
        lambda: continuing(saved().slice(1)),
        iw.StateError,
        "this state has 3 rows, for 3 buckets, but it was made for 4: give all that iw.state_of gave, once",
    ),
    Bad(
        "a stream that begins with no state",
        lambda: continuing(saved().slice(0, 0)),
        iw.StateError,
        "this state has no rows: give all that iw.state_of gave",
    ),
    Bad(
        "late tuples of a table",
        lambda: iw.late(TABLE),
        iw.UsageError,
        "late(Table): late tuples are those of a stream: give the very result of iw.with_columns, iw.select "
        "or iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it, or what iw.testing.replay gives "
        "(not its .table)",
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
        "union: got a list; give pyarrow.Table.from_pylist(rows)",
    ),
    Bad(
        "a union of columns of other types",
        lambda: iw.union(TABLE, TABLE.set_column(4, "n", [["x"] * 4]), order_by="t"),
        iw.UsageError,
        "union(): Unable to merge: Field n has incompatible types: int64 vs string: cast the columns to the same types",
    ),
    Bad(
        "a union of a table and a replayed stream",
        lambda: iw.testing.replay([TABLE], lambda df: iw.union(df, TABLE, order_by="t")),
        iw.UsageError,
        "union(Stream, Table): give tables and frames of this machine, or Spark DataFrames, all of one kind",
    ),
]
