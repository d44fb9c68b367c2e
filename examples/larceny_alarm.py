"""Larceny alarm: something did not happen in time.

Covers: active expiration, `inwindow.delete`, several arguments, `iw.emitted_at`; ESL, example 18 and section 5.4

Scenario: a reader at the door sees products and personnel. A product that leaves needs authorized personnel ("ap") at
the door within five seconds before or after. And: if the reader has seen nobody and nothing for a minute, look at it.

Prints::

    09:00:14  is lamp stolen?  (seen at 09:00:09)
    09:00:45  is clock stolen?  (seen at 09:00:40)
    09:01:46  nothing since carl  (seen at 09:00:46)
"""

from datetime import datetime, timedelta

import pyarrow as pa

import inwindow as iw


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


class Silence(iw.WindowAggregate):
    """The tuple that expires is the last one left."""

    inwindow: iw.InWindow

    def iterate(self, tagid):
        pass

    def expire(self, tagid) -> str | None:
        return f"nothing since {tagid}" if len(self.inwindow) == 1 else None


staff = ("ann", "bob", "carl")
seen = {"tv": 0, "ann": 3, "radio": 4, "lamp": 9, "vase": 20, "bob": 25, "clock": 40, "carl": 46}
start = datetime(2006, 11, 5, 9, 0)
readings = pa.table({
    "tagid": list(seen),
    "tagtype": ["ap" if tag in staff else "item" for tag in seen],
    "tagtime": [start + timedelta(seconds=s) for s in seen.values()],
})  # fmt: skip

alarm = ItemAlarm()("tagid", "tagtype").over(iw.range("5 seconds", order_by="tagtime", active_expiration=True))
silence = Silence()("tagid").over(iw.range("1 minute", order_by="tagtime", active_expiration=True))
for emission in (alarm, silence):
    for row in iw.select(readings, "tagtime", iw.emitted_at().alias("etime"), what=emission).to_pylist():
        print("{etime:%H:%M:%S}  {what}  (seen at {tagtime:%H:%M:%S})".format(**row))
