"""Cases drawn from a seed."""

from dataclasses import replace
from typing import Any

from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.oracle.cases import Around, Call, Case, Framed, is_determined
from inwindow.testing.oracle.functions import FUNCTIONS
from inwindow.testing.oracle.meaning import expected
from inwindow.testing.oracle.tables import ORDERS, OrderKind, draw_table, repeated
from inwindow.windows.spec import Order

_NAMES: dict[str, list[str]] = {}
for _key, _its in FUNCTIONS.items():
    _NAMES.setdefault(_its.name, []).append(_key)
_BY_NAME = list(_NAMES.values())
_SIDES = (
    (-1, 0),
    (-1, 0),
    (None, 0),
    (0, None),
    (-1, 1),
    (-1, -1),
    (1, 1),
    (None, -1),
    (1, None),
    (None, None),
    (0, 1),
    (None, 1),
    (-1, None),
)


def draw_case(seed: int, number: int, rows: int = 0) -> Case:
    """The case of this number; with ``rows``, over a table of about so many, in partitions that the definition can bear."""
    draw = Draw(seed, "oracle", number)
    order = ORDERS[
        draw.weighed(
            (
                ("bigint", 6),
                ("int", 2),
                ("double", 4),
                ("decimal", 2),
                ("date", 3),
                ("timestamp", 3),
                ("text", 1),
                ("bool", 1),
            )
        )
    ]
    is_unique, has_far = draw.once_in(3) and order.type != "bool", draw.once_in(3)
    keys = draw.one(((), ("k",), ("k",)))
    calls = tuple(_call(draw, order, keys, is_unique) for _ in range(draw.between(1, 4)))
    inner = None
    if draw.once_in(10):
        function = draw.one(
            ("sum(v)", "count(v)", "max(v)", "first_value(v)", "lag(v, 1, None)", "row_number()", "rank()")
        )
        inner = _over(draw, function, order, keys, is_unique)
    columns = set[str]().union(*(call.columns for call in calls), inner.columns if inner else ())
    columns |= {"v"} if draw.once_in(3) else set()
    table = draw_table(draw, order, columns, is_unique=is_unique, has_far=has_far)
    if rows and len(table):
        return Case(repeated(draw, table, rows), tuple(map(_in_parts, calls)), named=draw.once_in(4))
    case = Case(table, calls, Around(), inner, draw.once_in(4), is_unique)
    return replace(case, around=_around(draw, case)) if draw.once_in(3) else case


def _in_parts(call: Call) -> Call:
    """By keys, but where the definition is fast without; in an order without ties, where these show."""
    is_fast = call.its.kind == "place" and call.its.name not in ("rank", "dense_rank", "percent_rank")
    call = call if is_fast else replace(call, framed=replace(call.framed, keys=("k",)))
    if is_determined(call):
        return call
    framed = replace(call.framed, orders=(*call.framed.orders[:1], Order("id")))
    if framed.unit == "range" and framed.has_offsets:
        framed = replace(framed, unit="rows", lower=-2, upper=1)
    return replace(call, framed=framed)


def _around(draw: Draw, case: Case) -> Around:
    if draw.once_in(4):
        return Around("limit", value=draw.between(0, 5))
    column = draw.one(("x0", "x0", "x0", "k", "t" if case.calls[0].framed.keys else "x0"))
    values = [one[0].value for one in expected(case).values()] if column == "x0" else list(case.table.values(column))
    known = [
        one
        for one in values
        if one is not None and one == one and isinstance(one, (int, str)) and not isinstance(one, bool)
    ]
    kind = draw.one(("where", "where", "qualify")) if column == "x0" else "where"
    if not known or draw.once_in(6):
        return Around(kind, column, draw.one(("IS NULL", "IS NOT NULL")))
    value = draw.one(known)
    return Around(kind, column, "=" if isinstance(value, str) else draw.one(("=", "<=", "<=", ">")), value)


def _call(draw: Draw, order: OrderKind, keys: tuple[str, ...], is_unique: bool) -> Call:
    return _over(
        draw, draw.one(draw.one(_BY_NAME)), order, keys if draw.below(3) else draw.one(((), ("k",))), is_unique
    )


def _over(draw: Draw, function: str, order: OrderKind, keys: tuple[str, ...], is_unique: bool) -> Call:
    its = FUNCTIONS[function]
    condition = draw.one(("b", "v > 1", "v IS NULL")) if its.kind == "aggregate" and draw.once_in(5) else None
    if function == "count_star()" and draw.once_in(3):
        condition = "b"
    while True:
        framed = _framed(draw, order, keys)
        if its.kind == "place":
            framed = replace(framed, unit=None, lower=None, upper=0, exclude=None)
        call = Call(function, framed, condition)
        if is_determined(call, is_unique):
            return call


def _framed(draw: Draw, order: OrderKind, keys: tuple[str, ...]) -> Framed:
    ascending = draw.below(3) > 0
    by = Order("t", ascending, ascending if draw.below(3) else not ascending)
    unit = draw.weighed(((None, 3), ("rows", 5), ("range", 6), ("groups", 4)))
    total = (by, Order("id", draw.below(3) > 0, True))
    orders: Any = draw.weighed((((by,), 4), (total, 4), ((), 1)))
    exclude = draw.one(("current row", "group", "ties")) if unit and draw.once_in(4) else None
    if unit is None:
        return Framed(keys, orders)
    if unit == "range":
        sides = draw.one(_SIDES)
        if len(orders) != 1 or not order.sizes:
            sides = draw.one(((None, 0), (0, None), (None, None), (0, 0)))
        lower, upper = (_bound(draw, side, order) for side in sides)
        return Framed(
            keys, orders, unit, lower, upper, exclude, len(orders) == 1 and bool(order.sizes) and draw.once_in(8)
        )
    if unit == "groups" and not orders:
        orders = (by,)
    low, high = draw.between(-4, 3), draw.between(-4, 3)
    low, high = (low, high) if low * high > 0 and draw.once_in(3) else sorted((low, high))
    lower, upper = draw.one(
        ((low, high), (low, high), (None, high), (low, None), (None, None), (None, 0), (-(2**31), 1), (-1, 2**62))
    )
    return Framed(keys, orders, unit, lower, upper, exclude, draw.once_in(8))


def _bound(draw: Draw, side: int | None, order: OrderKind) -> Any:
    if not side:
        return side
    size = draw.one(order.sizes)
    if isinstance(size, str):
        return f"-{size}" if side < 0 else size
    return -size if side < 0 else size
