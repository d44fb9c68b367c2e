"""Averages: one aggregate in three versions, and what each costs.

Covers: base aggregates, naive and delta window aggregates, `inwindow`, `expire`, `iw.explain`; ESL, examples 7, 11, 12

Scenario: the bids on an item come in. What is their average: of all of them, and of the last three?

Prints::

    base, of all bids: [3.6]

    Avg(price) over (rows between 2 preceding and current row)
    [2.0, 3.0, 5.0, 5.0, 4.0]
        strategy  delta
        time      O(1): one step in, one step out
        memory    3 tuples

    NaiveAvg(price) over (rows between 2 preceding and current row)
    [2.0, 3.0, 5.0, 5.0, 4.0]
        strategy  delta
        time      O(1) hook calls: one step in, one step out; and what the hooks read of inwindow
        memory    3 tuples

    DeltaAvg(price) over (rows between 2 preceding and current row)
    [2.0, 3.0, 5.0, 5.0, 4.0]
        strategy  delta
        time      O(1): one step in, one step out
        memory    3 tuples
"""

from statistics import fmean

import pyarrow as pa

import inwindow as iw


class Avg(iw.Aggregate):
    """The base version: it folds tuples and gives a result when asked. What undoes a tuple follows from it."""

    def initialize(self, price):
        self.total, self.count = price, 1

    def iterate(self, price):
        self.total += price
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class NaiveAvg(iw.WindowAggregate):
    """A window version that reads the whole window for each tuple."""

    inwindow: iw.InWindow

    def iterate(self, price) -> float:
        return fmean(bid.price for bid in self.inwindow)


class DeltaAvg(Avg, iw.WindowAggregate):
    """A window version that undoes what leaves: a tuple costs the same, however large the window."""

    def expire(self, price):
        self.total -= price
        self.count -= 1


bids = pa.table({"price": [2.0, 4.0, 9.0, 2.0, 1.0]})
print("base, of all bids:", iw.group_by(bids).agg(avg=Avg()("price"))["avg"].to_pylist())

for version in (Avg(), NaiveAvg(), DeltaAvg()):
    average = version("price").over(iw.rows(3))
    print(f"\n{average}")
    print(iw.with_columns(bids, avg=average)["avg"].to_pylist())
    for line in str(iw.explain(bids, avg=average)).splitlines():
        if line.split()[:1] in (["strategy"], ["time"], ["memory"]):
            print(line)
