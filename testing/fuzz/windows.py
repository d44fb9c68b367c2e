"""Windows over frames, drawn as the calls that make them."""

from collections.abc import Sequence
from datetime import UTC, datetime

from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.orders import OrderType, negative
from inwindow.testing.fuzz.written import Call, literal
from inwindow.udaf.errors import UsageError

FRAMES = (
    ("rows_between", 4), ("rows", 3), ("groups_between", 3), ("groups", 2), ("range_between", 5), ("range", 3), ("landmark", 2),
    ("scope", 1), ("unbounded", 1),
)  # fmt: skip
UNBOUNDED = (("unbounded", 1),)
TRAILING = (("rows", 4), ("groups", 2), ("range", 4), ("unbounded", 1))
SIDES = ((-1, 0), (-1, 0), (None, 0), (0, None), (-1, 1), (-1, -1), (1, 1), (None, -1), (1, None), (None, None), (0, 1))
Options = tuple[tuple[str, str], ...]


def place(draw: Draw, keys: Sequence[Options]) -> Options:
    """Keys and order, which all windows of a pass share."""
    order = draw.weighed(
        (
            ("'t'", 5), ("iw.desc('t')", 3), ("iw.asc('t', nulls_first=False)", 1), ("iw.desc('t', nulls_first=True)", 1),
        )
    )  # fmt: skip
    return (*draw.one(keys), ("order_by", order))


def window(draw: Draw, order: OrderType, at: Options, frames: Sequence[tuple[str, int]] = FRAMES) -> Call:
    """A window of one of the frames: valid, which is all that the product is asked for here."""
    while True:
        kind = draw.weighed(frames)
        call = _frame(draw, kind, order, at, is_trailing=frames is TRAILING)
        if draw.once_in(3):
            call = _sliding(draw, call, order)
        if frames is FRAMES and draw.once_in(8):
            call = Call(call.function, call.positional, (*call.options, ("min_count", str(draw.between(1, 4)))))
        if frames is FRAMES and draw.once_in(6):
            left_out = draw.one(("'current row'", "'group'", "'ties'"))
            call = Call(call.function, call.positional, (*call.options, ("exclude", left_out)))
        try:
            _ = call.made
        except UsageError:
            continue
        return call


def _frame(draw: Draw, kind: str, order: OrderType, at: Options, is_trailing: bool) -> Call:
    if kind in ("rows_between", "groups_between"):
        low, high = sorted((draw.between(-5, 3), draw.between(-5, 3)))
        bounds = draw.one(((low, high), (low, high), (None, high), (low, None), (None, None)))
        return Call(kind, tuple(map(str, bounds)), at)
    if kind in ("rows", "groups"):
        return Call(
            kind, (str(draw.between(1, 7)),), at if is_trailing else _lagging(draw, at, str(draw.between(1, 3)))
        )
    if kind == "range":
        return Call(kind, (draw.one(order.sizes),), at if is_trailing else _lagging(draw, at, draw.one(order.sizes)))
    if kind == "range_between":
        lower, upper = draw.one(SIDES)
        return Call(kind, (_bound(draw, lower, order), _bound(draw, upper, order)), at)
    if kind == "landmark":
        fixed = [(name, order.literal(draw)) for name in draw.one((("since",), ("until",), ("since", "until")))]
        return Call(kind, (), (*fixed, *at))
    if kind == "scope":
        return Call(kind, (), (*scope_functions(draw, order), *at))
    return Call("unbounded", (), at)


def scope_functions(draw: Draw, order: OrderType) -> Options:
    """Functions that never decrease: Python compares times of one zone without their fold, so a bound is an instant."""
    turn = order.plain(draw)
    if isinstance(turn, datetime) and turn.tzinfo is not None:
        turn = turn.astimezone(UTC)
    text = literal(turn)
    functions = (("lower", f"lambda t: min(t, {text})"), ("upper", f"lambda t: max(t, {text})"))
    return draw.one((functions[:1], functions[1:], functions))


def _lagging(draw: Draw, at: Options, lag: str) -> Options:
    return (("lag", lag), *at) if draw.once_in(3) else at


def _bound(draw: Draw, sign: int | None, order: OrderType) -> str:
    if not sign:
        return str(sign)
    size = draw.one(order.sizes)
    return size if sign > 0 else negative(size)


def _sliding(draw: Draw, call: Call, order: OrderType) -> Call:
    """A slide in the frame's own unit; now and then in another one."""
    own = "rows" if "rows" in call.function or call.function == "unbounded" else "range"
    own = "groups" if "groups" in call.function else own
    unit, options = own, call.options
    if draw.once_in(4):
        unit = draw.one([other for other in ("rows", "range", "groups") if other != own])
        options = (*options, ("slide_by", repr(unit)))
    if unit == "range":
        options = (*options, ("slide", draw.one(order.slides)))
        if draw.once_in(4):
            options = (*options, ("origin", order.literal(draw)))
    else:
        options = (*options, ("slide", str(draw.between(1, 7))))
        if draw.once_in(2):
            options = (*options, ("final", "'emit'"))
    return Call(call.function, call.positional, options)
