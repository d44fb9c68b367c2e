"""Maximum on expiration: results when tuples leave, not when they arrive.

Covers: active expiration, `iw.emitted_at`, what `expire` returns, one class for expirations and slides; ESL, example 16

Scenario: a bid leaves the window ten minutes after it came. Whenever the highest bid leaves, say what it was, and since
when it is history.

Prints::

    bob had the highest bid, 9.0, from minute 3 on until 13
    dan had the highest bid, 4.0, from minute 8 on until 18
    eve had the highest bid, 7.0, from minute 20 on until 30

    of the last 4 bids, after every 2: [{'bidder': 'bob', 'highest': 9.0}, {'bidder': 'dan', 'highest': 9.0}]
    pass 1 of 1: no partitioning, arrival order; one aggregate

      highest = Max(price) (rows between 3 preceding and current row slide 2)
        strategy  pane-cascade
        why       `Max` is algebraic
        why not   unbounded: not possible, tuples leave the frame
        why not   tumble: not possible, frames overlap
        time      O(1) per tuple, O(1) merges per pane
        memory    3 partials, and the tuples of the open pane (inwindow)
        runs      Python hooks of Max, called from Cython; not compiled: pane-cascade has no compiled loop
        result    double

    local, pass 1: in the order of arrival, fed in slices
"""

import pyarrow as pa

import inwindow as iw


class Max(iw.WindowAggregate, algebraic=True):
    """With active expiration `expire` gives the results; with a slide `terminate` does, pane by pane."""

    inwindow: iw.InWindow

    def iterate(self, price):
        self.inwindow.delete(lambda bid: bid.price <= price, keep_newest=True)

    def expire(self, price) -> float:
        return self.inwindow.oldest().price  # the one that leaves, since lower ones before it were deleted

    def terminate(self) -> float:
        return self.inwindow.oldest().price


highest = Max()
bids = pa.table({
    "minute": [0, 3, 6, 8, 20],
    "bidder": ["ann", "bob", "cat", "dan", "eve"],
    "price": [5.0, 9.0, 4.0, 4.0, 7.0],
})  # fmt: skip

#   0   3   6   8     13    18 20         30
#  ann  .   .   .                              deleted by bob's bid
#      bob----------->9
#          cat  .                              deleted by dan's bid
#              dan--------->4
#                            eve---------->7
leaving = highest("price").over(iw.range(10, order_by="minute", active_expiration=True))
for row in iw.select(bids, "bidder", "minute", iw.emitted_at().alias("until"), highest=leaving).to_pylist():
    print("{bidder} had the highest bid, {highest}, from minute {minute} on until {until}".format(**row))

sliding = highest("price").over(iw.rows(4, slide=2))
print("\nof the last 4 bids, after every 2:", iw.select(bids, "bidder", highest=sliding).to_pylist())
print(iw.explain(bids, highest=sliding))
