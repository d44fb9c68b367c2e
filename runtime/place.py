"""Where the data are: a table, a reader, a Spark DataFrame, or a stream that is replayed; or an error that says what to give."""

from typing import Any

import pyarrow as pa

from inwindow.runtime import local
from inwindow.runtime.reserved import check_names
from inwindow.runtime.unpacked import unpacked
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
        check_names(data.schema.names, where)
        return local.Table(unpacked(data), data)
    if isinstance(data, pa.RecordBatchReader):
        check_names(data.schema.names, where)
        return local.Reader(unpacked(data))
    kind = f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")
    if kind.startswith("pyspark.sql.") and kind.endswith(".DataFrame"):
        from inwindow.runtime.spark.frames import Frame

        return Frame.of(data, where, hot_keys)
    if kind.startswith("pandas.") and kind.endswith(".DataFrame"):
        raise UsageError(f"{where}: got a pandas DataFrame; give pyarrow.Table.from_pandas(df)")
    if kind == "str":
        raise UsageError(
            f"{where}: got a text, {data!r}; of a file give its table, as pyarrow.parquet.read_table({data!r})"
        )
    if kind.startswith("pyarrow.") and hasattr(data, "to_table"):
        raise UsageError(f"{where}: got a pyarrow {type(data).__name__}; give dataset.to_table()")
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
    if isinstance(events, local.Local) and isinstance(events.data, pa.Schema):
        raise UsageError(
            f"{where}(of=...) on a stream: results at points in time need both tables whole: use batch data"
        )
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
