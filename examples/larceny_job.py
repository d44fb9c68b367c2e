"""Larceny alarms as a job that runs for ever: a reader that falls silent, a reader that hangs, a program that is killed.

Covers: active expiration per key on a stream, `iw.outputs`, late tuples, restarts; ESL, example 18

Scenario: as in `larceny_alarm.py`, at three doors: a product that leaves needs authorized personnel ("ap") at the same door within
five seconds before or after. The reader in the back dies after a minute. The reader of the cellar hangs for more than a minute, and
then sends all that it has seen: what is older than the watermark is late, and comes out as it is, for somebody to look at. Each
alarm comes once, with its time, also from the door where nothing is read any more: the other doors move the watermark.

Without arguments three minutes are replayed in micro-batches of ten seconds. `larceny_job.py FOLDER` is the job on Spark: it reads
the files in `FOLDER/readings` and writes to `FOLDER/found`. Kill it and start it again as often as you like.

Prints::

    09:00:07  cellar  is item 0 stolen?
    09:00:07  back    is item 0 stolen?
    09:00:07  front   is item 0 stolen?
    09:00:25  back    is item 1 stolen?
    09:00:40  front   is item 2 stolen?
    09:00:55  back    is item 3 stolen?
    09:01:45  front   is item 6 stolen?
    late, behind 09:01:52: cellar, item 5 at 09:01:18
    late, behind 09:01:52: cellar, item 6 at 09:01:31
    09:01:56  cellar  is item 7 stolen?
    09:02:08  cellar  is item 8 stolen?
    09:02:12  front   is item 8 stolen?
    09:02:43  cellar  is item 10 stolen?
    11 alarms; as in the batch run
"""

import sys
from datetime import UTC, datetime, timedelta
from random import Random

import pyarrow as pa

import inwindow as iw

READINGS = "door string, tagid string, tagtype string, tagtime timestamp"
START = datetime(2006, 11, 5, 9, tzinfo=UTC)
DELAY = "15 seconds"  # how late a reading may come


class ItemAlarm(iw.WindowAggregate):
    """An item waits in the window for personnel; one that is still there when it expires is an alarm."""

    inwindow: iw.InWindow

    def iterate(self, tagid, tagtype):
        if self.is_authorized():
            self.inwindow.delete(lambda tag: tag.tagtype == "item")

    def expire(self, tagid, tagtype) -> str | None:
        return f"is {tagid} stolen?" if tagtype == "item" and not self.is_authorized() else None

    def is_authorized(self):
        return any(tag.tagtype == "ap" for tag in self.inwindow)


def alarms(readings):
    """The query: the same on tables, in a replay and on Spark."""
    window = iw.range("5 seconds", partition_by="door", order_by="tagtime", active_expiration=True)
    return iw.select(readings, "door", iw.emitted_at().alias("at"), what=ItemAlarm()("tagid", "tagtype").over(window))


def job(folder):
    """The long-running job. A micro-batch that comes again after a kill overwrites what it had written."""
    import pyspark.sql

    session = pyspark.sql.SparkSession.builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    readings = session.readStream.schema(READINGS).option("maxFilesPerTrigger", 1).parquet(f"{folder}/readings")

    def write(found, number):
        found.write.mode("overwrite").parquet(f"{folder}/found/batch={number}")

    found = iw.outputs(alarms(readings.withWatermark("tagtime", DELAY)))
    writer = found.writeStream.foreachBatch(write).option("checkpointLocation", f"{folder}/checkpoint")
    writer.start().awaitTermination()


def readings():
    """What the doors see in three minutes, in files of ten seconds each by the time at which a reading arrives."""
    random, seen = Random(21), []
    for door, seconds in ("front", 165), ("back", 60), ("cellar", 165):
        for number in range(seconds // 15):
            left = 15 * number + random.uniform(0, 10)
            seen.append((door, f"item {number}", "item", left))
            if random.random() < 0.6:
                seen.append((door, random.choice(["ann", "bob"]), "ap", max(0.0, left + random.uniform(-4, 4))))
    seen.append(("front", "the end", "ap", 250))
    arrived = {}
    for door, tagid, tagtype, at in sorted(seen, key=lambda reading: reading[3]):
        hangs = door == "cellar" and 62 <= at < 142
        row = {"door": door, "tagid": tagid, "tagtype": tagtype, "tagtime": START + timedelta(seconds=round(at))}
        arrived.setdefault(int((142 if hangs else at) // 10), []).append(row)
    return [pa.Table.from_pylist(arrived[ten]) for ten in sorted(arrived)]


def main():
    files = readings()
    replayed = iw.testing.replay(files, lambda df: iw.outputs(alarms(df)), delay=DELAY)
    for watermark, found in zip(replayed.watermarks, replayed.batches, strict=True):
        for one in sorted(found.to_pylist(), key=lambda one: one["kind"], reverse=True):
            if one["kind"] == "row":
                print(f"{one['row']['at']:%H:%M:%S}  {one['row']['door']:6}  {one['row']['what']}")
            else:
                late = one["late"]
                print(
                    f"late, behind {watermark:%H:%M:%S}: {late['door']}, {late['tagid']} at {late['tagtime']:%H:%M:%S}"
                )
    outputs = replayed.table.to_pylist()
    on_time = [row for file in files for row in file.to_pylist() if row not in [one["late"] for one in outputs]]
    batch = alarms(pa.Table.from_pylist(on_time)).to_pylist()
    stream = [one["row"] for one in outputs if one["kind"] == "row"]
    key = lambda row: (row["at"], row["door"], row["what"])  # noqa: E731
    print(
        len(stream),
        "alarms;",
        "as" if sorted(stream, key=key) == sorted(batch, key=key) else "not as",
        "in the batch run",
    )


if __name__ == "__main__":
    job(sys.argv[1]) if len(sys.argv) > 1 else main()
