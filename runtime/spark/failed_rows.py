"""Bad tuples of a batch job on Spark: a DataFrame of their own, made of a last column of the job's output.

::

    worker    rows ... | failed      a list: the tuples on which hooks have raised since the batch before
    Spark     result                 the rows without that column
              iw.failed(result)      inline(failed): the same job, run again unless Spark has its shuffle still
              iw.outputs(result)     both from one run: a row of the result, and those of its list, one below the other
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.spark.columns import Columns
from inwindow.runtime.spark.crossing import struct_of
from inwindow.runtime.spark.observations import observation_of, row_of
from inwindow.runtime.spark.session import quoted
from inwindow.runtime.spark.stream_kinds import Kind, fields_of
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.udaf.failures import FAILURE, Failures, flat_names

BESIDE = f"{PREFIX}failed"  # a column with the lists, beside those of the result
_FAILED, _COUNTS, _OUTPUTS = "_inwindow_failed", "_inwindow_failed_counts", "_inwindow_failed_outputs"


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
    result: Any,
    columns: Columns,
    failures: Failures | None,
    made: Any,
    lists: list[Any],
    counts: list[Any],
    finished: Callable[[Any], Any],
    real: Any = None,
) -> Any:
    """The result, which knows its bad tuples: they are in these columns of ``made``; and how many there were.

    ``finished`` makes the columns of the result, beside others; ``real`` is false for a row of bad tuples alone.
    """
    if failures is not None:
        setattr(result, _COUNTS, counts)
        if failures.collects:
            kind = kind_of(columns, failures)
            setattr(result, _FAILED, cache(lambda: _rows(made, lists, kind, columns)))
            setattr(result, _OUTPUTS, cache(lambda: _outputs(made, lists, kind, columns, finished, real)))
    return result


def failed_count(df: Any) -> int | None:
    """How often hooks raised in the first action on a result; None for a DataFrame that counts nothing."""
    counts = getattr(df, "__dict__", {}).get(_COUNTS)
    return None if counts is None else sum(count() for count in counts)


def remember_stream(result: Any, failed: Any) -> None:
    """The same of a stream, where a function makes them."""
    setattr(result, _FAILED, cache(failed))


def _rows(made: Any, lists: list[Any], kind: Kind, columns: Columns) -> Any:
    return made.select(columns.session.F.inline(_whole(lists, columns))).select(*fields_of(kind, columns.session, 0))


def _whole(lists: list[Any], columns: Columns) -> Any:
    return lists[0] if len(lists) == 1 else columns.session.F.concat(*lists)


def _outputs(
    made: Any, lists: list[Any], kind: Kind, columns: Columns, finished: Callable[[Any], Any], real: Any
) -> Any:
    """Rows and bad tuples: ``kind``, and a struct for each kind, NULL in the rows of the other."""
    F = columns.session.F
    held = F.struct(_whole(lists, columns).alias("found"), (F.lit(True) if real is None else real).alias("real"))
    beside = finished(made.withColumn(BESIDE, held))
    names = [name for name in beside.columns if name != BESIDE]
    found, is_real = F.col(f"{BESIDE}.found"), F.col(f"{BESIDE}.real")
    row = F.struct(*[F.col(quoted(name)).alias(name) for name in names])
    its = F.struct(F.when(is_real, row).alias("row"), F.when(F.lit(False), F.element_at(found, 1)).alias("failed"))
    others = F.transform(found, lambda one: F.struct(F.when(F.lit(False), row).alias("row"), one.alias("failed")))
    each = F.filter(F.concat(F.array(its), others), lambda one: one["row"].isNotNull() | one["failed"].isNotNull())
    listed = beside.select(F.inline(each)).select("row", "failed.*")
    of_row = F.col("row").isNotNull()
    failed = F.when(~of_row, F.struct(*fields_of(kind, columns.session, 0)))
    return listed.select(F.when(of_row, "row").otherwise("failed").alias("kind"), "row", failed.alias("failed"))


def outputs_of_batch(df: Any) -> Any:
    """Rows and bad tuples of a result that collects them, from one run; None for any other DataFrame."""
    outputs = vars(df).get(_OUTPUTS)
    return None if outputs is None else outputs()


def failed_tuples(df: Any) -> Any:
    """The bad tuples of a result that collects them; None for any other DataFrame."""
    failed = vars(df).get(_FAILED)
    return None if failed is None else failed()
