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
from inwindow.runtime.spark.stream_kinds import Kind, fields_of
from inwindow.runtime.spark.types import AsItIs, Result, to_spark
from inwindow.udaf.failures import FAILURE, Failures, flat_names

_FAILED = "_inwindow_failed"


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
    whole = Result.of(AsItIs(T.ArrayType(struct_of(list(kind_of(columns, failures).results.values())))))
    return [whole, Result.of(AsItIs(T.BooleanType()))] if new_rows else [whole]


def remember(result: Any, columns: Columns, failures: Failures | None, made: Any, lists: list[Any]) -> Any:
    """The result, which knows its bad tuples: they are in these columns of ``made``."""
    if failures is not None:
        setattr(result, _FAILED, cache(lambda: _rows(made, lists, kind_of(columns, failures), columns)))
    return result


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
