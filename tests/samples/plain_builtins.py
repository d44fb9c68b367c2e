"""Each built-in once more, as a plain Python class with hooks: exact arithmetic, no cleverness.

They keep the values in the frame, so ``expire`` is exact and ``terminate`` can be the textbook's formula over fractions.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import and_, or_, xor
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from samples.streams import FLOATS

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


class Percentile(Kept, returns="double"):
    """Between the two values around rank p * (n - 1)."""

    def __init__(self, p):
        self.p = p

    def terminate(self):
        ordered = sorted(self.values, key=order)
        rank = self.p * (len(ordered) - 1)
        low, high = ordered[math.floor(rank)], ordered[math.ceil(rank)]
        if low == high or low != low:
            return low + 0.0
        rest = rank - math.floor(rank)
        return low + (high - low) * rest if math.isfinite(high - low) else (1 - rest) * low + rest * high


class Percentiles(Percentile, returns="array<double>"):
    def terminate(self):
        return [fresh(Percentile(p), self.values).terminate() for p in self.p]


class Discrete(Percentile, returns="double"):
    """The first value that a share p of the values is not above."""

    def terminate(self):
        ordered = sorted(self.values, key=order)
        return ordered[max(math.ceil(Fraction(self.p) * len(ordered)) - 1, 0)]


class Mode(Kept, returns="double"):
    def terminate(self):
        counts: dict[Any, int] = {}
        for value in self.values:
            counts[order(value)] = counts.get(order(value), 0) + 1
        most = max(counts.values())
        return next(v for v in sorted(self.values, key=order) if counts[order(v)] == most)


class Product(Kept, returns="double"):
    def terminate(self):
        odd = [v for v in self.values if v == 0 or not math.isfinite(v)]
        if odd:
            return math.prod(math.copysign(1, v) if v and math.isfinite(v) else v for v in self.values)
        return as_float(math.prod(map(Fraction, self.values)))


class BitAnd(Kept, returns="bigint"):
    def terminate(self):
        return reduce(and_, self.values)


class BitOr(Kept, returns="bigint"):
    def terminate(self):
        return reduce(or_, self.values)


class BitXor(Kept, returns="bigint"):
    def terminate(self):
        return reduce(xor, self.values)


class BoolAnd(Kept, returns="boolean"):
    def terminate(self):
        return all(self.values)


class BoolOr(Kept, returns="boolean"):
    def terminate(self):
        return any(self.values)


def central(values: list[Any], power: int) -> Any:
    """The sum of powers of exact deviations from the mean."""
    exact = list(map(Fraction, values))
    mean = sum(exact) / len(exact)
    return sum((v - mean) ** power for v in exact)


def all_finite(values: list[Any]) -> bool:
    """Whether arithmetic has a meaning."""
    return all(map(math.isfinite, values))


class Skewness(Kept, returns="double"):
    def terminate(self):
        if not all_finite(self.values):
            return math.nan
        second, third = central(self.values, 2), central(self.values, 3)
        if not second:
            return None
        return math.copysign(as_float(len(self.values) * third**2 / second**3) ** 0.5, third)


class Kurtosis(Kept, returns="double"):
    def terminate(self):
        if not all_finite(self.values):
            return math.nan
        second = central(self.values, 2)
        return as_float(len(self.values) * central(self.values, 4) / second**2 - 3) if second else None


class Pairs(Kept, returns="double", abstract=True):
    """The pairs in the frame, oldest first."""

    def iterate(self, value, other):
        self.values = [*getattr(self, "values", []), (value, other)]

    def expire(self, value, other):
        self.values.pop(0)

    def columns(self):
        """The two columns, and their exact co-moment; None where a value is not finite."""
        xs, ys = ([pair[i] for pair in self.values] for i in (0, 1))
        if not all_finite(xs + ys):
            return xs, ys, None
        exact = [(Fraction(x), Fraction(y)) for x, y in self.values]
        means = [sum(column) / len(exact) for column in zip(*exact, strict=True)]
        return xs, ys, sum((x - means[0]) * (y - means[1]) for x, y in exact)


class CovarPop(Pairs, returns="double"):
    def terminate(self):
        moment = self.columns()[2]
        return math.nan if moment is None else as_float(moment / len(self.values))


class CovarSamp(Pairs, returns="double"):
    def terminate(self):
        moment = self.columns()[2]
        if len(self.values) < 2:
            return None
        return math.nan if moment is None else as_float(moment / (len(self.values) - 1))


class Corr(Pairs, returns="double"):
    def terminate(self):
        xs, ys, moment = self.columns()
        if len(self.values) < 2:
            return None
        if moment is None:
            return math.nan
        spread = central(xs, 2) * central(ys, 2)
        return math.copysign(as_float(moment**2 / spread) ** 0.5, moment) if spread else None


class Regression(Pairs, returns="double"):
    """SQL's regr_(y, x), by name."""

    def __init__(self, name):
        self.name = name

    def terminate(self):
        ys, xs, sxy = self.columns()
        if self.name in ("avgx", "avgy"):
            values = xs if self.name == "avgx" else ys
            return as_float(exact_sum(values) / len(values))
        if self.name in ("sxx", "syy"):
            values = xs if self.name == "sxx" else ys
            return as_float(central(values, 2)) if all_finite(values) else math.nan
        if sxy is None or self.name == "sxy":
            return math.nan if sxy is None else as_float(sxy)
        sxx, syy = central(xs, 2), central(ys, 2)
        if not sxx:
            return None
        if self.name == "r2":
            return as_float(sxy**2 / (sxx * syy)) if syy else 1.0
        slope = sxy / sxx
        if self.name == "slope":
            return as_float(slope)
        return as_float((exact_sum(ys) - slope * exact_sum(xs)) / len(xs))


class RegrCount(Pairs, returns="bigint", empty=0):
    def terminate(self):
        return len(self.values)


class MaxBy(Pairs, returns="double", nulls="pass"):
    """The latest of those with the largest second value."""

    best = staticmethod(max)

    def terminate(self):
        counted = [(order(other), at) for at, (_, other) in enumerate(self.values) if other is not None]
        if not counted:
            return None
        most = self.best(place for place, _ in counted)
        return self.values[max(at for place, at in counted if place == most)][0]


class MinBy(MaxBy, returns="double", nulls="pass"):
    best = staticmethod(min)


class Decayed(Kept, returns="double"):
    def terminate(self):
        odd = [v for v in self.values if not math.isfinite(v)]
        if odd:
            return sum(odd)
        weights = [Fraction(1, 2) ** age for age in range(len(self.values) - 1, -1, -1)]
        return as_float(sum(w * Fraction(v) for w, v in zip(weights, self.values, strict=True)) / sum(weights))


def ewm_adjusted(column):
    return iw.ewm_avg(column, alpha=0.75)


def ewm_ignoring_nulls(column):
    return iw.ewm_avg(column, alpha=0.75, ignore_nulls=True)


def ewm_recursion(column):
    return iw.ewm_avg(column, alpha=0.75, adjust=False)


class Ewm(iw.WindowAggregate, returns="double", nulls="pass"):
    """pandas' recursion over the frame, in fractions: each value has weight 1 if adjusted, else alpha."""

    def __init__(self, adjust, ignore_nulls):
        self.adjust, self.ignore_nulls = adjust, ignore_nulls

    def iterate(self, value):
        self.values = [*getattr(self, "values", []), value]

    def expire(self, value):
        self.values.pop(0)

    def merge(self, later):
        self.values = self.values + later.values

    def terminate(self):
        values = [v for v in self.values if v is not None or not self.ignore_nulls]
        odd = [v for v in values if v is not None and not math.isfinite(v)]
        if odd or not any(v is not None for v in values):
            return sum(odd) if odd else None
        average, old = None, Fraction(1)
        for value in values:
            old = old / 4 if average is not None else old
            if value is not None and average is None:
                average = Fraction(value)
            elif value is not None:
                new = Fraction(1) if self.adjust else Fraction(3, 4)
                average = (old * average + new * Fraction(value)) / (old + new)
                old = old + new if self.adjust else Fraction(1)
        return as_float(average)


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


def each_once(values: list[Any]) -> list[Any]:
    """The distinct ones; all NaN are one."""
    return list({"NaN" if v != v else v: v for v in values}.values())


class SumDistinct(Kept, returns="double"):
    def terminate(self):
        return as_float(exact_sum(each_once(self.values)))


class AvgDistinct(Kept, returns="double"):
    def terminate(self):
        values = each_once(self.values)
        return as_float(exact_sum(values) / len(values))


class IntSumDistinct(Kept, returns="bigint"):
    def terminate(self):
        return sum(set(self.values))


class TrySum(Kept, returns="bigint"):
    def terminate(self):
        total = sum(self.values)
        return total if -(2**63) <= total < 2**63 else None


class StringAggDistinct(Kept, returns="string"):
    def terminate(self):
        return "-".join(dict.fromkeys(self.values))


class CountIf(Kept, returns="bigint", empty=0):
    def terminate(self):
        return sum(self.values)


class NthValue(Kept, returns="double", nulls="pass"):
    def terminate(self):
        return self.values[1] if len(self.values) > 1 else None


class NthNotNull(NthValue, returns="double", nulls="skip"):
    pass


class CollectList(Kept, returns="array<double>", empty=()):
    def terminate(self):
        return list(self.values)


class CollectSet(Kept, returns="array<double>", empty=()):
    def terminate(self):
        found: dict[Any, Any] = {}
        for value in self.values:
            found.setdefault("NaN" if value != value else value, value + 0.0)
        return list(found.values())


class StringAgg(Kept, returns="string"):
    def terminate(self):
        return "-".join(self.values)


class LeastText(Kept, returns="string"):
    def terminate(self):
        return min(self.values)


class ModeOfTexts(Kept, returns="string"):
    def terminate(self):
        return min(self.values, key=lambda text: (-self.values.count(text), text))


class TopTexts(Kept, returns="array<struct<item: string, count: bigint>>", nulls="pass", empty=()):
    def terminate(self):
        counts = {text: self.values.count(text) for text in self.values}
        ranked = sorted(counts, key=lambda text: (-counts[text], text is None, text or ""))
        return [{"item": text, "count": counts[text]} for text in ranked[:3]]


def fresh(aggregate: Any, values: list[Any]) -> Any:
    """An aggregate in the state of having seen the values."""
    aggregate.values = values
    return aggregate


INTS = st.one_of(st.integers(-4, 9), st.sampled_from([2**63 - 1, -(2**63)]), st.none())
FLAGS = st.sampled_from([True, True, False, None])
TEXTS = st.sampled_from(["a", "b", "bb", "", "é", None])


class Rank(Kept, returns="double", nulls="pass"):
    """Of the newest value."""

    def __init__(self, result, sign=1):
        self.result, self.sign = result, sign

    def terminate(self):
        newest, values = self.values[-1], [v for v in self.values if v is not None]
        if newest is None:
            return None
        places = [order(v) for v in values]
        here, less = order(newest), operator.lt if self.sign > 0 else operator.gt
        smaller, larger = sum(less(v, here) for v in places), sum(less(here, v) for v in places)
        return {
            "min": smaller + 1,
            "max": len(values) - larger,
            "average": (smaller + 1 + len(values) - larger) / 2,
            "dense": len({v for v in places if less(v, here)}) + 1,
            "percent": smaller / max(len(values) - 1, 1),
            "share": (len(values) - larger) / len(values),
        }[self.result]


@dataclass(frozen=True)
class Row:
    """A built-in, the plain class it must agree with, and what it is tried on."""

    ours: Callable[..., iw.Applied]
    plain: Callable[[], iw.Aggregate]
    kind: pa.DataType = pa.float64()
    values: Any = FLOATS
    columns: tuple[str, ...] = ("v",)


# The test table: a row per built-in. A new built-in adds one here.
TABLE: dict[str, Row] = {
    "count": Row(iw.count, Count),
    "sum": Row(iw.sum, Sum),
    "avg": Row(iw.avg, Avg),
    "try_sum": Row(iw.try_sum, TrySum, pa.int64(), INTS),
    "try_avg": Row(iw.try_avg, Avg),
    "sum_distinct": Row(iw.sum_distinct, SumDistinct),
    "sum_distinct of integers": Row(
        iw.sum_distinct, IntSumDistinct, pa.int64(), st.one_of(st.integers(-4, 9), st.none())
    ),
    "avg_distinct": Row(iw.avg_distinct, AvgDistinct),
    "product": Row(iw.product, Product),
    "min": Row(iw.min, Min),
    "max": Row(iw.max, Max),
    "min of texts": Row(iw.min, LeastText, pa.string(), TEXTS),
    "max_by": Row(iw.max_by, MaxBy, columns=("v", "w")),
    "min_by": Row(iw.min_by, MinBy, columns=("v", "w")),
    "var_pop": Row(iw.var_pop, VarPop),
    "var_samp": Row(iw.var_samp, VarSamp),
    "stddev_pop": Row(iw.stddev_pop, StddevPop),
    "stddev_samp": Row(iw.stddev_samp, StddevSamp),
    "skewness": Row(iw.skewness, Skewness),
    "kurtosis": Row(iw.kurtosis, Kurtosis),
    "covar_pop": Row(iw.covar_pop, CovarPop, columns=("v", "w")),
    "covar_samp": Row(iw.covar_samp, CovarSamp, columns=("v", "w")),
    "corr": Row(iw.corr, Corr, columns=("v", "w")),
    "regr_count": Row(iw.regr_count, RegrCount, columns=("v", "w")),
    **{
        f"regr_{name}": Row(getattr(iw, f"regr_{name}"), lambda name=name: Regression(name), columns=("v", "w"))
        for name in ("avgx", "avgy", "sxx", "syy", "sxy", "slope", "intercept", "r2")
    },
    "median": Row(iw.median, Median),
    "percentile": Row(lambda c: iw.percentile(c, 0.3), lambda: Percentile(0.3)),
    "percentiles": Row(lambda c: iw.percentile(c, [0.0, 0.9]), lambda: Percentiles([0.0, 0.9])),
    "percentile_approx": Row(lambda c: iw.percentile_approx(c, 0.7), lambda: Discrete(0.7)),
    "mode": Row(iw.mode, Mode),
    "mode of texts": Row(iw.mode, ModeOfTexts, pa.string(), TEXTS),
    "approx_top_k": Row(lambda c: iw.approx_top_k(c, 3), TopTexts, pa.string(), TEXTS),
    "first": Row(iw.first, First),
    "last": Row(iw.last, Last),
    "first ignoring nulls": Row(lambda c: iw.first(c, ignorenulls=True), FirstValue),
    "last ignoring nulls": Row(lambda c: iw.last(c, ignorenulls=True), LastValue),
    "nth_value": Row(lambda c: iw.nth_value(c, 2), NthValue),
    "nth_value ignoring nulls": Row(lambda c: iw.nth_value(c, 2, ignoreNulls=True), NthNotNull),
    "count_distinct": Row(iw.count_distinct, CountDistinct),
    "approx_count_distinct": Row(iw.approx_count_distinct, CountDistinct),
    "count_if": Row(iw.count_if, CountIf, pa.bool_(), FLAGS),
    "any_value": Row(lambda c: iw.any_value(c, ignoreNulls=True), FirstValue),
    "collect_list": Row(iw.collect_list, CollectList),
    "collect_set": Row(iw.collect_set, CollectSet),
    "string_agg": Row(lambda c: iw.string_agg(c, "-"), StringAgg, pa.string(), TEXTS),
    "string_agg_distinct": Row(lambda c: iw.string_agg_distinct(c, "-"), StringAggDistinct, pa.string(), TEXTS),
    "bool_and": Row(iw.bool_and, BoolAnd, pa.bool_(), FLAGS),
    "bool_or": Row(iw.bool_or, BoolOr, pa.bool_(), FLAGS),
    "bit_and": Row(iw.bit_and, BitAnd, pa.int64(), INTS),
    "bit_or": Row(iw.bit_or, BitOr, pa.int64(), INTS),
    "bit_xor": Row(iw.bit_xor, BitXor, pa.int64(), INTS),
    "rank": Row(iw.rank, lambda: Rank("min")),
    "rank of integers": Row(lambda c: iw.rank(c, ascending=False), lambda: Rank("min", -1), pa.int64(), INTS),
    "rank by max": Row(lambda c: iw.rank(c, method="max"), lambda: Rank("max")),
    "rank by average": Row(lambda c: iw.rank(c, method="average", ascending=False), lambda: Rank("average", -1)),
    "dense_rank": Row(iw.dense_rank, lambda: Rank("dense")),
    "dense_rank of booleans": Row(
        lambda c: iw.dense_rank(c, ascending=False), lambda: Rank("dense", -1), pa.bool_(), FLAGS
    ),
    "percent_rank": Row(iw.percent_rank, lambda: Rank("percent")),
    "cume_dist": Row(iw.cume_dist, lambda: Rank("share")),
    "ewm_avg": Row(ewm_adjusted, lambda: Ewm(True, False)),
    "ewm_avg ignoring nulls": Row(ewm_ignoring_nulls, lambda: Ewm(True, True)),
    "ewm_avg as a recursion": Row(ewm_recursion, lambda: Ewm(False, False)),
    "decayed_avg": Row(lambda c: iw.decayed_avg(c, 0.5), Decayed),
}
