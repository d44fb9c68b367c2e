"""Windowed maximum: forget what cannot matter any more.

Covers: `inwindow.delete`, `keep_newest`, `oldest()`, RANGE windows, the built-in `iw.max`; ESL, example 13

Scenario: the highest bid of the last ten minutes. When a bid comes in, older ones that are not higher can never be the
highest again: they are deleted from the window at once, and the oldest that is left is the maximum.

Prints::

    minute  price  highest  built-in  held / in the last 10 minutes
         0    5.0      5.0       5.0  [5.0] / [5.0]
         3    3.0      5.0       5.0  [5.0, 3.0] / [5.0, 3.0]
         4    4.0      5.0       5.0  [5.0, 4.0] / [5.0, 3.0, 4.0]
         5    4.0      5.0       5.0  [5.0, 4.0] / [5.0, 3.0, 4.0, 4.0]
        11    1.0      4.0       4.0  [4.0, 1.0] / [3.0, 4.0, 4.0, 1.0]
        14    2.0      4.0       4.0  [4.0, 2.0] / [4.0, 4.0, 1.0, 2.0]
        15    0.0      4.0       4.0  [4.0, 2.0, 0.0] / [4.0, 1.0, 2.0, 0.0]
"""

import pyarrow as pa

import inwindow as iw


class Max(iw.WindowAggregate):
    """The window holds a falling sequence of bids: for n bids in random order, about log n of them."""

    inwindow: iw.InWindow

    def iterate(self, price) -> float:
        # The new bid is in the window already; keep_newest spares it.
        self.inwindow.delete(lambda bid: bid.price <= price, keep_newest=True)
        return self.inwindow.oldest().price


class Held(Max, returns="array<double>"):
    """What is left in the window, to look inside."""

    def iterate(self, price):
        super().iterate(price)
        return [bid.price for bid in self.inwindow]


bids = pa.table({
    "minute": [0, 3, 4, 5, 11, 14, 15],
    "price": [5.0, 3.0, 4.0, 4.0, 1.0, 2.0, 0.0],
})  # fmt: skip
last_10 = iw.range(10, order_by="minute")

result = iw.with_columns(
    bids,
    highest=Max()("price").over(last_10),
    built_in=iw.max("price").over(last_10),
    held=Held()("price").over(last_10),
    all=iw.collect_list("price").over(last_10),
)
print("minute  price  highest  built-in  held / in the last 10 minutes")
for row in result.to_pylist():
    print("{minute:6}  {price:5.1f}  {highest:7.1f}  {built_in:8.1f}  {held} / {all}".format(**row))
