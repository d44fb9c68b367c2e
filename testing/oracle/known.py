"""The differences that are known, each with its class: how a case shows it. What matches none is new."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inwindow.testing.oracle.cases import Call
from inwindow.testing.oracle.running import Found

BUG, CHOICE, OURS, CANCELLATION = "their bug", "their choice", "our choice", "cancellation"
CLASSES = (BUG, CHOICE, OURS, CANCELLATION)


@dataclass(frozen=True)
class Known:
    """One difference: the engines that have it, its class, its name in docs/oracle.md, and which cases show it."""

    engines: tuple[str, ...]
    kind: str
    name: str
    shows: Callable[[Found], bool]
    fails: bool = False  # the engine fails, in place of a wrong result


def class_of(engine: str, found: Found) -> Known | None:
    """The known difference that a case shows; None if it is new."""
    fails = found.difference.kind == "crash"
    return next((one for one in KNOWN if engine in one.engines and one.fails == fails and one.shows(found)), None)


# --- What cases look like -------------------------------------------------------------------------------------


def _calls(found: Found) -> tuple[Call, ...]:
    """The call whose result differs; all where rows are missing or the engine fails."""
    at = found.difference.at
    inner = (found.case.inner,) if found.case.inner else ()
    return (*found.case.calls, *inner) if at is None else (found.case.calls[at], *inner)


def _of(*names: str) -> Callable[[Found], bool]:
    return lambda found: any(call.its.name in names for call in _calls(found))


def _says(*words: str) -> Callable[[Found], bool]:
    return lambda found: found.difference.kind == "crash" and any(word in str(found.difference.given) for word in words)


def _both(*tests: Callable[[Found], bool]) -> Callable[[Found], bool]:
    return lambda found: all(test(found) for test in tests)


def _is_nan(found: Found) -> bool:
    given = found.difference.given
    return found.difference.kind == "rows" or (isinstance(given, float) and given != given)


def _cancels(found: Found) -> bool:
    return found.difference.kind == "cancellation"


def _sticks(found: Found) -> bool:
    """NaN where the frame is finite, or has one infinity: it came from a value that has left."""
    given, wanted = found.difference.given, found.difference.wanted
    return found.difference.kind == "infinity" or bool(
        isinstance(given, float) and given != given and not _missing(wanted)
    )


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _has_two_zeros(found: Found) -> bool:
    times = [value for one in found.case.table.columns if one.name == "t" for value in one.values]
    return len({math.copysign(1, value) for value in times if isinstance(value, float) and value == 0}) == 2


def _has_null_orders(found: Found) -> bool:
    """A RANGE with an offset, ordered by a column with NULLs."""
    nulls = any(one.name == "t" and None in one.values for one in found.case.table.columns)
    return nulls and any(call.framed.unit == "range" and call.framed.has_offsets for call in _calls(found))


def _ranges_over_dates(found: Found) -> bool:
    dates = any(one.name == "t" and one.type == "date" for one in found.case.table.columns)
    return dates and any(call.framed.unit == "range" and call.framed.has_offsets for call in _calls(found))


def _excludes_without_order(found: Found) -> bool:
    return any(call.framed.exclude and not call.framed.orders for call in _calls(found))


def _slides(found: Found) -> bool:
    """A frame that rows leave."""
    return any(call.framed.unit is not None and call.framed.lower is not None for call in _calls(found))


def _other_direction(found: Found) -> bool:
    """Two windows that read t in opposite directions."""
    calls = (*found.case.calls, *([found.case.inner] if found.case.inner else ()))
    return len({call.framed.orders[0].ascending for call in calls if call.framed.orders}) == 2


def _in_parentheses(found: Found) -> bool:
    at = found.difference.at
    return found.case.named and len(found.case.calls) > 1 and (at is None or at % 2 == 1)


def _wants_null(found: Found) -> bool:
    return found.difference.kind == "rows" or found.difference.wanted is None


def _offset_zero(found: Found) -> bool:
    return any(call.its.arguments[:1] == (0,) for call in _calls(found))


_STATISTICS = ("var_pop", "var_samp", "stddev_pop", "stddev_samp", "covar_pop", "covar_samp", "corr", "regr_sxx", "regr_syy",
               "regr_sxy", "regr_slope", "regr_intercept", "regr_r2")  # fmt: skip
_SUMS = ("sum", "avg", *_STATISTICS)
_IGNORING = ("lag ignore nulls", "lead ignore nulls")
_DATAFUSION = ("datafusion", "sail")  # Sail runs on DataFusion

KNOWN: tuple[Known, ...] = (
    Known(("sail",), BUG, "RANGE over dates", _ranges_over_dates),
    Known(
        ("duckdb",), CHOICE, "corr and regr_slope of a constant are NaN", _both(_of("corr", "regr_slope"), _wants_null)
    ),
    Known(("duckdb", "polars", "clickhouse", "h2", "spark"), CANCELLATION, "sums of squares", _cancels),
    Known(_DATAFUSION, BUG, "OVER (w) without w's order", _in_parentheses),
    Known(_DATAFUSION, CHOICE, "-0.0 before 0.0", _has_two_zeros),
    Known(_DATAFUSION, OURS, "lag(x, 0) IGNORE NULLS", _both(_of(*_IGNORING), _offset_zero)),
    Known(_DATAFUSION, BUG, "lead IGNORE NULLS (known upstream)", _of("lead ignore nulls")),
    Known(_DATAFUSION, BUG, "bit_xor of no values is 0", _both(_of("bit_xor"), _wants_null)),
    Known(
        _DATAFUSION, BUG, "regr_r2 of a constant y", _both(_of("regr_r2"), lambda found: found.difference.given is None)
    ),
    Known(
        _DATAFUSION,
        BUG,
        "lists in the order of another window",
        _both(_of("array_agg", "string_agg"), _other_direction),
    ),
    Known(_DATAFUSION, BUG, "infinity stays", _both(_of("sum", "avg"), _sticks)),
    Known(_DATAFUSION, BUG, "statistics after rows have left", _both(_of(*_STATISTICS), _slides)),
    Known(_DATAFUSION, BUG, "NULL order values and RANGE offsets", _has_null_orders),
    Known((*_DATAFUSION, "mariadb"), CANCELLATION, "sums after rows have left", _cancels),
    Known(("sail",), BUG, "ORDER BY column cannot be empty", _says("ORDER BY column cannot be empty"), True),
    Known(
        ("clickhouse",),
        BUG,
        "IGNORE NULLS is not heeded",
        _of("lag ignore nulls", "lead ignore nulls", "nth_value ignore nulls"),
    ),
    Known(("clickhouse",), BUG, "NULL order values and RANGE offsets", _has_null_orders),
    Known(("clickhouse",), CHOICE, "avg of bigint overflows", _of("avg")),
    Known(("clickhouse",), CHOICE, "argMin skips NULLs", _of("arg_min", "arg_max")),
    Known(("clickhouse",), CHOICE, "the default of a type without NULLs", lambda found: found.case.inner is not None),
    Known(("sqlite", "turso"), BUG, "group_concat of empty texts", _both(_of("string_agg"), _slides)),
    Known(("turso",), BUG, "group_concat of empty texts ends the process", _both(_of("string_agg"), _slides), True),
    Known(("h2",), BUG, "EXCLUDE without ORDER BY (in 2.1.214)", _excludes_without_order),
    Known(("h2",), CHOICE, "lists in no order", _of("string_agg")),
    Known(("hyper",), BUG, "variances of large numbers", _of(*_STATISTICS)),
    Known(("polars",), BUG, "cume_dist and percent_rank by a product", _of("cume_dist", "percent_rank")),
    Known(("spark",), BUG, "FILTER of what is never true", _says("Unsupported window function: null"), True),
)
