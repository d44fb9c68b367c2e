"""Cumulative average: from the beginning up to each tuple.

Covers: `iw.unbounded`, how a base aggregate serves an unbounded window, partitions; ESL, example 10

Scenario: after each bid, the average of all bids on that item so far. One may write the aggregate so that it answers
each tuple, or take an ordinary one and ask it after each tuple: it is the same, and neither holds a tuple.

Prints::

    item  price  answers  asked
    vase    2.0     2.00   2.00
    vase    4.0     3.00   3.00
    lamp    7.0     7.00   7.00
    vase    9.0     5.00   5.00
    lamp    5.0     6.00   6.00
    vase    1.0     4.00   4.00

    pass 1 of 1: partition by item, arrival order; one aggregate

      asked = Avg(price) (partition by item rows between unbounded preceding and current row)
        strategy  unbounded
        why       nothing ever leaves the frame
        time      O(1): one step per tuple
        memory    O(1): the aggregate's state, no buffer
        runs      Python hooks of Avg, called from Cython; compiled by numba after 1,000,000 tuples
        result    double

    local, pass 1: put in order, fed in slices
"""

import pyarrow as pa

import inwindow as iw


class Avg(iw.Aggregate):
    """An ordinary average, ..."""

    def initialize(self, price):
        self.total, self.count = price, 1

    def iterate(self, price):
        self.total += price
        self.count += 1

    def terminate(self) -> float:
        return self.total / self.count


class CumulativeAvg(iw.Aggregate):
    """... and the same with the result moved from `terminate` into the other hooks."""

    def initialize(self, price) -> float:
        self.total, self.count = price, 1
        return price

    def iterate(self, price) -> float:
        self.total += price
        self.count += 1
        return self.total / self.count


bids = pa.table({
    "item": ["vase", "vase", "lamp", "vase", "lamp", "vase"],
    "price": [2.0, 4.0, 7.0, 9.0, 5.0, 1.0],
})  # fmt: skip
so_far = iw.unbounded(partition_by="item")

answers = CumulativeAvg()("price").over(so_far)
asked = Avg()("price").over(so_far)
print("item  price  answers  asked")
for row in iw.with_columns(bids, answers=answers, asked=asked).to_pylist():
    print("{item}  {price:5.1f}  {answers:7.2f}  {asked:5.2f}".format(**row))

print(f"\n{iw.explain(bids, asked=asked)}")
