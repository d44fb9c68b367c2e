"""``stream_state``: the state of a stream as a table, without the running query and its classes."""

from os import PathLike, fspath
from typing import Any, Literal

import pyarrow as pa

from inwindow.runtime.stream.inspection import READERS, inspected
from inwindow.runtime.stream.replay import Replayed
from inwindow.runtime.stream.state_rows import check_rows
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown

By = Literal["key", "bucket"]


@says_what_it_takes
def stream_state(state: Any, *, by: By = "key", operator: int | None = None, batch: int | None = None) -> Any:
    """The state of a stream: a row per key, or per bucket.

    ``state`` is the checkpoint of a query on Spark (its ``checkpointLocation``; the query may run, or not), the result of
    :func:`inwindow.testing.replay`, or a state that was saved. For a checkpoint the result is a DataFrame, made in the workers,
    otherwise a ``pyarrow.Table``. ``operator=`` is needed if the query has several results (0, 1, ...), ``batch=`` asks for an
    earlier micro-batch that the checkpoint still has.

    A row per key has: ``bucket``; ``key``, a struct, if there are keys; ``held_tuples``, which frames or extents still need;
    ``waiting_tuples``, which the watermark has not passed; ``oldest`` and ``newest``, their times; ``seen_tuples``, if the query
    counts the tuples of its keys; ``aggregate_bytes``; and the ``watermark`` that was processed. A row per bucket also has the
    number of ``keys``, ``late_tuples``, ``state_bytes`` and the ``query``, in words.

    >>> import pyarrow as pa, inwindow as iw
    >>> batches = [pa.table({"k": ["a", "b", "a"], "t": [1, 5, 9]}), pa.table({"k": ["b"], "t": [12]})]
    >>> window = iw.range(5, partition_by="k", order_by="t")
    >>> replayed = iw.testing.replay(batches, lambda df: iw.with_columns(df, n=iw.count().over(window)), buckets=1)
    >>> state = iw.stream_state(replayed)
    >>> state.select(["key", "held_tuples", "waiting_tuples", "newest", "watermark"]).to_pylist()[1]
    {'key': {'k': 'b'}, 'held_tuples': 0, 'waiting_tuples': 1, 'newest': 12, 'watermark': 12}
    >>> iw.stream_state(replayed, by="bucket")["query"].to_pylist()
    ['n = count() over (range between 5 preceding and current row); per k; ordered by t']
    """
    if by not in READERS:
        raise UsageError(f"stream_state(by={shown(by)}): write 'key' or 'bucket'")
    if isinstance(state, Replayed):
        state = state.state
    if isinstance(state, pa.Table):
        if (operator, batch) != (None, None):
            raise UsageError(
                "stream_state(operator=..., batch=...): they choose among the states of a checkpoint of Spark"
            )
        check_rows(state.schema.names, state, "stream_state")
        return pa.concat_tables(READERS[by](inspected(one, _no_chunk)) for one in state.column("content").to_pylist())
    if isinstance(state, (str, PathLike)):
        from inwindow.runtime.spark.checkpoints import state_of_checkpoint

        return state_of_checkpoint(fspath(state), by, operator, batch)
    if type(state).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.checkpoints import state_of_rows

        check_rows(state.columns, state, "stream_state")
        return state_of_rows(state, by)
    raise UsageError(
        f"stream_state({shown(state)}): give the checkpointLocation of a query, what iw.testing.replay gives, or a state that "
        "was saved"
    )


def _no_chunk(number: int) -> bytes:
    raise KeyError(number)
