"""Your own aggregate: the volume-weighted average price.

Covers: several arguments, `expire` and `merge`, strategies that follow from hooks, `strategy=`, `iw.group_by`, NULLs

Scenario: a quant wants the VWAP of trades, the sum of price * volume over the sum of volume: of the last minute, of the
last 4 trades after every 2, and of all, per symbol. The class is written once; the hooks it has decide how it runs.
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
