"""Half-life regression: on several columns, in which old tuples fade.

Covers: any number of arguments (`*values`), arrays as state, `merge` without `expire`, a parameter, a slide, a list as result

Scenario: the price of a flat depends on its size, its floor and its age, and by how much changes from year to year. The fit is
the weighted least squares of all sales of the last 400, where a sale weighs half as much after each 100 that follow. The
sums of each slide are made once, and merged.

Prints::

    sale  400: 119.4 +  3.01 per m2 +  1.92 per floor + -0.50 per year
    sale  800: 102.3 +  3.18 per m2 +  2.01 per floor + -0.52 per year
    sale 1200:  85.4 +  3.35 per m2 +  2.01 per floor + -0.51 per year
"""

import numpy as np
import pyarrow as pa

import inwindow as iw


class FadingFit(iw.Aggregate, returns="array<double>"):
    """The intercept and the slopes of the last argument on the others; None while they do not follow from the tuples."""

    def __init__(self, half_life):
        self.fade = 0.5 ** (1 / half_life)

    def initialize(self, *values):
        self.moments, self.power = outer(values), self.fade

    def iterate(self, *values):
        self.moments = self.fade * self.moments + outer(values)
        self.power *= self.fade

    def merge(self, later):
        self.moments = later.power * self.moments + later.moments
        self.power *= later.power

    def terminate(self):
        rows, right = self.moments[:-1, :-1], self.moments[:-1, -1]
        if np.linalg.matrix_rank(rows) < len(rows):
            return None
        return np.linalg.solve(rows, right).tolist()


def outer(values):
    """The products of all pairs among 1 and the values."""
    row = np.array([1.0, *values])
    return np.outer(row, row)


draw = np.random.default_rng(12)
n = 1200
size, floor, age = draw.uniform(30, 120, n), draw.integers(0, 9, n), draw.uniform(0, 60, n)
dearer = np.linspace(0, 1, n)  # land gets cheaper, living space dearer
price = 130 - 50 * dearer + (2.9 + 0.5 * dearer) * size + 2 * floor - 0.5 * age + draw.normal(0, 3, n)
sales = pa.table({"sale": range(1, n + 1), "size": size, "floor": floor, "age": age, "price": price})

fit = FadingFit(half_life=100)("size", "floor", "age", "price")
window = iw.rows(400, slide=10, order_by="sale")
for row in iw.select(sales, "sale", fit=fit.over(window)).to_pylist():
    if row["sale"] % 400 == 0:
        base, *slopes = row["fit"]
        per = " + ".join(f"{b:5.2f} per {what}" for b, what in zip(slopes, ("m2", "floor", "year"), strict=True))
        print(f"sale {row['sale']:4}: {base:5.1f} + {per}")
