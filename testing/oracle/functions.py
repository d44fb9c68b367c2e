"""The functions that are drawn: a row each, with what it means for the values of its frame."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce
from operator import and_, or_, xor
from typing import Any

from inwindow.testing.fuzz import exact
from inwindow.windows import reference_places

Values = Sequence[Any]


def _exactly(values: Values) -> float:
    return 0.0


@dataclass(frozen=True)
class Function:
    """A function of a window: its name, which a dialect may write in its own way, its columns, what it means."""

    name: str
    columns: tuple[str, ...]
    means: Callable[..., Any]  # of the values of its frame, or of a partition where it is a place
    within: Callable[[Any], float] = _exactly
    kind: str = "aggregate"  # or "value": of the frame's tuples with NULLs; "place": of all tuples of the partition
    empty: Any = None
    is_ordered: bool = False  # the order of peers shows
    arguments: tuple[Any, ...] = ()  # literals, for the template
    feature: str | None = None  # what else an engine may not have


def _absolute(values: Values) -> float:
    return math.fsum(abs(value) for value in values if math.isfinite(value))


def _part(share: float) -> Callable[[Values], float]:
    return lambda values: share * _absolute(values)


def _share(share: float, of: Callable[[Values], Any]) -> Callable[[Values], float]:
    def within(values: Values) -> float:
        its = of(values)
        return share * abs(its) if its is not None and math.isfinite(its) else 0.0

    return within


def _of_both(pairs: Sequence[tuple[Any, Any]]) -> float:
    spreads = [exact.deviation([pair[side] for pair in pairs], 0) or 0.0 for side in (0, 1)]
    return 1e-9 * spreads[0] * spreads[1]


def _of_line(pairs: Sequence[tuple[Any, Any]]) -> float:
    return 1e-9 * sum(abs(y) + abs(x) + abs(x * y) + x * x + y * y for y, x in pairs)


def _mean(values: Values) -> Any:
    return Fraction(sum(map(Fraction, values)), len(values)) if not isinstance(values[0], float) else exact.mean(values)


def _best(pairs: Sequence[tuple[Any, Any]], most: Any) -> Any:
    counted = [pair for pair in pairs if pair[1] is not None]
    return most(counted, key=lambda pair: exact.order(pair[1]))[0] if counted else None


def _newest_first(values: Values) -> str:
    return ",".join(reversed(list(values)))


def _one(name: str, columns: str, means: Any, within: Any = _exactly, **more: Any) -> Function:
    return Function(name, tuple(columns.split()), means, within, **more)


def _all() -> list[Function]:
    variances = [
        _one(name, column, partial(of, freedom=freedom), _share(1e-5 if column == "w" else 1e-9, partial(of, freedom=freedom)))
        for column in "pw"
        for name, of, freedom in (
            ("var_pop", exact.variance, 0), ("var_samp", exact.variance, 1), ("stddev_pop", exact.deviation, 0),
            ("stddev_samp", exact.deviation, 1))
    ]  # fmt: skip
    extremes = [
        _one(name, column, lambda values, of=of: of(values, key=exact.order))
        for column in "vntfsdb"
        for name, of in (("min", min), ("max", max))
    ]
    regressions = [
        _one(f"regr_{which}", "p q", partial(exact.regression, which=which), _of_line)
        for which in ("avgx", "avgy", "sxx", "syy", "sxy", "slope", "intercept", "r2")
    ]
    values = [
        function
        for column in "vspt"
        for function in (
            _one("first_value", column, lambda values: values[0], kind="value", is_ordered=True),
            _one("last_value", column, lambda values: values[-1], kind="value", is_ordered=True),
            *(
                _one("nth_value", column, lambda values, n=n: values[n - 1] if len(values) >= n else None, kind="value",
                     is_ordered=True, arguments=(n,))
                for n in (1, 2, 3)
            ),
            *(
                _one(f"{name} ignore nulls", column, lambda values, n=n: _counted(values, n), kind="value", is_ordered=True,
                     arguments=() if name != "nth_value" else (n,), feature=f"{name} ignore nulls")
                for name, n in (("first_value", 1), ("last_value", -1), ("nth_value", 2))
            ),
        )
    ]  # fmt: skip
    places = [
        _one(name, "", lambda groups, values, of=of: of(groups), kind="place", is_ordered=name == "row_number")
        for name, of in (
            ("row_number", reference_places.row_numbers), ("rank", reference_places.ranks),
            ("dense_rank", reference_places.dense_ranks), ("percent_rank", reference_places.percent_ranks),
            ("cume_dist", reference_places.cume_dists))
    ] + [
        _one("ntile", "", lambda groups, values, n=n: reference_places.ntiles(groups, n), kind="place", is_ordered=True,
             arguments=(n,))
        for n in (1, 2, 3, 20)
    ] + [
        _one(name + (" ignore nulls" if skips else ""), column, partial(_beside, sign * offset, default, skips), kind="place",
             is_ordered=True, arguments=(offset, default), feature=f"{name} ignore nulls" if skips else None)
        for column in ("v", "s")
        for name, sign in (("lag", -1), ("lead", 1))
        for offset in (0, 1, 2, 5)
        for default in ((None, -7) if column == "v" else (None, "none"))
        for skips in (False, True)
    ]  # fmt: skip
    return [
        _one("count_star", "", len, empty=0, kind="value"),
        _one("count", "v", len, empty=0),
        _one("count", "s", len, empty=0),
        _one("sum", "v", sum), _one("sum", "i", sum), _one("sum", "n", sum, feature="wide sums"),
        _one("sum", "d", lambda values: sum(values, Decimal(0))),
        _one("sum", "p", exact.total, _part(1e-12)),
        _one("sum", "f", exact.total, _part(1e-12)),
        _one("avg", "v", _mean, _part(1e-12)),
        _one("avg", "i", _mean, _part(1e-12)),
        _one("avg", "n", _mean, _part(1e-12), feature="wide averages"),
        _one("avg", "d", _mean, _part(1e-12)),
        _one("avg", "p", _mean, _part(1e-12)),
        _one("avg", "f", _mean, _part(1e-12)),
        *variances, *extremes, *regressions, *values, *places,
        _one("regr_count", "p q", len, empty=0),
        _one("covar_pop", "p q", lambda pairs: exact.covariance(pairs, 0), _of_both),
        _one("covar_samp", "p q", lambda pairs: exact.covariance(pairs, 1), _of_both),
        _one("corr", "p q", exact.correlation, lambda pairs: 1e-7),
        _one("bool_and", "b", all), _one("bool_or", "b", any),
        _one("bit_and", "n", lambda values: reduce(and_, values)),
        _one("bit_or", "n", lambda values: reduce(or_, values)),
        _one("bit_xor", "n", lambda values: reduce(xor, values)),
        _one("count_distinct", "v", lambda values: len(set(values)), empty=0),
        _one("count_distinct", "s", lambda values: len(set(values)), empty=0),
        _one("sum_distinct", "v", lambda values: sum(set(values))),
        _one("avg_distinct", "i", lambda values: _mean(list(set(values))), _part(1e-12)),
        _one("string_agg", "s", ",".join, is_ordered=True),
        _one("string_agg_by", "s", _newest_first, is_ordered=True),
        _one("array_agg", "v", list, kind="value", is_ordered=True),
        _one("median", "p", lambda values: exact.percentile(values, 0.5), _part(1e-15)),
        _one("median", "v", lambda values: _half(values), _part(1e-15)),
        _one("quantile_cont", "p", lambda values: exact.percentile(values, 0.25), _part(1e-15), arguments=(0.25,)),
        _one("quantile_disc", "v", lambda values: exact.discrete(values, 0.5), arguments=(0.5,)),
        _one("quantile_disc", "s", lambda values: exact.discrete(values, 0.75), arguments=(0.75,)),
        _one("mode", "v", lambda values: {value for value in values if values.count(value) == max(map(values.count, values))}),
        _one("arg_max", "v id", lambda pairs: _best(pairs, max), kind="pairs"),
        _one("arg_min", "s id", lambda pairs: _best(pairs, min), kind="pairs"),
    ]  # fmt: skip


def _half(values: Values) -> Any:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else Fraction(ordered[middle - 1] + ordered[middle], 2)


def _counted(values: Values, n: int) -> Any:
    seen = [value for value in values if value is not None]
    return (seen[n - 1] if n > 0 else seen[n]) if len(seen) >= abs(n) else None


def _beside(ahead: int, default: Any, skips: bool, groups: list[int], values: list[Any]) -> list[Any]:
    return reference_places.neighbours(values, ahead, default, skips)


def key(function: Function) -> str:
    """How cases name a function."""
    return f"{function.name}({', '.join([*function.columns, *map(repr, function.arguments)])})"


FUNCTIONS = {key(one): one for one in _all()}
