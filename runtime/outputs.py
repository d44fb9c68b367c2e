"""``outputs``: all that one query on a stream gives: its rows, and the tuples that came too late for them."""

from dataclasses import replace
from typing import Any

import pyarrow as pa

from inwindow.runtime.failed import failures_of_result
from inwindow.runtime.stream.kinds import in_kinds
from inwindow.runtime.stream.replay import Replayed
from inwindow.runtime.stream.replay_stream import StreamPlan
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError


@says_what_it_takes
def outputs(result: Any) -> Any:
    """The rows and the late tuples of a result on a stream, from the same query: each tuple is in one of them, and in one only.

    ``result`` is the result of :func:`with_columns`, :func:`select`, ``agg`` or ``emit`` for a streaming DataFrame, or of a replay.
    There is a column ``kind``, and a struct for each kind, which is NULL in the rows of the others: ``row`` (a row of the result)
    and ``late`` (a tuple behind the watermark, with all its columns, as it came). On Spark it is a streaming DataFrame: write it in
    place of ``result``. Take it apart where it is written (``writeStream.partitionBy("kind")``, or ``foreachBatch``), or behind it:
    ``where("kind = 'late'").select("late.*")``. With ``on_error="collect"`` a third kind, ``failed``, is what :func:`failed` gives.
    Of batch data with ``on_error="collect"`` there are the kinds ``row`` and ``failed``: on Spark, hooks run once for both.

    >>> import pyarrow as pa, inwindow as iw
    >>> batches = [pa.table({"t": [1, 9]}), pa.table({"t": [12]}), pa.table({"t": [2, 14]})]
    >>> window = iw.range(5, order_by="t")
    >>> result = iw.testing.replay(batches, lambda df: iw.with_columns(df, n=iw.count().over(window)), delay=3)
    >>> for output in iw.outputs(result).to_pylist():
    ...     print(output)
    {'kind': 'row', 'row': {'t': 1, 'n': 1}, 'late': None}
    {'kind': 'late', 'row': None, 'late': {'t': 2}}
    {'kind': 'row', 'row': {'t': 9, 'n': 1}, 'late': None}
    """
    if isinstance(result, Replayed):
        return pa.concat_tables(result.outputs)
    if isinstance(result, StreamPlan):
        return replace(result, in_kinds=True)
    if type(result).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.failed_rows import outputs_of_batch
        from inwindow.runtime.spark.stream_frame import outputs_of

        made = outputs_of(result)
        made = outputs_of_batch(result) if made is None else made
        if made is not None:
            return made
    if isinstance(result, pa.Table) and (failures := failures_of_result(result)) is not None:
        return in_kinds({"row": result, "failed": failures.table()})
    raise UsageError(
        f"outputs({type(result).__name__}): rows and late tuples are those of a stream: give the very result of iw.with_columns, "
        "iw.select or iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it, or what iw.testing.replay "
        "gives (not its .table); on batch data no tuple is "
        "late, and the result is all, but for bad tuples with on_error='collect'"
    )
