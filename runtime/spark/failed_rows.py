"""Bad tuples of a batch job on Spark: a DataFrame of their own, made of a last column of the job's output.

::

    worker    rows ... | failed      a list: the tuples on which hooks have raised since the batch before
    Spark     result                 the rows without that column
              iw.failed(result)      inline(failed): the same job, run again unless Spark has its shuffle still
"""

from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import struct_of
from inwindow.runtime.spark.observations import observation_of, row_of
from inwindow.runtime.spark.stream_kinds import Kind, fields_of
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.udaf.failures import FAILURE, Failures, flat_names

_FAILED, _COUNTS = "_inwindow_failed", "_inwindow_failed_counts"


def kind_of(columns: Columns, failures: Failures) -> Kind:
    """Bad tuples as Spark's columns."""
    names = list(failures.reads)
    results = {name: Result.of(AsItIs(to_spark(pa.string()))) for name in FAILURE.names}
    results |= dict(zip(flat_names(names), map(columns.handed_through, names), strict=True))
    return Kind(results, tuple(results), names)


def failed_results(columns: Columns, failures: Failures | None, *, new_rows: bool) -> list[Result]:
    """The types of the columns that a worker adds for them."""
    if failures is None:
        return []
    kind: T.DataType = T.LongType()
    if failures.collects:
        kind = T.ArrayType(struct_of(list(kind_of(columns, failures).results.values())))
    whole = Result.of(AsItIs(kind))
    return [whole, Result.of(AsItIs(T.BooleanType()))] if new_rows else [whole]


def counted(df: Any, column: Any, columns: Columns, failures: Failures | None) -> tuple[Any, Any]:
    """The DataFrame, which counts the bad tuples of a column where an action runs; and a function that says how many."""
    if failures is None or not columns.session.is_spark:
        return df, lambda: 0
    F, observation = columns.session.F, observation_of(df)
    each = F.size(column) if failures.collects else column
    df = df.observe(observation, F.coalesce(F.sum(each), F.lit(0)).alias("failed_tuples"))
    return df, lambda: (row_of(observation) or {}).get("failed_tuples", 0)


def remember(
    result: Any, columns: Columns, failures: Failures | None, made: Any, lists: list[Any], counts: list[Any]
) -> Any:
    """The result, which knows its bad tuples: they are in these columns of ``made``; and how many there were."""
    if failures is not None:
        setattr(result, _COUNTS, counts)
        if failures.collects:
            setattr(result, _FAILED, cache(lambda: _rows(made, lists, kind_of(columns, failures), columns)))
    return result


def failed_count(df: Any) -> int | None:
    """How often hooks raised in the first action on a result; None for a DataFrame that counts nothing."""
    counts = getattr(df, "__dict__", {}).get(_COUNTS)
    return None if counts is None else sum(count() for count in counts)


def remember_stream(result: Any, failed: Any) -> None:
    """The same of a stream, where a function makes them."""
    setattr(result, _FAILED, cache(failed))


def _rows(made: Any, lists: list[Any], kind: Kind, columns: Columns) -> Any:
    F = columns.session.F
    whole = lists[0] if len(lists) == 1 else F.concat(*lists)
    return made.select(F.inline(whole)).select(*fields_of(kind, columns.session, 0))


def failed_tuples(df: Any) -> Any:
    """The bad tuples of a result that collects them; None for any other DataFrame."""
    failed = vars(df).get(_FAILED)
    return None if failed is None else failed()
