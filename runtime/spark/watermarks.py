"""A watermark of Spark's with bounds by the clock of the micro-batch.

::

    tuples   ts = 10:00        clock column = 10:00
             ts = 2058         clock column = NULL            Spark's watermark stands on this column,
    beats                      clock column = now - idle      which is dropped behind it, and so are beats

The time column itself is not changed. Its metadata say that it has the watermark, and the bound: from that the operator
(``stream_frame.py``) knows which tuples are ahead. Beats come from Spark's rate source, one each second.
``current_timestamp()`` is the time of the micro-batch, also if that runs again.
"""

from datetime import timedelta
from typing import Any

from pyspark.sql import types as T

from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.spark.session import functions_of, quoted
from inwindow.runtime.spark.stream_job import WATERMARK
from inwindow.runtime.spark.stream_results import calls_of
from inwindow.runtime.stream.watermarks import BOUND, Watermark
from inwindow.udaf.errors import UsageError
from inwindow.windows.interval import Interval, Size

_CLOCK, _BEAT = f"{PREFIX}clock", f"{PREFIX}beat"


def marked(df: Any, mark: Watermark) -> Any:
    """The streaming DataFrame with the watermark."""
    F, name = functions_of(df), str(mark.column)
    field = next((field for field in df.schema.fields if field.name == name), None)
    if field is None:
        raise UsageError(
            f"with_watermark({name!r}): there is no such column; there are {', '.join(map(repr, df.columns))}"
        )
    delay = f"{_span(mark.delay, 'delay').total_seconds():.6f} seconds"
    if not mark.needs_clock or any(call.timed for call in calls_of(df)):  # the latter is refused there
        return df.withWatermark(name, delay)
    if not isinstance(field.dataType, T.TimestampType):
        raise UsageError(
            f"with_watermark({name!r}, ahead=, idle=): the column is of type {field.dataType.simpleString()}, and only a timestamp "
            f"can be compared with the clock: cast it, as in df.withColumn({name!r}, F.col({name!r}).cast('timestamp'))"
        )
    time, metadata = F.col(quoted(name)), dict(field.metadata)
    counts = time
    if mark.ahead is not None:
        counts = F.when(~is_ahead(time, _micros(mark.ahead), F), time)
        metadata[BOUND] = _micros(mark.ahead)
    made = df.withColumn(_CLOCK, counts)
    if mark.idle is not None:
        made = made.withColumn(_BEAT, F.lit(False)).union(_beats(df, _span(mark.idle, "idle"), F))
    made = made.withWatermark(_CLOCK, delay)
    metadata[WATERMARK] = made.schema[_CLOCK].metadata[WATERMARK]
    if mark.idle is not None:
        # The first half is never true, but not deterministic: so Spark moves neither this filter nor one of the user's below the
        # watermark, where there would be no beats any more. (It knows that rand() < 0 is never true, and drops it.)
        made = made.where((F.spark_partition_id() < 0) | ~F.col(_BEAT))
    return made.withMetadata(name, metadata).drop(_CLOCK, _BEAT)


def is_ahead(time: Any, bound: int, F: Any) -> Any:  # noqa: N803  # as Spark's module is called
    """Whether a time is further ahead of the clock than a bound in microseconds; not NULL."""
    return F.coalesce(time > F.current_timestamp() + F.lit(timedelta(microseconds=bound)), F.lit(False))


def _beats(df: Any, idle: timedelta, F: Any) -> Any:  # noqa: N803
    """Rows without values, one each second, whose clock column is the end of the silence that is allowed."""
    beats = df.sparkSession.readStream.format("rate").option("numPartitions", 1).load()
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in df.schema.fields]
    return beats.select(*nothing, (F.current_timestamp() - F.lit(idle)).alias(_CLOCK), F.lit(True).alias(_BEAT))


def _span(size: Size, name: str) -> timedelta:
    if not isinstance(size, Interval):
        if size == 0:
            return timedelta()
        raise UsageError(
            f"with_watermark({name}={size}): the column is a timestamp: give a time, as in '{size} seconds'"
        )
    return timedelta(microseconds=size.microseconds)


def _micros(size: Size) -> int:
    return _span(size, "ahead") // timedelta(microseconds=1)
