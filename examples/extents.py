"""Extents: windows that are laid over time, not over tuples.

Covers: `iw.tumble`, `iw.hop`, `iw.cumulate`, `iw.session`, counts of tuples, `iw.group_by(...).window(...).agg(...)`

Scenario: bids on an item within an hour. Which came, and what was the highest: per 20 minutes, in 20 minutes every 10,
from the full hour on, in each burst, and of every three bids?

Prints::

    tumble 20
      12:00 to 12:20  highest 8.0 of [3.0, 4.0, 8.0, 7.0]
      12:20 to 12:40  highest 9.0 of [9.0, 5.0]
      12:40 to 13:00  highest 6.0 of [6.0]
    hop 20 by 10
      11:50 to 12:10  highest 8.0 of [3.0, 4.0, 8.0, 7.0]
      12:00 to 12:20  highest 8.0 of [3.0, 4.0, 8.0, 7.0]
      12:20 to 12:40  highest 9.0 of [9.0, 5.0]
      12:30 to 12:50  highest 9.0 of [9.0, 5.0]
      12:40 to 13:00  highest 6.0 of [6.0]
      12:50 to 13:10  highest 6.0 of [6.0]
    cumulate
      12:00 to 12:20  highest 8.0 of [3.0, 4.0, 8.0, 7.0]
      12:00 to 12:40  highest 9.0 of [3.0, 4.0, 8.0, 7.0, 9.0, 5.0]
      12:00 to 13:00  highest 9.0 of [3.0, 4.0, 8.0, 7.0, 9.0, 5.0, 6.0]
    session
      12:02 to 12:19  highest 8.0 of [3.0, 4.0, 8.0, 7.0]
      12:31 to 12:43  highest 9.0 of [9.0, 5.0]
      12:59 to 13:09  highest 6.0 of [6.0]
    3 bids
      0 to 3  highest 8.0 of [3.0, 4.0, 8.0]
      3 to 6  highest 9.0 of [7.0, 9.0, 5.0]
      6 to 9  highest 6.0 of [6.0]
"""

from datetime import datetime, timedelta

import pyarrow as pa

import inwindow as iw

noon = datetime(2026, 5, 1, 12, 0)
minutes = [2, 5, 8, 9, 31, 33, 59]
bids = pa.table({
    "time": [noon + timedelta(minutes=m) for m in minutes],
    "price": [3.0, 4.0, 8.0, 7.0, 9.0, 5.0, 6.0],
})  # fmt: skip

#  12:00      :10       :20       :30       :40       :50       13:00
#    b  b  bb |         |         | b b     |         |        b |
extents = {
    "tumble 20": iw.tumble("time", size="20 minutes"),
    "hop 20 by 10": iw.hop("time", size="20 minutes", every="10 minutes"),
    "cumulate": iw.cumulate("time", size="1 hour", every="20 minutes"),
    "session": iw.session("time", gap="10 minutes"),
    "3 bids": iw.tumble("time", rows=3),
}
for name, extent in extents.items():
    print(name)
    result = iw.group_by(bids).window(extent).agg(bids=iw.collect_list("price"), highest=iw.max("price"))
    for row in result.to_pylist():
        start, end = (f"{edge:%H:%M}" if isinstance(edge, datetime) else edge for edge in row["window"].values())
        print(f"  {start} to {end}  highest {row['highest']} of {row['bids']}")
