"""The textbook's formulas over a frame's values, in exact arithmetic: doubles are whole numbers over a power of two."""

import math
from collections.abc import Sequence
from typing import Any

Values = Sequence[Any]


def is_finite(values: Values) -> bool:
    """Whether arithmetic has a meaning."""
    return all(map(math.isfinite, values))


def whole(values: Values) -> tuple[list[int], int]:
    """Numbers as whole numbers over one denominator."""
    ratios = [value.as_integer_ratio() for value in values]
    below = max(bottom for _, bottom in ratios)
    return [top * (below // bottom) for top, bottom in ratios], below


def total(values: Values) -> float:
    """The sum, rounded once; NaN and infinities as IEEE has them."""
    odd = [value for value in values if not math.isfinite(value)]
    return sum(odd) if odd else math.fsum(values)


def mean(values: Values) -> float:
    """The mean, rounded once."""
    if not is_finite(values):
        return total(values)
    numbers, below = whole(values)
    return sum(numbers) / (below * len(numbers))


def moment(values: Values, power: int) -> tuple[int, int]:
    """The sum of powers of n times the deviation from the mean, as a whole number over another."""
    numbers, below = whole(values)
    both = sum(numbers)
    return sum((len(numbers) * number - both) ** power for number in numbers), (below * len(numbers)) ** power


def variance(values: Values, freedom: int) -> float | None:
    """NULL where there are too few; NaN where a value is not finite."""
    if len(values) <= freedom:
        return None
    if not is_finite(values):
        return math.nan
    top, below = moment(values, 2)
    return top / (below * (len(values) - freedom))


def deviation(values: Values, freedom: int) -> float | None:
    """The root of the variance."""
    its = variance(values, freedom)
    return None if its is None else math.sqrt(its)


def skewness(values: Values) -> float | None:
    """Of the population; NULL where all values are equal."""
    if not is_finite(values):
        return math.nan
    (second, _), (third, _) = moment(values, 2), moment(values, 3)
    return math.copysign(math.sqrt(len(values) * third**2 / second**3), third) if second else None


def kurtosis(values: Values) -> float | None:
    """Of the population, less that of a normal distribution."""
    if not is_finite(values):
        return math.nan
    second = moment(values, 2)[0]
    return len(values) * moment(values, 4)[0] / second**2 - 3 if second else None


def covariance(pairs: Sequence[tuple[Any, Any]], freedom: int) -> float | None:
    """Of pairs."""
    if len(pairs) <= freedom:
        return None
    if not is_finite([value for pair in pairs for value in pair]):
        return math.nan
    top, below = _shared([x for x, _ in pairs], [y for _, y in pairs])
    return top / (below * (len(pairs) - freedom) * len(pairs))


def correlation(pairs: Sequence[tuple[Any, Any]]) -> float | None:
    """Of pairs; NULL of fewer than two, and where a side does not vary."""
    if len(pairs) < 2:
        return None
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    if not is_finite(xs + ys):
        return math.nan
    top, below = _shared(xs, ys)
    one, other = (_shared(side, side) for side in (xs, ys))
    spread = one[0] * other[0]
    return math.copysign(math.sqrt(top**2 * one[1] * other[1] / (below**2 * spread)), top) if spread else None


def regression(pairs: Sequence[tuple[Any, Any]], which: str) -> float | None:
    """SQL's regr_(y, x), by name."""
    ys, xs = [y for y, _ in pairs], [x for _, x in pairs]
    if which in ("avgx", "avgy"):
        return mean(xs if which == "avgx" else ys)
    sides = {"sxx": (xs, xs), "syy": (ys, ys)}.get(which, (xs, ys))
    if not is_finite([*sides[0], *sides[1]]):
        return math.nan
    top, below = _shared(*sides)
    if which in ("sxx", "syy", "sxy"):
        return top / (below * len(pairs))
    (sxx, at), (syy, beside) = _shared(xs, xs), _shared(ys, ys)
    if not sxx:
        return None
    if which == "r2":
        return top**2 * at * beside / (below**2 * sxx * syy) if syy else 1.0
    if which == "slope":
        return top * at / (below * sxx)
    (numbers, one), (others, other) = whole(ys), whole(xs)  # mean(y) - slope * mean(x), as one fraction
    line = sum(numbers) * other * below * sxx - sum(others) * one * top * at
    return line / (one * other * below * sxx * len(pairs))


def _shared(xs: Values, ys: Values) -> tuple[int, int]:
    """n times the sum of products of deviations."""
    (xs, below), (ys, other) = whole(xs), whole(ys)
    products = sum(x * y for x, y in zip(xs, ys, strict=True))
    return len(xs) * products - sum(xs) * sum(ys), below * other


def product(values: Values) -> float:
    """Rounded once; zeros, NaN and infinities as IEEE has them."""
    odd = [value for value in values if value == 0 or not math.isfinite(value)]
    if odd:
        signs = (math.copysign(1, value) if value and math.isfinite(value) else value for value in values)
        return math.prod(signs)
    numbers, below = whole(values)
    return math.prod(numbers) / below ** len(numbers)


def decayed(values: Values) -> float:
    """Each value weighs half as much as the one after it."""
    odd = [value for value in values if not math.isfinite(value)]
    if odd:
        return sum(odd)
    numbers, below = whole(values)
    weighed = sum(number << at for at, number in enumerate(numbers))
    return weighed / (below * (2 ** len(numbers) - 1))


def faded(values: Values) -> float | None:
    """The same, where a NULL takes a place, too."""
    weighed = [(value, 0.5**age) for age, value in enumerate(reversed(values)) if value is not None]
    return math.fsum(v * w for v, w in weighed) / math.fsum(w for _, w in weighed) if weighed else None


def recursive(values: Values) -> float:
    """Half of what was before, and half of the value."""
    average = values[0]
    for value in values[1:]:
        average = (average + value) / 2
    return float(average)


def order(value: Any) -> Any:
    """Spark's order: NaN above everything."""
    return (True, 0) if value != value else (False, value)


def percentile(values: Values, share: float) -> Any:
    """Between the two values around rank share * (n - 1)."""
    ordered = sorted(values, key=order)
    rank = share * (len(ordered) - 1)
    low, high = ordered[math.floor(rank)], ordered[math.ceil(rank)]
    if low == high or low != low:
        return low + 0.0
    rest = rank - math.floor(rank)
    return low + (high - low) * rest if math.isfinite(high - low) else (1 - rest) * low + rest * high


def discrete(values: Values, share: float) -> Any:
    """The first value that a share of the values is not above; the share of n is a product of doubles, as in Spark."""
    return sorted(values, key=order)[max(math.ceil(share * len(values)) - 1, 0)]


def mode(values: Values) -> Any:
    """The most frequent value; of ties, the smallest."""
    ordered = sorted(values, key=order)
    keys = [order(value) for value in ordered]
    most = max(map(keys.count, keys))
    return next(value for value, key in zip(ordered, keys, strict=True) if keys.count(key) == most)


def distinct(values: Values) -> list[Any]:
    """Each value once, in the order of first appearance; NaN is one value, and 0.0 is -0.0."""
    found: dict[Any, Any] = {}
    for value in values:
        found.setdefault(order(value), value)
    return list(found.values())


def newest_rank(values: Values, method: str, ascending: bool = True) -> Any:
    """The place of the newest value among the values; NULL where it is NULL."""
    if values[-1] is None:
        return None
    keys = [order(value) for value in values if value is not None]
    newest = order(values[-1])
    before = sum(key < newest if ascending else key > newest for key in keys)
    upto = before + keys.count(newest)
    places: dict[str, Any] = {
        "min": before + 1, "max": upto, "average": (before + 1 + upto) / 2, "cume": upto / len(keys),
        "percent": before / (len(keys) - 1) if len(keys) > 1 else 0.0,
        "dense": 1 + len({key for key in keys if (key < newest if ascending else key > newest)}),
    }  # fmt: skip
    return places[method]


def best(pairs: Sequence[tuple[Any, Any]], most: Any) -> Any:
    """The latest value of those with the most extreme second value."""
    counted = [(order(other), at) for at, (_, other) in enumerate(pairs) if other is not None]
    if not counted:
        return None
    top = most(key for key, _ in counted)
    return pairs[max(at for key, at in counted if key == top)][0]
