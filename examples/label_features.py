"""Session features at label times: what was known just before each label.

Covers: `with_columns(..., of=)`, an aggregate that answers each tuple, `.filter(...)`, `lag=`, results as columns of others

Scenario: a shop wants to predict, when a visitor opens the cart, whether they will pay. Features are of the clicks before
that moment alone: those of the session so far, those of the last 7 days, and the days since the last purchase.

Prints::

    ann at 08 20:09: pays 1; 2 clicks in 7 days, session 2, begun 9 minutes before; spent None, bought 7 days ago
    bob at 08 09:01: pays 0; 1 clicks in 7 days, session 1, begun 1 minutes before; spent None, bought never
    ann at 08 21:10: pays 0; 4 clicks in 7 days, session 3, begun 10 minutes before; spent 12.0, bought 0 days ago
"""

from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

import inwindow as iw


class SessionNumber(iw.Aggregate):
    """A new session after a pause of half an hour."""

    def initialize(self, ts) -> int:
        self.last, self.number = ts, 1
        return self.number

    def iterate(self, ts) -> int:
        self.number += ts - self.last >= timedelta(minutes=30)
        self.last = ts
        return self.number


def at(day, hour, minute=0):
    """A time in March."""
    return datetime(2026, 3, day, hour, minute)


clicks = pa.table({
    "user": ["ann"] * 6 + ["bob"] * 3,
    "ts": [at(1, 9), at(1, 9, 5), at(8, 20), at(8, 20, 2), at(8, 20, 9), at(8, 21), at(8, 9), at(8, 9, 1), at(9, 8)],
    "paid": [None, 30.0, None, None, 12.0, None, None, None, None],
})  # fmt: skip
labels = pa.table({"user": ["ann", "bob", "ann"], "ts": [at(8, 20, 9), at(8, 9, 1), at(8, 21, 10)], "pays": [1, 0, 0]})

so_far = iw.unbounded(partition_by="user", order_by="ts")
numbered = iw.with_columns(clicks, session=SessionNumber()("ts").over(so_far))
started = iw.min("ts").over(iw.rows_between(None, None, partition_by=["user", "session"], order_by="ts"))
events = iw.with_columns(numbered, started=started)

week = iw.range("7 days", partition_by="user", order_by="ts")
features = iw.with_columns(
    labels, clicks=iw.count().over(week), session=iw.last("session").over(so_far), began=iw.last("started").over(so_far),
    spent=iw.sum("paid").over(week), bought=iw.max("ts").filter(pc.field("paid").is_valid()).over(so_far), of=events,
)  # fmt: skip
for row in features.to_pylist():
    bought = "never" if row["bought"] is None else f"{(row['ts'] - row['bought']).days} days ago"
    print("{user} at {ts:%d %H:%M}: pays {pays}; {clicks} clicks in 7 days, session {session}, ".format(**row), end="")
    print(f"begun {(row['ts'] - row['began']).seconds // 60} minutes before; spent {row['spent']}, bought {bought}")
