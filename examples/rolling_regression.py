"""Rolling regression: the line through the last days, over several columns.

Covers: several arguments, a struct as result (NamedTuple), `expire` and `merge` in one class, `iw.corr`

Scenario: how does a share move with the market? Its beta is the slope of its returns on those of the market, here of the
last 60 days. The five sums behind it can be undone as a day leaves, so a day costs the same whatever the window.

Prints::

    day   0: no line yet
    day  59: beta  0.745, alpha  0.00071, correlation 0.899
    day 124: beta  0.769, alpha  0.00010, correlation 0.902
    day 154: beta  1.229, alpha -0.00044, correlation 0.895
    day 184: beta  1.590, alpha -0.00031, correlation 0.979
    day 249: beta  1.583, alpha  0.00064, correlation 0.972
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

import inwindow as iw


class Line(NamedTuple):
    """The result is a struct of these."""

    beta: float
    alpha: float


class Regression(iw.WindowAggregate):
    """y on x by least squares; None where all x are alike."""

    def initialize(self, x, y):
        self.sums = np.array([1.0, x, y, x * x, x * y])

    def iterate(self, x, y):
        self.sums = self.sums + (1.0, x, y, x * x, x * y)

    def expire(self, x, y):
        self.sums = self.sums - (1.0, x, y, x * x, x * y)

    def merge(self, later):
        self.sums = self.sums + later.sums

    def terminate(self) -> Line | None:
        n, x, y, xx, xy = (float(one) for one in self.sums)
        spread = n * xx - x * x
        if n < 2 or spread <= 0:
            return None
        beta = (n * xy - x * y) / spread
        return Line(round(beta, 3), round((y - beta * x) / n, 5))


random = np.random.default_rng(60)
market = random.normal(0.0004, 0.01, 250)
share = 0.0002 + np.where(np.arange(250) < 125, 0.8, 1.6) * market + random.normal(0, 0.004, 250)  # bolder from day 125
days = pa.table({"day": range(250), "market": market, "share": share})
last60 = iw.rows(60, order_by="day")
fits = iw.with_columns(
    days, fit=Regression()("market", "share").over(last60), r=iw.corr("market", "share").over(last60)
)
for row in fits.take([0, 59, 124, 154, 184, 249]).to_pylist():
    beta = "no line yet" if row["fit"] is None else "beta {beta:6.3f}, alpha {alpha:8.5f}".format(**row["fit"])
    print(f"day {row['day']:3}: {beta}" + ("" if row["fit"] is None else f", correlation {row['r']:.3f}"))
