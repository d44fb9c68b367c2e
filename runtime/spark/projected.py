"""Ends that are a time and a distance, as plain columns of Spark: no row crosses to Python, and its optimizer sees through them.

A filter on other columns moves down to the scan, and a column that is not read is not made. On a stream the rows cross, since Spark
allows one column with a watermark, and there are two then.
"""

from typing import Any

from pyspark.sql import types as T

from inwindow.runtime.operation import Offsets
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.session import quoted

_WHOLE = {"ByteType": 8, "ShortType": 16, "IntegerType": 32, "LongType": 64}
_INSTANTS = ("TimestampType", "TimestampNTZType")


def can_be_projected(columns: Columns, offsets: Offsets | None) -> bool:
    """Whether the engine has the arithmetic: for integers, dates and timestamps of Spark."""
    if offsets is None or not columns.session.is_spark:
        return False
    kind = type(columns.kind(offsets.time)).__name__
    return kind in _WHOLE or kind in _INSTANTS or (kind == "DateType" and _is_near(offsets))


def _is_near(offsets: Offsets) -> bool:
    """Spark's dates wrap around beyond 32 bits."""
    return all(abs(offset or 0) < 1 << 20 for offset in (offsets.since, offsets.until))


def projected(columns: Columns, offsets: Offsets) -> Any:
    """The rows that have a time, with both ends; those that begin beyond the end of time are left out, as everywhere."""
    expr, kind = columns.session.expr, columns.kind(offsets.time)
    since, until = (_moved(offsets.time, kind, offset) for offset in (offsets.since, offsets.until))
    df = columns.df
    if not offsets.keeps_null:
        df = df.where(expr(f"{quoted(offsets.time)} IS NOT NULL"))
    if offsets.since is not None and offsets.since > 0:
        df = df.where(expr(f"{since} IS NOT NULL"))
    return df.select("*", expr(f"{since} AS since"), expr(f"{until} AS until"))


def _moved(time: str, kind: T.DataType, offset: int | None) -> str:
    """The time, so many units later; NULL beyond the type, and where there is no end."""
    name, sql = quoted(time), kind.simpleString()
    if offset is None:
        return f"CAST(NULL AS {sql})"
    if offset == 0:
        return name
    if type(kind).__name__ in _INSTANTS:
        return f"try_add({name}, INTERVAL '{offset}' MICROSECONDS)"
    if isinstance(kind, T.DateType):
        return f"date_add({name}, {offset})"
    bits = _WHOLE[type(kind).__name__]
    moved = f"try_add(CAST({name} AS bigint), {offset}L)"
    if bits == 64:
        return f"nullif(nullif({moved}, {(1 << 63) - 1}L), try_subtract(-{(1 << 63) - 1}L, 1L))"  # keys that stand for NULL
    return f"CAST(IF({moved} BETWEEN {-(1 << bits - 1)}L AND {(1 << bits - 1) - 1}L, {moved}, NULL) AS {sql})"
