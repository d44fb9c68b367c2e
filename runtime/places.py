"""Where the data are: a table, a reader, a DataFrame of Spark or another library, or a stream that is replayed."""

from typing import Any, Literal, get_args

import pyarrow as pa

from inwindow.runtime.arrow_data import ArrowData
from inwindow.runtime.dataframes import dataframe
from inwindow.runtime.query import Place
from inwindow.runtime.reader import Reader
from inwindow.runtime.reserved import check_names
from inwindow.runtime.sound import sound
from inwindow.runtime.table import Table
from inwindow.runtime.unpacked import unpacked
from inwindow.udaf.errors import UsageError, shown

HotKeys = Literal["auto", "sample", "off"]  # how to look for partitions with most of the tuples


def place_of(data: Any, where: str) -> Place:
    """The place for data: it runs queries on them."""
    if isinstance(data, ArrowData):
        return data  # a replayed stream
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        check_names(data.schema.names, where)
        data = sound(data, where)
        return Table(unpacked(data), data)
    if isinstance(data, pa.RecordBatchReader):
        check_names(data.schema.names, where)
        return Reader(unpacked(sound(data, where)))
    kind = f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")
    if kind.startswith("pyspark.sql.") and kind.endswith(".DataFrame"):
        from inwindow.runtime.spark.stream_frame import place_of_frame

        return place_of_frame(data, where)
    if kind == "pyspark.pandas.frame.DataFrame":
        from inwindow.runtime.spark.pandas_frame import place_of_pandas

        return place_of_pandas(data)
    if kind in ("list", "dict"):
        write = "pyarrow.Table.from_pylist(rows)" if kind == "list" else "pyarrow.table(columns)"
        raise UsageError(f"{where}: got a {kind}; give {write}")
    if (frame := dataframe(data, where)) is not None:
        check_names(frame.names(), where)
        return frame
    if kind == "inwindow.runtime.stream.replay_stream.StreamPlan":
        raise UsageError(
            f"{where} on the result of another call on a stream: a query is one call: give it all aggregates, with one "
            "partitioning and order, or replay the rows of the first one"
        )
    raise UsageError(
        f"{where}: got a {kind}; give a DataFrame of PySpark, pandas or Polars, a pyarrow.Table or "
        "RecordBatchReader, or a path to Parquet"
    )


def events_of(place: Place, of: Any, where: str) -> Place:
    """The place for ``of=``, which must be of the same kind as the data."""
    events = place_of(of, f"{where}(of=...)")
    if isinstance(events, ArrowData) and not isinstance(events, Table) and isinstance(events.data, pa.Schema):
        raise UsageError(
            f"{where}(of=...) on a stream: results at points in time need both tables whole: use batch data"
        )
    if isinstance(place, Reader) or isinstance(events, Reader):
        raise UsageError(
            f"{where}(of=...): a reader cannot be sorted together with another table: give pyarrow.Tables (reader.read_all())"
        )
    if isinstance(place, ArrowData) != isinstance(events, ArrowData):
        raise UsageError(
            f"{where}(of=...): one is a {type(place.data).__name__}, the other a {type(events.data).__name__}: give both as "
            "tables, or both as DataFrames"
        )
    return events


def check_hot_keys(hot_keys: Any, where: str) -> None:
    """Check that ``hot_keys=`` is one of the allowed words."""
    check_hot_keys_said(hot_keys, f"{where}(hot_keys={shown(hot_keys)})")


def check_hot_keys_said(hot_keys: Any, said: str) -> None:
    """The same of an option, as it was ``said``."""
    if not isinstance(hot_keys, str) or hot_keys not in get_args(HotKeys):
        raise UsageError(
            f"{said}: write 'auto' (look for hot keys where a sample is cheap), 'sample' (look in any case) or 'off'"
        )
