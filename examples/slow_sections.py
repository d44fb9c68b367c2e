"""Slow sections: a window as validity, an aggregate of what holds, a selection, and how long it held.

Covers: `temporal.window`, `temporal.aggregate`, a filter of Arrow's own, `temporal.coalesce`, `temporal.join`, `temporal.explain`

Scenario: the running example of the temporal algebra (Kraemer, Seeger, section 2.2): at which sections of a highway has the average
speed of the last 15 minutes been below 15 m/s, and from when until when? Then: which of the works on the road were there meanwhile?

By hand, of section 7: cars at minutes 0 (20 m/s), 5 (12), 10 (10) and 40 (30). A window of 15 minutes sees a car for 15 minutes and
the one in which they are over: minutes 0 to 15 are [0, 16). Averages: 20 in [0, 5), 16 in [5, 10), 14 in [10, 16), 11 in [16, 21),
10 in [21, 26), 30 in [40, 56). Below 15 from 10 until 26.

Prints::

    averages of section 7:
      [0, 5) 20.0
      [5, 10) 16.0
      [10, 16) 14.0
      [16, 21) 11.0
      [21, 26) 10.0
      [40, 56) 30.0
    slow:
      section 7 from 10 until 26
      section 8 from 3 until 31
    meanwhile:
      section 7: paving from 12 until 20
      section 8: mowing from 25 until 31
    pass 1 of 1: partition by section, order by since; one aggregate

      speed = avg(speed)
        strategy  delta
        why       the kernel of `avg` takes values out exactly
        time      O(1): one step in, one step out
        memory    all rows, in the orders of since and of until
        runs      native kernel
        result    double

    aggregate: rows with equal section together; one sort by since and one by until, then a sweep over both
      data 1: section, minute, speed, since, until
"""

import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw
from inwindow import temporal


def main() -> None:
    cars = pa.table(
        {
            "section": [7, 7, 7, 8, 8, 7],
            "minute": [0, 5, 10, 3, 15, 40],
            "speed": [20.0, 12.0, 10.0, 14.0, 13.0, 30.0],
        }
    )
    works = pa.table(
        {"section": [7, 8, 8], "work": ["paving", "mowing", "paint"], "since": [12, 25, 50], "until": [20, 40, None]}
    )

    seen = temporal.window(cars, iw.range(15, order_by="minute"))
    averages = temporal.aggregate(seen, by="section", speed=iw.avg("speed"))
    print("averages of section 7:")
    for row in averages.filter(pc.field("section") == 7).to_pylist():
        print(f"  [{row['since']}, {row['until']}) {row['speed']}")

    slow = temporal.coalesce(averages.filter(pc.field("speed") < 15), by="section")
    print("slow:")
    for row in slow.to_pylist():
        print(f"  section {row['section']} from {row['since']} until {row['until']}")

    print("meanwhile:")
    for row in temporal.join(slow, works, on="section").to_pylist():
        print(f"  section {row['section']}: {row['work']} from {row['since']} until {row['until']}")
    print(temporal.explain(seen, by="section", speed=iw.avg("speed")))


if __name__ == "__main__":
    main()
