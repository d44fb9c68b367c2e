"""Each built-in once more, as a plain Python class with hooks: exact arithmetic, no cleverness.

They keep the values in the frame, so ``expire`` is exact and ``terminate`` can be the textbook's formula over fractions.
"""

import math
from fractions import Fraction
from typing import Any

import inwindow as iw


class Kept(iw.WindowAggregate, returns="double", abstract=True):
    """The values in the frame, oldest first; every strategy can run it."""

    def iterate(self, value):
        self.values = [*getattr(self, "values", []), value]

    def expire(self, value):
        self.values.pop(0)

    def merge(self, later):
        self.values = self.values + later.values


def exact_sum(values: list[Any]) -> Any:
    """The sum as a fraction; NaN and infinities as IEEE has them."""
    odd = [v for v in values if isinstance(v, float) and not math.isfinite(v)]
    return sum(odd) if odd else sum(map(Fraction, values), Fraction(0))


def exact_variance(values: list[Any], freedom: int) -> Any:
    """The variance as a fraction; NaN where a value is not finite; None where there are too few."""
    if len(values) <= freedom:
        return None
    if any(isinstance(v, float) and not math.isfinite(v) for v in values):
        return math.nan
    exact = list(map(Fraction, values))
    mean = sum(exact) / len(exact)
    return sum((v - mean) ** 2 for v in exact) / (len(exact) - freedom)


def as_float(value: Any) -> Any:
    """A fraction as the nearest double."""
    return None if value is None else float(value)


def order(value: Any) -> Any:
    """Spark's order: NaN above everything."""
    return (1, 0) if isinstance(value, float) and math.isnan(value) else (0, value)


class Count(Kept, returns="bigint", empty=0):
    def terminate(self):
        return len(self.values)


class Sum(Kept, returns="double"):
    def terminate(self):
        return as_float(exact_sum(self.values))


class IntSum(Kept, returns="bigint"):
    def terminate(self):
        return sum(self.values)


class Avg(Kept, returns="double"):
    def terminate(self):
        total = exact_sum(self.values)
        return as_float(total / len(self.values))


class Min(Kept, returns="double"):
    def terminate(self):
        return min(self.values, key=order)


class Max(Kept, returns="double"):
    def terminate(self):
        return max(self.values, key=order)


class VarPop(Kept, returns="double"):
    def terminate(self):
        return as_float(exact_variance(self.values, 0))


class VarSamp(Kept, returns="double"):
    def terminate(self):
        return as_float(exact_variance(self.values, 1))


class StddevPop(Kept, returns="double"):
    def terminate(self):
        return as_float(exact_variance(self.values, 0)) ** 0.5


class StddevSamp(Kept, returns="double"):
    def terminate(self):
        variance = as_float(exact_variance(self.values, 1))
        return None if variance is None else variance**0.5


class Median(Kept, returns="double"):
    def terminate(self):
        ordered = sorted(self.values, key=order)
        low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
        return low + 0.0 if low == high else (low + high) / 2


class First(Kept, returns="double", nulls="pass"):
    def terminate(self):
        return self.values[0]


class Last(Kept, returns="double", nulls="pass"):
    def terminate(self):
        return self.values[-1]


class FirstValue(Kept, returns="double"):
    def terminate(self):
        return self.values[0]


class LastValue(Kept, returns="double"):
    def terminate(self):
        return self.values[-1]


class CountDistinct(Kept, returns="bigint", empty=0):
    def terminate(self):
        return len({"NaN" if v != v else v for v in self.values})


class CollectList(Kept, returns="array<double>", empty=()):
    def terminate(self):
        return list(self.values)


# The test table: a row per built-in. A new built-in adds one here.
TABLE: dict[str, tuple[Any, type[iw.Aggregate]]] = {
    "count": (iw.count, Count),
    "sum": (iw.sum, Sum),
    "avg": (iw.avg, Avg),
    "min": (iw.min, Min),
    "max": (iw.max, Max),
    "var_pop": (iw.var_pop, VarPop),
    "var_samp": (iw.var_samp, VarSamp),
    "stddev_pop": (iw.stddev_pop, StddevPop),
    "stddev_samp": (iw.stddev_samp, StddevSamp),
    "median": (iw.median, Median),
    "first": (iw.first, First),
    "last": (iw.last, Last),
    "first ignoring nulls": (lambda c: iw.first(c, ignorenulls=True), FirstValue),
    "last ignoring nulls": (lambda c: iw.last(c, ignorenulls=True), LastValue),
    "count_distinct": (iw.count_distinct, CountDistinct),
    "collect_list": (iw.collect_list, CollectList),
}
