"""Relations on streams of Spark: what the batch run gives, whatever the micro-batches, with a restart between them."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import inwindow as iw
from inwindow import temporal

START = datetime(2026, 3, 8, tzinfo=UTC)
VALID = "host string, v bigint, since timestamp, until timestamp"


def at(minute: int) -> datetime:
    return START + timedelta(minutes=minute)


def rows(seed: int, turn: int, hosts: str = "abc") -> list[tuple[Any, ...]]:
    """Rows of a quarter of an hour, none of which is late."""
    return [
        (hosts[(seed + n) % 3], (seed * n) % 4, at(15 * turn + (n * 7 + seed) % 15), at(15 * turn + (n * 7 + seed) % 15 + n % 9))
        for n in range(12)
    ]  # fmt: skip


def put(folder: Path, number: int, given: list[tuple[Any, ...]], schema: str) -> None:
    columns = [column.split() for column in schema.split(", ")]
    kinds = {"string": pa.string(), "bigint": pa.int64(), "timestamp": pa.timestamp("us", "UTC")}
    fields = [pa.field(name, kinds[kind]) for name, kind in columns]
    (folder / f"part={number}").mkdir(parents=True)
    table = pa.Table.from_pylist(
        [dict(zip(pa.schema(fields).names, row, strict=True)) for row in given], pa.schema(fields)
    )
    pq.write_table(table, folder / f"part={number}" / "rows.parquet")


def read(spark: Any, folder: Path, schema: str, time: str) -> Any:
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "part=*"))
    return stream.withWatermark(time, "20 minutes")


def bag(given: list[Any]) -> Counter[str]:
    return Counter(str(tuple(row)) for row in given)


def run(spark: Any, made: Any, folder: Path) -> list[Any]:
    query = made.writeStream.format("parquet").option("path", str(folder / "out"))
    query = query.option("checkpointLocation", str(folder / "cp")).trigger(availableNow=True).start()
    query.awaitTermination()
    return spark.read.schema(made.schema).parquet(str(folder / "out")).collect()


ONE = {  # the others without Spark, in tests/temporal/test_streams.py
    "aggregate": lambda a: temporal.aggregate(a, by="host", n=iw.count(), s=iw.sum("v")),
    "dstream": temporal.dstream,
}


def ended(row: Any) -> bool:
    return (row["until"] if "until" in row else row["at"]).timestamp() < at(100).timestamp()


@pytest.mark.parametrize("name", ONE)
def test_one_relation_with_restarts(spark: Any, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "in"
    for turn in range(2):
        put(folder, turn, rows(turn, turn), VALID)
    run(spark, ONE[name](read(spark, folder, VALID, "since")), tmp_path)
    for turn in range(2, 4):
        put(folder, turn, rows(turn, turn), VALID)
    put(folder, 4, [("a", 0, at(500), at(501))], VALID)
    found = run(spark, ONE[name](read(spark, folder, VALID, "since")), tmp_path)
    whole = spark.read.schema(VALID).parquet(str(folder / "part=*"))
    assert bag(found) == bag([row for row in ONE[name](whole).collect() if ended(row.asDict())])


def test_a_join_of_two_windows_of_streams(spark: Any, tmp_path: Path) -> None:
    tuples = "host string, {} bigint, ts timestamp"
    made = []
    for side, name in enumerate("vw"):
        folder = tmp_path / name
        for turn in range(3):
            put(folder, turn, [row[:3] for row in rows(side + turn, turn)], tuples.format(name))
        put(folder, 3, [("a", 0, at(500))], tuples.format(name))
        made.append(folder)
    window = iw.range("5 minutes", order_by="ts")

    def query(a: Any, b: Any) -> Any:
        a, b = (temporal.window(one, window).drop("ts") for one in (a, b))
        return temporal.join(a.where("v < 3"), b, on="host", how="left")

    found = run(
        spark, query(*(read(spark, f, tuples.format(n), "ts") for f, n in zip(made, "vw", strict=True))), tmp_path
    )
    wanted = query(
        *(spark.read.schema(tuples.format(n)).parquet(str(f / "part=*")) for f, n in zip(made, "vw", strict=True))
    )
    assert bag(found) == bag([row for row in wanted.collect() if row["since"].timestamp() < at(400).timestamp()])


def test_messages(spark: Any, tmp_path: Path) -> None:
    put(tmp_path, 0, rows(1, 1), VALID)
    bare = spark.readStream.schema(VALID).parquet(str(tmp_path / "part=*"))
    with pytest.raises(
        iw.UsageError, match=r"temporal.coalesce on a stream: 'since' has no watermark.*withWatermark\('since'"
    ):
        temporal.coalesce(bare)
    marked = bare.withWatermark("since", "1 minute")
    with pytest.raises(iw.UsageError, match="one is a stream and the other is not"):
        temporal.join(marked, spark.read.parquet(str(tmp_path / "part=*")), on="host")
    with pytest.raises(iw.UsageError, match=r"coalesce=False\) on a stream"):
        temporal.aggregate(marked, n=iw.count(), coalesce=False)
    with pytest.raises(iw.UsageError, match="a query is one call"):
        temporal.coalesce(temporal.distinct(marked))
