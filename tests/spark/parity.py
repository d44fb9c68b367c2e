"""Tables of every type, every built-in and frame in ours and in Spark's words, and what it means that results agree."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
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
def tables(draw: st.DrawFn, least: int = 0) -> list[tuple[Any, ...]]:
    """Rows of ``id, k, t, u`` and a value of each type: ``t`` has ties and NULLs, ``u`` has neither."""
    size = draw(st.integers(least, ROWS))
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
    """An aggregate in ours and in Spark's words: called alike, unless ``spark`` says otherwise."""

    name: str
    types: tuple[str, ...]  # of the first column
    more: tuple[Any, ...] = ()  # arguments behind the first column; names of VALUES are columns
    ties_matter: bool = False  # its result depends on the order of tuples with equal order values
    spark: Callable[[Any, Any], Any] | None = None  # (F, column)
    mine: Callable[[Any], Any] | None = None
    deviates: dict[str, str] = field(default_factory=dict)  # type or "" (all) -> a reason, see parity_table
    called: str | None = None
    framed: bool = True  # whether Spark has it over frames
    unordered: bool = False  # Spark's lists are sets

    @property
    def shown(self) -> str:
        """The call, for the table."""
        if self.mine is not None:
            return str(self.mine("c"))
        options = [str(one) for one in self.more]
        return f"{self.called or self.name}({', '.join(['c', *options])})"

    def ours(self, column: str) -> iw.Applied:
        """In ours."""
        if self.mine is not None:
            return self.mine(column)
        applied: iw.Applied = getattr(iw, self.called or self.name)(column, *self.more)
        return applied

    def theirs(self, F: Any, column: str) -> Any:
        """In Spark's."""
        if self.spark is not None:
            return self.spark(F, column)
        return getattr(F, self.called or self.name)(column, *self.more)


EVERY = tuple(VALUES)
WHOLE = ("tiny", "small", "whole", "big")
FINITE = (*WHOLE, "real", "cents", "wide")
TIMES = ("day", "instant", "clock", "span")
BUILT_INS = [
    BuiltIn("count", EVERY),
    BuiltIn("count_if", ("flag",)),
    BuiltIn("sum", (*NUMBERS, "span")),
    BuiltIn("avg", (*NUMBERS, "span"), deviates={"cents": "mean"}),
    BuiltIn("try_sum", (*NUMBERS, "span")),
    BuiltIn("try_avg", (*NUMBERS, "span"), deviates={"cents": "mean"}),
    BuiltIn("product", NUMBERS),
    BuiltIn("min", EVERY),
    BuiltIn("max", EVERY),
    BuiltIn("max_by", EVERY, ("u",)),
    BuiltIn("min_by", EVERY, ("u",)),
    BuiltIn(
        "max_by each", EVERY, mine=lambda c: iw.max_by("id", c), spark=lambda F, c: F.max_by("id", c), ties_matter=True
    ),
    BuiltIn(
        "min_by each", EVERY, mine=lambda c: iw.min_by("id", c), spark=lambda F, c: F.min_by("id", c), ties_matter=True
    ),
    BuiltIn("var_pop", NUMBERS),
    BuiltIn("var_samp", NUMBERS),
    BuiltIn("stddev_pop", NUMBERS),
    BuiltIn("stddev", NUMBERS),
    BuiltIn("skewness", NUMBERS),
    BuiltIn("kurtosis", NUMBERS),
    BuiltIn("covar_pop", FINITE, ("big",), deviates={"double": "infinite"}),
    BuiltIn("covar_samp", FINITE, ("big",), deviates={"double": "infinite"}),
    BuiltIn("corr", NUMBERS, ("big",)),
    *(BuiltIn(f"regr_{name}", NUMBERS, ("big",)) for name in ("count", "avgx", "avgy", "sxx", "syy")),
    *(BuiltIn(f"regr_{name}", FINITE, ("big",), deviates={"double": "infinite"}) for name in ("sxy", "slope", "r2")),
    BuiltIn("regr_intercept", ("tiny", "small", "whole", "real"), ("small",), deviates={"double": "infinite"}),
    BuiltIn("median", (*NUMBERS, "span"), framed=False, deviates={"": "frame"}),
    BuiltIn("percentile", (*NUMBERS, "span"), (0.3,), framed=False, deviates={"": "frame"}),
    BuiltIn(
        "percentiles", (*NUMBERS, "span"), ([0.0, 0.75],), called="percentile", framed=False, deviates={"": "frame"}
    ),
    BuiltIn("percentile_approx", (*WHOLE, "real", "cents", *TIMES), (0.3,), deviates={"double": "nan", "wide": "wide"}),
    BuiltIn("mode", EVERY, spark=lambda F, c: F.mode(c, True)),
    BuiltIn("first", EVERY, ties_matter=True),
    BuiltIn("last", EVERY, ties_matter=True),
    BuiltIn("any_value", EVERY, ties_matter=True),
    BuiltIn("any_value_not_null", EVERY, (True,), ties_matter=True, called="any_value"),
    BuiltIn("first_value", EVERY, (True,), ties_matter=True, called="first"),
    BuiltIn("last_value", EVERY, (True,), ties_matter=True, called="last"),
    BuiltIn("nth_value", EVERY, (2,), ties_matter=True),
    BuiltIn("nth_value_not_null", EVERY, (2, True), ties_matter=True, called="nth_value"),
    BuiltIn("collect_list", EVERY, ties_matter=True),
    BuiltIn("collect_set", EVERY, ties_matter=True, unordered=True, deviates={"": "order"}),
    BuiltIn("string_agg", ("text", "bytes"), ties_matter=True),
    BuiltIn("bool_and", ("flag",)),
    BuiltIn("bool_or", ("flag",)),
    BuiltIn("bit_and", WHOLE),
    BuiltIn("bit_or", WHOLE),
    BuiltIn("bit_xor", WHOLE),
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


def differences(ours: pa.Table, theirs: pa.Table, exact: bool, unordered: bool = False) -> list[str]:
    """The columns that differ. Doubles may in the last places, where Spark's sums round on the way."""
    like = in_any_order if unordered else same
    if ours.schema != theirs.schema:
        return [f"schema: {a} and {b}" for a, b in zip(ours.schema, theirs.schema, strict=False) if a != b]
    found = []
    for name in ours.column_names:
        pairs = zip(ours[name].to_pylist(), theirs[name].to_pylist(), strict=True)
        wrong = [(a, b) for a, b in pairs if not like(a, b, exact)]
        if wrong:
            found.append(f"{name}: {wrong[:3]}")
    return found


def in_any_order(a: Any, b: Any, exact: bool = False) -> bool:
    """Equal as sets. Before 4.3 Spark's have every NaN of a frame, and -0.0 where that came first."""
    if isinstance(a, list) and isinstance(b, list):
        return {as_member(value) for value in a} == {as_member(value) for value in b}
    return same(a, b, exact)


def as_member(value: Any) -> Any:
    """What a value is in a set."""
    return ("NaN" if math.isnan(value) else value + 0.0) if isinstance(value, float) else value


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
