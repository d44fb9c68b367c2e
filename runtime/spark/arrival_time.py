"""The time at which tuples arrive, for streams without a time of their own (ESL, section 2: internal timestamps)."""

from typing import Any

from inwindow.udaf.errors import UsageError


def arrival_time() -> Any:
    """A Spark column: the time of the micro-batch in which a tuple came; equal for all tuples of a micro-batch.

    For windows by time over a stream that has no time: ``df.withColumn("at", iw.arrival_time()).withWatermark("at", "0 seconds")``.
    Nothing is ever late; a tuple is taken with the next micro-batch, when time has moved on. Run again from a checkpoint, a
    micro-batch has the time that it had.

    >>> print(arrival_time())                                              # doctest: +SKIP
    Column<'current_timestamp()'>
    """
    from pyspark.sql import functions

    try:
        return functions.current_timestamp()
    except AssertionError:  # all that PySpark says
        raise UsageError(
            "arrival_time() is a Spark column, and there is no Spark session yet: make one first, "
            "SparkSession.builder.getOrCreate()"
        ) from None
