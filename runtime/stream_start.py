"""``state_of`` and ``continued``: the state that a stream over a history would have, and a stream that begins with it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import pyarrow as pa

from inwindow.runtime.stream.evolution import Changes, check_changes
from inwindow.runtime.stream.replay import Replayed, replay
from inwindow.runtime.stream.replay_stream import StreamPlan
from inwindow.runtime.stream.state_rows import check_rows, check_until
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown

Result = TypeVar("Result")


@says_what_it_takes
def state_of(history: Any, query: Callable[[Any], Any] | None = None, *, until: Any = None, buckets: int = 4) -> Any:
    """The state of a stream that has had all tuples of a history, and whose watermark is at ``until``.

    ``query`` is a function of the stream, as for :func:`inwindow.testing.replay`. For a Spark DataFrame the result is a DataFrame
    with a row per bucket (for the session's ``spark.sql.shuffle.partitions``): save it as Parquet. For a ``pyarrow.Table`` it is a
    table, with as many ``buckets`` as the replay is to have. Give it to :func:`continued`, and the stream goes on where the history
    ends: the rows that a stream would have given until then are not given again, and tuples before ``until`` are late. Tuples of
    the history at ``until`` and later wait, as in a stream.

    The result of a replay has a state, too: ``iw.state_of(replayed)``.

    >>> import pyarrow as pa, inwindow as iw
    >>> window = iw.range(10, order_by="t")
    >>> def totals(df): return iw.with_columns(df, total=iw.sum("v").over(window))
    >>> state = iw.state_of(pa.table({"t": [1, 4, 8], "v": [1.0, 2.0, 4.0]}), totals, until=10)
    >>> live = [pa.table({"t": [12], "v": [8.0]}), pa.table({"t": [9, 20], "v": [16.0, 32.0]})]
    >>> replayed = iw.testing.replay(live, lambda df: iw.continued(totals(df), state))
    >>> replayed.table.to_pydict(), iw.late(replayed)["t"].to_pylist()
    ({'t': [12], 'v': [8.0], 'total': [14.0]}, [9])
    """
    if isinstance(history, Replayed):
        if query is not None or until is not None:
            raise UsageError("state_of(a replay): it has its query and its watermark already: give nothing else")
        return history.state
    if query is None:
        raise UsageError(
            f"state_of({shown(history)}): give the query, too, as a function of the stream: "
            "state_of(history, lambda df: iw.with_columns(df, ...), until=...)"
        )
    if callable(history) or not callable(query):
        raise UsageError(
            f"state_of({shown(history)}, {shown(query)}): the history comes first, and then the query, a function of the stream: "
            "state_of(history, lambda df: iw.with_columns(df, ...), until=...)"
        )
    if type(history).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.history import state_of_history

        return state_of_history(history, query, until)
    made = replay([history], query, until=until, watermarks=None if until is None else [None], buckets=buckets)
    check_until(until, timed=made.buckets[0].key is not None)
    for bucket in made.buckets:
        bucket.settle()
    return made.state


@says_what_it_takes
def continued(result: Result, start: Any = None, *, changes: Changes = "exact") -> Result:
    """The same result on a stream, beginning with a state (:func:`state_of`), or with the state of a changed query.

    ``result`` is the result of :func:`with_columns`, :func:`select`, ``agg`` or ``emit`` on a stream; ``start`` a state of the same
    query. On Spark this needs the RocksDB state store, and as many shuffle partitions as the state was made for. The state is
    read in the first micro-batch of a new checkpoint; a checkpoint that has begun goes on from its own state.

    ``changes`` says which changes of a query its checkpoint may have seen: with ``"exact"`` those after which all results are
    those of a batch run, as without this function; with ``"from now"`` also windows and aggregates that begin with the tuples
    that are held, new columns, and other code of hooks.

    >>> import pyarrow as pa, inwindow as iw
    >>> def numbers(df): return iw.with_columns(df, n=iw.count().over(iw.rows(3)))
    >>> state = iw.state_of(pa.table({"v": [1, 2]}), numbers)
    >>> iw.testing.replay([pa.table({"v": [3, 4]})], lambda df: iw.continued(numbers(df), state)).table["n"].to_pylist()
    [3, 3]
    """
    check_changes(changes)
    if isinstance(result, StreamPlan):
        if start is not None:
            if not isinstance(start, pa.Table):
                raise UsageError(f"continued(start={shown(start)}): give the table that iw.state_of gives")
            check_rows(start.schema.names, start, "continued")
        return replace(result, start=start, changes=changes)
    if type(result).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.stream_frame import continued_from

        made: Result | None = continued_from(result, start, changes)
        if made is not None:
            return made
    raise UsageError(
        f"continued({shown(result)}): only a result on a stream begins with a state: give the very result of iw.with_columns, "
        "iw.select or iw.group_by(...).agg on a stream, before any select or filter on it"
    )
