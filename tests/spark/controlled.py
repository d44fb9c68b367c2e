"""A stream under control: each Arrow table is a file, each file a micro-batch, in the order in which they were added."""

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

DELAY = "5 seconds"
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
OPERATORS = {"transformWithState": ROCKS, "applyInPandasWithState": None}


class Feed:
    """A folder of files that a streaming DataFrame reads one at a time."""

    def __init__(self, folder: Path, schema: str) -> None:
        self.folder, self.schema, self.count = folder, schema, 0
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, *tables: pa.Table) -> "Feed":
        """The next micro-batches. A file comes under its name whole, and later than the one before."""
        for table in tables:
            whole = self.folder / f"{self.count:05}.parquet"
            hidden = self.folder / f".{whole.name}"
            pq.write_table(table, hidden)
            os.utime(hidden, (1_700_000_000 + self.count,) * 2)
            hidden.rename(whole)
            self.count += 1
        return self

    def read(self, spark: Any, time: str | None = "ts", delay: str = DELAY) -> Any:
        """The stream, with a watermark on its time."""
        df = spark.readStream.schema(self.schema).option("maxFilesPerTrigger", 1).parquet(str(self.folder))
        return df if time is None else df.withWatermark(time, delay)


def use(spark: Any, operator: str) -> None:
    """The state store by which the operator is chosen, for the queries that start from now on; few partitions."""
    provider = OPERATORS[operator]
    if provider is None:
        spark.conf.unset(PROVIDER)
    else:
        spark.conf.set(PROVIDER, provider)
    spark.conf.set("spark.sql.shuffle.partitions", "2")


def started(df: Any, folder: Path, sink: str = "memory", name: str | None = None, **options: str) -> Any:
    """A query over all there is so far: one micro-batch per file, and one without data for the watermark's last step."""
    writer = df.writeStream.format(sink).outputMode("append").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint")).options(**options)
    return (writer if name is None else writer.queryName(name)).start()


def finished(query: Any) -> Any:
    """The query at its end; its exception, if it has one."""
    query.awaitTermination()
    return query


def metrics(query: Any) -> list[dict[str, int]]:
    """What the operator observed in each micro-batch. Over Connect a row comes as its values and their schema."""
    observed = [progress["observedMetrics"].get("inwindow") for progress in query.recentProgress]
    rows = [row.asDict() for row in observed if row is not None]
    return [_named(row) if "schema" in row else row for row in rows]


def _named(row: dict[str, Any]) -> dict[str, int]:
    return {field["name"]: value for field, value in zip(row["schema"]["fields"], row["values"], strict=True)}


def plain(table: pa.Table) -> list[str]:
    """Rows as texts, sorted: times as microseconds, whatever their zone; doubles to 12 digits, as sums depend on the strategy."""
    columns = [_plain(column.combine_chunks()) for column in table.columns]
    rows = pa.table(columns, names=table.column_names).to_pylist()
    return sorted(map(repr, rows))


def _plain(array: pa.Array) -> pa.Array:
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if pa.types.is_timestamp(array.type):
        return array.cast(pa.timestamp("us", "UTC")).cast(pa.int64())
    if pa.types.is_float64(array.type):
        return pa.array([None if value is None else f"{value:.12g}" for value in array.to_pylist()], pa.string())
    if pa.types.is_struct(array.type):
        fields = [_plain(array.field(i)) for i in range(array.type.num_fields)]
        return pa.StructArray.from_arrays(fields, names=[field.name for field in array.type])
    return array
