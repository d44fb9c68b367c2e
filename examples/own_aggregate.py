"""Your own aggregate: the volume-weighted average price.

Covers: several arguments, `expire` and `merge`, strategies that follow from hooks, `strategy=`, `iw.group_by`, NULLs

Scenario: a quant wants the VWAP of trades, the sum of price * volume over the sum of volume: of the last minute, of the
last 4 trades after every 2, and of all, per symbol. The class is written once; the hooks it has decide how it runs.

Prints::

    ACME   0  10.0 x 100  vwap 10.0
    ACME  20  11.0 x 300  vwap 10.75
    ZINC  30   5.0 x  50  vwap 5.0
    ACME  50  12.0 x 100  vwap 11.0
    ZINC  70   6.0 x  50  vwap 5.5
    ACME  80  None x  10  vwap 11.25
    ACME 200  14.0 x  20  vwap 14.0
    of 4, after every 2:
      {'symbol': 'ACME', 'second': 20, 'vwap': 10.75}
      {'symbol': 'ZINC', 'second': 70, 'vwap': 5.5}
      {'symbol': 'ACME', 'second': 80, 'vwap': 11.0}
    of all:
      {'symbol': 'ACME', 'vwap': 11.115384615384615}
      {'symbol': 'ZINC', 'vwap': 5.5}

    pass 1 of 1: partition by symbol, order by second; 2 aggregates share one sort and one buffer

      minute = Vwap(price, volume) (partition by symbol order by second range between 60 preceding and current row)
        strategy  delta
        why       `Vwap` has expire
        why not   unbounded: not possible, tuples leave the frame
        why not   tumble: not possible, frames overlap
        why not   pane-cascade: not possible, without a slide every pane would be a single tuple
        time      O(1): one step in, one step out
        memory    the tuples of a range of 60
        runs      Python hooks of Vwap, called from Cython; compiled by numba after 1,000,000 tuples
        result    double

      by_two = Vwap(price, volume) (partition by symbol order by second rows between 3 preceding and current row slide 2)
        strategy  pane-cascade
        why       `Vwap` has merge
        why not   unbounded: not possible, tuples leave the frame
        why not   tumble: not possible, frames overlap
        time      O(1) per tuple, O(1) merges per pane
        memory    3 partials
        runs      Python hooks of Vwap, called from Cython; not compiled: pane-cascade has no compiled loop
        result    double

    local, pass 1: put in order, fed in slices
"""

import pyarrow as pa

import inwindow as iw


class Vwap(iw.WindowAggregate):
    """`expire` makes sliding windows cost the same whatever their size, `merge` cuts slides into panes."""

    def initialize(self, price, volume):
        self.money, self.volume = price * volume, volume

    def iterate(self, price, volume):
        self.money += price * volume
        self.volume += volume

    def expire(self, price, volume):
        self.money -= price * volume
        self.volume -= volume

    def merge(self, later):
        self.money += later.money
        self.volume += later.volume

    def terminate(self) -> float | None:
        return self.money / self.volume if self.volume else None


vwap = Vwap()
trades = pa.table({
    "symbol": ["ACME", "ACME", "ZINC", "ACME", "ZINC", "ACME", "ACME"],
    "second": [0, 20, 30, 50, 70, 80, 200],
    "price": [10.0, 11.0, 5.0, 12.0, 6.0, None, 14.0],  # a trade without a price is not seen by the hooks
    "volume": [100, 300, 50, 100, 50, 10, 20],
})  # fmt: skip
minute = vwap("price", "volume").over(iw.range(60, partition_by="symbol", order_by="second"))
by_two = vwap("price", "volume").over(iw.rows(4, partition_by="symbol", order_by="second", slide=2))

for row in iw.with_columns(trades, vwap=minute).to_pylist():
    print("{symbol} {second:3}  {price!s:>4} x {volume:3}  vwap {vwap}".format(**row))
print("of 4, after every 2:", *iw.select(trades, "symbol", "second", vwap=by_two).to_pylist(), sep="\n  ")
print("of all:", *iw.group_by(trades, "symbol").agg(vwap=vwap("price", "volume")).to_pylist(), sep="\n  ")

print(f"\n{iw.explain(trades, minute=minute, by_two=by_two)}")

recomputed = vwap("price", "volume").over(minute.window, strategy="recompute")  # for doubters
assert iw.with_columns(trades, vwap=recomputed) == iw.with_columns(trades, vwap=minute)
