"""Tables of many small partitions: each is a case, so that one call of the engine tries a hundred."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from math import inf, nan
from typing import Any

from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.orders import OrderType
from inwindow.testing.fuzz.written import Column, Drawn

MOST = 12  # tuples of a partition

_ODD = [*map(float, range(-4, 10)), nan, inf, -inf, -0.0, 1e16, -1e16, 1e-12, None]
_PLAIN = [*(n / 4 for n in range(-4, 20)), None]
_SMALL = [*range(-4, 10), None]
_BITS = [*range(-4, 10), 2**63 - 1, -(2**63), None]
_TEXTS = ["a", "b", "bb", "", "é", "日本", None]
_FLAGS = [True, True, False, None]
_DECIMALS = [*(Decimal(n * 25).scaleb(-2) for n in range(-3, 9)), Decimal("99999999.99"), None]
_TIMES = [*(datetime(2026, 3, 1) + timedelta(seconds=n) for n in range(6)), datetime(1960, 1, 1), None]
POOLS: dict[str, tuple[str, Sequence[Any]]] = {
    "f": ("pa.float64()", _ODD), "g": ("pa.float64()", _ODD), "p": ("pa.float64()", _PLAIN),
    "q": ("pa.float64()", _PLAIN), "i": ("pa.int64()", _SMALL), "n": ("pa.int64()", _BITS), "s": ("pa.string()", _TEXTS),
    "b": ("pa.bool_()", _FLAGS), "d": ("pa.decimal128(10, 2)", _DECIMALS), "m": ("pa.timestamp('us')", _TIMES),
    "ok": ("pa.bool_()", _FLAGS),
}  # fmt: skip

# What a partition is called; -0.0 and 0.0 are one name, and so are all NaN.
KEYS: dict[str, tuple[str, Callable[[int], Any]]] = {
    "int64": ("pa.int64()", lambda n: None if n == 0 else n - 3),
    "string": ("pa.string()", lambda n: None if n == 0 else f"key {n:03}"),
    "double": ("pa.float64()", lambda n: None if n == 0 else nan if n == 1 else inf if n == 2 else (n - 5) / 2),
    "bool": ("pa.bool_()", lambda n: (None, False, True)[n % 3]),
}


def table(draw: Draw, order: OrderType, columns: Sequence[str], partitions: int) -> Drawn:
    """k and l (keys), t (order), the columns that are asked for, id; in any order."""
    kind, named = KEYS[draw.weighed((("int64", 5), ("string", 3), ("double", 2), ("bool", 1)))]
    nullable, in_order = draw.once_in(2), draw.once_in(3)
    rows: list[tuple[Any, Any, Any]] = []
    for number in range(partitions):
        rows += [
            (named(number), number % 2, None if nullable and draw.once_in(8) else order.value(draw))
            for _ in range(draw.between(1, MOST))
        ]
    if not in_order:
        _shuffle(draw, rows)
    return _made(draw, kind, order, columns, rows)


def rows(draw: Draw, order: OrderType, columns: Sequence[str], key: str, count: int) -> Drawn:
    """A few tuples of a few keys, in any order."""
    kind, named = KEYS[key]
    nullable = draw.once_in(3)
    its = [
        (named(number := draw.below(6)), number % 2, None if nullable and draw.once_in(8) else order.value(draw))
        for _ in range(count)
    ]
    return _made(draw, kind, order, columns, its)


def _made(draw: Draw, kind: str, order: OrderType, columns: Sequence[str], rows: list[tuple[Any, Any, Any]]) -> Drawn:
    made = [
        Column("k", kind, tuple(row[0] for row in rows)),
        Column("l", "pa.int32()", tuple(row[1] for row in rows)),
        Column("t", order.kind, tuple(row[2] for row in rows)),
    ]
    for name in columns:
        if name != "id":
            pool = POOLS[name][1]
            made.append(Column(name, POOLS[name][0], tuple(draw.one(pool) for _ in rows)))
    made.append(Column("id", "pa.int64()", tuple(range(len(rows)))))
    return Drawn(tuple(made))


def _shuffle(draw: Draw, rows: list[Any]) -> None:
    for at in range(len(rows) - 1, 0, -1):
        other = draw.below(at + 1)
        rows[at], rows[other] = rows[other], rows[at]
