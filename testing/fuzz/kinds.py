"""The aggregates that are drawn: a row each, with what it means as a function of the values in its frame.

A new built-in adds a row here, and nothing else. ``values`` are those that count, oldest first: of one column as they are, of
several as tuples. Columns are those of :mod:`.tables`: f, g doubles with NaN, infinities and 1e16; p, q plain doubles; i small
integers; n integers with the ends of int64; s texts; b booleans; d decimals; m times; id the number of the row.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import partial, reduce
from operator import and_, or_, xor
from typing import Any

from inwindow.testing.fuzz import classes, exact
from inwindow.udaf import builtins
from inwindow.windows import reference_places

Values = Sequence[Any]


def _exactly(values: Values) -> float:
    return 0.0


@dataclass(frozen=True)
class Kind:
    """An aggregate applied to columns: as text, what it means, and how far a double may be from that."""

    text: str
    columns: tuple[str, ...]
    means: Callable[[Any], Any] | None  # None: only the hooks say it
    within: Callable[[Any], float] = _exactly
    nulls: str = "skip"  # "pass": hooks see NULLs
    counts_nulls: bool = True  # where hooks see NULLs: whether min_count= counts them
    empty: Any = None  # of a frame in which nothing counts
    holes: bool = True  # whether it may be asked for with EXCLUDE
    picky: bool = False  # its hooks raise on some tuples
    is_trailing: bool = False  # without terminate: for frames that end at the current tuple
    places: Callable[[list[int], list[Any]], list[Any]] | None = (
        None  # its own frame: of all groups and values, in order
    )


def absolute(values: Values) -> float:
    """The sum of absolute values, of those that are finite."""
    return math.fsum(abs(value) for value in values if math.isfinite(value))


def _part(share: float) -> Callable[[Values], float]:
    return lambda values: share * absolute(values)


def _of_variance(freedom: int) -> Callable[[Values], float]:
    return lambda values: 1e-9 * (exact.variance(values, freedom) or 0.0)


def _of_deviation(freedom: int) -> Callable[[Values], float]:
    return lambda values: 1e-9 * (exact.deviation(values, freedom) or 0.0)


def _of_both(pairs: Sequence[tuple[Any, Any]]) -> float:
    spreads = [exact.deviation([pair[side] for pair in pairs], 0) or 0.0 for side in (0, 1)]
    return 1e-9 * spreads[0] * spreads[1]


def _of_line(pairs: Sequence[tuple[Any, Any]]) -> float:
    return 1e-9 * sum(abs(y) + abs(x) + abs(x * y) + x * x + y * y for y, x in pairs)


def _of_shape(values: Any) -> float:
    return 1e-9 * len(values)


def _float_mean(values: Values) -> float:
    return exact.mean(values)


def _decimal_mean(values: Values) -> Decimal:
    return (sum(values, Decimal(0)) / len(values)).quantize(Decimal("0.000001"), ROUND_HALF_UP)


def _kind(call: str, columns: str, means: Any, within: Any = _exactly, **more: Any) -> tuple[str, Kind]:
    names = tuple(columns.split())
    arguments = ", ".join(map(repr, names))
    text = call.replace("...", arguments) if "..." in call else f"{call}({arguments})"
    return text, Kind(text, names, means, within, **more)


_MEAN_OF_HALVES = 1e-15
_NEWEST: dict[str, Any] = {"nulls": "pass"}  # of the frame's newest tuple, whatever it is
BUILT_INS = dict(
    [
        _kind("iw.count", "", len, empty=0),
        _kind("iw.count", "f", len, empty=0),
        _kind("iw.count", "f s", len, empty=0),
        _kind("iw.count_if", "b", lambda values: sum(values), empty=0),
        _kind("iw.count_distinct", "f", lambda values: len(exact.distinct(values)), empty=0),
        _kind("iw.count_distinct", "s", lambda values: len(set(values)), empty=0),
        _kind("iw.count_distinct", "i b", lambda values: len(set(values)), empty=0),
        _kind("iw.approx_count_distinct", "i", lambda values: len(set(values)), empty=0),
        _kind("iw.sum", "f", exact.total, _part(1e-12)),
        _kind("iw.sum", "i", lambda values: sum(values)),
        _kind("iw.sum", "d", lambda values: sum(values, Decimal(0))),
        _kind("iw.avg", "f", _float_mean, lambda values: 1e-12 * absolute(values) / len(values)),
        _kind("iw.avg", "i", _float_mean, _part(1e-15)),
        _kind("iw.avg", "d", _decimal_mean),
        _kind("iw.sum_distinct", "i", lambda values: sum(set(values))),
        _kind("iw.sum_distinct", "p", lambda values: math.fsum(set(values)), _part(1e-12)),
        _kind("iw.avg_distinct", "p", lambda values: _float_mean(list(set(values))), _part(1e-12)),
        _kind("iw.try_sum", "i", lambda values: sum(values)),
        _kind("iw.try_avg", "p", _float_mean, _part(1e-12)),
        _kind("iw.string_agg_distinct(..., '-')", "s", lambda values: "-".join(dict.fromkeys(values))),
        _kind("iw.listagg_distinct(..., '-')", "s", lambda values: "-".join(dict.fromkeys(values))),
        _kind("iw.ewm_avg(..., alpha=0.5, ignore_nulls=True)", "p", exact.decayed, _part(1e-14)),
        _kind("iw.ewm_avg(..., alpha=0.5, adjust=False, ignore_nulls=True)", "p", exact.recursive, _part(1e-14)),
        _kind(
            "iw.ewm_avg(..., half_life=1)", "p", exact.faded, lambda values: _part(1e-14)([v or 0.0 for v in values]),
            nulls="pass", counts_nulls=False,
        ),
        _kind("iw.product", "p", exact.product, lambda values: 1e-14 * abs(exact.product(values))),
        _kind("iw.product", "f", exact.product, lambda values: 1e-14 * _finite(exact.product(values))),
        _kind("iw.min", "f", lambda values: min(values, key=exact.order)),
        _kind("iw.max", "f", lambda values: max(values, key=exact.order)),
        _kind("iw.min", "n", min),
        _kind("iw.max", "n", max),
        _kind("iw.min", "s", min),
        _kind("iw.max", "s", max),
        _kind("iw.min", "d", min),
        _kind("iw.max", "m", max),
        _kind("iw.min", "b", min),
        _kind("iw.max_by", "s f", lambda pairs: exact.best(pairs, max), nulls="pass", counts_nulls=False),
        _kind("iw.min_by", "f i", lambda pairs: exact.best(pairs, min), nulls="pass", counts_nulls=False),
        _kind("iw.var_pop", "f", lambda values: exact.variance(values, 0), _of_variance(0)),
        _kind("iw.var_samp", "p", lambda values: exact.variance(values, 1), _of_variance(1)),
        _kind("iw.stddev_pop", "p", lambda values: exact.deviation(values, 0), _of_deviation(0)),
        _kind("iw.stddev_samp", "f", lambda values: exact.deviation(values, 1), _of_deviation(1)),
        _kind("iw.skewness", "p", exact.skewness, _of_shape),
        _kind("iw.kurtosis", "p", exact.kurtosis, _of_shape),
        _kind("iw.covar_pop", "p q", lambda pairs: exact.covariance(pairs, 0), _of_both),
        _kind("iw.covar_samp", "p q", lambda pairs: exact.covariance(pairs, 1), _of_both),
        _kind("iw.corr", "p q", exact.correlation, _of_shape),
        _kind("iw.regr_count", "p q", len, empty=0),
        *(
            _kind(f"iw.regr_{which}", "p q", partial(exact.regression, which=which), _of_line)
            for which in ("avgx", "avgy", "sxx", "syy", "sxy", "slope", "intercept", "r2")
        ),
        *(
            _kind(f"iw.rank(..., method={method!r})", column, partial(exact.newest_rank, method=method), **_NEWEST)
            for method in ("min", "max", "average", "dense")
            for column in "fi"
        ),
        _kind(
            "iw.rank(..., ascending=False)", "p", partial(exact.newest_rank, method="min", ascending=False), **_NEWEST
        ),
        _kind("iw.percent_rank", "f", partial(exact.newest_rank, method="percent"), **_NEWEST),
        _kind("iw.cume_dist", "i", partial(exact.newest_rank, method="cume"), **_NEWEST),
        _kind("iw.median", "f", lambda values: exact.percentile(values, 0.5), _part(_MEAN_OF_HALVES)),
        _kind("iw.percentile(..., 0.3)", "f", lambda values: exact.percentile(values, 0.3), _part(_MEAN_OF_HALVES)),
        _kind(
            "iw.percentile(..., [0.0, 0.9])", "p", lambda values: [exact.percentile(values, p) for p in (0.0, 0.9)],
            _part(_MEAN_OF_HALVES),
        ),
        _kind("iw.percentile_approx(..., 0.7)", "f", lambda values: exact.discrete(values, 0.7)),
        _kind("iw.percentile_approx(..., 0.4)", "i", lambda values: exact.discrete(values, 0.4)),
        _kind("iw.mode", "f", exact.mode),
        _kind("iw.mode", "s", exact.mode),
        _kind("iw.mode", "i", exact.mode),
        _kind("iw.first", "f", lambda values: values[0], nulls="pass"),
        _kind("iw.last", "s", lambda values: values[-1], nulls="pass"),
        _kind("iw.first(..., ignorenulls=True)", "d", lambda values: values[0]),
        _kind("iw.last(..., ignorenulls=True)", "f", lambda values: values[-1]),
        _kind("iw.any_value(..., ignoreNulls=True)", "m", lambda values: values[0]),
        _kind(
            "iw.nth_value(..., 2)", "i", lambda values: values[1] if len(values) > 1 else None, nulls="pass"
        ),
        _kind("iw.nth_value(..., 2, ignoreNulls=True)", "s", lambda values: values[1] if len(values) > 1 else None),
        _kind("iw.collect_list", "f", list, empty=[]),
        _kind("iw.collect_list", "id", list, empty=[]),
        _kind("iw.collect_set", "f", exact.distinct, empty=[]),
        _kind("iw.collect_set", "s", lambda values: list(dict.fromkeys(values)), empty=[]),
        _kind("iw.string_agg(..., '-')", "s", "-".join),
        _kind("iw.bool_and", "b", all),
        _kind("iw.bool_or", "b", any),
        _kind("iw.bit_and", "n", lambda values: reduce(and_, values)),
        _kind("iw.bit_or", "n", lambda values: reduce(or_, values)),
        _kind("iw.bit_xor", "n", lambda values: reduce(xor, values)),
        _kind("iw.decayed_avg(..., 0.5)", "f", exact.decayed, _part(1e-14)),
    ]
)  # fmt: skip
NOT_DRAWN = {
    "frequent_items": "approximate: tests/udaf/test_synopses.py checks its bounds",
    "ones_in_window": "approximate: tests/udaf/test_synopses.py checks its bounds",
    "priority_sample": "random: tests/udaf/test_synopses.py checks its distribution",
    **{
        name: "a sketch, approximate: tests of their own compare it with DataSketches"
        for name in builtins.NAMES
        if name.startswith(("approx_top_k", "hll_", "kll_", "theta_"))
    },
}


def _finite(value: float) -> float:
    return abs(value) if math.isfinite(value) else 0.0


# --- Classes of users -------------------------------------------------------------------------------------------


def _of_set(name: str) -> tuple[str, Kind]:
    made: Any = (classes.HOOK_SETS | classes.PICKY_SETS)[name]
    in_any_order = "Commutative" in name
    means = (lambda ids: sorted(ids, key=lambda one: (one is not None, one or 0))) if in_any_order else list
    passes = name.endswith("Null")
    column, empty = ("i", [-1]) if passes else ("id", None)
    picky = name in classes.PICKY_SETS
    return _kind(
        f"classes.{made.__name__}()(...)", column, _of_taken(means, empty) if picky else means,
        nulls="pass" if passes else "skip", empty=empty, holes=not picky, picky=picky,
    )  # fmt: skip


def _of_taken(means: Any, empty: Any) -> Any:
    """The meaning over the tuples that a class takes."""

    def of_taken(ids: Values) -> Any:
        taken = [id for id in ids if not classes.is_refused(id)]
        return means(taken) if taken else empty

    return of_taken


def _highest(values: Values) -> float:
    return max(values) * 100 + sum(value > 2 for value in values)


def _candle(values: Values) -> dict[str, Any]:
    return {"low": min(values), "high": max(values), "tuples": len(values)}


CLASSES = dict(
    [
        *map(_of_set, classes.HOOK_SETS),
        _kind("classes.Ids()(...)", "id", list),
        _kind("classes.IdsPunt()(...)", "id", list),
        _kind("classes.IdsInWindow()(...)", "id", list),
        _kind("classes.IdsNaive()(...)", "id", list),
        _kind("classes.IdsWithBase()(...)", "id", list),
        _kind("classes.Longest()(...)", "id", max),
        _kind("classes.LongestInWindow()(...)", "id", max),
        _kind("classes.MyAvg()(...)", "p", _float_mean, _part(1e-15)),
        _kind("classes.MyAvg()(...)", "i", _float_mean, _part(1e-15)),
        _kind("classes.Mean()(...)", "p", _float_mean, _part(1e-15)),
        _kind("classes.Highest()(...)", "p", _highest),
        _kind("classes.Spread()(...)", "p", lambda values: max(values) - min(values), empty=-1.0),
        _kind("classes.Candles()(...)", "p", _candle),
        _kind("classes.Products()(...)", "p q", lambda pairs: math.fsum(x * y for x, y in pairs), lambda pairs: 1e-14 *
              math.fsum(abs(x * y) for x, y in pairs)),
    ]
)  # fmt: skip
COMPILED = dict(
    [
        _kind("classes.compiled(classes.MyAvg())(...)", "p", _float_mean, _part(1e-15)),
        _kind("classes.compiled(classes.MyAvg())(...)", "i", _float_mean, _part(1e-15)),
        _kind("classes.compiled(classes.Mean())(...)", "p", _float_mean, _part(1e-15)),
        _kind("classes.compiled(classes.Highest())(...)", "p", _highest),
        _kind("classes.compiled(classes.Spread())(...)", "p", lambda values: max(values) - min(values), empty=-1.0),
        _kind(
            "classes.compiled(classes.Odds())(...)", "i", lambda values: sum(values) * 100 + sum(v % 2 for v in values)
        ),
        _kind("classes.compiled(classes.Longest())(...)", "id", max),
    ]
)
PICKY = dict(map(_of_set, classes.PICKY_SETS))
EMITTING = dict(
    [
        _kind("classes.Running()(...)", "id", None, is_trailing=True),
        _kind("classes.RunningOr()(...)", "id", None, is_trailing=True, empty=(-1,)),
        _kind("classes.Live()(...)", "id", None, is_trailing=True),
    ]
)


def _of_groups(call: str, places: Callable[[list[int]], list[Any]]) -> tuple[str, Kind]:
    return call, Kind(call, (), None, places=lambda groups, values: places(groups))


def _beside(name: str, sign: int, offset: int, default: Any, skips: bool) -> tuple[str, Kind]:
    call = f"iw.{name}('i', {offset}, {default}, {skips})"
    define = partial(reference_places.neighbours, ahead=sign * offset, default=default, ignore_nulls=skips)
    return call, Kind(call, ("i",), None, places=lambda groups, values: define(values))


# Ranks and neighbours: of a window they take partitions, order and slide.
PLACES = dict(
    [
        _of_groups("iw.row_number()", reference_places.row_numbers),
        _of_groups("iw.rank()", reference_places.ranks),
        _of_groups("iw.dense_rank()", reference_places.dense_ranks),
        _of_groups("iw.percent_rank()", reference_places.percent_ranks),
        _of_groups("iw.cume_dist()", reference_places.cume_dists),
        *(_of_groups(f"iw.ntile({n})", partial(reference_places.ntiles, n=n)) for n in (1, 3, 20)),
        *(
            _beside(name, sign, offset, default, skips)
            for name, sign in (("lag", -1), ("lead", 1))
            for offset in (-1, 0, 1, 2)
            for default in (None, -7)
            for skips in (False, True)
        ),
    ]
)
KINDS = BUILT_INS | CLASSES | COMPILED | PICKY | EMITTING | PLACES


def on_error(kinds: Iterable[str]) -> dict[str, str]:
    """The options of a call with these kinds: if hooks of one raise, their tuples are left out."""
    return {"on_error": "collect"} if any(KINDS[kind].picky for kind in kinds) else {}


def said_on_error(kinds: Iterable[str]) -> str:
    """The same as text."""
    return "".join(f", {name}={value!r}" for name, value in on_error(kinds).items())
