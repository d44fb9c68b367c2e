"""Tables of every type, every built-in and frame in ours and in Spark's words, and what it means that results agree."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa

import inwindow as iw

ROWS = 30
DOUBLES = st.one_of(
    st.integers(-50, 50).map(float), st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 0.1, 1e-3, 12345.678])
)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10 ** min(precision, 20) - 1
    return st.integers(-most, most).map(lambda unscaled: Decimal(unscaled).scaleb(-scale))


# Spark's type, and its values.
VALUES: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
    "tiny": ("tinyint", st.integers(-128, 127)),
    "small": ("smallint", st.integers(-300, 300)),
    "whole": ("int", st.integers(-1000, 1000)),
    "big": ("bigint", st.integers(-(2**40), 2**40)),
    "real": ("float", st.integers(-50, 50).map(float)),
    "double": ("double", DOUBLES),
    "cents": ("decimal(10,2)", decimals(10, 2)),
    "wide": ("decimal(38,10)", decimals(38, 10)),
    "day": ("date", st.dates(date(1990, 1, 1), date(2030, 1, 1))),
    "instant": ("timestamp", st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1))),
    "clock": ("timestamp_ntz", st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1))),
    "text": ("string", st.text("abcé ", max_size=4)),
    "bytes": ("binary", st.binary(max_size=3)),
    "flag": ("boolean", st.booleans()),
    "span": ("interval day to second", st.timedeltas(timedelta(-5), timedelta(5))),
}
NUMBERS = ("tiny", "small", "whole", "big", "real", "double", "cents", "wide")
SCHEMA = "id int, k string, t int, u int, " + ", ".join(f"{name} {kind}" for name, (kind, _) in VALUES.items())


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    """Rows of ``id, k, t, u`` and a value of each type: ``t`` has ties and NULLs, ``u`` has neither."""
    size = draw(st.integers(0, ROWS))
    places = draw(st.permutations(range(size)))
    keys, times = st.sampled_from(["a", "b", "c", None]), st.one_of(st.none(), st.integers(0, 8))
    columns: list[list[Any]] = [list(range(size))]
    for values in (keys, times):
        columns.append(draw(st.lists(values, min_size=size, max_size=size)))
    columns.append(list(places))
    for _, values in VALUES.values():
        some = st.one_of(st.none(), values, values, values)
        columns.append(draw(st.lists(some, min_size=size, max_size=size)))
    return list(zip(*columns, strict=True))


@dataclass(frozen=True)
class BuiltIn:
    """An aggregate in ours and in Spark's words."""

    name: str
    ours: Callable[[Any], Any]
    spark: Callable[[Any, Any], Any]  # (F, column)
    types: tuple[str, ...]
    ties_matter: bool = False  # its result depends on the order of tuples with equal order values


EVERY = tuple(VALUES)
ORDERED = tuple(name for name in EVERY if name not in ("span",))
BUILT_INS = [
    BuiltIn("count", iw.count, lambda F, c: F.count(c), EVERY),
    BuiltIn("sum", iw.sum, lambda F, c: F.sum(c), (*NUMBERS, "span")),
    BuiltIn("avg", iw.avg, lambda F, c: F.avg(c), NUMBERS),
    BuiltIn("min", iw.min, lambda F, c: F.min(c), EVERY),
    BuiltIn("max", iw.max, lambda F, c: F.max(c), EVERY),
    BuiltIn("var_pop", iw.var_pop, lambda F, c: F.var_pop(c), NUMBERS),
    BuiltIn("var_samp", iw.var_samp, lambda F, c: F.var_samp(c), NUMBERS),
    BuiltIn("stddev_pop", iw.stddev_pop, lambda F, c: F.stddev_pop(c), NUMBERS),
    BuiltIn("stddev", iw.stddev, lambda F, c: F.stddev(c), NUMBERS),
    BuiltIn("first", iw.first, lambda F, c: F.first(c), EVERY, True),
    BuiltIn("last", iw.last, lambda F, c: F.last(c), EVERY, True),
    BuiltIn("first_value", lambda c: iw.first(c, ignorenulls=True), lambda F, c: F.first(c, True), EVERY, True),
    BuiltIn("last_value", lambda c: iw.last(c, ignorenulls=True), lambda F, c: F.last(c, True), EVERY, True),
    BuiltIn("collect_list", iw.collect_list, lambda F, c: F.collect_list(c), EVERY, True),
]

UNBOUNDED = 1 << 62
FRAMES = [
    ("rows", -3, 0), ("rows", -1, 2), ("rows", -UNBOUNDED, 0), ("rows", 0, UNBOUNDED), ("rows", -UNBOUNDED, UNBOUNDED),
    ("rows", -4, -2), ("rows", 2, 3), ("rows", 0, 0), ("range", -UNBOUNDED, 0), ("range", -2, 2), ("range", 0, UNBOUNDED),
    ("range", -3, -1), ("range", 1, 2), ("range", 0, 0),
]  # fmt: skip


def frame(spec: Any, Window: Any, kind: str, lower: int, upper: int) -> Any:
    """The spec with a frame."""
    low = Window.unboundedPreceding if lower == -UNBOUNDED else lower
    high = Window.unboundedFollowing if upper == UNBOUNDED else upper
    return spec.rowsBetween(low, high) if kind == "rows" else spec.rangeBetween(low, high)


def has_udf(spark: Any) -> bool:
    """Spark 4.0 has no Arrow UDFs: there with_columns runs by mapInArrow."""
    return not spark.version.startswith("4.0")


def by_id(df: Any) -> pa.Table:
    """What Spark made, in the order of the rows' numbers."""
    return df.toArrow().sort_by("id")


def differences(ours: pa.Table, theirs: pa.Table, exact: bool) -> list[str]:
    """The columns that differ. Doubles may in the last places, where Spark's sums round on the way."""
    if ours.schema != theirs.schema:
        return [f"schema: {a} and {b}" for a, b in zip(ours.schema, theirs.schema, strict=False) if a != b]
    found = []
    for name in ours.column_names:
        pairs = zip(ours[name].to_pylist(), theirs[name].to_pylist(), strict=True)
        wrong = [(a, b) for a, b in pairs if not same(a, b, exact)]
        if wrong:
            found.append(f"{name}: {wrong[:3]}")
    return found


def same(a: Any, b: Any, exact: bool = False) -> bool:
    """Equal, NaN and NULL included."""
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        if exact:
            return a == b and math.copysign(1, a) == math.copysign(1, b)
        return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-7)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)
