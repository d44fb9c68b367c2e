"""Decayed average: an aggregate that answers each tuple as it arrives.

Covers: non-blocking aggregates (no `terminate`), use without a window, `iw.group_by(...).emit(...)`; ESL, examples 8, 9

Scenario: auctions open at an asking price. What do sellers ask of late, all of them and each of them? New prices weigh
more than old ones.

Prints::

    all sellers
      0  ann   10.0   10.00
      1  bob   40.0   26.50
      2  ann   20.0   23.23
      3  ann   30.0   23.93
      4  bob   20.0   21.63
    each seller
      0  ann          10.00
      1  bob          40.00
      2  ann          15.50
      3  ann          20.30
      4  bob          29.00
"""

import pyarrow as pa

import inwindow as iw


class DecayedAvg(iw.Aggregate):
    """The hooks return the result themselves, so nothing has to end before there is one."""

    def initialize(self, price) -> float:
        self.total, self.count = price, 1
        return price

    def iterate(self, price) -> float:
        self.total = 0.9 * self.total + 1.1 * price
        self.count += 1
        return self.total / self.count


decayed = DecayedAvg()
auctions = pa.table({
    "minute": [0, 1, 2, 3, 4],
    "seller": ["ann", "bob", "ann", "ann", "bob"],
    "price": [10.0, 40.0, 20.0, 30.0, 20.0],
})  # fmt: skip

print("all sellers")
for row in iw.with_columns(auctions, recent=decayed("price")).to_pylist():
    print("  {minute}  {seller}  {price:5.1f}  {recent:6.2f}".format(**row))

print("each seller")
for row in iw.group_by(auctions, "seller", order_by="minute").emit("minute", recent=decayed("price")).to_pylist():
    print("  {minute}  {seller}         {recent:6.2f}".format(**row))
