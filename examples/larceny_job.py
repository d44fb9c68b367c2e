"""Larceny alarms as a job that runs for ever: silent readers, late readers, kills.

Covers: active expiration per key on a stream, `iw.outputs`, late tuples, restarts; ESL, example 18

Scenario: `larceny_alarm.py` at several doors. The reader in the back dies: its last alarm comes all the same, for other doors move
the watermark. That of the cellar hangs, and sends all a minute later: what is too late comes out as it is. With a folder it is the
job on Spark (`spark-submit --conf spark.sql.shuffle.partitions=2`): kill it, start it again: each alarm comes once.

Prints::

    09:00:14  front   is lamp stolen?
    09:00:19  cellar  is wine stolen?
    09:00:38  cellar  is cider stolen?
    09:00:33  back    is safe stolen?
    09:01:17  front   is rug stolen?
    late: cellar, gin
    late: cellar, dan
    09:01:38  front   is fan stolen?
    09:01:44  cellar  is beer stolen?
    09:01:55  cellar  is rum stolen?
    09:02:03  front   is desk stolen?
"""

import sys
from datetime import UTC, datetime, timedelta

import pyarrow as pa

import inwindow as iw

READINGS, DELAY, STAFF = "door string, tagid string, tagtime timestamp", "15 seconds", ("ann", "bob", "carl", "dan")
SEEN = {
    "front": {"tv": 0, "ann": 3, "lamp": 9, "vase": 41, "bob": 44, "rug": 72, "fan": 93, "desk": 118, "carl": 140},
    "back": {"radio": 12, "carl": 15, "safe": 28},
    "cellar": {"wine": 14, "cider": 33, "gin": 52, "dan": 55, "beer": 99, "rum": 110},
}


class ItemAlarm(iw.WindowAggregate):
    inwindow: iw.InWindow

    def iterate(self, tagid):
        guarded = any(tag.tagid in STAFF for tag in self.inwindow)
        self.inwindow.delete(lambda tag: guarded and tag.tagid not in STAFF)

    def expire(self, tagid) -> str | None:
        return None if any(tag.tagid in STAFF for tag in self.inwindow) else f"is {tagid} stolen?"


def alarms(readings):  # a table, the stream of a replay, a DataFrame
    window = iw.range("5 seconds", partition_by="door", order_by="tagtime", active_expiration=True)
    return iw.select(readings, "door", iw.emitted_at().alias("at"), what=ItemAlarm()("tagid").over(window))


def job(folder):
    from pyspark import sql

    stream = sql.SparkSession.builder.getOrCreate().readStream.schema(READINGS).option("maxFilesPerTrigger", 1)
    found = iw.outputs(alarms(stream.parquet(f"{folder}/readings").withWatermark("tagtime", DELAY))).writeStream
    found = found.foreachBatch(lambda df, number: df.write.mode("overwrite").parquet(f"{folder}/found/batch={number}"))
    found.option("checkpointLocation", f"{folder}/checkpoint").start().awaitTermination()


files = {}
for door, tag, s in [(door, tag, s) for door, tags in SEEN.items() for tag, s in tags.items()]:
    row = {"door": door, "tagid": tag, "tagtime": datetime(2006, 11, 5, 9, tzinfo=UTC) + timedelta(seconds=s)}
    files.setdefault(10 if door == "cellar" and 45 <= s < 105 else s // 10, []).append(row)
FILES = [pa.Table.from_pylist(files[ten]) for ten in sorted(files)]
if __name__ == "__main__" and sys.argv[1:]:
    job(sys.argv[1])
for one in iw.testing.replay(FILES, lambda df: iw.outputs(alarms(df)), delay=DELAY).table.to_pylist():
    text = "{at:%H:%M:%S}  {door:6}  {what}" if one["row"] else "late: {door}, {tagid}"
    print(text.format(**(one["row"] or one["late"])))
