"""Drawdown: the deepest fall from a peak within the window.

Covers: a `merge` that depends on the order of runs, two-stacks, pane-cascade, `strategy=`, `iw.cumulate`

Scenario: how much would someone have lost who bought at the worst moment of the last 20 days, and sold at the worst after
it? The fall lies in the first half, in the second, or reaches from the peak of the first to the low of the second.

Prints::

    worst of the last 20 days:
      day 0: 0.0%
      day 10: 6.4%
      day 40: 18.2%
      day 80: 15.3%
      day 119: 9.6%
    the same every 5 days, first: [{'day': 4, 'fall': 0.0}, {'day': 9, 'fall': 0.0639}, {'day': 14, 'fall': 0.0993}]
    in 40 days from their start, after 20 and 40: [0.1157, 0.2657, 0.1027, 0.1442, 0.1254, 0.1254]
        strategy  two-stacks
        memory    20 tuples, and as many states
        strategy  pane-cascade
        memory    5 partials
"""

import numpy as np
import pyarrow as pa

import inwindow as iw


class Drawdown(iw.Aggregate):
    """No `expire`: a fall cannot be undone. Runs can be put together, but only in their order."""

    def initialize(self, price):
        self.high = self.low = price
        self.fall = 0.0

    def iterate(self, price):
        self.fall = max(self.fall, 1 - price / self.high)
        self.high, self.low = max(self.high, price), min(self.low, price)

    def merge(self, later):
        self.fall = max(self.fall, later.fall, 1 - later.low / self.high)
        self.high, self.low = max(self.high, later.high), min(self.low, later.low)

    def terminate(self) -> float:
        return round(self.fall, 4)


random = np.random.default_rng(20)
prices = pa.table({"day": range(120), "close": np.round(100 * np.exp(np.cumsum(random.normal(0, 0.02, 120))), 2)})
drawdown = Drawdown()
last20 = iw.rows(20, order_by="day")
daily = iw.with_columns(prices, fall=drawdown("close").over(last20))
print(
    "worst of the last 20 days:",
    *(f"day {d}: {daily['fall'][d].as_py():.1%}" for d in (0, 10, 40, 80, 119)),
    sep="\n  ",
)

weekly = iw.select(prices, "day", fall=drawdown("close").over(iw.rows(20, order_by="day", slide=5)))
print("the same every 5 days, first:", weekly.slice(0, 3).to_pylist())
growing = iw.group_by(prices).window(iw.cumulate("day", size=40, every=20)).agg(fall=drawdown("close"))
print("in 40 days from their start, after 20 and 40:", growing["fall"].to_pylist())

for window in (last20, iw.rows(20, order_by="day", slide=5)):
    plan = str(iw.explain(prices, fall=drawdown("close").over(window)))
    print(*(line for line in plan.splitlines() if line.split()[:1] in (["strategy"], ["memory"])), sep="\n")
recomputed = drawdown("close").over(last20, strategy="recompute")  # for doubters
assert iw.with_columns(prices, fall=recomputed) == daily
