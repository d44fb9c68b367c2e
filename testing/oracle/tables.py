"""Tables as they are drawn: a column of a plain type each, few values near one another, some at the ends of their types."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import inf, nan
from typing import Any

from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.written import simpler_values

_MOMENT = datetime(2026, 3, 1)
_DAY = date(2026, 2, 26)
_MOST = 2**63 - 1


@dataclass(frozen=True)
class Column:
    """A column: its name, its type (a word of ``Dialect.types``), its values."""

    name: str
    type: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """A table; ``id`` tells its rows apart."""

    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def __getitem__(self, name: str) -> Column:
        return next(one for one in self.columns if one.name == name)

    def values(self, name: str) -> tuple[Any, ...]:
        """The values of a column."""
        return self[name].values

    def rows(self, kept: list[int]) -> "Table":
        """Some of the rows."""
        return Table(tuple(replace(one, values=tuple(one.values[i] for i in kept)) for one in self.columns))

    def only(self, names: set[str]) -> "Table":
        """Some of the columns."""
        return Table(tuple(one for one in self.columns if one.name in names))

    def smaller(self) -> Iterator["Table"]:
        """Fewer rows, then simpler values."""
        count = len(self)
        for size in (count // 2, count // 4, 1):
            for start in range(0, count, size) if size else ():
                yield self.rows([i for i in range(count) if not start <= i < start + size])
        for at, one in enumerate(self.columns):
            for row, value in enumerate(one.values if one.name != "id" and count <= 12 else ()):
                for simpler in simpler_values(value):
                    values = (*one.values[:row], simpler, *one.values[row + 1 :])
                    yield Table((*self.columns[:at], replace(one, values=values), *self.columns[at + 1 :]))


@dataclass(frozen=True)
class OrderKind:
    """What a window orders by: a type, near values by number, far values, sizes of RANGE offsets."""

    type: str
    near: Any
    far: tuple[Any, ...]
    sizes: tuple[Any, ...]


ORDERS = {
    "bigint": OrderKind("bigint", int, (_MOST, _MOST - 1, -_MOST - 1, -_MOST), (1, 2, 3, 5, _MOST - 1)),
    "int": OrderKind("int", int, (2**31 - 1, -(2**31)), (1, 2, 4, 2**31 - 1)),
    "double": OrderKind("double", lambda n: n / 2, (nan, inf, -inf, -0.0, 1e300), (1, 2, 0.5, 1.25, 1e300)),
    "decimal": OrderKind("decimal", lambda n: Decimal(n * 50).scaleb(-2), (Decimal("99999999.99"),), (
        1, Decimal("0.5"), Decimal("1.25"), 3)),
    "date": OrderKind("date", lambda n: _DAY + timedelta(n), (date(2024, 2, 29), date(2024, 3, 31)), (
        "1 day", "2 days", "1 month", "0 days")),
    "timestamp": OrderKind("timestamp", lambda n: _MOMENT + timedelta(seconds=n / 2), (
        datetime(1960, 1, 31), datetime(2026, 3, 31, 12), datetime(2026, 2, 28)), (
        "1 second", "2 seconds", "1 minute", "1 day", "1 month")),
    "text": OrderKind("text", lambda n: "abcdefghijklmno"[n % 15] * (1 + n % 2), ("", "é", "Z", " "), ()),
    "bool": OrderKind("bool", lambda n: n % 2 == 0, (), ()),
}  # fmt: skip

POOLS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "v": ("bigint", (*range(-3, 8), None, None)),
    "i": ("int", (*range(6), None)),
    "n": ("bigint", (*range(-2, 6), _MOST, -_MOST - 1, _MOST - 1, None)),
    "p": ("double", (*(n / 4 for n in range(-4, 20)), None)),
    "q": ("double", (*(n / 4 for n in range(-4, 12)), None)),
    "f": ("double", (*map(float, range(-4, 8)), nan, inf, -inf, -0.0, 1e16, -1e16, 1e-12, None)),
    "w": ("double", (*(1e9 + n / 4 for n in range(8)), None)),
    "s": ("text", ("a", "b", "bb", "", "é", "B", None)),
    "b": ("bool", (True, False, None)),
    "d": ("decimal", (*(Decimal(n * 25).scaleb(-2) for n in range(-3, 9)), Decimal("99999999.99"), None)),
}  # fmt: skip
KEYS = ("a", "b", "c", None)


def draw_table(draw: Draw, order: OrderKind, columns: set[str], *, is_unique: bool, has_far: bool) -> Table:
    """id, k (a key), t (the order) and the columns that are asked for."""
    count = draw.weighed(((0, 1), (1, 2), (draw.between(2, 6), 8), (draw.between(6, 16), 8)))
    kept: list[Any] = []
    if is_unique:
        numbers = list(range(-4, 20))
        kept = [order.near(numbers.pop(draw.below(len(numbers)))) for _ in range(min(count, 16))]
        if order.type in ("text", "bool"):
            kept = list(dict.fromkeys(kept))
        count = len(kept)
    else:
        has_nulls = draw.once_in(2)
        for _ in range(count):
            odd = draw.once_in(5)
            far = order.far if has_far else ()
            kept.append(
                None
                if has_nulls and draw.once_in(6)
                else draw.one(far)
                if odd and far
                else order.near(draw.between(0, 8))
            )
    few = draw.between(1, 4)
    made = [
        Column("id", "bigint", tuple(range(1, count + 1))),
        Column("k", "text", tuple(KEYS[draw.below(few)] for _ in range(count))),
        Column("t", order.type, tuple(kept)),
    ]
    for name in sorted(columns - {"id", "k", "t"}):
        pool = POOLS[name][1]
        made.append(Column(name, POOLS[name][0], tuple(draw.one(pool) for _ in range(count))))
    return Table(tuple(made))


def repeated(draw: Draw, table: Table, rows: int) -> Table:
    """The rows of a table again and again, in any order, under other keys and ids; partitions hold about thirty rows."""
    count = rows + draw.below(rows // 8)
    kept = table.rows([draw.below(len(table)) for _ in range(count)])
    given = {
        "id": tuple(range(1, count + 1)),
        "k": tuple(None if draw.once_in(60) else f"k{draw.below(1 + rows // 30)}" for _ in range(count)),
    }
    return Table(tuple(replace(one, values=given.get(one.name, one.values)) for one in kept.columns))
