"""``late``: the tuples that arrived too late for a result on a stream."""

from typing import Any

import pyarrow as pa

from inwindow.runtime.stream.replay import Replayed
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError


@says_what_it_takes
def late(result: Any) -> Any:
    """The tuples that arrived behind the watermark, too late for a result on a stream: ESL's out-of-order stream.

    ``result`` is the result of :func:`with_columns`, :func:`select` or ``agg`` for a streaming DataFrame, or of a replay. On Spark
    the late tuples are another streaming DataFrame, with all columns of the stream. If a second query writes them, it has its own
    micro-batches, and they are the tuples that are late there. In one query with the result, as in ``result.unionByName(late,
    allowMissingColumns=True)``, they are exactly the tuples without a row. A tuple without a time (NULL) is late, too.

    >>> import pyarrow as pa, inwindow as iw
    >>> batches = [pa.table({"t": [1, 9]}), pa.table({"t": [12]}), pa.table({"t": [2, 14]})]
    >>> window = iw.range(5, order_by="t")
    >>> result = iw.testing.replay(batches, lambda df: iw.with_columns(df, n=iw.count().over(window)), delay=3)
    >>> iw.late(result).to_pydict()
    {'t': [2]}
    """
    if isinstance(result, Replayed):
        return pa.concat_tables(result.late)
    if type(result).__module__.startswith("pyspark.sql."):
        from inwindow.runtime.spark.stream_frame import late_tuples

        tuples = late_tuples(result)
        if tuples is not None:
            return tuples
    raise UsageError(
        f"late({type(result).__name__}): late tuples are those of a stream: give the very result of iw.with_columns, iw.select or "
        "iw.group_by(...).agg on a streaming DataFrame, before any select or filter on it, or what iw.testing.replay gives (not "
        "its .table)"
    )
