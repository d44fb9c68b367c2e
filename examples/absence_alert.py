"""Absence alert: a machine that has said nothing for five minutes, told from a stream, while it says nothing.

Covers: active expiration on a stream, `replay` (micro-batches, watermarks), `iw.emitted_at`, `iw.late`

Scenario: machines send a beat every minute or two; beats come in disorder, by up to a minute, and in micro-batches.
When the last beat of a machine is five minutes old, somebody should look at it. No tuple will come to say so: the
watermark, which the beats of the other machines move on, lets it leave the window.

Prints::

    micro-batch 0, watermark not known
    micro-batch 1, watermark 12:01
    micro-batch 2, watermark 12:03
    micro-batch 3, watermark 12:05
    micro-batch 4, watermark 12:08
        12:06 saw: silent since 12:01
    micro-batch 5, watermark 12:12
        12:11 mill: silent since 12:06
    too late: mill at 12:02
"""

from datetime import datetime

import pyarrow as pa

import inwindow as iw


class Silent(iw.WindowAggregate):
    """A beat speaks as it leaves: if it is the last one there, the machine is silent."""

    inwindow: iw.InWindow

    def iterate(self, beat):
        pass

    def expire(self, beat) -> str | None:
        return f"silent since {beat:%H:%M}" if len(self.inwindow) == 1 else None


def beats(**minutes):
    """A micro-batch: when each machine sent its beats, in minutes after noon."""
    rows = [(machine, datetime(2026, 5, 1, 12, minute)) for machine, sent in minutes.items() for minute in sent]
    schema = pa.schema({"machine": pa.string(), "ts": pa.timestamp("us")})
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


stream = [
    beats(press=[0, 1], mill=[0, 2], saw=[1]),
    beats(press=[4, 3], mill=[4]),  # in disorder; and the saw says nothing more
    beats(press=[6], mill=[6, 5], oven=[6]),
    beats(press=[9], oven=[8], mill=[2]),  # a beat that comes much too late
    beats(press=[12, 11], mill=[13]),
]
five_minutes = iw.range("5 minutes", partition_by="machine", order_by="ts", active_expiration=True)


def query(beats):
    """The same on a Spark stream: beats.withWatermark("ts", "1 minute")."""
    return iw.select(beats, "machine", iw.emitted_at().alias("at"), alert=Silent()("ts").over(five_minutes))


replayed = iw.testing.replay(stream, query, delay="1 minute")
for number, (watermark, alerts) in enumerate(zip(replayed.watermarks, replayed.batches, strict=True)):
    print(f"micro-batch {number}, watermark", f"{watermark:%H:%M}" if watermark else "not known")
    for row in alerts.to_pylist():
        print("    {at:%H:%M} {machine}: {alert}".format(**row))
late = iw.late(replayed).to_pylist()
print("too late:", *("{machine} at {ts:%H:%M}".format(**row) for row in late))
