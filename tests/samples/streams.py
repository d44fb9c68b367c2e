"""Hypothesis strategies: tables with hard values, and windows that fit them.

The tables are small and mean: few keys, many ties, NULLs, NaN, infinities, -0.0, the ends of int64, times before 1970
and far from now.
"""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import inwindow as iw
from inwindow.windows.spec import Order, Window

_BIG = 2**63 - 1
_MOMENT = datetime(2026, 3, 1)

# order type -> (values, sizes, slides): small spans with ties, now and then something far away
ORDERS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any], st.SearchStrategy[Any], st.SearchStrategy[Any]]] = {
    "int64": (
        pa.int64(),
        st.one_of(st.integers(-6, 12), st.sampled_from([_BIG, _BIG - 2, -_BIG - 1, -_BIG])),
        st.one_of(st.integers(0, 6), st.just(_BIG - 1)),  # _BIG itself is PySpark's UNBOUNDED
        st.integers(1, 7),
    ),
    "int32": (pa.int32(), st.integers(-5, 10), st.one_of(st.integers(0, 6), st.just(2.5)), st.integers(1, 7)),
    "uint64": (pa.uint64(), st.one_of(st.integers(0, 12), st.just(2**64 - 1)), st.integers(0, 6), st.integers(1, 7)),
    "double": (
        pa.float64(),
        st.one_of(
            st.integers(-6, 12).map(lambda i: i / 2), st.sampled_from([float("nan"), float("inf"), float("-inf"), -0.0])
        ),
        st.one_of(st.integers(0, 6), st.sampled_from([0.5, 1.25])),
        st.sampled_from([1, 0.5, 2.5, 4]),
    ),
    "decimal": (
        pa.decimal128(10, 2),
        st.integers(-300, 600).map(lambda i: Decimal(i * 50).scaleb(-2)),
        st.sampled_from([0, 1, Decimal("1.5"), Decimal("100.5"), 3]),
        st.sampled_from([1, Decimal("0.5"), 7]),
    ),
    "wide decimal": (
        pa.decimal128(38, 10),
        st.one_of(st.integers(-6, 12), st.sampled_from([10**27, -(10**27), 10**27 - 2])).map(Decimal),
        st.sampled_from([0, 1, Decimal("2.5"), 10**27]),
        st.sampled_from([1, Decimal("2.5"), 10**20]),
    ),
    "date": (
        pa.date32(),
        st.one_of(
            st.integers(-3, 9).map(lambda d: date(1970, 1, 1) + timedelta(d)),
            st.sampled_from([date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29), date(2024, 3, 31)]),
        ),
        st.sampled_from(["0 days", "1 day", "2 days", "36 hours", "1 month", "1 year 1 day"]),
        st.sampled_from(["1 day", "3 days"]),
    ),
    "timestamp": (
        pa.timestamp("us"),
        st.one_of(
            st.integers(-8, 20).map(lambda s: _MOMENT + timedelta(seconds=s / 2)),
            st.sampled_from(
                [
                    datetime(1960, 1, 31),
                    datetime(1960, 2, 28, 12),
                    datetime(1, 1, 1),
                    datetime(9999, 12, 31),
                    _MOMENT - timedelta(days=31),
                ]
            ),
        ),
        st.sampled_from(["0 seconds", "1 second", "1500 ms", timedelta(seconds=4), "1 month", "2 days"]),
        st.sampled_from(["1 second", "2500 ms", "10 minutes"]),  # a day in seconds: 86,400 extents a tuple
    ),
    "timestamp with zone": (
        pa.timestamp("us", tz="UTC"),
        st.integers(-8, 20).map(lambda s: (_MOMENT + timedelta(seconds=s / 2)).replace(tzinfo=UTC)),
        st.sampled_from(["1 second", "1500 ms", "1 month"]),
        st.sampled_from(["1 second", "3 seconds"]),
    ),
    "timestamp in seconds": (
        pa.timestamp("s"),
        st.integers(-8, 20).map(lambda s: _MOMENT + timedelta(seconds=s)),
        st.sampled_from(["1 second", "1500 ms", "4 seconds"]),
        st.sampled_from(["2 seconds", "5 seconds"]),
    ),
}

FLOATS = st.one_of(
    st.integers(-4, 9).map(float),
    st.sampled_from([float("nan"), float("inf"), float("-inf"), -0.0, 1e16, -1e16, 1e-12, None]),
)
INTS = st.one_of(st.integers(-4, 9), st.none())


@st.composite
def tables(
    draw: st.DrawFn, order: str, *, values: Any = FLOATS, kind: pa.DataType | None = None, second: bool = False
) -> pa.Table:
    """k (partition), t (order), v (argument), ok (filter), id (a number per row); w, a second argument, if asked for."""
    type_, moments, _, _ = ORDERS[order]
    nullable = draw(st.booleans())
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["a", "b", None]),
                st.one_of(moments, st.none()) if nullable else moments,
                values,
                st.sampled_from([True, True, False, None]),
            ),
            max_size=24,
        )
    )
    k, t, v, ok = ([row[i] for row in rows] for i in range(4))
    table = pa.table(
        {
            "k": pa.array(k, pa.string()), "t": pa.array(t, type_), "v": pa.array(v, kind or pa.float64()),
            "ok": pa.array(ok, pa.bool_()), "id": pa.array(range(len(rows)), pa.int64()),
        }
    )  # fmt: skip
    if not second:
        return table
    w = draw(st.lists(values, min_size=len(rows), max_size=len(rows)))
    return table.append_column("w", pa.array(w, kind or pa.float64()))


# The sides on which the bounds of a RANGE frame lie: -1 PRECEDING, 1 FOLLOWING, 0 CURRENT ROW, None UNBOUNDED.
SIDES = [(-1, 0), (-1, 0), (None, 0), (0, None), (-1, 1), (-1, -1), (1, 1), (None, -1), (1, None), (None, None), (0, 1)]


@st.composite
def windows(
    draw: st.DrawFn, order: str, frames: tuple[str, ...], *, slides: bool = True, holes: bool = False
) -> Window:
    """A window of one of the frame kinds over the order column ``t``, maybe descending, maybe partitioned, maybe with a hole."""
    _, moments, sizes, steps = ORDERS[order]
    ascending = draw(st.booleans())
    options: dict[str, Any] = {
        "partition_by": draw(st.sampled_from([(), ("k",)])),
        "order_by": Order("t", ascending, draw(st.sampled_from([ascending, ascending, not ascending]))),
    }
    if holes:
        options["exclude"] = draw(st.sampled_from(["current row", "group", "ties"]))
    kind = draw(st.sampled_from(frames))
    sliding = slides and draw(st.booleans())
    if sliding:
        unit = kind.removeprefix("trailing ") if kind.endswith(("rows", "groups")) else "range"
        options |= draw(_slides(unit, most=8 if kind == "trailing rows" else 6, steps=steps))
    if kind in ("rows", "groups"):
        low, high = sorted([draw(st.integers(-5, 3)), draw(st.integers(-5, 3))])
        low, high = draw(st.sampled_from([(low, high), (low, high), (None, high), (low, None), (None, None)]))
        return (iw.rows_between if kind == "rows" else iw.groups_between)(low, high, **options)
    if kind == "trailing groups":
        return iw.groups(draw(st.integers(1, 5)), **options)
    if kind == "trailing rows":  # a frame that ends at the current tuple
        return iw.rows(draw(st.integers(1, 7)), **options)
    if kind == "range":
        lower, upper = draw(st.sampled_from(SIDES))
        return (
            iw.range_between(_signed(lower, draw(sizes)), _signed(upper, draw(sizes)), **options)
            if not (lower is not None and upper is not None and lower == upper)
            else _ordered(lower, draw(sizes), draw(sizes), options)
        )
    if kind == "trailing range":
        return iw.range(draw(sizes), **options)
    plain = moments.filter(lambda x: x == x and x not in (float("inf"), float("-inf")))
    since, until = draw(st.one_of(st.none(), plain)), draw(st.one_of(st.none(), plain))
    return (
        iw.landmark(since=since, until=until, **options)
        if (since, until) != (None, None)
        else iw.range_between(None, 0, **options)
    )


@st.composite
def _slides(draw: st.DrawFn, unit: str, *, most: int, steps: st.SearchStrategy[Any]) -> dict[str, Any]:
    """A slide in the frame's own unit; now and then in another one."""
    across = draw(st.integers(0, 3)) == 0
    options: dict[str, Any] = {}
    if across:
        unit = draw(st.sampled_from([other for other in ("rows", "range", "groups") if other != unit]))
        options["slide_by"] = unit
    if unit == "range":
        return {**options, "slide": draw(steps)}
    return {**options, "slide": draw(st.integers(1, most)), "final": draw(st.sampled_from(["drop", "emit"]))}


def _signed(sign: int | None, size: Any) -> Any:
    if sign is None:
        return None
    if sign == 0:
        return 0
    if isinstance(size, str):
        return -iw.range(size, order_by="t").frame.lower if sign > 0 else iw.range(size, order_by="t").frame.lower
    return sign * size


def _ordered(sign: int, one: Any, other: Any, options: dict[str, Any]) -> Window:
    """Both bounds on one side: the wrong way round is an error, so swap."""
    try:
        return iw.range_between(_signed(sign, one), _signed(sign, other), **options)
    except iw.UsageError:
        return iw.range_between(_signed(sign, other), _signed(sign, one), **options)


CUTS = st.sampled_from([1, 2, 7, 1000])


EXTENT_ORDERS = [order for order in ORDERS if order not in ("wide decimal", "uint64")]


def near(moment: Any) -> bool:
    """Whether adding a size keeps an order value in its type's range."""
    year = getattr(moment, "year", None)
    return moment is None or (
        1900 < year < 2100
        if year is not None
        else moment != moment or abs(moment) < 2**60 or abs(moment) == float("inf")
    )
