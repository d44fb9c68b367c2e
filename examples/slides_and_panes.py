"""Slides and panes: a result every so often, from results of results.

Covers: `slide=`, `iw.select` and its yield tuples, tumbles, `algebraic=True`, the pane-cascade; ESL, examples 14, 15

Scenario: the sum of the last 50 bids on each item, after every 10 bids. A sum of sums is a sum, so 10 bids are summed
up as they come, and five such sums make a result: six numbers are held, not 50 bids.

Prints::

    example 14: ROWS 49 PRECEDING SLIDE 10
    [55.0, 210.0, 465.0, 820.0, 1275.0, 1775.0]

    example 15: the same by hand, a tumble and a window over its results
    [55.0, 155.0, 255.0, 355.0, 455.0, 555.0]
    [55.0, 210.0, 465.0, 820.0, 1275.0, 1775.0]

    a tumble that skips: ROWS 9 PRECEDING SLIDE 28
    [{'price': 28.0, 'total': 235.0}, {'price': 56.0, 'total': 515.0}]

    pass 1 of 1: partition by item, arrival order; one aggregate

      total = Sum(price) (partition by item rows between 49 preceding and current row slide 10)
        strategy  pane-cascade
        why       `Sum` is algebraic
        why not   unbounded: not possible, tuples leave the frame
        why not   tumble: not possible, frames overlap
        time      O(1) per tuple, O(1) merges per pane
        memory    6 partials
        runs      Python hooks of Sum, called from Cython; not compiled: pane-cascade has no compiled loop
        result    double

    local, pass 1: already in order, fed in slices
"""

import pyarrow as pa

import inwindow as iw


class Sum(iw.WindowAggregate, algebraic=True):
    """`algebraic`: results may be fed to `iterate` again."""

    def initialize(self, value):
        self.total = value

    def iterate(self, value):
        self.total += value

    def expire(self, value):
        self.total -= value

    def terminate(self) -> float:
        return self.total


total = Sum()
bids = pa.table({"item": ["vase"] * 60, "price": [float(n) for n in range(1, 61)]})

print("example 14: ROWS 49 PRECEDING SLIDE 10")
last_50_by_10 = total("price").over(iw.rows(50, partition_by="item", slide=10))
print(iw.select(bids, "item", total=last_50_by_10)["total"].to_pylist())

print("\nexample 15: the same by hand, a tumble and a window over its results")
temp = iw.select(bids, "item", s=total("price").over(iw.rows(10, partition_by="item", slide=10)))
print(temp["s"].to_pylist())
print(iw.with_columns(temp, total=total("s").over(iw.rows(5, partition_by="item")))["total"].to_pylist())

print("\na tumble that skips: ROWS 9 PRECEDING SLIDE 28")
skips = iw.select(bids, "price", total=iw.sum("price").over(iw.rows(10, partition_by="item", slide=28)))
print(skips.to_pylist())

print(f"\n{iw.explain(bids, total=last_50_by_10)}")
