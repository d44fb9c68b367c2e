"""Highway speeds: slow stations and the spread of speeds, the running example of the window papers.

Covers: `iw.range`, `iw.hop`, several aggregates in one pass, conditions on results, two passes; window-id, queries Q1, Q4

Scenario: detectors at stations along a highway report the speed of each vehicle, in m/s. Where was the average of the
last 15 minutes below 15 m/s, and since when? And what were the lowest and the highest speed of each 5 minutes, every
minute?

Prints::

    below 15 m/s over 15 minutes:
      station 3: from 07:30:53 to 07:51:44, at 99 reports

    256 extents of 5 minutes, every minute; some at station 3:
      07:16 to 07:21    5.9 to 34.6
      07:17 to 07:22    4.9 to 34.6
      07:18 to 07:23    2.7 to 34.6
      07:19 to 07:24    1.7 to 34.4
      07:20 to 07:25    0.5 to  8.5
      07:21 to 07:26    0.5 to  8.5

    pass 1 of 1: partition by station, order by ts; one aggregate

      avg = avg(speed) (partition by station order by ts range between 15 minutes preceding and current row)
        strategy  delta
        why       the kernel of `avg` takes tuples in and out
        why not   unbounded: not possible, tuples leave the frame
        why not   tumble: not possible, frames overlap
        why not   pane-cascade: not possible, without a slide every pane would be a single tuple
        time      O(1): one step in, one step out
        memory    the tuples of a range of 15 minutes
        runs      native kernel
        result    double

    local, pass 1: put in order, fed in slices
"""

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw

random = np.random.default_rng(15)
seven, reports = datetime(2026, 5, 4, 7, 0), 900
second = np.sort(random.integers(0, 3600, reports))
station = random.integers(1, 5, reports)
jam = (station == 3) & (second > 1200) & (second < 2700)  # station 3 stands still from 7:20 to 7:45
speed = np.round(np.where(jam, random.normal(6, 2, reports), random.normal(28, 4, reports)).clip(0.5), 1)
readings = pa.table({
    "station": station,
    "ts": [seven + timedelta(seconds=int(s)) for s in second],
    "speed": speed,
})  # fmt: skip

last15 = iw.range("15 minutes", partition_by="station", order_by="ts")
averages = iw.with_columns(readings, avg=iw.avg("speed").over(last15), cars=iw.count().over(last15))
slow = averages.filter(pc.field("avg") < 15)
print("below 15 m/s over 15 minutes:")
for row in (
    iw.group_by(slow, "station", order_by="ts").agg(since=iw.min("ts"), until=iw.max("ts"), n=iw.count()).to_pylist()
):
    print("  station {station}: from {since:%H:%M:%S} to {until:%H:%M:%S}, at {n} reports".format(**row))

every_minute = iw.hop("ts", size="5 minutes", every="1 minute")
spread = iw.group_by(readings, "station").window(every_minute).agg(low=iw.min("speed"), high=iw.max("speed"))
at_3 = spread.filter(pc.field("station") == 3).slice(20, 6)
print(f"\n{spread.num_rows} extents of 5 minutes, every minute; some at station 3:")
for row in at_3.to_pylist():
    print("  {0:%H:%M} to {1:%H:%M}  {low:5.1f} to {high:4.1f}".format(*row["window"].values(), **row))
print(f"\n{iw.explain(readings, avg=iw.avg('speed').over(last15))}")
