"""Draws a query that a stream can answer, and the streams: their tuples, micro-batches, watermarks, and what happens to them."""

from dataclasses import replace

import pyarrow as pa

from inwindow.runtime.stream.replay_stream import Stream
from inwindow.testing.fuzz import extents, frames, tables, windows
from inwindow.testing.fuzz.clocks import draw_clocked
from inwindow.testing.fuzz.draw import Draw
from inwindow.testing.fuzz.extents import Extents, One
from inwindow.testing.fuzz.frames import Frames, Over
from inwindow.testing.fuzz.kinds import BUILT_INS, CLASSES, EMITTING, KINDS, PICKY, PLACES, on_error
from inwindow.testing.fuzz.orders import ORDERS, OrderType
from inwindow.testing.fuzz.simulation import HAPPENS, HISTORY
from inwindow.testing.fuzz.streams import OneStream, Streams
from inwindow.testing.fuzz.trial import Trial
from inwindow.testing.fuzz.written import Column, Drawn, value_of
from inwindow.udaf.errors import InWindowError

_FAR = 10**6
_TIMES: dict[str, OrderType] = {
    "int64": replace(ORDERS["int64"], far=(), sizes=("0", "1", "3", "6", "40"), slides=("1", "2", "5")),
    "timestamp with zone": replace(
        ORDERS["timestamp with zone"], sizes=("'0 seconds'", "'500 ms'", "'2 seconds'", "'1 minute'"),
        slides=("'1 second'", "'2500 ms'"),
    ),
    "timestamp in seconds": replace(
        ORDERS["timestamp in seconds"], sizes=("'0 seconds'", "'1500 ms'", "'4 seconds'"), slides=("'2 seconds'",)
    ),
    "date": replace(ORDERS["date"], far=(), sizes=("'0 days'", "'1 day'", "'3 days'"), slides=("'2 days'",)),
}  # fmt: skip
_BOUNDS = {  # of allowed_lateness, as what is taken off a watermark
    "int64": ("0", "1", "3", "8", "1000"),
    "timestamp with zone": ("timedelta(seconds=1)", "timedelta(seconds=4)", "timedelta(hours=1)"),
    "timestamp in seconds": ("timedelta(seconds=1)", "timedelta(milliseconds=3500)", "timedelta(hours=1)"),
    "date": ("timedelta(days=1)", "timedelta(hours=60)", "timedelta(days=90)"),
}
_FRAMES = (
    ("rows_between", 3), ("rows", 3), ("groups_between", 2), ("groups", 2), ("range_between", 3), ("range", 3), ("landmark", 2),
    ("scope", 1), ("unbounded", 2),
)  # fmt: skip
_ON_STREAMS = [
    name for name in PLACES if name in ("iw.row_number()", "iw.rank()", "iw.dense_rank()") or
    (name.startswith("iw.lag") and "-1" not in name)
]  # fmt: skip
_EMPTY = Drawn((Column("t", "pa.int64()", ()),))


def draw_streams(draw: Draw) -> Trial:
    """A query, and ten streams of up to 36 tuples."""
    kind = draw.one(list(_TIMES))
    order = _TIMES[kind]
    asked = _extents(draw, order) if draw.once_in(3) else _frames(draw, order)
    names = Streams(asked, (), 1, None).kinds
    columns = sorted({name for kind in names for name in KINDS[kind].columns} | {"ok"})
    sources = draw.weighed(((1, 5), (2, 1), (3, 1)))
    key = draw.one(list(tables.KEYS))
    their = tuple(_stream(draw, order, columns, sources, key) for _ in range(10))
    bound = draw.one(_BOUNDS[kind]) if draw.once_in(3) and not on_error(names) else ""
    clocked = draw_clocked(draw, kind, sources) if draw.once_in(3) else None
    until, kinds = order.near(_FAR), draw.once_in(3)
    early = isinstance(asked, Extents) and not bound and draw.once_in(2)
    early = early and _can_be(Streams(asked, (), 1, None, early=True), order)
    if early:  # a history comes in portions, and so would its early rows
        their = tuple(replace(one, happens=(HAPPENS[0], *one.happens[1:])) for one in their)
    return Streams(asked, their, sources, until, bound, clocked, kinds, early)


def _frames(draw: Draw, order: OrderType) -> Frames:
    """Aggregates over windows that have a meaning on a stream: those that can be planned."""
    keys = draw.one(((("partition_by", "'k'"),), (("partition_by", "('l', 'k')"),), ()))
    at = (*keys, ("order_by", "'t'"))
    overs: list[Over] = []
    while len(overs) < 3:
        kind = draw.weighed(((BUILT_INS, 10), (CLASSES, 6), (PICKY, 1), (EMITTING, 2), (_ON_STREAMS, 2)))
        kinds = windows.TRAILING if kind is EMITTING else windows.UNBOUNDED if kind is _ON_STREAMS else _FRAMES
        window = windows.window(draw, order, at, kinds).without("final")  # a stream has no last tuple
        over = frames.over(draw.one(list(kind)), window, draw.once_in(4))
        over = replace(over, filtered=over.filtered and kind is not _ON_STREAMS)
        if _can_be(Streams(Frames(_EMPTY, (*overs, over), 0), (), 1, None), order):
            overs.append(over)
    return Frames(_EMPTY, tuple(overs), 0)


def _extents(draw: Draw, order: OrderType) -> Extents:
    while True:
        extent = extents.extent(draw, order)
        keys = draw.one((("k",), ("l", "k"), ()))
        ones = tuple(
            One(draw.one(list(draw.weighed(((BUILT_INS, 12), (CLASSES, 5), (PICKY, 1))))), draw.once_in(4))
            for _ in "123"
        )
        asked = Extents(_EMPTY, keys, extent, ones, 0)
        if _can_be(Streams(asked, (), 1, None), order):
            return asked


def _can_be(query: Streams, order: OrderType) -> bool:
    """Whether the query can be asked of a stream."""
    kinds = {"k": pa.int64(), "l": pa.int32(), "t": value_of(order.kind), "id": pa.int64(), "gap": pa.int64()}
    kinds |= {"until": pa.int64()} | {name: value_of(text) for name, (text, _) in tables.POOLS.items()}
    try:
        value_of(query.query)(Stream(pa.schema(list(kinds.items()))))
    except InWindowError:
        return False
    return True


def _stream(draw: Draw, order: OrderType, columns: list[str], sources: int, key: str) -> OneStream:
    drawn = extents.with_own_gaps(draw, tables.rows(draw, order, columns, key, draw.between(0, 36)))
    count = draw.between(1, 5)
    at = sorted(draw.below(count) for _ in range(len(drawn)))
    its = [draw.below(sources) for _ in range(len(drawn))]
    came = sorted(range(len(drawn)), key=lambda i: (at[i], its[i]))  # of a micro-batch, source after source
    at, its = [at[i] for i in came], [its[i] for i in came]
    kind = "pa.int64()"
    drawn = Drawn((*drawn.columns, Column("at", kind, tuple(at)), Column("source", kind, tuple(its))))
    marks = sorted(draw.between(order.low - 2, order.high + 4) for _ in range(count))
    if draw.once_in(6):
        marks = [draw.one(marks) for _ in marks]  # they may go backwards, which changes nothing
    unknown = draw.between(0, count)
    watermarks = tuple(None if number < unknown else order.near(mark) for number, mark in enumerate(marks))
    often = draw.one((0, 1, 2))  # never, now and then, in each micro-batch
    happens = tuple(HAPPENS[0] if often == 0 or (often == 1 and draw.once_in(2)) else draw.one(HAPPENS) for _ in marks)
    if draw.once_in(4):
        happens = (HISTORY, *happens[1:])
    clocks = tuple(map(order.near, sorted(draw.between(order.low - 2, order.high + 4) for _ in marks)))
    return OneStream(drawn, watermarks, happens, draw.weighed(((1, 3), (2, 1), (3, 1))), draw.once_in(3), clocks)
