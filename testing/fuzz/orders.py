"""What windows order by: a row per type, with few values near one another, so that ties and ends come, and some far away."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import inf, nan
from typing import Any
from zoneinfo import ZoneInfo

from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.written import literal

_BIG = 2**63 - 1
_VIENNA = ZoneInfo("Europe/Vienna")
_CHANGE = datetime(2026, 3, 29, tzinfo=UTC)  # clocks go forward an hour later
_MOMENT = datetime(2026, 3, 1)
_MONTH_ENDS = [  # a month more or less is one day for several of these: their order is not that of what is so far away
    datetime(2026, month, day, hour)
    for month, day, hour in (
        (1, 28, 12), (1, 30, 12), (1, 31, 0), (1, 31, 6), (1, 31, 18), (2, 27, 12), (2, 28, 0), (2, 28, 3), (2, 28, 9), (2, 28, 12),
        (2, 28, 15), (2, 28, 20), (3, 1, 0), (3, 28, 9), (3, 29, 15), (3, 30, 12), (3, 31, 3), (3, 31, 9), (4, 1, 0),
    )
]  # fmt: skip
_CHANGES = [  # of Vienna's clocks: a day later there is no such time, or it exists twice
    datetime(2026, month, day, hour, minute, tzinfo=UTC).astimezone(_VIENNA)
    for month, day, hour, minute in (
        (3, 28, 0, 45), (3, 28, 1, 0), (3, 28, 1, 30), (3, 28, 2, 0), (3, 29, 0, 45), (3, 29, 1, 0), (3, 29, 1, 30),
        (10, 24, 0, 15), (10, 24, 0, 45), (10, 24, 1, 15), (10, 25, 0, 15), (10, 25, 0, 45),
        (10, 25, 1, 15), (10, 25, 1, 45), (10, 25, 2, 15),
        (10, 26, 1, 15),
    )
]  # fmt: skip


@dataclass(frozen=True)
class OrderType:
    """An Arrow type, how its values are drawn, and what sizes and slides fit them, as texts."""

    kind: str
    near: Callable[[int], Any]  # of a small number
    far: tuple[Any, ...]
    sizes: tuple[str, ...]
    slides: tuple[str, ...]
    low: int = -6
    high: int = 12
    has_extents: bool = True

    def value(self, draw: Draw) -> Any:
        """An order value."""
        if self.far and draw.once_in(16):
            return draw.one(self.far)
        return self.near(draw.between(self.low, self.high))

    def plain(self, draw: Draw) -> Any:
        """An order value near the others."""
        return self.near(draw.between(self.low, self.high))

    def literal(self, draw: Draw) -> str:
        """An order value near the others, as text."""
        return literal(self.plain(draw))


_WHOLE = tuple(map(str, range(7)))
ORDERS: dict[str, OrderType] = {
    "int64": OrderType("pa.int64()", lambda n: n, (_BIG, _BIG - 2, -_BIG - 1, -_BIG), (*_WHOLE, str(_BIG - 1)), _WHOLE[1:]),
    "int32": OrderType("pa.int32()", lambda n: n, (2**31 - 1, -(2**31)), (*_WHOLE, "2.5"), _WHOLE[1:]),
    "uint64": OrderType("pa.uint64()", lambda n: n, (2**64 - 1,), _WHOLE, _WHOLE[1:], low=0, has_extents=False),
    "double": OrderType(
        "pa.float64()", lambda n: n / 2, (nan, inf, -inf, -0.0), (*_WHOLE, "0.5", "1.25"), ("1", "0.5", "2.5", "4")
    ),
    "tenths": OrderType("pa.float64()", lambda n: n / 10, (), ("0.1", "0.3", "0.7", "1"), ("0.1", "0.3", "0.7"), has_extents=False),
    "decimal": OrderType(
        "pa.decimal128(10, 2)", lambda n: Decimal(n * 50).scaleb(-2), (),
        ("0", "1", "Decimal('1.5')", "Decimal('100.5')", "3"), ("1", "Decimal('0.5')", "7"),
    ),
    "wide decimal": OrderType(
        "pa.decimal128(38, 10)", Decimal, (Decimal(10**27), Decimal(-(10**27)), Decimal(10**27 - 2)),
        ("0", "1", "Decimal('2.5')", str(10**27)), ("1", "Decimal('2.5')", str(10**20)), has_extents=False,
    ),
    "date": OrderType(
        "pa.date32()", lambda n: date(1970, 1, 1) + timedelta(n),
        (date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29), date(2024, 3, 31)),
        ("'0 days'", "'1 day'", "'2 days'", "'36 hours'", "'1 month'", "'13 months'"), ("'1 day'", "'3 days'"), -3, 9,
    ),
    "timestamp": OrderType(
        "pa.timestamp('us')", lambda n: _MOMENT + timedelta(seconds=n / 2),
        (datetime(1960, 1, 31), datetime(1960, 2, 28, 12), datetime(1, 1, 1), datetime(9999, 12, 31), _MOMENT - timedelta(31)),
        ("'0 seconds'", "'1 second'", "'1500 ms'", "timedelta(seconds=4)", "'1 month'", "'2 days'"),
        ("'1 second'", "'2500 ms'", "'10 minutes'"), -8, 20,
    ),
    "timestamp with zone": OrderType(
        "pa.timestamp('us', tz='UTC')", lambda n: (_MOMENT + timedelta(seconds=n / 2)).replace(tzinfo=UTC), (),
        ("'1 second'", "'1500 ms'", "'1 month'"), ("'1 second'", "'3 seconds'"), -8, 20,
    ),
    "hours of a clock": OrderType(
        "pa.timestamp('us', tz='Europe/Vienna')", lambda n: (_CHANGE + timedelta(hours=n)).astimezone(_VIENNA), (),
        ("'1 hour'", "'90 minutes'", "'1 day'", "'1 month'"), ("'1 hour'", "'6 hours'", "'1 day'"), -8, 20,
    ),
    "ends of months": OrderType(
        "pa.timestamp('s')", lambda n: _MONTH_ENDS[n + 6], (), ("'1 month'", "'2 months'", "'1 day'"), ("'1 day'", "'2 days'"),
        has_extents=False,
    ),
    "changes of a clock": OrderType(
        "pa.timestamp('us', tz='Europe/Vienna')", lambda n: _CHANGES[n], (), ("'30 minutes'", "'1 day'", "'1 month'"),
        ("'30 minutes'", "'1 day'", "'2 days'"), 0, len(_CHANGES) - 1,
    ),
    "timestamp in seconds": OrderType(
        "pa.timestamp('s')", lambda n: _MOMENT + timedelta(seconds=n), (),
        ("'1 second'", "'1500 ms'", "'4 seconds'"), ("'2 seconds'", "'5 seconds'"), -8, 20,
    ),
}  # fmt: skip


def negative(size: str) -> str:
    """The text of a size, PRECEDING."""
    if size.startswith("'"):
        return f"'-{size[1:]}"
    return f"-{size}"
