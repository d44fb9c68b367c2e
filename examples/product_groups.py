"""Product groups: what passes the reader without a gap was packed together.

Covers: a configured aggregate (`__init__`), state across tuples, timestamps in hooks, `iw.session`; ESL, example 17

Scenario: products with RFID tags pass a reader as they are packed. Those of one case follow each other within two
seconds; a longer gap means a new case. Number the cases.

Prints::

    09:00:00  cup   case 1
    09:00:01  pot   case 1
    09:00:02  jug   case 1
    09:00:06  pan   case 2
    09:00:07  lid   case 2
    09:00:12  bowl  case 3
    09:00:14  dish  case 3
    09:00:00 to 09:00:04  cup, pot, jug
    09:00:06 to 09:00:09  pan, lid
    09:00:12 to 09:00:16  bowl, dish
"""

from datetime import datetime, timedelta

import pyarrow as pa

import inwindow as iw


class ProductGroup(iw.Aggregate):
    """Compares each tuple with the last one, which is all that it has to remember."""

    def __init__(self, gap):
        self.gap = gap

    def initialize(self, time) -> int:
        self.last, self.group = time, 1
        return self.group

    def iterate(self, time) -> int:
        if time - self.last > self.gap:
            self.group += 1
        self.last = time
        return self.group


start = datetime(2006, 11, 5, 9, 0)
readings = pa.table({
    "tagid": ["cup", "pot", "jug", "pan", "lid", "bowl", "dish"],
    "tagtime": [start + timedelta(seconds=s) for s in (0, 1, 2, 6, 7, 12, 14)],
})  # fmt: skip

group = ProductGroup(gap=timedelta(seconds=2))
for row in iw.with_columns(readings, case=group("tagtime").over(iw.unbounded(order_by="tagtime"))).to_pylist():
    print("{tagtime:%H:%M:%S}  {tagid:4}  case {case}".format(**row))

# Sessions find cases too, a row for each.
cases = iw.group_by(readings).window(iw.session("tagtime", gap="2 seconds")).agg(products=iw.collect_list("tagid"))
for row in cases.to_pylist():
    print(f"{row['window']['start']:%H:%M:%S} to {row['window']['end']:%H:%M:%S}  {', '.join(row['products'])}")
