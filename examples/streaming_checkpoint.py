"""A stream with a checkpoint: a Spark job over files, stopped and started again.

Covers: `iw.with_columns` on a streaming DataFrame, watermark, checkpoint, restart, the query's metrics

Scenario: bids arrive as files. A job gives each bid the average of its item's last minute, stops when nothing is left to
read, and starts again, in a new session, when there are more files. Frames reach back over the restart; no bid is lost,
none comes twice. A bid waits until the watermark, ten seconds behind the latest bid of earlier files, has passed it.

Prints::

    0 late, 1 waiting
        12:00:00 vase 10: average 10.0 of 1
        12:00:08 vase 20: average 15.0 of 2
        12:00:12 lamp 40: average 40.0 of 1
    0 late, 1 waiting
        12:00:00 vase 10: average 10.0 of 1
        12:00:08 vase 20: average 15.0 of 2
        12:00:12 lamp 40: average 40.0 of 1
        12:00:25 vase 30: average 20.0 of 3
        12:00:30 vase 60: average 30.0 of 4
        12:01:05 vase 60: average 42.5 of 4
        12:01:10 lamp 80: average 60.0 of 2
"""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import SparkSession

import inwindow as iw
from inwindow.runtime.spark.jvm import ensure_java

WINDOW = iw.range("1 minute", partition_by="item", order_by="ts")


def arrive(file, *bids):
    """A file of bids: item, seconds after noon, price."""
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    rows = [{"item": item, "ts": noon + timedelta(seconds=at), "price": price} for item, at, price in bids]
    schema = pa.schema({"item": pa.string(), "ts": pa.timestamp("us", "UTC"), "price": pa.int64()})
    parquet.write_table(pa.Table.from_pylist(rows, schema), file)


def averages(bids):
    """The same for a stream and for a table."""
    return iw.with_columns(bids, avg=iw.avg("price").over(WINDOW), n=iw.count().over(WINDOW))


def job(folder):
    """Start a session and the query; when all new files are read, tell what came, and stop both."""
    settings = {"spark.sql.shuffle.partitions": "1", "spark.sql.session.timeZone": "UTC", "spark.log.level": "ERROR"}
    session = SparkSession.builder.master("local[1]").config(map=settings | {"spark.ui.enabled": "false"}).getOrCreate()
    bids = session.readStream.schema("item string, ts timestamp, price long").parquet(f"{folder}/bids")
    query = averages(bids.withWatermark("ts", "10 seconds")).writeStream.trigger(availableNow=True)
    query = query.option("checkpointLocation", f"{folder}/checkpoint").start(f"{folder}/averages", "parquet")
    query.awaitTermination()
    counted = iw.metrics(query)
    print(counted["late_tuples"], "late,", counted["waiting_tuples"], "waiting")
    given = session.read.parquet(f"{folder}/averages").orderBy("ts").toArrow()
    for row in given.to_pylist():
        print("    {ts:%H:%M:%S} {item} {price}: average {avg} of {n}".format(**row))
    session.stop()


ensure_java()
with tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "bids").mkdir()
    arrive(f"{folder}/bids/1.parquet", ("vase", 0, 10), ("lamp", 12, 40), ("vase", 8, 20), ("vase", 30, 60))
    job(folder)
    arrive(f"{folder}/bids/2.parquet", ("vase", 25, 30), ("lamp", 70, 80), ("vase", 65, 60), ("sofa", 90, 900))
    job(folder)
