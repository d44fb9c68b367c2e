"""Where the data are: a table, a reader, a Spark DataFrame, or a stream that is replayed; or an error that says what to give."""

from typing import Any

import pyarrow as pa

from inwindow.runtime import local
from inwindow.runtime.reserved import check_names
from inwindow.udaf.errors import UsageError, shown

HOT_KEYS = ("auto", "sample", "off")  # how to look for partitions that hold most of the tuples


def place_of(data: Any, where: str, hot_keys: Any = "auto") -> Any:
    """Where the data are, as what can run on them: a ``Table``, a ``Reader``, or Spark's ``Frame``."""
    _check_hot_keys(hot_keys, where)
    if isinstance(data, local.Local):
        return data  # a stream that is replayed
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return local.Table(_with_plain_types(data, where))
    if isinstance(data, pa.RecordBatchReader):
        return local.Reader(_with_plain_types(data, where))
    kind = f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")
    if kind.startswith("pyspark.sql.") and kind.endswith(".DataFrame"):
        from inwindow.runtime.spark.frames import Frame

        return Frame.of(data, where, hot_keys)
    if kind.startswith("pandas.") and kind.endswith(".DataFrame"):
        raise UsageError(f"{where}: got a pandas DataFrame; give pyarrow.Table.from_pandas(df)")
    if kind in ("list", "dict"):
        write = "pyarrow.Table.from_pylist(rows)" if kind == "list" else "pyarrow.table(columns)"
        raise UsageError(f"{where}: got a {kind}; give {write}")
    if kind in ("polars.dataframe.frame.DataFrame", "polars.lazyframe.frame.LazyFrame"):
        name = kind.rpartition(".")[2]
        collect = ".collect()" if name == "LazyFrame" else ""
        raise UsageError(f"{where}: got a Polars {name}; give df{collect}.to_arrow()")
    if hasattr(data, "__arrow_c_stream__") and hasattr(data, "columns"):  # DuckDB and others
        raise UsageError(f"{where}: got a {kind}; give pyarrow.table(df)")
    if kind == "inwindow.runtime.stream.replay.Query":
        raise UsageError(
            f"{where} on the result of another call on a stream: a query is one call: give it all aggregates, with one "
            "partitioning and order, or replay the rows of the first one"
        )
    raise UsageError(f"{where}: got a {kind}; give a pyspark DataFrame, a pyarrow.Table or a pyarrow.RecordBatchReader")


def events_of(place: Any, of: Any, where: str) -> Any:
    """What is given as ``of=``, of the same kind as the data."""
    events = place_of(of, f"{where}(of=...)")
    if isinstance(place, local.Reader) or isinstance(events, local.Reader):
        raise UsageError(
            f"{where}(of=...): a reader cannot be sorted together with another table: give pyarrow.Tables (reader.read_all())"
        )
    if isinstance(place, local.Local) != isinstance(events, local.Local):
        raise UsageError(
            f"{where}(of=...): one is a {type(place.data).__name__}, the other a {type(events.data).__name__}: give both as "
            "tables, or both as DataFrames"
        )
    return events


def _check_hot_keys(hot_keys: Any, where: str) -> None:
    if not isinstance(hot_keys, str) or hot_keys not in HOT_KEYS:
        raise UsageError(
            f"{where}(hot_keys={shown(hot_keys)}): write 'auto' (look for hot keys where a sample is cheap), 'sample' (look in "
            "any case) or 'off'"
        )


def _with_plain_types(data: Any, where: str) -> Any:
    """String views (as Polars gives) as strings: Arrow cannot take rows of views. The names are not ours."""
    check_names(data.schema.names, where)
    fields = []
    for field in data.schema:
        if pa.types.is_run_end_encoded(field.type):
            raise UsageError(
                f"{where}: the column {field.name!r} is run-end encoded: decode it first, with pyarrow.compute.run_end_decode"
            )
        view = field.type in (pa.string_view(), pa.binary_view())
        fields.append(
            field.with_type(pa.string() if field.type == pa.string_view() else pa.binary()) if view else field
        )
    schema = pa.schema(fields, data.schema.metadata)
    return data if schema == data.schema else data.cast(schema)
