"""The time at which tuples arrive, for streams without a time of their own (ESL, section 2: internal timestamps)."""

from typing import Any

from inwindow.udaf.errors import UsageError


def arrival_time() -> Any:
    """A Spark column: the time of the micro-batch in which a tuple arrived; equal for all tuples of a micro-batch.

    Use it for windows by time over a stream without a time column:
    ``df.withColumn("at", iw.arrival_time()).withWatermark("at", "0 seconds")``. No tuple is ever late. A tuple is processed with
    the next micro-batch, when time has moved on. A micro-batch that runs again from a checkpoint has the same time as before.

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
